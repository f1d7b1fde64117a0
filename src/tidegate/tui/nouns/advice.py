"""What can be found out before a question is answered."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tidegate.model.outlook import Outlook, Supposed
from tidegate.tui.lines import Line

if TYPE_CHECKING:
    from tidegate.history.usual import Usual
    from tidegate.model.ids import BlockId

__all__ = ["Advice", "Foreseen", "LookedUp"]


@dataclass(frozen=True, slots=True)
class Foreseen:
    """What an answer leads to, and how long that usually takes."""

    outlook: Outlook
    usual: "Mapping[BlockId, Usual]" = field(default_factory=dict)
    """Of the blocks of the workflow that asks."""


@dataclass(frozen=True, slots=True)
class LookedUp:
    """A page whose text is looked up when somebody turns to it."""

    title: str
    look_up: Callable[[], Awaitable[Sequence[Line]]]
    """Raises `TidegateError` if there is nothing to be found, saying why."""


@dataclass(frozen=True, slots=True)
class Advice:
    """What can be found out before a question is answered."""

    foresee: Callable[[str | Supposed], Awaitable[Foreseen]]
    """Returns what an answer leads to; raises `TidegateError` if it leads nowhere."""
    pages: Sequence[LookedUp] = ()
    why_not_back: Callable[[], Awaitable[str]] | None = None
    """Returns why the question cannot be sent back, safe to draw; empty: it can."""
    rule_places: Callable[[], Awaitable[Callable[[str], str]]] | None = None
    """Returns what says where the rule of a field stands, by its id; raises `TidegateError` if nothing does."""
