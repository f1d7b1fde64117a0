"""One of two processes that answer the same pauses at the same instants; prints who won each."""

import asyncio
import json
import sys
from pathlib import Path

from tidegate.blocks.registry import BUILTIN, catalog
from tidegate.clock import SystemClock
from tidegate.engine.executor import Executor
from tidegate.errors import AlreadyAnswered
from tidegate.model.answer import Reply
from tidegate.model.ids import PauseId
from tidegate.model.listing import PauseFilter
from tidegate.store.opening import open_store
from tidegate.store.protocol import Store
from tidegate.workflows.loader import load_workflow

ROUNDS = 50
HEAD_START = 0.05


async def pause_of_round(store: Store, number: int) -> PauseId:
    """Return the pause of the nth run, at the instant at which both processes answer it."""
    while True:
        pauses = await store.pauses(PauseFilter(open_only=False))
        if len(pauses) > number:
            pause = sorted(pauses, key=lambda pause: pause.opened_at)[number]
            await asyncio.sleep(pause.opened_at + HEAD_START - SystemClock().now())
            return pause.pause_id
        await asyncio.sleep(0.005)


async def race(url: str, file: Path, raw: str) -> list[str]:
    """Answer every round; the one who says yes also starts the runs."""
    clock = SystemClock()
    store = await open_store(url, clock=clock)
    executor = Executor(store, clock, BUILTIN)
    await executor.open()
    told = []
    for number in range(ROUNDS):
        if raw == "yes":
            loaded = load_workflow(file, catalog())
            run_id = await executor.start(loaded.definition, {}, by=raw)
        pause_id = await pause_of_round(store, number)
        try:
            await executor.answer(pause_id, Reply(raw=raw, by=raw, via="test"))
            told.append("won")
        except AlreadyAnswered as error:
            told.append("lost" if error.by != raw else "confused")
        row = await store.pause(pause_id)
        await executor.settle(row.run_id if raw == "no" else run_id)
    await executor.close()
    await store.close()
    return told


if __name__ == "__main__":
    sys.stdout.write(json.dumps(asyncio.run(race(sys.argv[1], Path(sys.argv[2]), sys.argv[3]))))
