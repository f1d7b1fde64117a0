"""What the store gets of a block's output, and what a store that cannot be written does to it."""

import asyncio
from collections.abc import Sequence
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blocks.running import until
from tidegate.clock import SystemClock
from tidegate.engine.output import OutputLimits, OutputSink
from tidegate.errors import RunNotFound, StoreError, StoreUnavailable
from tidegate.model.ids import BlockId, RunId
from tidegate.model.listing import OutputChunk, Stream

SMALL = OutputLimits(head=100, tail=50, chunk=10, batch=20, interval=0.01)


class RecordingStore:
    """Keeps chunks as a store does, and counts what it was given."""

    def __init__(self) -> None:
        self.kept: dict[int, OutputChunk] = {}
        self.writes: list[int] = []
        self.received = 0
        self.asked = 0
        self.largest = 0
        self.gate = asyncio.Event()
        self.gate.set()
        self.failure: Exception | None = None

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
        assert (run_id, block, attempt) == ("run_1", "block_1", 1)
        await self.gate.wait()
        self.asked += 1
        if self.failure:
            raise self.failure
        self._take(chunks)
        for n in drop or ():
            self.kept.pop(n, None)
        self.largest = max(self.largest, sum(len(chunk.data) for chunk in self.kept.values()))

    def _take(self, chunks: Sequence[OutputChunk]) -> None:
        assert not self.kept.keys() & {chunk.n for chunk in chunks}
        self.kept |= {chunk.n: chunk for chunk in chunks}
        self.writes.append(len(chunks))
        self.received += sum(len(chunk.data) for chunk in chunks)

    def pieces(self, stream: Stream) -> list[tuple[int, bytes]]:
        """Return offset and bytes of each chunk of *stream*, in order."""
        chunks = [self.kept[n] for n in sorted(self.kept)]
        return [(chunk.offset, chunk.data) for chunk in chunks if chunk.stream is stream]

    def text(self, stream: Stream = Stream.STDOUT) -> bytes:
        """Return what there is of *stream*."""
        return b"".join(data for _, data in self.pieces(stream))


@pytest.fixture
async def store() -> RecordingStore:
    """A store on the test's own loop."""
    return RecordingStore()


def sink_of(store: RecordingStore, limits: OutputLimits | None = None) -> OutputSink:
    """Return a sink of the one attempt there is."""
    return OutputSink(
        store, RunId("run_1"), BlockId("block_1"), 1, SystemClock(), limits=limits or OutputLimits()
    )


async def test_each_chunk_has_the_time_at_which_it_began(store: RecordingStore) -> None:
    """What comes later is later, though one batch takes both to the store."""
    before = SystemClock().now()
    sink = sink_of(store)
    await sink.emit(1, b"first")
    await asyncio.sleep(0.02)
    await sink.emit(2, b"second")
    await sink.close()

    first, second = (store.kept[n].at for n in (0, 1))
    assert before <= first < first + 0.01 < second <= SystemClock().now()


async def test_output_is_kept_as_raw_bytes(store: RecordingStore) -> None:
    """Nothing is decoded on the way: the stored copy is the raw one."""
    sink = sink_of(store)

    await sink.emit(1, b"\xff\xfe\0\x1b[31m")
    await sink.close()

    assert store.text() == b"\xff\xfe\0\x1b[31m"


async def test_the_order_over_both_streams_is_kept(store: RecordingStore) -> None:
    """`n` interleaves the streams; `offset` counts each by itself."""
    sink = sink_of(store)

    for number in range(3):
        await sink.emit(1, b"out%d" % number)
        await sink.emit(2, b"e%d" % number)
    await sink.close()

    assert [store.kept[n].data for n in range(6)] == [b"out0", b"e0", b"out1", b"e1", b"out2", b"e2"]
    assert store.pieces(Stream.STDOUT) == [(0, b"out0"), (4, b"out1"), (8, b"out2")]
    assert store.pieces(Stream.STDERR) == [(0, b"e0"), (2, b"e1"), (4, b"e2")]


