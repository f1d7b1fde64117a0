"""A call that is cut off: what it began is done to its end, and no run is left to nobody."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from mcp import Client

from tidegate.blocks.registry import all_blocks, catalog
from tidegate.clock import SystemClock
from tidegate.embedding.tidegate import Tidegate
from tidegate.engine.executor import Executor
from tidegate.history.history import History
from tidegate.history.shelf import Shelf
from tidegate.model.events import RunStatus
from tidegate.server.desk import Desk
from tidegate.server.mcp import make_server
from tidegate.store.opening import open_store

STEPS = """
name: steps
blocks:
  - {id: one, type: Shell, effect: idempotent, inputs: {command: "echo 1"}}
  - {id: two, type: Shell, depends_on: [one], effect: idempotent, inputs: {command: "test -e fine"}}
"""


@asynccontextmanager
async def desk_in(folder: Path) -> AsyncIterator[Desk]:
    """Open a desk on the folder's store; what is begun is ended in order."""
    store = await open_store(f"sqlite:///{folder}/store.db", clock=SystemClock())
    executor = Executor(store, SystemClock(), all_blocks())
    await executor.open()
    history = History(store, SystemClock(), executor.states)
    gate = Tidegate(store, executor, history, catalog(), "ana")
    try:
        yield Desk(gate, store, executor, history, Shelf([folder]), "ana")
    finally:
        await gate.close()


@pytest.mark.parametrize("tool", ["resume_workflow", "fork_run"])
async def test_whenever_a_call_is_cut_off_no_run_is_left_to_nobody(tmp_path: Path, tool: str) -> None:
    """Also between the commit of a run and its driver: it would wait for a lease to run out."""
    (tmp_path / "steps.yaml").write_text(STEPS)
    async with desk_in(tmp_path) as desk, Client(make_server(desk, "1")) as client:
        failed = await desk.gate.execute_workflow(desk.gate.load(tmp_path / "steps.yaml"))
        target = {"checkpoint_id": failed.run_id} if tool == "resume_workflow" else {"point": failed.run_id}
        for moment in range(40):
            task = asyncio.create_task(client.call_tool(tool, target))
            # A moment like any other: there is no condition that stands for it.
            await asyncio.sleep(moment * 0.001)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            for run in await desk.gate.list_runs(statuses=(RunStatus.RUNNING, RunStatus.QUEUED)):
                rested = await asyncio.wait_for(desk.gate.wait(run.run_id), 5)
                assert rested.status is RunStatus.FAILED, moment
