"""What a turn of a run means for the runs above it, whose blocks it works for."""

import contextlib

from tidegate.engine.parts import Parts
from tidegate.engine.resume import retried_blocks
from tidegate.engine.turns import request_resume
from tidegate.errors import NotResumable
from tidegate.model.ids import RunId, block_of
from tidegate.model.listing import RunRow
from tidegate.model.state import BlockStatus

__all__ = ["current_row", "reopen_above"]


async def current_row(parts: Parts, run_id: RunId) -> RunRow:
    """Return a run's row, if the block that started it still takes it for its own.

    Raises:
        RunNotFound: there is no such run.
        NotResumable: that block was run again since, as another run, or has ended with what this one gave.
    """
    row = await parts.store.run(run_id)
    started_by = (await parts.states.newest(run_id)).parent if row.parent is not None else None
    if started_by is None:
        return row
    caller = (await parts.states.newest(started_by.run_id)).block(started_by.block)
    child = caller.child
    if child is None or child.run_id != run_id:
        since = f"as run {child.run_id}" if child is not None else "since"
        problem = f"block '{started_by.block}' of run {started_by.run_id} was run again {since}"
        raise NotResumable(f"run {run_id}", problem, "What was before stays as it is")
    if caller.status is BlockStatus.SUCCEEDED and row.summary.status.is_terminal:
        # To reopen it alone would leave a run that nobody drives below one that has used what it gave.
        problem = f"block '{started_by.block}' of run {started_by.run_id} has ended with what it gave"
        raise NotResumable(f"run {run_id}", problem, f"Rerun '{block_of(started_by.block)}' there")
    await current_row(parts, started_by.run_id)
    return row


async def reopen_above(parts: Parts, row: RunRow, by: str) -> None:
    """Let the runs above go on that take the block which started this run for ended."""
    if row.parent is None:
        return
    started_by = (await parts.states.newest(row.run_id)).parent
    place = started_by.block if started_by is not None else None
    with contextlib.suppress(NotResumable):  # It is not ended, as far as that run knows.
        await request_resume(parts, row.parent, lambda state: retried_blocks(state, place), by=by)
        await reopen_above(parts, await parts.store.run(row.parent), by)
