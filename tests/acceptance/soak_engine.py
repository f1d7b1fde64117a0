"""What an engine of the soak does: it takes orders from a folder, carries them out, and writes down what it was told.

An order is a file that whoever renames it first has taken. What comes of it is one line in `acks`, written only
once the executor has returned: what stands there was acknowledged to somebody, and must survive everything.
"""

import asyncio
import json
import os
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

from lives import Engine
from tidegate.blocks.registry import catalog
from tidegate.engine.forks.fork import ForkRequest
from tidegate.engine.retention import Limits
from tidegate.errors import TidegateError
from tidegate.model.answer import Reply
from tidegate.model.events import Origin
from tidegate.model.ids import BlockId, CheckpointId, PauseId, RunId, Seq
from tidegate.workflows.loader import load_workflow

__all__ = ["STOP", "give_order", "serve"]

STOP = "stop"
"""The file that ends all engines."""
_LOOK = 0.02


def give_order(folder: Path, number: int, **order: Any) -> None:
    """Lay an order before the engines; one of them carries it out, unless it is killed first."""
    new = folder / "orders" / f"{number:08}.new"
    new.write_text(json.dumps({"number": number, **order}))
    new.replace(new.with_suffix(".json"))


async def serve(engine: Engine) -> None:
    """Carry out orders until the soak is over, or whoever began it is gone; orders do not wait for each other."""
    tasks, parent = set[asyncio.Task[None]](), os.getppid()
    while not (engine.folder / STOP).exists() and os.getppid() == parent:
        for file in sorted((engine.folder / "orders").glob("*.json")):
            order = _take(file)
            if order is not None:
                task = asyncio.create_task(_obey(engine, order))
                tasks.add(task)
                task.add_done_callback(tasks.discard)
        await asyncio.sleep(_LOOK)
    await asyncio.gather(*tasks)


def _take(file: Path) -> dict[str, Any] | None:
    mine = file.with_suffix(f".{os.getpid()}")
    try:
        file.rename(mine)
        order: dict[str, Any] = json.loads(mine.read_text())
    except FileNotFoundError:
        return None
    mine.unlink()
    return order


async def _obey(engine: Engine, order: dict[str, Any]) -> None:
    try:
        told = {"result": "done", "what": await _DUTIES[order["do"]](engine, order)}
    except TidegateError as error:
        told = {"result": "refused", "what": type(error).__name__, "why": str(error)}
    except Exception as error:  # noqa: BLE001 - nothing else may come out of an executor: it is reported
        told = {"result": "broken", "what": repr(error)}
    line = json.dumps({**order, **told}) + "\n"
    # One write: lines of several engines do not mix, and none is half there.
    descriptor = os.open(engine.folder / "acks", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.write(descriptor, line.encode())
    os.close(descriptor)


Duty = Callable[[Engine, Mapping[str, Any]], Awaitable[Any]]


async def _start(engine: Engine, order: Mapping[str, Any]) -> str:
    definition = load_workflow(engine.folder / order["file"], catalog()).definition
    return str(await engine.executor.start(definition, {}, by="soak"))


async def _fork(engine: Engine, order: Mapping[str, Any]) -> str:
    origin = Origin(run_id=RunId(order["run"]), seq=Seq(order["seq"]))
    blocks = tuple(map(BlockId, order["blocks"]))
    request = ForkRequest(origin, blocks=blocks, keep_answers=order["keep"])
    return str(await engine.executor.fork(request, by="soak"))


async def _answer(engine: Engine, order: Mapping[str, Any]) -> bool:
    reply = Reply(raw=order["raw"], by=order["by"], via="soak")
    return (await engine.executor.answer(PauseId(order["pause"]), reply)).repeated


async def _assign(engine: Engine, order: Mapping[str, Any]) -> None:
    await engine.executor.assign(PauseId(order["pause"]), order["to"], by=order["by"])


async def _send_back(engine: Engine, order: Mapping[str, Any]) -> None:
    pause_id, block = PauseId(order["pause"]), BlockId(order["block"])
    await engine.executor.send_back(pause_id, block, by=order["by"], feedback="soak")


async def _turn(engine: Engine, order: Mapping[str, Any]) -> None:
    """Cancel, pause, unpause or resume."""
    await getattr(engine.executor, order["do"])(RunId(order["run"]), by=order["by"])


async def _redo(engine: Engine, order: Mapping[str, Any]) -> None:
    """Retry or rerun a block."""
    await getattr(engine.executor, order["do"])(RunId(order["run"]), BlockId(order["block"]), by=order["by"])


async def _skip(engine: Engine, order: Mapping[str, Any]) -> None:
    await engine.executor.skip(RunId(order["run"]), BlockId(order["block"]), by=order["by"], reason="soak")


async def _remove(engine: Engine, order: Mapping[str, Any]) -> list[str]:
    return [str(run_id) for run_id in await engine.executor.remove_run(RunId(order["run"]))]


async def _clean_up(engine: Engine, order: Mapping[str, Any]) -> int:
    done = await engine.executor.clean_up(limits=Limits(max_runs=order["keep"], keep_successful=False))
    return len(done.going)


async def _pin(engine: Engine, order: Mapping[str, Any]) -> None:
    await engine.executor.pin(CheckpointId(order["checkpoint"]), pinned=order["pinned"])


async def _unmark(engine: Engine, order: Mapping[str, Any]) -> None:
    await engine.store.delete_mark(CheckpointId(order["checkpoint"]))


_DUTIES: Mapping[str, Duty] = {
    "start": _start,
    "fork": _fork,
    "answer": _answer,
    "assign": _assign,
    "send back": _send_back,
    "cancel": _turn,
    "pause": _turn,
    "unpause": _turn,
    "resume": _turn,
    "retry": _redo,
    "rerun": _redo,
    "skip": _skip,
    "remove": _remove,
    "clean up": _clean_up,
    "pin": _pin,
    "unmark": _unmark,
}
