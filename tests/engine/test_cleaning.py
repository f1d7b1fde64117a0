"""Cleaning up with a real executor on a real store: what goes, what stays, and that nobody is disturbed."""

import asyncio
import contextlib
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from running import World, definition_of, until
from store.builders import new_run
from store_invariants import check_at_rest, check_store
from tidegate.blocks.registry import BUILTIN
from tidegate.engine.cleaning import Cleaner, jittered
from tidegate.engine.executor import Executor
from tidegate.engine.retention import EVERYTHING, Limits
from tidegate.errors import NotResumable, RunInUse, RunNotFound, StoreUnavailable
from tidegate.history.history import History
from tidegate.model.answer import Reply
from tidegate.model.events import RunStatus
from tidegate.model.ids import BlockId, CheckpointId, RunId
from tidegate.model.listing import CheckpointFilter
from tidegate.model.workflow import WorkflowDefinition
from tidegate.settings import Cleaning
from tidegate.store.opening import open_store
from tidegate.store.protocol import Store

NOW = 1_700_000_000.0
DAY = 86_400.0
DAY_AND_TEN = Cleaning(max_per_workflow=10, ttl_seconds=DAY, both=False, auto_cleanup=False)

GOOD = "{name: good, blocks: [{id: a, type: Shell, inputs: {command: 'echo x'}}]}"
BAD = "{name: bad, blocks: [{id: a, type: Shell, inputs: {command: 'exit 1'}}]}"
GATE = """
    name: gate
    blocks:
      - {id: ask, type: ConfirmOperation, inputs: {message: "Go?", operation: deploy}}
      - {id: after, type: Shell, depends_on: [ask], inputs: {command: "echo after >> done.txt"}}
"""
LONG = """
    name: long
    blocks: [{id: a, type: Shell, inputs: {command: "until test -e go; do sleep 0.02; done"}}]
"""


@dataclass
class SetClock:
    """A clock that stands where it is set."""

    at: float = NOW

    def now(self) -> float:
        """Return the instant."""
        return self.at

    def monotonic(self) -> float:
        """Return the running time: what waits must not stand still with the date."""
        return asyncio.get_running_loop().time()


Opens = Callable[..., Awaitable[World]]


@pytest.fixture
def clock() -> SetClock:
    """The time of all worlds of a test."""
    return SetClock()


@pytest.fixture
async def open_world(tmp_path: Path, clock: SetClock) -> AsyncIterator[Opens]:
    """What opens a world on the test's one store, and closes it afterwards."""
    async with contextlib.AsyncExitStack() as opened:

        async def open_it(cleaning: Cleaning = DAY_AND_TEN) -> World:
            store = await open_store(f"sqlite://{tmp_path}/tidegate.db", clock=clock)
            opened.push_async_callback(store.close)
            executor = Executor(store, clock, BUILTIN, cleaning=cleaning)
            await executor.open()
            opened.push_async_callback(executor.close)
            return World(store, executor, History(store, clock), tmp_path)

        yield open_it


async def _ended(world: World, clock: SetClock, text: str, *, days: float) -> RunId:
    """Run a workflow so many days ago."""
    clock.at = NOW - days * DAY
    run_id = await world.start(text)
    await world.rest(run_id)
    clock.at = NOW
    return run_id


async def _ids(store: Store) -> set[RunId]:
    return {row.run_id for row in await store.runs()}


# -- K1 ---------------------------------------------------------------------------------------


