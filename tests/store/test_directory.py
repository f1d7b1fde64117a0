"""What a store in a directory promises beyond the contract: files for people, other processes, crashes."""

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from pathlib import Path, PurePath
from typing import TypeVar

import pytest

from store.builders import BLOCK, NOW, PATIENCE, RUN, adding, chunk, hashed, new_run, paused, wave
from store.directories import SMALL, content, fill, opened_at, record
from store.processes import (
    TESTS,
    check_that_nothing_is_lost,
    end_of,
    killed_while_appending,
    line_of,
    other_process,
)
from tidegate.errors import JournalConflict, LeaseHeld, StoreUnavailable
from tidegate.model.ids import BlockId, RunId, Seq
from tidegate.model.listing import Cursor, Epoch
from tidegate.store import open_store
from tidegate.store.directory.batch import RECORDED
from tidegate.store.directory.store import open_directory
from tidegate.store.protocol import Store

T = TypeVar("T")


class _Stopped:
    """A clock that stands."""

    def now(self) -> float:
        """Return always the same instant."""
        return NOW

    def monotonic(self) -> float:
        """Return always the same instant."""
        return 0.0


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Where a store is to be."""
    return tmp_path / "state" / "history"


@pytest.fixture
async def pair(place: Path) -> AsyncIterator[tuple[Store, Store]]:
    """Two stores in one directory, as two processes have them."""
    stores = await opened_at(place), await opened_at(place)
    yield stores
    for store in stores:
        await store.close()


# -- files for people -------------------------------------------------------------------------


async def test_a_record_can_be_read(place: Path) -> None:
    """One fact per line, letters as they are, and a line's end at the end."""
    store = await opened_at(place)
    await store.create_run(new_run())
    await store.append(adding(wave(), paused(message="Déployer à Zürich?")))
    await store.close()

    text = record(place, 2).read_text(encoding="utf-8")
    said = json.loads(text)
    assert '\n          "type": "block_paused",\n' in text
    assert "Déployer à Zürich?" in text
    assert text.endswith("}\n")
    assert (said["number"], said["orders"][0]["type"]) == (2, "append")
    assert said["previous"] == json.loads(record(place, 1).read_text())["checksum"]


async def test_large_things_are_files_of_their_own(place: Path) -> None:
    """Values by their hash, definitions beside the text they come from, output as it was printed."""
    block = BlockId("deploy[a/b].check out")
    store = await opened_at(place)
    await store.create_run(new_run())
    await store.append(adding(wave(), values=dict([SMALL])))
    await store.write_output(RUN, block, 2, [chunk(0, b"\xffone\n")])
    definition = (await store.run(RUN)).definition
    await store.close()

    found = content(place)
    assert found[f"values/{SMALL[0][:2]}/{SMALL[0]}.json"] == SMALL[1]
    assert found[f"definitions/{definition}.yaml"] == b"name: deploy\n"
    assert json.loads(found[f"definitions/{definition}.json"])["name"] == "deploy"
    (written,) = [name for name in found if name.startswith(f"output/{RUN}/deploy[a%2Fb].check out/2/")]
    assert PurePath(written).name.startswith("000000-stdout-")
    assert found[written] == b"\xffone\n"
    assert all(len(text) < 1_000 for name, text in found.items() if name.startswith("records/"))


@pytest.mark.parametrize("block", ["..", ".", "%2E", "~", "a" * 300, "b" * 300, "ü/" * 90, "CON", "a b "])
async def test_every_block_has_a_folder(place: Path, block: str) -> None:
    """Whatever its id is, it is a folder of this store, and of no other block."""
    store = await opened_at(place)
    await store.create_run(new_run())
    for number, name in enumerate((block, f"{block}x")):
        await store.write_output(RUN, BlockId(name), 1, [chunk(0, str(number).encode())])

    outputs = [path.read_bytes() for path in (place / "output" / RUN).glob("*/1/000000-stdout-*.txt")]
    assert sorted(outputs) == [b"0", b"1"]
    (found,) = await store.read_output(RUN, BlockId(block), 1)
    assert found.data == b"0"
    await store.close()


async def test_equal_histories_are_equal_files(tmp_path: Path) -> None:
    """Of one beginning, at one time: every byte."""
    beginning = tmp_path / "beginning"
    await (await opened_at(beginning)).close()
    for name in ("one", "two"):
        shutil.copytree(beginning, tmp_path / name)
        store = await open_store(f"file://{tmp_path / name}", clock=_Stopped())
        await store.create_run(new_run())
        await store.append(adding(wave(), paused(), values=dict([hashed("b"), hashed("a")])))
        await store.write_output(RUN, BLOCK, 1, [chunk(0)])
        await store.close()

    assert len(content(tmp_path / "one")) == 11
    assert content(tmp_path / "one") == content(tmp_path / "two")


