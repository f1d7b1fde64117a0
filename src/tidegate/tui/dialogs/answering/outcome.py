"""How an answer dialog ended, and where it leads to."""

from dataclasses import dataclass
from enum import Enum

__all__ = ["AnswerOutcome", "Onward"]


class Onward(Enum):
    """Where somebody goes on to who leaves a question without an answer."""

    SEND_BACK = "send back"
    """To ask from where it is to be done again."""
    CANCEL = "cancel"
    """To ask whether its run shall be cancelled."""
    EDIT = "edit"
    """To change its run's state in a fork."""


@dataclass(frozen=True, slots=True)
class AnswerOutcome:
    """How an answer dialog ended."""

    sent: bool
    note: str
    """What happened, in words that are safe to draw."""
    draft: str
    """What was typed and not sent, for the next time."""
    onward: Onward | None = None
    """None: back to where it was opened."""
    words: str = ""
    """What was said already of what is to be other, where it is to be sent back."""