async def test_cleaners_never_touch_what_has_not_ended(open_world: Opens, clock: SetClock) -> None:
    """K1: keep a day, or ten. Two have ended two days ago, one waits since forty, one runs since three.

    The waiting one is answered while the others go; its answer, and what follows from it, are not lost.
    """
    world = await open_world()
    good = await _ended(world, clock, GOOD.replace("good", "twice"), days=2)
    newer = await _ended(world, clock, GOOD.replace("good", "twice"), days=0.1)
    bad = await _ended(world, clock, BAD, days=2)
    waiting = await _ended(world, clock, GATE, days=40)
    clock.at = NOW - 3 * DAY
    running = await world.start(LONG)

    async def is_at_work() -> bool:
        return (await world.history.run_view(running)).row.summary.running == 1

    await until(is_at_work)
    clock.at = NOW

    planned = await world.executor.clean_up(dry_run=True)
    assert {fate.run.run_id: fate.bytes > 0 for fate in planned.going} == {good: True, bad: True}
    assert {fate.run.run_id: fate.why for fate in planned.staying} == {
        newer: "it is the last success of twice",
        waiting: "it has not ended: paused",
        # The date was set: whether its lease holds, lists do not know better.
        running: f"it has not ended: {(await world.history.run_view(running)).status}",
    }
    assert await _ids(world.store) == {good, newer, bad, waiting, running}

    pause = await world.pause_of(waiting, "ask")
    reply = Reply(raw="yes", by="bo", via="test")
    done, answered = await asyncio.gather(
        world.executor.clean_up(), world.executor.answer(pause.pause_id, reply)
    )

    assert {fate.run.run_id for fate in done.going} == {good, bad}
    assert (await world.rest(waiting)).status is RunStatus.SUCCEEDED
    assert answered.value is True
    assert (world.folder / "done.txt").read_text(encoding="utf-8") == "after\n"
    (world.folder / "go").touch()
    assert (await world.rest(running)).status is RunStatus.SUCCEEDED
    assert await _ids(world.store) == {newer, waiting, running}
    assert (await world.history.counts()).runs == {"succeeded": 3}
    assert await world.store.orphans() == {}
    assert await world.history.output(good, BlockId("a"), 1) == ()
    assert await check_store(world.store) == 3
    await check_at_rest(world.store, clock.now())


async def test_a_run_that_nobody_drives_any_more_stays_as_interrupted(
    tmp_path: Path, clock: SetClock
) -> None:
    """As lists have it, whatever its journal says last."""
    store = await open_store(f"sqlite://{tmp_path}/tidegate.db", clock=clock)
    await store.create_run(new_run(owner="me"))
    cleaner = Cleaner(store, clock, DAY_AND_TEN)

    (driven,) = (await cleaner.clean_up(dry_run=True)).staying
    clock.at += 60
    (left,) = (await cleaner.clean_up(dry_run=True)).staying
    await store.close()

    assert (driven.run.status, driven.why) == (RunStatus.RUNNING, "it has not ended: running")
    assert (left.run.status, left.why) == (RunStatus.INTERRUPTED, "it has not ended: interrupted")


async def test_a_run_that_was_let_go_on_since_it_was_judged_stays(open_world: Opens, clock: SetClock) -> None:
    """What was decided on old news is checked again when it is done."""
    world = await open_world()
    bad = await _ended(world, clock, BAD, days=2)
    (run,) = await world.store.kept_runs()
    await world.executor.retry(bad, by="bo")
    await world.rest(bad)

    with pytest.raises(RunInUse, match="it has gone on since"):
        await world.store.remove_run(bad, at=NOW, ended_by=run.ended_at)
    assert (await world.executor.clean_up()).going == ()


async def test_a_clock_that_is_set_back_removes_nothing(open_world: Opens, clock: SetClock) -> None:
    """Not even what would have gone a moment before."""
    world = await open_world()
    await _ended(world, clock, BAD, days=2)
    clock.at = NOW - 3 * DAY

    assert (await world.executor.clean_up()).going == ()


async def test_a_damaged_definition_keeps_its_runs_only_as_long_as_it_is_damaged(
    tmp_path: Path, open_world: Opens, clock: SetClock
) -> None:
    """What cannot be told today is asked again the next time, by the same process."""
    world = await open_world()
    bad = await _ended(world, clock, BAD, days=2)
    with contextlib.closing(sqlite3.connect(tmp_path / "tidegate.db")) as file:
        file.execute("CREATE TABLE kept AS SELECT * FROM definitions")
        file.execute("DELETE FROM definitions")
        file.commit()
        (stays,) = (await world.executor.clean_up()).staying
        file.execute("INSERT INTO definitions SELECT * FROM kept")
        file.execute("DROP TABLE kept")
        file.commit()

    assert stays.why == "how long it is kept cannot be told"
    assert [fate.run.run_id for fate in (await world.executor.clean_up()).going] == [bad]


