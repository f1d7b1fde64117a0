"""What a journal says: a closed union of things that happened, in the past tense.

An event carries what cannot be derived. Its position, its run and its time are in the
`Record` around it. The intent to run a block (`AttemptStarted`) is durable before the block's
body starts; its outcome follows in a transaction with the intents of what became ready.
"""

from enum import StrEnum
from typing import TypeAlias

from tidegate.model.base import JsonObject, Noun
from tidegate.model.ids import BlockId, CheckpointId, PauseId, RunId, Seq
from tidegate.model.prompt import Answer, Prompt
from tidegate.model.value import Value

__all__ = [
    "OPERATOR_EVENTS",
    "AnswerRefused",
    "AttemptCancelled",
    "AttemptFailed",
    "AttemptInterrupted",
    "AttemptRejected",
    "AttemptStarted",
    "AttemptSucceeded",
    "BlockPaused",
    "BlockSkipped",
    "CancelRequested",
    "CheckpointKind",
    "CheckpointMarked",
    "Failure",
    "FailureKind",
    "JournalEvent",
    "PauseAnswered",
    "PauseExpired",
    "Record",
    "RunAdopted",
    "RunFinished",
    "RunInterrupted",
    "RunResumed",
    "RunStarted",
    "RunStatus",
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


class FailureKind(StrEnum):
    """Why a block failed."""

    EXIT = "exit"
    """Its command ended with another exit code than 0."""
    SIGNAL = "signal"
    TIMEOUT = "timeout"
    EXPIRED = "expired"
    """Nobody answered in time."""
    CONDITION = "condition"
    """Its condition gave no boolean, or could not be evaluated."""
    INPUTS = "inputs"
    """Its inputs could not be rendered, or are not what the block takes."""
    OUTPUTS = "outputs"
    START = "start"
    """It could not be started: no such command, no such directory."""
    OPERATOR = "operator"
    """A person said so, after a crash."""
    ERROR = "error"
    """The block's own code raised."""


class Failure(Noun):
    """Why a block failed, for a person."""

    kind: FailureKind
    message: str
    exit_code: int | None = None


class CheckpointKind(StrEnum):
    """Why a checkpoint was marked."""

    WAVE = "wave"
    PAUSE = "pause"
    FAILURE = "failure"
    EXPLICIT = "explicit"


class RunStarted(Noun, tag="run_started"):
    """A run exists. Always event 1."""

    workflow: str
    definition: str
    """Its hash."""
    inputs: JsonObject = {}
    """With defaults filled in."""
    by: str = ""


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
    """A person asked a failed run to go on: these blocks are planned again."""

    blocks: tuple[BlockId, ...]
    """The failed ones and everything downstream of them."""
    by: str = ""


class WaveStarted(Noun, tag="wave_started"):
    """The blocks of a wave may be considered."""

    wave: int
    """0-based."""


class WaveCompleted(Noun, tag="wave_completed"):
    """Every block of the wave has ended."""

    wave: int
    """0-based."""


class AttemptStarted(Noun, tag="attempt_started"):
    """The intent: this block is about to run."""

    block: BlockId
    attempt: int
    """Counted from 1."""
    key: str
    """Idempotency key: stable across retries and crash-resume."""
    summary: str = ""
    """What is about to run, bounded, without secrets: for history and recovery."""


class AttemptSucceeded(Noun, tag="attempt_succeeded"):
    """The outcome: it worked."""

    block: BlockId
    attempt: int
    outputs: dict[str, Value] = {}
    duration: float = 0.0
    """Seconds, monotonic; 0 for a pause."""


class AttemptFailed(Noun, tag="attempt_failed"):
    """The outcome: it did not work."""

    block: BlockId
    attempt: int
    failure: Failure
    outputs: dict[str, Value] = {}
    duration: float = 0.0
    """Seconds, monotonic."""


class AttemptRejected(Noun, tag="attempt_rejected"):
    """The outcome: a person said no."""

    block: BlockId
    attempt: int
    outputs: dict[str, Value] = {}


class AttemptCancelled(Noun, tag="attempt_cancelled"):
    """The block was stopped because its run was cancelled."""

    block: BlockId
    attempt: int
    reason: str = ""


class AttemptInterrupted(Noun, tag="attempt_interrupted"):
    """The block's process is gone: there is an intent and no outcome."""

    block: BlockId
    attempt: int
    reason: str = ""


class BlockSkipped(Noun, tag="block_skipped"):
    """The block will not run."""

    block: BlockId
    reason: str


class BlockPaused(Noun, tag="block_paused"):
    """A question is open. For the journal this is the question: later edits do not change it."""

    block: BlockId
    attempt: int
    pause_id: PauseId
    prompt: Prompt
    deadline: float | None = None
    """Seconds since 1970 UTC."""


class PauseAnswered(Noun, tag="pause_answered"):
    """A person answered, and the answer was valid."""

    pause_id: PauseId
    answer: Answer


class AnswerRefused(Noun, tag="answer_refused"):
    """A person answered, and the answer broke a rule; the pause stays open."""

    pause_id: PauseId
    raw: str
    """Bounded."""
    rule: str
    by: str = ""
    via: str = ""


class PauseExpired(Noun, tag="pause_expired"):
    """Nobody answered in time."""

    pause_id: PauseId


class CheckpointMarked(Noun, tag="checkpoint_marked"):
    """This position has a name."""

    checkpoint_id: CheckpointId
    kind: CheckpointKind
    block: BlockId | None = None
    label: str = ""


class CancelRequested(Noun, tag="cancel_requested"):
    """A person wants the run to end."""

    by: str = ""
    reason: str = ""


class RunFinished(Noun, tag="run_finished"):
    """The run has ended."""

    status: RunStatus
    """One of the terminal ones."""
    outputs: JsonObject = {}
    reason: str = ""
    """Why, where the blocks alone do not say it."""


JournalEvent: TypeAlias = (
    RunStarted
    | RunAdopted
    | RunInterrupted
    | RunResumed
    | WaveStarted
    | WaveCompleted
    | AttemptStarted
    | AttemptSucceeded
    | AttemptFailed
    | AttemptRejected
    | AttemptCancelled
    | AttemptInterrupted
    | BlockSkipped
    | BlockPaused
    | PauseAnswered
    | AnswerRefused
    | PauseExpired
    | CheckpointMarked
    | CancelRequested
    | RunFinished
)

OPERATOR_EVENTS = (PauseAnswered, AnswerRefused, PauseExpired, CancelRequested)
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
