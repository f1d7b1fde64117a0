"""A real store of the previous schema, written by the code of that time: see fixtures/make_schema_2.py."""

import asyncio
import re
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import zstandard

from running import status_of, world
from store.builders import Opened
from store.test_upgrade import NEWEST, schema_of
from tidegate.errors import CorruptStore, StoreUnavailable
from tidegate.history.verify import verify
from tidegate.model.events import RunStatus
from tidegate.model.ids import BlockId, RunId
from tidegate.model.listing import PauseFilter, RunFilter, Stream
from tidegate.model.state import BlockStatus
from tidegate.store.protocol import Store
from tidegate.store.sqlite.connections import Connection, connect, file_uri
from tidegate.store.sqlite.migrate import known_migrations, migrate

FIXTURE = Path(__file__).parent / "fixtures" / "schema-2.db.zst"
_SPREAD = range(40)
"""Of limits that a disk which fills up is tried with, in pages beyond what the store has already."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The store as it was left: by a process that was killed while a run was at work."""
    path = tmp_path / "tidegate.db"
    put_fixture(path)
    return path


def put_fixture(path: Path) -> None:
    """Put the store at *path*."""
    path.write_bytes(zstandard.decompress(FIXTURE.read_bytes(), max_output_size=2**24))
    path.chmod(0o600)


Contents = dict[str, list[tuple[object, ...]]]


def contents(path: Path) -> Contents:
    """Return what must outlive any migration, as it stands in the file."""
    queries = {
        "runs": "SELECT run_id, created_at, updated_at, head, status, started_by, summary FROM runs",
        "events": "SELECT id, at, codec, body FROM events",
        "pauses": "SELECT pause_id, opened_at, deadline, state, closed_at, answer, prompt FROM pauses",
        "checkpoints": "SELECT checkpoint_id, run_no, seq, kind, created_at, label, summary FROM checkpoints",
        "values": "SELECT sha256, codec, data FROM vals",
        "output": "SELECT run_no, block, attempt, n, stream, start, codec, data FROM output",
    }
    with closing(sqlite3.connect(file_uri(path, "ro"), uri=True)) as connection:
        return {
            name: sorted(connection.execute(query).fetchall(), key=repr) for name, query in queries.items()
        }


async def faults_of(store: Store) -> list[str]:
    """Return everything that is wrong with a store."""
    return [*await store.faults(), *[line async for verdict in verify(store) for line in verdict.findings]]


async def run_of(store: Store, workflow: str) -> RunId:
    """Return the one run of a workflow."""
    (row,) = await store.runs(RunFilter(workflow=workflow))
    return row.run_id


async def test_everything_is_kept_and_the_chain_holds(path: Path, opened: Opened) -> None:
    """Ids, times, answers, journals, output and values, byte for byte; a copy was made first."""
    before = contents(path)

    store = await opened(path)
    assert await faults_of(store) == []
    assert {row.workflow: row.summary.status for row in await store.runs(RunFilter(top_only=True))} == {
        "archive": RunStatus.SUCCEEDED,
        "check": RunStatus.FAILED,
        "deploy": RunStatus.PAUSED,
        "roll-out": RunStatus.PAUSED,
        "migrate": RunStatus.RUNNING,
    }
    answered = [row for row in await store.pauses(PauseFilter(open_only=False)) if row.answer is not None]
    assert [(row.block, row.answer.raw, row.answer.by) for row in answered if row.answer] == [
        ("approve", "yes", "ana")
    ]
    await store.close()

    assert contents(path) == before
    copy = path.with_name("tidegate.db.schema-2")
    assert contents(copy) == before
    assert (schema_of(path), schema_of(copy)) == (NEWEST, 2)


async def test_a_long_output_is_all_there(path: Path, opened: Opened) -> None:
    """Of five megabytes the first four and the last one, as they were kept then."""
    store = await opened(path)
    run_id, size, after = await run_of(store, "archive"), 0, -1
    while chunks := await store.read_output(run_id, BlockId("pack"), 1, after=after):
        size += sum(len(chunk.data) for chunk in chunks)
        after = chunks[-1].n

    assert 4 * 2**20 <= size <= 5_000_000
    # Nothing was made up for them: a checksum of today would call sound what was damaged before.
    last = await store.last_output(run_id, BlockId("pack"), 1)
    assert all(chunk.is_unverified for chunk in last)
    assert last[-1].stream is Stream.STDOUT
    assert last[-1].offset + len(last[-1].data) == 5_000_000


async def test_runs_of_then_go_on_today(path: Path) -> None:
    """The one that waits ends by its answer, the one that was cut off is taken up, the nested ones as well."""
    async with world(path.parent, f"sqlite://{path}") as made:
        deploy, roll_out = await run_of(made.store, "deploy"), await run_of(made.store, "roll-out")
        migrated = await run_of(made.store, "migrate")
        state = await made.answer_and_rest(deploy, "where", "production")
        for pause in await made.store.pauses(PauseFilter(root=roll_out)):
            await made.answer(pause.run_id, "gate", "yes")
        await made.executor.resume(migrated, by="ana")

        assert (state.status, state.finished and state.finished.outputs) == (
            RunStatus.SUCCEEDED,
            {"said": "to production", "lines": "9000"},
        )
        assert (await made.rest(roll_out)).status is RunStatus.SUCCEEDED
        await made.rest(migrated)
        state = await made.history.state(migrated)
        assert (status_of(state, "at_work"), state.block(BlockId("at_work")).attempt) == (
            BlockStatus.SUCCEEDED,
            2,
        )
        assert await faults_of(made.store) == []


