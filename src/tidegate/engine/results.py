"""What a run gives back when it ends."""

from tidegate.engine.view import View
from tidegate.errors import ExpressionError
from tidegate.model.events import RunFinished, RunStatus
from tidegate.workflows.render import render_outputs

__all__ = ["run_outputs"]


async def run_outputs(view: View, status: RunStatus) -> RunFinished:
    """Return the end of the run with its outputs; a run whose outputs cannot be made has failed."""
    definition = view.state.graph.definition
    if not definition.outputs:
        return RunFinished(status=status)
    scope = await view.scope(view.state.graph.blocks)
    try:
        return RunFinished(status=status, outputs=render_outputs(definition, view.names, scope))
    except ExpressionError as error:
        return RunFinished(status=RunStatus.FAILED, reason=f"its outputs cannot be made: {error}")
