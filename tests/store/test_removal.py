"""Removal on disk: what a crash leaves is ended by the next process, and the file really becomes smaller."""

import asyncio
import os
import random
import signal
import sqlite3
import sys
from asyncio.subprocess import PIPE, Process
from contextlib import closing
from pathlib import Path

import pytest

from store.builders import BLOCK, NOW, RUN, Opened, adding, below, chunk, hashed, marked, new_run, wave
from store.processes import TESTS, line_of
from tidegate.model.events import AttemptSucceeded, JournalEvent, RunFinished, RunStatus
from tidegate.model.ids import RunId
from tidegate.model.listing import RunFilter
from tidegate.model.state import RunSummary
from tidegate.model.value import Stored
from tidegate.store.protocol import Store
from tidegate.store.sqlite.connections import connect, file_uri
from tidegate.store.sqlite.migrate import known_migrations, migrate
from tidegate.store.sqlite.space import let_shrink

ENDED = RunSummary(status=RunStatus.SUCCEEDED)
MB = 1 << 20
VALUE, DATA = hashed("shared " * 4_000)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a store is to be."""
    return tmp_path / "tidegate.db"


async def removing(what: str, path: Path) -> Process:
    """Start a process that does *what* about removals with the store at *path*."""
    script = str(TESTS / "store" / "removing_process.py")
    environment = os.environ | {"PYTHONPATH": os.pathsep.join((str(TESTS), str(TESTS / "engine")))}
    command = [sys.executable, "-W", "error", script, what, f"sqlite://{path}"]
    return await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE, env=environment)


async def fill(store: Store, run_id: str, *, chunks: int = 0, waves: int = 0) -> None:
    """Make a run that has ended, with a value that others use as well."""
    await store.create_run(new_run(run_id))
    rng = random.Random(run_id)  # noqa: S311
    for start in range(0, chunks, 16):
        few = [chunk(start + n, rng.randbytes(60_000)) for n in range(min(16, chunks - start))]
        await store.write_output(RunId(run_id), BLOCK, 1, few)
    used = AttemptSucceeded(block=BLOCK, attempt=1, outputs={"x": Stored(sha256=VALUE, size=len(DATA))})
    events: list[JournalEvent] = [used, marked(f"chk_{run_id}"), *(wave(number) for number in range(waves))]
    await store.append(adding(*events, run_id=run_id, values={VALUE: DATA}))
    done = RunFinished(status=RunStatus.SUCCEEDED)
    await store.append(adding(done, run_id=run_id, after=1 + len(events), summary=ENDED))


async def empty(store: Store) -> None:
    """Delete what removed runs have left, and give the space back."""
    while await store.empty_graves():
        pass
    while await store.give_back():
        pass


# -- crashes ----------------------------------------------------------------------------------


@pytest.mark.parametrize("slices", [0, 1, 3, 6])
async def test_a_killed_removal_is_ended_by_the_next_process(path: Path, opened: Opened, slices: int) -> None:
    """Wherever it was killed: the run is gone, nothing is an orphan, and what is left is known and goes."""
    store = await opened(path)
    await fill(store, RUN, chunks=40, waves=1_500)
    await store.close()

    process = await removing("remove", path)
    assert await line_of(process) == f"removed {RUN}"
    for _ in range(slices):
        assert await line_of(process) == "emptied"
        assert process.stdin is not None
        process.stdin.write(b"\n")
    process.send_signal(signal.SIGKILL)
    await process.wait()

    store = await opened(path)
    assert await store.runs() == ()
    assert await store.orphans() == {}
    assert (await store.statistics()).removing == 1
    await fill(store, "other", waves=3)
    await empty(store)
    found = await store.statistics()
    assert (found.runs, found.events, found.values, found.output_bytes, found.removing) == (1, 7, 1, 0, 0)
    assert await store.orphans() == {}
    assert await store.values([VALUE]) == {VALUE: DATA}


async def test_a_removal_is_durable_before_it_is_acknowledged(path: Path, opened: Opened) -> None:
    """Killed right after it was told, the process has removed the run all the same."""
    store = await opened(path)
    for number in range(5):
        await fill(store, f"run{number}")
    await store.close()

    process = await removing("remove", path)
    removed = {(await line_of(process)).removeprefix("removed ") for _ in range(3)}
    process.send_signal(signal.SIGKILL)
    await process.wait()

    store = await opened(path)
    assert not removed & {row.run_id for row in await store.runs()}
    assert await store.orphans() == {}


# -- space ------------------------------------------------------------------------------------


def _on_disk(path: Path) -> int:
    return sum(file.stat().st_size for file in path.parent.iterdir())


async def test_the_file_becomes_smaller(path: Path, opened: Opened) -> None:
    """By what the run took, while the store is open, in slices that move half a megabyte at most."""
    store = await opened(path)
    await fill(store, "stays", waves=20)
    await fill(store, RUN, chunks=160)
    await fill(store, "later", chunks=16)
    before, taken = _on_disk(path), (await store.sizes([RUN]))[RUN]
    assert taken > 9 * MB

    await store.remove_run(RUN, at=NOW)
    while await store.empty_graves():
        pass
    free = (await store.statistics()).free_bytes
    slices = []
    while given := await store.give_back():
        slices.append(given)

    assert free > 9 * MB
    # With the pages that only said where those belonged.
    assert free <= sum(slices) <= free * 1.01
    assert max(slices) <= MB / 2 * 1.02
    found = await store.statistics()
    assert found.free_bytes == 0
    assert path.stat().st_size == found.bytes
    assert before - _on_disk(path) >= taken
    assert len(await store.read(RunId("later"))) == 4
    assert len(await store.read_output(RunId("later"), BLOCK, 1)) == 16


async def test_space_goes_back_beside_a_reader_who_keeps_the_log(path: Path, opened: Opened) -> None:
    """He sees what was there when he began; the file becomes smaller once he is done."""
    store = await opened(path)
    await fill(store, RUN, chunks=160)
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as reader:
        reader.execute("BEGIN")
        before = reader.execute("SELECT count(*) FROM output").fetchone()[0]
        await store.remove_run(RUN, at=NOW)
        await empty(store)

        assert reader.execute("SELECT count(*) FROM output").fetchone()[0] == before == 160
    await fill(store, "next", chunks=2)
    await store.remove_run(RunId("next"), at=NOW)
    await empty(store)

    assert path.stat().st_size < MB
    assert _on_disk(path) < MB


async def test_a_store_of_an_earlier_version_can_give_space_back_too(path: Path, opened: Opened) -> None:
    """It is rewritten once, when it is opened, because its file was not made for that; what it holds stays."""
    with closing(connect(f"{file_uri(path, 'rw')}c")) as old:
        migrate(old, known_migrations())
        old.execute("INSERT INTO meta (name, value) VALUES ('created_at', ?)", (NOW,))
        old.execute("PRAGMA journal_mode = WAL")
        assert old.execute("PRAGMA auto_vacuum").fetchone()[0] == 0
    path.chmod(0o600)

    store = await opened(path)
    await fill(store, RUN, chunks=80)
    await fill(store, "stays")
    await store.remove_run(RUN, at=NOW)
    await empty(store)

    assert path.stat().st_size < MB
    assert len(await store.read(RunId("stays"))) == 4


def test_a_store_that_cannot_be_rewritten_now_works_all_the_same(path: Path) -> None:
    """Somebody else writes, or the disk is full: it is tried again the next time."""
    with closing(connect(f"{file_uri(path, 'rw')}c")) as old, closing(connect(file_uri(path, "rw"))) as other:
        migrate(old, known_migrations())
        old.execute("PRAGMA journal_mode = WAL")
        old.execute("PRAGMA busy_timeout = 0")
        other.execute("BEGIN IMMEDIATE")

        let_shrink(old)
        assert old.execute("SELECT count(*) FROM runs").fetchone()[0] == 0
        other.execute("ROLLBACK")
        let_shrink(old)
        assert old.execute("PRAGMA auto_vacuum").fetchone()[0] == 2


# -- others -----------------------------------------------------------------------------------


async def test_a_follower_in_another_process_sees_what_is_gone(path: Path, opened: Opened) -> None:
    """Each run once, those below others included."""
    store = await opened(path)
    await fill(store, RUN)
    await store.create_run(new_run("child", parent=below("deploy[eu]")))
    done = RunFinished(status=RunStatus.SUCCEEDED)
    await store.append(adding(done, run_id="child", summary=ENDED))
    await fill(store, "other")
    process = await removing("follow", path)
    assert await line_of(process) == "following"

    await store.remove_run(RUN, at=NOW)
    await store.remove_run(RunId("other"), at=NOW)

    assert {await line_of(process) for _ in range(3)} == {RUN, "child", "other"}
    process.kill()
    await process.wait()


async def test_writers_get_their_turn_between_two_slices(path: Path, opened: Opened) -> None:
    """Of this process and of another: neither waits for a removal to end."""
    ours, theirs = await opened(path), await opened(path)
    await fill(ours, RUN, chunks=100, waves=3_000)
    await ours.create_run(new_run("a"))
    await theirs.create_run(new_run("b"))
    await ours.remove_run(RUN, at=NOW)
    heads = {"a": 1, "b": 1}
    going = True

    while going:
        going, *new = await asyncio.gather(
            ours.empty_graves(),
            ours.append(adding(wave(), run_id="a", after=heads["a"])),
            theirs.append(adding(wave(), run_id="b", after=heads["b"])),
        )
        heads = dict(zip(heads, new, strict=True))

    assert min(heads.values()) > 12
    assert await ours.orphans() == {}


async def test_many_marks_go_with_their_run(path: Path, opened: Opened) -> None:
    """However many a loop has made."""
    store = await opened(path)
    await store.create_run(new_run())
    head = 1
    for start in range(0, 20_000, 1_000):
        marks = (marked(f"chk_{start + number}") for number in range(1_000))
        head = await store.append(adding(*marks, after=head))
    await store.append(adding(RunFinished(status=RunStatus.SUCCEEDED), after=head, summary=ENDED))

    await store.remove_run(RUN, at=NOW)
    assert await store.matching("chk_") == ()
    await empty(store)
    assert await store.orphans() == {}
    assert await store.runs(RunFilter()) == ()
