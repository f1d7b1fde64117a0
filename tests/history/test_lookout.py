"""Seeing again and again how a store stands, without reading all of it again."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from running import world
from tidegate.blocks.registry import catalog
from tidegate.clock import Clock, SystemClock
from tidegate.history.glance import Glance, success_rate
from tidegate.history.health import Health
from tidegate.history.history import History
from tidegate.history.lookout import Lookout
from tidegate.history.work import WorkGlance
from tidegate.model.events import RunFinished, RunStatus, WaveStarted
from tidegate.model.ids import RunId
from tidegate.store.opening import open_store
from tidegate.store.protocol import Store
from tidegate.workflows.loader import load_workflow
from tui.scene import ETL, NOW, begin, fill, started

ASKS = """
name: asks
blocks:
  - {id: gate, type: ConfirmOperation, inputs: {message: "Go?", operation: x}, timeout: 2h}
"""
BELOW = """
name: above
blocks: [{id: call, type: ExecuteWorkflow, inputs: {workflow: below}}]
"""


@dataclass
class Later:
    """A clock that the test moves."""

    at: float = NOW

    def now(self) -> float:
        """Return the instant."""
        return self.at

    def monotonic(self) -> float:
        """Return the same, as seconds."""
        return self.at


async def seen(store: Store, clock: Clock) -> Glance:
    """Return what a first look sees."""
    return (await Lookout(store, clock).look()).evolve(store=None)


async def test_the_first_look_sees_what_waits_runs_and_ended(tmp_path: Path) -> None:
    """All of it from rows."""
    clock = Later()
    store = await open_store(f"sqlite:///{tmp_path / 'a.db'}", clock=clock)
    await fill(store)

    glance = await Lookout(store, clock).look()

    assert (glance.waiting, glance.late) == (3, 1)
    assert [row.workflow for row in glance.questions] == ["nightly-etl", "invoice-run", "deploy-api"]
    assert [row.workflow for row in glance.due] == ["invoice-run", "deploy-api"]
    assert glance.oldest == glance.questions[0].opened_at
    assert glance.by_status == {"running": 1, "paused": 3, "succeeded": 1, "failed": 1}
    assert glance.lately.by_status == {"succeeded": 1, "failed": 1}
    assert sum(glance.lately.started) == 6
    assert glance.lately.started[-2:] == (1, 5)
    assert (glance.answered.count, glance.answered.p50) == (1, 1400.0)
    assert glance.holders == {"process 1 on elsewhere": 1}
    assert glance.workflows[0].name == "nightly-etl"
    assert glance.store is not None
    assert glance.store.runs == 6
    await store.close()


async def test_later_looks_see_what_a_first_one_would(tmp_path: Path) -> None:
    """Whatever happened between two: runs that begin, ask, are answered, end, and are removed."""
    async with world(tmp_path, f"sqlite:///{tmp_path / 'a.db'}") as made:
        clock = SystemClock()
        lookout = History(made.store, clock).lookout()
        runs: list[RunId] = []
        for step in range(6):
            runs.append(await made.start(ASKS))
            await made.rest(runs[-1])
            if step % 2:
                await made.answer_and_rest(runs[step - 1], "gate", "yes")
            if step == 4:
                await made.store.remove_run(runs[0], at=clock.now())
            glance, anew = await lookout.look(), await seen(made.store, clock)

            # What was done is counted at a pace of its own, and logs grow: see `test_work`.
            same = {"at": 0.0, "workflows": (), "store": None, "work": WorkGlance(), "health": Health()}
            assert glance.evolve(**same) == anew.evolve(**same)
            assert glance.workflows == anew.workflows
        assert (glance.waiting, glance.answered.count) == (3, 2)


async def test_questions_of_runs_below_count_and_the_runs_do_not(tmp_path: Path) -> None:
    """A person has to answer them; but what one started is one run."""
    (tmp_path / "below.yaml").write_text(ASKS.replace("asks", "below"))
    (tmp_path / "above.yaml").write_text(BELOW)
    definition = load_workflow(tmp_path / "above.yaml", catalog()).definition
    async with world(tmp_path) as made:
        lookout = Lookout(made.store, SystemClock())
        await lookout.look()
        await made.rest(await made.start(definition))
        glance = await lookout.look()

    assert glance.waiting == 1
    assert glance.by_status == {"paused": 1}
    assert [workflow.name for workflow in glance.workflows] == ["above"]


async def test_a_run_whose_lease_has_run_out_is_interrupted_without_a_word(tmp_path: Path) -> None:
    """Nothing is written when a process on another host dies."""
    clock = Later()
    store = await open_store(f"sqlite:///{tmp_path / 'a.db'}", clock=clock)
    run = await begin(store, ETL, "fkz9p2x7c5vj", 10)
    await run.tell(1.0, WaveStarted(wave=0), started("extract"))
    lookout = Lookout(store, clock)
    before = await lookout.look()
    clock.at += 2 * 86_400
    after = await lookout.look()
    await store.close()

    assert before.by_status == {"running": 1}
    assert after.by_status == {"interrupted": 1}
    assert after.holders == {}


async def test_what_is_older_than_a_day_is_in_no_hour_and_what_is_older_than_a_week_is_nowhere(
    tmp_path: Path,
) -> None:
    """But it is counted where it stands."""
    clock = Later()
    store = await open_store(f"sqlite:///{tmp_path / 'a.db'}", clock=clock)
    run = await begin(store, ETL, "fkz9p2x7c5vj", 60)
    await run.tell(1.0, RunFinished(status=RunStatus.SUCCEEDED))
    lookout = Lookout(store, clock)
    clock.at += 86_400
    yesterday = await lookout.look()
    clock.at += 7 * 86_400
    old = await lookout.look()
    await store.close()

    assert sum(yesterday.lately.ended) == 0
    assert yesterday.workflows[0].by_status == {"succeeded": 1}
    assert old.workflows == ()
    assert old.by_status == {"succeeded": 1}


async def test_the_first_look_sees_a_run_that_began_long_ago_and_ended_today(tmp_path: Path) -> None:
    """However many have begun since, and ended long ago; one that still runs is seen, too."""
    clock = Later()
    store = await open_store(f"sqlite:///{tmp_path / 'a.db'}", clock=clock)
    month = 30 * 86_400.0
    old = await begin(store, ETL, "fkz9p2x7c5vj", month)
    await begin(store, ETL, "glz9p2x7c5vj", month)
    later = [await begin(store, ETL, f"later{number:07}", month - 1) for number in range(1_001)]
    for run in later:
        await run.tell(1.0, RunFinished(status=RunStatus.FAILED))
    await old.tell(month - 60.0, RunFinished(status=RunStatus.SUCCEEDED))

    glance = await Lookout(store, clock).look()
    await store.close()

    assert glance.lately.by_status == {"succeeded": 1}
    assert glance.lately.ended[-1] == 1
    (workflow,) = glance.workflows
    assert (workflow.open, workflow.by_status) == (1, {"succeeded": 1})


async def test_the_document_has_every_part(tmp_path: Path) -> None:
    """What a script reads has no name less than what a person sees."""
    clock = Later()
    store = await open_store(f"sqlite:///{tmp_path / 'a.db'}", clock=clock)
    await fill(store)
    document = (await Lookout(store, clock).look()).as_json()
    await store.close()

    assert document["waiting"] == 3
    assert document["kinds"] == {"choice": 1, "confirm": 1, "input": 1}
    assert document["last_24_hours"]["by_status"] == {"succeeded": 1, "failed": 1}  # type: ignore[index,call-overload]
    assert document["holdings"]["runs"] == 6  # type: ignore[index,call-overload]


@pytest.mark.parametrize(
    ("ended", "rate"),
    [
        ({}, None),
        ({"cancelled": 3}, None),
        ({"succeeded": 3, "failed": 1, "cancelled": 9}, 0.75),
        ({"rejected": 1}, 0.0),
    ],
)
def test_what_a_person_cancelled_is_no_failure(ended: dict[str, int], rate: float | None) -> None:
    """It says nothing about the workflow."""
    assert success_rate(ended) == rate
