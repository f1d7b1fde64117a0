"""The one thread that writes, and how many callers share one transaction.

Callers put jobs into a queue. The thread takes whatever waits, runs it between one BEGIN and one
COMMIT, and hands all results back to the loop in one call. While a commit waits for the disk the
next batch gathers by itself: there is no timer, and one caller alone never waits for company.

A job refuses by raising before it writes. A job that raises after it wrote, or that SQLite
stops, takes the batch down with it; then each job is run again in a transaction of its own, so
that only the guilty one fails. Jobs therefore may run twice and must not keep state.
"""

import asyncio
import queue
import sqlite3
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, TypeVar

from tidegate.errors import CorruptStore, StoreUnavailable
from tidegate.store.sqlite.faults import translated

__all__ = ["Job", "Refusal", "Writer"]

T = TypeVar("T")
Job = Callable[[sqlite3.Connection], T]
"""Runs inside a transaction; must check before it writes."""

_LARGEST_BATCH = 512


class _Order:
    """One job and the future of whoever waits for it."""

    __slots__ = ("error", "future", "job", "result")

    def __init__(self, job: Job[Any], future: asyncio.Future[Any]) -> None:
        self.job = job
        self.future = future
        self.result: Any = None
        self.error: Exception | None = None

    def attempt(self, connection: sqlite3.Connection) -> None:
        """Run the job; a refusal is its outcome, anything worse is raised."""
        self.result = self.error = None
        before = connection.total_changes
        try:
            self.result = self.job(connection)
        except sqlite3.Error:
            raise
        except Exception as refusal:
            if connection.total_changes != before:
                raise
            self.error = refusal

    def settle(self) -> None:
        """Tell the caller, unless it has left."""
        if self.future.done():
            return
        if self.error is not None:
            self.future.set_exception(self.error)
        else:
            self.future.set_result(self.result)


class Writer:
    """Owns the connection that writes. Belongs to the loop it is made on."""

    def __init__(self, connection: sqlite3.Connection, url: str, committed: Callable[[], None]) -> None:
        """Start the thread.

        Args:
            connection: In autocommit mode; the thread owns it from now on, and closes it.
            url: For messages.
            committed: Called on the loop after each commit.
        """
        self._connection = connection
        self._url = url
        self._committed = committed
        self._loop = asyncio.get_running_loop()
        self._orders: queue.SimpleQueue[_Order | None] = queue.SimpleQueue()
        self._closed = self._loop.create_future()
        self._closing = False
        self._damage = ""
        # Daemon: a store that nobody closed must not keep the interpreter from ending.
        self._thread = threading.Thread(target=self._serve, name="tidegate-writer", daemon=True)
        self._thread.start()

    async def run(self, job: Job[T]) -> T:
        """Run *job* in a transaction; return its result once that is durable.

        A caller that is cancelled meanwhile changes nothing: the job runs all the same.
        """
        if self._closing:
            raise StoreUnavailable(self._url, "it has been closed")
        if self._damage:
            raise CorruptStore(self._url, self._damage)
        future: asyncio.Future[T] = self._loop.create_future()
        self._orders.put(_Order(job, future))
        return await future

    def stop(self) -> None:
        """Let the thread end after what waits; safe from anywhere, also at exit."""
        self._orders.put(None)

    async def close(self) -> None:
        """Do what waits, then close the connection."""
        if not self._closing:
            self._closing = True
            self.stop()
        await asyncio.shield(self._closed)
        self._thread.join()

    # -- on the thread ------------------------------------------------------------------------

    def _serve(self) -> None:
        going = True
        while going:
            batch, going = self._next_batch()
            if batch:
                self._commit(batch)
                self._tell(self._settle, batch)
        _close_tidily(self._connection)
        self._tell(self._closed.set_result, None)

    def _next_batch(self) -> tuple[list[_Order], bool]:
        batch: list[_Order] = []
        order = self._orders.get()
        with suppress(queue.Empty):
            while order is not None:
                batch.append(order)
                if len(batch) == _LARGEST_BATCH:
                    return batch, True
                order = self._orders.get_nowait()
            return batch, False
        return batch, True

    def _commit(self, batch: Sequence[_Order]) -> None:
        try:
            self._connection.execute("BEGIN IMMEDIATE")
        except sqlite3.Error as error:
            # Not one by one: each of them would wait as long again for the same lock.
            for order in batch:
                self._fail(order, error)
            return
        try:
            for order in batch:
                order.attempt(self._connection)
            self._connection.execute("COMMIT")
        except Exception as error:  # noqa: BLE001  # whatever a job does, its caller hears of it
            self._roll_back()
            self._one_by_one(batch, error)

    def _one_by_one(self, batch: Sequence[_Order], error: Exception) -> None:
        if len(batch) == 1:
            self._fail(batch[0], error)
            return
        for order in batch:
            self._commit([order])

    def _roll_back(self) -> None:
        # After a full disk SQLite has often done it by itself.
        if self._connection.in_transaction:
            with suppress(sqlite3.Error):
                self._connection.execute("ROLLBACK")

    def _fail(self, order: _Order, error: Exception) -> None:
        order.error = translated(error, self._url) if isinstance(error, sqlite3.Error) else error
        # Writing on into a damaged file makes it worse: from here on it is only read.
        if isinstance(order.error, CorruptStore):
            self._damage = order.error.problem

    def _tell(self, callback: Callable[[Any], None], argument: object) -> None:
        # The loop may be gone: then nobody is left to be told, and what is committed stays so.
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(callback, argument)

    def _settle(self, batch: Sequence[_Order]) -> None:
        self._committed()
        for order in batch:
            order.settle()


class Refusal:
    """Stands where a writer would, in a store that can only be read."""

    def __init__(self, error: StoreUnavailable | CorruptStore) -> None:
        self._error = error

    async def run(self, job: Job[T]) -> T:
        """Refuse.

        Raises:
            StoreUnavailable: the file cannot be written.
            CorruptStore: the file is damaged.
        """
        raise self._error

    def stop(self) -> None:
        """Do nothing."""

    async def close(self) -> None:
        """Do nothing."""


def _close_tidily(connection: sqlite3.Connection) -> None:
    # Best effort: a reader elsewhere may keep the log from being emptied, and that is no harm.
    with suppress(sqlite3.Error):
        connection.execute("PRAGMA busy_timeout = 0")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with suppress(sqlite3.Error):
        connection.close()
