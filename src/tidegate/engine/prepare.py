"""From a block that may run to what exactly will run.

Evaluates the block's condition and inputs over what the run has produced so far. Values that
lie beside the journal are loaded only if the block's text refers to them.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from tidegate.engine.parts import Parts
from tidegate.errors import ExpressionError, InputsError
from tidegate.model.base import Json, JsonObject
from tidegate.model.events import Failure, FailureKind
from tidegate.model.ids import BlockId
from tidegate.model.state import BlockState, BlockStatus, RunState
from tidegate.model.workflow import BlockDefinition
from tidegate.store.values import load_values
from tidegate.workflows.expressions import BlockView, Scope, compile_condition, compile_text
from tidegate.workflows.render import Rendered, names_of, needed_blocks, render_inputs

__all__ = ["NotReady", "Preparation", "Ready", "prepare", "scope_of", "with_block_outputs"]


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


async def prepare(parts: Parts, state: RunState, block: BlockDefinition) -> Preparation:
    """Decide whether *block* runs, and with what."""
    names = names_of(state.graph.definition)
    spec = parts.catalog[block.type]
    scope = await scope_of(parts, state, needed_blocks(block, spec, names) - {block.id})
    try:
        if block.condition is not None and not compile_condition(block.condition, names).evaluate(scope):
            return NotReady(skip=f"its condition is false: {block.condition}")
    except ExpressionError as error:
        return _failed(FailureKind.CONDITION, f"its condition cannot be decided: {error}")
    try:
        return _ready(render_inputs(block, spec, names, scope))
    except (ExpressionError, InputsError) as error:
        return _failed(FailureKind.INPUTS, str(error))


def _ready(rendered: Rendered) -> Ready:
    return Ready(inputs=rendered.inputs, bindings=rendered.bindings)


def _failed(kind: FailureKind, message: str) -> NotReady:
    return NotReady(failure=Failure(kind=kind, message=message))


async def scope_of(parts: Parts, state: RunState, blocks: Iterable[str]) -> Scope:
    """Return what expressions see of the run: its inputs, and the named blocks with their outputs."""
    states = {block_id: state.block(BlockId(block_id)) for block_id in blocks}
    loaded = await load_values(parts.store, [block.outputs for block in states.values()])
    views = {
        block_id: BlockView(status=block.status.value, outputs=outputs, reason=_why_no_outputs(block))
        for (block_id, block), outputs in zip(states.items(), loaded, strict=True)
    }
    return Scope(inputs=state.inputs, blocks=views, run_id=state.run_id, workflow=state.graph.definition.name)


def _why_no_outputs(block: BlockState) -> str:
    if block.status is BlockStatus.FAILED and block.failure is not None:
        return block.failure.message
    return block.reason


def with_block_outputs(
    block: BlockDefinition, state: RunState, scope: Scope, outputs: JsonObject
) -> JsonObject:
    """Return *outputs* and what the block's own `outputs` section makes of them.

    Raises:
        ExpressionError: one of them cannot be evaluated.
    """
    if not block.outputs:
        return outputs
    names = names_of(state.graph.definition)
    view = BlockView(status=BlockStatus.SUCCEEDED.value, outputs=outputs)
    own = Scope(
        inputs=scope.inputs,
        blocks={**scope.blocks, block.id: view},
        run_id=scope.run_id,
        workflow=scope.workflow,
    )
    extra: dict[str, Json] = {
        name: compile_text(text, names).evaluate(own) for name, text in block.outputs.items()
    }
    return {**outputs, **extra}
