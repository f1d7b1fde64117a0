"""The caller's task is cancelled: the run is on record, and goes on or can be resumed."""

import asyncio
import signal
import sys
from pathlib import Path

import pytest

import tidegate
from embedding.gates import BUSY, GATE, store_in
from running import PATIENCE, until


async def begun(folder: Path) -> None:
    """Return once the block of `BUSY` is at work."""

    async def is_there() -> bool:
        return (folder / "begun").exists()

    await until(is_there)


async def test_a_caller_that_stops_waiting_stops_no_run(tmp_path: Path) -> None:
    """The store is open still: the run goes on, and anybody may wait for it."""
    async with tidegate.open(store_in(tmp_path)) as gate:
        busy = gate.workflow(BUSY, working_dir=tmp_path)
        waiting = asyncio.create_task(gate.execute_workflow(busy))
        await begun(tmp_path)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        [run] = await gate.list_runs()
        (tmp_path / "go").touch()
        ended = await gate.wait(run.run_id)

    assert run.status is tidegate.RunStatus.RUNNING
    assert ended.status is tidegate.RunStatus.SUCCEEDED


@pytest.mark.parametrize("times", [1, 3])
async def test_a_cancelled_program_leaves_a_run_that_can_be_resumed(tmp_path: Path, times: int) -> None:
    """However impatiently: what runs is stopped and recorded before the task ends."""

    async def program() -> None:
        async with tidegate.open(store_in(tmp_path)) as gate:
            await gate.execute_workflow(gate.workflow(BUSY, working_dir=tmp_path))

    task = asyncio.create_task(program())
    await begun(tmp_path)
    for _ in range(times):
        task.cancel()
        await asyncio.sleep(0)
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, PATIENCE)

    (tmp_path / "go").touch()
    async with tidegate.open(store_in(tmp_path)) as gate:
        [run] = await gate.list_runs()
        ended = await gate.resume_workflow(run.run_id)
    assert run.status is tidegate.RunStatus.INTERRUPTED
    assert ended.status is tidegate.RunStatus.SUCCEEDED
    assert (tmp_path / "log").read_text() == "worked\n"


async def test_a_program_that_is_stopped_with_ctrl_c_leaves_a_run_that_can_be_resumed(tmp_path: Path) -> None:
    """`asyncio.run` cancels its main task, and what that had opened is closed in order."""
    (tmp_path / "busy.yaml").write_text(BUSY)
    code = (
        "import asyncio, tidegate\n"
        "async def main():\n"
        "    async with tidegate.open('store.db') as gate:\n"
        "        await gate.execute_workflow('busy.yaml')\n"
        "asyncio.run(main())\n"
    )
    command = (sys.executable, "-W", "error", "-c", code)
    program = await asyncio.create_subprocess_exec(*command, cwd=tmp_path, stderr=asyncio.subprocess.PIPE)
    await begun(tmp_path)
    program.send_signal(signal.SIGINT)
    _, told = await asyncio.wait_for(program.communicate(), PATIENCE)

    (tmp_path / "go").touch()
    async with tidegate.open(store_in(tmp_path)) as gate:
        [run] = await gate.list_runs()
        ended = await gate.resume_workflow(run.run_id)
    assert told.decode().rstrip().endswith("KeyboardInterrupt")
    assert run.status is tidegate.RunStatus.INTERRUPTED
    assert ended.status is tidegate.RunStatus.SUCCEEDED


@pytest.mark.parametrize("moment", range(12))
async def test_whenever_it_is_cancelled_no_run_is_left_to_nobody(tmp_path: Path, moment: int) -> None:
    """Also between the commit of a run, or of an answer, and its driver: it would wait for a lease to run out."""

    async def program(gate: tidegate.Tidegate, workflow: tidegate.Loaded) -> None:
        run = await gate.execute_workflow(workflow)
        await gate.resume_workflow(run.run_id, True)

    async with tidegate.open(store_in(tmp_path)) as gate:
        workflow = gate.workflow(GATE.replace("Shell,", "Shell, effect: idempotent,"), working_dir=tmp_path)
        task = asyncio.create_task(program(gate, workflow))
        # A moment like any other: there is no condition that stands for it.
        await asyncio.sleep(moment * 0.004)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    async with tidegate.open(store_in(tmp_path)) as gate:
        runs = await gate.list_runs()
        for run in runs:
            rested = await gate.get_run(run.run_id)
            if rested.status is tidegate.RunStatus.INTERRUPTED:
                rested = await gate.resume_workflow(run.run_id)
            if rested.pauses:
                rested = await gate.resume_workflow(run.run_id, True)
            assert rested.status is tidegate.RunStatus.SUCCEEDED

    assert len(runs) <= 1
