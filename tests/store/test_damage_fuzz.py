"""Random damage: whatever becomes of the file, nothing wrong is taken for good, and what is left can be saved."""

import asyncio
import os
import random
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from store.test_upgrade_real import put_fixture
from tidegate.clock import SystemClock
from tidegate.errors import StoreError
from tidegate.history.repair import Extent, Rescue
from tidegate.history.verify import verify
from tidegate.model.events import Record
from tidegate.model.ids import RunId
from tidegate.model.listing import CheckpointFilter, Cursor, PauseFilter, RunFilter
from tidegate.store import open_store
from tidegate.store.opening_wrecks import open_wreck
from tidegate.store.protocol import Store

SEEDS = range(int(os.environ.get("TIDEGATE_DAMAGE_SEEDS", "24")))
Journals = dict[RunId, tuple[Record, ...]]


@pytest.fixture(scope="session")
def sound(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Journals]:
    """A store with runs of many kinds, of today's schema, and its journals."""
    path = tmp_path_factory.mktemp("sound") / "tidegate.db"
    put_fixture(path)
    return path, asyncio.run(_journals(path))


async def _journals(path: Path) -> Journals:
    store = await open_store(f"sqlite://{path}", clock=SystemClock())
    journals = {row.run_id: await store.read(row.run_id) for row in await store.runs()}
    await store.close()
    return journals


def flip(data: bytearray, rng: random.Random) -> None:
    """Turn some bits over."""
    for _ in range(rng.choice([1, 3, 40])):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def noise(data: bytearray, rng: random.Random) -> None:
    """Write noise over some place."""
    at = rng.randrange(len(data))
    some = rng.randbytes(rng.choice([20, 200, 9_000]))
    data[at : at + len(some)] = some[: len(data) - at]


def zeros(data: bytearray, rng: random.Random) -> None:
    """Lose some pages."""
    for _ in range(rng.choice([1, 4])):
        at = rng.randrange(len(data) // 4096) * 4096
        data[at : at + 4096] = bytes(4096)


def cut(data: bytearray, rng: random.Random) -> None:
    """Lose the end."""
    del data[rng.randrange(len(data) // 4, len(data)) :]


def shuffle(data: bytearray, rng: random.Random) -> None:
    """Exchange two pages."""
    one, two = (rng.randrange(1, len(data) // 4096) * 4096 for _ in range(2))
    data[one : one + 4096], data[two : two + 4096] = data[two : two + 4096], data[one : one + 4096]


def head(data: bytearray, rng: random.Random) -> None:
    """Write noise over the beginning."""
    data[: rng.choice([16, 100, 4096])] = rng.randbytes(1) * rng.choice([16, 100, 4096])


WAYS: tuple[Callable[[bytearray, random.Random], None], ...] = (flip, noise, zeros, cut, shuffle, head)


@pytest.fixture
def damaged(
    request: pytest.FixtureRequest, sound: tuple[Path, Journals], tmp_path: Path
) -> tuple[Path, Journals]:
    """A copy of the store, damaged in some way, and the journals that were in it."""
    rng = random.Random(request.param)  # noqa: S311  # the same damage each time
    data = bytearray(sound[0].read_bytes())
    WAYS[request.param % len(WAYS)](data, rng)
    path = tmp_path / "tidegate.db"
    path.write_bytes(data)
    path.chmod(0o600)
    return path, sound[1]


async def look_at_everything(store: Store, journals: Journals) -> None:
    """Read all there is; what is not what was written has to be an error of the store's."""
    for run_id, records in journals.items():
        with suppress(StoreError):
            assert await store.read(run_id) in (records, ())
        with suppress(StoreError):
            assert await store.read(run_id, after=records[2].seq) in (records[3:], ())
    for look in (
        store.runs(RunFilter()),
        store.pauses(PauseFilter(open_only=False)),
        store.checkpoints(CheckpointFilter()),
        store.counts(),
        store.changes(Cursor(0)),
        store.newest_cursor(),
        store.matching("5"),
        store.statistics(),
        store.faults(),
    ):
        with suppress(StoreError):
            await look


@pytest.mark.parametrize("damaged", SEEDS, indirect=True)
async def test_nothing_wrong_is_taken_for_good(damaged: tuple[Path, Journals]) -> None:
    """A journal is read as it was written, or not at all; no other error leaves the store; the file stays as it is."""
    path, journals = damaged
    found = path.read_bytes()

    with suppress(StoreError):
        store = await open_store(f"sqlite://{path}", clock=SystemClock())
        try:
            await look_at_everything(store, journals)
            listed = {row.run_id for row in await store.runs(RunFilter())}
            verdicts = {verdict.run_id: verdict async for verdict in verify(store)}
        finally:
            await store.close()
        assert listed <= set(verdicts)
        for run_id, verdict in verdicts.items():
            assert not verdict.is_sound or verdict.good == len(journals[run_id])
    assert path.read_bytes() == found


@pytest.mark.parametrize("damaged", SEEDS, indirect=True)
async def test_what_is_left_can_be_saved(damaged: tuple[Path, Journals], tmp_path: Path) -> None:
    """Whole runs and beginnings of runs, event by event as they were; the copy is sound, the file stays as it is."""
    path, journals = damaged
    found = path.read_bytes()
    url = f"sqlite://{tmp_path}/copy.db"

    async with open_wreck(f"sqlite://{path}", tmp_path / "scratch") as wreck:
        store = await open_store(url, clock=SystemClock())
        rescue = Rescue(wreck, store, SystemClock())
        async for _ in rescue.write():
            pass
        await rescue.hold()
        assert await rescue.faults() == []
        for run in rescue.rescued:
            kept, was = await store.read(run.run_id), journals.get(run.run_id, ())
            assert kept[: run.events] == was[: run.events]
            assert (run.extent is Extent.WHOLE) <= (run.events == len(was))
            assert (len(kept) > run.events) == run.held
        await store.close()
    assert path.read_bytes() == found
    assert not (tmp_path / "scratch").exists()
