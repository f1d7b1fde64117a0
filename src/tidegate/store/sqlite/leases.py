"""Who may drive a run: the jobs that take, extend and give back leases."""

import sqlite3

from tidegate.errors import LeaseHeld, RunNotFound
from tidegate.model.ids import RunId, Seq
from tidegate.model.listing import Epoch
from tidegate.store.orders import Claim, ClaimLease, ReleaseLease, RenewLeases
from tidegate.store.sqlite import statements as sql

__all__ = ["claim", "release", "renew"]


def claim(connection: sqlite3.Connection, order: ClaimLease) -> Claim:
    """Take the lease of a run under the next epoch.

    Raises:
        RunNotFound: there is no such run.
        LeaseHeld: somebody holds it.
    """
    row = connection.execute(sql.FIND_LEASE, (order.run_id,)).fetchone()
    if row is None:
        raise RunNotFound(order.run_id)
    head, epoch, holder, held_until = row
    if holder and held_until >= order.now and epoch != order.over:
        raise LeaseHeld(order.run_id, holder, held_until)
    connection.execute(sql.TAKE_LEASE, (epoch + 1, order.owner, order.until, order.run_id))
    return Claim(run_id=order.run_id, epoch=Epoch(epoch + 1), head=Seq(head), previous_owner=holder)


def renew(connection: sqlite3.Connection, order: RenewLeases) -> frozenset[RunId]:
    """Extend leases; return the runs that have another epoch, or do not exist."""
    lost = {run_id for run_id, epoch in order.epochs.items() if _epoch_of(connection, run_id) != epoch}
    kept = [(order.until, run_id) for run_id in order.epochs if run_id not in lost]
    # A lease that was given back meanwhile stays given back: see the statement.
    connection.executemany(sql.EXTEND_LEASE, kept)
    return frozenset(lost)


def _epoch_of(connection: sqlite3.Connection, run_id: RunId) -> int | None:
    row = connection.execute(sql.FIND_LEASE, (run_id,)).fetchone()
    return None if row is None else int(row[1])


def release(connection: sqlite3.Connection, order: ReleaseLease) -> bool:
    """Give the lease back if nothing was appended after its head and its epoch is not over."""
    values = (order.run_id, order.epoch, order.head)
    return connection.execute(sql.GIVE_BACK_LEASE, values).rowcount == 1
