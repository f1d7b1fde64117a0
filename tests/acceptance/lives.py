"""Engines in processes of their own, that can be killed at a commit which a test chooses.

They are forked from a server that has imported the engine already, so one costs some 30 ms. They are
real processes all the same: with a pid, a start time and a lease of their own, ended by SIGKILL.
"""

import asyncio
import contextlib
import itertools
import json
import multiprocessing
import os
import signal
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Any, cast

from tidegate.blocks.registry import BUILTIN, catalog
from tidegate.clock import SystemClock
from tidegate.engine.executor import Executor
from tidegate.engine.forks.fork import ForkRequest
from tidegate.errors import AlreadyAnswered
from tidegate.model.answer import Reply
from tidegate.model.events import Origin
from tidegate.model.ids import PauseId, RunId, Seq
from tidegate.model.listing import PauseFilter, RunFilter
from tidegate.store.opening import open_store
from tidegate.store.owner import current_owner
from tidegate.store.protocol import Append, Claim, NewRun, Store
from tidegate.workflows.loader import load_workflow
from tidegate.workflows.run_inputs import validate_inputs

__all__ = [
    "LIVES",
    "Doomed",
    "Engine",
    "Errand",
    "Fate",
    "answer_each",
    "begin",
    "branch",
    "carry_on",
    "give",
    "hold_on",
    "life",
    "living",
    "play",
    "poll",
    "set_off",
    "start_many",
    "told",
    "turn",
    "url_of",
    "watch_over",
]

PATIENCE = 30.0
"""Seconds until a process that should have ended is a failure."""

_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(
    [
        "tidegate.blocks.registry",
        "tidegate.engine.executor",
        "tidegate.store.sqlite.store",
        "tidegate.workflows.loader",
        "aiosqlite",
        "cel",
    ]
)


@dataclass(frozen=True, slots=True)
class Fate:
    """When an engine's process gets a signal."""

    commit: int = 0
    """At this commit to any journal, counted from 1; 0: it does not."""
    after: bool = True
    """Right after the commit was durable, before anything came of it; or right before it."""
    sends: signal.Signals = signal.SIGKILL
    """SIGKILL, or SIGSTOP for one that goes on later."""


LIVES = Fate()


class SetClock(SystemClock):
    """The machine's clock, set by as many seconds as a file says; all processes of a test see that at once."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def now(self) -> float:
        """Return the instant, as the file would have it."""
        with contextlib.suppress(OSError, ValueError):
            return super().now() + float(self._file.read_text())
        return super().now()


class Doomed:
    """A store whose process gets a signal at one of its commits; everything else is the store's own."""

    def __init__(self, store: Store, fate: Fate) -> None:
        self._store, self._fate = store, fate
        self.commits = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def create_run(self, run: NewRun) -> Claim:
        """Create a run, as the store does."""
        self._step(after=False)
        claim = await self._store.create_run(run)
        self._step(after=True)
        return claim

    async def append(self, append: Append) -> Seq:
        """Append, as the store does."""
        self._step(after=False)
        head = await self._store.append(append)
        self._step(after=True)
        return head

    def _step(self, *, after: bool) -> None:
        self.commits += not after
        if self.commits == self._fate.commit and after == self._fate.after:
            os.kill(os.getpid(), self._fate.sends)


@dataclass(frozen=True, slots=True)
class Engine:
    """What an errand works with."""

    executor: Executor
    store: Store
    folder: Path
    doomed: Doomed


Errand = Callable[[Engine], Awaitable[object]]
"""What a process does; a function of a module, so that another process can find it."""


def url_of(folder: Path) -> str:
    """Return the store of a test: a directory if one was made for it, otherwise a database."""
    history = folder / "history"
    return f"file://{history}" if history.is_dir() else f"sqlite:///{folder}/store.db"


# -- errands ----------------------------------------------------------------------------------


async def begin(engine: Engine, file: str, inputs: Mapping[str, Any] | None = None) -> str:
    """Start a run of a file in the folder, and drive it until nothing of it moves; return its id."""
    definition = load_workflow(engine.folder / file, catalog()).definition
    values = validate_inputs(definition, dict(inputs or {}), from_text=False)
    run_id = await engine.executor.start(definition, values, by="ana")
    await engine.executor.settle(run_id)
    return run_id


async def play(
    engine: Engine, file: str, answers: Mapping[str, str], inputs: Mapping[str, Any] | None = None
) -> int:
    """Start a run of a file, answer what it asks, by block, until it has ended; return how many commits that took."""
    run_id = RunId(await begin(engine, file, inputs))
    while open_ := await engine.store.pauses(PauseFilter(root=run_id)):
        for pause in open_:
            reply = Reply(raw=answers[pause.block], by="ben", via="test")
            await engine.executor.answer(pause.pause_id, reply)
        await engine.executor.settle(run_id)
    return engine.doomed.commits


async def branch(engine: Engine, run_id: str, seq: int, answers: Mapping[str, str]) -> int:
    """Fork a run, answer what the fork asks, by block, until it has ended; return how many commits that took."""
    origin = Origin(run_id=RunId(run_id), seq=Seq(seq))
    forked = await engine.executor.fork(ForkRequest(origin), by="ana")
    await engine.executor.settle(forked)
    while open_ := await engine.store.pauses(PauseFilter(root=forked)):
        for pause in open_:
            reply = Reply(raw=answers[pause.block], by="ben", via="test")
            await engine.executor.answer(pause.pause_id, reply)
        await engine.executor.settle(forked)
    return engine.doomed.commits


