"""How an answer dialog ended."""

from dataclasses import dataclass

__all__ = ["AnswerOutcome"]


@dataclass(frozen=True, slots=True)
class AnswerOutcome:
    """How an answer dialog ended."""

    sent: bool
    note: str
    """What happened, in words that are safe to draw."""
    draft: str
    """What was typed and not sent, for the next time."""
    send_back: str | None = None
    """What was said already of what is to be other, where it is to be sent back; None: it is not."""
