"""A mode whose rows are things that are known: it can be filtered by fields, ordered, and read page by page.

Its lines are made when they are drawn. What is on the screen is made anew every second, for the ages in it;
what is filtered or ordered by the time is looked at again less often where that is much.
"""

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar, cast

from tidegate.tui.desk import Desk
from tidegate.tui.lines import Line, Tone
from tidegate.tui.messages import Noted
from tidegate.tui.paging import Pager
from tidegate.tui.present.shared import counted, heading
from tidegate.tui.query.listing import Sort, in_order
from tidegate.tui.rows import Rows, Standing
from tidegate.tui.screens.shaped_screen import ShapedScreen
from tidegate.tui.widgets.line_list import LineList
from tidegate.tui.widgets.mark_list import MarkList

if TYPE_CHECKING:
    from tidegate.tui.query.language import Query

__all__ = ["Ordered", "PagedScreen", "TableScreen"]

T = TypeVar("T")

_MANY = 1_000
"""Rows from which on time alone is no reason to look at all of them again every second."""
_SELDOM = 10.0
"""Seconds between two looks at so many."""
_TEXTS = 20_000
"""Rows of which it is remembered what they show."""
_SLICE = 200
"""Rows whose texts are made between two looks at the keys."""
_EDGE = 5
"""Rows before the last one at which the next page is read."""


@dataclass(frozen=True, slots=True)
class Ordered(Generic[T]):
    """What the filter shows, in its order; and what of that is still true."""

    rows: tuple[T, ...]
    over: tuple[T, ...]
    by: tuple[object, ...]
    at: float


class TableScreen(ShapedScreen, Generic[T]):
    """A mode over a list of things."""

    OVER = ""
    """The heading of those that are over, below the others."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._version = 0
        self._ordered: Ordered[T] | None = None
        self._texts: dict[str, tuple[T, str]] = {}
        self._keyed: tuple[Sequence[T], Sequence[str]] = ((), ())
        """Rows, and what they are called."""
        self._newest = 0.0

    # -- what a mode says ---------------------------------------------------------------------

    def listed(self) -> Sequence[T]:
        """Return everything, in the order that it has by itself."""
        raise NotImplementedError

    def over(self, now: float) -> Sequence[T]:
        """Return what is over, and still shown for a while."""
        del now
        return ()

    def key_of(self, row: T) -> str:
        """Return what a row is called."""
        raise NotImplementedError

    def line_of(self, row: T, now: float) -> Line:
        """Return a row as it is drawn."""
        raise NotImplementedError

    def find(self, key: str) -> T | None:
        """Return the row that is called so."""
        raise NotImplementedError

    # -- filter and order ---------------------------------------------------------------------

    def fetched(self) -> None:
        """Look at all rows again."""
        # Now, not when reading began: what was shown in between was made of what there was before.
        self._version += 1

    def filtered(self, now: float) -> Rows:
        """Return the rows that the filter shows, in the order that is chosen."""
        ordered = self._order(now)
        return Rows.joined(
            [
                self._rows_of(ordered.rows, now),
                Rows.of([heading(self.OVER)] if ordered.over else []),
                self._rows_of(ordered.over, now, Standing.PASSIVE),
            ]
        )

    def _rows_of(self, rows: Sequence[T], now: float, standing: Standing = Standing.INVITING) -> Rows:
        standings = None if standing is Standing.INVITING else [standing] * len(rows)
        keys = self._keys_of(rows) if standings is None else [self.key_of(row) for row in rows]
        return Rows(keys, lambda at: self.line_of(rows[at], now), standings)

    def _keys_of(self, rows: Sequence[T]) -> Sequence[str]:
        # Those of the same rows are the same list again: so whoever is shown it knows that nothing has moved.
        if self._keyed[0] is not rows:
            self._keyed = (rows, [self.key_of(row) for row in rows])
        return self._keyed[1]

    @property
    def shown(self) -> tuple[T, ...]:
        """The rows that are shown and not over, as they stand."""
        return self._ordered.rows if self._ordered is not None else ()

    def _order(self, now: float) -> Ordered[T]:
        everything, over = self.listed(), self.over(now)
        self._total = len(everything)
        by = (self._version, self._query, self.sort.name, self._is_reversed, len(over))
        kept = self._ordered
        is_much = len(everything) > _MANY
        if kept is not None and kept.by == by and (now == kept.at or (is_much and now - kept.at < _SELDOM)):
            return kept
        query, sort = cast("Query[T]", self._query), cast("Sort[T]", self.sort)
        rows = [row for row in everything if query.holds(row, now, self._text)] if query else everything
        past = [row for row in over if query.holds(row, now, self._text)]
        ordered = in_order(rows, sort, now, is_reversed=self._is_reversed)
        self._ordered = Ordered(tuple(ordered), tuple(past), by, now)
        return self._ordered

    def _text(self, row: T) -> str:
        """Return what a row shows, for searching; its ages may be those of a while ago."""
        key = self.key_of(row)
        known = self._texts.get(key)
        if known is not None and (known[0] is row or known[0] == row):
            return known[1]
        text = self.line_of(row, self._desk.clock.now()).text.casefold()
        if len(self._texts) >= _TEXTS:
            self._texts.clear()
        self._texts[key] = (row, text)
        return text

    def action_filter(self) -> None:
        """Type what to look for; what the rows show is looked up until the first letter comes."""
        super().action_filter()
        self.run_worker(self._look_up_texts(), group="texts", exclusive=True)

    async def _look_up_texts(self) -> None:
        for at, row in enumerate(self.listed(), 1):
            self._text(row)
            if at % _SLICE == 0:
                await asyncio.sleep(0)

    def existing(self, now: float) -> Collection[str] | None:
        """Return the keys of all rows."""
        return {self.key_of(row) for row in (*self.listed(), *self.over(now))}

    def arrived(self, keys: Collection[str]) -> Collection[str]:
        """Return which rows have come since the last look; what is over now is no news."""
        del keys
        return super().arrived({self.key_of(row) for row in self.listed()})


class PagedScreen(TableScreen[T]):
    """A mode over a list that may be longer than what is read of it at once."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self.pager: Pager[T] = Pager()
        self._found: dict[str, T] = {}
        self._read_for: object = None
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
        """Read on before the end of the list is reached."""
        number, count = self.rows_view.position
        if isinstance(event.view, MarkList) and number > count - _EDGE and self.pager.read_on():
            self.wake()
