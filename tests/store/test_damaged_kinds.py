"""Values of another kind than what was written, in every column: told in our own words, and never as a crash."""

import re
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import closing
from pathlib import Path

import pytest

from store.builders import Opened
from store.test_upgrade_real import put_fixture
from tidegate.clock import SystemClock
from tidegate.errors import StoreError, TidegateError
from tidegate.history.history import History
from tidegate.model.listing import CheckpointFilter, PauseFilter
from tidegate.store.protocol import Store

KINDS = {
    "number": "5",
    "other number": "-1.5",
    "text": "'words'",
    "no text": "CAST(x'ff00fe' AS TEXT)",
    "bytes": "x'00ff'",
}
TABLES = ("runs", "events", "pauses", "checkpoints", "definitions", "vals", "output")
FOREIGN = re.compile(
    r"\b(str|bytes|int|float|NoneType|tuple|Error|Exception|traceback|concat|SQLite|SQL|BLOB|TEXT|REAL|NULL"
    r"|malformed|user-defined|JSON|msgspec|zstd|decompress|UTF-8|Expected|unpack|utf-8|codec|datatype)\b"
)
"""Words of what we are made with."""


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with runs of many kinds, of an older schema."""
    path = tmp_path_factory.mktemp("sound") / "tidegate.db"
    put_fixture(path)
    return path


@pytest.fixture
async def path(sound: Path, tmp_path: Path, opened: Opened) -> Path:
    """A store of today's schema."""
    path = tmp_path / "tidegate.db"
    path.write_bytes(sound.read_bytes())
    await (await opened(path)).close()
    return path


def columns(connection: sqlite3.Connection, table: str) -> list[str]:
    """Return the columns of a table that hold what a run is."""
    return [row[1] for row in connection.execute(f"PRAGMA table_info({table})") if not row[5]]


def change(path: Path, table: str, column: str, kind: str) -> None:
    """Change one column of the first row, however odd that is."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        first = "hash" if table == "definitions" else "rowid"
        connection.execute(
            f"UPDATE OR IGNORE {table} SET {column} = {KINDS[kind]} WHERE {first} = (SELECT min({first}) FROM {table})"  # noqa: S608
        )


async def told(store: Store) -> AsyncIterator[str]:
    """Yield everything that a store says of damage, whatever is read of it."""
    history = History(store, SystemClock())
    reads: list[Callable[[], Awaitable[object]]] = [
        store.counts,
        store.statistics,
        store.orphans,
        store.kept_runs,
        lambda: store.pauses(PauseFilter(open_only=False)),
        lambda: store.checkpoints(CheckpointFilter()),
        lambda: store.matching("a"),
        store.newest_cursor,
    ]
    for row in await store.runs():
        yield row.damage
        reads += [
            lambda row=row: store.run(row.run_id),  # type: ignore[misc]
            lambda row=row: store.read(row.run_id),  # type: ignore[misc]
            lambda row=row: history.state(row.run_id),  # type: ignore[misc]
            lambda row=row: store.sizes([row.run_id]),  # type: ignore[misc]
        ]
    for read in reads:
        try:
            await read()
        except TidegateError as error:
            yield str(error).replace(store.url, "")
    for fault in await store.faults():
        yield fault
    async for verdict in history.verify():
        for finding in verdict.findings:
            yield finding
    yield store.damage.replace(store.url, "")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("table", TABLES)
async def test_another_kind_of_value_is_told_in_our_own_words(
    path: Path, tmp_path: Path, opened: Opened, table: str, kind: str
) -> None:
    """Column by column: something may be said, or nothing may be wrong; there is no word of Python or of SQLite."""
    data, foreign = path.read_bytes(), list[str]()
    with closing(sqlite3.connect(path)) as connection:
        names = columns(connection, table)
    for column in names:
        place = tmp_path / f"{table}-{column}.db"
        place.write_bytes(data)
        change(place, table, column, kind)
        try:
            store = await opened(place)
        except StoreError as error:
            said = [str(error).replace(str(place), "")]
        else:
            said = [line async for line in told(store)]
            await store.close()
        foreign += [f"{column}: {line}" for line in said if FOREIGN.search(line)]

    assert not foreign, "\n".join(foreign)
