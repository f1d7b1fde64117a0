"""What a journal says of blocks: attempts, pauses, items, iterations, child runs.

The intent to run a block (`AttemptStarted`) is durable before the block's body starts; its
outcome follows in a transaction with the intents of what became ready.
"""

from tidegate.model.base import JsonObject, Noun
from tidegate.model.ids import BlockId, PauseId, RunId, Seq
from tidegate.model.lineage import Origin
from tidegate.model.policy import FailureKind
from tidegate.model.prompt import Answer, Assignment, Prompt
from tidegate.model.value import Value

__all__ = [
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
    "ChildMoved",
    "ChildPaused",
    "ChildStarted",
    "Failure",
    "LoopTurned",
    "PauseAnswered",
    "PauseExpired",
    "ProgressNoted",
    "SkipRequested",
    "StepRecorded",
    "TimerSet",
]


class Failure(Noun):
    """Why a block failed, for a person."""

    kind: FailureKind
    message: str
    exit_code: int | None = None


class BlockExpanded(Noun, tag="block_expanded"):
    """The block runs once per item, each item a place of its own; or it starts to loop."""

    block: BlockId
    attempt: int
    keys: tuple[str, ...] = ()
    """One per item, in their order; empty for a loop."""
    items: tuple[Value, ...] = ()


class LoopTurned(Noun, tag="loop_turned"):
    """An iteration has ended, and another one follows."""

    block: BlockId
    at: float
    """Not before this instant. Seconds since 1970 UTC."""


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
    state: dict[str, Value] = {}
    """What the block set of the run's own state."""


class AttemptFailed(Noun, tag="attempt_failed"):
    """The outcome: it did not work."""

    block: BlockId
    attempt: int
    failure: Failure
    outputs: dict[str, Value] = {}
    duration: float = 0.0
    """Seconds, monotonic."""
    retry_at: float | None = None
    """When another attempt follows. Seconds since 1970 UTC; None: the block has failed."""
    asks: bool = False
    """Whether a person decides what becomes of it (`on_failure: pause`)."""


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


class TimerSet(Noun, tag="timer_set"):
    """The block does nothing until an instant, and has done its work then."""

    block: BlockId
    attempt: int
    until: float
    """Seconds since 1970 UTC."""


class StepRecorded(Noun, tag="step_recorded"):
    """A step inside a block's body has a result; it is not done again by a later attempt."""

    block: BlockId
    attempt: int
    key: str
    value: Value


class ProgressNoted(Noun, tag="progress_noted"):
    """How far a block has come, as it says itself."""

    block: BlockId
    attempt: int
    fraction: float
    """0 to 1."""
    message: str = ""


class ChildStarted(Noun, tag="child_started"):
    """The block's work is another run, which is created once this is durable."""

    block: BlockId
    attempt: int
    child: RunId
    workflow: str
    """As the calling workflow names it."""
    inputs: JsonObject = {}
    resumed_after: Seq = Seq(0)
    """For a run that is there already and is to go on: its head at that time."""
    origin: Origin | None = None
    """For a run that is to go on from a point of another one: that point."""


class ChildPaused(Noun, tag="child_paused"):
    """The block's run waits for people, and does nothing else."""

    block: BlockId
    pauses: int
    """How many questions are open in it and below it."""
    head: Seq = Seq(0)
    """Its newest event then; 0 in journals of older versions."""


class ChildMoved(Noun, tag="child_moved"):
    """The block's run goes on."""

    block: BlockId
    head: Seq = Seq(0)
    """Its newest event then; 0 in journals of older versions."""


class BlockSkipped(Noun, tag="block_skipped"):
    """The block will not run."""

    block: BlockId
    reason: str


class SkipRequested(Noun, tag="skip_requested"):
    """A person decided that a block will not run."""

    block: BlockId
    reason: str
    by: str = ""
    downstream: tuple[BlockId, ...] = ()
    """What had been decided because of the block, and is decided again."""


class BlockPaused(Noun, tag="block_paused"):
    """A question is open. For the journal this is the question: later edits do not change it."""

    block: BlockId
    attempt: int
    pause_id: PauseId
    prompt: Prompt
    deadline: float | None = None
    """Seconds since 1970 UTC."""
    assignment: Assignment | None = None
    """What a person had said of the question before it at that place: it holds for this one, too."""


class PauseAssigned(Noun, tag="pause_assigned"):
    """A person said whose business an open question is."""

    pause_id: PauseId
    to: str
    """Empty: anybody's."""
    by: str = ""
    note: str = ""


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
