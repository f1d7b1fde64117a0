"""A database file that nobody writes any more: it is read without a log, a lock, or a trace of it."""

import sqlite3
from contextlib import closing
from pathlib import Path

from tidegate.errors import StoreUnavailable
from tidegate.store.changes import ChangeSignal
from tidegate.store.keys import Keys
from tidegate.store.sqlite.connections import connect, file_uri
from tidegate.store.sqlite.envelopes import unlock
from tidegate.store.sqlite.faults import faults_of
from tidegate.store.sqlite.migrate import APPLICATION_ID
from tidegate.store.sqlite.readers import open_readers
from tidegate.store.sqlite.store import Parts, SqliteStore
from tidegate.store.sqlite.writer import Refusal

__all__ = ["open_sealed", "store_id_in"]


async def open_sealed(path: Path, keys: Keys) -> SqliteStore:
    """Open a file of today's schema for reading only; it may lie on a network file system.

    Raises:
        StoreLocked: it is encrypted and none of *keys* opens it, or the other way round.
    """
    url = f"sqlite://{path}"
    with faults_of(url), closing(connect(_uri(path))) as connection:
        cipher = unlock(connection, url, keys)
    refusal = Refusal(StoreUnavailable(url, "it was opened to be read only"))
    return SqliteStore(url, Parts(refusal, await open_readers(_uri(path), url, cipher), ChangeSignal()))


def store_id_in(path: Path) -> str | None:
    """Return the id of the store in a file; None: there is none."""
    try:
        with closing(connect(_uri(path))) as connection:
            if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
                return None
            return str(connection.execute("SELECT value FROM meta WHERE name = 'store_id'").fetchone()[0])
    except (sqlite3.Error, TypeError):
        return None


def _uri(path: Path) -> str:
    # Without this SQLite would look for a log, and lock what need not be locked.
    return f"{file_uri(path, 'ro')}&immutable=1"
