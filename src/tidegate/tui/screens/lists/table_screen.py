"""A mode whose rows are things that are known: it can be filtered by fields, ordered, and read page by page.

Its lines are made when they are drawn, and again when an age in them is another one. Rows that time may put
elsewhere, or out of the filter, are looked at again every second; less often where they are many.
"""

import asyncio
import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar, cast

from tidegate.tui.desk import Desk
from tidegate.tui.lasting import lasting
from tidegate.tui.lines import Line
from tidegate.tui.present.shared import heading
from tidegate.tui.query.listing import Sort, in_order
from tidegate.tui.rows import Rows, Standing
from tidegate.tui.screens.lists.shaped_screen import ShapedScreen
from tidegate.tui.working import begin_anew

if TYPE_CHECKING:
    from tidegate.tui.query.language import Query

__all__ = ["Ordered", "TableScreen"]

T = TypeVar("T")

_MANY = 1_000
"""Rows from which on time alone is no reason to look at all of them again every second."""
_SOON, _SELDOM = 0.5, 10.0
"""Seconds for which the order of a few rows, and of so many, is believed where it depends on the time."""
_TEXTS = 20_000
"""Rows of which it is remembered what they show."""
_SLICE = 200
"""Rows whose texts are made between two looks at the keys."""


@dataclass(frozen=True, slots=True)
class _Made:
    """A line, and from when until when it is true."""

    line: Line
    since: float
    until: float


@dataclass(frozen=True, slots=True)
class Ordered(Generic[T]):
    """What the filter shows, in its order; and what of that is still true."""

    rows: tuple[T, ...]
    over: tuple[T, ...]
    by: tuple[object, ...]
    until: float
    """When time may have changed it."""


class TableScreen(ShapedScreen, Generic[T]):
    """A mode over a list of things."""

    OVER = ""
    """The heading of those that are over, below the others."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._version = 0
        self._ordered: Ordered[T] | None = None
        self._texts: dict[str, tuple[T, str]] = {}
        self._laid_out: tuple[Ordered[T] | None, Rows] = (None, Rows.of(()))
        """What is shown, as rows."""
        self._made: dict[str, _Made] = {}
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

    def stamp(self, now: float) -> object:
        """Return what decides about the order beside filter and sort; as long as it is the same, nothing moves."""
        del now
        return None

    def arranged(self, rows: Sequence[T], now: float) -> Sequence[T]:
        """Return rows that are ordered, with those in front that come first in any order."""
        del now
        return rows

    # -- filter and order ---------------------------------------------------------------------

    def fetched(self) -> None:
        """Look at all rows again."""
        # Now, not when reading began: what was shown in between was made of what there was before.
        self._version += 1
        self._made.clear()

    def filtered(self, now: float) -> Rows:
        """Return the rows that the filter shows, in the order that is chosen."""
        ordered = self._order(now)
        if self._laid_out[0] is not ordered:
            over = self._rows_of(ordered.over, Standing.PASSIVE)
            title = Rows.of([heading(self.OVER)] if ordered.over else [])
            self._laid_out = (ordered, Rows.joined([self._rows_of(ordered.rows), title, over]))
        return self._laid_out[1].anew()

    def _rows_of(self, rows: Sequence[T], standing: Standing = Standing.INVITING) -> Rows:
        keys = [self.key_of(row) for row in rows]
        standings = None if standing is Standing.INVITING else [standing] * len(rows)
        return Rows(keys, lambda at: self._line(keys[at], rows[at]), standings)

    def _line(self, key: str, row: T) -> Line:
        """Return the line of a row: the same one, as long as it is true."""
        # As of now: a row may come into sight long after the list was shown.
        now, made = self._desk.clock.now(), self._made.get(key)
        if made is None or not made.since <= now < made.until:
            with lasting(now) as words:
                line = self.line_of(row, now)
            made = self._made[key] = _Made(line, now, words.until)
        self.holds_until(made.until)
        return made.line

    def sampled(self, shown: Rows, number: int) -> Sequence[Line]:
        """Return lines of both ends of the list: out of sight, an age of a while ago is as wide as that of now."""
        ends = shown.ends(number)
        return [made.line if (made := self._made.get(shown.keys[at])) else shown[at] for at in ends]

    @property
    def shown(self) -> tuple[T, ...]:
        """The rows that are shown and not over, as they stand."""
        return self._ordered.rows if self._ordered is not None else ()

    def _order(self, now: float) -> Ordered[T]:
        everything, over = self.listed(), self.over(now)
        self._total = len(everything)
        query, sort = cast("Query[T]", self._query), cast("Sort[T]", self.sort)
        by = (self._version, query, sort.name, self._is_reversed, len(over), self.stamp(now))
        kept = self._ordered
        if kept is None or kept.by != by or now >= kept.until:
            rows = [row for row in everything if query.holds(row, now, self._text)] if query else everything
            past = [row for row in over if query.holds(row, now, self._text)]
            ordered = in_order(rows, sort, now, is_reversed=self._is_reversed)
            is_timed = sort.is_timed or query.is_timed
            until = now + (_SELDOM if len(everything) > _MANY else _SOON) if is_timed else math.inf
            kept = self._ordered = Ordered(tuple(self.arranged(ordered, now)), tuple(past), by, until)
        self.holds_until(kept.until)
        return kept

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
        begin_anew(self, "texts", self._look_up_texts)

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
