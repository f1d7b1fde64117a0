"""What an operator wishes of a fork with a key."""

from dataclasses import dataclass

from tidegate.history.paths import Path
from tidegate.history.points import Point
from tidegate.model.ids import BlockId

__all__ = ["ForkWish"]


@dataclass(frozen=True, slots=True)
class ForkWish:
    """What the operator has asked for with a key."""

    point: Point
    edits: Path = ()
    """What is to be changed first, or the place where somebody was; empty: nothing yet."""
    blocks: tuple[BlockId, ...] = ()
    """What is to run again."""
    is_editing: bool = False
    """Whether the dialog begins with what is to be changed."""
    otherwise: str = ""
    """What is worth saying if nothing is forked after all."""