class Unreadable:
    """A store whose definitions cannot be read just now, or one of whose runs cannot be removed; all else is the store's."""

    def __init__(self, store: Store, *, run_id: RunId | None = None) -> None:
        self._store = store
        self._run_id = run_id

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def definition(self, definition_hash: str) -> WorkflowDefinition:
        """Read it, unless the store is out of reach."""
        if self._run_id is None:
            raise StoreUnavailable(self._store.url, "it is locked")
        return await self._store.definition(definition_hash)

    async def remove_run(self, run_id: RunId, **how: Any) -> tuple[RunId, ...]:
        """Remove it late; one of them fails at once."""
        if run_id == self._run_id:
            raise StoreUnavailable(self._store.url, "it is locked")
        await asyncio.sleep(0.05)
        return await self._store.remove_run(run_id, **how)


async def test_a_store_out_of_reach_damages_no_definition(open_world: Opens, clock: SetClock) -> None:
    """Whoever cleans up is told of the store."""
    world = await open_world()
    bad = await _ended(world, clock, BAD, days=2)
    cleaner = Cleaner(Unreadable(world.store), clock, DAY_AND_TEN)

    with pytest.raises(StoreUnavailable):
        await cleaner.clean_up(dry_run=True)
    assert len((await cleaner.clean_up(dry_run=True, limits=EVERYTHING, only=[bad])).going) == 1


async def test_whoever_hears_of_a_failure_knows_that_nothing_is_removed_any_more(
    open_world: Opens, clock: SetClock
) -> None:
    """The others that were on their way are gone by then; the one that failed is there."""
    world = await open_world()
    await _ended(world, clock, BAD, days=3)
    second = await _ended(world, clock, BAD, days=2)
    store = Unreadable(world.store, run_id=second)
    cleaner = Cleaner(store, clock, DAY_AND_TEN)

    with pytest.raises(StoreUnavailable):
        await cleaner.clean_up()
    assert await _ids(world.store) == {second}


# -- what a file says -------------------------------------------------------------------------


def _keeping(count: int, text: str = BAD) -> str:
    return text.replace("blocks:", f"checkpoint: {{retention: {{max_checkpoints: {count}}}}}, blocks:")


async def test_a_workflow_s_file_says_how_many_are_kept(open_world: Opens, clock: SetClock) -> None:
    """As its newest run has it: a file that was changed holds for the runs that are there already."""
    world = await open_world()
    runs = [await _ended(world, clock, BAD, days=0.5 - number / 100) for number in range(3)]
    runs += [await _ended(world, clock, _keeping(2), days=0)]
    others = await _ended(world, clock, GOOD, days=0.5)

    done = await world.executor.clean_up()

    assert {fate.run.run_id for fate in done.going} == set(runs[:2])
    assert await _ids(world.store) == {*runs[2:], others}


async def test_limits_can_be_said_for_one_time(open_world: Opens, clock: SetClock) -> None:
    """They hold instead of the file's; of one workflow, if that is asked for."""
    world = await open_world()
    bad = [await _ended(world, clock, BAD, days=0.5) for _ in range(2)]
    good = [await _ended(world, clock, GOOD, days=0.5) for _ in range(2)]

    done = await world.executor.clean_up(workflow="bad", limits=Limits(max_runs=1))
    assert [fate.run.run_id for fate in done.going] == bad[:1]
    done = await world.executor.clean_up(limits=Limits(max_runs=0))
    assert {fate.run.run_id for fate in done.going} == {bad[1], good[0]}
    assert await _ids(world.store) == {good[1]}
    await world.executor.clean_up(limits=EVERYTHING)
    assert await _ids(world.store) == set()


