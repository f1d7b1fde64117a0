"""What was done of late in a store, and how its engines are: counted by a real store, of runs told event by event."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from running import world
from tidegate.clock import SystemClock
from tidegate.history.exposition import exposition
from tidegate.history.health import Health, health_of, read_health
from tidegate.history.history import History
from tidegate.history.lookout import Lookout
from tidegate.history.work import Done, WorkLog, retries_of, work_glance
from tidegate.model.events import RunFinished, RunStatus, WaveCompleted, WaveStarted
from tidegate.model.ids import RunId
from tidegate.model.vitals import LeasedRun, Vitals, Work
from tidegate.store.keys import Keys, new_key
from tidegate.store.opening import open_store
from tidegate.store.owner import current_owner
from tidegate.store.protocol import Store
from tui.scene import ELSEWHERE, ETL, NOW, Told, begin, started, succeeded

HOUR, DAY = 3_600.0, 86_400.0
FAILS_TWICE = """
name: flaky
blocks:
  - id: work
    type: Shell
    retry: {max_attempts: 3, delay: 10ms}
    inputs: {command: "echo x >> tries; test $(wc -l < tries) -ge 3"}
"""


class Moved:
    """A clock that the test moves."""

    def __init__(self) -> None:
        self.at = NOW

    def now(self) -> float:
        """Return the instant."""
        return self.at

    def monotonic(self) -> float:
        """Return the same, as seconds."""
        return self.at


@pytest.fixture
def clock() -> Moved:
    """The time of a test."""
    return Moved()


@pytest.fixture(params=["memory", "sqlite", "encrypted", "file"])
async def store(request: pytest.FixtureRequest, tmp_path: Path, clock: Moved) -> AsyncIterator[Store]:
    """A store of each kind."""
    urls = {"memory": "memory://", "file": f"file://{tmp_path}/a"}
    keys = Keys([new_key()]) if request.param == "encrypted" else None
    opened = await open_store(urls.get(request.param, f"sqlite://{tmp_path}/a.db"), clock=clock, keys=keys)
    yield opened
    await opened.close()


async def one_wave(store: Store, name: str, minutes: float) -> Told:
    """Tell a run that completed its first wave so many minutes ago."""
    run = await begin(store, ETL, name, minutes * 60)
    await run.tell(0.0, WaveStarted(wave=0), started("extract"))
    await run.tell(0.0, succeeded("extract", 1.0), WaveCompleted(wave=0))
    return run


async def test_the_work_of_an_hour_is_counted_minute_by_minute(store: Store, clock: Moved) -> None:
    """What is older counts for the day, what is older than a day not at all."""
    for name, minutes in {
        "aaaaaa": 0,
        "bbbbbb": 0.1,
        "cccccc": 59,
        "dddddd": 61,
        "eeeeee": 24 * 60 + 2,
    }.items():
        await one_wave(store, name * 2, minutes)
    glance = await Lookout(store, clock).look()

    this = int(NOW // 60)
    assert glance.work.waves[-1] + glance.work.waves[-2] == 2
    assert glance.work.waves[59 - (this - int((NOW - 59 * 60) // 60))] == 1
    assert glance.work.hour == Done(waves=3, blocks=3)
    assert glance.work.day == Done(waves=4, blocks=4)
    assert glance.work.workflows == {"nightly-etl": Done(waves=3, blocks=3)}


async def test_later_readings_add_up_to_what_a_first_one_counts(store: Store, clock: Moved) -> None:
    """Nothing counts twice, and nothing that came a moment late is missed."""
    log = WorkLog(store, clock)
    for number in range(6):
        await one_wave(store, f"{number:06}abcdef", (NOW - clock.at) / 60 + number % 2)
        clock.at += 50
        await log.follow(has_moved=True)
        anew = WorkLog(store, clock)
        await anew.follow(has_moved=False)

        assert work_glance(log.works, clock.at) == work_glance(anew.works, clock.at)
    assert work_glance(log.works, clock.at).day.waves == 6
    clock.at += DAY + 60
    await log.follow(has_moved=True)
    assert log.works == ()


def told(log: WorkLog) -> tuple[list[int], float | None]:
    """Return the waves that were counted, minute by minute, and in how many seconds it is worth to count again."""
    return [work.waves for work in log.works], log.again_in


async def test_what_has_not_moved_is_not_read_and_what_has_once_a_second(store: Store, clock: Moved) -> None:
    """Meanwhile it is said that something is missing, and for how long."""
    log = WorkLog(store, clock)
    await log.follow(has_moved=False)
    assert told(log) == ([], None)
    await one_wave(store, "aaaaaaaaaaaa", 0)
    await log.follow(has_moved=False)
    assert told(log) == ([], None)

    await log.follow(has_moved=True)
    assert told(log) == ([], 1.0)
    clock.at += 1.0
    await log.follow(has_moved=False)
    assert told(log) == ([1], None)


async def test_what_is_slow_is_read_seldom(store: Store) -> None:
    """A reading is followed by a rest of a hundred times as long as it took."""

    class Slow(Moved):
        running = 0.0

        def monotonic(self) -> float:
            self.running += 0.25
            return self.running

    log = WorkLog(store, Slow())
    await log.follow(has_moved=True)
    await one_wave(store, "aaaaaaaaaaaa", 0)
    await log.follow(has_moved=True)

    assert told(log) == ([], 24.25)


async def test_what_a_removed_run_did_still_counts_for_who_has_seen_it(store: Store, clock: Moved) -> None:
    """It was done; whoever looks first afterwards cannot know."""
    lookout = Lookout(store, clock)
    run = await one_wave(store, "aaaaaaaaaaaa", 3)
    await lookout.look()
    await run.tell(0.0, RunFinished(status=RunStatus.SUCCEEDED))
    await store.remove_run(run.state.run_id, at=NOW)
    clock.at += 60

    assert (await lookout.look()).work.hour.waves == 1
    assert (await Lookout(store, clock).look()).work.hour.waves == 0


async def test_retries_are_those_that_happen_by_themselves(tmp_path: Path) -> None:
    """Two attempts fail, the third succeeds; the engine does it, and the store counts it."""
    async with world(tmp_path, f"sqlite:///{tmp_path / 'a.db'}") as made:
        state = await made.run(FAILS_TWICE)
        history = History(made.store, SystemClock())
        glance, totals = await history.lookout().look(), await history.totals()

    assert state.status is RunStatus.SUCCEEDED
    assert glance.work.hour == totals.work.hour == Done(waves=1, blocks=1, retries=2)
    assert glance.workflows[0].retries == (0,) * 23 + (2,)
    assert 'tidegate_retries_last_hour{workflow="flaky"} 2\n' in exposition(totals)


def test_retries_stand_in_their_hours() -> None:
    """Of a workflow that is only called by others, too; what is older than a day is nowhere."""
    works = [
        Work(minute=int(NOW // 60) - ago, workflow=name, retries=2, waves=1)
        for name, ago in (("a", 0), ("a", 61), ("a", 61), ("b", 23 * 60), ("c", 25 * 60))
    ]
    works.append(Work(minute=int(NOW // 60), workflow="d", waves=9))

    assert retries_of(works, NOW) == {"a": (*[0] * 22, 4, 2), "b": (2, *[0] * 23)}


def test_a_minute_that_is_yet_to_come_counts_as_this_one() -> None:
    """Another host's clock may be ahead."""
    glance = work_glance([Work(minute=int(NOW // 60) + 5, workflow="a", waves=3)], NOW)

    assert glance.waves == (*[0] * 59, 3)


# -- engines ----------------------------------------------------------------------------------


def test_leases_are_held_late_or_lost() -> None:
    """By a process that lives, by one of which nothing is known, by one that is gone; given back is none of them."""

    def leased(name: str, owner: str, until: float) -> LeasedRun:
        return LeasedRun(run_id=RunId(name), status=RunStatus.RUNNING, owner=owner, lease_until=until)

    ours = str(current_owner())
    gone = ours.rpartition(":")[0] + ":1"
    runs = (
        leased("a", ours, NOW + 9),
        leased("b", ours, NOW + 9),
        leased("c", ELSEWHERE, NOW + 9),
        leased("d", ELSEWHERE, NOW - 60),
        leased("e", gone, NOW + 9),
        leased("f", "", 0.0),
    )
    health = health_of(Vitals(leased=runs, changed_at=NOW - 3, log_bytes=5), [NOW - 20, NOW - 90], NOW)

    assert (health.held, health.late, health.lost) == (3, 1, 1)
    assert list(health.holders.values()) == [2, 1]
    assert health.late_since == NOW - 60
    assert (health.queued, health.queued_since) == (2, NOW - 90)
    assert health.as_json()["changed_at_iso"] is not None


async def test_an_empty_store_has_no_engine_and_no_work(store: Store, clock: Moved) -> None:
    """Nothing is made up."""
    glance = await Lookout(store, clock).look()

    assert glance.health.evolve(log_bytes=None) == Health()
    assert glance.work.day == Done()


async def test_what_waits_for_a_driver_is_counted_the_same_both_ways(store: Store, clock: Moved) -> None:
    """By a look, and for the statistics: on top, with the one that waits longest."""
    for name, age in {"aaaaaa": 90, "bbbbbb": 30}.items():
        await begin(store, ETL, name * 2, age)
    await one_wave(store, "cccccccccccc", 1)
    glance, counted = await Lookout(store, clock).look(), await read_health(store, NOW)

    assert (counted.queued, counted.queued_since) == (2, NOW - 90)
    assert glance.health.evolve(log_bytes=None) == counted.evolve(log_bytes=None)
    assert counted.held == 3
    # Of what was written last, whenever that says it was.
    assert counted.changed_at == NOW - 60
