"""How runs go: the jobs that remove them at once, and delete what they leave bit by bit.

Removing takes the rows by which anybody finds a run, and digs a grave that the feed tells of. A run
leaves its events, its output and its values; these are found by its grave, and deleted in slices of
bounded size, so that nobody waits long for a transaction. A slice that was not reached, because the
process ended, is done by whoever comes next: as long as there is a grave with something in it, nothing
of it is an orphan.
"""

import sqlite3
from collections.abc import Sequence
from typing import Any, NamedTuple

from tidegate.errors import RunInUse, RunNotFound
from tidegate.model.events import RunStatus
from tidegate.model.ids import RunId
from tidegate.model.vitals import KEPT_REMOVALS, Removal
from tidegate.store.orders import ClaimCleanUp, EmptyGraves, RemoveRun
from tidegate.store.owner import has_living_owner
from tidegate.store.sqlite import statements as sql

__all__ = [
    "bury",
    "claim_clean_up",
    "empty_graves",
    "note_removals",
    "refuse_if_removed",
    "removal_of",
    "remove_run",
]

_ROWS_AT_ONCE = 512
"""Of runs, pauses and checkpoints, in the transaction that removes a run; its own row goes in any case.
The rest of a larger tree follows as part of what it leaves."""

_MOST_WORDS = 200
"""Characters of who removed a run, and of why."""


class _Run(NamedTuple):
    """A run that goes."""

    run_no: int
    run_id: str
    definition: str


class _Leased(NamedTuple):
    """Who drives a run."""

    owner: str
    lease_until: float


def remove_run(connection: sqlite3.Connection, order: RemoveRun) -> tuple[RunId, ...]:
    """Remove a run on top that has ended, with everything below it; return what was removed, itself first.

    Raises:
        RunNotFound: there is no such run.
        RunInUse: it has not ended, is needed, or is not on top.
    """
    _check_place(connection, order.run_id)
    tree = connection.execute(sql.FIND_TREE, {"run_id": order.run_id}).fetchall()
    _check_ended(connection, order, tree)
    _check_needed(connection, order)
    note_removals(connection, [_told(connection, order, tree)])
    # The top first: what is left of a large tree has no top any more, and nothing can reopen it.
    runs = [_Run(*row[:3]) for row in tree]
    _bury(connection, _first_of(connection, runs, _ROWS_AT_ONCE), order.at)
    return tuple(RunId(run.run_id) for run in runs)


def removal_of(connection: sqlite3.Connection, order: RemoveRun) -> Removal:
    """Return what is still to be known of a run once it is removed.

    Raises:
        RunNotFound: there is no such run.
        RunInUse: it is a part of another one.
    """
    _check_place(connection, order.run_id)
    tree = connection.execute(sql.FIND_TREE, {"run_id": order.run_id}).fetchall()
    return _told(connection, order, tree)


def _told(connection: sqlite3.Connection, order: RemoveRun, tree: Sequence[Any]) -> Removal:
    _, run_id, _, status, _, workflow = tree[0]
    return Removal(
        number=connection.execute(sql.NEXT_REMOVAL).fetchone()[0],
        run_id=RunId(run_id),
        workflow=workflow,
        status=RunStatus(status),
        ended_at=max(updated_at for _, _, _, _, updated_at, _ in tree),
        at=order.at,
        runs=len(tree),
        by=order.by[:_MOST_WORDS],
        why=order.why[:_MOST_WORDS],
    )


def note_removals(connection: sqlite3.Connection, removals: Sequence[Removal]) -> None:
    """Remember removals, the newest last, those that are not known yet; and forget the oldest of too many."""
    for it in removals:
        status = it.status.value
        values = (it.number, it.run_id, it.workflow, status, it.ended_at, it.at, it.runs, it.by, it.why)
        connection.execute(sql.NOTE_REMOVAL, values)
    connection.execute(sql.FORGET_REMOVALS, (KEPT_REMOVALS,))


