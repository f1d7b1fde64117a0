"""A damaged store, and files that are none: damage is named, and the file is left as it was."""

# a test may look at a file while nothing else is going on

import asyncio
import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from store.builders import (
    BLOCK,
    NOW,
    RUN,
    Opened,
    adding,
    chunk,
    hashed,
    marked,
    new_run,
    paused,
    until,
    wave,
)
from tidegate.errors import CorruptStore, SchemaTooNew, StoreUnavailable
from tidegate.model.events import CancelRequested, PauseAnswered, RunStatus
from tidegate.model.ids import BlockId, PauseId, RunId
from tidegate.model.listing import Cursor, PauseFilter, RunFilter
from tidegate.model.prompt import Answer
from tidegate.store.damage import read_journal
from tidegate.store.sqlite.migrate import known_migrations


@pytest.fixture
async def path(tmp_path: Path, opened: Opened) -> Path:
    """A store with ten runs of some length, closed."""
    path = tmp_path / "tidegate.db"
    store = await opened(path)
    for number in range(10):
        await store.create_run(new_run(f"run{number}"))
        events = [CancelRequested(by="ada", reason=f"because of {n} " * 10) for n in range(100)]
        await store.append(adding(*events, run_id=f"run{number}"))
    await store.close()
    return path


def change(path: Path, statement: str) -> None:
    """Change a store behind its back."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(statement)


def overwrite_root(path: Path, name: str) -> None:
    """Write noise over the first page of a table or of an index."""
    with closing(sqlite3.connect(path)) as connection:
        (page,) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (name,)).fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
    with path.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xff" * 32)


async def test_damage_in_the_middle_is_named_and_the_rest_can_be_read(path: Path, opened: Opened) -> None:
    """Noise over the middle of the file: some run is damaged, the others are not."""
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(size // 2 // 4096 * 4096 + 2000)
        file.write(bytes(range(200)))
    found = path.read_bytes()

    store = await opened(path)
    complete, damaged = 0, []
    for row in await store.runs():
        try:
            complete += len(await store.read(row.run_id)) == 101
        except CorruptStore as error:
            damaged.append(str(error))
    await store.close()

    assert complete + len(damaged) == 10
    assert damaged
    assert complete >= 7
    assert "The file was left as it is" in damaged[0]
    assert path.read_bytes() == found


async def test_nothing_is_written_into_a_file_whose_structure_is_damaged(path: Path, opened: Opened) -> None:
    """What can be read can be read; writing on would make it worse."""
    size = path.stat().st_size
    with path.open("r+b") as file:
        # The head of a page says what is where in it.
        file.seek(size // 2 // 4096 * 4096)
        file.write(b"\xff" * 200)
    found = path.read_bytes()

    store = await opened(path)
    assert len(await store.runs()) == 10
    with pytest.raises(CorruptStore, match="damaged"):
        await store.append(adding(wave(), run_id="run0", after=101))
    await store.close()

    assert path.read_bytes() == found


async def test_a_file_that_was_cut_off_is_damage(path: Path, opened: Opened) -> None:
    """Half a store is none."""
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size // 2)
    found = path.read_bytes()

    with pytest.raises(CorruptStore, match="damaged"):
        await opened(path)
    assert path.read_bytes() == found


@pytest.mark.parametrize(
    "content", [b"", b"a diary, not a store\n" * 500, b"SQLite format 3\0", b"\0" * 8192]
)
async def test_a_file_that_is_no_store_is_left_as_it_is(
    tmp_path: Path, content: bytes, opened: Opened
) -> None:
    """Empty, text, or a beginning: there is never a fresh store in its place."""
    path = tmp_path / "tidegate.db"
    path.write_bytes(content)

    with pytest.raises(CorruptStore, match="the file"):
        await opened(path)
    assert path.read_bytes() == content
    assert os.listdir(tmp_path) == ["tidegate.db"]  # noqa: PTH208


async def test_somebody_elses_database_is_left_as_it_is(tmp_path: Path, opened: Opened) -> None:
    """A SQLite file is not yet a store."""
    path = tmp_path / "tidegate.db"
    change(path, "CREATE TABLE recipes (name TEXT)")
    found = path.read_bytes()

    with pytest.raises(CorruptStore, match="no Tidegate store"):
        await opened(path)
    assert path.read_bytes() == found


async def test_a_store_without_its_log_opens_with_what_is_in_it(path: Path, opened: Opened) -> None:
    """A deleted log takes what was only in it, and nothing else."""
    path.with_name("tidegate.db-wal").unlink(missing_ok=True)

    store = await opened(path)
    assert len(await store.runs()) == 10
    await store.close()


async def test_a_log_without_its_store_is_damage(tmp_path: Path, opened: Opened) -> None:
    """SQLite would replay it into the new file: whatever it holds, it is kept."""
    log = tmp_path / "tidegate.db-wal"
    log.write_bytes(b"what was committed last")

    with pytest.raises(CorruptStore, match=r"the file is gone, but its log tidegate\.db-wal is still there"):
        await opened(tmp_path / "tidegate.db")
    assert os.listdir(tmp_path) == ["tidegate.db-wal"]  # noqa: PTH208


async def test_a_directory_is_no_store(tmp_path: Path, opened: Opened) -> None:
    """The advice says what was meant."""
    with pytest.raises(StoreUnavailable, match=r"a directory, not a file\. Name a file in it"):
        await opened(tmp_path)


async def test_what_is_no_regular_file_is_no_store(tmp_path: Path, opened: Opened) -> None:
    """A pipe would be waited on for ever."""
    path = tmp_path / "pipe"
    os.mkfifo(path)

    with pytest.raises(StoreUnavailable, match="no regular file"):
        await opened(path)


async def test_a_place_inside_a_file_is_no_place(path: Path, opened: Opened) -> None:
    """The system's own words, and what to do."""
    with pytest.raises(StoreUnavailable, match=r"Not a directory.*Choose another place with --store"):
        await opened(path / "inside.db")


