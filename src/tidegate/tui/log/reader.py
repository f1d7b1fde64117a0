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

__all__ = ["Call", "Found", "LogReader", "LogScope", "segments_of"]

Call: TypeAlias = "Callable[[Callable[[Session], Awaitable[Any]]], Awaitable[Any]]"
"""Asks the session; see `EngineThread.call`."""
Found: TypeAlias = "tuple[int, tuple[OutputChunk, ...]]"
"""The index of a segment, and chunks of it."""
LogScope: TypeAlias = "BlockId | int | None"
"""Whose log it is: of a place with its parts, of a wave by its number from 0, or of the whole run."""
Asked: TypeAlias = "tuple[int, int | None]"
"""The index of a segment, and `n` of the first chunk of it that is held; None: none of it was read."""

_CHUNKS = 8
"""Chunks that are read at once; half a megabyte of them, if all are as large as they may be."""
_MOST_CHUNKS = 512
_SMALL = 65_536
"""Bytes of a reading below which the next one may be larger."""
_LOOKED_AT = 64
"""Segments that are looked at in one visit to the engine."""
_ATTEMPTS = 1_000
"""Attempts of a place whose output is shown, the newest: as many as one retry makes at most."""


def segments_of(state: RunState, scope: LogScope) -> tuple[Segment, ...]:
    """Return what has written something: a place with its parts, or all, by when they began; what goes on is last.

    Args:
        state: Where the run stands.
        scope: Of which of its places.
    """
    places = [
        (_goes_on(block), block.started_at or 0.0, place, block.attempt)
        for place, block in state.touched.items()
        if block.attempt and _is_in(state, place, scope)
    ]
    return tuple(
        Segment(place, attempt)
        for _, _, place, newest in sorted(places)
        for attempt in range(max(1, newest - _ATTEMPTS + 1), newest + 1)
    )


def _is_in(state: RunState, place: BlockId, scope: LogScope) -> bool:
    if isinstance(scope, int):
        return state.graph.wave_of[block_of(place)] == scope
    return scope is None or scope in (place, block_of(place))


def _goes_on(block: BlockState) -> bool:
    return block.status is BlockStatus.RUNNING and block.fan is None


