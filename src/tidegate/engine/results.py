"""What a run gives back when it ends."""

from tidegate.engine.parts import Parts
from tidegate.engine.prepare import scope_of
from tidegate.errors import ExpressionError
from tidegate.model.events import RunFinished, RunStatus
from tidegate.model.state import RunState
from tidegate.workflows.render import names_of, render_outputs

__all__ = ["run_outputs"]


async def run_outputs(parts: Parts, state: RunState, status: RunStatus) -> RunFinished:
    """Return the end of the run with its outputs; a run whose outputs cannot be made has failed."""
    definition = state.graph.definition
    if not definition.outputs:
        return RunFinished(status=status)
    names = names_of(definition)
    scope = await scope_of(parts, state, state.graph.blocks)
    try:
        return RunFinished(status=status, outputs=render_outputs(definition, names, scope))
    except ExpressionError as error:
        return RunFinished(status=RunStatus.FAILED, reason=f"its outputs cannot be made: {error}")
