"""What a block writes, on its way to the store: in batches, as raw bytes, and bounded.

The first 4 MiB of an attempt are kept whole. Of everything after them only the last 1 MiB is: older
parts of that tail are dropped from the store as new ones come, and in a flood the middle never
reaches it. The offsets of the chunks show the gap. So the store grows by a fixed amount whatever a
command writes, and the newest output is always there to be watched.

A store that cannot be written makes no block fail: what was lost is counted.
"""

import asyncio
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from tidegate.clock import Clock
from tidegate.errors import TidegateError
from tidegate.model.ids import BlockId, RunId
from tidegate.model.listing import OutputChunk, Stream

__all__ = ["OutputLimits", "OutputSink", "OutputStore"]

_INTERLEAVED = 64
"""Chunks in a batch up to which the order between the streams is kept. A program that writes to both
in turn, byte by byte, would otherwise make a row of each byte."""


class OutputStore(Protocol):
    """The part of a store that output needs."""

    async def write_output(
        self,
        run_id: RunId,
        block: BlockId,
        attempt: int,
        chunks: Sequence[OutputChunk],
        *,
        drop: range | None = None,
    ) -> None:
        """Add chunks, and forget those whose `n` is in *drop*."""
        ...


@dataclass(frozen=True, slots=True)
class OutputLimits:
    """How much is kept, and how long it may wait. Sizes are bytes."""

    head: int = 4 * 1024 * 1024
    tail: int = 1024 * 1024
    chunk: int = 64 * 1024
    """The largest chunk; the tail is dropped chunk by chunk, so it is a small part of it."""
    batch: int = 64 * 1024
    """As soon as so much waits, it is written."""
    interval: float = 0.1
    """Seconds after which it is written anyway."""


_LIMITS = OutputLimits()


@dataclass(slots=True)
class _Piece:
    """A chunk that may still grow."""

    n: int
    stream: Stream
    offset: int
    data: bytearray
    in_tail: bool
    at: float

    def frozen(self) -> OutputChunk:
        return OutputChunk(
            n=self.n, stream=self.stream, offset=self.offset, data=bytes(self.data), at=self.at
        )


class _Waiting:
    """What has not been written yet, in order. Drops the oldest part of a tail that grows too long."""

    def __init__(self, limits: OutputLimits, clock: Clock) -> None:
        self._limits = limits
        self._clock = clock
        self._pieces: deque[_Piece] = deque()
        self._n = 0
        self._offsets = {Stream.STDOUT: 0, Stream.STDERR: 0}
        self._head = 0
        self._tail_waiting = 0
        self.size = 0
        self.skipped = 0
        """Bytes that never reached the store because newer ones replaced them."""

    @property
    def in_tail(self) -> bool:
        """Whether the head is full."""
        return self._head >= self._limits.head

    def add(self, stream: Stream, data: bytes) -> int:
        """Take the beginning of *data*; return how many bytes that was."""
        room = self._limits.head - self._head
        in_tail = room <= 0
        piece = self._piece(stream, in_tail=in_tail)
        taken = data[: min(self._limits.chunk - len(piece.data), len(data) if in_tail else room)]
        piece.data += taken
        self._count(stream, len(taken), in_tail=in_tail)
        return len(taken)

    def take(self) -> list[_Piece]:
        """Return everything that waits; none of it grows any more."""
        pieces = list(self._pieces)
        self._pieces.clear()
        self.size = self._tail_waiting = 0
        return pieces

    def _count(self, stream: Stream, size: int, *, in_tail: bool) -> None:
        self._offsets[stream] += size
        self.size += size
        if in_tail:
            self._tail_waiting += size
            self._shorten()
        else:
            self._head += size

    def _shorten(self) -> None:
        while self._tail_waiting > self._limits.tail:
            index = next(i for i, piece in enumerate(self._pieces) if piece.in_tail)
            size = len(self._pieces[index].data)
            del self._pieces[index]
            self._tail_waiting -= size
            self.size -= size
            self.skipped += size

    def _piece(self, stream: Stream, *, in_tail: bool) -> _Piece:
        """Return the piece to go on with: the last one, or one more."""
        for piece in reversed(self._pieces):
            fits = piece.in_tail == in_tail and len(piece.data) < self._limits.chunk
            if piece.stream is stream and fits:
                return piece
            if len(self._pieces) < _INTERLEAVED or piece.stream is stream:
                break
        piece = _Piece(self._n, stream, self._offsets[stream], bytearray(), in_tail, self._clock.now())
        self._n += 1
        self._pieces.append(piece)
        return piece


