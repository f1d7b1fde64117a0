"""Which blocks of a failed run are planned again."""

from tidegate.errors import NotResumable, RunFinished
from tidegate.model.events import RunStatus
from tidegate.model.ids import BlockId
from tidegate.model.state import BlockStatus, RunState

__all__ = ["resumed_blocks"]


def resumed_blocks(state: RunState) -> tuple[BlockId, ...]:
    """Return the failed blocks of a finished run and everything downstream of them, in file order.

    Raises:
        RunFinished: it succeeded.
        NotResumable: it was rejected or cancelled: a person ended it.
    """
    if state.status is RunStatus.SUCCEEDED:
        raise RunFinished(state.run_id, state.status)
    if state.status is not RunStatus.FAILED:
        workflow = state.graph.definition.name
        raise NotResumable(
            f"run {state.run_id}",
            f"it was {state.status}, and a person meant that",
            f"Start it again with `tidegate run {workflow}`",
        )
    again = {block_id for block_id, block in state.touched.items() if block.status is BlockStatus.FAILED}
    frontier = list(again)
    while frontier:
        for dependant in state.graph.dependants[frontier.pop()]:
            if dependant not in again:
                again.add(dependant)
                frontier.append(dependant)
    return tuple(block_id for block_id in state.graph.blocks if block_id in again)
