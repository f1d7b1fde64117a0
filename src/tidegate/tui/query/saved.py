"""What is kept of each list from one start to the next: filters with a name, its order, hidden columns, sizes of panes.

The filter that is set is not kept: what waits for somebody must not be hidden by what was looked for last week.
"""

import msgspec

from tidegate.model.base import Noun
from tidegate.tui.state import State

__all__ = ["KeptList", "SavedFilters"]


class KeptList(Noun):
    """What is kept of one list."""

    filters: dict[str, str] = {}
    """By the name that somebody gave them."""
    sort: str = ""
    """The name of its order; empty: the one that it has by itself."""
    is_reversed: bool = False
    hidden: tuple[str, ...] = ()
    """The titles of columns that are not shown."""
    panes: dict[str, tuple[int, ...]] = {}
    """Sizes that somebody has given to panes, by how many there are and how they follow each other."""


class SavedFilters:
    """What is kept of lists, by their names."""

    def __init__(self, state: State) -> None:
        self._state = state

    def of(self, name: str) -> KeptList:
        """Return what is kept of a list; what is no such thing, as if nothing were."""
        try:
            return msgspec.convert(self._state.get(f"list.{name}") or {}, KeptList)
        except msgspec.ValidationError:
            return KeptList()

    def keep(self, name: str, **changes: object) -> None:
        """Keep something of a list."""
        kept = self.of(name).evolve(**changes)
        self._state.put(f"list.{name}", msgspec.to_builtins(kept) or None)
