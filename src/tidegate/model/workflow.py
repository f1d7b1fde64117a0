"""What a workflow is, once it has been read and found sound.

A definition is a value: a run pins it by its hash and finishes on it, whatever happens to
the file. Text in it still holds its references (`${...}`); they were parsed and checked when
the file was loaded, and are evaluated when a block starts.
"""

import hashlib
from enum import StrEnum

import msgspec

from tidegate.model.base import Json, JsonObject, Noun
from tidegate.model.ids import BlockId
from tidegate.model.policy import CheckpointPolicy, ExplicitCheckpoint, ForEach, Loop, OnFailure, RetryPolicy
from tidegate.model.secret import SecretDefinition

__all__ = [
    "BlockDefinition",
    "Dependency",
    "Effect",
    "Graph",
    "InputDefinition",
    "InputType",
    "OnInterrupt",
    "Outcome",
    "Schedule",
    "WorkflowDefinition",
    "definition_hash",
]


class Schedule(StrEnum):
    """When a block whose dependencies are met may start."""

    WAVES = "waves"
    """When every block of the waves before its own has ended."""
    EAGER = "eager"
    """At once."""


class Effect(StrEnum):
    """What running a block's body twice would do."""

    PURE = "pure"
    """Nothing outside changes: run it again."""
    IDEMPOTENT = "idempotent"
    """The second time changes nothing, given the same key: run it again."""
    ONCE = "once"
    """Something outside happens each time: never repeat it without asking."""


class OnInterrupt(StrEnum):
    """What to do with a block that was running when its process died."""

    AUTO = "auto"
    """Decide by the block's effect."""
    ASK = "ask"
    RERUN = "rerun"
    SKIP = "skip"
    FAIL = "fail"


class Outcome(StrEnum):
    """How a block can end, as `depends_on ... when` names it."""

    SUCCEEDED = "succeeded"
    FAILED = "failed"
    SKIPPED = "skipped"
    REJECTED = "rejected"
    CANCELLED = "cancelled"


class InputType(StrEnum):
    """The type of a workflow's input."""

    STRING = "string"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    LIST = "list"
    MAP = "map"


class InputDefinition(Noun):
    """One input that a workflow takes."""

    name: str
    type: InputType = InputType.STRING
    required: bool = False
    default: Json = None
    """Its value when none is given; None for an optional input without a default."""
    choices: tuple[Json, ...] = ()
    """Empty: any value of the type."""
    description: str = ""


class Dependency(Noun):
    """That a block waits for another, and for which of its outcomes it runs."""

    block: BlockId
    when: tuple[Outcome, ...] = ()
    """Empty: the default join rule. Otherwise the block runs only after one of these outcomes."""


class BlockDefinition(Noun):
    """One unit of work."""

    id: BlockId
    type: str
    description: str = ""
    inputs: dict[str, Json] = {}
    """As written, references included."""
    depends_on: tuple[Dependency, ...] = ()
    condition: str | None = None
    """One expression with a boolean result."""
    outputs: dict[str, str] = {}
    """Further outputs, each a reference or text with references over the block's own outputs too."""
    timeout: float | None = None
    """Seconds. For a block that asks a person: how long the pause stays open."""
    retry: RetryPolicy | None = None
    on_failure: OnFailure = OnFailure.FAIL
    always: bool = False
    """Whether it runs whatever happened before it, also in a run that is being cancelled."""
    for_each: ForEach | None = None
    loop: Loop | None = None
    """Never together with `for_each`."""
    checkpoint: ExplicitCheckpoint | None = None
    interactive: bool = False
    """Whether it asks a person; resolved from its type when the file was loaded."""
    effect: Effect = Effect.ONCE
    reversible: bool = True
    """Whether what it does outside can be undone, as far as its author knows."""
    on_interrupt: OnInterrupt = OnInterrupt.AUTO
    line: int = 0
    """Where it stands in its file, 1-based; 0 when it comes from no file."""


class WorkflowDefinition(Noun):
    """A whole workflow, sound and immutable."""

    name: str
    description: str = ""
    version: str = ""
    schedule: Schedule = Schedule.WAVES
    max_parallel: int = 8
    inputs: tuple[InputDefinition, ...] = ()
    secrets: tuple[SecretDefinition, ...] = ()
    """Which there are and where they are read; never what they are."""
    blocks: tuple[BlockDefinition, ...] = ()
    """In the order of the file; within a wave, that is the order they start in."""
    waves: tuple[tuple[BlockId, ...], ...] = ()
    """One topological level each; the blocks of a level in the order of the file."""
    outputs: dict[str, Json] = {}
    timeout: float | None = None
    """Seconds of machine time; time that is spent waiting for people does not count."""
    checkpoint: CheckpointPolicy = CheckpointPolicy()
    children: dict[str, "WorkflowDefinition"] = {}
    """The workflows that its `ExecuteWorkflow` blocks call, by the name they are called by; pinned with it."""
    source_path: str = ""
    """The file it was read from, for messages; empty when it was built in Python."""
    working_dir: str = ""
    """Absolute. Commands run here unless they say otherwise: the folder of the file."""

    def inputs_of(self, given: JsonObject) -> JsonObject:
        """Return those of *given* that it takes, as what another definition took may be more."""
        taken = {declared.name for declared in self.inputs}
        return {name: value for name, value in given.items() if name in taken}


def definition_hash(definition: WorkflowDefinition) -> str:
    """Return the SHA-256 (hex) of everything in *definition* that a run depends on.

    Where the file lay does not count: a workflow moved to another folder is the same workflow
    only if its commands run in the same folder, so `working_dir` counts and `source_path` and
    line numbers do not. The workflows that it calls count as it does.
    """
    return hashlib.sha256(msgspec.json.encode(_bare(definition), order="sorted")).hexdigest()


def _bare(definition: WorkflowDefinition) -> WorkflowDefinition:
    blocks = tuple(block.evolve(line=0) for block in definition.blocks)
    children = {name: _bare(child) for name, child in definition.children.items()}
    return definition.evolve(source_path="", blocks=blocks, children=children)


class Graph:
    """A definition's blocks by id, and who waits for whom.

    Built once per run and shared by all its states, so that applying an event looks at a
    block's neighbours only, never at the whole workflow.
    """

    __slots__ = ("blocks", "definition", "dependants", "wave_of")

    def __init__(self, definition: WorkflowDefinition) -> None:
        self.definition = definition
        self.blocks: dict[BlockId, BlockDefinition] = {block.id: block for block in definition.blocks}
        dependants: dict[BlockId, list[BlockId]] = {block.id: [] for block in definition.blocks}
        for block in definition.blocks:
            for dependency in block.depends_on:
                dependants[dependency.block].append(block.id)
        self.dependants: dict[BlockId, tuple[BlockId, ...]] = {
            block_id: tuple(waiting) for block_id, waiting in dependants.items()
        }
        self.wave_of: dict[BlockId, int] = {
            block_id: index for index, wave in enumerate(definition.waves) for block_id in wave
        }
