"""What the benchmarks make of what they measure: a wrong ratio would praise us without a reason."""

import importlib
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tidegate.clock import SystemClock
from tidegate.store.opening import open_store

FOLDER = Path(__file__).parents[1] / "benchmarks"
if not FOLDER.exists():
    pytest.skip(
        "the tests run against a wheel, beside which there are no benchmarks", allow_module_level=True
    )


def module(name: str) -> ModuleType:
    """Return a module of the benchmarks, which are scripts and no package."""
    if str(FOLDER) not in sys.path:
        sys.path.append(str(FOLDER))
    return importlib.import_module(name)


figures = module("figures")
goals = module("goals")
report = module("report")
system_calls = module("system_calls")
contestants = module("contestants")
feed = module("feed")
large_store = module("large_store")
rounds = module("rounds")
seen = module("seen")
terminal_user = module("terminal_user")
protocol = module("drivers.protocol")


def found(seconds: float, *, steps: int = 100, **more: Any) -> dict[str, Any]:
    """Return what a driver prints."""
    facts = {
        "seconds": seconds,
        "steps": steps,
        "cpu_seconds": seconds / 2,
        "bytes": 2_000_000,
        "max_rss_kb": 51_200,
        "first_step_seconds": 0.01,
        "repeated": 0,
        "windows": [],
    }
    return facts | more


def measured(*rows: tuple[str, str, int, dict[str, Any] | None]) -> Any:
    """Return figures of samples, as (contestant, workload, repetition, what the driver printed)."""
    samples = [figures.Sample(*row, error="" if row[3] else "it broke") for row in rows]
    return figures.Figures(samples, {}, [])


def windows(*costs: float) -> list[dict[str, float]]:
    """Return the costs of hundreds of steps."""
    return [{"wall": cost, "cpu": cost, "written": cost, "memory": 100} for cost in costs]


def test_ratios_are_taken_pair_by_pair() -> None:
    """A machine that is four times as slow in one repetition changes no ratio."""
    both = measured(
        ("tidegate", "W1", 0, found(1.0)),
        ("dbos", "W1", 0, found(8.0)),
        ("tidegate", "W1", 1, found(4.0)),
        ("dbos", "W1", 1, found(32.0)),
        ("tidegate", "W1", 2, found(0.5)),
    )

    assert both.times("W1", "tidegate", "dbos") == pytest.approx(8.0)
    assert both.times("W2", "tidegate", "dbos") is None


def test_a_failed_repetition_counts_nowhere_and_is_told() -> None:
    """It is no zero, and no silence either."""
    two = measured(("dbos", "W1", 0, found(2.0)), ("dbos", "W1", 1, None))

    assert two.values("dbos", "W1", figures.rate) == [50.0]
    assert "dbos W1: it broke" in report.as_markdown(two, {}, {})


@pytest.mark.parametrize(
    ("costs", "times"),
    [
        ((1.0,), None),
        ((1.0, 5.0, 2.0), 2.0),
        # One hiccup at the end of thousands is none of the code's.
        ((*[1.0] * 20, 50.0), 1.0),
        ((*[1.0] * 10, *[3.0] * 10), 3.0),
    ],
)
def test_growth_compares_the_last_steps_with_the_first(costs: tuple[float, ...], times: float | None) -> None:
    """One hundred says nothing of growth."""
    assert figures.growth("cpu")(found(1.0, windows=windows(*costs))) == times


def test_memory_is_told_for_each_step() -> None:
    """A window has a hundred steps."""
    assert figures.kb_per_step(found(1.0, windows=windows(1.0, 1.0))) == 1.0


def test_a_goal_is_met_missed_or_not_measured() -> None:
    """What was not measured is not met."""
    by_text = {
        verdict.goal.text: verdict
        for verdict in goals.verdicts(
            measured(
                ("tidegate", "W1", 0, found(1.0)),
                ("dbos", "W1", 0, found(8.5)),
                ("langgraph", "W1", 0, found(5.0)),
            )
        )
    }

    assert by_text["W1: times as fast as dbos"].word == "met"
    assert by_text["W1: times as fast as langgraph"].word == "missed"
    assert by_text["W1: times as fast as burr"].word == "-"
    assert by_text["W1: CPU ms a step"].found == pytest.approx(5.0)


def test_bytes_on_disk_are_compared_with_the_outputs() -> None:
    """100 steps of 10 KB are 1 MB."""
    assert goals.times_outputs(measured(("tidegate", "W4", 0, found(1.0))), "tidegate", "W4") == 2.0


