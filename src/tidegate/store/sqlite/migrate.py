"""The schema, and how an older one becomes today's.

Numbered scripts beside this file, each run once, all that are missing in one transaction; the
version is stamped last, so a store is always at one version or the next, never between. What
was in the file before is kept beside it (`file.StoreFile.prepare_migration`).
"""

import json
import re
import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import resources
from typing import Final, NamedTuple

import zstandard

from tidegate.errors import CorruptStore, SchemaTooNew
from tidegate.store.sqlite.chain import first_link, next_link
from tidegate.store.sqlite.rows import unpack

__all__ = ["APPLICATION_ID", "Migration", "check_kind", "known_migrations", "migrate", "version_of"]

APPLICATION_ID = 0x54494445
"""``TIDE``: tells a Tidegate store from anybody else's SQLite file."""

# Text that somebody wrote has its quotes escaped: what this finds, we wrote.
_STORED: Final = re.compile(r'"sha256":"([0-9a-f]{64})"')


class Migration(NamedTuple):
    """One step of the schema."""

    version: int
    """Of the schema after it."""
    script: str


@cache
def known_migrations() -> tuple[Migration, ...]:
    """Return the steps that ship with this Tidegate, in order."""
    folder = resources.files("tidegate.store.sqlite") / "sql"
    scripts = sorted(
        (entry for entry in folder.iterdir() if entry.name.endswith(".sql")), key=lambda e: e.name
    )
    return tuple(Migration(int(entry.name[:4]), entry.read_text(encoding="utf-8")) for entry in scripts)


def version_of(connection: sqlite3.Connection, url: str, known: int) -> int:
    """Return the schema version of an existing store.

    Raises:
        CorruptStore: it has none, though a store gets its schema before it gets its name.
        SchemaTooNew: it is higher than *known*.
    """
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    if version > known:
        raise SchemaTooNew(url, version, known)
    if version < 1:
        raise CorruptStore(url, "its schema has no version")
    return version


def check_kind(connection: sqlite3.Connection, url: str) -> None:
    """Look at whether a database is a store of this or of an older Tidegate.

    Raises:
        CorruptStore: it is somebody else's, or lacks what every store has.
        SchemaTooNew: a newer Tidegate wrote it.
    """
    if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
        raise CorruptStore(url, "the file is a SQLite database, but no Tidegate store")
    version_of(connection, url, known_migrations()[-1].version)


def migrate(connection: sqlite3.Connection, migrations: Sequence[Migration]) -> None:
    """Bring the schema up to the last of *migrations*: all of it, or nothing."""
    # Looked at first: a store that is up to date must not wait for somebody's transaction to be opened.
    if not _missing(connection, migrations):
        return
    _add_functions(connection)
    connection.execute("BEGIN IMMEDIATE")
    try:
        _apply_missing(connection, migrations)
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _apply_missing(connection: sqlite3.Connection, migrations: Sequence[Migration]) -> None:
    # Again, inside the transaction: another process may have done the work while we waited for it.
    missing = _missing(connection, migrations)
    for step in missing:
        for statement in _statements(step.script):
            connection.execute(statement)
    if missing:
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {missing[-1].version:d}")


def _add_functions(connection: sqlite3.Connection) -> None:
    """Add what the scripts need and SQL cannot say."""
    connection.create_function("relink", 5, _Relinker().link)
    connection.create_function("stored_values", 2, _stored_values, deterministic=True)
    connection.create_function("digest", 1, bytes.fromhex, deterministic=True)


class _Relinker:
    """Chains events, met run by run and in order, that have nothing but a checksum each."""

    def __init__(self) -> None:
        self._run_id = ""
        self._link = b""

    def link(self, run_id: str, seq: int, at: float, body: bytes, crc: int) -> bytes:
        """Return the link of an event; empty if it is not what its checksum says."""
        if run_id != self._run_id:
            self._run_id, self._link = run_id, first_link(run_id)
        self._link = next_link(self._link, seq, at, body)
        return self._link if zlib.crc32(body, seq) == crc else b""


def _stored_values(codec: int, body: bytes) -> str:
    """Return the hashes of the stored values that an event names, as JSON."""
    try:
        return json.dumps(_STORED.findall(unpack(codec, body).decode()))
    except (zstandard.ZstdError, ValueError):
        return "[]"


def _missing(connection: sqlite3.Connection, migrations: Sequence[Migration]) -> list[Migration]:
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    return [step for step in migrations if step.version > version]


def _statements(script: str) -> Iterator[str]:
    # Not executescript: it commits whatever is open before it begins.
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
