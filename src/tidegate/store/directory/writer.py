"""The thread that writes into the directory, and keeps the index as the directory says.

Each batch is carried out twice on the index. First to see which orders it accepts, and that is
rolled back: a database in memory has readers wait while somebody writes, and they must not wait for
the disk. Then the record is written. Then the index gets what the record says.
"""

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, cast

from tidegate.errors import StoreUnavailable, TidegateError
from tidegate.store.directory.batch import RunsRemoved
from tidegate.store.directory.index import transaction
from tidegate.store.directory.kept import Reduced
from tidegate.store.directory.ledger import Ledger, Overtaken
from tidegate.store.directory.lock import Lock
from tidegate.store.directory.mirror import mirror
from tidegate.store.directory.place import os_faults
from tidegate.store.directory.remains import strays
from tidegate.store.orders import ClaimCleanUp, EmptyGraves, Order, RemoveRun
from tidegate.store.sqlite.faults import BUSY_SECONDS, translated
from tidegate.store.sqlite.perform import Performing, perform
from tidegate.store.sqlite.removal import removal_of
from tidegate.store.sqlite.writer import Asked, Writer

__all__ = ["LedgerWriter"]

_PATIENCE = 0.2
"""Seconds to wait until nobody else writes, while our own writers wait."""


class _Accepted(NamedTuple):
    """An order that the index accepts."""

    asked: Asked
    reduced: Reduced


