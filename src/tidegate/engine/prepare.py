"""From a block that may run to what exactly will run.

Evaluates the block's condition and inputs over what the run has produced so far. Values that
lie beside the journal are loaded only if the block's text refers to them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from tidegate.engine.view import View
from tidegate.errors import ExpressionError
from tidegate.model.base import JsonObject
from tidegate.model.events import Failure, FailureKind
from tidegate.model.workflow import BlockDefinition
from tidegate.workflows.expressions import compile_condition
from tidegate.workflows.render import Rendered, needed_blocks, render_inputs

__all__ = ["NotReady", "Preparation", "Ready", "prepare"]


@dataclass(frozen=True, slots=True)
class Ready:
    """The block runs, with these inputs."""

    inputs: JsonObject
    bindings: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class NotReady:
    """The block does not run: it is skipped, or it fails before it starts."""

    skip: str = ""
    failure: Failure = field(default_factory=lambda: Failure(kind=FailureKind.ERROR, message=""))


Preparation: TypeAlias = Ready | NotReady


async def prepare(view: View, block: BlockDefinition) -> Preparation:
    """Decide whether *block* runs, and with what."""
    names, spec = view.names, view.parts.blocks[block.type].spec
    scope = await view.scope(needed_blocks(block, spec, names) - {block.id})
    try:
        if block.condition is not None and not compile_condition(block.condition, names).evaluate(scope):
            return NotReady(skip=f"its condition is false: {block.condition}")
    except ExpressionError as error:
        return _failed(FailureKind.CONDITION, f"its condition cannot be decided: {error}")
    try:
        return _ready(render_inputs(block, spec, names, scope))
    except ExpressionError as error:
        return _failed(FailureKind.INPUTS, str(error))


def _ready(rendered: Rendered) -> Ready:
    return Ready(inputs=rendered.inputs, bindings=rendered.bindings)


def _failed(kind: FailureKind, message: str) -> NotReady:
    return NotReady(failure=Failure(kind=kind, message=message))