class OutputSink:
    """Takes the output of one attempt and writes it to the store, in one task and in order."""

    def __init__(
        self,
        store: OutputStore,
        run_id: RunId,
        block: BlockId,
        attempt: int,
        clock: Clock,
        *,
        limits: OutputLimits = _LIMITS,
    ) -> None:
        self._store = store
        self._where = (run_id, block, attempt)
        self._limits = limits
        self._waiting = _Waiting(limits, clock)
        self._tail: deque[tuple[int, int]] = deque()
        """`n` and size of the chunks of the tail that the store has."""
        self._writer: asyncio.Task[None] | None = None
        self._full = asyncio.Event()
        self._room = asyncio.Event()
        self._closed = False
        self._dropped = 0
        self.lost = 0
        """Bytes that the store did not take."""
        self.error: TidegateError | None = None
        """Why it did not, the last time."""

    @property
    def left_out(self) -> int:
        """How many bytes between head and tail are not kept."""
        return self._dropped + self._waiting.skipped

    async def emit(self, stream: int, data: bytes) -> None:
        """Take bytes of stream 1 (stdout) or 2 (stderr).

        While the head fills, this waits as long as a full batch waits for the store. Later it waits
        for nothing: what the store is too slow for is skipped, oldest first.
        """
        rest = memoryview(data)
        while rest:
            if self._waiting.size >= self._limits.batch and not self._waiting.in_tail:
                self._room.clear()
                self._wake()
                await self._room.wait()
                continue
            rest = rest[self._waiting.add(Stream(stream), bytes(rest[: self._limits.chunk])) :]
            self._wake()

    async def close(self) -> None:
        """Return when everything was written, or given up. A cancelled call may be repeated."""
        self._closed = True
        self._full.set()
        if self._writer is not None:
            await asyncio.shield(self._writer)

    def _wake(self) -> None:
        if self._waiting.size >= self._limits.batch and not self._waiting.in_tail:
            self._full.set()
        if self._writer is None or self._writer.done():
            self._writer = asyncio.create_task(self._write_all())

    async def _write_all(self) -> None:
        try:
            while self._waiting.size:
                await self._pause()
                await self._write(self._waiting.take())
        finally:
            # Also when a mistake ended it: who waits for room starts another writer.
            self._room.set()

    async def _pause(self) -> None:
        """Let a batch gather. In a flood that is always the whole interval: the tail is written whole."""
        if self._waiting.in_tail and not self._closed:
            self._full.clear()
        try:
            async with asyncio.timeout(self._limits.interval):
                await self._full.wait()
        except TimeoutError:
            pass
        if not self._closed:
            self._full.clear()

    async def _write(self, pieces: list[_Piece]) -> None:
        self._room.set()
        drop = self._outdated(sum(len(piece.data) for piece in pieces if piece.in_tail))
        try:
            await self._store.write_output(*self._where, [piece.frozen() for piece in pieces], drop=drop)
        except TidegateError as error:
            self.error = error
            self.lost += sum(len(piece.data) for piece in pieces)
            return
        self._forget(drop)
        self._tail.extend((piece.n, len(piece.data)) for piece in pieces if piece.in_tail)

    def _outdated(self, coming: int) -> range | None:
        """Return which stored chunks make room for *coming* bytes of tail."""
        excess = coming + sum(size for _, size in self._tail) - self._limits.tail
        last = None
        for n, size in self._tail:
            if excess <= 0:
                break
            last = n
            excess -= size
        return None if last is None else range(self._tail[0][0], last + 1)

    def _forget(self, drop: range | None) -> None:
        while drop and self._tail and self._tail[0][0] in drop:
            self._dropped += self._tail.popleft()[1]
