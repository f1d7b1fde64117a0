"""Removing runs that others go on from: in one go, the forks first, whenever it is broken off."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from running import World, world
from store.builders import NOW, RUN, adding, below, new_run
from store.directories import opened_at
from store.test_conformance_forks import FORK, new_fork
from store.test_directory import deaths
from store_invariants import check_store
from tidegate.clock import SystemClock
from tidegate.engine.cleaning import Cleaner
from tidegate.engine.forks.fork import ForkRequest
from tidegate.engine.retention import EVERYTHING, Limits
from tidegate.model.events import Origin, RunFinished, RunStatus
from tidegate.model.ids import RunId
from tidegate.model.listing import RunFilter
from tidegate.model.state import RunSummary
from tidegate.settings import Cleaning
from tidegate.store.opening import open_store
from tidegate.store.protocol import Store

GOOD = "{name: good, blocks: [{id: a, type: Shell, inputs: {command: 'echo x'}}]}"
GATE = """
    name: gate
    blocks:
      - {id: a, type: Shell, inputs: {command: "echo x"}}
      - {id: ask, type: ConfirmOperation, depends_on: [a], inputs: {message: "Go?", operation: x}}
"""
ENDED = RunSummary(status=RunStatus.SUCCEEDED)


@pytest.fixture(params=["memory", "sqlite", "file"])
async def ground(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[World]:
    """A world on every kind of store."""
    urls = {"memory": "memory://", "sqlite": f"sqlite://{tmp_path}/t.db", "file": f"file://{tmp_path}/t"}
    async with world(tmp_path, urls[request.param]) as opened:
        yield opened
        await check_store(opened.store)
        assert await opened.store.orphans() == {}


async def _chain(ground: World, length: int, text: str = GOOD) -> list[RunId]:
    """Run a workflow, fork it, fork the fork, and so on; return the runs, the oldest first."""
    runs = [await ground.start(text)]
    await ground.rest(runs[0])
    while len(runs) < length:
        head = (await ground.store.run(runs[-1])).head
        request = ForkRequest(Origin(run_id=runs[-1], seq=head), keep_answers=True)
        runs.append(await ground.executor.fork(request, by="bea"))
        await ground.rest(runs[-1])
    return runs


async def _left(store: Store) -> list[RunId]:
    return [row.run_id for row in await store.runs(RunFilter())]


# -- what goes --------------------------------------------------------------------------------


@pytest.mark.parametrize("limits", [EVERYTHING, Limits(max_runs=0, keep_successful=False, both=True)])
async def test_a_chain_of_forks_goes_in_one_go(ground: World, limits: Limits) -> None:
    """However long it is; a dry run says so before, and of each run the same."""
    runs = await _chain(ground, 7)

    planned = await ground.executor.clean_up(limits=limits, dry_run=True)
    done = await ground.executor.clean_up(limits=limits)

    assert [fate.run.run_id for fate in planned.going] == runs[::-1]
    assert done.fates == planned.fates
    assert await _left(ground.store) == []


async def test_what_a_run_that_stays_goes_on_from_stays(ground: World) -> None:
    """Up to the first one of the chain, whatever of it is named; what goes on from none that stays goes."""
    first, second, waiting = await _chain(ground, 3, GATE)
    aside = await ground.executor.fork(
        ForkRequest(Origin(run_id=second, seq=(await ground.store.run(second)).head)), by="bea"
    )
    for run_id in (first, second, aside):
        await ground.answer_and_rest(run_id, "ask", "yes")
    left = [waiting, second, first]

    planned = await ground.executor.clean_up(limits=EVERYTHING, dry_run=True)
    done = await ground.executor.clean_up(limits=EVERYTHING)

    assert done.fates == planned.fates
    assert [fate.run.run_id for fate in done.going] == [aside]
    assert [(fate.run.run_id, fate.why) for fate in done.staying] == [
        (waiting, "it has not ended: paused"),
        (second, "a run goes on from a point of it"),
        (first, "a run goes on from a point of it"),
    ]
    assert await _left(ground.store) == left


async def test_only_the_runs_that_are_meant_go(ground: World) -> None:
    """A fork that nobody has named keeps what it goes on from; named together they go, in whatever order."""
    first, second, third = await _chain(ground, 3)

    for dry_run in (True, False):
        done = await ground.executor.clean_up(only=[first, second], limits=EVERYTHING, dry_run=dry_run)
        assert [fate.run.run_id for fate in done.staying] == [second, first]
    for dry_run in (True, False):
        done = await ground.executor.clean_up(only=[first, third, second], limits=EVERYTHING, dry_run=dry_run)
        assert [fate.run.run_id for fate in done.going] == [third, second, first]
    assert await _left(ground.store) == []


async def test_a_fork_made_in_between_keeps_what_it_goes_on_from(ground: World) -> None:
    """What was planned is checked again when it is done, and told as it came true."""
    first, second = await _chain(ground, 2)
    head = (await ground.store.run(second)).head

    done, forked = await asyncio.gather(
        ground.executor.clean_up(limits=EVERYTHING),
        ground.executor.fork(ForkRequest(Origin(run_id=second, seq=head)), by="bea"),
        return_exceptions=True,
    )

    assert not isinstance(done, BaseException)
    left = await _left(ground.store)
    gone = {fate.run.run_id for fate in done.going}
    assert {first, second} - gone == {first, second} & set(left)
    assert isinstance(forked, BaseException) is (second in gone)
    if isinstance(forked, str):
        assert set(left) == {first, second, forked}


# -- large ones -------------------------------------------------------------------------------


async def _large_fork(store: Store) -> list[RunId]:
    """Make a run, and a fork of it with so many runs below that they do not go at once, each a fork, too."""
    child = RunId("child2345chi")
    await store.create_run(new_run())
    await store.append(adding(RunFinished(status=RunStatus.SUCCEEDED), summary=ENDED))
    await store.create_run(new_run(child, parent=below("deploy"), owner=""))
    await store.append(adding(RunFinished(status=RunStatus.SUCCEEDED), run_id=child, epoch=0, summary=ENDED))
    await store.create_run(new_fork(seq=2))
    finish = RunFinished(status=RunStatus.SUCCEEDED)
    await store.append(adding(finish, run_id=FORK, after=3, summary=ENDED))
    forks = [RunId(f"forked{number:04}") for number in range(700)]
    for name in forks:
        one = new_fork(name, of=child, seq=2)
        (event,) = one.events
        place = below(f"deploy[{name}]", parent=FORK, root=FORK)
        await store.create_run(one.evolve(events=(event.evolve(parent=place),), owner=""))
        await store.append(adding(finish, run_id=name, after=3, epoch=0, summary=ENDED))
    return forks


async def test_a_fork_too_large_to_go_at_once_is_gone_before_what_it_goes_on_from(tmp_path: Path) -> None:
    """In one call, as the plan says; also when somebody had begun to remove it, and was killed over it."""
    for number in range(2):
        store = await open_store(f"sqlite://{tmp_path}/{number}.db", clock=SystemClock())
        await _large_fork(store)
        cleaner = Cleaner(store, SystemClock(), Cleaning())
        if number:
            await store.remove_run(FORK, at=NOW + 20)
            assert 2 < len(await store.runs(RunFilter(limit=1_000))) < 700

        planned = await cleaner.clean_up(limits=EVERYTHING, dry_run=True)
        done = await cleaner.clean_up(limits=EVERYTHING)

        assert [fate.run.run_id for fate in planned.going] == [FORK, RUN][number:]
        assert done.fates == planned.fates
        assert await _left(store) == []
        assert await store.orphans() == {}
        await store.close()


# -- broken off -------------------------------------------------------------------------------


@pytest.mark.timeout(400)
async def test_a_death_at_any_moment_leaves_no_fork_without_what_it_goes_on_from(tmp_path: Path) -> None:
    """At every change of a directory; what is left can be read, and goes in one go afterwards."""
    seen: set[int] = set()
    for place, _ in deaths(tmp_path, "clean"):
        store = await opened_at(place)
        rows = await store.runs(RunFilter())
        seen.add(len(rows))
        there = {row.run_id for row in rows}
        assert all(row.origin.run_id in there for row in rows if row.origin is not None)
        for row in rows:
            assert len(await store.read(row.run_id)) == row.head
        await Cleaner(store, SystemClock(), Cleaning()).clean_up(limits=EVERYTHING)
        assert await _left(store) == []
        assert await store.orphans() == {}
        await store.close()
    assert seen == {0, 1, 2, 3}