def _check_place(connection: sqlite3.Connection, run_id: str) -> None:
    row = connection.execute(sql.FIND_ROOT, (run_id,)).fetchone()
    if row is None:
        raise RunNotFound(run_id)
    if row[0] is not None:
        raise RunInUse(run_id, f"it is a part of run {row[0]}", "Remove that one, and it goes along")


def _check_ended(connection: sqlite3.Connection, order: RemoveRun, tree: Sequence[Any]) -> None:
    for number, run_id, _, status, updated_at, _ in tree:
        which = "it" if run_id == order.run_id else f"run {run_id} below it"
        if not RunStatus(status).is_terminal:
            seen = _status_now(connection, number, RunStatus(status), order.at)
            raise RunInUse(
                order.run_id, f"{which} has not ended, it is {seen}", "Cancel it first, or wait for its end"
            )
        if order.ended_by is not None and updated_at > order.ended_by:
            raise RunInUse(order.run_id, f"{which} has gone on since")


def _status_now(connection: sqlite3.Connection, run_no: int, status: RunStatus, now: float) -> RunStatus:
    """Return where a run stands as lists have it: one that is driven by nobody any more is interrupted."""
    leased = _Leased(*connection.execute(sql.FIND_DRIVER, (run_no,)).fetchone())
    return (
        RunStatus.INTERRUPTED if status is RunStatus.RUNNING and not has_living_owner(leased, now) else status
    )


def _check_needed(connection: sqlite3.Connection, order: RemoveRun) -> None:
    """Refuse to remove what somebody or something else needs."""
    fork = connection.execute(sql.FIND_FORK, {"run_id": order.run_id}).fetchone()
    if fork is not None:
        fork_id, run_id, seq = fork
        which = "it" if run_id == order.run_id else f"run {run_id} below it"
        raise RunInUse(
            order.run_id, f"run {fork_id} is a fork of {which}, from event {seq}", "Remove that one first"
        )
    pinned = connection.execute(sql.FIND_PINNED, {"run_id": order.run_id}).fetchone()
    if pinned is not None and not order.despite_pins:
        advice = f"`tidegate checkpoints unpin {pinned[0]}` first"
        raise RunInUse(order.run_id, f"its checkpoint {pinned[0]} is pinned", advice)


def _first_of(connection: sqlite3.Connection, runs: Sequence[_Run], rows: int) -> list[_Run]:
    """Return the first of *runs*, as many as have so many rows of their own; the very first in any case."""
    first: list[_Run] = []
    for run in runs:
        rows -= 1 + connection.execute(sql.COUNT_ROWS, {"run_no": run.run_no}).fetchone()[0]
        if first and rows < 0:
            break
        first.append(run)
    return first


def _bury(connection: sqlite3.Connection, runs: Sequence[_Run], at: float) -> None:
    """Take the rows of some runs, and remember that they were there."""
    change = connection.execute(sql.NEXT_CHANGE).fetchone()[0]
    connection.execute(sql.RAISE_FLOOR, (change,))
    connection.executemany(sql.DIG_GRAVE, [(run.run_no, run.run_id, change, at) for run in runs])
    connection.executemany(sql.DROP_RUN, [(run.run_no,) for run in runs])
    connection.executemany(sql.DROP_DEFINITION, [(name,) for name in {run.definition for run in runs}])


def bury(connection: sqlite3.Connection, run_ids: Sequence[RunId], at: float) -> None:
    """Remove runs, those of them that are there, whatever their state: it was decided before.

    Of many only the first go now, as `remove_run` does it.
    """
    found = [connection.execute(sql.FIND_GOING, (run_id,)).fetchone() for run_id in run_ids]
    runs = [_Run(*row) for row in found if row is not None]
    _bury(connection, _first_of(connection, runs, _ROWS_AT_ONCE), at)


