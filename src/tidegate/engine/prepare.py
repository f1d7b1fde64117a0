"""From a place that may run to what exactly will run.

Evaluates the block's condition and inputs over what the run has produced so far. Values that
lie beside the journal are loaded only if the block's text refers to them.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from tidegate.engine.view import View
from tidegate.errors import ExpressionError
from tidegate.model.base import Json, JsonObject
from tidegate.model.catalog import BlockSpec
from tidegate.model.events import Failure
from tidegate.model.ids import BlockId, is_part
from tidegate.model.policy import FailureKind
from tidegate.model.state import RunState
from tidegate.model.workflow import BlockDefinition
from tidegate.workflows.expressions import Names, Scope, compile_condition
from tidegate.workflows.render import (
    condition_is_per_item,
    needed_blocks,
    render_inputs,
    render_items,
    secrets_of,
)

__all__ = ["InParts", "NotReady", "Preparation", "Ready", "prepare"]


@dataclass(frozen=True, slots=True)
class Ready:
    """The place runs, with these inputs."""

    inputs: JsonObject
    """With masks in the place of secrets: what is told and kept is made of these."""
    bindings: Mapping[str, str]
    secrets: frozenset[str] = frozenset()
    """The names of those that the inputs read."""
    with_secrets: Callable[[Mapping[str, str]], JsonObject] | None = field(default=None, repr=False)
    """Gives the inputs with what the secrets are, by name; None: they read none."""


@dataclass(frozen=True, slots=True)
class InParts:
    """The block runs once for each of these items; if there are no keys because it is a loop, again and again."""

    keys: tuple[str, ...] = ()
    items: tuple[Json, ...] = ()


@dataclass(frozen=True, slots=True)
class NotReady:
    """The place does not run: it is skipped, or it fails before it starts."""

    skip: str = ""
    failure: Failure = field(default_factory=lambda: Failure(kind=FailureKind.ERROR, message=""))


Preparation: TypeAlias = Ready | InParts | NotReady


async def prepare(view: View, place: BlockId) -> Preparation:
    """Decide whether *place* runs, and with what."""
    block = block_as_given(view.state, view.state.definition_of(place))
    names, spec = view.names(block), view.body(place).spec
    scope = await view.scope(needed_blocks(block, spec, names, part=is_part(place)), place)
    try:
        if not _condition_holds(block, place, names, scope):
            return NotReady(skip=f"its condition is false: {block.condition}")
    except ExpressionError as error:
        return _failed(FailureKind.CONDITION, f"its condition cannot be decided: {error}")
    try:
        if not is_part(place) and block.for_each is not None:
            return InParts(*render_items(block, names, scope))
        if not is_part(place) and block.loop is not None:
            return InParts()
        return _ready(block, spec, names, scope)
    except ExpressionError as error:
        return _failed(FailureKind.INPUTS, str(error))


def _ready(block: BlockDefinition, spec: BlockSpec, names: Names, scope: Scope) -> Ready:
    rendered = render_inputs(block, spec, names, scope)
    needed = secrets_of(block, spec, names)
    if not needed:
        return Ready(inputs=rendered.inputs, bindings=rendered.bindings)

    def with_secrets(values: Mapping[str, str]) -> JsonObject:
        return render_inputs(block, spec, names, replace(scope, secrets=values)).inputs

    return Ready(rendered.inputs, rendered.bindings, needed, with_secrets)


def block_as_given(state: RunState, block: BlockDefinition) -> BlockDefinition:
    """Return *block* with the inputs that a person has replaced in this run; their texts are texts like any other."""
    given = state.given.get(block.id)
    return block.evolve(inputs={**block.inputs, **given}) if given else block


def _condition_holds(block: BlockDefinition, place: BlockId, names: Names, scope: Scope) -> bool:
    """Decide the condition where it belongs: once for the block, or, if it reads the item, for each item."""
    if block.condition is None:
        return True
    if (block.for_each is not None or block.loop is not None) and (
        is_part(place) != condition_is_per_item(block, names)
    ):
        return True
    return compile_condition(block.condition, names).evaluate(scope)


def _failed(kind: FailureKind, message: str) -> NotReady:
    return NotReady(failure=Failure(kind=kind, message=message))
