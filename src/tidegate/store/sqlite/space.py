"""Giving space back: what nothing fills any more goes to the system in slices, and so does an empty log."""

import sqlite3
from contextlib import suppress
from typing import Final

__all__ = ["empty_log", "give_back_slice", "let_shrink"]

_PAGES = 128
"""In one transaction: half a megabyte to be moved at most."""
_INCREMENTAL: Final = 2
"""How SQLite calls a database that can give pages back bit by bit."""


def give_back_slice(connection: sqlite3.Connection) -> int:
    """Give some pages back, inside a transaction; return their bytes, 0 if there are none (that can be)."""
    if _mode(connection) != _INCREMENTAL:
        return 0
    before = _number(connection, "page_count")
    for _ in range(min(_PAGES, _number(connection, "freelist_count"))):
        # One by one: the driver takes a statement without columns for done after its first step.
        connection.execute("PRAGMA incremental_vacuum(1)")
    return (before - _number(connection, "page_count")) * _number(connection, "page_size")


def empty_log(connection: sqlite3.Connection) -> None:
    """Write what is in the log into the file, and cut the log off; outside of a transaction.

    Space that was given back leaves the file only then. A reader that still needs the log keeps some of it,
    and that is no harm.
    """
    waits = _number(connection, "busy_timeout")
    with suppress(sqlite3.Error):
        connection.execute("PRAGMA busy_timeout = 0")
        # First without keeping anybody from writing; then there is little left to do that does.
        connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    connection.execute(f"PRAGMA busy_timeout = {waits}")


def let_shrink(connection: sqlite3.Connection) -> None:
    """See to it that space can be given back; outside of a transaction, once the schema is up to date.

    Files of earlier versions cannot: they are rewritten once, after which they can. That takes about a second
    for 100 MB, and as much space again for that time; where it fails nothing is lost but the space, and it
    is tried again when the store is opened the next time.
    """
    if _mode(connection) == _INCREMENTAL:
        return
    with suppress(sqlite3.Error):
        connection.execute(f"PRAGMA auto_vacuum = {_INCREMENTAL}")
        connection.execute("VACUUM")


def _mode(connection: sqlite3.Connection) -> int:
    return _number(connection, "auto_vacuum")


def _number(connection: sqlite3.Connection, pragma: str) -> int:
    return int(connection.execute(f"PRAGMA {pragma}").fetchone()[0])
