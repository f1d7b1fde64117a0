"""A person's answer on its way: what was said, and what came of it."""

from dataclasses import dataclass

from tidegate.model.base import Json
from tidegate.model.ids import PauseId, RunId, Seq
from tidegate.model.prompt import Answer

__all__ = ["Answered", "Reply"]


@dataclass(frozen=True, slots=True)
class Reply:
    """What a person said, before it was read."""

    raw: str
    by: str
    via: str
    """`tui`, `cli` or `api`."""
    comment: str = ""


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer that counts and is on disk."""

    run_id: RunId
    pause_id: PauseId
    value: Json
    repeated: bool = False
    """The same had been answered before: nothing changed, and nothing is wrong."""
    seq: Seq | None = None
    """Of the event that has it in the history; None: it was there before, or is not known."""
    earlier: Answer | None = None
    """What had been said before, by whom and with which comment; None: nothing had, this one counts."""
    earlier_at: float | None = None
    """When that was. Seconds since 1970 UTC."""
