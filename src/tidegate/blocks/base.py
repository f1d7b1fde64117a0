"""The two kinds of block, what each is given, and what each may return."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Protocol, TypeAlias

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
    "Completed",
    "Failed",
    "InteractiveBlock",
    "InteractiveResult",
    "Rejected",
    "Result",
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

    async def emit(self, stream: int, data: bytes) -> None:
        """Hand over bytes that were written to stream 1 (stdout) or 2 (stderr).

        Waits when the store cannot keep up, so that memory stays bounded.
        """
        ...


class WorkBlock(ABC):
    """A block that does something by itself."""

    spec: ClassVar[BlockSpec]

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


Block: TypeAlias = WorkBlock | InteractiveBlock
BlockType: TypeAlias = type[WorkBlock] | type[InteractiveBlock]
