"""What a store remembers of runs that a real cleaner has removed from it."""

import asyncio

from running import until
from tidegate.engine.cleaning import Cleaner
from tidegate.engine.retention import EVERYTHING
from tidegate.model.events import RunFinished, RunStatus
from tidegate.model.ids import RunId
from tidegate.model.vitals import CLEAN_UP
from tidegate.settings import Cleaning
from tidegate.store.opening import open_store
from tidegate.store.protocol import Store
from tui.monitoring import FixedClock
from tui.scene import CLEANUP, NOW, begin

DAY = 86_400.0
DAY_AND_ONE = Cleaning(max_per_workflow=1, ttl_seconds=DAY, both=False)
BEYOND = "not one of the newest 1 that have ended, ended 9 days ago, more than 1 day"


async def ended(store: Store, name: str, days: float) -> RunId:
    """Tell a run that failed so many days ago."""
    run = await begin(store, CLEANUP, name * 2, days * DAY)
    await run.tell(0.0, RunFinished(status=RunStatus.FAILED))
    return run.state.run_id


async def test_who_removed_a_run_is_remembered_and_what_it_was_beyond() -> None:
    """By a person or by itself; of one that was named, or of all that has ended, no limit is the reason."""
    clock = FixedClock(NOW)
    store = await open_store("memory://", clock=clock)
    cleaner = Cleaner(store, clock, DAY_AND_ONE)
    runs = [
        await ended(store, name, days) for name, days in {"aaaaaa": 9, "bbbbbb": 0.3, "cccccc": 0.2}.items()
    ]
    await cleaner.clean_up(only=runs[:1], by="eva")
    await cleaner.remove_run(runs[1], by="ana")
    await cleaner.clean_up(limits=EVERYTHING, by="ben")
    runs.append(await ended(store, "dddddd", 5))

    async def is_clean() -> bool:
        return (await store.removals()).total == len(runs)

    by_itself = asyncio.create_task(cleaner.keep_clean())
    await until(is_clean)
    by_itself.cancel()
    found = (await store.removals()).newest
    await store.close()

    assert [it.run_id for it in found] == runs[::-1]
    assert [(it.by, it.why) for it in found] == [
        (CLEAN_UP, "ended 5 days ago, more than 1 day"),
        ("ben", ""),
        ("ana", ""),
        ("eva", BEYOND),
    ]


async def test_what_would_go_is_not_remembered_as_gone() -> None:
    """Nor what stays, whoever asks."""
    clock = FixedClock(NOW)
    store = await open_store("memory://", clock=clock)
    cleaner = Cleaner(store, clock, DAY_AND_ONE)
    await ended(store, "aaaaaa", 9)
    await ended(store, "bbbbbb", 0.1)
    planned = await cleaner.clean_up(dry_run=True, by="eva")
    await cleaner.clean_up(only=[RunId("bbbbbb" * 2)], by="eva")
    found = await store.removals()
    await store.close()

    assert len(planned.going) == 1
    assert found.total == 0
