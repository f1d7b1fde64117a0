"""What a point of a run is compared with, what differs, and what was written by then."""

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from tidegate.model.events import Record
from tidegate.model.ids import BlockId
from tidegate.model.listing import OutputChunk

if TYPE_CHECKING:
    # The first screen knows what there is to compare with, and reads nothing for it.
    from tidegate.history.comparing import Comparison

__all__ = ["Base", "Difference", "Written"]


class Base(StrEnum):
    """What a point is compared with; the value is the word for it."""

    BEFORE = "before"
    MARKED = "marked"
    NOW = "now"
    FORK_POINT = "fork point"
    SUCCESS = "success"
    OTHER = "other run"


@dataclass(frozen=True, slots=True)
class Difference:
    """What differs between a point and another one, and which events led from there to here."""

    base: Base
    comparison: "Comparison | None" = None
    """Of two points of one run the later one is on the right, whichever one is at; else the point one is at."""
    problem: str = ""
    """Why there is nothing to compare with."""
    events: tuple[Record, ...] = ()
    """The last ones between both, in one run; else the one event right at the point."""
    earlier: int = 0
    """How many there are before these."""


@dataclass(frozen=True, slots=True)
class Written:
    """What a block had written by a point."""

    place: BlockId
    attempt: int
    chunks: tuple[OutputChunk, ...]
    is_whole: bool
    """Whether its attempt had ended by then; else what it wrote since is here, too."""