async def test_a_newer_store_is_refused(path: Path, opened: Opened) -> None:
    """It is not touched, and the text says what to use instead."""
    change(path, "PRAGMA user_version = 99")
    found = path.read_bytes()

    with pytest.raises(
        SchemaTooNew, match=f"has schema 99, this Tidegate knows up to {known_migrations()[-1].version}"
    ):
        await opened(path)
    assert path.read_bytes() == found


async def test_a_store_without_a_version_is_damage(path: Path, opened: Opened) -> None:
    """The version is stamped last, before the store gets its name."""
    change(path, "PRAGMA user_version = 0")

    with pytest.raises(CorruptStore, match="no version"):
        await opened(path)


async def test_an_event_that_was_changed_is_named(path: Path, opened: Opened) -> None:
    """Also when it is still well-formed: its link does not fit."""
    changed = "CAST(replace(body, 'because of 7 ', 'because of 8 ') AS BLOB)"
    change(path, f"UPDATE events SET body = {changed} WHERE id & 65535 = 9")  # noqa: S608

    store = await opened(path)
    with pytest.raises(CorruptStore, match="event 9 of run run3 is damaged"):
        await store.read(RunId("run3"))
    await store.close()


async def test_a_value_of_another_type_is_damage(path: Path, opened: Opened) -> None:
    """A flipped bit may make a text of an event, or nothing at all."""
    change(path, "UPDATE events SET body = CAST(body AS TEXT) WHERE id & 65535 = 9")

    store = await opened(path)
    with pytest.raises(CorruptStore, match="event 9 of run run3 is damaged"):
        await store.read(RunId("run3"))


@pytest.mark.parametrize("missing", ["= 1", "= 50", "= 101", "> 0"])
async def test_an_event_that_is_missing_is_noticed(path: Path, opened: Opened, missing: str) -> None:
    """A journal has no gaps, neither in its middle nor at its end."""
    change(path, f"DELETE FROM events WHERE id & 65535 {missing}")  # noqa: S608

    store = await opened(path)
    with pytest.raises(CorruptStore, match=r"event \d+ of run run3 is missing"):
        await store.read(RunId("run3"))
    await store.close()


