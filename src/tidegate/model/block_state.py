"""Where one block of a run stands, and one pause."""

from enum import IntEnum, StrEnum

from immutables import Map

from tidegate.model.base import JsonObject, Noun
from tidegate.model.events import Failure
from tidegate.model.fifo import Fifo
from tidegate.model.ids import BlockId, PauseId, RunId, Seq
from tidegate.model.lineage import Origin
from tidegate.model.prompt import Answer, Assignment, Prompt
from tidegate.model.value import Value

__all__ = ["ENDED", "BlockState", "BlockStatus", "Child", "Fan", "Pause", "PauseState", "Progress"]


class BlockStatus(StrEnum):
    """Where a block stands."""

    PENDING = "pending"
    RUNNING = "running"
    PAUSED = "paused"
    """It waits for people: it asks, or the run that it started does."""
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    SKIPPED = "skipped"
    REJECTED = "rejected"
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"
    """It was running when its process died, or it has failed and somebody is to be asked what now."""

    @property
    def has_ended(self) -> bool:
        """Whether its dependants may be decided."""
        return self in ENDED


ENDED = frozenset(
    {
        BlockStatus.SUCCEEDED,
        BlockStatus.FAILED,
        BlockStatus.SKIPPED,
        BlockStatus.REJECTED,
        BlockStatus.CANCELLED,
    }
)


class PauseState(IntEnum):
    """Where a pause stands."""

    OPEN = 0
    ANSWERED = 1
    EXPIRED = 2
    CLOSED = 3
    """Its run ended, or was planned again, before anybody answered."""


class Progress(Noun):
    """How far a block has come, as it says itself."""

    fraction: float
    """0 to 1."""
    message: str = ""


class Fan(Noun):
    """The parts of a block that runs in parts: its items, or one iteration after the other."""

    keys: tuple[str, ...] = ()
    """One per item, in their order; empty for a loop."""
    items: tuple[Value, ...] = ()
    positions: dict[str, int] = {}
    """Of the items, by key."""
    waiting: Fifo[str] = Fifo()
    """Keys of the items that are not queued yet."""
    left: int = 0
    """How many parts have not ended."""
    lost: int = 0
    """How many have failed or were rejected."""
    iterations: int = 0
    """How many have begun; 0: it goes through items."""


class Child(Noun):
    """The run that does a block's work."""

    run_id: RunId
    workflow: str
    """As the calling workflow names it."""
    inputs: JsonObject = {}
    resumed_after: Seq = Seq(0)
    """Its head when it was told to go on; 0: it was begun for this attempt."""
    heard: Seq = Seq(0)
    """Its newest event that the run above has taken note of; 0: of none."""
    origin: Origin | None = None
    """The point of another run that it goes on from. If that is itself, it belongs to the run that this one was
    forked from, and another one is to go on from there."""

    @property
    def is_to_be_forked(self) -> bool:
        """Whether it is that of another run's block, and a fork of it is to do the work here."""
        return self.origin is not None and self.origin.run_id == self.run_id


class BlockState(Noun):
    """One block of a run, one item of it, or one iteration."""

    status: BlockStatus = BlockStatus.PENDING
    attempt: int = 0
    """The newest; 0: it was never started."""
    key: str = ""
    """Its idempotency key; empty before the first attempt and after an explicit re-run."""
    summary: str = ""
    """What it is running, for people."""
    started_at: float | None = None
    """Of the newest attempt. Seconds since 1970 UTC."""
    ended_at: float | None = None
    outputs: dict[str, Value] = {}
    failure: Failure | None = None
    """Of the newest attempt that failed, while another one may follow, too."""
    failures: int = 0
    """How many attempts have failed since it was planned; one that a crash cut off is none."""
    reason: str = ""
    """Why it was skipped, cancelled or interrupted."""
    pause_id: PauseId | None = None
    """Its newest pause."""
    wake_at: float | None = None
    """When it goes on by itself. Seconds since 1970 UTC."""
    child: Child | None = None
    """The run that does its work, or did."""
    child_pauses: int = 0
    """How many questions are open in that run, while it does nothing else."""
    fan: Fan | None = None
    steps: Map[str, Value] = Map()
    """Results of steps inside its body that need not be done again, by key."""
    progress: Progress | None = None

    @property
    def is_at_work(self) -> bool:
        """Whether something of it runs at this moment, here or in a run that it started."""
        return self.status is BlockStatus.RUNNING and self.fan is None and self.wake_at is None

    @property
    def live_child(self) -> RunId | None:
        """The run that does its work, as long as the block has not ended."""
        if self.child is None or self.status not in (BlockStatus.RUNNING, BlockStatus.PAUSED):
            return None
        return self.child.run_id

    @property
    def is_asleep(self) -> bool:
        """Whether the run that does its work only waits for people."""
        return self.status is BlockStatus.PAUSED and self.child is not None


class Pause(Noun):
    """A question, and what became of it."""

    pause_id: PauseId
    block: BlockId
    attempt: int
    prompt: Prompt
    opened_at: float
    opened_seq: Seq
    deadline: float | None = None
    remaining: float | None = None
    """Seconds that were left to its deadline when its run was held; the deadline is None until then."""
    state: PauseState = PauseState.OPEN
    closed_at: float | None = None
    answer: Answer | None = None
    refusals: int = 0
    assignment: Assignment | None = None
    """What a person has said of whose business it is; None: what the prompt says holds."""
    because: str = ""
    """Why nobody may answer it any more, where its block alone does not say it."""

    @property
    def is_open(self) -> bool:
        """Whether it takes an answer."""
        return self.state is PauseState.OPEN

    @property
    def assignee(self) -> str:
        """Whose business it is; empty: anybody's."""
        return self.prompt.assignee if self.assignment is None else self.assignment.to
