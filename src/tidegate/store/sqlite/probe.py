"""What tells that a database file has changed: a number that SQLite keeps for each connection."""

import sqlite3
from pathlib import Path

from tidegate.store.changes import ChangeSignal, watch_on

__all__ = ["DataVersion", "signal_for_file"]


class DataVersion:
    """Looks through a connection that never writes."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        """Own *connection* from now on."""
        self._connection = connection
        # It is looked at on the loop: better to have seen nothing than to wait.
        connection.execute("PRAGMA busy_timeout = 0")

    def version(self) -> int:
        """Return a number that is another one after each commit of another connection."""
        try:
            return int(self._connection.execute("PRAGMA data_version").fetchone()[0])
        except sqlite3.Error:
            # Whoever reads next gets the error, with a name to it.
            return -1

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


def signal_for_file(connection: sqlite3.Connection, directory: Path) -> ChangeSignal:
    """Return a signal for a database file.

    Args:
        connection: That reads the database; owned from now on.
        directory: It is in; the file itself is hardly written, its log comes and goes.
    """
    return ChangeSignal(DataVersion(connection), watch_on(directory))
