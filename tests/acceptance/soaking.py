"""The soak: engines on one store, random workflows, orders, kills and standstills, and every law checked at each step.

What is done, to what, and when is drawn from one seed. What is there to choose from depends on how fast the
engines are, so the same seed gives the same kinds of steps in the same order, and not the same journals.
"""

import asyncio
import contextlib
import os
import signal
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from random import Random
from typing import Any

from journal_invariants import must
from lives import set_off, url_of
from soak_engine import STOP, give_order, serve
from soak_laws import Laws
from soak_measure import Measure, rss_of, size_of, sizes_below
from soak_workflows import lay_out, write_workflow
from store_invariants import check_at_rest, check_store
from tidegate.clock import SystemClock
from tidegate.engine.leftovers import leftovers
from tidegate.errors import CorruptStore, RunNotFound
from tidegate.model.ids import BlockId
from tidegate.model.listing import CheckpointFilter, PauseFilter, PauseRow, RunFilter, RunRow
from tidegate.model.prompt import RecoveryPrompt
from tidegate.store.opening import open_store
from tidegate.store.protocol import Store

__all__ = ["Soak", "soak"]

LEASE = 3.0
STANDSTILL = 4.5
ENGINES = 3
"""The first is never killed: what it leaks would show."""
UNFINISHED = 30
"""So many runs that have not ended are enough."""
KEPT = 3
"""How many finished runs of each workflow a clean-up leaves."""
WORKFLOWS = 50
"""How many names workflows have."""
_MANY = 100_000
_HANDED_ON = 0.2
"""How often somebody says whose a question is, for each that is answered."""
_REST_SECONDS = 90.0


