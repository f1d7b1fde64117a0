"""A damaged store, and files that are none: damage is named, and the file is left as it was."""

# a test may look at a file while nothing else is going on

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from store.builders import RUN, Opened, adding, hashed, new_run, wave
from tidegate.errors import CorruptStore, SchemaTooNew, StoreUnavailable
from tidegate.model.events import CancelRequested
from tidegate.model.ids import RunId
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
    with pytest.raises(CorruptStore, match="a row is not what was written"):
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
    with pytest.raises(CorruptStore, match="cannot be read"):
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