async def test_a_summary_that_cannot_be_read_is_damage(path: Path, opened: Opened) -> None:
    """No error of a decoder leaves the store."""
    change(path, "UPDATE runs SET summary = x'7b22' WHERE run_id = 'run3'")

    store = await opened(path)
    with pytest.raises(CorruptStore, match="run run3 is damaged: a row is not what was written"):
        await store.run(RunId("run3"))
    assert (await store.run(RunId("run4"))).head == 101
    await store.close()


async def test_a_value_that_was_changed_is_named(tmp_path: Path, opened: Opened) -> None:
    """It is not what its hash says."""
    path = tmp_path / "tidegate.db"
    name, data = hashed("x" * 100)
    store = await opened(path)
    await store.create_run(new_run())
    await store.append(adding(wave(), values={name: data}))
    change(path, "UPDATE vals SET data = x'22'")

    with pytest.raises(CorruptStore, match=f"value {name} is damaged"):
        await store.values([name])
    assert (await store.run(RUN)).head == 2
    await store.close()


# -- one damaged row, one damaged page --------------------------------------------------------


async def test_a_damaged_row_stands_in_the_list_by_its_name(path: Path, opened: Opened) -> None:
    """And the feed goes on. Nobody drives what can only be named; its journal can still be read."""
    change(path, "UPDATE runs SET summary = x'7b22' WHERE run_id = 'run3'")
    change(path, "UPDATE runs SET created_at = 'then' WHERE run_id = 'run5'")

    store = await opened(path)
    rows = {row.run_id: row for row in await store.runs()}
    changed = (await store.changes(Cursor(0))).runs

    assert len(rows) == len(changed) == 10
    assert {run_id for run_id, row in rows.items() if row.damage} == {"run3", "run5"}
    assert {row.run_id for row in changed if row.damage} == {"run3", "run5"}
    assert (rows[RunId("run3")].owner, rows[RunId("run3")].summary.status) == ("", RunStatus.INTERRUPTED)
    assert "its row cannot be read" in store.damage
    assert len(await store.read(RunId("run3"))) == 101


@pytest.mark.parametrize(
    "name", ["runs", "runs_by_age", "runs_by_change", "sqlite_autoindex_runs_1", "runs_on_top"]
)
async def test_a_damaged_page_keeps_no_run_from_being_listed(path: Path, opened: Opened, name: str) -> None:
    """Of the table or of any of its indexes: what is in one of them is enough to name a run."""
    overwrite_root(path, name)
    found = path.read_bytes()

    store = await opened(path)
    for query in (
        RunFilter(),
        RunFilter(top_only=True),
        RunFilter(statuses=(RunStatus.RUNNING,)),
        RunFilter(limit=10),
    ):
        assert sorted(row.run_id for row in await store.runs(query)) == sorted(
            f"run{number}" for number in range(10)
        )
    assert sum((await store.counts()).runs.values()) == 10
    assert "damaged" in store.damage
    assert await store.faults()
    await store.close()

    assert path.read_bytes() == found


async def test_a_damaged_index_keeps_no_earlier_answer_from_being_listed(
    tmp_path: Path, opened: Opened
) -> None:
    """They are then chosen and put in order here: the last one closed first, and none that is open."""
    path = tmp_path / "answers.db"
    store = await opened(path)
    await store.create_run(new_run())
    blocks = {"one": "ask", "two": "ask[eu]", "other": "tell", "open": "ask"}
    await store.append(adding(*(paused(name, block=block) for name, block in blocks.items())))
    for after, name in enumerate(("two", "one", "other"), 5):
        answer = PauseAnswered(pause_id=PauseId(name), answer=Answer(value=True))
        await store.append(adding(answer, after=after, at=NOW + after))
    await store.close()
    overwrite_root(path, "pauses_closed")

    store = await opened(path)
    asked = PauseFilter(workflow="deploy", block=BlockId("ask"), open_only=False, closed_since=0.0)
    assert [row.pause_id for row in await store.pauses(asked)] == ["one", "two"]
    assert await store.pauses(asked.evolve(workflow="another")) == ()
    assert "damaged" in store.damage