class LogReader:
    """Fills a window, and keeps it filled."""

    def __init__(self, call: Call, run_id: RunId, scope: LogScope) -> None:
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
        self._low = 0
        """The index from which on each segment was looked for, when the end was read and what is before."""

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
        found: list[Found] = await self._call(lambda session: _last(session.history, run_id, segments))
        window = self.window = LogWindow()
        for index, chunks in reversed(found):
            self._append(segments[index], chunks)
        window.is_at_end = True
        self._low = found[-1][0] if found else max(0, len(segments) - _LOOKED_AT)
        await self._skip(window)
        window.is_at_start = not self._earlier()
        self._chunks = _CHUNKS

    async def read_start(self) -> None:
        """Begin anew with the start of what was written."""
        self._sort()
        self.window, self._low = LogWindow(), 0
        self.window.is_at_start = True
        await self.read_later()

    async def read_earlier(self, *, may_shorten: bool = True) -> bool:
        """Read what is before; return whether something was. The end is let go if there is no room for both."""
        window, segments, run_id = self.window, self.segments, self._run_id
        if window.is_at_start:
            return False
        asked, count = self._earlier(), self._chunks
        found: list[Found] = await self._call(
            lambda session: _before(session.history, run_id, segments, asked, count)
        )
        if window is not self.window or asked != self._earlier():
            return False
        for at, chunks in found:
            window.prepend(segments[at], chunks, title=self.title(segments[at]), may_shorten=may_shorten)
            self._low = min(self._low, at)
            self._adapt(chunks)
        if not found:
            window.is_at_start = True
        return bool(found)

    def _earlier(self) -> list[Asked]:
        """Return of which segments there is more before what is held, the last one first."""
        firsts = self.window.firsts
        return [
            (index, firsts.get(segment))
            for index, segment in reversed([*enumerate(self.segments)])
            if (firsts[segment] > 0 if segment in firsts else index < self._low)
        ]

    def _later(self) -> list[tuple[int, int]]:
        """Return what may have more after what is held, the first one first, with the last chunk that is held."""
        window, start = self.window, 0
        if window.pages and not window.is_mixed:
            start = self.segments.index(window.pages[-1].segment)
        return [
            (index, window.position(segment))
            for index, segment in enumerate(self.segments[start:], start)
            if segment in window.firsts or index >= self._low
        ]

    async def read_later(self, *, may_shorten: bool = True) -> bool:
        """Read what is after a window that does not end at the end; return whether something was."""
        window, segments, run_id = self.window, self.segments, self._run_id
        if window.is_at_end:
            return False
        asked, count = self._later(), self._chunks
        found: list[Found] = await self._call(
            lambda session: _after(session.history, run_id, segments, asked, count)
        )
        if window is not self.window or segments is not self.segments or asked != self._later():
            return False
        for index, chunks in found:
            self._append(segments[index], chunks, may_shorten=may_shorten)
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
            keeps_start: Whether somebody reads what would be let go for it. Then what a full window has no
                room for has to be read once one goes to the end.
        """
        window, run_id = self.window, self._run_id
        if not window.is_at_end:
            return False
        asked = [(segment, window.position(segment)) for segment in list(self._live)[:_LOOKED_AT]]
        ended = [segment for segment, has_ended in self._live.items() if has_ended]
        found: list[tuple[OutputChunk, ...]] = await self._call(
            lambda session: _since(session.history, run_id, asked)
        )
        if window is not self.window or not window.is_at_end:
            return False
        if keeps_start and window.is_full and any(found):
            window.is_at_end = False
            return False
        for (segment, _), chunks in zip(asked, found, strict=True):
            self._append(segment, chunks, may_shorten=not keeps_start)
            if not chunks and segment in ended:
                del self._live[segment]
        return any(len(chunks) == _CHUNKS for chunks in found)

    def _append(self, segment: Segment, chunks: "Sequence[OutputChunk]", *, may_shorten: bool = True) -> None:
        """Add what follows to the window; who writes no more has ended the last line before that."""
        window = self.window
        last = window.pages[-1].segment if window.pages and chunks else segment
        if last != segment and last not in self._live:
            window.close()
        window.append(segment, chunks, title=self.title(segment), may_shorten=may_shorten)

    def _adapt(self, chunks: "Sequence[OutputChunk]") -> None:
        """Read more at once where chunks are small: a block that writes a line now and then has many of them."""
        is_small = sum(len(chunk.data) for chunk in chunks) < _SMALL
        self._chunks = min(_MOST_CHUNKS, self._chunks * 4) if is_small else _CHUNKS


# -- in the engine's thread -------------------------------------------------------------------


async def _last(history: "History", run_id: RunId, segments: Sequence[Segment]) -> "list[Found]":
    """Return the last chunks of the last segments, the last segment first: as much as fills a screen."""
    found: list[Found] = []
    size, end = 0, len(segments)
    for index in range(end - 1, max(-1, end - 1 - _LOOKED_AT), -1):
        chunks = await history.last_output(run_id, *segments[index], limit=_CHUNKS)
        if chunks:
            found.append((index, chunks))
            size += sum(len(chunk.data) for chunk in chunks)
            # What is before a part of a segment is the rest of it.
            if size >= _SMALL or chunks[0].n > 0:
                break
    return found


async def _before(
    history: "History", run_id: RunId, segments: Sequence[Segment], asked: Iterable[Asked], count: int
) -> "list[Found]":
    """Return what is before the chunks that are held, of the first segment of which there is something."""
    for index, first in asked:
        segment = segments[index]
        if first is None:
            chunks = await history.last_output(run_id, *segment, limit=count)
        else:
            chunks = await _chunks_before(history, run_id, segment, first, count)
        if chunks:
            return [(index, chunks)]
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
    history: "History",
    run_id: RunId,
    segments: Sequence[Segment],
    asked: Iterable[tuple[int, int]],
    count: int,
) -> "list[Found]":
    for index, last in asked:
        if chunks := await history.output(run_id, *segments[index], after=last, limit=count):
            return [(index, chunks)]
    return []


async def _since(
    history: "History", run_id: RunId, asked: Iterable[tuple[Segment, int]]
) -> "list[tuple[OutputChunk, ...]]":
    return [await history.output(run_id, *segment, after=after, limit=_CHUNKS) for segment, after in asked]


async def _newest(
    history: "History", run_id: RunId, segments: Iterable[Segment]
) -> "list[tuple[OutputChunk, ...]]":
    return [await history.last_output(run_id, *segment, limit=1) for segment in segments]
