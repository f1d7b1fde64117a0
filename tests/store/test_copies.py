"""Copies of whole stores: of one moment, sound, and of no consequence for whoever goes on writing."""

import asyncio
import stat
from pathlib import Path

import pytest

from store.builders import BLOCK, RUN, adding, chunk, hashed, marked, new_run, paused, wave
from tidegate.clock import SystemClock
from tidegate.errors import StoreUnavailable
from tidegate.history.verify import verify
from tidegate.model.ids import RunId, Seq
from tidegate.store.copies import open_copy, store_id_of
from tidegate.store.opening import open_store
from tidegate.store.protocol import Store

CLOCK = SystemClock()


async def fill(store: Store) -> None:
    """Write something of every kind."""
    await store.create_run(new_run())
    await store.append(adding(wave(), paused(), marked(), values=dict([hashed("shared by all")])))
    await store.write_output(RUN, BLOCK, 1, [chunk(0, b"one\n"), chunk(1, b"two\n")])
    await store.create_run(new_run("other"))
    await store.append(adding(wave(), run_id="other"))


async def test_a_copy_is_a_store_with_the_same_in_it(store: Store, tmp_path: Path) -> None:
    """Journals, lists and output; private; and it says of which store it is one."""
    await fill(store)
    copy = tmp_path / "copy"
    if store.url == "memory://":
        with pytest.raises(StoreUnavailable, match="nowhere on disk"):
            await store.copy_to(copy)
        return
    await store.copy_to(copy)

    found = await open_copy(copy, clock=CLOCK)
    try:
        assert await found.read(RunId(RUN)) == await store.read(RunId(RUN))
        assert await found.runs() == await store.runs()
        assert await found.pauses() == await store.pauses()
        assert await found.checkpoints() == await store.checkpoints()
        assert await found.read_output(RunId(RUN), BLOCK, 1) == await store.read_output(RunId(RUN), BLOCK, 1)
        assert not await found.faults()
        assert not await found.orphans()
    finally:
        await found.close()
    files = [copy, *copy.rglob("*")]
    assert not any(stat.S_IMODE(path.stat().st_mode) & 0o077 for path in files)
    assert store_id_of(copy) is not None
    assert store_id_of(tmp_path / "nothing") is None


async def test_a_copy_can_be_gone_on_with(store: Store, tmp_path: Path) -> None:
    """Opened as any store it takes new events, and the one that it was made of does not have them."""
    if store.url == "memory://":
        return
    await fill(store)
    await store.copy_to(tmp_path / "copy")
    scheme = store.url.partition("://")[0]

    copy = await open_store(f"{scheme}://{tmp_path}/copy", clock=CLOCK)
    try:
        await copy.append(adding(wave(), after=2, run_id="other"))
        assert len(await copy.read(RunId("other"))) == len(await store.read(RunId("other"))) + 1
    finally:
        await copy.close()


async def test_a_copy_is_of_one_moment_while_others_write(store: Store, tmp_path: Path) -> None:
    """Every journal in it is a beginning of what was written, without a gap, and all that it names is there."""
    if store.url == "memory://":
        return
    await fill(store)
    stop = asyncio.Event()

    async def go_on_writing() -> None:
        after = 2
        while not stop.is_set():
            await store.append(
                adding(wave(), after=after, run_id="other", values=dict([hashed(f"value {after}")]))
            )
            await store.write_output(RunId("other"), BLOCK, 1, [chunk(after, b"line\n")])
            after += 1

    writing = asyncio.create_task(go_on_writing())
    try:
        for number in range(3):
            await store.copy_to(tmp_path / f"copy{number}")
    finally:
        stop.set()
        await writing

    lengths = []
    for number in range(3):
        copy = await open_copy(tmp_path / f"copy{number}", clock=CLOCK)
        try:
            lengths.append(len(await copy.read(RunId("other"))))
            assert not await copy.faults()
            assert not await copy.orphans()
            assert all([verdict.good == verdict.head async for verdict in verify(copy)])
        finally:
            await copy.close()
    assert lengths == sorted(lengths)
    assert lengths[-1] <= len(await store.read(RunId("other")))


async def test_what_cannot_be_written_is_said_of_the_copy(store: Store, tmp_path: Path) -> None:
    """Not of the store, which is well."""
    if store.url == "memory://":
        return
    await fill(store)

    with pytest.raises(StoreUnavailable, match="nowhere/copy"):
        await store.copy_to(tmp_path / "nowhere/copy")
    assert len(await store.read(RunId(RUN), upto=Seq(1))) == 1
