"""Commands that outlived the process that started them.

After a SIGKILL of Tidegate the commands it ran go on. They carry in their environment what they
belong to, so a later process can tell whether one of them is still at work, without anything
having been written when it started. Linux only: elsewhere nothing is found, and nothing is claimed.
"""

import asyncio
import contextlib
import os
import signal
from pathlib import Path

from tidegate.model.ids import BlockId, RunId

__all__ = ["end_leftovers", "leftovers"]

GRACE = 2.0
"""Seconds between TERM and KILL."""
_LOOK = 0.05


async def leftovers(run_id: RunId, block: BlockId, attempt: int) -> tuple[int, ...]:
    """Return the pids, on this host, of what an attempt started and what still runs."""
    marks = {
        f"TIDEGATE_RUN_ID={run_id}".encode(),
        f"TIDEGATE_BLOCK={block}".encode(),
        f"TIDEGATE_ATTEMPT={attempt}".encode(),
    }
    return await asyncio.to_thread(_find, marks)


async def end_leftovers(run_id: RunId, block: BlockId, attempt: int) -> None:
    """End what an attempt started and what still runs: TERM, grace, KILL; return when it is gone."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        deadline = asyncio.get_running_loop().time() + GRACE
        while pids := await leftovers(run_id, block, attempt):
            for pid in pids:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, number)
            if asyncio.get_running_loop().time() >= deadline:
                break
            await asyncio.sleep(_LOOK)
        else:
            return


def _find(marks: set[bytes]) -> tuple[int, ...]:
    found = [int(path.name) for path in Path("/proc").glob("[0-9]*") if marks <= _environment_of(path)]
    return tuple(sorted(pid for pid in found if pid != os.getpid()))


def _environment_of(process: Path) -> set[bytes]:
    try:
        return set((process / "environ").read_bytes().split(b"\0"))
    except OSError:  # It has ended, or is somebody else's.
        return set()
