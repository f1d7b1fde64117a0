"""Which turns of a run would do something now: what the key bar shows, and what it shows in grey."""

from tidegate.history.views import RunView
from tidegate.model.events import RunStatus
from tidegate.model.ids import BlockId, block_of
from tidegate.model.state import BlockStatus, RunState
from tidegate.tui.nouns.turns import Turn

__all__ = ["LOST", "may_turn"]

_RESUMABLE = (RunStatus.FAILED, RunStatus.INTERRUPTED)
LOST = (BlockStatus.FAILED, BlockStatus.CANCELLED, BlockStatus.REJECTED)
"""What may be tried again."""


def may_turn(action: str, view: RunView, state: RunState | None = None, place: BlockId | None = None) -> bool:
    """Return whether a key that turns a run would do something.

    Args:
        action: As the key is bound: `screen.turn('pause')`.
        view: The run.
        state: The same, if its blocks are looked at.
        place: What of it the cursor is on.
    """
    match Turn(action.split("'")[1]):
        case Turn.PAUSE | Turn.CANCEL:
            return not view.status.is_terminal
        case Turn.RETRY:
            is_lost = state is not None and place is not None and state.block(place).status in LOST
            return is_lost or view.status in _RESUMABLE or view.row.summary.failed > 0
        case Turn.RERUN:
            return state is not None and place is not None and _may_rerun(state, place)
        case Turn.SEND_BACK:
            return False  # Only from where the question is read.
        case Turn.SKIP:
            return state is not None and place is not None and _may_skip(state, place)


def _may_rerun(state: RunState, place: BlockId) -> bool:
    """Return whether the block of a place has ended, so that it can run again."""
    is_ending = state.finished is None and state.is_stopping
    return not is_ending and state.block(block_of(place)).status.has_ended


def _may_skip(state: RunState, place: BlockId) -> bool:
    """Return whether a place neither runs nor has ended well."""
    block = state.block(place)
    if block.fan is not None or place in state.children:
        return False
    if block.status is BlockStatus.FAILED:
        return True
    return state.finished is None and not block.is_at_work and not block.status.has_ended