@dataclass
class Soak:
    """One soak on its way."""

    folder: Path
    store: Store
    laws: Laws
    chance: Random
    engines: list[ForkServerProcess] = field(default_factory=list)
    standing: dict[int, float] = field(default_factory=dict)
    """When which engine goes on again, by its place among them. Seconds, monotonic."""
    steps: Counter[str] = field(default_factory=Counter)
    orders: int = 0
    measures: list[Measure] = field(default_factory=list)
    asked: set[str] = field(default_factory=set)
    """Pauses that somebody was told to answer."""

    # -- engines ------------------------------------------------------------------------------

    def begin(self) -> None:
        """Start the engines."""
        self.engines = [self._engine() for _ in range(ENGINES)]

    def _engine(self) -> ForkServerProcess:
        return set_off(self.folder, serve, lease=LEASE, adopts=True)

    def replace_dead(self) -> None:
        """Start another engine for each that was killed.

        Raises:
            Broken: one ended that nobody had killed.
        """
        for place, process in enumerate(self.engines):
            if not process.is_alive():
                must(
                    process.exitcode == -signal.SIGKILL,
                    "an engine ends only if it is killed",
                    process.exitcode,
                )
                process.close()
                self.engines[place] = self._engine()

    def wake(self, now: float) -> None:
        """Let those go on that have stood still for long enough."""
        for place in [place for place, until in self.standing.items() if until <= now]:
            del self.standing[place]
            _send(self.engines[place], signal.SIGCONT)

    async def kill(self) -> None:
        """Kill an engine."""
        place = self.chance.randrange(1, ENGINES)
        self.standing.pop(place, None)
        _send(self.engines[place], signal.SIGKILL)

    async def freeze(self) -> None:
        """Let an engine stand still past its leases."""
        place = self.chance.randrange(ENGINES)
        if not self.standing:
            _send(self.engines[place], signal.SIGSTOP)
            self.standing[place] = _monotonic() + STANDSTILL

    # -- orders -------------------------------------------------------------------------------

    def order(self, do: str, **more: Any) -> None:
        """Give an order to whichever engine takes it first."""
        self.orders += 1
        give_order(self.folder, self.orders, do=do, by=f"op{self.chance.randrange(1000)}", **more)

    async def start(self) -> None:
        """Start a run of a workflow that nobody has seen before."""
        if len(await self._unfinished()) < UNFINISHED:
            name = f"w{self.steps['start'] % WORKFLOWS:02}"
            self.order("start", file=write_workflow(self.folder, name, self.chance))

    async def fork(self) -> None:
        """Let a new run go on from anywhere in another one."""
        rows = await self._runs()
        if rows and len(await self._unfinished()) < UNFINISHED:
            row = self.chance.choice(rows)
            blocks = await self._blocks_of(row)
            again = [self.chance.choice(blocks)] if blocks and self.chance.random() < 0.3 else []
            self.order(
                "fork",
                run=row.run_id,
                seq=self.chance.randint(1, row.head),
                blocks=again,
                keep=self.chance.random() < 0.3,
            )

    async def answer(self) -> None:
        """Answer a question, sometimes wrongly, sometimes twice at once and differently; or say whose one is."""
        pauses = await self.store.pauses(PauseFilter(limit=_MANY))
        if pauses and self.chance.random() < _HANDED_ON:
            pause = self.chance.choice(pauses)
            self.order(
                "assign", pause=pause.pause_id, run=pause.run_id, to=self.chance.choice(["", "bo", "cy"])
            )
            await self._send_back(self.chance.choice(pauses))
        fresh = [pause for pause in pauses if pause.pause_id not in self.asked] or pauses
        if fresh:
            await self._answer(self.chance.choice(fresh), self.chance)

    async def _send_back(self, pause: PauseRow) -> None:
        """Send a question back to any block of its run, whether that can be or not."""
        with contextlib.suppress(RunNotFound):
            if blocks := await self._blocks_of(await self.store.run(pause.run_id)):
                block = self.chance.choice(blocks)
                self.order("send back", pause=pause.pause_id, run=pause.run_id, block=block)

    async def _answer(self, pause: PauseRow, chance: Random) -> None:
        raws = await self._answers_to(pause)
        if not raws:
            return
        self.asked.add(pause.pause_id)
        twice = chance.random() < 0.25
        for raw in chance.sample(raws, k=len(raws))[: 2 if twice else 1]:
            self.order("answer", pause=pause.pause_id, run=pause.run_id, raw=raw)

    async def _answers_to(self, pause: PauseRow) -> list[str]:
        """Return what a careful person may answer; nothing while it cannot be said yet."""
        prompt = pause.prompt
        if not isinstance(prompt, RecoveryPrompt):
            return _ANSWERS[prompt.kind]
        if prompt.failure:
            return ["done", "skip", "fail", "rerun"]
        if await leftovers(pause.run_id, pause.block, pause.attempt):
            return []
        return ["done" if self.laws.has_effect(pause.run_id, pause.block, pause.attempt) else "rerun"]

    async def cancel(self) -> None:
        """Cancel a run."""
        await self._turn("cancel", await self._unfinished())

    async def hold(self) -> None:
        """Pause a run, or let it go on."""
        await self._turn(self.chance.choice(["pause", "unpause", "unpause"]), await self._unfinished())

    async def resume(self) -> None:
        """Resume a run."""
        await self._turn("resume", await self._runs())

    async def _turn(self, do: str, rows: Sequence[RunRow]) -> None:
        if rows:
            self.order(do, run=self.chance.choice(rows).run_id)

    async def redo(self) -> None:
        """Retry, rerun or skip a block of a run, whether that can be or not."""
        rows = await self._runs()
        if rows:
            row = self.chance.choice(rows)
            if blocks := await self._blocks_of(row):
                how = self.chance.choice(["retry", "retry", "rerun", "skip"])
                self.order(how, run=row.run_id, block=self.chance.choice(blocks))

    async def _blocks_of(self, row: RunRow) -> list[BlockId]:
        """Return the blocks of a run; none if it was removed since it was listed."""
        try:
            return [block.id for block in (await self.store.definition(row.definition)).blocks]
        except CorruptStore:
            with contextlib.suppress(RunNotFound):
                await self.store.run(row.run_id)
                raise
            return []

    async def remove(self) -> None:
        """Remove a run, if it has ended."""
        rows = [row for row in await self._runs() if row.parent is None]
        if rows:
            row = self.chance.choice(rows)
            self._may_go(row, await self._runs())
            self.order("remove", run=row.run_id)

    def _may_go(self, row: RunRow, rows: Sequence[RunRow]) -> None:
        self.laws.may_go |= {one.run_id for one in rows if row.run_id in (one.run_id, one.root)}

    async def clean_up(self) -> None:
        """Remove what is old."""
        self.laws.cleans = True
        self.order("clean up", keep=KEPT)

    async def mark(self) -> None:
        """Pin a checkpoint, let it go again, or take it off the list."""
        marks = await self.store.checkpoints(CheckpointFilter(limit=200))
        if marks:
            mark = self.chance.choice(marks).checkpoint_id
            do = self.chance.choice(["pin", "pin", "unmark"])
            self.order(do, checkpoint=mark, pinned=self.chance.random() < 0.4)

    async def _runs(self) -> list[RunRow]:
        return sorted(await self.store.runs(RunFilter(limit=_MANY)), key=lambda row: row.created_at)

    async def _unfinished(self) -> list[RunRow]:
        return [row for row in await self._runs() if not row.summary.status.is_terminal]

    # -- looking ------------------------------------------------------------------------------

    async def measure(self, minute: float) -> Measure:
        """Return how much there is now."""
        rows = await self._runs()
        measure = Measure(
            minute=minute,
            steps=self.steps.total(),
            runs=len(rows),
            unfinished=sum(not row.summary.status.is_terminal for row in rows),
            checks=self.laws.checks,
            elder_rss=rss_of(self.engines[0].pid),
            file=size_of(self.folder / "store.db") + sizes_below(self.folder / "history"),
            wal=size_of(self.folder / "store.db-wal"),
        )
        self.measures.append(measure)
        return measure

    async def come_to_rest(self) -> None:
        """Answer everything until every run has ended; then end the engines.

        Raises:
            Broken: something does not come to its end.
        """
        self.wake(float("inf"))
        chance, until = Random(0), _monotonic() + _REST_SECONDS  # noqa: S311 - what is said matters no more
        while rows := await self._unfinished():
            must(_monotonic() < until, "every run comes to its end", *(row for row in rows[:3]))
            self.replace_dead()
            self.laws.look()
            for row in rows:
                if row.summary.held:
                    self.order("unpause", run=row.run_id)
                elif row.summary.status == "interrupted" and not row.owner:
                    self.order("resume", run=row.run_id)
            for pause in await self.store.pauses(PauseFilter(limit=_MANY)):
                await self._answer(pause, chance)
            await asyncio.sleep(0.5)
        (self.folder / STOP).touch()
        for process in self.engines:
            await asyncio.to_thread(process.join, 30.0)
            must(
                process.exitcode in (0, -signal.SIGKILL),
                "an engine ends when it is told to",
                process.exitcode,
            )


