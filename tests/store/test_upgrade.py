"""Stores of earlier schemas: what an older Tidegate wrote reads as it did, and is not lost."""

import asyncio
import sqlite3
import zlib
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from store.builders import BLOCK, DEFINITION, NOW, RUN, RUNNING, Opened, adding, below, new_run, paused, wave
from store.processes import end_of, other_process
from tidegate.errors import CorruptStore, StoreUnavailable
from tidegate.model.block_state import PauseState
from tidegate.model.events import BlockExpanded, JournalEvent, RunStarted, RunStatus
from tidegate.model.ids import CheckpointId, PauseId, RunId, Seq
from tidegate.model.listing import Counts, Cursor, PauseFilter, RunFilter
from tidegate.model.policy import CheckpointKind
from tidegate.model.prompt import Answer
from tidegate.model.state import RunSummary
from tidegate.model.workflow import definition_hash
from tidegate.store.sqlite.connections import connect
from tidegate.store.sqlite.migrate import known_migrations, migrate

ENDED = RunId("ended")
STARTED = RunStarted(workflow="deploy", definition=definition_hash(DEFINITION), by="ada")
ASKED = paused("pause_old", deadline=NOW + 60, message="Deploy?")
DONE = RunSummary(status=RunStatus.SUCCEEDED)
PAUSED = RunSummary(status=RunStatus.PAUSED, pauses=1)
YES = Answer(value=True, raw="y", by="ada", via="cli")

# Schema 1 as it was written to: these statements are of that version and stay as they are.
_RUN = (
    "INSERT INTO runs (run_no, run_id, workflow, definition, created_at, updated_at, head, started_by, epoch,"
    " owner, lease_until, status, summary, change_no) VALUES (?, ?, 'deploy', ?, ?, ?, ?, 'ada', 1, ?, ?, ?, ?, ?)"
)
NEWEST = known_migrations()[-1].version
_EVENT = "INSERT INTO events (id, at, body, crc) VALUES (?, ?, ?, ?)"
_PAUSE = (
    "INSERT INTO pauses (pause_id, run_no, block, attempt, prompt, opened_at, opened_seq, deadline, state,"
    " closed_at, answer) VALUES (?, ?, 'gate', 1, ?, ?, 2, ?, ?, ?, ?)"
)
_CHECKPOINT = (
    "INSERT INTO checkpoints (checkpoint_id, run_no, seq, kind, created_at, block, label, summary)"
    " VALUES (?, 1, 2, ?, ?, ?, 'here', ?)"
)


def _write_old(connection: sqlite3.Connection) -> None:
    encode = msgspec.json.encode
    name = definition_hash(DEFINITION)
    connection.execute("INSERT INTO meta (name, value) VALUES ('created_at', ?)", (NOW,))
    connection.execute(
        "INSERT INTO definitions VALUES (?, 'deploy', ?, 'x', ?)", (name, encode(DEFINITION), NOW)
    )
    for row in (
        (1, RUN, name, NOW, NOW + 1, 2, "me", NOW + 30, "paused", encode(PAUSED), 1),
        (2, ENDED, name, NOW + 2, NOW + 3, 1, "", 0.0, "succeeded", encode(DONE), 2),
    ):
        connection.execute(_RUN, row)
    events: list[tuple[int, int, JournalEvent]] = [(1, 1, STARTED), (1, 2, ASKED), (2, 1, STARTED)]
    for run_no, seq, event in events:
        body = encode(event)
        connection.execute(_EVENT, (run_no << 32 | seq, NOW + seq - 1, body, zlib.crc32(body, seq)))
    prompt = encode(ASKED.prompt)
    connection.execute(_PAUSE, ("pause_old", 1, prompt, NOW + 1, NOW + 60, 0, None, None))
    connection.execute(_PAUSE, ("pause_closed", 2, prompt, NOW + 1, None, 1, NOW + 2, encode(YES)))
    connection.execute(_CHECKPOINT, ("chk_old", "wave", NOW + 1, None, encode(RUNNING)))
    connection.execute(_CHECKPOINT, ("pause_old", "pause", NOW + 1, BLOCK, encode(PAUSED)))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store that a Tidegate of schema 1 made and filled."""
    path = tmp_path / "tidegate.db"
    write_old_store(path)
    return path


def write_old_store(path: Path) -> None:
    """Make a store of schema 1 at *path*."""
    with closing(connect(f"file:{path}?mode=rwc")) as connection:
        migrate(connection, known_migrations()[:1])
        _write_old(connection)
        connection.execute("PRAGMA journal_mode = WAL")
    path.chmod(0o600)


def schema_of(path: Path) -> int:
    """Return the version of a store's schema."""
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])