async def test_the_last_good_point_is_found_by_reading_less(path: Path, opened: Opened) -> None:
    """Also where the file itself is damaged, and SQLite knows no event; with the newest checkpoint up to there."""
    store = await opened(path)
    await store.append(adding(marked("chk_early"), run_id="run3", after=101))
    late = [CancelRequested(by="ada", reason=f"late {n} " * 40) for n in range(200)]
    await store.append(adding(*late, marked("chk_late"), run_id="run3", after=102))
    await store.close()
    change(path, "UPDATE events SET body = CAST(body AS TEXT) WHERE id & 65535 = 250")

    store = await opened(path)
    with pytest.raises(CorruptStore) as damage:
        await read_journal(store, RunId("run3"))

    assert (damage.value.run_id, damage.value.last_good) == ("run3", 249)
    assert damage.value.checkpoint_id == "chk_early"
    assert "it is good up to event 249, and checkpoint chk_early with it" in str(damage.value)


# -- logs -------------------------------------------------------------------------------------


async def test_the_log_of_another_store_is_refused(path: Path, tmp_path: Path, opened: Opened) -> None:
    """SQLite would write what is in it over the runs that are there. Moved away, all of them are."""
    other = await opened(tmp_path / "other.db")
    for number in range(3):
        await other.create_run(new_run(f"other{number}"))
    log = path.with_name("tidegate.db-wal")
    shutil.copy(tmp_path / "other.db-wal", log)
    found, logged = path.read_bytes(), log.read_bytes()

    with pytest.raises(CorruptStore, match=r"the log tidegate\.db-wal beside it is that of another store"):
        await opened(path)
    assert (path.read_bytes(), log.read_bytes()) == (found, logged)

    log.unlink()
    moved = path.rename(tmp_path / "moved.db")  # This process has looked at that file already.
    assert len(await (await opened(moved)).runs()) == 10


async def test_a_copy_with_its_log_has_everything_and_one_without_has_what_was_in_the_file(
    path: Path, tmp_path: Path, opened: Opened
) -> None:
    """While a store is open, what was committed last is in its log only."""
    store = await opened(path)
    await store.create_run(new_run("late"))
    for name, suffixes in (("with", ("", "-wal")), ("without", ("",))):
        (tmp_path / name).mkdir()
        for suffix in suffixes:
            shutil.copy(f"{path}{suffix}", tmp_path / name / f"tidegate.db{suffix}")

    both, alone = (
        await opened(tmp_path / "with" / "tidegate.db"),
        await opened(tmp_path / "without" / "tidegate.db"),
    )

    assert len(await both.runs()) == 11
    assert len(await alone.runs()) == 10
    for copy in (both, alone):
        assert await copy.faults() == ()
        assert len(await copy.read(RunId("run9"))) == 101


async def test_a_log_that_became_long_under_a_reader_is_emptied_when_nobody_writes(
    path: Path, opened: Opened
) -> None:
    """As long as somebody reads what was there before, it grows; afterwards it does not stay as it is."""
    store = await opened(path)
    log = path.with_name("tidegate.db-wal")
    with closing(sqlite3.connect(path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM runs").fetchone()
        for number in range(6):
            noise = os.urandom(2**20)
            await store.write_output(RunId("run1"), BLOCK, 1, [chunk(number, noise, offset=number * 2**20)])
        assert log.stat().st_size > 5 * 2**20
        reader.execute("COMMIT")

    async def is_empty() -> bool:
        await asyncio.sleep(0.1)
        return log.stat().st_size == 0

    await until(is_empty)


async def test_a_store_from_the_future_is_read_as_any_other(path: Path, opened: Opened) -> None:
    """A clock that was ahead: times are shown, order is by number, and new events follow the old ones."""
    store = await opened(path)
    await store.create_run(new_run("ahead", at=NOW * 4))
    await store.append(adding(wave(), run_id="ahead", at=NOW))

    assert [record.at for record in await store.read(RunId("ahead"))] == [NOW * 4, NOW]
    assert (await store.runs(RunFilter(limit=1)))[0].run_id == "ahead"
