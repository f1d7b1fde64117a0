"""How long until a developer sees the past of a large run, and what each step through it costs.

Writes a run of 10,000 blocks (about 50,000 events) into a SQLite file, without running anything, and walks
through it as the monitor does. `python benchmarks/walking.py [blocks]`
"""

import asyncio
import sys
import tempfile
import time
from collections.abc import Awaitable, Iterator
from pathlib import Path

from tidegate.clock import SystemClock
from tidegate.history.history import History
from tidegate.history.points import Point
from tidegate.model.events import (
    AttemptStarted,
    AttemptSucceeded,
    CheckpointMarked,
    JournalEvent,
    ProgressNoted,
    Record,
    RunStarted,
    StepRecorded,
    WaveCompleted,
    WaveStarted,
)
from tidegate.model.fold import apply
from tidegate.model.ids import BlockId, RunId, Seq, new_checkpoint_id, new_idempotency_key, new_run_id
from tidegate.model.listing import Epoch
from tidegate.model.policy import CheckpointKind
from tidegate.model.state import RunState, RunSummary, new_state
from tidegate.model.value import Inline, Value
from tidegate.model.workflow import BlockDefinition, Graph, WorkflowDefinition, definition_hash
from tidegate.store.opening import open_store
from tidegate.store.protocol import Append, NewRun, Store

_WIDTH = 100
"""Blocks of a wave."""
_LOOK = 0.002
"""Seconds."""
_AT_ONCE = 2_000
"""Events of an append."""


def definition_of(blocks: int) -> WorkflowDefinition:
    """Return a workflow of so many blocks, 100 to a wave."""
    names = [BlockId(f"block_{number:05}") for number in range(blocks)]
    waves = tuple(tuple(names[at : at + _WIDTH]) for at in range(0, blocks, _WIDTH))
    found = tuple(BlockDefinition(id=name, type="Shell", inputs={"command": "make"}) for name in names)
    return WorkflowDefinition(name="large", blocks=found, waves=waves, working_dir="/")


def events_of(definition: WorkflowDefinition) -> Iterator[JournalEvent]:
    """Yield what happens in a run of it: five events a block."""
    for number, wave in enumerate(definition.waves):
        yield WaveStarted(wave=number)
        yield from (AttemptStarted(block=block, attempt=1, key=new_idempotency_key()) for block in wave)
        for block in wave:
            yield ProgressNoted(block=block, attempt=1, fraction=0.3, message="compiling")
            yield ProgressNoted(block=block, attempt=1, fraction=0.9, message="linking")
            yield StepRecorded(block=block, attempt=1, key="compile", value=Inline(value=number))
            outputs: dict[str, Value] = {
                "exit_code": Inline(value=0),
                "stdout": Inline(value=f"made {block}"),
            }
            yield AttemptSucceeded(
                block=block, attempt=1, outputs=outputs, duration=0.5, state={"last": Inline(value=block)}
            )
        yield WaveCompleted(wave=number)
        yield CheckpointMarked(checkpoint_id=new_checkpoint_id(), kind=CheckpointKind.WAVE)


async def write(store: Store, definition: WorkflowDefinition, at: float) -> RunState:
    """Write a run of *definition*; return it as it ends."""
    name, run_id = definition_hash(definition), new_run_id()
    started = RunStarted(workflow=definition.name, definition=name)
    state = _moved(new_state(run_id, Graph(definition)), started, at)
    new = NewRun(
        run_id=run_id,
        definition=definition,
        definition_hash=name,
        at=at,
        events=(started,),
        summary=state.summarise(),
    )
    claim = await store.create_run(new)
    events: list[JournalEvent] = []
    marks: dict[str, RunSummary] = {}
    for event in events_of(definition):
        state = _moved(state, event, at + state.head)
        events.append(event)
        if isinstance(event, CheckpointMarked):
            marks[event.checkpoint_id] = state.summarise()
        if len(events) == _AT_ONCE:
            await store.append(_append(state, events, marks, claim.epoch, at))
            events, marks = [], {}
    await store.append(_append(state, events, marks, claim.epoch, at))
    return state


def _moved(state: RunState, event: JournalEvent, at: float) -> RunState:
    return apply(state, Record(run_id=state.run_id, seq=Seq(state.head + 1), at=at, event=event))


def _append(
    state: RunState, events: list[JournalEvent], marks: dict[str, RunSummary], epoch: Epoch, at: float
) -> Append:
    return Append(
        run_id=state.run_id,
        after=Seq(state.head - len(events)),
        at=at + state.head,
        events=tuple(events),
        summary=state.summarise(),
        marks=marks,
        epoch=epoch,
    )


async def timed(what: str, work: Awaitable[object]) -> None:
    """Print how long *work* takes, and the longest time in which nothing else got a turn."""
    longest = [0.0]
    watch = asyncio.create_task(_watch(longest))
    await asyncio.sleep(0)
    begun = time.perf_counter()
    await work
    taken = time.perf_counter() - begun
    await asyncio.sleep(0)
    watch.cancel()
    print(f"{what:<52} {taken * 1000:9.1f} ms   others waited {longest[0] * 1000:7.1f} ms")


async def _watch(longest: list[float]) -> None:
    # Asleep between looks: what runs in a thread beside it is not to be kept from running.
    while True:
        before = time.perf_counter()
        await asyncio.sleep(_LOOK)
        longest[0] = max(longest[0], time.perf_counter() - before - _LOOK)


async def walk(store: Store, run_id: RunId, head: Seq) -> None:
    """Print what the monitor would wait for."""
    clock, middle = SystemClock(), head // 2
    history = History(store, clock)
    walker = await history.walk(run_id)
    first = (await walker.marks())[0]
    await timed("open: every checkpoint", (await History(store, clock).walk(run_id)).marks())
    await timed("open at the first checkpoint", walker.state(first.seq))
    await timed("open in the middle, from the start", walker.state(middle))
    await timed("fold the rest, as the monitor does meanwhile", walker.prepare())
    await timed("open where the run is now", walker.state(head))
    steps = [("one event back", -1), ("one event on", 0), ("back to the checkpoint before", -500)]
    for what, by in steps:
        await timed(f"step {what}", walker.state(max(middle + by, 1)))
    await timed("jump to the first tenth", walker.state(head // 10 + 7))
    await timed("jump to the last tenth", walker.state(head - head // 10 - 7))
    await timed("the wave after", walker.wave_after(middle))
    await timed("the wave before", walker.wave_before(middle))
    block = (await walker.state(head)).graph.definition.waves[-1][0]
    path = ("blocks", block, "status")
    await timed("the next change of a block at the end", walker.change_after(path, 1))
    await timed(
        "the last change of a block at the start", walker.change_before(("blocks", "block_00000"), head)
    )
    left, right = Point(run_id, Seq(middle)), Point(run_id, head)
    await timed("compare the middle and now", history.compare(left, right))


async def main() -> None:
    """Print the figures."""
    blocks = int(sys.argv[1]) if sys.argv[1:] else 10_000
    clock = SystemClock()
    with tempfile.TemporaryDirectory() as folder:
        store = await open_store(f"sqlite:///{Path(folder) / 'walking.db'}", clock=clock)
        try:
            state = await write(store, definition_of(blocks), clock.now())
            print(f"{blocks:,} blocks, {state.head:,} events")
            await walk(store, state.run_id, state.head)
        finally:
            await store.close()


if __name__ == "__main__":
    asyncio.run(main())
