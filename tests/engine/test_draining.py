"""Leaving without interrupting: nothing new starts, what runs ends, and others go on."""

import asyncio
from pathlib import Path

from running import until, world
from store_invariants import check_store
from tidegate.blocks.registry import BUILTIN
from tidegate.clock import SystemClock
from tidegate.engine.executor import Executor
from tidegate.model.events import AttemptStarted, RunInterrupted, RunStatus
from tidegate.store.owner import has_living_owner

CHAIN = """
    name: chain
    blocks:
      - {id: a, type: Shell, inputs: {command: "touch begun; while [ ! -e go ]; do sleep 0.02; done"}}
      - {id: b, type: Shell, depends_on: [a], inputs: {command: "echo b >> log"}}
      - {id: c, type: Shell, depends_on: [b], inputs: {command: "echo c >> log"}}
"""


async def test_what_runs_ends_and_what_follows_is_left_to_others(tmp_path: Path) -> None:
    """Nothing is interrupted, nothing starts twice, and no lease is kept."""
    async with world(tmp_path, f"sqlite://{tmp_path}/store.db", adopts=True) as here:
        run_id = await here.start(CHAIN)

        async def has_begun() -> bool:
            return (tmp_path / "begun").exists()

        await until(has_begun)
        draining = asyncio.create_task(here.executor.drain())
        await asyncio.sleep(0.3)
        assert not draining.done(), "it still runs"
        (tmp_path / "go").touch()
        assert await asyncio.wait_for(draining, 10)

        # Long enough for one that adopts to look: it leaves what it has left.
        await asyncio.sleep(1.5)
        row = await here.store.run(run_id)
        assert (row.owner, row.summary.status, row.summary.completed) == ("", RunStatus.RUNNING, 1)
        # This one adopts only when told, so that what it took over is told to the one who asks.
        other = Executor(here.store, SystemClock(), BUILTIN)
        await other.open()
        assert run_id in await other.adopt()
        row = await asyncio.wait_for(other.settle(run_id), 10)
        await other.close()
        events = [record.event for record in await here.events(run_id)]
        await check_store(here.store)

    assert row.summary.status is RunStatus.SUCCEEDED
    assert (tmp_path / "log").read_text() == "b\nc\n"
    assert not [event for event in events if isinstance(event, RunInterrupted)]
    assert [event.block for event in events if isinstance(event, AttemptStarted)] == ["a", "b", "c"]


async def test_whoever_changes_their_mind_goes_on(tmp_path: Path) -> None:
    """With what runs, and with what was left to others meanwhile and nobody has taken."""
    async with world(tmp_path, adopts=True) as here:
        first = await here.start(CHAIN)

        async def has_begun() -> bool:
            return (tmp_path / "begun").exists()

        await until(has_begun)
        draining = asyncio.create_task(here.executor.drain())
        await asyncio.sleep(0)
        left = await here.start(
            "name: left\nblocks: [{id: x, type: Shell, inputs: {command: 'echo x >> log'}}]"
        )

        async def is_left() -> bool:
            return not has_living_owner(await here.store.run(left), SystemClock().now())

        await until(is_left)
        assert not (tmp_path / "log").exists()
        await here.executor.go_on()
        assert await asyncio.wait_for(draining, 10) is False
        (tmp_path / "go").touch()

        assert [(await here.rest(run)).status for run in (first, left)] == [RunStatus.SUCCEEDED] * 2
        assert sorted((tmp_path / "log").read_text().split()) == ["b", "c", "x"]