LOOP = """
    name: loop
    checkpoint: {retention: {max_checkpoints: 3}}
    blocks:
      - {id: ask, type: ConfirmOperation, inputs: {message: "Go?", operation: x}}
      - {id: a, type: Shell, depends_on: [ask], inputs: {command: "true"}}
      - {id: b, type: Shell, depends_on: [a], inputs: {command: "true"}}
      - {id: c, type: Shell, depends_on: [b], inputs: {command: "true"}}
      - {id: d, type: Shell, depends_on: [c], inputs: {command: "true"}}
      - {id: last, type: ConfirmOperation, depends_on: [d], inputs: {message: "Well?", operation: x}}
"""


async def test_marks_of_a_long_run_are_trimmed_and_its_history_stays(
    open_world: Opens, clock: SetClock
) -> None:
    """Also while it goes on: the oldest first, never that of a question, never a pinned one."""
    world = await open_world()
    run_id = await world.start(LOOP)
    await world.answer_and_rest(run_id, "ask", "yes")
    before = await world.events(run_id)
    marks = await world.store.checkpoints(CheckpointFilter(run_id=run_id))
    oldest = [mark for mark in marks if mark.kind != "pause"][-1]
    await world.executor.pin(oldest.checkpoint_id)

    planned = await world.executor.clean_up(dry_run=True)
    done = await world.executor.clean_up()

    left = await world.store.checkpoints(CheckpointFilter(run_id=run_id))
    assert planned.marks == done.marks == 1
    assert len(left) == len(marks) - 1
    assert {mark.kind.value for mark in left} == {"wave", "pause"}
    assert oldest.checkpoint_id in {mark.checkpoint_id for mark in left}
    assert sum(mark.kind == "pause" for mark in left) == 2
    assert await world.events(run_id) == before
    assert (await world.answer_and_rest(run_id, "last", "yes")).status is RunStatus.SUCCEEDED


async def test_closed_questions_can_be_trimmed_too(open_world: Opens) -> None:
    """Where the settings do not keep them; the mark of an open one stays all the same."""
    world = await open_world(Cleaning(auto_cleanup=False, keep_paused=False))
    run_id = await world.start(LOOP)
    await world.answer_and_rest(run_id, "ask", "yes")

    await world.executor.clean_up()

    left = await world.store.checkpoints(CheckpointFilter(run_id=run_id))
    assert [mark.kind.value for mark in left] == ["pause", "wave", "wave", "wave"]


async def test_a_pinned_run_stays_until_it_is_unpinned(open_world: Opens, clock: SetClock) -> None:
    """Whatever its age."""
    world = await open_world()
    bad = await _ended(world, clock, BAD, days=99)
    (mark,) = [mark for mark in await world.store.checkpoints() if mark.kind == "failure"]
    await world.executor.pin(CheckpointId(mark.checkpoint_id))

    assert (await world.executor.clean_up(limits=EVERYTHING)).going == ()
    with pytest.raises(RunInUse, match="pinned"):
        await world.executor.remove_run(bad)
    await world.executor.pin(CheckpointId(mark.checkpoint_id), pinned=False)
    assert len((await world.executor.clean_up()).going) == 1


# -- removing one -----------------------------------------------------------------------------


FAMILY = """
    name: family
    blocks:
      - id: each
        type: ExecuteWorkflow
        for_each: {items: [a, b]}
        inputs: {workflow: part, inputs: {}}
"""


