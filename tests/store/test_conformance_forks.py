"""What every store promises of runs that go on from a point of another one."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from store.builders import NOW, RUN, Opened, adding, hashed, marked, new_run, paused, wave
from tidegate.errors import CorruptStore, JournalConflict, RunInUse, RunNotFound
from tidegate.model.events import AttemptSucceeded, Origin, RunFinished, RunForked, RunStatus
from tidegate.model.ids import BlockId, RunId, Seq
from tidegate.model.listing import CheckpointFilter, PauseFilter, RunFilter
from tidegate.model.state import RunSummary
from tidegate.model.value import Stored
from tidegate.store.protocol import NewRun, Store

FORK, SECOND = RunId("fork2345fork"), RunId("second345678")
ENDED = RunSummary(status=RunStatus.SUCCEEDED)


def new_fork(run_id: str = FORK, *, of: str = RUN, seq: int = 3, at: float = NOW + 9) -> NewRun:
    """Return a fork with one event, leased to somebody."""
    run = new_run(run_id, at=at)
    origin = Origin(run_id=RunId(of), seq=Seq(seq))
    return run.evolve(events=(RunForked(origin=origin, definition=run.definition_hash, by="bea"),))


async def prepared(store: Store) -> None:
    """Make a run of five events, with a question, a checkpoint and a stored value."""
    name, data = hashed("x" * 5000)
    ended = AttemptSucceeded(
        block=BlockId("gate"), attempt=1, outputs={"v": Stored(sha256=name, size=len(data))}
    )
    await store.create_run(new_run())
    await store.append(adding(wave(), ended, paused(), marked(), values={name: data}))


async def test_a_fork_reads_on_through_the_run_that_it_comes_from(store: Store) -> None:
    """Up to its point, then its own events, numbered on; the other run keeps to itself."""
    await prepared(store)
    claim = await store.create_run(new_fork())
    assert claim.head == 4
    assert await store.append(adding(wave(1), after=4, run_id=FORK)) == 5
    records, theirs = await store.read(FORK), await store.read(RUN)
    assert [record.seq for record in records] == [1, 2, 3, 4, 5]
    assert [record.run_id for record in records] == [RUN, RUN, RUN, FORK, FORK]
    assert records[:3] == theirs[:3]
    assert len(theirs) == 5
    assert [row.run_id for row in await store.runs(RunFilter(origin=RUN))] == [FORK]
    row = await store.run(FORK)
    assert (row.origin, row.head, row.by) == (Origin(run_id=RUN, seq=Seq(3)), 5, "bea")
    assert (await store.run(RUN)).origin is None


async def test_any_part_of_it_can_be_read(store: Store) -> None:
    """Across the point and on either side of it, also of a fork of a fork."""
    await prepared(store)
    await store.create_run(new_fork())
    await store.append(adding(wave(1), wave(2), after=4, run_id=FORK))
    await store.create_run(new_fork(SECOND, of=FORK, seq=5))
    everything = await store.read(SECOND)
    assert [record.run_id for record in everything] == [RUN, RUN, RUN, FORK, FORK, SECOND]
    for after in range(7):
        for upto in (*range(7), None):
            part = await store.read(SECOND, after=Seq(after), upto=None if upto is None else Seq(upto))
            assert part == everything[after:upto], (after, upto)


async def test_what_the_other_run_asks_and_marks_is_its_own(store: Store) -> None:
    """A fork lists what its own events say."""
    await prepared(store)
    await store.create_run(new_fork(seq=5))
    assert await store.pauses(PauseFilter(run_id=FORK, open_only=False)) == ()
    assert await store.checkpoints(CheckpointFilter(run_id=FORK)) == ()
    await store.append(adding(paused("pause_two"), marked("chk_two"), after=6, run_id=FORK))
    assert [row.opened_seq for row in await store.pauses(PauseFilter(run_id=FORK))] == [7]
    assert [row.seq for row in await store.checkpoints(CheckpointFilter(run_id=FORK))] == [8]
    assert len(await store.pauses(PauseFilter(run_id=RUN))) == 1


async def test_an_append_is_held_to_the_whole_head(store: Store) -> None:
    """Which counts the events before the point."""
    await prepared(store)
    await store.create_run(new_fork())
    with pytest.raises(JournalConflict):
        await store.append(adding(wave(1), after=1, run_id=FORK))


async def test_a_run_that_others_go_on_from_is_not_removed(store: Store) -> None:
    """Until they are; and nothing goes on from one that is gone."""
    await prepared(store)
    await store.append(adding(RunFinished(status=RunStatus.SUCCEEDED), after=5, summary=ENDED))
    await store.create_run(new_fork())
    done = RunFinished(status=RunStatus.SUCCEEDED)
    await store.append(adding(done, after=4, run_id=FORK, summary=ENDED))
    assert {kept.run_id: kept.forks for kept in await store.kept_runs()} == {RUN: (FORK,), FORK: ()}
    with pytest.raises(RunInUse, match="is a fork of it, from event 3"):
        await store.remove_run(RUN, at=NOW + 20)
    assert await store.remove_run(FORK, at=NOW + 20) == (FORK,)
    while await store.empty_graves():
        pass
    # Its values are still those of the run that has made them.
    assert (await store.read(RUN))[2].event is not None
    assert await store.orphans() == {}
    await store.remove_run(RUN, at=NOW + 21)
    with pytest.raises(RunNotFound):
        await store.create_run(new_fork(SECOND))


async def test_damage_before_the_point_is_that_of_the_other_run(opened: Opened, tmp_path: Path) -> None:
    """Its forks cannot be read either, and say whose event it is."""
    path = tmp_path / "t.db"
    store = await opened(path)
    await prepared(store)
    await store.create_run(new_fork())
    await store.close()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(
            "UPDATE events SET body = CAST(replace(body, 'gate', 'gone') AS BLOB) WHERE id & 4294967295 = 3"
        )
    store = await opened(path)
    with pytest.raises(CorruptStore, match=f"event 3 of run {RUN} is damaged"):
        await store.read(FORK)
    assert [record.seq for record in await store.read(FORK, after=Seq(3))] == [4]
