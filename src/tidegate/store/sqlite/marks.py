"""Checkpoints in their list: the jobs that place, label and pin them, and take them off. Events stay as they are."""

import sqlite3

from tidegate.errors import (
    CheckpointInUse,
    CheckpointNotFound,
    CheckpointPinned,
    JournalConflict,
    RunNotFound,
)
from tidegate.model.policy import CheckpointKind
from tidegate.model.state import PauseState
from tidegate.store.orders import DeleteMark, LabelMark, PinMark, PlaceMark, TrimMarks
from tidegate.store.sqlite import statements as sql
from tidegate.store.sqlite.rows import encode

__all__ = ["MARKS_AT_ONCE", "delete_mark", "label_mark", "pin_mark", "place_mark", "trim_marks"]

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
    if pinned:
        raise CheckpointPinned(order.checkpoint_id, run_id)
    if pause == PauseState.OPEN:
        raise CheckpointInUse(order.checkpoint_id, run_id)
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


def label_mark(connection: sqlite3.Connection, order: LabelMark) -> None:
    """Call a checkpoint something else than its journal does, or no longer.

    Raises:
        CheckpointNotFound: there is none.
    """
    row = connection.execute(sql.FIND_CHECKPOINT, (order.checkpoint_id,)).fetchone()
    if row is None:
        raise CheckpointNotFound(order.checkpoint_id)
    values = {"checkpoint_id": order.checkpoint_id, "label": order.label}
    connection.execute(sql.LABEL_CHECKPOINT, values)
    connection.execute(sql.TOUCH_RUN, (row[0],))


def place_mark(connection: sqlite3.Connection, order: PlaceMark) -> None:
    """Add a checkpoint of which the journal knows nothing.

    Raises:
        RunNotFound: there is no such run.
        JournalConflict: it has no such event.
    """
    run = connection.execute(sql.FIND_RUN, (order.run_id,)).fetchone()
    if run is None:
        raise RunNotFound(order.run_id)
    run_no, head = run[:2]
    if not 1 <= order.seq <= head:
        raise JournalConflict(order.run_id, order.seq, head)
    if connection.execute(sql.FIND_CHECKPOINT, (order.checkpoint_id,)).fetchone() is not None:
        raise ValueError(f"there is a checkpoint {order.checkpoint_id} already")
    row = {
        "checkpoint_id": order.checkpoint_id,
        "run_no": run_no,
        "seq": order.seq,
        "kind": CheckpointKind.EXPLICIT.value,
        "at": order.at,
        "label": order.label,
        "summary": encode(order.summary),
        "metadata": encode(order.metadata) if order.metadata else None,
    }
    connection.execute(sql.PLACE_CHECKPOINT, row)
    connection.execute(sql.TOUCH_RUN, (run_no,))


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