# -- when it is cut off -----------------------------------------------------------------------


async def test_a_migration_that_is_killed_anywhere_changes_nothing(
    path: Path, tmp_path: Path, opened: Opened
) -> None:
    """At every single statement: the next start finds the old store, does it all, and loses nothing."""
    before = contents(path)
    copies = tmp_path / "copies"
    copies.mkdir()
    script = Path(__file__).with_name("dying_migration.py")
    process = await asyncio.create_subprocess_exec(
        sys.executable, script, path, copies, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    said, complaint = (stream.decode() for stream in await process.communicate())

    assert (process.returncode, complaint) == (0, "")
    *killed, whole = [line.partition(" ")[::2] for line in said.splitlines()]
    statements = [statement for _, statement in killed]
    assert "PRAGMA user_version" in statements[-2], "the version is stamped last"
    assert statements[-1] == "COMMIT"
    assert len(killed) > 20
    assert schema_of(copies / whole[0]) == NEWEST
    for name, statement in killed:
        place = copies / name
        assert (schema_of(place), statement and contents(place)) == (2, before), statement
        await (await opened(place)).close()
        assert (schema_of(place), contents(place)) == (NEWEST, before), statement
    store = await opened(place)
    assert await faults_of(store) == []


def limited(path: Path, pages: int) -> Iterator[Connection]:
    """Yield a connection to which the file cannot grow beyond a number of pages."""
    with closing(connect(file_uri(path, "rw"))) as connection:
        connection.execute(f"PRAGMA max_page_count = {pages:d}")
        yield connection


async def test_a_disk_that_fills_up_during_the_migration_changes_nothing(path: Path, opened: Opened) -> None:
    """Wherever that is; with room again, the next start does it all."""
    before = contents(path)
    with closing(connect(file_uri(path, "ro"))) as connection:
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
    refused = 0
    for more in _SPREAD:
        for connection in limited(path, pages + more):
            try:
                migrate(connection, known_migrations())
            except sqlite3.OperationalError as error:
                assert error.sqlite_errorcode == sqlite3.SQLITE_FULL  # noqa: PT017
                refused += 1
        if schema_of(path) == NEWEST:
            break
        assert contents(path) == before

    assert refused > 5
    store = await opened(path)
    assert await faults_of(store) == []
    assert contents(path) == before


async def test_without_room_for_the_copy_nothing_is_changed(path: Path, opened: Opened) -> None:
    """The copy comes first. Without it the store stays what it was, and the text says why."""
    found = path.read_bytes()
    copy = path.with_name("tidegate.db.schema-2")
    process = await asyncio.create_subprocess_exec(
        *("bash", "-c", 'ulimit -f 64; "$@"', "bash", sys.executable, "-m", "tidegate", "runs", "list"),
        env={"TIDEGATE_STORE": str(path), "PYTHONDONTWRITEBYTECODE": "1", "PATH": "/usr/bin:/bin"},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    _, complaint = await process.communicate()

    assert process.returncode == 1
    assert b"Traceback" not in complaint
    assert re.search(rb"tidegate: store .*: the disk reported an error|disk is full", complaint)
    assert path.read_bytes() == found
    assert not copy.exists()
    assert not [entry.name for entry in path.parent.iterdir() if entry.name.endswith(".new")]
    store = await opened(path)
    assert await faults_of(store) == []
    assert copy.exists()


# -- damage of then ---------------------------------------------------------------------------


@pytest.mark.parametrize("seq", [1, 6, 15])
async def test_an_event_that_was_damaged_before_stays_known_as_damaged(
    path: Path, opened: Opened, seq: int
) -> None:
    """A new chain over old damage would make it good: its old checksum is looked at first."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        (number,) = connection.execute("SELECT run_no FROM runs WHERE workflow = 'deploy'").fetchone()
        # Still an event, and as long as it was.
        connection.execute(
            "UPDATE events SET body = CAST(replace(body, '\"type\"', '\"tipe\"') AS BLOB) WHERE id = ?",
            (number << 32 | seq,),
        )

    store = await opened(path)
    run_id = await run_of(store, "deploy")
    with pytest.raises(CorruptStore, match=f"event {seq} of run {run_id} is damaged") as damage:
        await store.read(run_id)
    assert (damage.value.run_id, damage.value.last_good) == (run_id, seq - 1)
    assert len([verdict async for verdict in verify(store) if verdict.is_sound]) == 6


async def test_a_store_of_then_that_nobody_may_write_is_left_alone(
    path_of_nobody: Path, opened: Opened
) -> None:
    """It cannot be read as it is; what would help is said."""
    put_fixture(path_of_nobody)
    path_of_nobody.chmod(0o400)

    with pytest.raises(StoreUnavailable, match=r"schema 2.*Make it writable once"):
        await opened(path_of_nobody)
    assert schema_of(path_of_nobody) == 2