async def test_output_is_visible_while_the_block_runs(store: RecordingStore) -> None:
    """After a moment, not at the end."""
    sink = sink_of(store, SMALL)

    await sink.emit(1, b"working")
    await until(lambda: bool(store.kept))

    assert store.text() == b"working"
    await sink.close()


async def test_small_writes_become_one_chunk(store: RecordingStore) -> None:
    """A program that writes byte by byte makes no row of each."""
    sink = sink_of(store)

    for _ in range(1000):
        await sink.emit(1, b"x")
    await sink.close()

    assert store.writes == [1]
    assert store.text() == b"x" * 1000


async def test_two_streams_in_turn_make_no_row_of_each_byte(store: RecordingStore) -> None:
    """The order between the streams is kept up to a point; each stream's own order always."""
    sink = sink_of(store)

    for number in range(1000):
        await sink.emit(1, b"%03d" % number)
        await sink.emit(2, b"%03d" % number)
    await sink.close()

    assert sum(store.writes) <= 70
    assert store.text(Stream.STDOUT) == b"".join(b"%03d" % number for number in range(1000))
    assert store.text(Stream.STDERR) == store.text(Stream.STDOUT)


async def test_a_flood_keeps_its_head_and_its_tail(store: RecordingStore) -> None:
    """300 MB make 5 MiB in the store; the middle never gets there, and offsets show the gap."""
    sink = sink_of(store)
    block = bytes(range(256)) * 256
    total = 300 * 1024 * 1024

    for _ in range(total // len(block)):
        await sink.emit(1, block)
        await asyncio.sleep(0)
    await sink.emit(1, b"the end")
    await sink.close()

    pieces = store.pieces(Stream.STDOUT)
    assert store.text()[: 4 * 1024 * 1024] == block * 64
    assert pieces[-1][0] + len(pieces[-1][1]) == total + 7
    assert store.text().endswith(block + b"the end")
    assert 4.8 * 1024 * 1024 <= len(store.text()) <= 5 * 1024 * 1024
    assert store.largest <= 5 * 1024 * 1024
    assert store.received < 100 * 1024 * 1024
    assert sink.left_out == total + 7 - len(store.text())


async def test_the_tail_moves_while_the_block_runs(store: RecordingStore) -> None:
    """Older parts are dropped from the store as newer ones come."""
    sink = sink_of(store, SMALL)
    await sink.emit(1, b"h" * 100)

    for number in range(20):
        line = b"line %04d\n" % number
        await sink.emit(1, line)
        await until(partial(_ends_with, store, line))
    await sink.close()

    assert store.text() == b"h" * 100 + b"".join(b"line %04d\n" % number for number in range(15, 20))
    assert sink.left_out == 150


async def test_a_slow_store_slows_the_block_down(store: RecordingStore) -> None:
    """While the head fills, no byte is skipped and memory stays bounded."""
    sink = sink_of(store, SMALL)
    store.gate.clear()

    writing = asyncio.create_task(_emit_all(sink, b"x" * 10, 10))
    await asyncio.wait({writing}, timeout=0.1)
    assert not writing.done()
    store.gate.set()
    await writing
    await sink.close()

    assert store.text() == b"x" * 100


def _ends_with(store: RecordingStore, line: bytes) -> bool:
    return store.text().endswith(line)


def _was_asked(store: RecordingStore, before: int) -> bool:
    return store.asked > before


async def _emit_all(sink: OutputSink, data: bytes, times: int) -> None:
    for _ in range(times):
        await sink.emit(1, data)


async def test_a_slow_store_slows_no_flood_down(store: RecordingStore) -> None:
    """Once the head is full, what the store is too slow for is skipped."""
    sink = sink_of(store, SMALL)
    await _emit_all(sink, b"h" * 10, 10)
    store.gate.clear()

    async with asyncio.timeout(5):
        await _emit_all(sink, b"t" * 10, 1000)
    store.gate.set()
    await sink.close()

    assert store.text() == b"h" * 100 + b"t" * 50
    assert store.received <= 100 + 2 * 50


async def test_a_store_that_fails_makes_no_block_fail(store: RecordingStore) -> None:
    """What was lost is counted; what comes after it is kept, at its own offset."""
    sink = sink_of(store, SMALL)
    store.failure = StoreUnavailable("memory://", "full")
    await sink.emit(1, b"lost" * 5)
    await until(lambda: sink.lost > 0)
    store.failure = None
    await sink.emit(1, b"kept")
    await sink.close()

    assert sink.lost == 20
    assert isinstance(sink.error, StoreError)
    assert store.pieces(Stream.STDOUT) == [(20, b"kept")]


async def test_a_run_that_was_deleted_makes_no_block_fail(store: RecordingStore) -> None:
    """Nor does anything else that a store says on purpose."""
    sink = sink_of(store, SMALL)
    store.failure = RunNotFound("run_1")

    await sink.emit(1, b"x" * 60)
    await sink.close()

    assert sink.lost == 60


async def test_a_tail_that_could_not_be_dropped_is_dropped_later(store: RecordingStore) -> None:
    """A store that failed for a while grows no further than it may."""
    sink = sink_of(store, SMALL)
    for number in range(40):
        store.failure = StoreUnavailable("memory://", "busy") if number % 3 == 0 else None
        before = store.asked
        await sink.emit(1, b"%010d" % number)
        await until(partial(_was_asked, store, before))
    await sink.close()

    assert store.largest <= 150


async def test_closing_twice_and_closing_nothing_is_fine(store: RecordingStore) -> None:
    """An attempt closes its sink however it ended."""
    sink = sink_of(store)

    await sink.close()
    await sink.close()

    assert store.writes == []


async def test_a_cancelled_close_still_writes(store: RecordingStore) -> None:
    """What was emitted before a cancel is evidence; the next close waits for it."""
    sink = sink_of(store, SMALL)
    store.gate.clear()
    await sink.emit(1, b"evidence")
    closing = asyncio.create_task(sink.close())
    await asyncio.wait({closing}, timeout=0.05)
    closing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await closing

    store.gate.set()
    await sink.close()

    assert store.text() == b"evidence"


async def test_what_is_no_store_error_is_not_swallowed(store: RecordingStore) -> None:
    """A mistake in our own code shows; it neither hangs the block nor hides."""
    sink = sink_of(store, SMALL)
    store.failure = RuntimeError("a mistake")

    async with asyncio.timeout(5):
        await sink.emit(1, b"x" * 40)
    with pytest.raises(RuntimeError, match="a mistake"):
        await sink.close()


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.sampled_from([1, 2]), st.binary(min_size=1, max_size=60)), max_size=60))
def test_what_is_kept_is_what_was_written(writes: list[tuple[int, bytes]]) -> None:
    """Every chunk is the piece of its stream that its offset says; the newest byte is always there."""

    async def write() -> tuple[RecordingStore, OutputSink]:
        store = RecordingStore()
        sink = sink_of(store, SMALL)
        for stream, data in writes:
            await sink.emit(stream, data)
            await asyncio.sleep(0)
        await sink.close()
        return store, sink

    store, sink = asyncio.run(write())

    kept = 0
    for stream in Stream:
        whole = b"".join(data for number, data in writes if number == stream)
        for offset, data in store.pieces(stream):
            assert whole[offset : offset + len(data)] == data
            kept += len(data)
    assert kept + sink.left_out == sum(len(data) for _, data in writes)
    assert store.largest <= SMALL.head + SMALL.tail
    if writes:
        newest = store.kept[max(store.kept)]
        assert newest.data.endswith(writes[-1][1][-1:]) or len(store.kept) > 1
