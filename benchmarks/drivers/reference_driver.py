"""The least that can be done: a writer thread, and a row for each intent, completion and wave.

No product, and no limit either: it shows what the goals cost where nothing else is done.
"""

import asyncio
import json
import queue
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from protocol import Meter, Task, drive, text_of

_Rows = list[tuple[int, bytes]]
_LARGEST_BATCH = 512


def connect(file: Path) -> sqlite3.Connection:
    """Open a database as Tidegate opens its own."""
    connection = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA wal_autocheckpoint = 4000")
    connection.execute("PRAGMA cache_size = -16000")
    connection.execute("CREATE TABLE IF NOT EXISTS events (id INTEGER PRIMARY KEY, body BLOB NOT NULL)")
    return connection


class Writer:
    """One thread; all that waits becomes one transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._loop = asyncio.get_running_loop()
        self._waiting: queue.SimpleQueue[tuple[_Rows, asyncio.Future[None]] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    async def append(self, rows: _Rows) -> None:
        """Add rows; return once they are durable."""
        done = self._loop.create_future()
        self._waiting.put((rows, done))
        await done

    def close(self) -> None:
        """Do what waits, then end."""
        self._waiting.put(None)
        self._thread.join()
        self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self._connection.close()

    def _serve(self) -> None:
        while (first := self._waiting.get()) is not None:
            batch = [first]
            while len(batch) < _LARGEST_BATCH and not self._waiting.empty():
                if (more := self._waiting.get()) is None:
                    self._waiting.put(None)
                    break
                batch.append(more)
            self._connection.execute("BEGIN IMMEDIATE")
            for rows, _ in batch:
                self._connection.executemany("INSERT INTO events VALUES (?, ?)", rows)
            self._connection.execute("COMMIT")
            self._loop.call_soon_threadsafe(_settle, [done for _, done in batch])


def _settle(futures: list[asyncio.Future[None]]) -> None:
    for done in futures:
        done.set_result(None)


class Run:
    """A journal of its own: ids are the run's number and a sequence."""

    def __init__(self, number: int, writer: Writer) -> None:
        self._next = number << 32
        self._writer = writer

    async def append(self, *events: dict[str, Any]) -> None:
        """Add events; return once they are durable."""
        rows = [(self._next + at, json.dumps(event).encode()) for at, event in enumerate(events)]
        self._next += len(rows)
        await self._writer.append(rows)

    def skip(self, rows: int) -> None:
        """Go on behind what an earlier process has written."""
        self._next += rows


async def in_a_row(run: Run, meter: Meter, text: Callable[[int], str], number: int, steps: int) -> int:
    """Run the steps after *number*, each of which needs the one before."""
    await run.append({"intent": number + 1})
    while number < steps:
        meter.step(number + 1)
        number += 1
        done: tuple[dict[str, Any], ...] = ({"done": number, "text": text(number)}, {"wave": number})
        await run.append(*done, *([{"intent": number + 1}] if number < steps else []))
    return number


async def wide(run: Run, meter: Meter, text: Callable[[int], str], steps: int) -> int:
    """Run steps that need nothing of each other."""
    numbers = range(1, steps + 1)
    await run.append(*({"intent": number} for number in numbers))

    async def one(number: int) -> None:
        meter.step(number)
        await run.append({"done": number, "text": text(number)})

    await asyncio.gather(*(one(number) for number in numbers))
    await run.append({"wave": 1})
    return steps


async def _measure(wanted: Task, meter: Meter) -> list[int]:
    writer = Writer(connect(wanted.folder / "reference.db"))
    text, work = text_of(wanted.workload), wanted.workload
    await in_a_row(Run(work.runs + 1, writer), meter, text, 0, 3)
    meter.begin()
    runs = [Run(number, writer) for number in range(1, work.runs + 1)]
    if work.is_wide:
        found = list(await asyncio.gather(*(wide(run, meter, text, wanted.steps) for run in runs)))
    else:
        found = list(await asyncio.gather(*(in_a_row(run, meter, text, 0, wanted.steps) for run in runs)))
    meter.end()
    writer.close()
    return found


async def _resume(wanted: Task, meter: Meter) -> list[int]:
    meter.begin()
    connection = connect(wanted.folder / "reference.db")
    rows = connection.execute(
        "SELECT body FROM events WHERE id >= ? AND id < ?", (1 << 32, 2 << 32)
    ).fetchall()
    done = [event["done"] for event in (json.loads(row[0]) for row in rows) if "done" in event]
    writer = Writer(connection)
    run = Run(1, writer)
    run.skip(len(rows))
    found = [await in_a_row(run, meter, text_of(wanted.workload), max(done, default=0), wanted.steps)]
    meter.end()
    writer.close()
    return found


if __name__ == "__main__":
    drive(_measure, _resume)
