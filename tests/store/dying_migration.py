"""Migrations that die: ``python dying_migration.py OLD FOLDER`` brings copies of a store up to date.

One copy for each statement of the migration. A forked process works on each, and is killed right before its
statement; then it says on a line which statement that was. The last one, of which nothing is left to be
killed at, is whole.
"""

import os
import shutil
import signal
import sys
from contextlib import closing
from pathlib import Path

from tidegate.store.sqlite.connections import connect, file_uri
from tidegate.store.sqlite.migrate import known_migrations, migrate

_MOST = 500


def main(old: Path, folder: Path) -> None:
    """Kill at the first statement, at the second, and so on, until nothing is left to be killed at."""
    for number in range(1, _MOST):
        copy = folder / f"{number:03}.db"
        shutil.copy(old, copy)
        said, saying = os.pipe()
        child = os.fork()
        if child == 0:
            _migrate(copy, number, saying)
        os.close(saying)
        _, status = os.waitpid(child, 0)
        with os.fdopen(said) as lines:
            print(f"{copy.name} {lines.read()}", flush=True)  # noqa: T201
        if not os.WIFSIGNALED(status):
            return


def _migrate(path: Path, number: int, saying: int) -> None:
    """Bring a store up to date, and die at one of the statements. Never returns."""
    left = number

    def traced(statement: str) -> None:
        nonlocal left
        left -= 1
        if left == 0:
            os.write(saying, " ".join(statement.split())[:60].encode())
            os.kill(os.getpid(), signal.SIGKILL)

    with closing(connect(file_uri(path, "rw"))) as connection:
        # So little that most of what is written reaches the log before the commit does.
        connection.execute("PRAGMA cache_size = 2")
        connection.set_trace_callback(traced)
        migrate(connection, known_migrations())
        connection.set_trace_callback(None)
    os._exit(0)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