async def test_everything_reads_as_before(path: Path, opened: Opened) -> None:
    """Runs, journals, pauses and checkpoints; what is new about them says nothing."""
    store = await opened(path)

    ended, run = await store.runs()
    assert (ended.run_id, ended.summary, ended.head) == (ENDED, DONE, 1)
    assert (run.run_id, run.summary, run.owner, run.epoch) == (RUN, PAUSED, "me", 1)
    assert (run.parent, run.root, run.path) == (None, None, "")
    assert [record.event for record in await store.read(RUN)] == [STARTED, ASKED]
    assert await store.definition(run.definition) == DEFINITION
    (pause,) = await store.pauses()
    assert (pause.pause_id, pause.prompt, pause.deadline) == ("pause_old", ASKED.prompt, NOW + 60)
    assert (pause.root, pause.path) == (None, "")
    closed = await store.pause(PauseId("pause_closed"))
    assert (closed.state, closed.answer) == (PauseState.ANSWERED, YES)
    marks = await store.checkpoints()
    assert [(row.checkpoint_id, row.pause_open, row.metadata) for row in marks] == [
        ("pause_old", True, {}),
        ("chk_old", False, {}),
    ]
    assert (await store.checkpoint(CheckpointId("chk_old"))).kind is CheckpointKind.WAVE
    assert [row.run_id for row in (await store.changes(Cursor(0))).runs] == [RUN, ENDED]


async def test_what_is_new_holds_for_what_is_old(path: Path, opened: Opened) -> None:
    """Old runs are on top, and are counted."""
    store = await opened(path)

    assert [row.run_id for row in await store.runs(RunFilter(top_only=True))] == [ENDED, RUN]
    assert [row.run_id for row in await store.runs(RunFilter(root=RUN))] == [RUN]
    assert [row.pause_id for row in await store.pauses(PauseFilter(root=RUN))] == ["pause_old"]
    counts = await store.counts()
    assert (counts.open_pauses, counts.runs) == (1, {"paused": 1, "succeeded": 1})


async def test_an_old_run_goes_on(path: Path, opened: Opened) -> None:
    """With events, closed pauses and runs below it of today."""
    store = await opened(path)
    keys = tuple(f"host-{number}" for number in range(1_000))
    expanded = BlockExpanded(block=BLOCK, attempt=1, keys=keys)

    await store.append(adding(expanded, after=2, closed=["pause_old"]))
    await store.create_run(new_run("child", parent=below("gate")))

    assert (await store.read(RUN, after=Seq(2)))[0].event == expanded
    assert await store.pauses() == ()
    assert [row.run_id for row in await store.runs(RunFilter(parent=RUN))] == ["child"]
    assert await store.counts() == Counts(runs={"running": 1, "succeeded": 1})


async def test_what_was_there_before_is_kept_beside_it(path: Path, opened: Opened) -> None:
    """Once, whole, private, and never from a store that is up to date."""
    for _ in range(2):
        await (await opened(path)).close()

    copy = path.with_name("tidegate.db.schema-1")
    assert sorted(entry.name for entry in path.parent.iterdir()) == ["tidegate.db", copy.name]
    assert (schema_of(path), schema_of(copy)) == (NEWEST, 1)
    assert copy.stat().st_mode & 0o777 == 0o600
    with closing(sqlite3.connect(copy)) as connection:
        assert connection.execute("SELECT count(*) FROM events").fetchone()[0] == 3


async def test_many_processes_may_meet_an_old_store_at_once(path: Path, opened: Opened) -> None:
    """One of them brings it up to date, the others find it so; all of them write."""
    processes = await asyncio.gather(*(other_process("contact", path) for _ in range(8)))
    ends = await asyncio.gather(*map(end_of, processes))

    store = await opened(path)
    assert [(code, complaint) for code, _, complaint in ends] == [(0, "")] * 8
    counts = await store.counts()
    assert (counts.open_pauses, counts.runs) == (1, {"paused": 1, "succeeded": 1, "running": 8})
    assert schema_of(path.with_name("tidegate.db.schema-1")) == 1


async def test_who_had_the_store_open_goes_on_writing(path: Path, opened: Opened) -> None:
    """A process of the version before counts, too, though it knows nothing of it."""
    with closing(connect(f"file:{path}?mode=rw")) as older:
        older.execute("SELECT * FROM runs").fetchall()
        store = await opened(path)

        row = (3, "late", "d", NOW, NOW, 1, "", 0.0, "running", msgspec.json.encode(RUNNING), 9)
        older.execute(_RUN, row)
        older.execute("UPDATE runs SET head = 3, status = 'failed' WHERE run_no = 1")

    assert (await store.counts()).runs == {"failed": 1, "succeeded": 1, "running": 1}
    assert await store.append(adding(wave(), run_id="late")) == 2


async def test_runs_that_are_deleted_are_not_counted(path: Path, opened: Opened) -> None:
    """Whoever deletes them."""
    store = await opened(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("DELETE FROM runs WHERE run_id = ?", (ENDED,))

    assert (await store.counts()).runs == {"paused": 1}


async def test_an_old_store_that_cannot_be_written_says_so(path_of_nobody: Path, opened: Opened) -> None:
    """It cannot be read as it is, and it is left as it is."""
    path = path_of_nobody
    write_old_store(path)
    path.chmod(0o400)

    with pytest.raises(
        StoreUnavailable, match=rf"has schema 1, .* needs {NEWEST}, and the file is read-only\. Make it"
    ):
        await opened(path)
    assert schema_of(path) == 1


async def test_an_old_store_that_is_damaged_is_not_changed(path: Path, opened: Opened) -> None:
    """Nothing is built on damage."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        page = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'pauses'").fetchone()[0]
    with path.open("r+b") as file:
        file.seek((page - 1) * 4096)
        file.write(b"\xff" * 16)
    found = path.read_bytes()

    with pytest.raises(CorruptStore, match="damaged"):
        await opened(path)
    assert path.read_bytes() == found
