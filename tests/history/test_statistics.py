"""What is counted of a store, and how long people and machines took."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from running import world
from tidegate.history.exposition import exposition
from tidegate.history.statistics import LARGE_BYTES, Tally, Totals, count
from tidegate.history.verify import verify_run
from tidegate.history.views import RunView
from tidegate.model.confirm_prompt import ConfirmPrompt
from tidegate.model.events import RunResumed, RunStatus
from tidegate.model.fold import fold
from tidegate.model.ids import BlockId, PauseId, RunId, Seq
from tidegate.model.lineage import Origin
from tidegate.model.listing import PauseRow, RunRow, Statistics
from tidegate.model.state import PauseState, RunSummary, new_state
from tidegate.tui.present.run import progress_of
from tidegate.tui.query.language import parse
from tidegate.tui.query.of_runs import RUNS

HOUR, DAY = 3_600.0, 86_400.0
NOW = 1_000 * DAY
EMPTY = Statistics(
    schema=1,
    bytes=0,
    free_bytes=0,
    runs=0,
    events=0,
    pauses=0,
    checkpoints=0,
    pinned=0,
    definitions=0,
    values=0,
    value_bytes=0,
    output_bytes=0,
)


FLAKY = "name: flaky\nblocks:\n  - {id: work, type: Shell, inputs: {command: test -e ready}}\n"


def run_of(name: str, age: float, took: float = 0.0, *, workflow: str = "w", **more: object) -> RunRow:
    """Return a run that succeeded: *age* seconds old, its newest event *took* seconds after its first."""
    row = RunRow(
        run_id=RunId(name),
        workflow=workflow,
        definition="",
        created_at=NOW - age,
        updated_at=NOW - age + took,
        head=Seq(1),
        summary=RunSummary(status=RunStatus.SUCCEEDED),
    )
    return row.evolve(**more)


def pause_of(run: str, age: float, took: float | None, *, workflow: str = "w", **more: object) -> PauseRow:
    """Return a question that was answered after *took* seconds, or with None is still open."""
    row = PauseRow(
        pause_id=PauseId(f"pause_{run}{age}"),
        run_id=RunId(run),
        workflow=workflow,
        block=BlockId("gate"),
        attempt=1,
        prompt=ConfirmPrompt(message="ok?", operation="x"),
        opened_at=NOW - age,
        opened_seq=Seq(1),
        state=PauseState.OPEN if took is None else PauseState.ANSWERED,
        closed_at=None if took is None else NOW - age + took,
    )
    return row.evolve(**more)


def totals_of(runs: list[RunRow], pauses: list[PauseRow], workflow: str | None = None) -> Totals:
    """Return what a tally makes of them."""
    tally = Tally(NOW, workflow)
    tally.take_pauses(pauses)
    for row in runs:
        tally.take_run(row, row.summary.status)
    return tally.totals(EMPTY, {})


def test_runs_are_counted_by_workflow_status_and_age() -> None:
    """An hour old is no longer under an hour; nested runs and forks are told apart."""
    failed = RunSummary(status=RunStatus.FAILED)
    found = totals_of(
        [
            run_of("a", HOUR - 1),
            run_of("b", HOUR, summary=failed),
            run_of("c", 8 * DAY, workflow="v", origin=Origin(run_id=RunId("a"), seq=Seq(1))),
            run_of("d", DAY, parent=RunId("a"), root=RunId("a")),
        ],
        [],
    )

    assert found.all.by_age == {"under_1h": 1, "under_1d": 1, "under_7d": 1, "older": 1}
    assert found.all.by_status == {"succeeded": 3, "failed": 1}
    assert (found.all.runs, found.all.nested, found.all.forks) == (4, 1, 1)
    assert (found.all.oldest, found.all.newest) == (NOW - 8 * DAY, NOW - HOUR + 1)
    assert {name: figures.runs for name, figures in found.workflows.items()} == {"v": 1, "w": 3}


def test_human_time_is_that_in_which_any_question_was_open() -> None:
    """Two that overlap count once, those of a run below count for the one on top, and the rest is machine time."""
    below = pause_of("child", 70, 20, root=RunId("a"))
    found = totals_of(
        [run_of("a", 100, 80), run_of("child", 90, 60, parent=RunId("a"), root=RunId("a"))],
        [pause_of("a", 90, 10), pause_of("a", 85, 10), below],
    )

    assert found.all.human_seconds == pytest.approx(15 + 20)
    assert found.all.machine_seconds == pytest.approx(80 - 35)


def test_an_open_question_counts_until_now() -> None:
    """It has waited since it was opened, although nothing has happened in its run since."""
    found = totals_of([run_of("a", 100, 10)], [pause_of("a", 95, None), pause_of("b", 2 * DAY, None)])

    assert found.all.human_seconds == pytest.approx(95)
    assert found.all.machine_seconds == pytest.approx(5)
    assert found.all.open_pauses == 2
    assert found.all.oldest_open == NOW - 2 * DAY
    assert found.all.open_by_age == {"under_1h": 1, "under_1d": 0, "under_7d": 1, "older": 0}


def test_percentiles_are_times_that_somebody_took() -> None:
    """By the nearest rank; what expired, or was closed with its run, was not answered."""
    answered = [pause_of("a", DAY + seconds, seconds) for seconds in range(1, 101)]
    expired = pause_of("a", DAY, 5_000.0, state=PauseState.EXPIRED)
    times = totals_of([], [*answered, expired]).all.answered

    assert (times.count, times.p50, times.p90, times.p95, times.p99, times.longest) == (
        100,
        50,
        90,
        95,
        99,
        100,
    )
    assert times.total == pytest.approx(5_050)


def test_a_clock_that_was_set_back_counts_nothing_less() -> None:
    """No wait is shorter than nothing, and no run is."""
    found = totals_of([run_of("a", 100, -50)], [pause_of("a", 90, -20)])

    assert found.all.answered.longest == 0
    assert found.all.human_seconds == 0
    assert found.all.machine_seconds >= 0


async def test_the_time_for_which_a_run_had_ended_is_nobodys(tmp_path: Path) -> None:
    """It worked for two seconds, lay failed for 13 minutes, and was tried again: all that is told of it is its work."""
    async with world(tmp_path, f"sqlite:///{tmp_path}/s.db") as made:
        failed = await made.run(FLAKY)
        (tmp_path / "ready").touch()
        await made.executor.resume(failed.run_id, by="ana")
        view = await made.rest(failed.run_id)
        assert view.status is RunStatus.SUCCEEDED
        records = await made.events(failed.run_id)
        again = next(at for at, record in enumerate(records) if isinstance(record.event, RunResumed))
        late = [
            record.evolve(at=NOW + min(seq, 2) + (780 if seq >= again else 0))
            for seq, record in enumerate(records)
        ]
        state = fold(new_state(failed.run_id, failed.graph), late)
        verdict = await verify_run(made.store, failed.run_id)
        assert verdict is not None
        assert verdict.findings == ()

    assert state.idle_seconds == 780
    row = view.row.evolve(created_at=NOW, updated_at=late[-1].at, summary=state.summarise())
    assert row.updated_at - row.created_at == 782
    assert RunView(row, RunStatus.SUCCEEDED).took(NOW + 5_000) == pytest.approx(2)
    assert "took 0:02" in "".join(piece.text for piece in progress_of(RunView(row, view.status), NOW).pieces)
    assert parse("took>10m", RUNS.fields).holds(RunView(row, view.status), NOW + 5_000, str) is False
    assert totals_of([row], []).all.machine_seconds == pytest.approx(2)


async def test_a_row_from_before_that_was_counted_is_sound(tmp_path: Path) -> None:
    """Nothing of it is damaged: the journal has all that there is to know."""
    async with world(tmp_path, f"sqlite:///{tmp_path}/s.db") as made:
        failed = await made.run(FLAKY)
        (tmp_path / "ready").touch()
        await made.executor.resume(failed.run_id, by="ana")
        assert (await made.rest(failed.run_id)).row.summary.idle_seconds > 0
        with closing(sqlite3.connect(tmp_path / "s.db")) as file, file:
            for table in ("runs", "checkpoints"):
                without = "CAST(json_remove(CAST(summary AS TEXT), '$.idle_seconds') AS BLOB)"
                file.execute(f"UPDATE {table} SET summary = {without}")  # noqa: S608 - constants
        view = await made.history.run_view(failed.run_id)
        verdict = await verify_run(made.store, failed.run_id)

    assert view.row.summary.idle_seconds == 0
    assert verdict is not None
    assert verdict.findings == ()


@pytest.mark.parametrize(("taken", "is_large"), [(LARGE_BYTES - 1, False), (LARGE_BYTES, True)])
def test_from_a_gigabyte_on_a_store_is_large(taken: int, is_large: bool) -> None:
    """What is free in it counts, too: a copy takes as long."""
    totals = totals_of([], []).evolve(store=EMPTY.evolve(bytes=taken, free_bytes=taken))

    assert totals.is_large is is_large


def test_one_workflow_leaves_out_the_others_questions() -> None:
    """Their spans still count for the run on top that waited for them."""
    below = pause_of("child", 50, 10, workflow="v", root=RunId("a"))
    found = totals_of([run_of("a", 100, 80)], [below], workflow="w")

    assert found.all.answered.count == 0
    assert found.all.human_seconds == pytest.approx(10)
    assert list(found.workflows) == ["w"]


@given(st.lists(st.tuples(st.floats(0, 1_000), st.floats(0, 500)), max_size=12))
def test_human_and_machine_time_are_all_the_time_there_was(spans: list[tuple[float, float]]) -> None:
    """Whatever overlaps: neither is negative, and together they are the run's time."""
    pauses = [pause_of("a", 2_000 - start, took) for start, took in spans]
    figures = totals_of([run_of("a", 2_000, 1_800)], pauses).all

    assert figures.human_seconds <= sum(took for _, took in spans) + 1e-3
    assert figures.machine_seconds >= 0
    assert figures.human_seconds + figures.machine_seconds == pytest.approx(1_800, abs=1e-3)


