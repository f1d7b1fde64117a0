"""What a block type takes and gives, as far as a workflow file can be checked against it.

The loader sees block types only through this: it knows no block's code. The registry in
`blocks` makes one `BlockSpec` per type.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol, TypeAlias, cast, runtime_checkable

from tidegate.model.base import Json
from tidegate.model.workflow import Effect

__all__ = [
    "BlockSpec",
    "Catalog",
    "InputCheck",
    "InputProblem",
    "InputSpec",
    "SpeakingCheck",
    "ValueType",
]


class ValueType(StrEnum):
    """The type of one output, for checks at load time."""

    STRING = "string"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    LIST = "list"
    MAP = "map"
    ANY = "any"


@dataclass(frozen=True, slots=True)
class InputProblem:
    """One thing wrong with the inputs of a block."""

    path: tuple[str | int, ...]
    """Where: the input's name, then keys and positions inside it. Empty: the inputs as a whole."""
    message: str


InputCheck: TypeAlias = Callable[[Mapping[str, Json], Callable[[Json], bool]], tuple[InputProblem, ...]]
"""Called with a block's inputs as written, and a function that tells whether a value holds a reference
(and so is not known before the run). Returns every problem that can be seen without running."""


@dataclass(frozen=True, slots=True)
class InputSpec:
    """One input of a block type, for a person who writes a workflow."""

    name: str
    """As a file writes it."""
    type: str
    """In words: `text`, `number`, `list`, `json | text | none`."""
    required: bool = False
    default: Json = None
    description: str = ""
    """One sentence, or a few."""


@runtime_checkable
class SpeakingCheck(Protocol):
    """A check that can also tell what it takes."""

    def inputs(self) -> tuple[InputSpec, ...]:
        """Return the inputs, in the order in which a person is told them."""
        ...


@dataclass(frozen=True, slots=True)
class BlockSpec:
    """What the loader knows of a block type."""

    type: str
    check: InputCheck
    outputs: Mapping[str, ValueType]
    """Its outputs by name; `status` is known of every block and is not listed."""
    open_outputs: bool = False
    """Whether it may have further outputs that only a run shows."""
    interactive: bool = False
    effect: Effect = Effect.ONCE
    shell_inputs: frozenset[str] = field(default_factory=frozenset)
    """Inputs that are shell text: references in them become bound variables, and a `${NAME}` that
    is no known name stays for the shell."""
    secret_inputs: frozenset[str] = field(default_factory=frozenset)
    """Inputs in which `${secrets.X}` may stand, as a file writes them: what they hold reaches its work and is
    kept nowhere, so it is neither in `summary` nor among the arguments of a process."""
    effect_of: Callable[[Mapping[str, Json]], Effect] | None = None
    """The effect that one block has, from its inputs as written, where it depends on them. What a reference
    hides must be taken for the worst. None: `effect`."""
    streams: frozenset[str] = field(default_factory=frozenset)
    """Outputs that are the text of what it wrote, cut to a bounded length: however long they are, they
    never make its outputs too large (`max_checkpoint_size_mb`)."""
    calls: str | None = None
    """The input that names the workflow it calls, if it calls one."""
    description: str = ""
    """For people; its first line says what the type is for."""
    example: str = ""
    """YAML of one block, which loads."""

    def effect_with(self, inputs: Mapping[str, Json]) -> Effect:
        """Return the effect of a block with these inputs, as written."""
        return self.effect_of(inputs) if self.effect_of is not None else self.effect

    def inputs(self) -> tuple[InputSpec, ...]:
        """Return what it takes; nothing where its check does not tell."""
        check = cast("object", self.check)
        return check.inputs() if isinstance(check, SpeakingCheck) else ()


Catalog: TypeAlias = Mapping[str, BlockSpec]
