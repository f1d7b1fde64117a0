"""A mode over a list that may be longer than what is read of it at once: read on where somebody comes to its end."""

from collections.abc import Collection, Sequence
from typing import TypeVar

from textual import on
from textual.events import Key

from tidegate.tui.desk import Desk
from tidegate.tui.lines import Tone
from tidegate.tui.messages import Noted
from tidegate.tui.paging import Pager
from tidegate.tui.present.shared import counted
from tidegate.tui.screens.lists.table_screen import TableScreen
from tidegate.tui.widgets.line_list import LineList
from tidegate.tui.widgets.mark_list import MarkList

__all__ = ["PagedScreen"]

T = TypeVar("T")

_EDGE = 5
"""Rows before the last one at which the next page is read."""


class PagedScreen(TableScreen[T]):
    """A mode over a list that may be longer than what is read of it at once."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self.pager: Pager[T] = Pager()
        self._found: dict[str, T] = {}
        self._read_for: object = None
        self._goes_to_end = False
        self._gone: frozenset[str] = frozenset()
        """Marked rows that there are no more, as far as it was asked."""

    async def read(self) -> None:
        """Bring the pager up to date; it was restarted if `wanted` is something else."""
        raise NotImplementedError

    def wanted(self) -> object:
        """Return what decides about which rows are read."""
        return self._query

    def born(self, row: T) -> float:
        """Return when a row came into the list."""
        raise NotImplementedError

    async def still_there(self, keys: Collection[str]) -> Collection[str]:
        """Return which of some rows, none of which was read, there are still."""
        raise NotImplementedError

    async def fetch(self) -> None:
        """Read what is new, and as much of the rest as is looked at."""
        wanted = self.wanted()
        if wanted != self._read_for:
            self._read_for = wanted
            self._goes_to_end = False
            self.pager.restart()
        await self.read()
        if wanted != self.wanted():
            # Somebody has typed meanwhile: what was read is for what stood there before.
            self.wake()
            return
        self._found = {self.key_of(row): row for row in self.pager.rows}
        # Neither a filter nor the end of what was read says anything of what is beyond: the store does.
        beyond = {key for key in self.rows_view.marked if key not in self._found}
        self._gone = frozenset(beyond.difference(await self.still_there(beyond)) if beyond else ())
        if self.pager.is_short:
            self.wake()

    def listed(self) -> Sequence[T]:
        """Return what was read."""
        return tuple(self._found.values())

    def find(self, key: str) -> T | None:
        """Return the row that is called so."""
        return self._found.get(key)

    def refilter(self) -> None:
        """Show what another filter shows of what is there; and read on."""
        super().refilter()
        self.wake()

    def existing(self, now: float) -> Collection[str] | None:
        """Return the keys of all rows that are known, as long as what is read depends on nothing but their age."""
        if self._query:
            return None
        return {*(super().existing(now) or ()), *self.rows_view.marked}

    def fetched(self) -> None:
        """Take the marks off rows that there are no more, whatever is shown; say so."""
        super().fetched()
        if gone := self._gone.intersection(self.rows_view.marked):
            self.rows_view.unmark(gone)
            self.post_message(
                Noted(f"{counted(len(gone), 'marked row')} no longer there: unmarked", Tone.DIM)
            )

    def arrived(self, keys: Collection[str]) -> Collection[str]:
        """Return which rows have come since the last look: older pages that were read are no news."""
        before, self._newest = self._newest, max(map(self.born, self.listed()), default=0.0)
        new = [row for row in self.listed() if self.born(row) > before] if before else []
        return [key for key in map(self.key_of, new) if key in keys]

    def found_words(self, count: int) -> str:
        """Return how many rows a filter shows; of how many only if the store has left out none of them."""
        if self.narrows():
            return f"{count}{self.more} found"
        return f"{count} of {max(count, self.pager.looked)}{self.more}"

    def narrows(self) -> bool:
        """Whether the store leaves out some of what the filter leaves out."""
        raise NotImplementedError

    @property
    def more(self) -> str:
        """What stands behind a number of rows: whether there may be more."""
        return "" if self.pager.is_all else "+"

    def nothing(self) -> str:
        """Return what to say where there is no row, or none passes the filter."""
        is_looking = self._query and self.pager.is_short
        so_far = f" Looked at {self.pager.looked:,} so far." if is_looking else ""
        return f"{super().nothing()}{so_far}"

    def on_line_list_highlighted(self, event: LineList.Highlighted) -> None:
        """Read on before the end of the list is reached; whoever leaves the end does not want to be there."""
        number, count = self.rows_view.position
        if self._goes_to_end:
            if number < count:
                self._stay()
        elif isinstance(event.view, MarkList) and number > count - _EDGE and self.pager.read_on():
            self.wake()

    # -- to the end ---------------------------------------------------------------------------

    @on(LineList.LastWanted, "#list")
    def _go_to_end(self) -> None:
        """Read on until the end, with the cursor on the last row that is there."""
        if self.pager.read_all():
            self._goes_to_end = True
            self.show_row(self._desk.clock.now())
            self.wake()

    def on_key(self, event: Key) -> None:
        """Let any key end that; what it does otherwise, it does all the same."""
        del event
        if self._goes_to_end:
            self._stay()

    def _stay(self) -> None:
        self._goes_to_end = False
        self.pager.stop()
        self.show_row(self._desk.clock.now())

    async def load(self) -> None:
        """Read and show; on the way to the end, go on."""
        await super().load()
        if not self._goes_to_end:
            return
        self.rows_view.go_last()
        if not self.pager.is_short:
            self._stay()
            if not self.pager.is_all:
                most = f"{len(self.pager.rows):,} rows are kept at once; a filter such as before:2d shows older ones"
                self.post_message(Noted(most, Tone.DIM))

    def place_words(self, number: int, count: int) -> str:
        """Return on which of how many rows the cursor is, and that there will be more."""
        words = super().place_words(number, count)
        return f"{words}{self.more} · reading on, any key stops" if self._goes_to_end else words