def test_only_calls_between_the_marks_are_counted() -> None:
    """Those of opening and closing are not, and a call that was interrupted counts once."""
    trace = f"""7 fdatasync(5) = 0
7 access("{system_calls.BEGIN}", F_OK) = -1 ENOENT
8 pwrite64(5, "x", 1, 0) = 1
8 fdatasync(5 <unfinished ...>
7 pread64(6, "y", 1, 0) = 1
8 <... fdatasync resumed>) = 0
7 access("{system_calls.END}", F_OK) = -1 ENOENT
8 pwrite64(5, "x", 1, 0) = 1
"""

    assert system_calls.count_calls(trace.splitlines()) == {"fsyncs": 1, "writes": 1, "reads": 1}


def test_contestants_are_chosen_by_name_or_group() -> None:
    """One that there is not is an error, not nobody."""
    assert [one.name for one in contestants.chosen("dbos,tidegate")] == ["tidegate", "dbos", "dbos-wal"]
    assert [one.name for one in contestants.chosen("reference")] == ["reference"]
    with pytest.raises(ValueError, match="no contestant 'temporal': take some of burr, dbos"):
        contestants.chosen("temporal")


def test_repetitions_are_interleaved_and_turn_round(tmp_path: Path) -> None:
    """Whoever is always last would pay for everybody's heat."""
    three = contestants.chosen("tidegate,langgraph,burr")
    plan = rounds.Plan(three, ("W1", "W10k"), 2, tmp_path, {})

    assert [(repetition, workload, one.name) for repetition, workload, one in plan.rounds()] == [
        (0, "W1", "tidegate"),
        (0, "W1", "langgraph"),
        (0, "W1", "burr"),
        (0, "W10k", "tidegate"),
        (1, "W1", "burr"),
        (1, "W1", "langgraph"),
        (1, "W1", "tidegate"),
        (1, "W10k", "tidegate"),
    ]


def test_a_follower_that_skips_is_not_late_and_one_that_stops_has_lost() -> None:
    """Whoever knows of a later state knows of all before it."""
    committed = [(2, 1.0), (3, 1.01), (4, 1.02), (5, 1.03)]

    late = feed.reported("x", committed, [(1, 0.5), (4, 1.025), (3, 1.026)])

    assert (late.commits, late.lost, late.backward) == (4, 1, 1)
    assert (late.p50, late.max) == (pytest.approx(15.0), pytest.approx(25.0))


async def test_a_large_store_holds_what_it_is_said_to_hold() -> None:
    """Ten checkpoints a run, whatever became of it; and one open question of each that waits."""
    clock, size = SystemClock(), large_store.Size(runs=120, questions=30)
    store = await open_store("memory://", clock=clock)

    await large_store.write(store, size, clock.now())

    found, counts = await store.statistics(), await store.counts()
    await store.close()
    assert (found.runs, found.checkpoints, counts.open_pauses) == (120, size.checkpoints, 30)
    assert counts.runs["paused"] == 30
    assert {"failed", "succeeded"} < counts.runs.keys()


def test_the_worst_key_is_told_beside_the_usual_one() -> None:
    """As time that passed, and as time that was used: of the others' work the monitor knows nothing."""
    figures = seen.Figures()
    for passed in range(1, 101):
        figures.echo("walk", terminal_user.Echo(passed, passed / 10))

    rows = seen.table(figures, large_store.Size(), {}).splitlines()

    assert "| walk | 100 | 51 | 95 | 100 | 5 | 10 | 10 | " in rows
    assert "10,000 runs, 100,000 checkpoints, 2,000 open questions" in rows


@pytest.mark.parametrize("driver", ["tidegate_driver.py", "reference_driver.py"])
def test_a_run_whose_process_dies_is_gone_on_with(driver: str, tmp_path: Path) -> None:
    """In a new process, at the step in which the first one died, and no other step again."""
    command = [sys.executable, str(FOLDER / "drivers" / driver)]

    first = subprocess.run(
        [*command, "W5:crash", "20", str(tmp_path)], check=False, capture_output=True, text=True
    )
    second = subprocess.run(
        [*command, "W5:resume", "20", str(tmp_path)], check=True, capture_output=True, text=True
    )

    assert first.returncode == protocol.CRASHED, first.stderr
    told = json.loads(second.stdout)
    assert (told["steps"], told["repeated"]) == (11, 0)
