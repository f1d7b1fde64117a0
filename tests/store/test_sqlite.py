"""What only a store on disk promises: other processes, crashes, and who may see the file."""

# a test may look at a file while nothing else is going on

import asyncio
import os
import threading
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from store.builders import PATIENCE, RUN, Opened, adding, new_run, wave
from store.processes import check_that_nothing_is_lost, end_of, killed_while_appending, line_of, other_process
from tidegate.errors import JournalConflict, StoreUnavailable
from tidegate.model.ids import RunId
from tidegate.model.listing import Cursor
from tidegate.store.protocol import Store


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a store is to be."""
    return tmp_path / "state" / "tidegate.db"


@pytest.fixture
async def pair(path: Path, opened: Opened) -> AsyncIterator[tuple[Store, Store]]:
    """Two stores on one file, as two processes have them."""
    stores = await opened(path), await opened(path)
    yield stores
    for store in stores:
        await store.close()


# -- other processes --------------------------------------------------------------------------


async def test_one_store_hears_of_anothers_commits(pair: tuple[Store, Store]) -> None:
    """Soon: well within the time in which a person thinks that nothing happened."""
    mine, other = pair
    await mine.create_run(new_run())
    delays = []
    for after in range(1, 30):
        cursor = (await other.changes(Cursor(0))).cursor
        waiting = asyncio.create_task(other.wait_for_change(cursor))
        await other.runs()

        await mine.append(adding(wave(), after=after))
        committed = time.perf_counter()
        async with asyncio.timeout(PATIENCE):
            await waiting
        delays.append(time.perf_counter() - committed)
        assert [row.head for row in (await other.changes(cursor)).runs] == [after + 1]

    assert sorted(delays)[len(delays) // 2] < 0.25


async def test_a_store_hears_of_another_process(path: Path, opened: Opened) -> None:
    """The commit of a real process wakes who waits here."""
    store = await opened(path)
    await store.create_run(new_run())
    cursor = (await store.changes(Cursor(0))).cursor
    process = await other_process("append-once", path)

    async with asyncio.timeout(PATIENCE):
        while not (changes := await store.changes(cursor)).runs:
            await store.wait_for_change(cursor)

    assert [row.head for row in changes.runs] == [2]
    assert (await end_of(process))[0] == 0
    await store.close()


async def test_twenty_processes_may_make_first_contact_at_once(path: Path, opened: Opened) -> None:
    """Nobody hears of a lock, and there is one store in the end, and nothing beside it."""
    processes = await asyncio.gather(*(other_process("contact", path) for _ in range(20)))
    ends = await asyncio.gather(*map(end_of, processes))

    store = await opened(path)
    assert [(code, complaint) for code, _, complaint in ends] == [(0, "")] * 20
    assert len(await store.runs()) == 20
    await store.close()
    assert [entry.name for entry in path.parent.iterdir()] == ["tidegate.db"]


async def test_of_two_processes_that_append_at_once_one_wins(path: Path, opened: Opened) -> None:
    """Fifty rounds: each has one winner, and the journal has no gap."""
    store = await opened(path)
    await store.create_run(new_run())
    racers = [await other_process("race", path) for _ in range(2)]

    for head in range(1, 51):
        for racer in racers:
            assert racer.stdin is not None
            racer.stdin.write(f"{head}\n".encode())
        assert sorted([await line_of(racer) for racer in racers]) == ["lost", "won"]

    assert [code for code, _, _ in [await end_of(racer) for racer in racers]] == [0, 0]
    assert [record.seq for record in await store.read(RUN)] == list(range(1, 52))
    await store.close()


async def test_of_two_stores_that_append_at_once_one_wins(pair: tuple[Store, Store]) -> None:
    """Also in one process, with nothing between the two calls."""
    await pair[0].create_run(new_run())

    for head in range(1, 51):
        append = adding(wave(), after=head)
        outcomes = await asyncio.gather(*(store.append(append) for store in pair), return_exceptions=True)
        assert [type(outcome) for outcome in outcomes if outcome != head + 1] == [JournalConflict]


async def test_a_killed_process_loses_nothing_it_acknowledged(path: Path, opened: Opened) -> None:
    """SIGKILL in the middle of writing: every acknowledged append is there, whole."""
    acknowledged = await killed_while_appending(path)

    store = await opened(path)
    await check_that_nothing_is_lost(store, acknowledged)
    await store.close()


async def test_a_reader_does_not_wait_for_a_writer(pair: tuple[Store, Store]) -> None:
    """While many appends are under way, lists come back, and never half of one."""
    mine, other = pair
    await asyncio.gather(*(mine.create_run(new_run(f"run{n}")) for n in range(20)))

    async def write(run_id: str) -> None:
        for after in range(1, 40, 2):
            await mine.append(adding(wave(), wave(), run_id=run_id, after=after))

    writers = [asyncio.create_task(write(f"run{n}")) for n in range(20)]
    looks = 0
    while not all(writer.done() for writer in writers):
        assert all(row.head % 2 == 1 for row in await other.runs())
        assert len(await other.read(RunId("run7"))) % 2 == 1
        looks += 1
    await asyncio.gather(*writers)
    assert looks > 3


# -- leaving ----------------------------------------------------------------------------------


async def test_a_store_that_nobody_closed_keeps_no_process_alive(path: Path, opened: Opened) -> None:
    """What was acknowledged is there all the same."""
    process = await other_process("forget", path)

    assert await line_of(process) == "left"
    await end_of(process)
    store = await opened(path)
    assert (await store.run(RUN)).head == 1
    await store.close()


async def test_closing_leaves_one_file_and_no_thread(path: Path, opened: Opened) -> None:
    """The log is in the file, and all that was opened is closed."""
    descriptors = Path("/proc/self/fd")
    before = len(list(descriptors.iterdir())) if descriptors.exists() else 0
    store = await opened(path)
    await store.create_run(new_run())
    cursor = (await store.changes(Cursor(0))).cursor
    waiting = asyncio.create_task(store.wait_for_change(cursor))
    await store.append(adding(wave()))
    await waiting

    await store.close()

    assert [entry.name for entry in path.parent.iterdir()] == ["tidegate.db"]
    assert not [thread for thread in threading.enumerate() if "tidegate-writer" in thread.name]
    if descriptors.exists():
        assert len(list(descriptors.iterdir())) == before


# -- privacy ----------------------------------------------------------------------------------


def modes(path: Path) -> dict[str, int]:
    """Return who may do what with a store's directory and files."""
    found = {entry.name: entry.stat().st_mode & 0o777 for entry in path.parent.iterdir()}
    return found | {"directory": path.parent.stat().st_mode & 0o777}