async def test_a_tree_goes_as_a_whole(open_world: Opens, tmp_path: Path) -> None:
    """With the runs that its blocks have started; a part of it does not go alone, and cannot go on later."""
    (tmp_path / "part.yaml").write_text(
        "{name: part, blocks: [{id: a, type: Shell, inputs: {command: 'exit 3'}}]}"
    )
    (tmp_path / "family.yaml").write_text(FAMILY)
    from tidegate.blocks.registry import catalog
    from tidegate.workflows.loader import load_workflow

    world = await open_world()
    run_id = await world.executor.start(
        load_workflow(tmp_path / "family.yaml", catalog()).definition, {}, by="ana"
    )
    await world.rest(run_id)
    children = await _ids(world.store) - {run_id}
    assert len(children) == 2
    one = next(iter(children))

    with pytest.raises(RunInUse, match="Remove that one, and it goes along"):
        await world.executor.remove_run(one)
    assert set(await world.executor.remove_run(run_id)) == {run_id, *children}
    assert await _ids(world.store) == set()
    assert await world.store.orphans() == {}
    with pytest.raises((RunNotFound, NotResumable)):
        await world.executor.retry(one, by="ana")


async def test_what_is_open_on_a_removed_run_says_so(open_world: Opens, clock: SetClock) -> None:
    """Everything that asks for it is told that there is none, also where its state was read before."""
    world = await open_world()
    bad = await _ended(world, clock, BAD, days=0)
    await world.history.state(bad)
    await world.executor.remove_run(bad)

    turns: list[Awaitable[object]] = [
        world.history.run_view(bad),
        world.history.tree(bad),
        world.history.inbox(bad),
        world.executor.resume(bad, by="ana"),
        world.executor.retry(bad, by="ana"),
        world.executor.cancel(bad, by="ana"),
        world.executor.remove_run(bad),
        world.executor.settle(bad),
    ]
    for turn in turns:
        with pytest.raises(RunNotFound):
            await turn


# -- by itself --------------------------------------------------------------------------------

AT_ONCE = Cleaning(max_per_workflow=1, ttl_seconds=None, both=False, cleanup_interval_seconds=3_600.0)


async def test_a_process_that_drives_runs_cleans_up_by_itself(open_world: Opens, clock: SetClock) -> None:
    """Soon after it was opened; and of several processes one, once in the interval."""
    world = await open_world()
    runs = [await _ended(world, clock, BAD, days=3 - number) for number in range(3)]

    await open_world(AT_ONCE)
    await open_world(AT_ONCE)

    async def is_clean() -> bool:
        return await _ids(world.store) == {runs[2]} and not (await world.store.statistics()).removing

    await until(is_clean)
    assert (await world.store.statistics()).cleaned_up_at == NOW
    more = await _ended(world, clock, BAD, days=0)
    third = await open_world(AT_ONCE)
    await third.start(GOOD)
    assert not await third.store.claim_clean_up(now=NOW + 3_599, interval=3_600.0)
    assert await _ids(world.store) >= {runs[2], more}


def test_processes_that_were_started_together_look_at_different_times() -> None:
    """Never earlier than they should, and at most a fifth later."""
    assert [jittered(300.0, chance) for chance in (0.0, 0.5, 1.0)] == [300.0, 330.0, 360.0]


async def test_what_another_process_began_to_remove_is_ended(open_world: Opens, clock: SetClock) -> None:
    """By whoever opens the store next, whether or not it cleans up by itself."""
    world = await open_world()
    bad = await _ended(world, clock, BAD, days=3)
    await world.store.remove_run(bad, at=NOW)
    assert (await world.store.statistics()).removing == 1

    await open_world(Cleaning(auto_cleanup=False))

    async def is_done() -> bool:
        return not (await world.store.statistics()).removing

    await until(is_done)
    assert (await world.store.statistics()).events == 0


async def test_fresh_history_is_never_surprising(open_world: Opens, clock: SetClock) -> None:
    """With nothing said, a workflow that ran fifty times since yesterday keeps all of it."""
    world = await open_world(Cleaning(auto_cleanup=False))
    definition = definition_of(BAD)
    runs = await asyncio.gather(*(world.executor.start(definition, {}, by="ana") for _ in range(50)))
    for run_id in runs:
        await world.rest(run_id)
    clock.at = NOW + DAY

    assert (await world.executor.clean_up()).going == ()
    clock.at = NOW + 31 * DAY
    assert len((await world.executor.clean_up()).going) == 40
