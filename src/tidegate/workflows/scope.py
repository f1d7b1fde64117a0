"""What names a text may use, and what they stand for in a run."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

from tidegate.model.base import Json
from tidegate.model.workflow import BlockDefinition, WorkflowDefinition

__all__ = ["BlockView", "NameVariants", "Names", "Scope", "names_of", "remember_names"]

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Names:
    """The names that texts of one workflow may use.

    Itself, not what it holds, is what texts are remembered by: comparing all names of a long workflow for
    each of its texts would take the square of its length.
    """

    inputs: frozenset[str]
    blocks: frozenset[str]
    item: bool = False
    """Whether `${item}` and `${index}` mean something: in a block with `for_each`."""
    index: bool = False
    """Whether `${index}` does: in a block with `for_each` or `loop`."""
    run: bool = False
    """Whether `${run.status}` and `${run.failures}` do: in a block that runs `always`."""
    feedback: bool = True
    """Whether `${run.feedback}` does: in a block, but not in the workflow's outputs."""
    secrets: frozenset[str] = frozenset()
    keeps_secrets: bool = False
    """Whether `${secrets.X}` may stand here: in an input of which nothing is kept, and nowhere else."""
    _meanings: dict[tuple[str, object], Any] = field(default_factory=dict, init=False, repr=False)
    """By the text and who has read it."""
    _found: dict[tuple[str, object], tuple[object, Any]] = field(default_factory=dict, init=False, repr=False)
    """What was found out about a thing, by its id and by what was asked; with the thing itself."""

    def knows(self, word: str) -> bool:
        """Return whether *word* by itself means something: an input, a block, `item` or `index`."""
        return word in self.inputs or word in self.blocks or self.is_own(word)

    def outside_items(self) -> "Names":
        """Return what may be used where there is no item yet: in what is gone through."""
        return self._outside if self.item else self

    @cached_property
    def _outside(self) -> "Names":
        return replace(self, item=False, index=False)

    def of_input(self, name: str, secret_inputs: frozenset[str]) -> "Names":
        """Return what may be used in the input *name* of a block; secrets only in *secret_inputs*."""
        return self._keeping if name in secret_inputs and self.secrets else self

    @cached_property
    def _keeping(self) -> "Names":
        return replace(self, keeps_secrets=True)

    def meaning_of(self, text: str, read: Callable[[str, "Names"], T]) -> T:
        """Return what *read* makes of *text* among these names; it is asked once for each text."""
        key = (text, read)
        if key not in self._meanings:
            self._meanings[key] = read(text, self)
        meaning: T = self._meanings[key]
        return meaning

    def found(self, thing: BlockDefinition, what: object, find: Callable[[], T]) -> T:
        """Return what *find* gives for *what* was asked of *thing*; it is asked once for each of them."""
        key = (thing.id, what)
        known = self._found.get(key)
        # Itself: somebody else's block may have the same id.
        if known is None or known[0] is not thing:
            known = self._found[key] = (thing, find())
        answer: T = known[1]
        return answer

    def is_own(self, word: str) -> bool:
        """Return whether *word* is `item` or `index`, and means something here."""
        return (self.item and word == "item") or (self.index and word == "index")


@dataclass(slots=True)
class NameVariants:
    """The names of one workflow, by what a block is: a handful, whatever the number of blocks."""

    plain: Names
    """Where nothing but inputs and blocks is known."""
    outputs: Names = field(init=False)
    """What the workflow's outputs may use."""
    _made: dict[tuple[bool, bool, bool], Names] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Make what is not a block's."""
        self.outputs = replace(self.plain, feedback=False)

    def of(self, *, for_each: bool, loop: bool, always: bool) -> Names:
        """Return the names that texts of such a block may use."""
        key = (for_each, loop, always)
        if not any(key):
            return self.plain
        if key not in self._made:
            self._made[key] = replace(self.plain, item=for_each, index=for_each or loop, run=always)
        return self._made[key]


@dataclass(frozen=True)
class BlockView:
    """What the rest of a run may see of a block."""

    status: str
    """As in the run's state: `pending`, `succeeded`, `skipped` and so on."""
    outputs: Mapping[str, Json]
    reason: str = ""
    """Why it did not run, or failed."""


@dataclass(frozen=True)
class Scope:
    """The values behind the names, at one moment of one run."""

    inputs: Mapping[str, Json]
    blocks: Mapping[str, BlockView]
    """By id. A block that is not in it has not run."""
    run_id: str
    workflow: str
    """The workflow's name."""
    item: Json = None
    index: int = 0
    """Of the item, or of the iteration; from 0."""
    state: Mapping[str, Json] = field(default_factory=dict)
    """What blocks have set of the run's own state."""
    run_status: str = ""
    """As which the run would end if it ended now: `succeeded`, `failed`, `rejected` or `cancelled`."""
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    """By name: their masks, and while a block's work is given what it needs, what they are."""
    run_feedback: str = ""
    """What a person said when the block that reads it was last run again; empty where nobody has."""
    run_failures: list[Json] = field(default_factory=list)
    """Per failed block that is not tolerated a mapping: `block`, `kind`, `message`, `exit_code`."""


_KEPT = 64
_recent: dict[int, tuple[WorkflowDefinition, NameVariants]] = {}
"""By identity, each with its definition, so that the identity cannot be another's."""


def names_of(definition: WorkflowDefinition, block: BlockDefinition | None = None) -> Names:
    """Return the names that texts of *block* may use; without one, those of the workflow's outputs."""
    variants = _variants(definition)
    if block is None:
        return variants.outputs
    return variants.of(for_each=block.for_each is not None, loop=block.loop is not None, always=block.always)


def remember_names(definition: WorkflowDefinition, variants: NameVariants) -> None:
    """Let texts of *definition* that have been read with these names not be read again."""
    if len(_recent) >= _KEPT:
        _recent.clear()
    _recent[id(definition)] = (definition, variants)


def _variants(definition: WorkflowDefinition) -> NameVariants:
    # Asked for once per block of a run: made anew each time, 10,000 blocks would cost 10,000 times 10,000.
    known = _recent.get(id(definition))
    if known is not None and known[0] is definition:
        return known[1]
    inputs = frozenset(declared.name for declared in definition.inputs)
    blocks = frozenset(str(block.id) for block in definition.blocks)
    secrets = frozenset(secret.name for secret in definition.secrets)
    variants = NameVariants(Names(inputs, blocks, secrets=secrets))
    remember_names(definition, variants)
    return variants