async def test_a_new_store_is_private(path: Path, opened: Opened) -> None:
    """Whatever the umask says: prompts and outputs are nobody else's business."""
    before = os.umask(0)
    try:
        store = await opened(path)
        await store.create_run(new_run())
        found = modes(path)
        await store.close()
    finally:
        os.umask(before)

    assert found == {
        "directory": 0o700,
        "tidegate.db": 0o600,
        "tidegate.db-wal": 0o600,
        "tidegate.db-shm": 0o600,
    }


async def test_a_store_that_everybody_can_read_is_closed_up(path: Path, opened: Opened) -> None:
    """Its files, that is: a directory that was there before is its owner's business."""
    await (await opened(path)).close()
    path.chmod(0o644)
    path.parent.chmod(0o755)

    await (await opened(path)).close()

    assert modes(path) == {"directory": 0o755, "tidegate.db": 0o600}


async def test_a_directory_that_holds_other_things_is_left_as_it_is(tmp_path: Path, opened: Opened) -> None:
    """It is not ours to close."""
    tmp_path.chmod(0o755)
    (tmp_path / "notes.txt").write_text("mine")

    await (await opened(tmp_path / "tidegate.db")).close()

    assert modes(tmp_path / "x") == {"directory": 0o755, "notes.txt": 0o644, "tidegate.db": 0o600}


# -- read-only --------------------------------------------------------------------------------


@pytest.mark.parametrize("what", ["file", "directory"])
async def test_what_cannot_be_written_can_still_be_viewed(
    path_of_nobody: Path, what: str, opened: Opened
) -> None:
    """Listing works; writing says why it does not."""
    path = path_of_nobody
    store = await opened(path)
    await store.create_run(new_run())
    await store.close()
    (path if what == "file" else path.parent).chmod(0o400 if what == "file" else 0o500)

    store = await opened(path)

    assert [row.run_id for row in await store.runs()] == [RUN]
    assert len(await store.read(RUN)) == 1
    with pytest.raises(StoreUnavailable, match=f"{what} is read-only"):
        await store.append(adding(wave()))
    await store.close()


async def test_what_cannot_be_read_is_named(path_of_nobody: Path, opened: Opened) -> None:
    """No file of its own is put in its place."""
    await (await opened(path_of_nobody)).close()
    path_of_nobody.chmod(0)

    with pytest.raises(StoreUnavailable, match="cannot be opened"):
        await opened(path_of_nobody)


async def test_a_place_where_nothing_can_be_made_is_named(path_of_nobody: Path, opened: Opened) -> None:
    """With what the system said."""
    path_of_nobody.parent.chmod(0o500)

    with pytest.raises(StoreUnavailable, match="Permission denied"):
        await opened(path_of_nobody)


async def test_stores_under_odd_names_are_found_again(tmp_path: Path, opened: Opened) -> None:
    """Nothing in a path is taken for part of a URL."""
    path = tmp_path / "a b%20c?mode=memory#ü" / "tide gate;é.db"

    for _ in range(2):
        store = await opened(path)
        assert store.url == f"sqlite://{path}"
        await store.close()
    assert path.exists()
