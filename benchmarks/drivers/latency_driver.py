"""How long one append to Tidegate's store takes until it is durable, with so many appenders at once.

``latency_driver.py APPENDERS APPENDS FOLDER`` prints one line of JSON with percentiles in milliseconds.
"""

import asyncio
import json
import sys
import time
from pathlib import Path

from tidegate.clock import SystemClock
from tidegate.model.events import RunStarted, RunStatus, WaveStarted
from tidegate.model.ids import BlockId, RunId, Seq
from tidegate.model.listing import Epoch
from tidegate.model.state import RunSummary
from tidegate.model.workflow import BlockDefinition, WorkflowDefinition, definition_hash
from tidegate.store.opening import open_store
from tidegate.store.protocol import Append, NewRun, Store

_BLOCK = BlockId("a")
_DEFINITION = WorkflowDefinition(
    name="latency", blocks=(BlockDefinition(id=_BLOCK, type="Shell"),), waves=((_BLOCK,),)
)
_HASH = definition_hash(_DEFINITION)
_RUNNING = RunSummary(status=RunStatus.RUNNING)


async def _append(store: Store, clock: SystemClock, number: int, appends: int) -> list[float]:
    """Return how long each append to a run of its own took, in seconds."""
    now = clock.now()
    run_id = RunId(f"run{number:05}")
    started = RunStarted(workflow="latency", definition=_HASH, by="benchmark")
    run = NewRun(
        run_id=run_id,
        definition=_DEFINITION,
        definition_hash=_HASH,
        at=now,
        events=(started,),
        summary=_RUNNING,
        owner="benchmark",
        lease_until=now + 600,
    )
    head, taken = (await store.create_run(run)).head, []
    for wave in range(appends):
        added = Append(
            run_id=run_id,
            after=Seq(head),
            at=now,
            events=(WaveStarted(wave=wave),),
            summary=_RUNNING,
            epoch=Epoch(1),
        )
        begun = time.perf_counter()
        head = await store.append(added)
        taken.append(time.perf_counter() - begun)
    return taken


async def _measure(appenders: int, appends: int, folder: Path) -> list[float]:
    clock = SystemClock()
    store = await open_store(str(folder / "latency.db"), clock=clock)
    await _append(store, clock, 0, 10)
    each = await asyncio.gather(*(_append(store, clock, n + 1, appends) for n in range(appenders)))
    await store.close()
    return sorted(taken for one in each for taken in one)


def main() -> None:
    """Print the percentiles."""
    appenders, appends, folder = int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])
    taken = asyncio.run(_measure(appenders, appends, folder))
    at = {"p50": 0.5, "p95": 0.95, "p99": 0.99}
    found = {name: taken[int(share * (len(taken) - 1))] * 1000 for name, share in at.items()}
    print(json.dumps({"appenders": appenders, "appends": len(taken), **found, "max": taken[-1] * 1000}))


if __name__ == "__main__":
    main()