GATED = """
    name: gated
    blocks:
      - {id: work, type: Shell, inputs: {command: "echo work"}}
      - {id: gate, type: ConfirmOperation, depends_on: [work], inputs: {message: ok?, operation: x}}
"""


def test_every_page_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """More runs and questions than fit on one page are all counted, each once."""
    monkeypatch.setattr("tidegate.history.statistics._RUNS_AT_ONCE", 2)
    monkeypatch.setattr("tidegate.history.statistics._PAUSES_AT_ONCE", 2)

    async def work() -> Totals:
        async with world(tmp_path, f"sqlite:///{tmp_path}/s.db") as made:
            runs = [await made.start(GATED) for _ in range(5)]
            for run_id in runs:
                await made.rest(run_id)
            await made.answer(runs[0], "gate", "yes")
            await made.rest(runs[0])
            return await count(made.store, made.history.seen((await made.store.runs())[0]).row.created_at + 1)

    found = asyncio.run(work())
    assert found.all.runs == found.store.runs == 5
    assert found.all.by_status == {"paused": 4, "succeeded": 1}
    assert found.all.open_pauses == 4
    assert found.all.answered.count == 1
    assert not found.orphans


def test_the_text_for_prometheus_names_each_metric_once() -> None:
    """Each has its help and its type before its values; a summary ends in its sum and its count."""
    text = exposition(totals_of([run_of("a", 10)], [pause_of("a", 9, 4)]))
    lines = text.splitlines()
    helped = [line.split()[2] for line in lines if line.startswith("# HELP")]

    assert len(helped) == len(set(helped))
    assert 'tidegate_runs{workflow="w",status="succeeded"} 1' in lines
    assert 'tidegate_time_to_answer_seconds{workflow="w",quantile="0.95"} 4.0' in lines
    assert 'tidegate_time_to_answer_seconds_sum{workflow="w"} 4.0' in lines
    assert 'tidegate_time_to_answer_seconds_count{workflow="w"} 1' in lines
    assert all(line.startswith(("#", "tidegate_")) for line in lines)
