"""A store with one run that has everything a run can have: items, retries, a loop, a timer, runs below it."""

from collections.abc import Awaitable, Callable, Iterable

from tidegate.model.events import (
    AttemptFailed,
    AttemptSucceeded,
    BlockExpanded,
    BlockSkipped,
    CheckpointMarked,
    ChildPaused,
    ChildStarted,
    Failure,
    JournalEvent,
    LoopTurned,
    Parent,
    ProgressNoted,
    TimerSet,
    WaveStarted,
)
from tidegate.model.ids import BlockId, CheckpointId, RunId, item_place, iteration_place
from tidegate.model.policy import CheckpointKind, FailureKind, ForEach, Loop, OnFailure, RetryPolicy
from tidegate.model.prompt import ConfirmPrompt
from tidegate.model.value import Inline
from tidegate.model.workflow import BlockDefinition, Dependency, WorkflowDefinition
from tidegate.store.protocol import Store
from tui.scene import NOW, begin, started, succeeded

RELEASE = RunId("kx5m2r9p7wth")
ROLLOUT = RunId("nz8c4v6j3bqd")
HOSTS = tuple(f"web-{number:02}" for number in range(40))
REGIONS = ("red", "green", "blue")


def block(name: str, *, kind: str = "Shell", after: tuple[str, ...] = (), **more: object) -> BlockDefinition:
    """Return a block that depends on others."""
    depends_on = tuple(Dependency(block=BlockId(other)) for other in after)
    return BlockDefinition(id=BlockId(name), type=kind, depends_on=depends_on, **more)  # type: ignore[arg-type]


def workflow(name: str, *blocks: BlockDefinition, waves: Iterable[Iterable[str]]) -> WorkflowDefinition:
    """Return a workflow of these blocks."""
    order = tuple(tuple(BlockId(name) for name in wave) for wave in waves)
    return WorkflowDefinition(name=name, blocks=blocks, waves=order)


CHILD = workflow(
    "rollout",
    block("drain"),
    block("approve", kind="ConfirmOperation", after=("drain",), interactive=True),
    block("switch", after=("approve",)),
    waves=(("drain",), ("approve",), ("switch",)),
)
PARENT = workflow(
    "release",
    block("build"),
    block("lint", on_failure=OnFailure.CONTINUE),
    block("docs", condition="false"),
    block("deploy", after=("build",), for_each=ForEach(items=list(HOSTS), max_parallel=8)),
    block("migrate", after=("build",), retry=RetryPolicy(max_attempts=3, delay=30.0)),
    block("poll", after=("build",), loop=Loop(until="${poll.ready}", max_iterations=10)),
    block("soak", kind="Wait", after=("build",)),
    block("upload", after=("build",)),
    block("regions", kind="ExecuteWorkflow", after=("build",), for_each=ForEach(items=list(REGIONS))),
    block("announce", after=("deploy", "migrate", "regions")),
    block("cleanup", after=("announce",), always=True),
    waves=(
        ("build", "lint", "docs"),
        ("deploy", "migrate", "poll", "soak", "upload", "regions"),
        ("announce",),
        ("cleanup",),
    ),
).evolve(children={"rollout": CHILD})


async def fill_parts(store: Store) -> None:
    """Tell the run, and the one of its items that asks."""
    run = await begin(store, PARENT, RELEASE, 600)
    await run.tell(0.0, WaveStarted(wave=0), started("build"), started("lint"))
    await run.tell(1.0, BlockSkipped(block=BlockId("docs"), reason="its condition is false"))
    await run.tell(30.0, failed("lint", "3 findings"), succeeded("build", 31.0), mark())
    deploy = BlockExpanded(
        block=BlockId("deploy"), attempt=1, keys=HOSTS, items=tuple(Inline(value=host) for host in HOSTS)
    )
    await run.tell(1.0, WaveStarted(wave=1), started("deploy"), deploy, *hosts())
    await run.tell(1.0, started("migrate"), failed("migrate", "the lock is held", again=NOW + 4))
    await run.tell(1.0, *poll())
    await run.tell(1.0, started("soak"), TimerSet(block=BlockId("soak"), attempt=1, until=NOW + 1260))
    note = ProgressNoted(block=BlockId("upload"), attempt=1, fraction=0.45, message="9 of 20 files")
    await run.tell(1.0, started("upload"), note)
    await regions(store, run.tell)


def hosts() -> list[JournalEvent]:
    """Return what became of the first hosts: ten are done, one failed, two are at work."""
    events: list[JournalEvent] = []
    for host in HOSTS[:13]:
        place = item_place(BlockId("deploy"), host)
        events.append(started(place, f"deploy {host}"))
        if host == "web-07":
            events.append(failed(place, "the command ended with exit code 1: no route to web-07"))
        elif host < "web-11":
            events.append(succeeded(place, 2.0))
    return events


def poll() -> list[JournalEvent]:
    """Return a loop in its third iteration."""
    events: list[JournalEvent] = [started("poll"), BlockExpanded(block=BlockId("poll"), attempt=1)]
    for number in (1, 2):
        place = iteration_place(BlockId("poll"), number)
        events += [started(place), succeeded(place, 1.0), LoopTurned(block=BlockId("poll"), at=0.0)]
    return [*events, started(iteration_place(BlockId("poll"), 3))]


async def regions(store: Store, tell: Callable[..., Awaitable[None]]) -> None:
    """Tell three items whose work is a run each: one has ended, one asks, one goes on."""
    keys = tuple(Inline(value=region) for region in REGIONS)
    await tell(
        1.0, started("regions"), BlockExpanded(block=BlockId("regions"), attempt=1, keys=REGIONS, items=keys)
    )
    for region, child in zip(REGIONS, (ROLLOUT, RunId("p2d9f5h7k4mx"), RunId("q6t3w8y5z2cb")), strict=True):
        place = item_place(BlockId("regions"), region)
        await tell(0.0, started(place), ChildStarted(block=place, attempt=1, child=child, workflow="rollout"))
    await child_that_asks(store)
    await tell(0.0, ChildPaused(block=item_place(BlockId("regions"), "red"), pauses=1))
    done = item_place(BlockId("regions"), "blue")
    await tell(20.0, AttemptSucceeded(block=done, attempt=1, duration=20.0))


async def child_that_asks(store: Store) -> None:
    """Tell the run below that waits for an answer."""
    place = item_place(BlockId("regions"), "red")
    parent = Parent(run_id=RELEASE, block=place, root=RELEASE, path=(place,))
    run = await begin(store, CHILD, ROLLOUT, 560, parent=parent)
    await run.wave(0, 12.0, "drain")
    await run.end_wave(0)
    await run.tell(0.0, WaveStarted(wave=1))
    await run.ask("approve", ConfirmPrompt(message="Switch red over to 1.5.3?"))


def failed(place: str, message: str, *, again: float | None = None) -> AttemptFailed:
    """Return the bad end of a place's first attempt."""
    why = Failure(kind=FailureKind.EXIT, message=message, exit_code=1)
    return AttemptFailed(block=BlockId(place), attempt=1, failure=why, duration=2.0, retry_at=again)


def mark() -> CheckpointMarked:
    """Return a checkpoint that a block asked for."""
    return CheckpointMarked(
        checkpoint_id=CheckpointId("chk_kx5m2rbuilt"),
        kind=CheckpointKind.EXPLICIT,
        block=BlockId("build"),
        label="built",
        metadata={"version": "1.5.3", "commits": 12},
    )
