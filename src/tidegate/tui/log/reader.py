"""Reads what places of a run have written: its end first, then what is before, and what comes after."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from tidegate.model.ids import BlockId, RunId, block_of
from tidegate.model.state import BlockState, BlockStatus, RunState
from tidegate.safe_text import safe_line
from tidegate.tui.log.rows import Segment
from tidegate.tui.log.window import LogWindow

if TYPE_CHECKING:
    from tidegate.history.history import History
    from tidegate.model.listing import OutputChunk
    from tidegate.tui.session import Session

__all__ = ["Call", "Found", "LogReader", "segments_of"]

Call: TypeAlias = "Callable[[Callable[[Session], Awaitable[Any]]], Awaitable[Any]]"
"""Asks the session; see `EngineThread.call`."""
Found: TypeAlias = "tuple[int, tuple[OutputChunk, ...]]"
"""The index of a segment, and chunks of it."""

_CHUNKS = 8
"""Chunks that are read at once; half a megabyte of them, if all are as large as they may be."""
_MOST_CHUNKS = 512
_SMALL = 65_536
"""Bytes of a reading below which the next one may be larger."""
_LOOKED_AT = 64
"""Segments that are looked at in one visit to the engine."""
_ATTEMPTS = 20
"""Attempts of a place whose output is shown, the newest."""


def segments_of(state: RunState, scope: BlockId | None) -> tuple[Segment, ...]:
    """Return what has written something: a place with its parts, or all, by when they began; what goes on is last.

    Args:
        state: Where the run stands.
        scope: A place; None: the whole run.
    """
    places = [
        (_goes_on(block), block.started_at or 0.0, place, block.attempt)
        for place, block in state.touched.items()
        if block.attempt and (scope is None or place == scope or block_of(place) == scope)
    ]
    return tuple(
        Segment(place, attempt)
        for _, _, place, newest in sorted(places)
        for attempt in range(max(1, newest - _ATTEMPTS + 1), newest + 1)
    )


def _goes_on(block: BlockState) -> bool:
    return block.status is BlockStatus.RUNNING and block.fan is None


class LogReader:
    """Fills a window, and keeps it filled."""

    def __init__(self, call: Call, run_id: RunId, scope: BlockId | None) -> None:
        self._call = call
        self._run_id = run_id
        self.scope = scope
        self.window = LogWindow()
        self.segments: tuple[Segment, ...] = ()
        """Their order stays as it was when the end or the start was read; newer ones are added."""
        self._state: RunState | None = None
        self._live: dict[Segment, bool] = {}
        """What may write more, and whether it has ended since."""
        self._chunks = _CHUNKS

    @property
    def has_many(self) -> bool:
        """Whether it is about more than one place."""
        return len({segment.place for segment in self.segments[:_LOOKED_AT]}) > 1

    @property
    def is_live(self) -> bool:
        """Whether something may write more."""
        return bool(self._live)

    def title(self, segment: Segment) -> str:
        """Return what stands before the first row of a segment: which attempt it is, if there are more."""
        is_alone = segment.attempt == 1 and Segment(segment.place, 2) not in self.segments
        return "" if is_alone else f"{safe_line(segment.place, 60)}: attempt {segment.attempt}"

    # -- where the run stands -----------------------------------------------------------------

    def see(self, state: RunState) -> None:
        """Note which attempts there are, and which of them go on."""
        before, self._state = self._state, state
        if before is not None and before.head == state.head:
            return
        known = set(self.segments)
        newer = [segment for segment in segments_of(state, self.scope) if segment not in known]
        self.segments = (*self.segments, *newer)
        for segment in self.segments if before is None else (*self._live, *newer):
            seen = state.block(segment.place)
            goes_on = _goes_on(seen) and seen.attempt == segment.attempt
            if goes_on or before is not None:
                self._live[segment] = not goes_on

    def _sort(self) -> None:
        """Put what goes on last: it is what is read first."""
        if self._state is not None:
            self.segments = segments_of(self._state, self.scope)

    # -- reading ------------------------------------------------------------------------------

    async def read_end(self) -> None:
        """Begin anew with the end of what was written."""
        self._sort()
        segments, run_id = self.segments, self._run_id
        found: list[Found] = await self._call(
            lambda session: _last(session.history, run_id, segments, len(segments))
        )
        window = self.window = LogWindow()
        for index, chunks in reversed(found):
            window.append(segments[index], chunks, title=self.title(segments[index]))
        window.is_at_end = True
        await self._skip(window)
        window.is_at_start = not found or (found[-1][0] == 0 and found[-1][1][0].n == 0)
        self._chunks = _CHUNKS

    async def read_start(self) -> None:
        """Begin anew with the start of what was written."""
        self._sort()
        self.window = LogWindow()
        self.window.is_at_start = True
        await self.read_later()

    async def read_earlier(self, *, may_shorten: bool = True) -> bool:
        """Read what is before; return whether something was. The end is let go if there is no room for both."""
        window, segments, run_id = self.window, self.segments, self._run_id
        if window.is_at_start or not window.pages:
            return False
        page, count = window.pages[0], self._chunks
        index = segments.index(page.segment)
        found: list[Found] = await self._call(
            lambda session: _before(session.history, run_id, segments, (index, page.first), count)
        )
        if window is not self.window or window.pages[0] is not page:
            return False
        for at, chunks in found:
            window.prepend(segments[at], chunks, title=self.title(segments[at]), may_shorten=may_shorten)
            self._adapt(chunks)
        if not found:
            window.is_at_start = True
        return bool(found)

    async def read_later(self, *, may_shorten: bool = True) -> bool:
        """Read what is after a window that does not end at the end; return whether something was."""
        window, segments, run_id = self.window, self.segments, self._run_id
        if window.is_at_end:
            return False
        page, count = window.pages[-1] if window.pages else None, self._chunks
        at = (segments.index(page.segment), page.last) if page is not None else (0, -1)
        found: list[Found] = await self._call(
            lambda session: _after(session.history, run_id, segments, at, count)
        )
        is_same = window is self.window and (page is None) == (not window.pages)
        if not is_same or (page is not None and (window.pages[-1], page.last) != (page, at[1])):
            return False
        for index, chunks in found:
            window.append(segments[index], chunks, title=self.title(segments[index]), may_shorten=may_shorten)
            self._adapt(chunks)
        window.is_at_end = not found
        return bool(found)

    async def _skip(self, window: LogWindow) -> None:
        """Go on after what was written already with what goes on and has no room in a window that ends at the end."""
        run_id, missing = self._run_id, [seg for seg in self._live if window.position(seg) < 0][:_LOOKED_AT]
        found: list[tuple[OutputChunk, ...]] = await self._call(
            lambda session: _newest(session.history, run_id, missing)
        )
        for segment, chunks in zip(missing, found, strict=True):
            if chunks:
                window.skip_to(segment, chunks[0])

    async def poll(self, *, keeps_start: bool = False) -> bool:
        """Read what was written since; return whether there may be more of it at once.

        Args:
            keeps_start: Whether somebody reads what would be let go for it. Then it has to be read once one
                goes to the end.
        """
        window, run_id = self.window, self._run_id
        if keeps_start and window.is_full:
            window.is_at_end = False
        if not window.is_at_end:
            return False
        asked = [(segment, window.position(segment)) for segment in list(self._live)[:_LOOKED_AT]]
        ended = [segment for segment, has_ended in self._live.items() if has_ended]
        found: list[tuple[OutputChunk, ...]] = await self._call(
            lambda session: _since(session.history, run_id, asked)
        )
        if window is not self.window or not window.is_at_end:
            return False
        for (segment, _), chunks in zip(asked, found, strict=True):
            window.append(segment, chunks, title=self.title(segment))
            if not chunks and segment in ended:
                del self._live[segment]
        return any(len(chunks) == _CHUNKS for chunks in found)

    def _adapt(self, chunks: "Sequence[OutputChunk]") -> None:
        """Read more at once where chunks are small: a block that writes a line now and then has many of them."""
        is_small = sum(len(chunk.data) for chunk in chunks) < _SMALL
        self._chunks = min(_MOST_CHUNKS, self._chunks * 4) if is_small else _CHUNKS


# -- in the engine's thread -------------------------------------------------------------------


async def _last(
    history: "History", run_id: RunId, segments: Sequence[Segment], end: int, count: int = _CHUNKS
) -> "list[Found]":
    """Return the last chunks of the segments before *end*, the last segment first: as much as fills a screen."""
    found: list[Found] = []
    size = 0
    for index in range(end - 1, max(-1, end - 1 - _LOOKED_AT), -1):
        chunks = await history.last_output(run_id, *segments[index], limit=count)
        if chunks:
            found.append((index, chunks))
            size += sum(len(chunk.data) for chunk in chunks)
            # What is before a part of a segment is the rest of it.
            if size >= _SMALL or chunks[0].n > 0:
                break
    return found


async def _before(
    history: "History", run_id: RunId, segments: Sequence[Segment], at: tuple[int, int], count: int
) -> "list[Found]":
    """Return what is before a chunk: of its segment, else the end of one before that."""
    index, first = at
    if chunks := await _chunks_before(history, run_id, segments[index], first, count):
        return [(index, chunks)]
    while index > 0:
        if found := await _last(history, run_id, segments, index, count):
            return found[:1]
        index = max(0, index - _LOOKED_AT)
    return []


async def _chunks_before(
    history: "History", run_id: RunId, segment: Segment, first: int, count: int
) -> "tuple[OutputChunk, ...]":
    """Return up to *count* chunks with ``n < first``; in the middle of a long output there may be none for long."""
    step = count
    while first > 0:
        after = max(-1, first - 1 - step)
        probe = await history.output(run_id, *segment, after=after, limit=1)
        if probe and probe[0].n < first:
            after = await _closest(history, run_id, segment, after, first) - count
            near = await history.output(run_id, *segment, after=max(-1, after), limit=count)
            return tuple(chunk for chunk in near if chunk.n < first)
        if after < 0:
            break
        step *= 8
    return ()


async def _closest(history: "History", run_id: RunId, segment: Segment, low: int, first: int) -> int:
    """Return the largest ``n < first`` of a chunk; there is one after *low*."""
    high = first - 1
    while low < high - 1:
        middle = (low + high) // 2
        probe = await history.output(run_id, *segment, after=middle - 1, limit=1)
        if probe and probe[0].n < first:
            low = probe[0].n
        else:
            high = middle
    probe = await history.output(run_id, *segment, after=high - 1, limit=1)
    return high if probe and probe[0].n == high else low


async def _after(
    history: "History", run_id: RunId, segments: Sequence[Segment], at: tuple[int, int], count: int
) -> "list[Found]":
    index, last = at
    while index < len(segments):
        if chunks := await history.output(run_id, *segments[index], after=last, limit=count):
            return [(index, chunks)]
        index, last = index + 1, -1
    return []


async def _since(
    history: "History", run_id: RunId, asked: Iterable[tuple[Segment, int]]
) -> "list[tuple[OutputChunk, ...]]":
    return [await history.output(run_id, *segment, after=after, limit=_CHUNKS) for segment, after in asked]


async def _newest(
    history: "History", run_id: RunId, segments: Iterable[Segment]
) -> "list[tuple[OutputChunk, ...]]":
    return [await history.last_output(run_id, *segment, limit=1) for segment in segments]
