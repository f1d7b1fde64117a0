"""SQLite by itself, with every commit synced: what no engine on it can exceed.

``W1`` commits one row of 1 KB at a time, ``W2`` a hundred; a step is a row. Other workloads mean nothing here.
"""

import sqlite3

from protocol import Meter, Task, task, text_of
from reference_driver import connect

_TOGETHER = 100
_ROW_BYTES = 1_000


def _measure(wanted: Task, meter: Meter, connection: sqlite3.Connection) -> None:
    text = text_of(wanted.workload)
    many = wanted.workload.runs > 1
    together = _TOGETHER if many else 1
    filler = "x" * (_ROW_BYTES - wanted.workload.bytes)
    meter.begin()
    for start in range(1, wanted.total + 1, together):
        rows = [(number, (text(number) + filler).encode()) for number in range(start, start + together)]
        connection.execute("BEGIN IMMEDIATE")
        connection.executemany("INSERT INTO events VALUES (?, ?)", rows)
        connection.execute("COMMIT")
        for number, _ in rows:
            meter.step(number)
    meter.end()


def main() -> None:
    """Do what the command line asks for."""
    wanted = task()
    meter = Meter(wanted)
    connection = connect(wanted.folder / "rows.db")
    _measure(wanted, meter, connection)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    meter.tell()


if __name__ == "__main__":
    main()
