"""Where a database keeps the key that its rows are encrypted with: wrapped, in a row of its own."""

import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec

from tidegate.store.keys import Cipher, Envelope, Keys, StoreLocked
from tidegate.store.sqlite.connections import connect, file_uri, prepare_for_writing
from tidegate.store.sqlite.faults import Damaged, faults_of
from tidegate.store.sqlite.migrate import check_kind

__all__ = [
    "ENVELOPE",
    "change_envelope",
    "envelope_of",
    "keep_envelope",
    "read_envelope",
    "read_envelope_of",
    "unlock",
]

ENVELOPE = "envelope"
"""Its name among what a database says of itself."""


def envelope_of(connection: sqlite3.Connection) -> Envelope | None:
    """Return the envelope of a database; None: its rows are plain.

    Raises:
        Damaged: it is not what was written.
    """
    row = connection.execute("SELECT value FROM meta WHERE name = ?", (ENVELOPE,)).fetchone()
    return None if row is None else read_envelope(row[0])


def read_envelope(text: object) -> Envelope:
    """Return an envelope from its text.

    Raises:
        Damaged: it is not what was written.
    """
    try:
        return Envelope.decode(str(text))
    except msgspec.MsgspecError as error:
        raise Damaged("the key of its rows is damaged") from error


def keep_envelope(connection: sqlite3.Connection, envelope: Envelope | None) -> None:
    """Keep an envelope in the place of the one that is there; None: there is none to keep."""
    if envelope is not None:
        connection.execute(
            "INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            (ENVELOPE, envelope.encode()),
        )


def unlock(connection: sqlite3.Connection, url: str, keys: Keys) -> Cipher:
    """Return what the rows of a database are encrypted with.

    Raises:
        StoreLocked: none of *keys* opens it, or there are keys and nothing to open.
        Damaged: what it says of its key is not what was written.
    """
    return keys.cipher(url, envelope_of(connection))


def read_envelope_of(path: Path, url: str) -> Envelope | None:
    """Return the envelope of the database in a file. See `tidegate.store.locks.envelope_at`."""
    with faults_of(url), closing(connect(file_uri(path, "ro"))) as connection:
        check_kind(connection, url)
        return envelope_of(connection)


def change_envelope(path: Path, url: str, keys: Keys) -> Envelope:
    """Let *keys* open the database in a file. See `tidegate.store.locks.change_keys`."""
    with faults_of(url), closing(connect(file_uri(path, "rw"))) as connection:
        check_kind(connection, url)
        prepare_for_writing(connection)
        # Read and written under one lock: two who change it at once must not undo each other.
        connection.execute("BEGIN IMMEDIATE")
        envelope = envelope_of(connection)
        if envelope is None:
            raise StoreLocked(
                url, "it is not encrypted", "`tidegate encryption copy` makes an encrypted copy of it"
            )
        changed = keys.reseal(url, envelope)
        keep_envelope(connection, changed)
        connection.execute("COMMIT")
    return changed