def refuse_if_removed(connection: sqlite3.Connection, run_id: str) -> None:
    """Refuse to let something begin, or go on, below a run that was removed.

    Raises:
        RunNotFound: there is no such run.
    """
    if connection.execute(sql.HAS_RUN, (run_id,)).fetchone() is None:
        raise RunNotFound(run_id)


# -- what is left -----------------------------------------------------------------------------


class _Slice:
    """How much may still be deleted in one transaction."""

    def __init__(self, rows: int, size: int) -> None:
        self.rows = rows
        self._size = size

    @property
    def is_full(self) -> bool:
        """Whether nothing more fits."""
        return self.rows <= 0 or self._size <= 0

    def take(self, found: Sequence[tuple[Any, int]]) -> list[Any]:
        """Return the keys of what fits, from keys with bytes; what is larger than all that is left fits too."""
        keys = []
        for key, size in found:
            if self.is_full:
                break
            self.rows -= 1
            self._size -= size
            keys.append(key)
        return keys


def empty_graves(connection: sqlite3.Connection, order: EmptyGraves) -> bool:
    """Delete a slice of what removed runs have left; return whether there is more."""
    left = _Slice(order.rows, order.size)
    while not left.is_full:
        grave = connection.execute(sql.NEXT_GRAVE).fetchone()
        if grave is None:
            return _forget(connection, order)
        left.rows -= 1
        _empty(connection, grave, left)
    return True


def _empty(connection: sqlite3.Connection, grave: tuple[int, str, float], left: _Slice) -> None:
    run_no, run_id, at = grave
    if below := [_Run(*row) for row in connection.execute(sql.RUNS_BELOW, (run_id, left.rows))]:
        _bury(connection, _first_of(connection, below, left.rows), at)
        left.rows = 0  # Whether there are more is seen next time.
        return
    _drop_events(connection, run_no, left)
    _drop_output(connection, run_no, left)
    _drop_values(connection, run_no, left)
    # Not full: then each of them has found less than would have fitted, and that was all.
    if not left.is_full:
        connection.execute(sql.GRAVE_EMPTIED, (run_no,))


def _drop_events(connection: sqlite3.Connection, run_no: int, left: _Slice) -> None:
    found = connection.execute(sql.SIZES_OF_EVENTS, (run_no, run_no, left.rows)).fetchall()
    connection.executemany(sql.DROP_EVENT, [(key,) for key in left.take(found)])


def _drop_output(connection: sqlite3.Connection, run_no: int, left: _Slice) -> None:
    found = connection.execute(sql.SIZES_OF_OUTPUT, (run_no, max(left.rows, 0))).fetchall()
    connection.executemany(sql.DROP_CHUNK, [(key,) for key in left.take(found)])


def _drop_values(connection: sqlite3.Connection, run_no: int, left: _Slice) -> None:
    found = connection.execute(sql.SIZES_OF_VALUES, (run_no, max(left.rows, 0))).fetchall()
    names = left.take(found)
    connection.executemany(sql.DROP_USE, [(run_no, name) for name in names])
    connection.executemany(sql.DROP_VALUE, [(name,) for name in names])


def _forget(connection: sqlite3.Connection, order: EmptyGraves) -> bool:
    if not order.forget_before:
        return False
    forgotten = connection.execute(sql.FORGET_GRAVES, (order.forget_before, order.rows)).rowcount
    return forgotten == order.rows


# -- when -------------------------------------------------------------------------------------


def claim_clean_up(connection: sqlite3.Connection, order: ClaimCleanUp) -> bool:
    """Note that somebody cleans up now, unless somebody has just done so."""
    row = connection.execute(sql.FIND_CLEAN_UP).fetchone()
    # A time in the future is that of a clock which was wrong: it must not put clean-up off for years.
    if row is not None and 0 <= order.now - row[0] < order.interval:
        return False
    connection.execute(sql.NOTE_CLEAN_UP, (order.now,))
    return True