async def hold_on(engine: Engine, file: str) -> str:
    """Start a run, and drive it; leave the file `gave-up` once nothing of it runs here any more."""
    definition = load_workflow(engine.folder / file, catalog()).definition
    run_id = await engine.executor.start(definition, {}, by="ana")
    while not engine.executor.running:
        await asyncio.sleep(0.01)
    while engine.executor.running:
        await asyncio.sleep(0.01)
    (engine.folder / "gave-up").touch()
    await engine.executor.settle(run_id)
    return run_id


async def watch_over(engine: Engine) -> None:
    """Keep house until every run has ended."""
    while any(not row.summary.status.is_terminal for row in await engine.store.runs()):
        await asyncio.sleep(0.02)


async def start_many(engine: Engine, file: str, count: int) -> None:
    """Start many runs of a file at once, and drive them to their ends."""
    definition = load_workflow(engine.folder / file, catalog()).definition
    runs = [await engine.executor.start(definition, {}, by="ana") for _ in range(count)]
    await asyncio.gather(*(engine.executor.settle(run_id) for run_id in runs))


async def poll(engine: Engine, count: int) -> int:
    """List runs and questions again and again until so many runs have ended; return how often."""
    for looks in itertools.count(1):
        rows = await engine.store.runs(RunFilter(limit=10 * count))
        await engine.store.pauses()
        for row in rows:
            await engine.store.read(row.run_id)  # It refuses a journal with a gap.
        if sum(row.summary.status.is_terminal for row in rows) >= count:
            return looks
        await asyncio.sleep(0.05)
    raise AssertionError


async def answer_each(engine: Engine, raw: str) -> dict[str, str]:
    """Answer every question there is; return, by block, `won`, or who was faster."""
    told = {}
    for pause in sorted(await engine.store.pauses(), key=lambda pause: pause.opened_seq):
        reply = Reply(raw=raw, by=raw, via="test")
        try:
            await engine.executor.answer(pause.pause_id, reply, drive=False)
            told[str(pause.block)] = "won"
        except AlreadyAnswered as error:
            told[str(pause.block)] = error.by
    return told


async def carry_on(engine: Engine) -> None:
    """Adopt what was left behind, until nothing moves any more."""
    me = str(current_owner())
    while True:
        adopted = await engine.executor.adopt()
        rows = await engine.store.runs(RunFilter(limit=1000))
        ours = [row.run_id for row in rows if row.owner == me]
        if not (adopted or ours):
            return
        for run_id in ours:
            await engine.executor.settle(run_id)


async def turn(engine: Engine, what: str, run_id: str, **more: Any) -> None:
    """Take an operator's turn, such as `cancel`, and drive the run until nothing of it moves."""
    await getattr(engine.executor, what)(RunId(run_id), by="ben", **more)
    await engine.executor.settle(RunId(run_id))


async def give(engine: Engine, pause_id: str, raw: str) -> None:
    """Answer a question, and drive its run until nothing of it moves."""
    answered = await engine.executor.answer(PauseId(pause_id), Reply(raw=raw, by="ben", via="test"))
    await engine.executor.settle(RunId(answered.run_id))


# -- processes --------------------------------------------------------------------------------


def set_off(
    folder: Path, errand: Errand, *, fate: Fate = LIVES, lease: float = 30.0, adopts: bool = False
) -> ForkServerProcess:
    """Start a process that does *errand* on the folder's store; it ends no later than the one that started it."""
    process = _FORKS.Process(target=_live, args=(folder, errand, fate, lease, adopts), daemon=True)
    process.start()
    return process


@contextlib.contextmanager
def living(
    folder: Path, errand: Errand, *, fate: Fate = LIVES, lease: float = 30.0, adopts: bool = False
) -> Iterator[ForkServerProcess]:
    """Start a process that does *errand* on the folder's store; it does not outlive the block."""
    process = set_off(folder, errand, fate=fate, lease=lease, adopts=adopts)
    try:
        yield process
    finally:
        process.kill()
        process.join(PATIENCE)
        process.close()


def life(folder: Path, errand: Errand, *, fate: Fate = LIVES, lease: float = 30.0) -> bool:
    """Let a process do *errand* on the folder's store; return whether it came to its end, and was not killed."""
    with living(folder, errand, fate=fate, lease=lease) as process:
        process.join(PATIENCE)
        assert process.exitcode in (0, -signal.SIGKILL), (folder / "engine.log").read_text()
        return process.exitcode == 0


def told(folder: Path, process: ForkServerProcess, *, patience: float = PATIENCE) -> Any:
    """Return what the errand of a process gave back, once it has ended."""
    process.join(patience)
    assert process.exitcode == 0, (folder / "engine.log").read_text()
    return json.loads((folder / f"told-{process.pid}.json").read_text())


def _live(folder: Path, errand: Errand, fate: Fate, lease: float, adopts: bool) -> None:
    with (folder / "engine.log").open("ab") as log:
        os.dup2(log.fileno(), 2)
    result = asyncio.run(_work(folder, errand, fate, partial(Executor, lease_seconds=lease, adopts=adopts)))
    (folder / f"told-{os.getpid()}.json").write_text(json.dumps(result))


async def _work(folder: Path, errand: Errand, fate: Fate, make: Callable[..., Executor]) -> object:
    clock = SetClock(folder / "clock")
    store = await open_store(url_of(folder), clock=clock)
    doomed = Doomed(store, fate)
    executor = make(cast(Store, doomed), clock, BUILTIN)
    await executor.open()
    try:
        return await errand(Engine(executor, store, folder, doomed))
    finally:
        await executor.close()
        await store.close()
