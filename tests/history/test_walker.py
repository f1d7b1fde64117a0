"""Walking through a run's past: always what a fold from the start gives, and never far from there."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from history.long_run import WAVES, LongRun
from tidegate.clock import SystemClock
from tidegate.errors import CorruptStore, RunNotFound
from tidegate.history.document import document, pick
from tidegate.history.history import History
from tidegate.history.points import PointNotFound
from tidegate.history.walker import Walker
from tidegate.model.ids import RunId
from tidegate.store.opening import open_store


@pytest.fixture
async def run(tmp_path: Path) -> AsyncIterator[LongRun]:
    """A run of 2,437 events on a SQLite file."""
    store = await open_store(f"sqlite:///{tmp_path / 'walked.db'}", clock=SystemClock())
    written = LongRun(store)
    await written.begin()
    await written.go_on()
    yield written
    await store.close()


async def walker_of(run: LongRun) -> Walker:
    """Return a walker that knows nothing yet."""
    return await History(run.store, SystemClock()).walk(run.run_id)


async def test_a_state_is_the_same_wherever_one_comes_from(run: LongRun) -> None:
    """Forward, backward, at random, on the borders of what is read at once."""
    walker = await walker_of(run)
    places = [0, 1, 999, 1_000, 1_001, 2_000, run.head, run.head - 1, 1_000, 5, 0]
    places += [seq * 613 % (run.head + 1) for seq in range(40)]

    for seq in places:
        state = await walker.state(seq)
        assert state == run.states[seq]
        assert state.summarise() == run.states[seq].summarise()


async def test_steps_share_what_has_not_changed(run: LongRun) -> None:
    """That is what makes them cheap, in time and in space."""
    walker = await walker_of(run)
    one, other = await walker.state(1_500), await walker.state(1_501)

    assert sum(one.touched[place] is other.touched[place] for place in one.touched) >= len(one.touched) - 1


async def test_a_walk_through_all_of_it_keeps_others_waiting_for_moments_only(run: LongRun) -> None:
    """The loop that folds has leases to renew."""
    walker, turns = await walker_of(run), 0

    async def others() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0)
            turns += 1

    waiting = asyncio.create_task(others())
    await walker.prepare()
    waiting.cancel()

    assert turns >= run.head // 100


async def test_once_walked_through_nothing_is_far(run: LongRun) -> None:
    """Every state is at most a slice of a thousand events away: nothing before it is read again."""
    walker = await walker_of(run)
    await walker.prepare()
    await run.store.close()

    # The events of the last slices are still known; with the store closed, nothing else could be read.
    for seq in (2_400, 1_050, 2_010, 999):
        assert await walker.state(seq) == run.states[seq]


async def test_it_follows_a_run_that_goes_on(tmp_path: Path) -> None:
    """What was seen stays; what is new is found when somebody asks for it."""
    store = await open_store("memory://", clock=SystemClock())
    run = LongRun(store)
    await run.begin()
    await run.go_on(150)
    walker = await walker_of(run)
    before = await walker.state(run.head)
    marks = await walker.marks()
    await run.go_on(1_200)

    assert (walker.head, len(marks)) == (151, 0)
    assert await walker.state(1_000) == run.states[1_000]
    assert walker.head == run.head == 1_351
    assert await walker.catch_up() == run.head
    assert await walker.state(run.head) == run.states[run.head]
    assert await walker.state(151) == before
    assert len(await walker.marks()) == 6
    await store.close()


async def test_events_are_read_one_by_one_or_in_a_row(run: LongRun) -> None:
    """As the journal has them."""
    walker = await walker_of(run)

    assert [await walker.event(seq) for seq in (1, 1_000, 1_001, run.head)] == [
        run.records[seq - 1] for seq in (1, 1_000, 1_001, run.head)
    ]
    assert await walker.events(990, 1_010) == tuple(run.records[990:1_010])
    assert await walker.events(run.head, run.head + 50) == ()


async def test_an_event_that_is_not_there_is_named_with_those_that_are(run: LongRun) -> None:
    """And a run that is not there is none."""
    walker = await walker_of(run)

    for seq in (-1, run.head + 1):
        with pytest.raises(PointNotFound, match=f"no event {seq}: it has those from 1 to {run.head}"):
            await walker.state(seq)
    with pytest.raises(PointNotFound, match="no event 0"):
        await walker.event(0)
    with pytest.raises(RunNotFound):
        await History(run.store, SystemClock()).walk(RunId("zzzz"))


async def test_checkpoints_are_in_order_and_one_steps_from_wave_to_wave(run: LongRun) -> None:
    """In both directions, to the ends and no further."""
    walker = await walker_of(run)
    marks = await walker.marks()
    starts = [record.seq for record in run.records if type(record.event).__name__ == "WaveStarted"]

    assert len(marks) == len(starts) == WAVES
    assert [mark.seq for mark in marks] == sorted(mark.seq for mark in marks)
    assert [await walker.wave_after(start - 1) for start in starts] == starts
    assert [await walker.wave_before(start + 1) for start in starts] == starts
    assert await walker.wave_before(starts[0]) is None
    assert await walker.wave_after(starts[-1]) is None


async def test_one_jumps_to_where_a_value_changes(run: LongRun) -> None:
    """However far that is, in both directions, over everything that does not touch it."""
    walker = await walker_of(run)
    started = next(r.seq for r in run.records if getattr(r.event, "block", "") == "w9b3")
    ended = next(r.seq for r in run.records if getattr(r.event, "block", "") == "w9b3" and r.seq > started)
    status = ("blocks", "w9b3", "status")

    for _ in range(2):  # The second time everything was folded once.
        assert await walker.change_after(status, 1) == started
        assert await walker.change_after(status, started) == ended
        assert await walker.change_after(status, ended) is None
        assert await walker.change_before(status, run.head) == ended
        assert await walker.change_before(status, ended) == started
        assert await walker.change_before(status, started) is None
        await walker.prepare()
    assert await walker.change_after(("blocks", "w9b3", "outputs", "made"), 0) == ended
    assert await walker.change_after(("blocks", "nothing"), 0) is None


async def test_a_value_that_is_set_again_to_the_same_has_not_changed(run: LongRun) -> None:
    """Each wave sets it a hundred times, and changes it once."""
    walker, path = await walker_of(run), ("state", "wave")
    found, at = [], await walker.change_after(path, 0)
    while at is not None:
        found.append(at)
        at = await walker.change_after(path, at)

    assert len(found) == WAVES
    assert await walker.change_before(path, found[-1]) == found[-2]


async def test_every_change_is_found_from_right_beside_it(run: LongRun) -> None:
    """Of a block, and of what is of the run as a whole."""
    walker = await walker_of(run)
    await walker.prepare()
    path = ("blocks", "w0b0", "status")
    statuses = [pick(document(state), path) for state in run.states]
    changes = [seq for seq in range(1, run.head + 1) if statuses[seq] != statuses[seq - 1]]
    found = [await walker.change_after(path, seq - 1) for seq in changes]
    waves = [pick(document(state), ("wave",)) for state in run.states]
    turns = [seq for seq in range(1, run.head + 1) if waves[seq] != waves[seq - 1]]

    assert found == changes
    assert [await walker.change_after(("wave",), seq - 1) for seq in turns] == turns
    assert [await walker.change_before(("wave",), seq + 1) for seq in turns] == turns


async def test_a_damaged_run_is_walked_up_to_where_it_is_good(run: LongRun, tmp_path: Path) -> None:
    """And no further, and that is said."""
    import sqlite3

    with sqlite3.connect(tmp_path / "walked.db") as database:
        database.execute("UPDATE events SET body = x'7b7d' WHERE id & 4294967295 = 1500")
    walker = await walker_of(run)

    assert await walker.state(1_499) == run.states[1_499]
    assert await walker.event(1_499) == run.records[1_498]
    with pytest.raises(CorruptStore, match="good up to event 1499"):
        await walker.state(1_500)
    with pytest.raises(CorruptStore):
        await walker.event(1_500)
    with pytest.raises(CorruptStore):
        await walker.prepare()


async def test_a_run_that_was_walked_through_opens_at_once(run: LongRun) -> None:
    """The last few are kept."""
    history = History(run.store, SystemClock())
    first = await history.walk(run.run_id)
    await first.prepare()

    assert await history.walk(run.run_id) is first
