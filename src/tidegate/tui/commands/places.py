"""The places an operator can be in, and whose commands work there together: a key may mean one thing in each."""

from collections.abc import Iterator, Mapping
from typing import Final

from tidegate.tui.commands.command import Scope

__all__ = ["PLACES", "scopes_at_once"]

PLACES: Final[Mapping[str, tuple[Scope, ...]]] = {
    "the inbox": (Scope.INBOX, Scope.FILTER, Scope.ROWS, Scope.LIST, Scope.PREVIEW),
    "the runs": (Scope.RUNS, Scope.TURNS, Scope.FILTER, Scope.ROWS, Scope.LIST, Scope.PREVIEW),
    "the checkpoints": (Scope.CHECKPOINTS, Scope.FILTER, Scope.ROWS, Scope.LIST, Scope.PREVIEW),
    "the workflows": (Scope.WORKFLOWS, Scope.FILTER, Scope.ROWS, Scope.LIST, Scope.PREVIEW),
    "the activity": (Scope.ACTIVITY, Scope.FILTER, Scope.ROWS, Scope.LIST, Scope.PREVIEW),
    "the dashboard": (Scope.DASHBOARD, Scope.LIST),
    "a run": (Scope.RUN, Scope.TURNS, Scope.BACK, Scope.LIST, Scope.TEXT, Scope.PREVIEW),
    "time travel": (Scope.TRAVEL, Scope.BACK, Scope.LIST, Scope.TEXT, Scope.PREVIEW),
    "a log": (Scope.LOG, Scope.BACK, Scope.TEXT),
    "the help": (Scope.BACK, Scope.TEXT),
}
"""By the name that a fault calls it."""
_FOCUSED = (Scope.LIST, Scope.TEXT)
"""Of these one has the focus, and the others rest."""


def scopes_at_once(scopes: tuple[Scope, ...]) -> Iterator[tuple[Scope, ...]]:
    """Yield the scopes of a place whose keys work at the same time, for each part that may have the focus."""
    own = tuple(scope for scope in scopes if scope not in _FOCUSED)
    parts = [scope for scope in _FOCUSED if scope in scopes]
    for part in parts:
        yield (*own, part, Scope.GLOBAL)
    if not parts:
        yield (*own, Scope.GLOBAL)
