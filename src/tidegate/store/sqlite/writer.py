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
from tidegate.store.sqlite.space import empty_log

__all__ = ["Asked", "Job", "Refusal", "Writer"]

T = TypeVar("T")
Job = Callable[[sqlite3.Connection], T]
"""Runs inside a transaction; must check before it writes."""

_LARGEST_BATCH = 512


class Asked:
    """One job, and whoever waits for it."""

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
        self._asked: queue.SimpleQueue[Asked | None] = queue.SimpleQueue()
        self._closed = self._loop.create_future()
        self._closing = False
        self._empties_log = False
        self._damage = ""
        # Daemon: a store that nobody closed must not keep the interpreter from ending.
        self._thread = threading.Thread(target=self._serve, name="tidegate-writer", daemon=True)
        self._thread.start()

    @property
    def damage(self) -> str:
        """What damage of the file was met while writing, for people; empty: none was."""
        return str(CorruptStore(self._url, self._damage)) if self._damage else ""

    async def run(self, job: Job[T]) -> T:
        """Run *job* in a transaction; return its result once that is durable.

        A caller that is cancelled meanwhile changes nothing: the job runs all the same.
        """
        if self._closing:
            raise StoreUnavailable(self._url, "it has been closed")
        if self._damage:
            raise CorruptStore(self._url, self._damage)
        future: asyncio.Future[T] = self._loop.create_future()
        self._asked.put(Asked(job, future))
        return await future

    async def empty_log(self) -> None:
        """Write what is in the log into the file and empty it, as far as no reader needs it."""
        self._empties_log = True
        await self.run(_nothing)

    def stop(self) -> None:
        """Let the thread end after what waits; safe from anywhere, also at exit."""
        self._asked.put(None)

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
                if self._empties_log:
                    self._empties_log = False
                    empty_log(self._connection)
                self._tell(self._settle, batch)
        self._let_go()
        self._tell(self._closed.set_result, None)

    def _let_go(self) -> None:
        _close_tidily(self._connection)

    def _next(self) -> Asked | None:
        """Return the next job as soon as there is one; None: there will be no more."""
        return self._asked.get()

    def _next_batch(self) -> tuple[list[Asked], bool]:
        batch: list[Asked] = []
        asked = self._next()
        with suppress(queue.Empty):
            while asked is not None:
                batch.append(asked)
                if len(batch) == _LARGEST_BATCH:
                    return batch, True
                asked = self._asked.get_nowait()
            return batch, False
        return batch, True

    def _commit(self, batch: Sequence[Asked]) -> None:
        try:
            self._connection.execute("BEGIN IMMEDIATE")
        except sqlite3.Error as error:
            # Not one by one: each of them would wait as long again for the same lock.
            for asked in batch:
                self._fail(asked, error)
            return
        try:
            for asked in batch:
                asked.attempt(self._connection)
            self._connection.execute("COMMIT")
        except Exception as error:  # noqa: BLE001  # whatever a job does, its caller hears of it
            self._roll_back()
            self._one_by_one(batch, error)

    def _one_by_one(self, batch: Sequence[Asked], error: Exception) -> None:
        if len(batch) == 1:
            self._fail(batch[0], error)
            return
        for asked in batch:
            self._commit([asked])

    def _roll_back(self) -> None:
        # After a full disk SQLite has often done it by itself.
        if self._connection.in_transaction:
            with suppress(sqlite3.Error):
                self._connection.execute("ROLLBACK")

    def _fail(self, asked: Asked, error: Exception) -> None:
        asked.error = translated(error, self._url) if isinstance(error, sqlite3.Error) else error
        # Writing on into a damaged file makes it worse: from here on it is only read.
        if isinstance(asked.error, CorruptStore):
            self._damage = asked.error.problem

    def _tell(self, callback: Callable[[Any], None], argument: object) -> None:
        # The loop may be gone: then nobody is left to be told, and what is committed stays so.
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(callback, argument)

    def _settle(self, batch: Sequence[Asked]) -> None:
        self._committed()
        for asked in batch:
            asked.settle()


class Refusal:
    """Stands where a writer would, in a store that can only be read."""

    def __init__(self, error: StoreUnavailable | CorruptStore) -> None:
        self._error = error

    @property
    def damage(self) -> str:
        """Why the file is left alone, if it is damaged; else empty."""
        return str(self._error) if isinstance(self._error, CorruptStore) else ""

    async def run(self, job: Job[T]) -> T:
        """Refuse.

        Raises:
            StoreUnavailable: the file cannot be written.
            CorruptStore: the file is damaged.
        """
        raise self._error

    async def empty_log(self) -> None:
        """Refuse as well."""
        raise self._error

    def stop(self) -> None:
        """Do nothing."""

    async def close(self) -> None:
        """Do nothing."""


def _nothing(_: sqlite3.Connection) -> None:
    """Do nothing: whoever waits for it has waited for everything before it."""


def _close_tidily(connection: sqlite3.Connection) -> None:
    # Best effort: a reader elsewhere may keep the log from being emptied, and that is no harm.
    with suppress(sqlite3.Error):
        connection.execute("PRAGMA busy_timeout = 0")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with suppress(sqlite3.Error):
        connection.close()
