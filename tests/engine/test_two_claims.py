"""A process that stood still claims a run twice: it drives it once, under the newer claim."""

import asyncio
from pathlib import Path
from typing import Any, cast

import pytest

from running import definition_of, until, world
from store_invariants import check_run
from tidegate.blocks.registry import BUILTIN
from tidegate.clock import SystemClock
from tidegate.engine.drivers import Drivers
from tidegate.engine.executor import Executor
from tidegate.engine.parts import Parts
from tidegate.model.events import RunStarted, RunStatus
from tidegate.model.ids import RunId, new_run_id
from tidegate.model.state import new_state
from tidegate.model.workflow import Graph, definition_hash
from tidegate.store.opening import open_store
from tidegate.store.owner import has_living_owner
from tidegate.store.protocol import Claim, NewRun, Store
from tidegate.store.replay import States

WORKFLOW = """
name: claimed
blocks:
  - id: work
    type: Shell
    effect: idempotent
    inputs: {command: "while [ ! -e go ]; do sleep 0.02; done; echo worked >> log"}
"""
LEASE = 0.5


class SlowToTell:
    """A store whose claims are durable long before whoever made them hears of it; everything else is the store's."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.made = 0
        self.told = [asyncio.Event(), asyncio.Event()]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def claim(self, run_id: RunId, **how: Any) -> Claim:
        """Claim, as the store does, and tell it late."""
        claim = await self._store.claim(run_id, **how)
        told = self.told[self.made]
        self.made += 1
        await told.wait()
        return claim


async def left_behind(store: Store, folder: Path) -> RunId:
    """Return a run that a process created, which is gone."""
    definition, run_id = definition_of(WORKFLOW, working_dir=folder), new_run_id()
    digest = definition_hash(definition)
    await store.create_run(
        NewRun(
            run_id=run_id,
            definition=definition,
            definition_hash=digest,
            at=1.0,
            events=(RunStarted(workflow=definition.name, definition=digest),),
            summary=new_state(run_id, Graph(definition)).summarise(),
            owner="elsewhere:1:1",
            lease_until=1.0,
        )
    )
    return run_id


@pytest.mark.parametrize("order", [(0, 1), (1, 0)], ids=["older first", "newer first"])
async def test_of_two_claims_of_a_process_the_newer_one_counts(
    tmp_path: Path, order: tuple[int, int]
) -> None:
    """Whichever it hears of first: its lease is kept, the work is done once, and nothing is left on the books."""
    clock = SystemClock()
    store = await open_store("memory://", clock=clock)
    slow = SlowToTell(store)
    executor = Executor(cast(Store, slow), clock, BUILTIN, lease_seconds=LEASE)
    await executor.open()
    run_id = await left_behind(store, tmp_path)
    claims = []
    for made in (1, 2):
        claims.append(asyncio.create_task(executor.adopt()))

        async def is_made(made: int = made) -> bool:
            row = await store.run(run_id)
            return slow.made == made and (made == 2 or not has_living_owner(row, clock.now()))

        await until(is_made)
    for number in order:
        slow.told[number].set()
        await claims[number]
        await asyncio.sleep(0.1)

    await asyncio.sleep(2 * LEASE)
    assert has_living_owner(await store.run(run_id), clock.now())
    (tmp_path / "go").touch()
    row = await asyncio.wait_for(executor.settle(run_id), 20)
    assert (row.summary.status, row.owner, row.epoch) == (RunStatus.SUCCEEDED, "", 3)
    assert (tmp_path / "log").read_text() == "worked\n"
    await check_run(store, run_id)
    await executor.close()
    await store.close()


async def test_a_run_that_has_ended_is_left_as_it_is_by_who_claims_it_late(tmp_path: Path) -> None:
    """Whoever stood still may claim by what it knew before, and find a lease that somebody has left behind."""
    clock = SystemClock()
    async with world(tmp_path) as ground:
        (tmp_path / "go").touch()
        state = await ground.run(WORKFLOW)
        now, events = clock.now(), await ground.events(state.run_id)
        assert state.status is RunStatus.SUCCEEDED
        left = await ground.store.claim(state.run_id, owner="elsewhere:1:1", now=now, until=now + 60)
        claim = await ground.store.claim(
            state.run_id, owner="here:1:1", now=now, until=now + 60, over=left.epoch
        )
        drivers = Drivers(Parts(ground.store, States(ground.store), clock, BUILTIN, owner="here:1:1"))

        drivers.launch(claim)
        await drivers.finish(state.run_id)

        assert claim.previous_owner == "elsewhere:1:1"
        assert await ground.events(state.run_id) == events
        assert (await ground.store.run(state.run_id)).owner == ""
        await check_run(ground.store, state.run_id)