class LedgerWriter(Writer):
    """Owns the connection that writes into the index, and writes into the directory."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        ledger: Ledger,
        lock: Lock | StoreUnavailable,
        committed: Callable[[], None],
    ) -> None:
        """Start the thread.

        Args:
            connection: Of the index; the thread owns it from now on, and closes it.
            ledger: Owned by the thread from now on.
            lock: Of the directory; or why nothing can be written into it.
            committed: Called on the loop after each batch.
        """
        self._ledger = ledger
        self._lock = lock
        # Last: it starts the thread.
        super().__init__(connection, ledger.place.url, committed)

    async def follow(self) -> None:
        """Return once the index has everything that was in the directory when this was called.

        Raises:
            CorruptStore: a new record is damaged.
            StoreUnavailable: the directory cannot be read now, or the store has been closed.
        """
        await self.run(_nothing)

    async def strays(self) -> Mapping[str, Sequence[Path]]:
        """Return the files, by kind, that nothing refers to; none if somebody else writes without a pause."""
        return await self.run(self._strays)

    async def remove_strays(self) -> int:
        """Remove those files; return their bytes."""
        return await self.run(self._remove_strays)

    async def mirror(self, copy: Path) -> bool:
        """Make *copy* hold what the directory holds, while nobody writes; False: somebody always did."""
        return await self.run(lambda _: self._mirror(copy))

    # -- on the thread ------------------------------------------------------------------------

    def _mirror(self, copy: Path) -> bool:
        if isinstance(self._lock, StoreUnavailable):
            # Then there is no lock to be had, and mostly nobody who could write.
            mirror(self._ledger.place, copy)
            return True
        with self._lock.alone(_PATIENCE) as alone:
            if alone:
                mirror(self._ledger.place, copy)
            return alone

    def _commit(self, batch: Sequence[Asked]) -> None:
        orders = [asked for asked in batch if isinstance(asked.job, Performing)]
        others = [asked for asked in batch if not isinstance(asked.job, Performing)]
        try:
            with os_faults(self._url):
                self._ledger.follow(self._connection)
                for asked in others:
                    asked.attempt(self._connection)
                if orders:
                    self._record(orders)
        except Exception as error:  # noqa: BLE001  # whatever goes wrong, its caller hears of it
            self._one_by_one(batch, error)

    def _record(self, batch: Sequence[Asked]) -> None:
        if isinstance(self._lock, StoreUnavailable):
            for asked in batch:
                asked.error = self._lock
            return
        for asked in batch:
            if isinstance(order := _order_of(asked), EmptyGraves | ClaimCleanUp):
                self._clean_up(asked, order, self._lock)
        rest = [asked for asked in batch if not isinstance(_order_of(asked), EmptyGraves | ClaimCleanUp)]
        while rest and not self._is_written(rest, self._lock):
            self._ledger.follow_whoever_was_faster(self._connection)

    def _clean_up(self, asked: Asked, order: EmptyGraves | ClaimCleanUp, lock: Lock) -> None:
        """Do what is no history, but needs the directory for itself; if that cannot be, there is another time."""
        asked.result = False
        with lock.alone(_PATIENCE) as alone:
            if alone and isinstance(order, ClaimCleanUp):
                asked.result = self._ledger.claim_clean_up(self._connection, order)
            elif alone:
                # The index last: as long as it has a grave, what is left in the directory is known.
                asked.result = self._ledger.take_out(self._connection) or self._empty(order)

    def _empty(self, order: Order[bool]) -> bool:
        with transaction(self._connection):
            return perform(self._connection, order)

    def _strays(self, connection: sqlite3.Connection) -> Mapping[str, Sequence[Path]]:
        if isinstance(self._lock, StoreUnavailable):
            return strays(connection, self._ledger.place)
        with self._lock.alone(_PATIENCE) as alone:
            self._ledger.follow(connection)
            return strays(connection, self._ledger.place) if alone else {}

    def _remove_strays(self, connection: sqlite3.Connection) -> int:
        if isinstance(self._lock, StoreUnavailable):
            raise self._lock
        size = 0
        with self._lock.alone(_PATIENCE) as alone:
            self._ledger.follow(connection)
            for path in chain.from_iterable(strays(connection, self._ledger.place).values()) if alone else ():
                size += path.stat().st_size
                path.unlink()
        return size

    def _is_written(self, batch: Sequence[Asked], lock: Lock) -> bool:
        with lock.shared(BUSY_SECONDS), suppress(Overtaken):
            # Again: until the lock was ours, records may have been merged.
            self._ledger.follow(self._connection)
            self._write(self._accepted(batch))
            return True
        return False

    def _accepted(self, batch: Sequence[Asked]) -> list[_Accepted]:
        """Return what the index accepts; the others have been told why not, or have changed nothing."""
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            tried = [(asked, self._try(asked)) for asked in batch]
        finally:
            # Some faults have ended it already.
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
        return [_Accepted(asked, reduced) for asked, reduced in tried if reduced is not None]

    def _try(self, asked: Asked) -> Reduced | None:
        asked.result = asked.error = None
        self._connection.execute("SAVEPOINT tried")
        before = self._connection.total_changes
        try:
            reduced = self._reduced(asked)
        except (TidegateError, ValueError, sqlite3.IntegrityError) as refusal:
            asked.error = translated(refusal, self._url) if isinstance(refusal, sqlite3.Error) else refusal
            self._connection.execute("ROLLBACK TO tried")
            return None
        finally:
            self._connection.execute("RELEASE tried")
        return None if self._connection.total_changes == before else reduced

    def _reduced(self, asked: Asked) -> Reduced:
        order = _order_of(asked)
        if isinstance(order, RemoveRun):
            return self._removed(asked, order)
        reduced = self._ledger.kept.reduced(self._connection, order)
        asked.result = perform(self._connection, reduced.order)
        return reduced

    def _removed(self, asked: Asked, order: RemoveRun) -> Reduced:
        told = removal_of(self._connection, order)
        asked.result = perform(self._connection, order)
        # Others do not decide again: orders of the run may have been taken out when they come to it.
        return Reduced(RunsRemoved(runs=asked.result, at=order.at, told=(told,)), {})

    def _write(self, accepted: Sequence[_Accepted]) -> None:
        if not accepted:
            return
        orders = [it.reduced.order for it in accepted]
        # First: what fails from here on has changed nothing, and what was renewed for nothing does no harm.
        self._ledger.renew(self._connection, orders)
        batch = self._ledger.write([it.reduced for it in accepted])
        results = self._ledger.enter(self._connection, batch, orders)
        for it, result in zip(accepted, results, strict=True):
            it.asked.result = result

    def _let_go(self) -> None:
        self._ledger.close()
        if isinstance(self._lock, Lock):
            self._lock.close()
        super()._let_go()


def _nothing(connection: sqlite3.Connection) -> None:
    """Do nothing: following the directory comes before every job."""


def _order_of(asked: Asked) -> Order[Any]:
    return cast("Performing[Any]", asked.job).order
