"""How each connection to a database is opened, and with which settings."""

import sqlite3
from contextlib import suppress
from functools import partial
from pathlib import Path
from urllib.parse import quote

import zstandard

from tidegate.errors import CorruptStore
from tidegate.store.keys import PLAIN, Cipher, in_sql, plain
from tidegate.store.sqlite.faults import BUSY_SECONDS
from tidegate.store.sqlite.rows import unpack

__all__ = [
    "Connection",
    "begin_logging",
    "cipher_of",
    "connect",
    "file_uri",
    "memory_uri",
    "prepare_for_writing",
]

_CACHED_STATEMENTS = 256


def file_uri(path: Path, mode: str) -> str:
    """Return the URI of a database file.

    Args:
        path: Absolute.
        mode: ``rw``, ``ro``, or ``rwc``, which creates it.
    """
    return f"file:{quote(str(path))}?mode={mode}"


def memory_uri(name: str) -> str:
    """Return the URI of a database in memory that all connections of this process see.

    The leading slash is what makes it shared; it is gone with its last connection.
    """
    return f"file:/{quote(name)}?vfs=memdb"


class Connection(sqlite3.Connection):
    """One that knows how rows are encrypted: statements say so with ``encrypted(...)`` and ``decrypted(...)``."""

    cipher: Cipher = PLAIN

    def use(self, cipher: Cipher) -> None:
        """Read and write with *cipher* from now on."""
        self.cipher = cipher
        self.create_function("encrypted", 1, plain if cipher is PLAIN else in_sql(cipher.encrypt))
        self.create_function("decrypted", 1, plain if cipher is PLAIN else in_sql(cipher.decrypt))
        self.create_function("text_of_event", 2, partial(_text_of_event, cipher))


def cipher_of(connection: sqlite3.Connection) -> Cipher:
    """Return what encrypts what a connection writes."""
    return connection.cipher if isinstance(connection, Connection) else PLAIN


def connect(uri: str, cipher: Cipher = PLAIN) -> Connection:
    """Open a connection in autocommit mode, to be used by one thread at a time."""
    connection = sqlite3.connect(
        uri,
        factory=Connection,
        uri=True,
        timeout=BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=_CACHED_STATEMENTS,
    )
    connection.use(cipher)
    return connection


def begin_logging(connection: sqlite3.Connection) -> None:
    """Keep a log from now on, if the file does not; one that comes from a network file system does not."""
    if connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        # Best effort: as long as somebody else has it open it stays what it is, which is slower and no harm.
        with suppress(sqlite3.Error):
            connection.execute("PRAGMA journal_mode = WAL").fetchall()


def prepare_for_writing(connection: sqlite3.Connection) -> None:
    """Set what a writing connection needs; a database in memory ignores what is about files."""
    # FULL: an acknowledged answer survives a power cut. It costs one fsync per commit, and commits are shared.
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA temp_store = MEMORY")
    connection.execute("PRAGMA cache_size = -16000")
    # Fewer, longer checkpoints (16 MB): a short one costs two fsyncs as well.
    connection.execute("PRAGMA wal_autocheckpoint = 4000")
    connection.execute("PRAGMA journal_size_limit = 67108864")


def _text_of_event(cipher: Cipher, codec: int, body: bytes) -> bytes:
    """Return the JSON of an event as it is kept; empty if it is not what was written: others say so."""
    try:
        return unpack(codec, cipher.decrypt(body))
    except (ValueError, TypeError, CorruptStore, zstandard.ZstdError):
        return b""
