"""The part of what was written that is held in memory: pages side by side, bounded at both ends.

Rows have numbers that stay theirs while others come before and after them, and while the oldest are
let go: cursors, filters and finds hold numbers.
"""

from collections import deque
from collections.abc import Sequence
from itertools import groupby

from tidegate.model.listing import OutputChunk, Stream
from tidegate.tui.log.rows import Page, Row, Segment, gap_row, rows_of, text_rows

__all__ = ["LogWindow"]

ROWS = 100_000
BYTES = 8 * 1024 * 1024
"""Of what was written, as it was written."""
_EXTENDED = 131_072
"""Bytes up to which a page grows; a log that is followed would else be a page for each line."""
_PART = 16
"""The part of all rows up to which it does: pages are let go as a whole."""


class LogWindow:
    """Rows from somewhere to somewhere."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.base = 0
        """The number of the first row."""
        self.pages: deque[Page] = deque()
        self.size = 0
        self.is_at_start = False
        """Whether nothing is before it."""
        self.is_at_end = False
        """Whether nothing but what is being written now is after it."""
        self.firsts: dict[Segment, int] = {}
        """Of each segment that was read, `n` of the chunk from which on it was: what is before is not held."""
        self._newest: dict[Segment, Page] = {}
        """The last page of each segment; what is written next is joined to it."""
        self._skipped: dict[Segment, int] = {}
        """Of each segment that goes on after chunks that are not held, `n` of the last of those."""

    @property
    def end(self) -> int:
        """The number after that of the last row."""
        return self.base + len(self.rows)

    @property
    def is_full(self) -> bool:
        """Whether more of it would be let go at its other end."""
        return len(self.rows) >= ROWS or self.size >= BYTES

    @property
    def is_whole(self) -> bool:
        """Whether it holds all that was written."""
        return self.is_at_start and self.is_at_end

    @property
    def is_mixed(self) -> bool:
        """Whether segments stand in it as they came, and not one after the other."""
        return len({page.segment for page in self.pages}) < sum(1 for _ in groupby(self.pages, _segment))

    def row(self, number: int) -> Row:
        """Return a row by its number."""
        return self.rows[number - self.base]

    def rest(self) -> list[Row]:
        """Return the lines that have not ended yet, of each segment; what was written last is last."""
        if not (self.is_at_end and self.pages):
            return []
        last = self.pages[-1]
        return [
            row
            for page in sorted(self._newest.values(), key=lambda each: each is last)
            for row in _tails(page, _scratch(page))
        ]

    def position(self, segment: Segment) -> int:
        """Return `n` of the last chunk of a segment that it has; -1: none."""
        page = self._newest.get(segment)
        return page.last if page is not None else -1

    def skip_to(self, segment: Segment, chunk: OutputChunk) -> None:
        """Go on with a segment after this chunk: what it wrote before is not held."""
        ends = {chunk.stream: chunk.offset + len(chunk.data)}
        self._newest[segment] = Page(segment, chunk.n, chunk.n, ends=ends)
        self.firsts[segment], self._skipped[segment] = chunk.n + 1, chunk.n

    # -- growing ------------------------------------------------------------------------------

    def append(
        self, segment: Segment, chunks: Sequence[OutputChunk], *, title: str = "", may_shorten: bool = True
    ) -> None:
        """Add what follows.

        Args:
            segment: Who wrote it.
            chunks: In order.
            title: What stands before the first row of a segment; empty: nothing.
            may_shorten: Whether the other end may be let go for it.
        """
        if not chunks:
            return
        before = self._newest.get(segment)
        page, rows = rows_of(segment, chunks, before)
        if before is None and title and chunks[0].n == 0:
            rows.insert(0, Row(f"── {title} ──", None, segment))
            page.rows += 1
        self.rows += rows
        self.size += page.size
        self.firsts.setdefault(segment, chunks[0].n)
        if before is not None and self.pages and before is self.pages[-1] and _fits(before, page):
            self._extend(before, page)
        else:
            self.pages.append(page)
            self._newest[segment] = page
        if may_shorten:
            self._shorten_front()

    def prepend(
        self, segment: Segment, chunks: Sequence[OutputChunk], *, title: str = "", may_shorten: bool = True
    ) -> None:
        """Add what is before; arguments as for `append`."""
        if not chunks:
            return
        page, rows = rows_of(segment, chunks)
        follower = next((each for each in self.pages if each.segment == segment), None)
        is_next = follower is not None and self._skipped.get(segment) != page.last
        if follower is None and page.last == self.position(segment):
            # It goes on after this, as it did before that was let go.
            self._newest[segment], joined = page, []
        else:
            joined = _join(page, follower) if follower is not None and is_next else _closed(page)
        if title and chunks[0].n == 0:
            rows.insert(0, Row(f"── {title} ──", None, segment))
        rows += joined
        page.joins, page.rows = len(joined) if is_next and follower is self.pages[0] else 0, len(rows)
        self.firsts[segment] = chunks[0].n
        self.rows[:0] = rows
        self.base -= len(rows)
        self.pages.appendleft(page)
        self._newest.setdefault(segment, page)
        self.size += page.size
        if may_shorten:
            self._shorten_back()

    def mark(self, text: str) -> None:
        """Add a line of one's own at the end; it is not kept anywhere."""
        if self.pages:
            self.rows.append(Row(f"── {text} ──", None, self.pages[-1].segment))
            self.pages[-1].rows += 1

    def close(self) -> None:
        """End the lines at the end that have not ended: nothing more comes of who wrote them."""
        rows = _closed(self.pages[-1])
        self.rows += rows
        self.pages[-1].rows += len(rows)

    @staticmethod
    def _extend(page: Page, more: Page) -> None:
        for stream, at in more.begins.items():
            page.begins.setdefault(stream, at)
        page.rows += more.rows
        page.size += more.size
        page.last, page.tail, page.ends, page.levels = more.last, more.tail, more.ends, more.levels
        page.tail_at, page.torn = more.tail_at, more.torn

    def let_go(self) -> None:
        """Hold no rows any more, only where they ended."""
        self.base = self.end
        self.rows = []
        for page in self.pages:
            page.rows = 0
        while len(self.pages) > 1:
            self.size -= self.pages.popleft().size

    # -- letting go ---------------------------------------------------------------------------

    def _shorten_front(self) -> None:
        while self.is_full and len(self.pages) > 1:
            page = self.pages.popleft()
            del self.rows[: page.rows]
            self.base += page.rows
            self.size -= page.size
            self.firsts[page.segment] = page.last + 1
            self.is_at_start = False

    def _shorten_back(self) -> None:
        is_full = self.is_full
        # What stands as it came cannot be read again like that: all of it goes with the first page of it.
        while is_full and len(self.pages) > 1 and (self.is_full or self.is_mixed):
            page = self.pages.pop()
            last = self.pages[-1]
            gone = page.rows + last.joins
            del self.rows[len(self.rows) - gone :]
            last.rows, last.joins = last.rows - last.joins, 0
            self.size -= page.size
            self.is_at_end = False
            self._forget(page.segment)

    def _forget(self, segment: Segment) -> None:
        """Note that the last page of a segment is not held any more."""
        newest = next((each for each in reversed(self.pages) if each.segment == segment), None)
        if newest is not None:
            self._newest[segment] = newest
        else:
            for known in (self._newest, self.firsts, self._skipped):
                known.pop(segment, None)


