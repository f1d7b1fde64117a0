"""Which finished runs go, and why the others stay: the decision alone."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidegate.engine.retention import EVERYTHING, Fate, Limits, judge, limits_of, rounds
from tidegate.model.events import RunStatus
from tidegate.model.ids import RunId
from tidegate.model.listing import KeptRun
from tidegate.model.policy import Retention
from tidegate.settings import Cleaning

NOW = 1_700_000_000.0
DAY = 86_400.0


def kept(
    name: str,
    *,
    days: float = 0.0,
    status: RunStatus = RunStatus.SUCCEEDED,
    workflow: str = "deploy",
    pinned: bool = False,
    unfinished: bool | None = None,
    forks: Sequence[str] = (),
) -> KeptRun:
    """Return a run that ended so many days ago."""
    return KeptRun(
        run_id=RunId(name),
        workflow=workflow,
        definition="d",
        status=status,
        created_at=NOW - days * DAY - 60,
        ended_at=NOW - days * DAY,
        unfinished=not status.is_terminal if unfinished is None else unfinished,
        pinned=pinned,
        forks=tuple(map(RunId, forks)),
    )


def going(
    runs: Sequence[KeptRun], limits: Limits, *, now: float = NOW, despite_pins: bool = False
) -> list[str]:
    """Return the names of the runs that go."""
    return [fate.run.run_id for fate in fates(runs, limits, now=now, despite_pins=despite_pins) if fate.goes]


def fates(
    runs: Sequence[KeptRun], limits: Limits, *, now: float = NOW, despite_pins: bool = False
) -> tuple[Fate, ...]:
    """Judge runs of whatever workflow by the same limits."""
    return judge(runs, dict.fromkeys((run.workflow for run in runs), limits), now, despite_pins=despite_pins)


FAILED = RunStatus.FAILED
KEEP_NONE = Limits(max_runs=0, keep_successful=False)


# -- the two limits ---------------------------------------------------------------------------


def test_a_run_goes_once_it_ended_too_long_ago() -> None:
    """Not when it was started: a run may take a week."""
    runs = [kept("a", days=0.9, status=FAILED), kept("b", days=1.1, status=FAILED)]

    young, old = fates(runs, Limits(max_age=DAY))
    assert (young.goes, young.why) == (False, "ended 21 hours ago, not more than 1 day")
    assert (old.goes, old.why) == (True, "ended 1 day ago, more than 1 day")


def test_only_the_newest_are_kept_by_their_order() -> None:
    """Of each workflow by itself; the dates do not decide which those are."""
    runs = [
        kept("c", days=9, status=FAILED),
        kept("x", days=1, status=FAILED, workflow="backup"),
        kept("b", days=1, status=FAILED),
        kept("a", days=0, status=FAILED),
    ]

    assert going(runs, Limits(max_runs=2)) == ["a"]
    assert fates(runs, Limits(max_runs=2))[-1].why == "not one of the newest 2 that have ended"


def test_one_of_two_limits_is_enough() -> None:
    """A file that says how many and how long means both."""
    runs = [kept("c", status=FAILED), kept("b", status=FAILED, days=3), kept("a", status=FAILED)]

    found = fates(runs, Limits(max_runs=2, max_age=DAY))
    assert [fate.goes for fate in found] == [False, True, True]
    assert found[0].why == "one of the newest 2 that have ended, ended 0 seconds ago, not more than 1 day"
    assert found[1].why == "ended 3 days ago, more than 1 day"
    assert found[2].why == "not one of the newest 2 that have ended"


def test_by_default_both_limits_must_be_passed() -> None:
    """Nothing fresh goes because there is much of it, and a workflow that runs once a year keeps its runs."""
    limits = limits_of(Retention(), Cleaning())
    often = [kept(f"often{n}", days=1, status=FAILED) for n in range(50)]
    seldom = [kept(f"seldom{n}", days=400 * n, status=FAILED, workflow="yearly") for n in range(9)]
    old = [kept(f"old{n}", days=31 + n, status=FAILED, workflow="old") for n in range(12)]

    assert going([*often, *seldom, *old], limits) == ["old10", "old11"]


# -- what stays in any case -------------------------------------------------------------------


@pytest.mark.parametrize("status", [status for status in RunStatus if not status.is_terminal])
def test_what_has_not_ended_stays_whatever_its_age(status: RunStatus) -> None:
    """A question may be open for forty days; no option changes that."""
    (fate,) = fates([kept("a", days=4_000, status=status)], KEEP_NONE, despite_pins=True)

    assert (fate.goes, fate.why) == (False, f"it has not ended: {status}")


def test_what_has_not_ended_evicts_nothing() -> None:
    """Ten runs that wait for people must not push out the history of those that have ended."""
    waiting = [kept(f"w{n}", status=RunStatus.PAUSED) for n in range(10)]

    assert going([*waiting, kept("a", status=FAILED)], Limits(max_runs=1)) == []


def test_a_run_with_an_unfinished_one_below_stays() -> None:
    """It would take that one along."""
    (fate,) = fates([kept("a", days=99, unfinished=True)], KEEP_NONE)

    assert (fate.goes, fate.why) == (False, "a run below it has not ended")


def test_a_pinned_run_stays_unless_that_is_overruled() -> None:
    """Somebody has said so; only somebody can say otherwise."""
    runs = [kept("a", days=99, pinned=True)]

    assert fates(runs, KEEP_NONE)[0].why == "a checkpoint of it is pinned"
    assert going(runs, KEEP_NONE, despite_pins=True) == ["a"]


def test_the_last_success_of_a_workflow_stays() -> None:
    """However many have failed since, and however long it is ago; unless the file says otherwise."""
    runs = [
        kept("failed", days=1, status=FAILED),
        kept("good", days=50),
        kept("older", days=60),
        kept("other", days=70, workflow="backup"),
    ]

    found = fates(runs, Limits(max_age=DAY / 2))
    assert [fate.run.run_id for fate in found if fate.goes] == ["failed", "older"]
    assert found[1].why == "it is the last success of deploy"
    assert len(going(runs, Limits(max_age=DAY / 2, keep_successful=False))) == 4


def test_the_runs_of_an_unknown_workflow_stay() -> None:
    """One whose definition is damaged: what it wanted cannot be told."""
    (fate,) = judge([kept("a", days=99)], {}, NOW)

    assert (fate.goes, fate.why) == (False, "how long it is kept cannot be told")


def test_everything_that_has_ended_can_be_asked_for() -> None:
    """The last success included."""
    runs = [kept("c"), kept("b", status=RunStatus.PAUSED), kept("a", status=FAILED)]

    assert going(runs, EVERYTHING) == ["c", "a"]


# -- forks ------------------------------------------------------------------------------------


def test_a_run_goes_with_its_forks_and_after_them() -> None:
    """Not before the last one: what it gave is what they go on from."""
    runs = [kept("d"), kept("c", forks="d"), kept("b"), kept("a", forks="bc")]

    found = fates(runs, KEEP_NONE)

    assert [[fate.run.run_id for fate in each] for each in rounds(found)] == [["d", "b"], ["c"], ["a"]]


def test_a_run_stays_for_a_fork_that_stays() -> None:
    """Whatever keeps that one; also one of another workflow, of which nothing is asked."""
    runs = [kept("d", pinned=True), kept("c", forks="d"), kept("b", forks=["x", "y"]), kept("a", forks="bc")]

    found = fates(runs, KEEP_NONE)

    assert [fate.why for fate in found] == [
        "a checkpoint of it is pinned",
        "a run goes on from a point of it",
        "2 runs go on from points of it",
        "2 runs go on from points of it",
    ]
    assert list(rounds(found)) == []
    assert going(runs[:2], KEEP_NONE, despite_pins=True) == ["d", "c"]


def test_runs_that_go_on_from_each_other_stay() -> None:
    """None of them could be the first; no store makes such, and nobody waits for ever for one."""
    assert going([kept("b", forks="a"), kept("a", forks="b"), kept("c")], KEEP_NONE) == ["c"]


# -- the clock --------------------------------------------------------------------------------


def test_a_clock_that_was_set_back_removes_nothing() -> None:
    """What ended in the future is as young as can be, and still the older one by its order."""
    runs = [kept("b", status=FAILED), kept("a", days=-5, status=FAILED)]

    assert going(runs, Limits(max_age=0.0), now=NOW - 10 * DAY) == []
    assert going(runs, Limits(max_runs=1), now=NOW - 10 * DAY) == ["a"]


RUNS = st.lists(
    st.builds(
        kept,
        st.uuids().map(str),
        days=st.floats(-10, 100),
        status=st.sampled_from(RunStatus),
        workflow=st.sampled_from(["a", "b"]),
        pinned=st.booleans(),
    ),
    max_size=12,
    unique_by=lambda run: run.run_id,
)
LIMITS = st.builds(
    Limits,
    max_runs=st.none() | st.integers(0, 5),
    max_age=st.none() | st.floats(0, 50 * DAY),
    keep_successful=st.booleans(),
    both=st.booleans(),
)


@given(runs=RUNS, limits=LIMITS, back=st.floats(0, 200 * DAY))
def test_an_earlier_time_never_removes_more(runs: list[KeptRun], limits: Limits, back: float) -> None:
    """Whatever the runs, whatever the limits."""
    assert set(going(runs, limits, now=NOW - back)) <= set(going(runs, limits))


@given(runs=RUNS, limits=LIMITS)
def test_what_must_stay_stays(runs: list[KeptRun], limits: Limits) -> None:
    """Each run has one fate, with a reason, in the order given; deciding again about what stays changes nothing."""
    found = fates(runs, limits)

    assert [fate.run for fate in found] == runs
    assert all(fate.why for fate in found)
    assert not any(fate.goes for fate in found if fate.run.unfinished or fate.run.pinned)
    successes = {}
    for fate in reversed(found):
        if fate.run.status is RunStatus.SUCCEEDED:
            successes[fate.run.workflow] = fate
    assert not (limits.keep_successful and any(fate.goes for fate in successes.values()))
    assert going([fate.run for fate in found if not fate.goes], limits) == []


@given(runs=RUNS, limits=LIMITS, data=st.data())
def test_whatever_goes_no_fork_is_without_what_it_goes_on_from(
    runs: list[KeptRun], limits: Limits, data: st.DataObject
) -> None:
    """After every single removal, in the order of the rounds; and what has no fork goes as it did without them."""
    tree = [
        run.evolve(forks=tuple(data.draw(st.sets(st.sampled_from([it.run_id for it in runs[:number]])))))
        if number
        else run
        for number, run in enumerate(runs)
    ]

    found = fates(tree, limits)

    left = {run.run_id for run in tree}
    for each in rounds(found):
        for fate in each:
            left.discard(fate.run.run_id)
            assert not any(fork in left for fork in fate.run.forks)
    assert left == {fate.run.run_id for fate in found if not fate.goes}
    alone = {run.run_id for run in tree if not run.forks}
    assert set(going(tree, limits)) & alone == set(going(runs, limits)) & alone


# -- what holds -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("retention", "cleaning", "limits"),
    [
        (Retention(), Cleaning(), Limits(max_runs=10, max_age=30 * DAY, both=True)),
        (Retention(max_checkpoints=3), Cleaning(), Limits(max_runs=3)),
        (Retention(max_age_days=0.5), Cleaning(), Limits(max_age=DAY / 2)),
        (
            Retention(max_checkpoints=3, max_age_days=7, keep_successful=False),
            Cleaning(max_per_workflow=1, ttl_seconds=1, both=False),
            Limits(max_runs=3, max_age=7 * DAY, keep_successful=False),
        ),
        (
            Retention(keep_successful=False),
            Cleaning(max_per_workflow=None, ttl_seconds=5, both=False),
            Limits(max_age=5, keep_successful=False),
        ),
    ],
)
def test_the_file_decides_then_the_settings(retention: Retention, cleaning: Cleaning, limits: Limits) -> None:
    """As soon as a file says how many or how long, the settings say nothing."""
    assert limits_of(retention, cleaning) == limits
