"""What a journal says: a closed union of things that happened, in the past tense.

An event carries what cannot be derived. Its position, its run and its time are in the
`Record` around it. The intent to run a block (`AttemptStarted`) is durable before the block's
body starts; its outcome follows in a transaction with the intents of what became ready.
"""

from enum import StrEnum
from typing import TypeAlias

from tidegate.model.base import JsonObject, Noun
from tidegate.model.block_events import (
    AnswerRefused,
    AttemptCancelled,
    AttemptFailed,
    AttemptInterrupted,
    AttemptRejected,
    AttemptStarted,
    AttemptSucceeded,
    BlockExpanded,
    BlockPaused,
    BlockSkipped,
    ChildMoved,
    ChildPaused,
    ChildStarted,
    Failure,
    LoopTurned,
    PauseAnswered,
    PauseAssigned,
    PauseExpired,
    ProgressNoted,
    SkipRequested,
    StepRecorded,
    TimerSet,
)
from tidegate.model.fork_events import RunForked
from tidegate.model.ids import BlockId, CheckpointId, RunId, Seq
from tidegate.model.lineage import Origin, Parent
from tidegate.model.policy import CheckpointKind
from tidegate.model.question import SentBack
from tidegate.model.value import Value

__all__ = [
    "OPERATOR_EVENTS",
    "TERMINAL",
    "UNFINISHED",
    "AnswerRefused",
    "AttemptCancelled",
    "AttemptFailed",
    "AttemptInterrupted",
    "AttemptRejected",
    "AttemptStarted",
    "AttemptSucceeded",
    "BlockExpanded",
    "BlockPaused",
    "BlockSkipped",
    "CancelRequested",
    "CheckpointMarked",
    "ChildMoved",
    "ChildPaused",
    "ChildStarted",
    "Failure",
    "JournalEvent",
    "LoopTurned",
    "Origin",
    "Parent",
    "PauseAnswered",
    "PauseAssigned",
    "PauseExpired",
    "ProgressNoted",
    "Record",
    "RunAdopted",
    "RunFinished",
    "RunForked",
    "RunHeld",
    "RunInterrupted",
    "RunReleased",
    "RunResumed",
    "RunStarted",
    "RunStatus",
    "RunTimedOut",
    "SkipRequested",
    "StepRecorded",
    "TimerSet",
    "WaveCompleted",
    "WaveStarted",
    "outputs_of",
]


class RunStatus(StrEnum):
    """Where a run stands. The last four are terminal."""

    QUEUED = "queued"
    RUNNING = "running"
    PAUSED = "paused"
    """At least one pause is open and nothing else of it can run."""
    INTERRUPTED = "interrupted"
    """Its process is gone; it can be resumed."""
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    REJECTED = "rejected"
    CANCELLED = "cancelled"

    @property
    def is_terminal(self) -> bool:
        """Whether the run has ended."""
        return self in _TERMINAL_RUN


_TERMINAL_RUN = frozenset({RunStatus.SUCCEEDED, RunStatus.FAILED, RunStatus.REJECTED, RunStatus.CANCELLED})
TERMINAL = tuple(status for status in RunStatus if status.is_terminal)
"""Of runs that have ended."""
UNFINISHED = tuple(status for status in RunStatus if not status.is_terminal)
"""Of all others."""


class RunStarted(Noun, tag="run_started"):
    """A run exists. Always event 1; that of a fork is in the journal that it goes on from."""

    workflow: str
    definition: str
    """Its hash."""
    inputs: JsonObject = {}
    """With defaults filled in."""
    by: str = ""
    parent: Parent | None = None
    sent_back: SentBack | None = None
    """What was said to the block that starts it, when that was run again."""


class RunAdopted(Noun, tag="run_adopted"):
    """A process took the run over, under a new epoch."""

    owner: str
    epoch: int
    previous: str = ""
    """The owner before; empty when there was none."""


class RunInterrupted(Noun, tag="run_interrupted"):
    """A person stopped the process that drove the run. It stays so until somebody resumes it."""

    reason: str


class RunResumed(Noun, tag="run_resumed"):
    """A person asked that these blocks be planned again, in a run that has ended or in one that goes on."""

    blocks: tuple[BlockId, ...]
    """Those to run again, failed items among them, and everything downstream of them."""
    by: str = ""
    fresh: bool = False
    """Whether they begin anew: new idempotency keys, no remembered steps, new child runs."""
    feedback: str = ""
    """What is to be other this time; these blocks read it as `${run.feedback}`."""


class RunHeld(Noun, tag="run_held"):
    """A person asked that nothing new starts. What runs goes on to its end; deadlines stand still."""

    by: str = ""
    reason: str = ""


class RunReleased(Noun, tag="run_released"):
    """A person let a held run go on."""

    by: str = ""


class RunTimedOut(Noun, tag="run_timed_out"):
    """The run has used up its machine time."""


class WaveStarted(Noun, tag="wave_started"):
    """The blocks of a wave may be considered."""

    wave: int
    """0-based."""


class WaveCompleted(Noun, tag="wave_completed"):
    """Every block of the wave has ended."""

    wave: int
    """0-based."""


class CheckpointMarked(Noun, tag="checkpoint_marked"):
    """This position has a name."""

    checkpoint_id: CheckpointId
    kind: CheckpointKind
    block: BlockId | None = None
    label: str = ""
    metadata: JsonObject = {}


class CancelRequested(Noun, tag="cancel_requested"):
    """A person wants the run to end. Blocks that run `always` still run."""

    by: str = ""
    reason: str = ""
    force: bool = False
    """Whether those are given up, too."""


class RunFinished(Noun, tag="run_finished"):
    """The run has ended."""

    status: RunStatus
    """One of the terminal ones."""
    outputs: JsonObject = {}
    reason: str = ""
    """Why, where the blocks alone do not say it."""
    discarded: bool = False
    """Whether its checkpoints are dropped and it cannot be resumed."""


JournalEvent: TypeAlias = (
    RunStarted
    | RunForked
    | RunAdopted
    | RunInterrupted
    | RunResumed
    | RunHeld
    | RunReleased
    | RunTimedOut
    | WaveStarted
    | WaveCompleted
    | BlockExpanded
    | LoopTurned
    | AttemptStarted
    | AttemptSucceeded
    | AttemptFailed
    | AttemptRejected
    | AttemptCancelled
    | AttemptInterrupted
    | TimerSet
    | StepRecorded
    | ProgressNoted
    | ChildStarted
    | ChildPaused
    | ChildMoved
    | BlockSkipped
    | SkipRequested
    | BlockPaused
    | PauseAssigned
    | PauseAnswered
    | AnswerRefused
    | PauseExpired
    | CheckpointMarked
    | CancelRequested
    | RunFinished
)

OPERATOR_EVENTS = (
    PauseAssigned,
    PauseAnswered,
    AnswerRefused,
    PauseExpired,
    CancelRequested,
    RunResumed,
    RunHeld,
    RunReleased,
    SkipRequested,
)
"""The only events that a process without the run's lease may append: votes, not effects."""


class Record(Noun):
    """One event in its place."""

    run_id: RunId
    seq: Seq
    at: float
    """Seconds since 1970 UTC; for display only, `seq` orders."""
    event: JournalEvent


def outputs_of(event: JournalEvent) -> dict[str, Value]:
    """Return the outputs that *event* brings; empty for an event that brings none."""
    if isinstance(event, AttemptSucceeded | AttemptFailed | AttemptRejected):
        return event.outputs
    return {}