_STEPS: dict[str, int] = {
    "start": 26,
    "answer": 34,
    "fork": 5,
    "cancel": 4,
    "hold": 6,
    "resume": 5,
    "redo": 6,
    "remove": 4,
    "clean_up": 2,
    "mark": 3,
    "kill": 6,
    "freeze": 4,
}
"""What is done at a step, and how often."""
_ANSWERS = {
    "confirm": ["yes", "no", "perhaps"],
    "choice": ["yes", "no", "3"],
    "input": ["one", "two"],
    "form": ['{"size": "small"}', '{"size": "large"}', '{"size": "huge"}'],
}
"""What may be said to a question, by its kind; some of it is refused."""


async def soak(
    folder: Path, seconds: float, seed: int, say: Callable[[str], None], *, every: float = 60.0
) -> Soak:
    """Soak for so long, then let everything come to its end; return what was done.

    Args:
        folder: An empty one; if there is a folder `history` in it, that becomes the store, and not a database.
        seconds: How long there are orders, kills and standstills.
        seed: What is drawn from.
        say: Gets a line about every so often.
        every: Seconds between two of these lines.

    Raises:
        Broken: a law did not hold.
    """
    (folder / "orders").mkdir()
    lay_out(folder)
    store = await open_store(url_of(folder), clock=SystemClock())
    running = Soak(folder, store, Laws(folder, store), Random(seed))  # noqa: S311 - replayable
    running.begin()
    try:
        await _keep_stepping(running, seconds, say, every)
        await running.come_to_rest()
        await _check_everything(running)
    finally:
        for process in running.engines:
            process.kill()
            process.join(30.0)
        await store.close()
    return running


async def _keep_stepping(running: Soak, seconds: float, say: Callable[[str], None], every: float) -> None:
    begun = _monotonic()
    cursor, said = await running.store.newest_cursor(), begun
    kinds, weights = list(_STEPS), list(_STEPS.values())
    # Also where there is time for a few steps only, each of them is done.
    at_first = running.chance.sample(kinds, len(kinds))
    while (now := _monotonic()) < begun + seconds:
        running.replace_dead()
        running.wake(now)
        kind = at_first.pop() if at_first else running.chance.choices(kinds, weights)[0]
        step: Callable[[], Awaitable[None]] = getattr(running, kind)
        await step()
        running.steps[kind] += 1
        await asyncio.sleep(running.chance.choice([0.0, 0.02, 0.1, 0.2]))
        changes = await running.store.changes(cursor)
        cursor = changes.cursor
        for row in changes.runs:
            await running.laws.check(row.run_id)
        if now >= said + every:
            said = now
            await _check_whole(running)
            say(str(await running.measure((now - begun) / 60)))


async def _check_whole(running: Soak) -> None:
    """Check every run, not only those that have changed, and what belongs to none."""
    for row in await running.store.runs(RunFilter(limit=_MANY)):
        await running.laws.check(row.run_id)
    await running.laws.check_started()
    orphans = await running.store.orphans()
    must(not orphans, "what belongs to no run is gone", dict(orphans))
    log = (running.folder / "engine.log").read_text()
    must("Traceback" not in log, "no engine fails", log[-3_000:])


async def _check_everything(running: Soak) -> None:
    """Check a store to which nobody writes any more."""
    await _check_whole(running)
    await check_store(running.store)
    await check_at_rest(running.store, SystemClock().now())
    for row in await running.store.runs(RunFilter(limit=_MANY)):
        for place, attempt, _ in running.laws.effects.get(row.run_id, []):
            left = await leftovers(row.run_id, BlockId(place), attempt)
            must(not left, "nothing is left running", row.run_id, place, attempt, left)


def _send(process: ForkServerProcess, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):  # It was killed a moment ago.
        if process.is_alive() and process.pid is not None:
            os.kill(process.pid, number)


def _monotonic() -> float:
    return SystemClock().monotonic()
