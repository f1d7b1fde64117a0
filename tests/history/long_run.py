"""A long run in a store, written without running anything: what walking is tested on."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from tidegate.model.events import (
    AttemptStarted,
    AttemptSucceeded,
    CheckpointMarked,
    JournalEvent,
    Record,
    RunStarted,
    WaveCompleted,
    WaveStarted,
)
from tidegate.model.fold import apply
from tidegate.model.ids import BlockId, RunId, Seq, new_checkpoint_id, new_run_id
from tidegate.model.listing import Epoch
from tidegate.model.policy import CheckpointKind
from tidegate.model.state import RunState, RunSummary, new_state
from tidegate.model.value import Inline
from tidegate.model.workflow import BlockDefinition, Graph, WorkflowDefinition, definition_hash
from tidegate.store.protocol import Append, NewRun, Store
from tidegate.store.replay import replay

WAVES = 12
WIDTH = 100
NOW = 1_700_000_000.0


def definition() -> WorkflowDefinition:
    """Return a workflow of twelve waves of a hundred blocks."""
    names = [[BlockId(f"w{wave}b{number}") for number in range(WIDTH)] for wave in range(WAVES)]
    blocks = tuple(BlockDefinition(id=name, type="Shell") for wave in names for name in wave)
    return WorkflowDefinition(name="long", blocks=blocks, waves=tuple(map(tuple, names)), working_dir="/")


def _events() -> Iterator[JournalEvent]:
    for number, wave in enumerate(definition().waves):
        yield WaveStarted(wave=number)
        for block in wave:
            yield AttemptStarted(block=block, attempt=1, key=f"key_{block}")
        for block in wave:
            yield AttemptSucceeded(
                block=block,
                attempt=1,
                outputs={"made": Inline(value=str(block))},
                state={"wave": Inline(value=number)},
            )
        yield WaveCompleted(wave=number)
        yield CheckpointMarked(checkpoint_id=new_checkpoint_id(), kind=CheckpointKind.WAVE)


@dataclass
class LongRun:
    """The run, as it is written."""

    store: Store
    left: Iterator[JournalEvent] = field(default_factory=_events, repr=False)
    states: list[RunState] = field(default_factory=list, repr=False)
    """After each of its events; the first is before them."""
    records: list[Record] = field(default_factory=list, repr=False)

    @property
    def run_id(self) -> RunId:
        """Which run."""
        return self.states[0].run_id

    @property
    def head(self) -> Seq:
        """Its newest event."""
        return self.states[-1].head

    async def begin(self) -> None:
        """Create the run."""
        workflow, run_id = definition(), new_run_id()
        name = definition_hash(workflow)
        self.states.append(new_state(run_id, Graph(workflow)))
        started = RunStarted(workflow=workflow.name, definition=name)
        self._take(started)
        await self.store.create_run(
            NewRun(
                run_id=run_id,
                definition=workflow,
                definition_hash=name,
                at=NOW,
                events=(started,),
                summary=self.states[-1].summarise(),
                owner="me",
                lease_until=NOW + 30,
            )
        )
        # On the graph that everybody shares who reads it: states are equal on one graph only.
        first = await replay(self.store, run_id, upto=Seq(0))
        self.states = [first, apply(first, self.records[0])]

    async def go_on(self, most: int = 10_000) -> None:
        """Write up to so many more of its events."""
        after, marks, events = self.head, dict[str, RunSummary](), list[JournalEvent]()
        for event, _ in zip(self.left, range(most), strict=False):
            self._take(event)
            events.append(event)
            if isinstance(event, CheckpointMarked):
                marks[event.checkpoint_id] = self.states[-1].summarise()
        await self.store.append(
            Append(
                run_id=self.run_id,
                after=after,
                at=NOW + 1,
                events=tuple(events),
                summary=self.states[-1].summarise(),
                marks=marks,
                epoch=Epoch(1),
            )
        )

    def _take(self, event: JournalEvent) -> None:
        state = self.states[-1]
        record = Record(
            run_id=state.run_id,
            seq=Seq(state.head + 1),
            at=NOW + (state.head > 0),
            event=event,
        )
        self.records.append(record)
        self.states.append(apply(state, record))
