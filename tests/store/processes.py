"""Processes beside the one that tests: started, listened to, killed, and what must be there afterwards."""

import asyncio
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from pathlib import Path

from store.builders import PATIENCE, RUN, adding, wave
from tidegate.store.protocol import Store

TESTS = Path(__file__).parents[1]


async def other_process(what: str, place: Path | str) -> Process:
    """Start a process that does *what* with the store in the file at *place*, or with that URL."""
    script = str(TESTS / "store" / "other_process.py")
    environment = os.environ | {"PYTHONPATH": str(TESTS)}
    url = place if isinstance(place, str) else f"sqlite://{place}"
    command = [sys.executable, "-W", "error", script, what, url]
    return await asyncio.create_subprocess_exec(
        *command, stdin=PIPE, stdout=PIPE, stderr=PIPE, env=environment
    )


async def line_of(process: Process) -> str:
    """Return the next line that *process* says."""
    assert process.stdout is not None
    async with asyncio.timeout(PATIENCE):
        return (await process.stdout.readline()).decode().strip()


async def end_of(process: Process) -> tuple[int, str, str]:
    """Return how *process* ended, and what it said."""
    assert process.stdin is not None
    process.stdin.close()
    async with asyncio.timeout(60):
        said, complained = await process.communicate()
    assert process.returncode is not None
    return process.returncode, said.decode(), complained.decode()


async def killed_while_appending(place: Path | str) -> int:
    """Kill a process in the middle of writing; return the last head that it acknowledged."""
    process = await other_process("append", place)
    acknowledged = [int(await line_of(process)) for _ in range(100)]
    process.send_signal(signal.SIGKILL)
    assert process.stdout is not None
    acknowledged += map(int, (await process.stdout.read()).decode().split())
    await end_of(process)
    return max(acknowledged)


async def check_that_nothing_is_lost(store: Store, acknowledged: int) -> None:
    """Fail unless all that was acknowledged is there, nothing half, and the run can go on."""
    found = await store.read(RUN)
    head = (await store.run(RUN)).head
    assert len(found) == head >= acknowledged
    assert head % 2 == 1
    assert await store.append(adding(wave(), after=head)) == head + 1
