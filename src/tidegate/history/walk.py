"""Reading a journal from its beginning, slice by slice, as far as it is good."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from tidegate.errors import CorruptStore
from tidegate.model.events import CheckpointMarked, Record, RunForked, RunStarted
from tidegate.model.fold import apply
from tidegate.model.ids import RunId, Seq
from tidegate.model.state import RunState, RunSummary, new_state
from tidegate.model.workflow import Graph, WorkflowDefinition
from tidegate.store.damage import located
from tidegate.store.protocol import Store

__all__ = ["Mark", "Walked", "slices"]

_SLICE = 1_000
"""Events that are read at once."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A checkpoint, as the journal has it."""

    seq: Seq
    at: float
    """When it was placed. Seconds since 1970 UTC."""
    event: CheckpointMarked
    summary: RunSummary
    """Of the run there."""


@dataclass(slots=True)
class Walked:
    """A run, folded event by event."""

    run_id: RunId
    state: RunState | None = None
    """None: nothing was folded, because its definition is not there or there is no event."""
    definition: str = ""
    """The hash of what the run is pinned to, as its journal says."""
    started_at: float = 0.0
    last: Record | None = None
    """The last good event."""
    marks: dict[str, Mark] = field(default_factory=dict)

    def begin(self, definition: WorkflowDefinition) -> None:
        """Fold from now on: this is what the run is pinned to."""
        self.state = new_state(self.run_id, Graph(definition))

    def take(self, record: Record) -> str:
        """Go on by one event; return why that cannot be, if so."""
        if isinstance(record.event, RunStarted | RunForked) and self._begins(record.event):
            self.definition, self.started_at = record.event.definition, record.at
        if self.state is not None:
            try:
                self.state = apply(self.state, record)
            except Exception:  # noqa: BLE001  # what does not fit breaks somewhere, in some way
                return f"event {record.seq} of run {self.run_id} does not follow from those before it"
            if isinstance(record.event, CheckpointMarked) and record.run_id == self.run_id:
                mark = Mark(record.seq, record.at, record.event, self.state.summarise())
                self.marks[record.event.checkpoint_id] = mark
        self.last = record
        return ""

    def _begins(self, event: RunStarted | RunForked) -> bool:
        """Whether the run itself begins here: one that was flattened has all that it went on from for its own."""
        return isinstance(event, RunStarted) or event.origin.run_id != self.run_id


async def slices(store: Store, run_id: RunId, upto: Seq | None = None) -> AsyncIterator[tuple[Record, ...]]:
    """Yield a run's events from the first to *upto*, some at a time; of a damaged journal those that are good.

    Raises:
        CorruptStore: at the end, if the journal is damaged; it says which the last good event is.
    """
    at = Seq(0)
    while upto is None or at < upto:
        stop = Seq(at + _SLICE if upto is None else min(at + _SLICE, upto))
        try:
            records = await store.read(run_id, after=at, upto=stop)
        except CorruptStore as error:
            damage = await located(store, run_id, error)
            if (good := Seq(damage.last_good or 0)) > at:
                yield await store.read(run_id, after=at, upto=good)
            raise damage from error
        if records:
            yield records
        if len(records) < stop - at:
            return
        at = stop
