"""The four kinds of block, what each is given, and what each may return."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, MutableMapping
from dataclasses import dataclass, field
from typing import ClassVar, Protocol, TypeAlias

from tidegate.blocks.masking import Masks
from tidegate.model.base import Json, JsonObject
from tidegate.model.catalog import BlockSpec
from tidegate.model.events import Failure
from tidegate.model.ids import BlockId, RunId
from tidegate.model.prompt import Answer, Prompt

__all__ = [
    "Asked",
    "Block",
    "BlockContext",
    "BlockType",
    "ChildBlock",
    "Completed",
    "Failed",
    "InteractiveBlock",
    "InteractiveResult",
    "Mark",
    "Rejected",
    "Result",
    "TimerBlock",
    "WorkBlock",
]


@dataclass(frozen=True, slots=True)
class Completed:
    """The block did its work."""

    outputs: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Failed:
    """The block did not do its work."""

    failure: Failure
    outputs: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Rejected:
    """A person said no, and that is to stop what depends on it."""

    outputs: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Asked:
    """The block asks a person (again)."""

    prompt: Prompt


@dataclass(frozen=True, slots=True)
class Mark:
    """A checkpoint that a block asks for; it is taken with the block's outcome, if that is a success."""

    label: str
    metadata: JsonObject = field(default_factory=dict)


Result: TypeAlias = Completed | Failed
InteractiveResult: TypeAlias = Completed | Rejected | Asked


class BlockContext(Protocol):
    """What a running block may use of the world."""

    @property
    def run_id(self) -> RunId:
        """The run it belongs to."""
        ...

    @property
    def block_id(self) -> BlockId:
        """Its own id."""
        ...

    @property
    def attempt(self) -> int:
        """Counted from 1."""
        ...

    @property
    def idempotency_key(self) -> str:
        """Stable across retries and crash-resume."""
        ...

    @property
    def working_dir(self) -> str:
        """Absolute; where relative paths of the workflow start."""
        ...

    @property
    def bindings(self) -> Mapping[str, str]:
        """Environment variables through which values reach its shell text as data."""
        ...

    @property
    def withheld(self) -> Collection[str]:
        """Variables of the engine's environment that no program inherits: secrets are read from them."""
        ...

    @property
    def masks(self) -> Masks:
        """What must not be kept of what it writes: for a block that cuts something off before it gives it.

        Everything that it hands over, returns or raises is masked anyway.
        """
        ...

    async def emit(self, stream: int, data: bytes) -> None:
        """Hand over bytes that were written to stream 1 (stdout) or 2 (stderr).

        Waits when the store cannot keep up, so that memory stays bounded.
        """
        ...

    @property
    def state(self) -> MutableMapping[str, Json]:
        """The run's own state (`${state.x}`) as it was when the attempt started.

        What is set here becomes the run's with the outcome, if that is a success.
        """
        ...

    @property
    def marks(self) -> list[Mark]:
        """Checkpoints to be taken with the outcome, if that is a success; to be added to."""
        ...

    @property
    def steps(self) -> Mapping[str, Json]:
        """The results of the steps that earlier attempts, or this one, have recorded, by key."""
        ...

    async def record_step(self, key: str, value: Json) -> None:
        """Remember the result of a step; returns once it is durable."""
        ...

    async def note_progress(self, fraction: float, message: str = "") -> None:
        """Say how far the work has come, 0 to 1. Cheap: what comes too often is dropped."""
        ...


class WorkBlock(ABC):
    """A block that does something by itself."""

    spec: ClassVar[BlockSpec]
    takes_secrets: ClassVar[bool] = True
    """Whether secrets are read for it. Not for one that only stands for another, and does nothing."""

    @abstractmethod
    async def run(self, inputs: JsonObject, context: BlockContext) -> Result:
        """Do the work.

        Cancelling this call (a timeout, a cancel, the engine's end) must leave nothing running:
        it returns only when everything it started is proven dead.

        Args:
            inputs: As in the file, references resolved.
            context: What it may use of the world.
        """

    @abstractmethod
    def summary(self, inputs: Mapping[str, Json]) -> str:
        """Return one bounded line for a person who must recognise what was about to run."""

    def presumed(self) -> JsonObject:
        """Return the outputs to go on with when a person says, after a crash, that it did its work."""
        return {}


class InteractiveBlock(ABC):
    """A block that asks a person. Pure: what it asks and what it makes of the answer."""

    spec: ClassVar[BlockSpec]

    @abstractmethod
    def ask(self, inputs: JsonObject) -> Prompt:
        """Return the question.

        Raises:
            InputsError: the inputs, now resolved, are not what the block takes.
        """

    @abstractmethod
    def resume(self, prompt: Prompt, answer: Answer) -> InteractiveResult:
        """Return what the answer makes of the block."""

    @abstractmethod
    def expire(self, prompt: Prompt) -> Result | Rejected:
        """Return what becomes of the block when nobody answered in time; never an approval."""


class TimerBlock(ABC):
    """A block that does nothing until an instant. Pure: the journal keeps the instant, no task waits."""

    spec: ClassVar[BlockSpec]

    @abstractmethod
    def until(self, inputs: JsonObject, now: float) -> float:
        """Return the instant at which it has done its work. Seconds since 1970 UTC, as *now*.

        Raises:
            InputsError: the inputs, now resolved, are not what the block takes.
        """

    @abstractmethod
    def summary(self, inputs: Mapping[str, Json]) -> str:
        """Return one bounded line that says what is waited for."""

    @abstractmethod
    def elapsed(self, started_at: float, now: float) -> JsonObject:
        """Return its outputs, once the instant has come."""


class ChildBlock(ABC):
    """A block whose work is another run."""

    spec: ClassVar[BlockSpec]

    @abstractmethod
    def call(self, inputs: JsonObject) -> tuple[str, JsonObject]:
        """Return the name of the workflow it calls, and the inputs it passes.

        Raises:
            InputsError: the inputs, now resolved, are not what the block takes.
        """


Block: TypeAlias = WorkBlock | InteractiveBlock | TimerBlock | ChildBlock
BlockType: TypeAlias = type[WorkBlock] | type[InteractiveBlock] | type[TimerBlock] | type[ChildBlock]
