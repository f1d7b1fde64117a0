"""A long list, read page by page: as much of it as is looked at, or as a filter has to look at.

The first page is read anew whenever something changed. The others are kept, and read anew now and then: it is
in the first one that things happen.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

__all__ = ["PAGE", "Pager", "Source"]

T = TypeVar("T")

PAGE = 500
"""Rows that are read at once."""
_AT_ONCE = 8
"""Pages between two looks at what was found."""
_MOST = 10_000
"""Rows that are kept; whoever looks for older ones looks for something."""
_PATIENCE = 10.0
"""Seconds for which older pages are believed."""
_CALM = 20
"""How many times longer than it took to read them they are believed at least."""


@dataclass(frozen=True, slots=True)
class Source(Generic[T]):
    """Where rows come from, newest first."""

    page: Callable[[T | None, int], Awaitable[Sequence[T]]]
    """Reads so many rows that are older than one; of None the newest. Fewer than asked for: there are no more."""
    keeps: Callable[[T], bool]
    """Whether a row is wanted."""
    key_of: Callable[[T], str]
    born: Callable[[T], float]
    """When a row came into being."""
    begins_at: float
    """Before this instant no row is wanted; 0 where the rows do not stand by when they came into being."""
    is_wanted: Callable[[], bool] = lambda: True
    """Whether anybody still wants these rows: nobody is to wait for others until all of them are read."""


class Pager(Generic[T]):
    """What was read of a list."""

    def __init__(self) -> None:
        self.rows: list[T] = []
        """Those that are wanted, newest first."""
        self.looked = 0
        """How many were looked at for that."""
        self.is_all = False
        """Whether there are no more."""
        self._wanted = PAGE
        self._pages = 0
        self._last: T | None = None
        self._first: dict[str, int] = {}
        """Where each row of the first page stood, as it was read last, wanted or not."""
        self._believed_until = 0.0

    def restart(self) -> None:
        """Begin again at the newest row: something else is wanted."""
        self._wanted = PAGE
        self._begin()

    def _begin(self) -> None:
        self.rows, self.looked, self.is_all = [], 0, False
        self._pages, self._last = 0, None

    @property
    def is_short(self) -> bool:
        """Whether more was asked for than was found yet."""
        return not self.is_all and len(self.rows) < self._wanted

    @property
    def may_read_on(self) -> bool:
        """Whether there is more, and room for it."""
        return not self.is_all and len(self.rows) < _MOST

    def read_on(self) -> bool:
        """Want another page; return whether there may be one."""
        if not self.may_read_on:
            return False
        self._wanted = min(_MOST, len(self.rows) + PAGE)
        return True

    def read_all(self) -> bool:
        """Want all that there is, or as much as is kept; return whether there may be more."""
        if not self.may_read_on:
            return False
        self._wanted = _MOST
        return True

    def stop(self) -> None:
        """Want no more than was found so far; the page that is being read is read to its end."""
        self._wanted = max(PAGE, len(self.rows))

    async def update(self, source: Source[T], clock: Callable[[], float]) -> None:
        """Read what is new, and what is missing: as long as that is `is_short`, call again.

        Args:
            source: Where from, and what. After `restart` it may be another one.
            clock: Seconds, which never go back.
        """
        if self._pages > 1 and clock() >= self._believed_until:
            await self._read_anew(source, clock)
            return
        await self._read_newest(source)
        for _ in range(_AT_ONCE if self.is_short else 0):
            await self._read_older(source)
            if not self.is_short or not source.is_wanted():
                break
        if self._pages > 1 and not self._believed_until:
            self._believed_until = clock() + _PATIENCE

    async def _read_anew(self, source: Source[T], clock: Callable[[], float]) -> None:
        """Read all pages again, and only then show another list."""
        began, other = clock(), Pager[T]()
        other._wanted = max(self._wanted, 1)
        await other._read_newest(source)
        while other.is_short and other.looked < self.looked:
            if not source.is_wanted():
                return
            await other._read_older(source)
        self.rows, self.looked, self.is_all = other.rows, other.looked, other.is_all
        self._pages, self._last, self._first = other._pages, other._last, other._first
        self._believed_until = clock() + max(_PATIENCE, _CALM * (clock() - began))

    async def _read_newest(self, source: Source[T]) -> None:
        page, is_last = await _read_page(source, None)
        before, keys = self._first, [source.key_of(row) for row in page]
        self._first = {key: at for at, key in enumerate(keys)}
        # Where the page has nothing of what was on top, something between the two was never read.
        if self._pages <= 1 or is_last or before.keys().isdisjoint(keys):
            self._begin()
            self._take(source, page, is_last=is_last)
            return
        # By their places, not by their times: what was brought from elsewhere is new here, and old by its times.
        end = before.get(keys[-1], len(before))
        above = self._first.keys() | {key for key, at in before.items() if at <= end}
        older = [row for row in self.rows if source.key_of(row) not in above]
        self.rows = [*filter(source.keeps, page), *older]

    async def _read_older(self, source: Source[T]) -> None:
        page, is_last = await _read_page(source, self._last)
        self._take(source, page, is_last=is_last)

    def _take(self, source: Source[T], page: Sequence[T], *, is_last: bool) -> None:
        self.rows.extend(row for row in page if source.keeps(row))
        self.looked += len(page)
        self._pages += 1
        self._last = page[-1] if page else self._last
        self.is_all = is_last or source.born(page[-1]) < source.begins_at
        if self._pages <= 1:
            self._believed_until = 0.0


async def _read_page(source: Source[T], last: T | None) -> tuple[Sequence[T], bool]:
    """Return the page behind a row, and whether there is none behind it: one row more than it has says so."""
    rows = await source.page(last, PAGE + 1)
    return rows[:PAGE], len(rows) <= PAGE
