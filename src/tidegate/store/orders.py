"""Everything that changes a store, as data: what is asked for, and by its type what comes back.

An order is a whole transaction. Being data, it can be carried out at once, or written down first and
carried out again by whoever opens the store later.
"""

from collections.abc import Mapping
from typing import Generic, TypeVar

from tidegate.model.base import JsonObject, Noun
from tidegate.model.events import JournalEvent, Origin, Parent, RunForked, RunStarted
from tidegate.model.ids import BlockId, CheckpointId, PauseId, RunId, Seq
from tidegate.model.listing import Epoch, OutputChunk
from tidegate.model.state import RunSummary
from tidegate.model.workflow import WorkflowDefinition

__all__ = [
    "Append",
    "Claim",
    "ClaimCleanUp",
    "ClaimLease",
    "DeleteMark",
    "EmptyGraves",
    "LabelMark",
    "NewRun",
    "Order",
    "PinMark",
    "PlaceMark",
    "ReleaseLease",
    "RemoveRun",
    "RenewLeases",
    "TrimMarks",
    "WriteOutput",
]

T = TypeVar("T")


class Order(Noun, Generic[T]):
    """A change of a store; *T* is what it gives back."""


class Claim(Noun):
    """The right to drive a run."""

    run_id: RunId
    epoch: Epoch
    head: Seq
    previous_owner: str = ""
    """Who held the lease before and did not give it back."""


class NewRun(Order[Claim], tag="new run"):
    """A run to be created."""

    run_id: RunId
    definition: WorkflowDefinition
    definition_hash: str
    source: str = ""
    """The text of the workflow's file, for people."""
    at: float
    began_at: float | None = None
    """When it began, if not with its first event: a fork that was imported has those of the other run before its own."""
    events: tuple[JournalEvent, ...]
    """The first is `RunStarted`, or `RunForked`, and then its own begin at the event after the fork's origin.
    The run's row gets its `parent` and `origin` from it."""
    summary: RunSummary
    owner: str = ""
    """Not empty: the run is created with its lease taken, under `epoch`."""
    lease_until: float = 0.0
    epoch: Epoch = Epoch(1)
    """Another one than the first only for a run that was driven before, in another store."""

    @property
    def parent(self) -> Parent | None:
        """Where it was started from, if a block of another run starts it."""
        first = self.events[0]
        return first.parent if isinstance(first, RunStarted | RunForked) else None

    @property
    def origin(self) -> Origin | None:
        """The point of another run that it goes on from, if it is a fork."""
        first = self.events[0]
        return first.origin if isinstance(first, RunForked) else None


class Append(Order[Seq], tag="append"):
    """Events to be added to a run's journal, with everything that belongs to them."""

    run_id: RunId
    after: Seq
    """The head as the writer knows it. Another head refuses the whole append."""
    at: float
    events: tuple[JournalEvent, ...]
    summary: RunSummary
    """Of the run after *events*."""
    marks: Mapping[str, RunSummary] = {}
    """Of the run at each `CheckpointMarked` among *events*, by its id."""
    epoch: Epoch | None = None
    """The writer's. None: without the lease, and then only `OPERATOR_EVENTS` are allowed."""
    values: Mapping[str, bytes] = {}
    """JSON of the `Stored` values in *events* by SHA-256; one that is known already costs next to nothing."""
    closed: tuple[PauseId, ...] = ()
    """Pauses that were open before *events* and are closed after them, neither answered nor expired."""
    secrets: Mapping[PauseId, str] = {}
    """What was really answered, where the events hold only that something was. Forgotten when the run ends."""
    deadlines: Mapping[PauseId, float | None] = {}
    """New deadlines of open pauses, by id: a held run's stand still (None) until it is released."""


class WriteOutput(Order[None], tag="output"):
    """Chunks of what one attempt printed, to be kept, and others to be forgotten."""

    run_id: RunId
    block: BlockId
    attempt: int
    chunks: tuple[OutputChunk, ...] = ()
    drop: tuple[int, int] | None = None
    """Forget the chunks from the first number up to, not including, the second."""


class ClaimLease(Order[Claim], tag="claim"):
    """The lease of a run, to be taken under the next epoch."""

    run_id: RunId
    owner: str
    now: float
    until: float
    over: Epoch | None = None
    """Taken also if it is held under this epoch: the caller has found that holder dead."""


class RenewLeases(Order[frozenset[RunId]], tag="renew"):
    """Leases to be extended; back come the runs whose lease is lost."""

    epochs: Mapping[RunId, Epoch]
    until: float


class ReleaseLease(Order[bool], tag="release"):
    """A lease to be given back, if nothing was appended meanwhile."""

    run_id: RunId
    epoch: Epoch
    head: Seq


class DeleteMark(Order[None], tag="delete mark"):
    """A checkpoint to be taken off the list."""

    checkpoint_id: CheckpointId


class PinMark(Order[None], tag="pin mark"):
    """A checkpoint to be kept, with its run, until somebody says otherwise; or no longer."""

    checkpoint_id: CheckpointId
    pinned: bool = True


class LabelMark(Order[None], tag="label mark"):
    """A checkpoint to be called something by a person; or, None, only what its journal calls it."""

    checkpoint_id: CheckpointId
    label: str | None = None


class PlaceMark(Order[None], tag="place mark"):
    """A checkpoint that a person places at a point of a run. The journal does not change, whatever the point."""

    run_id: RunId
    seq: Seq
    checkpoint_id: CheckpointId
    at: float
    summary: RunSummary
    """Of the run there."""
    label: str = ""
    metadata: JsonObject = {}


class TrimMarks(Order[int], tag="trim marks"):
    """The oldest checkpoints of one run, to be taken off the list; back comes how many were.

    Never one that is pinned, or that a person has placed or labelled, nor that of a pause which is still open.
    History stays as it is.
    """

    run_id: RunId
    keep: int
    """How many stay, the newest; at least 1."""
    pauses: bool = False
    """Whether those of closed pauses count, and may go, too."""


class RemoveRun(Order[tuple[RunId, ...]], tag="remove run"):
    """A run on top that has ended, to be removed for good with everything below it.

    Back comes what is removed, the run itself first. Nobody finds it any more from then on; what is left
    of it (events, output, values) goes bit by bit, with `EmptyGraves`.
    """

    run_id: RunId
    at: float
    despite_pins: bool = False
    """Whether it goes even if a checkpoint of it is pinned."""
    ended_by: float | None = None
    """Only if nothing of it has moved after this instant: what somebody decided on may have gone on since."""
    by: str = ""
    """Who wants it gone."""
    why: str = ""
    """What it is beyond, for people."""


class EmptyGraves(Order[bool], tag="empty graves"):
    """A slice of what removed runs have left, to be deleted; back comes whether there is more."""

    rows: int = 256
    """At most about so many."""
    size: int = 1 << 20
    """Bytes: at most about so many."""
    forget_before: float = 0.0
    """Removals before this instant, of which nothing is left, need not be known any more."""


class ClaimCleanUp(Order[bool], tag="claim clean-up"):
    """The right to clean up now: of all processes, one gets it, and only once in an interval."""

    now: float
    interval: float
