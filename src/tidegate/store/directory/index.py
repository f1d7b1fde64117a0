"""The index: a database in memory that has what the log says."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["transaction"]


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Do something to the index: all of it, or nothing."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        # Some faults have ended it already.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
