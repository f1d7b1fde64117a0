"""What resuming a run would do, read before anybody is asked whether to do it."""

from dataclasses import dataclass

from tidegate.engine.pauses import recovery_of
from tidegate.engine.resume import resumed_blocks
from tidegate.model.events import RunStatus
from tidegate.model.ids import BlockId, RunId
from tidegate.model.state import BlockStatus, RunState
from tidegate.model.workflow import OnInterrupt
from tidegate.tui.session import Session

__all__ = ["Resumption", "read_resumption"]

_HALF_DONE = (BlockStatus.RUNNING, BlockStatus.INTERRUPTED)


@dataclass(frozen=True, slots=True)
class Resumption:
    """What becomes of which blocks, each kind in the order of the file."""

    run_id: RunId
    workflow: str
    is_failed: bool
    """It has ended as failed; otherwise it was interrupted."""
    failed: tuple[BlockId, ...] = ()
    """They run again."""
    following: tuple[BlockId, ...] = ()
    """They are planned again because they follow a block that failed."""
    asked: tuple[BlockId, ...] = ()
    """They were interrupted, and may have done their work: a person decides."""
    rerun: tuple[BlockId, ...] = ()
    """They were interrupted, and run again without a question, as the workflow says."""
    ended: tuple[BlockId, ...] = ()
    """They were interrupted, and are skipped or fail, as the workflow says."""


async def read_resumption(session: Session, run_id: RunId) -> Resumption:
    """Read what resuming *run_id* would do.

    Raises:
        RunNotFound: there is no such run.
        RunFinished: it succeeded.
        NotResumable: a person ended it.
    """
    state = await session.history.state(run_id)
    workflow = state.graph.definition.name
    if state.finished is not None:
        again = resumed_blocks(state)
        failed = tuple(block for block in again if state.block(block).status is BlockStatus.FAILED)
        following = tuple(block for block in again if block not in failed)
        is_failed = state.status is RunStatus.FAILED
        return Resumption(run_id, workflow, is_failed, failed, following)
    return Resumption(
        run_id,
        workflow,
        is_failed=False,
        asked=_half_done(state, OnInterrupt.ASK),
        rerun=_half_done(state, OnInterrupt.RERUN),
        ended=_half_done(state, OnInterrupt.SKIP, OnInterrupt.FAIL),
    )


def _half_done(state: RunState, *rules: OnInterrupt) -> tuple[BlockId, ...]:
    """Return the blocks that were at work, and fall under one of *rules*."""
    return tuple(
        name
        for name, block in state.graph.blocks.items()
        if state.block(name).status in _HALF_DONE and recovery_of(block) in rules
    )