async def test_reading_changes_no_file(place: Path) -> None:
    """Neither opening nor looking rewrites anything: not a byte, not a date."""
    await fill(place)

    def dates() -> dict[str, tuple[int, int]]:
        stats = {path: path.stat() for path in place.rglob("*") if path.is_file()}
        return {str(path): (found.st_ino, found.st_mtime_ns) for path, found in stats.items()}

    before = dates()
    store = await opened_at(place)
    await store.runs()
    await store.read_output(RUN, BLOCK, 1)
    await store.close()

    assert dates() == before


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
async def test_a_clone_is_the_same_store(tmp_path: Path, place: Path) -> None:
    """What version control leaves out (empty folders, leases) is not missed."""
    await fill(place)
    store = await opened_at(place)
    await store.renew({RUN: Epoch(1)}, until=NOW + 500)

    def git(*words: str) -> str:
        command = ["git", "-c", "user.name=a", "-c", "user.email=a@b", *words]
        return subprocess.run(command, cwd=place, check=True, capture_output=True, text=True).stdout

    git("init", "-q")
    git("add", ".")
    git("commit", "-q", "-m", "history")
    git("clone", "-q", ".", str(tmp_path / "clone"))
    await store.close()

    clone = await opened_at(tmp_path / "clone")
    assert not [line for line in git("ls-files").split() if line.startswith(("leases", ".lock", ".unf"))]
    assert [row.run_id for row in await clone.runs()] == ["other", RUN]
    assert (await clone.run(RUN)).lease_until == NOW + 30
    assert [found.data for found in await clone.read_output(RUN, BLOCK, 1)] == [b"one\n", b"two\n"]
    assert await clone.append(adding(wave(), after=4)) == 5
    await clone.close()


async def test_what_changes_nothing_is_not_recorded(place: Path) -> None:
    """Refusals, and requests that find nothing to do, leave no trace."""
    store = await opened_at(place)
    await store.create_run(new_run())
    before = content(place)

    with pytest.raises(JournalConflict):
        await store.append(adding(wave(), after=7, values=dict([SMALL])))
    with pytest.raises(JournalConflict):
        await store.create_run(new_run())
    assert not await store.release(RUN, epoch=Epoch(9), head=Seq(1))
    assert await store.renew({RunId("gone"): Epoch(1)}, until=NOW) == {"gone"}
    await store.write_output(RUN, BLOCK, 1, [])

    assert content(place) == before
    await store.close()


async def test_callers_who_wait_share_a_record(place: Path) -> None:
    """As many runs as there are, a few records."""
    store = await opened_at(place)
    await asyncio.gather(*(store.create_run(new_run(f"run{number}")) for number in range(200)))

    assert len(list((place / "records").iterdir())) <= 5
    await store.close()


async def test_forgotten_output_is_forgotten_on_disk(place: Path) -> None:
    """And who opens the store later misses none of it."""
    store = await opened_at(place)
    await store.create_run(new_run())
    await store.write_output(RUN, BLOCK, 1, [chunk(n) for n in range(6)])
    await store.write_output(RUN, BLOCK, 1, [chunk(6)], drop=range(2, 5))
    await store.close()

    files = sorted(path.name[:13] for path in (place / "output" / RUN / BLOCK / "1").iterdir())
    assert files == [f"00000{number}-stdout" for number in (0, 1, 5, 6)]
    store = await opened_at(place)
    assert [found.n for found in await store.read_output(RUN, BLOCK, 1)] == [0, 1, 5, 6]
    assert await store.orphans() == {}
    await store.close()


async def test_output_of_two_drivers_does_not_mix(pair: tuple[Store, Store]) -> None:
    """One that slept writes the same chunk again: the later one counts, whoever reads it."""
    await pair[0].create_run(new_run())
    await pair[0].write_output(RUN, BLOCK, 1, [chunk(0, b"first")])
    await pair[1].write_output(RUN, BLOCK, 1, [chunk(0, b"second")])

    for store in pair:
        assert [found.data for found in await store.read_output(RUN, BLOCK, 1)] == [b"second"]


def test_every_kind_of_order_is_explained() -> None:
    """Whoever reads a record finds in docs/stores.md what stands in it."""
    guide = TESTS.parent / "docs" / "stores.md"
    if not guide.exists():
        pytest.skip("the guide is not part of a source distribution")
    text = guide.read_text(encoding="utf-8")

    assert len(RECORDED) == 11
    assert [kind for kind in RECORDED if f"`{kind}`" not in text] == []


