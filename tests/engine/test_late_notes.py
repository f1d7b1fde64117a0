"""What a block wants to have recorded when it is too late: its attempt has ended, or is being stopped."""

import asyncio
from pathlib import Path

import pytest

from handing import Hands, flow
from running import until, world
from store_invariants import check_store
from tidegate.blocks.base import BlockContext, Completed, Result
from tidegate.blocks.registry import BUILTIN
from tidegate.model.events import RunStatus, StepRecorded

PYTHON = """
    name: stubborn
    blocks:
      - {id: work, type: Python, inputs: {callable: "stubborn:work"}}
"""
STUBBORN = """
import signal, time
from pathlib import Path

def work(context):
    signal.signal(signal.SIGTERM, lambda *_: None)
    Path("begun").touch()
    for number in range(2000):
        context.step(f"step {number}", lambda: number)
        time.sleep(0.002)
"""


@pytest.mark.timeout(60)
async def test_a_block_that_is_stopped_has_nothing_recorded_any_more(tmp_path: Path) -> None:
    """Also if it tries while it cleans up: whoever stops it waits for it, and would wait for ever."""
    at_work = asyncio.Event()

    async def work(context: BlockContext) -> Result:
        try:
            at_work.set()
            await asyncio.sleep(60)
        finally:
            await context.record_step("cleaned up", 1)
        return Completed()

    async with world(tmp_path, blocks={**BUILTIN, "Hands": Hands(work)}) as ground:
        run_id = await ground.start(flow("Hands"))
        await at_work.wait()
        await ground.executor.cancel(run_id, by="ana")
        view = await ground.rest(run_id)
        events = [record.event for record in await ground.events(run_id)]
        await check_store(ground.store)

    assert view.status is RunStatus.CANCELLED
    assert not [event for event in events if isinstance(event, StepRecorded)]


async def test_a_step_that_comes_after_the_outcome_is_left_out(tmp_path: Path) -> None:
    """Somebody's code may have left a task behind that records one."""
    tasks = set[asyncio.Task[None]]()

    async def work(context: BlockContext) -> Result:
        async def later() -> None:
            await asyncio.sleep(0.05)
            await context.record_step("late", 1)

        tasks.add(asyncio.create_task(later()))
        return Completed()

    async with world(tmp_path, blocks={**BUILTIN, "Hands": Hands(work)}) as ground:
        state = await ground.run(flow("Hands"))
        _, pending = await asyncio.wait(tasks, timeout=5)
        events = [record.event for record in await ground.events(state.run_id)]
        await check_store(ground.store)
    assert not pending
    assert state.status is RunStatus.SUCCEEDED
    assert not [event for event in events if isinstance(event, StepRecorded)]


@pytest.mark.timeout(60)
async def test_a_callable_that_goes_on_while_it_is_stopped_leaves_a_sound_journal(tmp_path: Path) -> None:
    """It ignores TERM and records step after step until it is killed; what it says by then is left out."""
    (tmp_path / "stubborn.py").write_text(STUBBORN)
    async with world(tmp_path) as ground:
        run_id = await ground.start(PYTHON)

        async def has_begun() -> bool:
            return (tmp_path / "begun").exists() and len(await ground.events(run_id)) > 8

        await until(has_begun)
        await ground.executor.cancel(run_id, by="ana")
        view = await ground.rest(run_id)
        await check_store(ground.store)
    assert view.status is RunStatus.CANCELLED
