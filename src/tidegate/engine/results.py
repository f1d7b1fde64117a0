"""How a run ends, and what it gives back."""

from tidegate.engine.view import View
from tidegate.errors import ExpressionError
from tidegate.model.events import CancelRequested, RunFinished, RunStatus
from tidegate.model.policy import OnRunFailure
from tidegate.workflows.render import render_outputs

__all__ = ["finish", "who_cancelled"]


async def finish(view: View, status: RunStatus) -> RunFinished:
    """Return the end of the run with its outputs; a run whose outputs cannot be made has failed."""
    if view.state.cancel is not None:
        return RunFinished(status=status, reason=who_cancelled(view.state.cancel))
    if view.state.timed_out:
        limit = view.state.graph.definition.timeout or 0.0
        return RunFinished(status=status, reason=f"timed out after {limit:g} s of machine time")
    finished = await _with_outputs(view, status)
    discards = view.state.graph.definition.checkpoint.on_failure is OnRunFailure.ROLLBACK
    return finished.evolve(discarded=discards and finished.status is RunStatus.FAILED)


async def _with_outputs(view: View, status: RunStatus) -> RunFinished:
    definition = view.state.graph.definition
    if not definition.outputs:
        return RunFinished(status=status)
    scope = await view.scope(view.state.graph.blocks)
    try:
        return RunFinished(status=status, outputs=render_outputs(definition, view.names(), scope))
    except ExpressionError as error:
        return RunFinished(status=RunStatus.FAILED, reason=f"its outputs cannot be made: {error}")


def who_cancelled(cancel: CancelRequested) -> str:
    """Return by whom and why a run was cancelled, as a sentence fragment."""
    return f"cancelled by {cancel.by or 'somebody'}" + (f": {cancel.reason}" if cancel.reason else "")
