"""How a question is sent back: what it follows runs again, and then it is asked anew."""

from collections.abc import Mapping

from tidegate.engine.parts import Parts
from tidegate.engine.resume import Standing, rerun_blocks
from tidegate.engine.turns import request_resume
from tidegate.engine.votes import must_be_open
from tidegate.model.ids import BlockId
from tidegate.model.listing import PauseRow
from tidegate.model.state import RunState

__all__ = ["send_back"]


async def send_back(
    parts: Parts,
    row: PauseRow,
    block: BlockId,
    *,
    by: str,
    feedback: str,
    seen: Mapping[BlockId, Standing] | None = None,
) -> None:
    """Plan again what an open question follows, from a block on; returns once that is durable.

    Bound to the question as an answer is: whoever decides it first has decided it.

    Raises:
        AlreadyAnswered, PauseClosed: it is not open any more.
        BlockNotFound, NotResumable, InvalidAnswer: as `rerun_blocks` and `request_resume` do.
    """

    def which(state: RunState) -> tuple[BlockId, ...]:
        must_be_open(state, state.pauses[row.pause_id], parts.clock.now())
        return rerun_blocks(state, block, seen)

    await request_resume(parts, row.run_id, which, by=by, fresh=True, feedback=feedback)
