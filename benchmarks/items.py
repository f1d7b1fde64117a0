"""Whether an item costs the same in a long list as in a short one.

Runs a block over 1,000 and over 10,000 items that do nothing, on a SQLite file, in one process, and prints
milliseconds per item and their ratio: 1.0 is flat growth. `python benchmarks/items.py [short] [long]`
"""

import asyncio
import sys
import tempfile
import time
from pathlib import Path

from tidegate.blocks.registry import all_blocks, catalog
from tidegate.clock import SystemClock
from tidegate.engine.executor import Executor
from tidegate.store.opening import open_store
from tidegate.workflows.loader import parse_workflow

WORKFLOW = """
name: items
blocks:
  - id: each
    type: Template
    for_each: {items: [%s], max_parallel: 8}
    inputs: {template: "item ${item}"}
"""


async def seconds_for(count: int, folder: Path) -> float:
    """Return how long a run over *count* items takes."""
    text = WORKFLOW % ", ".join(f"i{number}" for number in range(count))
    definition = parse_workflow(text, catalog(), file="items.yaml", working_dir=str(folder)).definition
    clock = SystemClock()
    store = await open_store(f"sqlite:///{folder}/{count}.db", clock=clock)
    executor = Executor(store, clock, all_blocks())
    await executor.open()
    begun = time.monotonic()
    row = await executor.settle(await executor.start(definition, {}, by="benchmark"))
    taken = time.monotonic() - begun
    await executor.close()
    await store.close()
    if row.summary.status != "succeeded":
        raise RuntimeError(row.summary.reason)
    return taken


def main() -> None:
    """Print the figures."""
    counts = [int(word) for word in sys.argv[1:]] or [1_000, 10_000]
    with tempfile.TemporaryDirectory() as folder:
        each = [asyncio.run(seconds_for(count, Path(folder))) / count * 1000 for count in counts]
    for count, milliseconds in zip(counts, each, strict=True):
        print(f"{count:>7,} items: {milliseconds:.2f} ms each")
    print(f"ratio {each[-1] / each[0]:.2f}")


if __name__ == "__main__":
    main()