# -- leases -----------------------------------------------------------------------------------


async def test_renewing_a_lease_is_no_history(pair: tuple[Store, Store], place: Path) -> None:
    """It adds no record, and everybody hears of it all the same: who looks, who claims, who comes later."""
    mine, other = pair
    await mine.create_run(new_run())
    before = content(place)
    for number in range(20):
        await mine.renew({RUN: Epoch(1)}, until=NOW + 100 + number)

    assert content(place) == before
    assert (await other.run(RUN)).lease_until == NOW + 119
    with pytest.raises(LeaseHeld):
        await other.claim(RUN, owner="you", now=NOW + 60, until=NOW + 90)
    third = await opened_at(place)
    assert (await third.run(RUN)).lease_until == NOW + 119
    await third.close()


async def test_a_claim_is_decided_on_what_was_renewed_last(pair: tuple[Store, Store]) -> None:
    """Without a look in between: the holder is alive, as it has just said."""
    mine, other = pair
    await mine.create_run(new_run())
    await other.runs()
    await mine.renew({RUN: Epoch(1)}, until=NOW + 100)

    with pytest.raises(LeaseHeld) as held:
        await other.claim(RUN, owner="you", now=NOW + 60, until=NOW + 90)
    assert held.value.until == NOW + 100


async def test_a_damaged_lease_file_renews_nothing(place: Path) -> None:
    """The lease ends when the log says."""
    store = await opened_at(place)
    await store.create_run(new_run())
    await store.renew({RUN: Epoch(1)}, until=NOW + 100)
    shutil.copytree(place, copy := place.with_name("copy"))
    await store.close()
    for path in (copy / "leases").glob("*.json"):
        path.write_bytes(path.read_bytes()[:20])

    store = await opened_at(copy)
    assert (await store.claim(RUN, owner="you", now=NOW + 60, until=NOW + 90)).epoch == 2
    await store.close()


async def test_lease_files_do_not_pile_up(place: Path) -> None:
    """Who closes a store removes its own; that of a killed process goes when somebody opens the store."""
    process = await other_process("renew", f"file://{place}")
    assert await line_of(process) == "renewed"
    process.send_signal(signal.SIGKILL)
    await end_of(process)
    left = len(list((place / "leases").glob("*.json")))

    store = await opened_at(place)
    await store.renew({RUN: Epoch(1)}, until=NOW + 100)
    mine = len(list((place / "leases").glob("*.json")))
    await store.close()

    assert (left, mine, list((place / "leases").iterdir())) == (1, 1, [])


# -- other processes --------------------------------------------------------------------------


async def test_twenty_processes_may_make_first_contact_at_once(place: Path) -> None:
    """There is one store in the end, with all their runs, and nothing unfinished."""
    processes = await asyncio.gather(*(other_process("contact", f"file://{place}") for _ in range(20)))
    ends = await asyncio.gather(*map(end_of, processes))

    store = await opened_at(place)
    assert [(code, complaint) for code, _, complaint in ends] == [(0, "")] * 20
    assert len(await store.runs()) == 20
    await store.close()
    assert list((place / ".unfinished").iterdir()) == []
    assert len({json.loads(path.read_text())["number"] for path in (place / "records").iterdir()}) == len(
        list((place / "records").iterdir())
    )


async def test_of_two_processes_that_append_at_once_one_wins(place: Path) -> None:
    """Fifty rounds: each has one winner, and the journal has no gap."""
    store = await opened_at(place)
    await store.create_run(new_run())
    racers = [await other_process("race", f"file://{place}") for _ in range(2)]

    for head in range(1, 51):
        for racer in racers:
            assert racer.stdin is not None
            racer.stdin.write(f"{head}\n".encode())
        assert sorted([await line_of(racer) for racer in racers]) == ["lost", "won"]

    assert [code for code, _, _ in [await end_of(racer) for racer in racers]] == [0, 0]
    assert [found.seq for found in await store.read(RUN)] == list(range(1, 52))
    await store.close()


async def test_two_stores_that_write_at_once_keep_everything(pair: tuple[Store, Store], place: Path) -> None:
    """Different runs: nobody is refused, and both see the same in the end, as does who comes later."""

    async def write(store: Store, name: str) -> None:
        await store.create_run(new_run(name))
        for after in range(1, 40):
            await store.append(adding(wave(), after=after, run_id=name))

    await asyncio.gather(*(write(store, f"{n}{m}") for n, store in enumerate(pair) for m in range(3)))

    third = await opened_at(place)
    found = [await store.runs() for store in (*pair, third)]
    assert {row.head for row in found[0]} == {40}
    assert set(found[0]) == set(found[1]) == set(found[2])
    await third.close()


