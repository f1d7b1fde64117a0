"""How a workflow's author wants repetition, failure and marks to be handled."""

from enum import StrEnum

from tidegate.model.base import Json, JsonObject, Noun

__all__ = [
    "NOT_RETRIED",
    "CheckpointKind",
    "CheckpointPolicy",
    "ExplicitCheckpoint",
    "FailureKind",
    "ForEach",
    "Loop",
    "OnFailure",
    "OnRunFailure",
    "Retention",
    "RetryPolicy",
]


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
    """It could not be started: no such command, no such directory, no such callable."""
    STATUS = "status"
    """A server answered with a status that is no success."""
    NETWORK = "network"
    """A server could not be reached, or the connection broke."""
    ITEMS = "items"
    """One of its items failed, or what it is to go through is no list and no mapping."""
    LOOP = "loop"
    """Its iterations were used up before it was done."""
    CHILD = "child"
    """The run that it started did not succeed."""
    OPERATOR = "operator"
    """A person said so."""
    ERROR = "error"
    """The block's own code raised."""


NOT_RETRIED = frozenset(
    {
        FailureKind.CONDITION,
        FailureKind.INPUTS,
        FailureKind.OUTPUTS,
        FailureKind.EXPIRED,
        FailureKind.ITEMS,
        FailureKind.LOOP,
        FailureKind.OPERATOR,
    }
)
"""Kinds that would be the same the next time: a retry repeats them only if it names them."""


class OnFailure(StrEnum):
    """What a block's failure means for its run."""

    FAIL = "fail"
    """What depends on it is skipped, and the run fails."""
    CONTINUE = "continue"
    """It is tolerated: what depends on it runs, and the run may succeed."""
    PAUSE = "pause"
    """A person is asked: run again, mark as done, skip, or fail."""


class RetryPolicy(Noun):
    """How often and when a failed attempt is repeated."""

    max_attempts: int
    """All attempts, the first included; at least 2."""
    delay: float = 0.0
    """Seconds before the second attempt."""
    backoff: float = 1.0
    """What the delay is multiplied with after each further failure; at least 1."""
    max_delay: float | None = None
    """Seconds; no delay is longer."""
    jitter: float = 0.0
    """0 to 1: by what part of itself a delay may be longer, at random."""
    on: tuple[int | FailureKind, ...] = ()
    """Exit codes and kinds that are worth another attempt. Empty: every kind not in `NOT_RETRIED`."""

    def delay_after(self, failures: int, chance: float) -> float:
        """Return the seconds to wait after so many failures.

        Args:
            failures: At least 1.
            chance: Random, 0 to 1.
        """
        # A float's power overflows to an error: 1e308 seconds is long enough.
        factor = min(self.backoff, 1e6) ** min(failures - 1, 50)
        delay = min(self.delay * factor, self.max_delay if self.max_delay is not None else 3650 * 86400.0)
        return delay * (1 + self.jitter * chance)


class ForEach(Noun):
    """Run a block once for each item of a list, or of a mapping."""

    items: Json
    """A list or a mapping, or a reference to one. Of a mapping, an item is `{key: ..., value: ...}`."""
    key: str | None = None
    """Text with references to `${item}` and `${index}` that names an item; unique among them."""
    max_parallel: int | None = None
    """Items at once; 1: one after the other. None: as many as the run allows."""
    fail_fast: bool = False
    """Whether no further item starts once one has failed or was rejected."""


class Loop(Noun):
    """Run a block again and again until it is done."""

    until: str
    """One expression with a boolean result, over the outputs of the iteration that has just ended."""
    max_iterations: int
    delay: float = 0.0
    """Seconds between the end of an iteration and the start of the next."""


class CheckpointKind(StrEnum):
    """Why a checkpoint was marked."""

    WAVE = "wave"
    PAUSE = "pause"
    FAILURE = "failure"
    EXPLICIT = "explicit"


class ExplicitCheckpoint(Noun):
    """A checkpoint to be marked when a block succeeds."""

    label: str
    metadata: JsonObject = {}
    """Text in it may hold references, over the block's own outputs too."""


class OnRunFailure(StrEnum):
    """What becomes of a failed run."""

    PAUSE = "pause"
    """It is kept, and can be resumed."""
    CONTINUE = "continue"
    """Failures are tolerated, unless a block says otherwise."""
    ROLLBACK = "rollback"
    """Its checkpoints are dropped, and it cannot be resumed: for tests."""


class Retention(Noun):
    """Which finished runs of a workflow are kept."""

    max_checkpoints: int | None = None
    max_age_days: float | None = None
    keep_successful: bool = True


class CheckpointPolicy(Noun):
    """Which positions of a run get a name, and what is kept. Durability itself cannot be switched off."""

    on: tuple[CheckpointKind, ...] = tuple(CheckpointKind)
    """A pause is always marked: it is what a person resumes."""
    on_failure: OnRunFailure = OnRunFailure.PAUSE
    retention: Retention = Retention()