def _segment(page: Page) -> Segment:
    return page.segment


def _fits(page: Page, more: Page) -> bool:
    return page.size + more.size <= _EXTENDED and (page.rows + more.rows) * _PART <= ROWS


def _scratch(page: Page) -> Page:
    """Return a page that remembers nothing for the one that it stands for."""
    return Page(page.segment, page.first, page.last, levels=dict(page.levels))


def _closed(page: Page) -> list[Row]:
    """Return the lines that end with a page, because nothing of its segment follows."""
    rows = _tails(page, page)
    page.tail = {}
    return rows


def _tails(page: Page, levelled: Page) -> list[Row]:
    return [
        row
        for stream, tail in page.tail.items()
        for row in text_rows(levelled, stream, [tail], page.tail_at.get(stream, 0.0))
    ]


def _join(page: Page, follower: Page) -> list[Row]:
    """Return the lines that begin in a page and end in the one after it."""
    if follower.is_joined:
        return []
    rows: list[Row] = []
    for stream in Stream:
        tail, lead = page.tail.get(stream, b""), follower.lead.get(stream)
        later = follower.lead_at.get(stream, 0.0)
        began = page.tail_at.get(stream, 0.0) if tail else later
        if stream not in page.begins:
            if lead is not None:
                _hand_on(page, stream, lead, later, rows)
        elif (missing := follower.begins.get(stream, 0) - page.ends[stream]) > 0:
            rows += text_rows(page, stream, [tail], began, is_whole=False)
            rows.append(gap_row(page.segment, missing))
            rows += text_rows(page, stream, [] if lead is None else [lead], later)
        elif lead is not None:
            # What ends in one page and begins with a line break in the next ends with both of them.
            rows += text_rows(page, stream, [tail + lead if lead else tail.removesuffix(b"\r")], began)
        elif tail:
            rows += text_rows(page, stream, [tail], began)
    return rows


def _hand_on(page: Page, stream: Stream, lead: bytes, at: float, rows: list[Row]) -> None:
    """Let a line go on being looked for, of a stream that has written nothing in this page; or it begins here."""
    if page.is_joined:
        rows += text_rows(page, stream, [lead], at)
    else:
        page.lead[stream], page.lead_at[stream] = lead, at