async def test_one_store_hears_of_anothers_records(pair: tuple[Store, Store]) -> None:
    """Soon, and without asking."""
    mine, other = pair
    await mine.create_run(new_run())
    delays = []
    for after in range(1, 30):
        cursor = (await other.changes(Cursor(0))).cursor
        waiting = asyncio.create_task(other.wait_for_change(cursor))
        await other.runs()

        await mine.append(adding(wave(), after=after))
        committed = asyncio.get_running_loop().time()
        async with asyncio.timeout(PATIENCE):
            await waiting
        delays.append(asyncio.get_running_loop().time() - committed)
        assert [row.head for row in (await other.changes(cursor)).runs] == [after + 1]

    assert sorted(delays)[len(delays) // 2] < 0.25


async def test_what_one_has_written_the_other_reads_at_once(pair: tuple[Store, Store]) -> None:
    """Without waiting for news of it."""
    mine, other = pair
    await mine.create_run(new_run())
    for after in range(1, 30):
        await mine.append(adding(wave(), after=after))
        assert (await other.run(RUN)).head == after + 1


async def test_a_zombie_is_refused_and_keeps_nobody_waiting(place: Path) -> None:
    """A driver that is stopped in the middle of writing loses its run; when it wakes up, it hears that."""
    acknowledged = await killed_while_appending(f"file://{place}")

    store = await opened_at(place)
    await check_that_nothing_is_lost(store, acknowledged)
    await store.close()


# -- crashes ----------------------------------------------------------------------------------


async def test_a_killed_process_loses_nothing_it_acknowledged(place: Path) -> None:
    """SIGKILL in the middle of writing: every acknowledged append is there, whole."""
    process = await other_process("append", f"file://{place}")
    acknowledged = 0
    for _ in range(100):
        acknowledged = int(await line_of(process))
    process.send_signal(signal.SIGKILL)
    assert process.stdout is not None
    rest = (await process.stdout.read()).decode().split()
    await end_of(process)

    store = await opened_at(place)
    found = await store.read(RUN)
    head = (await store.run(RUN)).head
    assert len(found) == head >= max([acknowledged, *map(int, rest)])
    assert head % 2 == 1
    assert await store.append(adding(wave(), after=head)) == head + 1
    await store.close()


def deaths(folder: Path, what: str) -> Iterator[tuple[Path, list[str]]]:
    """Have processes die at each change of a directory; return those, and what was acknowledged in each."""
    command = [sys.executable, "-W", "error", str(TESTS / "store" / "dying_directory.py"), str(folder), what]
    environment = os.environ | {"PYTHONPATH": str(TESTS)}
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=300, env=environment)
    for line in done.stdout.splitlines():
        name, *words = line.split()
        yield folder / name, words


@pytest.mark.timeout(400)
async def test_a_death_at_any_moment_of_writing_loses_nothing(tmp_path: Path) -> None:
    """What was acknowledged is there, nothing else is but what comes next, and the store goes on."""
    count = 0
    for place, words in deaths(tmp_path, "write"):
        store = await opened_at(place)
        runs = await store.runs()
        head = runs[0].head if runs else 0
        printed = [found.n for found in await store.read_output(RUN, BLOCK, 1)]
        assert "created" not in words or head >= 1
        assert "appended" not in words or head == 3
        assert "printed" not in words or printed == [0, 2]
        assert printed in ([], [0, 1], [0, 2])
        if not runs:
            await store.create_run(new_run())
        if head < 3:
            await store.append(adding(wave(), paused(), values=dict([hashed("kept " * 9)])))
        assert await store.values([hashed("kept " * 9)[0]])
        while await store.give_back():
            pass
        assert await store.orphans() == {}
        await store.close()
        count += 1
    assert count > 40


