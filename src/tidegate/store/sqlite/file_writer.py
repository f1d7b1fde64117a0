"""The writer of a database in a file: it notices when the file is gone, and keeps the log beside it short."""

import queue
import sqlite3
from collections.abc import Callable, Sequence

from tidegate.errors import StoreUnavailable
from tidegate.store.sqlite.file import StoreFile, identity_of, size_of
from tidegate.store.sqlite.space import empty_log
from tidegate.store.sqlite.writer import Asked, Writer

__all__ = ["FileWriter"]

_IDLE = 2.0
"""Seconds without a job after which a long log is emptied: whoever asks next need not wait for that."""
_LONGEST_IDLE = 64.0
_LONG_LOG = 4 * 1024 * 1024
"""Bytes. A shorter log is not worth the two writes to the disk."""


class FileWriter(Writer):
    """Owns the connection that writes into a file."""

    def __init__(
        self, connection: sqlite3.Connection, file: StoreFile, committed: Callable[[], None]
    ) -> None:
        """Start the thread.

        Args:
            connection: Of the file, which it has been read through already; the thread owns it from now on.
            file: Where that is.
            committed: Called on the loop after each commit.
        """
        self._paths = (file.path, file.log)
        # The log is there as soon as somebody has read: from here on both stay until the last one closes.
        self._found = [identity_of(path) for path in self._paths]
        # Last: it starts the thread.
        super().__init__(connection, file.url, committed)

    def _commit(self, batch: Sequence[Asked]) -> None:
        # SQLite goes on writing into a file that has been moved or deleted: what it acknowledges would be lost.
        if (gone := self._gone()) is None:
            super()._commit(batch)
            return
        for asked in batch:
            self._fail(asked, gone)

    def _gone(self) -> StoreUnavailable | None:
        for path, found in zip(self._paths, self._found, strict=True):
            now = identity_of(path)
            if now != found and found is not None:
                problem = (
                    f"{path.name} is gone" if now is None else f"{path.name} was replaced by another file"
                )
                advice = f"Put back what was in {path.parent}, or close Tidegate and open the other one"
                return StoreUnavailable(self._url, f"{problem} while it was open", advice)
        return None

    def _next(self) -> Asked | None:
        """Return the next job; while there is none, empty the log if it is long."""
        idle = _IDLE
        while size_of(self._paths[1]) > _LONG_LOG:
            try:
                return self._asked.get(timeout=idle)
            except queue.Empty:
                empty_log(self._connection)
                # As long as somebody reads it stays as long as it is: that is looked at less and less often.
                idle = min(idle * 2, _LONGEST_IDLE)
        return self._asked.get()
