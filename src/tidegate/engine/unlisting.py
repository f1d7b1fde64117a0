"""Taking checkpoints off the list. That removes the mark, never history.

The checkpoint of an open question is how its answer finds the run: it goes only together with a cancel of
that run, and only where somebody has asked for that.
"""

import contextlib
from collections.abc import Awaitable, Callable

from tidegate.errors import CheckpointInUse, CheckpointPinned, RunFinished
from tidegate.model.ids import CheckpointId, RunId
from tidegate.model.listing import CheckpointRow
from tidegate.store.protocol import Store

__all__ = ["unlist", "why_listed"]


def why_listed(mark: CheckpointRow) -> CheckpointInUse | None:
    """Return why a checkpoint cannot be taken off the list as it is; None: it can."""
    if mark.pinned:
        return CheckpointPinned(mark.checkpoint_id, mark.run_id)
    return CheckpointInUse(mark.checkpoint_id, mark.run_id) if mark.pause_open else None


async def unlist(
    store: Store, checkpoint_id: CheckpointId, cancel: Callable[[RunId], Awaitable[None]] | None = None
) -> None:
    """Take a checkpoint off the list; of an open question only if its run may be cancelled for that.

    Args:
        store: Where it is.
        checkpoint_id: Which.
        cancel: Cancels a run, and returns once it rests. None: nothing is cancelled.

    Raises:
        CheckpointNotFound: there is none.
        CheckpointInUse: it is that of an open question.
        CheckpointPinned: somebody wants it kept; then nothing was cancelled either.
    """
    mark = await store.checkpoint(checkpoint_id)
    if mark.pause_open and not mark.pinned and cancel is not None:
        # It may end by itself meanwhile.
        with contextlib.suppress(RunFinished):
            await cancel(mark.run_id)
    await store.delete_mark(checkpoint_id)
