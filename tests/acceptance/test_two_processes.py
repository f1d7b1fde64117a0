"""What one process does, another sees at once."""

import asyncio
import sys
from pathlib import Path

from running import until, world
from tidegate.clock import SystemClock
from tidegate.model.answer import Reply
from tidegate.model.events import RunStatus

GATE = """
name: gate
blocks:
  - {id: gate, type: ConfirmOperation, inputs: {message: "Go?"}}
  - {id: go, type: Shell, depends_on: [gate], inputs: {command: "echo gone >> log"}}
"""


async def tidegate(folder: Path, *arguments: str) -> int:
    """Run one command on the folder's store to its end; return its exit code."""
    command = ("-m", "tidegate", "--store", f"sqlite:///{folder}/store.db", *arguments)
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *command,
        cwd=folder,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    return await process.wait()


async def test_a_run_of_another_process_is_seen_and_moved_on(tmp_path: Path) -> None:
    """Each change is heard of soon after its commit; an answer given here lets that run go on."""
    (tmp_path / "gate.yaml").write_text(GATE)
    delays: list[float] = []
    async with world(tmp_path, f"sqlite:///{tmp_path}/store.db", adopts=True) as ground:
        start = await ground.executor.feed.now()

        async def follow() -> None:
            async for changes in ground.executor.feed.follow(start):
                delays.extend(SystemClock().now() - row.updated_at for row in changes.runs)

        following = asyncio.create_task(follow())
        assert await tidegate(tmp_path, "run", "gate.yaml") == 3
        [view] = await ground.history.runs()
        pause = await ground.pause_of(view.row.run_id, "gate")
        await ground.executor.answer(pause.pause_id, Reply(raw="yes", by="ana", via="test"))
        rested = await ground.rest(view.row.run_id)
        following.cancel()
        await asyncio.gather(following, return_exceptions=True)

    assert rested.status is RunStatus.SUCCEEDED
    assert (tmp_path / "log").read_text() == "gone\n"
    assert sorted(delays)[len(delays) // 2] < 0.25


async def test_an_answer_of_another_process_is_seen_here(tmp_path: Path) -> None:
    """Whoever answers, the run moves on, and everybody sees it."""
    async with world(tmp_path, f"sqlite:///{tmp_path}/store.db", adopts=True) as ground:
        run_id = await ground.start(GATE)
        pause = await ground.pause_of(run_id, "gate")
        assert await tidegate(tmp_path, "answer", pause.pause_id, "yes") == 0

        async def has_succeeded() -> bool:
            return (await ground.history.run_view(run_id)).status is RunStatus.SUCCEEDED

        await until(has_succeeded)
        assert await ground.history.inbox() == ()
    assert (tmp_path / "log").read_text() == "gone\n"


async def test_an_answer_reaches_a_driver_in_another_process(tmp_path: Path) -> None:
    """E1: while `work` still runs there, the gate is answered here, and the driver there reads on."""
    (tmp_path / "busy.yaml").write_text(
        "name: busy\nblocks:\n"
        "  - {id: gate, type: ConfirmOperation, inputs: {message: 'Go?'}}\n"
        "  - {id: work, type: Shell, inputs: {command: 'while [ ! -e go ]; do sleep 0.05; done'}}\n"
        "  - {id: after, type: Shell, depends_on: [gate, work], inputs: {command: 'echo after >> log'}}\n"
    )
    async with world(tmp_path, f"sqlite:///{tmp_path}/store.db", adopts=True) as ground:
        running = asyncio.create_task(tidegate(tmp_path, "run", "busy.yaml"))

        async def is_there() -> bool:
            return bool(await ground.history.inbox())

        await until(is_there)
        [pause] = await ground.history.inbox()
        await ground.executor.answer(pause.pause_id, Reply(raw="yes", by="ana", via="test"))
        (tmp_path / "go").touch()

        assert await running == 0
    assert (tmp_path / "log").read_text() == "after\n"
