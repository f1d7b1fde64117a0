"""How long until another process learns of a commit, and what waiting for one costs.

One process follows a store as the monitor does, and at first only waits: that is the idle cost. Then another
one commits, slowly and in a burst. `python benchmarks/feed.py [--dir DIR] [--json FILE]` prints percentiles of the
time from a commit that is durable to the follower that knows of it.
"""

import argparse
import asyncio
import contextlib
import itertools
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tidegate.blocks.registry import all_blocks
from tidegate.clock import SystemClock
from tidegate.engine.executor import Executor
from tidegate.model.events import RunStarted, RunStatus, WaveStarted
from tidegate.model.ids import BlockId, RunId, Seq
from tidegate.model.listing import Epoch
from tidegate.model.state import RunSummary
from tidegate.model.workflow import BlockDefinition, WorkflowDefinition, definition_hash
from tidegate.store.opening import open_store
from tidegate.store.protocol import Append, NewRun

RUN = RunId("feedfeedfeed")
SLOW, SLOW_SECONDS = 150, 0.06
BURST, BURST_SECONDS = 1_000, 0.002
LAST = 1 + SLOW + BURST
"""The head after all of them: a run begins with one event."""
IDLE_SECONDS = 10.0
PATIENCE = 30.0
GOAL_MS, GOAL_IDLE_PERCENT = 20.0, 0.5
_BLOCK = BlockId("a")
_DEFINITION = WorkflowDefinition(
    name="feed", blocks=(BlockDefinition(id=_BLOCK, type="Shell"),), waves=((_BLOCK,),)
)
_HASH = definition_hash(_DEFINITION)
_RUNNING = RunSummary(status=RunStatus.RUNNING)


@dataclass(frozen=True, slots=True)
class Report:
    """What was found."""

    name: str
    commits: int
    lost: int
    """Commits that the follower never heard of."""
    backward: int
    """How often it was told of an older state after a newer one."""
    p50: float
    """Milliseconds, as the two below."""
    p95: float
    max: float


def reported(name: str, committed: Sequence[tuple[int, float]], seen: Sequence[tuple[int, float]]) -> Report:
    """Return how late a follower was.

    Args:
        name: What to call it.
        committed: Heads, ascending, and when each was durable, in seconds.
        seen: Heads in the order in which the follower learned of them, and when; it may skip some, since
            whoever knows of a later head knows of all before it.
    """
    late, at, backward = [], 0, sum(two[0] < one[0] for one, two in itertools.pairwise(seen))
    for head, durable in committed:
        while at < len(seen) and seen[at][0] < head:
            at += 1
        if at < len(seen):
            # It may learn of a commit a little before the writer itself is told.
            late.append(max(0.0, seen[at][1] - durable) * 1000)
    late.sort()
    lost = len(committed) - len(late)
    p50, p95, most = (
        (late[int(share * (len(late) - 1))] for share in (0.5, 0.95, 1.0)) if late else (0.0,) * 3
    )
    return Report(name, len(committed), lost, backward, p50, p95, most)


async def write(folder: Path) -> None:
    """Commit, slowly and then in a burst; print each head and when it was durable."""
    clock = SystemClock()
    store = await open_store(str(folder / "feed.db"), clock=clock)
    now = clock.now()
    run = NewRun(
        run_id=RUN,
        definition=_DEFINITION,
        definition_hash=_HASH,
        at=now,
        events=(RunStarted(workflow="feed", definition=_HASH, by="benchmark"),),
        summary=_RUNNING,
        owner="benchmark",
        lease_until=now + 600,
    )
    head, durable = (await store.create_run(run)).head, []
    for count, pause in ((SLOW, SLOW_SECONDS), (BURST, BURST_SECONDS)):
        for _ in range(count):
            await asyncio.sleep(pause)
            events = (WaveStarted(wave=head),)
            head = await store.append(
                Append(run_id=RUN, after=Seq(head), at=now, events=events, summary=_RUNNING, epoch=Epoch(1))
            )
            durable.append((head, time.monotonic()))
    await store.close()
    print(json.dumps(durable))


async def _follow(executor: Executor, seen: list[tuple[int, float]]) -> None:
    """Note what is learned, until the last commit is."""
    async for changes in executor.feed.follow():
        at = time.monotonic()
        seen.extend((row.head, at) for row in changes.runs if row.run_id == RUN)
        if seen and seen[-1][0] >= LAST:
            return


async def _idle_percent() -> float:
    """Return how much of a processor this process uses while it only waits."""
    await asyncio.sleep(1.0)
    begun = time.process_time()
    await asyncio.sleep(IDLE_SECONDS)
    return (time.process_time() - begun) / IDLE_SECONDS * 100


async def _written(folder: Path) -> list[tuple[int, float]]:
    """Let another process commit; return the heads and when each was durable."""
    command = [sys.executable, __file__, "--write", str(folder)]
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    out, _ = await process.communicate()
    if process.returncode:
        raise SystemExit("feed: the process that commits has failed")
    return [(head, at) for head, at in json.loads(out)]


async def measure(folder: Path) -> tuple[float, list[Report]]:
    """Return the idle cost in percent of a processor, and what was found of the slow and the quick commits."""
    clock = SystemClock()
    store = await open_store(str(folder / "feed.db"), clock=clock)
    executor = Executor(store, clock, all_blocks())
    await executor.open()
    seen: list[tuple[int, float]] = []
    following = asyncio.create_task(_follow(executor, seen))
    idle = await _idle_percent()
    committed = await _written(folder)
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(following, PATIENCE)
    await executor.close()
    await store.close()
    slow, burst = committed[:SLOW], committed[SLOW:]
    return idle, [reported("60 ms apart", slow, seen), reported("2 ms apart", burst, seen)]


def _table(idle: float, reports: Sequence[Report]) -> str:
    lines = ["| commits | number | lost | backward | p50 ms | p95 ms | max ms | goal |", f"|{'---|' * 8}"]
    for it in reports:
        is_met = it.p95 <= GOAL_MS and not it.lost and not it.backward
        row = f"| {it.name} | {it.commits} | {it.lost} | {it.backward} | {it.p50:.2f} | {it.p95:.2f} | {it.max:.2f} |"
        lines.append(
            f"{row} 95 % within {GOAL_MS:g} ms, none lost, in order: {'met' if is_met else 'missed'} |"
        )
    met = "met" if idle <= GOAL_IDLE_PERCENT else "missed"
    return "\n".join(
        [*lines, "", f"Waiting costs {idle:.2f} % of a processor (goal {GOAL_IDLE_PERCENT:g} %: {met})."]
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--dir", type=Path, help="a folder on the disk to be measured (that of temporary files)"
    )
    parser.add_argument("--json", type=Path, help="a file for the figures")
    parser.add_argument("--write", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.write:
        asyncio.run(write(options.write))
        return
    with tempfile.TemporaryDirectory(dir=options.dir) as folder:
        idle, reports = asyncio.run(measure(Path(folder)))
    print(_table(idle, reports))
    if options.json:
        found = {it.name: {name: getattr(it, name) for name in it.__slots__} for it in reports}
        options.json.write_text(
            json.dumps({"idle_percent": idle, **found}, indent=1) + "\n", encoding="utf-8"
        )


if __name__ == "__main__":
    main()
