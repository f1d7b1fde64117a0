"""Checkpoints in their list: the jobs that pin them and take them off. The events they point to stay."""

import sqlite3

from tidegate.errors import CheckpointInUse, CheckpointNotFound, CheckpointPinned, RunNotFound
from tidegate.model.state import PauseState
from tidegate.store.orders import DeleteMark, PinMark, TrimMarks
from tidegate.store.sqlite import statements as sql

__all__ = ["MARKS_AT_ONCE", "delete_mark", "pin_mark", "trim_marks"]

MARKS_AT_ONCE = 256
"""Taken off the list in one transaction."""


def delete_mark(connection: sqlite3.Connection, order: DeleteMark) -> None:
    """Take a checkpoint off the list.

    Raises:
        CheckpointNotFound: there is none.
        CheckpointInUse: it is that of a pause which is still open.
        CheckpointPinned: somebody wants it kept.
    """
    row = connection.execute(sql.FIND_CHECKPOINT, (order.checkpoint_id,)).fetchone()
    if row is None:
        raise CheckpointNotFound(order.checkpoint_id)
    run_no, run_id, pause, pinned = row
    if pause == PauseState.OPEN:
        raise CheckpointInUse(order.checkpoint_id, run_id)
    if pinned:
        raise CheckpointPinned(order.checkpoint_id, run_id)
    connection.execute(sql.DROP_CHECKPOINT, (order.checkpoint_id,))
    # Whoever shows a list of checkpoints follows the changes of their runs.
    connection.execute(sql.TOUCH_RUN, (run_no,))


def pin_mark(connection: sqlite3.Connection, order: PinMark) -> None:
    """Pin a checkpoint, or unpin it.

    Raises:
        CheckpointNotFound: there is none.
    """
    row = connection.execute(sql.FIND_CHECKPOINT, (order.checkpoint_id,)).fetchone()
    if row is None:
        raise CheckpointNotFound(order.checkpoint_id)
    connection.execute(sql.PIN_CHECKPOINT, (order.pinned, order.checkpoint_id))
    connection.execute(sql.TOUCH_RUN, (row[0],))


def trim_marks(connection: sqlite3.Connection, order: TrimMarks) -> int:
    """Take the oldest checkpoints of a run off the list, `MARKS_AT_ONCE` at most; return how many.

    Raises:
        RunNotFound: there is no such run.
    """
    run = connection.execute(sql.FIND_RUN, (order.run_id,)).fetchone()
    if run is None:
        raise RunNotFound(order.run_id)
    values = (run[0], order.pauses, MARKS_AT_ONCE, max(order.keep, 1))
    trimmed = connection.execute(sql.TRIM_CHECKPOINTS, values).rowcount
    if trimmed:
        connection.execute(sql.TOUCH_RUN, (run[0],))
    return trimmed
