"""A block's context that keeps what it is given, and ways to look at real processes."""

import asyncio
import os
from collections.abc import Callable, Mapping
from pathlib import Path

from tidegate.blocks.base import Completed, Failed, Mark, Result
from tidegate.blocks.masking import NO_MASKS
from tidegate.blocks.shell import Shell
from tidegate.model.base import Json, JsonObject
from tidegate.model.ids import BlockId, RunId

_NAMES = {"under": "shell"}


class KeptContext:
    """What a running block may use of the world; keeps the bytes it emits."""

    def __init__(self, working_dir: Path, bindings: Mapping[str, str] | None = None) -> None:
        self.run_id = RunId("run_1")
        self.block_id = BlockId("block_1")
        self.attempt = 2
        self.idempotency_key = "key_1"
        self.working_dir = str(working_dir)
        self.bindings = dict(bindings or {})
        self.withheld: frozenset[str] = frozenset()
        self.masks = NO_MASKS
        self.emitted: list[tuple[int, bytes]] = []
        self.state: dict[str, Json] = {}
        self.marks: list[Mark] = []
        self.steps: dict[str, Json] = {}
        self.progress: list[tuple[float, str]] = []

    async def emit(self, stream: int, data: bytes) -> None:
        """Keep *data*."""
        self.emitted.append((stream, data))

    async def record_step(self, key: str, value: Json) -> None:
        """Keep the result of a step."""
        self.steps[key] = value

    async def note_progress(self, fraction: float, message: str = "") -> None:
        """Keep how far the work has come."""
        self.progress.append((fraction, message))

    def written(self, stream: int) -> bytes:
        """Return everything that was written to *stream*."""
        return b"".join(data for number, data in self.emitted if number == stream)


async def run_shell(where: Path | KeptContext, command: Json, **inputs: Json) -> Result:
    """Run a Shell block to its end.

    Args:
        where: Its working directory, or its whole context.
        command: What to run.
        inputs: Further inputs. `under` is `shell`, which as a keyword looks like that of subprocess.
    """
    context = where if isinstance(where, KeptContext) else KeptContext(where)
    given: JsonObject = {"command": command} | {_NAMES.get(name, name): inputs[name] for name in inputs}
    return await Shell(grace=0.2).run(given, context)


async def completed(where: Path | KeptContext, command: Json, **inputs: Json) -> JsonObject:
    """Run a Shell block that must complete; return its outputs."""
    result = await run_shell(where, command, **inputs)
    assert isinstance(result, Completed), result
    return result.outputs


async def failed(where: Path | KeptContext, command: Json, **inputs: Json) -> Failed:
    """Run a Shell block that must fail."""
    result = await run_shell(where, command, **inputs)
    assert isinstance(result, Failed), result
    return result


async def until(fact: Callable[[], bool], *, seconds: float = 10) -> None:
    """Return as soon as *fact* holds.

    Raises:
        TimeoutError: it does not, for *seconds*.
    """
    async with asyncio.timeout(seconds):
        while not fact():
            await asyncio.sleep(0.005)


def pid_in(file: Path) -> int:
    """Return the pid that a command wrote to *file*, 0 while there is none."""
    text = file.read_text() if file.exists() else ""
    return int(text) if text.endswith("\n") else 0


def is_running(pid: int) -> bool:
    """Return whether *pid* runs; a zombie does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
