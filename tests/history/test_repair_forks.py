"""What can be saved of a damaged store in which runs go on from points of others."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from history.porting import everything_of
from running import definition_of, world
from tidegate.clock import SystemClock
from tidegate.engine.forks.fork import ForkRequest
from tidegate.history.repair import Extent, Rescue, Rescued
from tidegate.model.events import Origin
from tidegate.model.ids import RunId, Seq
from tidegate.store import open_store
from tidegate.store.opening_wrecks import open_wreck
from tidegate.store.protocol import Store

STORY = """
    name: story
    blocks:
      - {id: a, type: Shell, inputs: {command: "echo a"}}
      - {id: b, type: Shell, depends_on: [a], inputs: {command: "exit 3"}}
"""
POINT = 6


async def _made(folder: Path) -> tuple[list[RunId], list[dict[str, object]]]:
    """Return a run, a fork of it, and a fork of that with another workflow; and all that there is of them."""
    async with world(folder, f"sqlite://{folder}/wreck.db") as here:
        runs = [await here.start(STORY)]
        await here.rest(runs[0])
        mended = definition_of(STORY.replace("exit 3", "echo b"), working_dir=folder)
        for workflow in (None, mended):
            origin = Origin(run_id=runs[-1], seq=Seq(POINT + len(runs)))
            runs.append(await here.executor.fork(ForkRequest(origin, workflow=workflow), by="bo"))
            await here.rest(runs[-1])
        return runs, [await everything_of(here.store, run_id) for run_id in runs]


async def _rescued(folder: Path, there: Store) -> Sequence[Rescued]:
    async with open_wreck(f"sqlite://{folder}/wreck.db", folder / "scratch") as wreck:
        rescue = Rescue(wreck, there, SystemClock())
        _ = [it async for it in rescue.write()]
        await rescue.hold()
    assert await rescue.faults() == []
    return rescue.rescued


def _change(folder: Path, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(folder / "wreck.db", isolation_level=None)) as connection:
        connection.execute(statement, values)


EVENT = "(SELECT run_no << 32 FROM runs WHERE run_id = ?) + ?"


async def test_sound_forks_are_kept_as_they_were(tmp_path: Path) -> None:
    """Also one with another workflow: rows, events, output, and where they go on from."""
    runs, before = await _made(tmp_path)
    there = await open_store("memory://", clock=SystemClock())

    rescued = await _rescued(tmp_path, there)

    assert [it.extent for it in rescued] == [Extent.WHOLE] * 3
    assert [await everything_of(there, run_id) for run_id in runs] == before
    await there.close()


@pytest.mark.parametrize(
    ("seq", "extents"),
    [
        (POINT + 3, [Extent.CUT, Extent.WHOLE, Extent.WHOLE]),
        (3, [Extent.CUT, Extent.LOST, Extent.LOST]),
        (1, [Extent.LOST, Extent.LOST, Extent.LOST]),
    ],
)
async def test_a_fork_needs_what_it_goes_on_from(tmp_path: Path, seq: int, extents: list[Extent]) -> None:
    """What was damaged after its point is none of its business; before, there is nothing to go on from."""
    runs, _ = await _made(tmp_path)
    _change(tmp_path, f"UPDATE events SET body = x'00' WHERE id = {EVENT}", runs[0], seq)  # noqa: S608  # constants
    there = await open_store("memory://", clock=SystemClock())

    rescued = await _rescued(tmp_path, there)

    assert [it.extent for it in rescued] == extents
    if extents[1] is Extent.LOST:
        assert f"it goes on from run {runs[0]}, of which only {max(seq - 1, 0)} of the" in rescued[1].why
    await there.close()


async def test_a_fork_whose_row_is_lost_is_known_by_its_first_event(tmp_path: Path) -> None:
    """Its end is then not known to be its end, unless it says so."""
    runs, before = await _made(tmp_path)
    _change(tmp_path, "UPDATE runs SET head = x'00' WHERE run_id = ?", runs[1])
    there = await open_store("memory://", clock=SystemClock())

    rescued = await _rescued(tmp_path, there)

    assert [it.extent for it in rescued] == [Extent.WHOLE] * 3
    assert (await there.read(runs[1])) == before[1][runs[1]]["events"]  # type: ignore[index]
    await there.close()