# -- full -------------------------------------------------------------------------------------


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system that is soon full."""
    disk = tmp_path / "disk"
    disk.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", disk], check=False, capture_output=True
    )
    if made.returncode:
        pytest.skip("needs the right to mount a file system")
    yield disk
    subprocess.run(["umount", "-l", disk], check=True)


async def _as_many(what: Sequence[T], do: Callable[[T], Awaitable[object]]) -> tuple[int, str]:
    """Do something with each until the store refuses; return how many it took, and what it said."""
    for count, one in enumerate(what):
        try:
            await do(one)
        except StoreUnavailable as refusal:
            return count, str(refusal)
    raise AssertionError(f"{len(what)} were taken")


async def test_a_full_disk_refuses_and_loses_nothing(small_disk: Path) -> None:
    """Nothing of what is refused is there; when there is space again, writing goes on."""
    store = await opened_at(small_disk / "history")
    await store.create_run(new_run())
    values = [hashed(f"{number}" * 20_000) for number in range(30)]
    appends = [adding(wave(), after=n, values=dict([value])) for n, value in enumerate(values, 1)]
    chunks = [chunk(number, b"x" * 5_000) for number in range(100)]

    head, refusal = await _as_many(appends, store.append)
    kept, second = await _as_many(chunks, lambda one: store.write_output(RUN, BLOCK, 1, [one]))

    assert "No space left on device" in refusal
    assert "Free some space" in second
    assert 1 < head < 30
    assert len(await store.read_output(RUN, BLOCK, 1, limit=100)) == kept < 100
    head += 1
    assert (await store.run(RUN)).head == head > 1
    assert list((small_disk / "history" / ".unfinished").iterdir()) == []

    await store.write_output(RUN, BLOCK, 1, [], drop=range(1_000))
    assert await store.append(adding(wave(), after=head)) == head + 1
    await store.close()
    store = await opened_at(small_disk / "history")
    assert [found.seq for found in await store.read(RUN)] == list(range(1, head + 2))
    await store.close()


async def test_what_is_too_large_is_refused_alone(place: Path) -> None:
    """A limit of the system on one file: the caller hears of it, and the others go on."""
    process = await other_process("append-too-much", f"file://{place}")
    code, said, complaint = await end_of(process)

    assert (code, complaint) == (0, "")
    assert "File too large" in said.splitlines()[0]
    assert said.splitlines()[1] == "2"
    store = await opened_at(place)
    assert (await store.run(RUN)).head == 2
    assert await store.orphans() == {}
    await store.close()


# -- who may ----------------------------------------------------------------------------------


async def test_a_new_store_is_private(place: Path) -> None:
    """Whatever the umask says: every folder and every file."""
    before = os.umask(0)
    try:
        await fill(place)
    finally:
        os.umask(before)

    modes = {path.stat().st_mode & 0o777 for path in place.rglob("*") if path.is_file()}
    folders = {path.stat().st_mode & 0o777 for path in (place, *place.rglob("*")) if path.is_dir()}
    assert (modes, folders) == ({0o600}, {0o700})


async def test_what_cannot_be_written_can_still_be_viewed(path_of_nobody: Path) -> None:
    """Listing works, also of what others write; writing says why it does not."""
    place = path_of_nobody.parent
    await fill(place)
    for folder in (place, *(path for path in place.rglob("*") if path.is_dir())):
        folder.chmod(0o500)
    before = content(place)

    store = await opened_at(place)
    assert [row.run_id for row in await store.runs()] == ["other", RUN]
    assert len(await store.read_output(RUN, BLOCK, 1)) == 2
    with pytest.raises(StoreUnavailable, match="the directory is read-only"):
        await store.append(adding(wave(), after=4))
    assert await store.orphans() == {}
    await store.close()

    assert content(place) == before
    for folder in (place, *(path for path in place.rglob("*") if path.is_dir())):
        folder.chmod(0o700)


async def test_a_directory_on_a_network_is_refused(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before anything is made there; who says that only one machine uses it may have it."""
    mounts = place.parents[1] / "mounts"
    mounts.write_text(f"1 0 0:1 / / rw - ext4 /dev/sda rw\n2 1 0:2 / {place.parent} rw - nfs4 server:/ rw\n")

    with pytest.raises(StoreUnavailable, match=rf"network file system \(nfs4, {place.parent}\).*local disk"):
        await open_directory(place, _Stopped(), mounts=mounts)
    assert not place.parent.exists()

    monkeypatch.setenv("TIDEGATE_NETWORK_STORE", "rollback")
    store = await open_directory(place, _Stopped(), mounts=mounts)
    await store.create_run(new_run())
    await store.close()


async def test_closing_leaves_no_thread_and_no_open_file(place: Path) -> None:
    """All that was opened is closed."""
    descriptors = Path("/proc/self/fd")
    before = len(list(descriptors.iterdir())) if descriptors.exists() else 0
    store = await opened_at(place)
    await store.create_run(new_run())
    waiting = asyncio.create_task(store.wait_for_change(await store.newest_cursor()))
    await store.append(adding(wave()))
    await waiting

    await store.close()

    if descriptors.exists():
        assert len(list(descriptors.iterdir())) == before
