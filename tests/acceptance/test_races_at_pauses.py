"""An answer against a cancel, and an answer against its deadline: one of them wins, and everybody is told the same."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from aftermath import check_books, lines
from lives import carry_on, life, living, told, url_of, watch_over
from rivals import answer_at_deadlines, answer_from, cancel_from, start_asking
from running import World, world
from sizes import FULL
from store_invariants import check_at_rest
from tidegate.clock import SystemClock
from tidegate.model.events import CancelRequested, JournalEvent, PauseAnswered, PauseExpired, RunStatus
from tidegate.model.ids import RunId
from tidegate.model.listing import PauseFilter, RunFilter

ROUNDS = 200 if FULL else 20
DEADLINES = 100 if FULL else 12
HEAD_START = 0.3
SLOW = 0.05
"""Seconds that may pass between looking at the clock and dating the event, on a busy machine."""

GATE = """
name: gate
blocks:
  - {id: gate, type: ConfirmOperation, inputs: {message: "Go?"}}
  - {id: go, type: Shell, depends_on: [gate], inputs: {command: "echo ${run.id} >> log"}}
"""
DUE = GATE.replace("inputs: {message", "timeout: DUE, inputs: {message")

Record = Callable[[str, object], None]


async def events_of(ground: World, run_id: str, kind: type[JournalEvent]) -> list[float]:
    """Return when events of a kind happened in a run."""
    return [record.at for record in await ground.events(RunId(run_id)) if isinstance(record.event, kind)]


@pytest.mark.timeout(900)
async def test_a_cancel_and_an_answer_agree_on_who_was_first(tmp_path: Path, record_property: Record) -> None:
    """What each was told is what the journal says; a run that was cancelled first does nothing more."""
    (tmp_path / "gate.yaml").write_text(GATE)
    assert life(tmp_path, partial(start_asking, file="gate.yaml", count=ROUNDS))
    at = SystemClock().now() + HEAD_START
    with (
        living(tmp_path, partial(answer_from, instant=at)) as one,
        living(tmp_path, partial(cancel_from, instant=at)) as other,
    ):
        answers, cancels = told(tmp_path, one, patience=120.0), told(tmp_path, other, patience=120.0)
    assert life(tmp_path, carry_on)

    async with world(tmp_path, url_of(tmp_path)) as ground:
        rows = await ground.store.runs(RunFilter(limit=ROUNDS))
        effects = lines(tmp_path / "log")
        for row in rows:
            run_id = str(row.run_id)
            # One that had been cancelled before the other listed its question was not even asked about.
            answered, cancelled = answers.get(run_id, "it was cancelled") == "won", cancels[run_id] == "won"
            assert len(await events_of(ground, run_id, PauseAnswered)) == answered, answers.get(run_id)
            assert len(await events_of(ground, run_id, CancelRequested)) == cancelled, cancels[run_id]
            assert answered or "cancelled by eve" in answers.get(run_id, "cancelled by eve")
            expected = RunStatus.CANCELLED if cancelled else RunStatus.SUCCEEDED
            assert row.summary.status is expected, (answers.get(run_id), cancels[run_id])
            assert effects.count(run_id) <= answered
            assert effects.count(run_id) == 1 or cancelled
        assert len(rows) == ROUNDS
        await check_books(ground)
        await check_at_rest(ground.store, SystemClock().now())
    first = sum(word == "won" for word in answers.values())
    record_property("size", f"{ROUNDS} runs, {first} answers accepted, {len(effects)} effects")


@pytest.mark.timeout(900)
async def test_a_deadline_is_one_more_voter(tmp_path: Path, record_property: Record) -> None:
    """Answered in time or expired, never both or neither; who answers too late is told so, and nothing follows."""
    due = 3.0 + DEADLINES * 0.05
    (tmp_path / "gate.yaml").write_text(DUE.replace("DUE", f"{due}s"))
    assert life(tmp_path, partial(start_asking, file="gate.yaml", count=DEADLINES))
    with (
        # The two aim around the same instant: the one votes for an answer, the other, too late, for the expiry.
        living(tmp_path, partial(answer_at_deadlines, early=(0.005, 0.02, 0.08, 0.3))) as early,
        living(tmp_path, partial(answer_at_deadlines, early=(-0.001,))) as late,
        living(tmp_path, watch_over, adopts=True) as keeper,
    ):
        said = [told(tmp_path, process, patience=120.0) for process in (early, late)]
        told(tmp_path, keeper, patience=120.0)

    won = 0
    async with world(tmp_path, url_of(tmp_path)) as ground:
        for row in await ground.store.runs(RunFilter(limit=DEADLINES)):
            answers = await events_of(ground, row.run_id, PauseAnswered)
            expiries = await events_of(ground, row.run_id, PauseExpired)
            words = [told_.get(str(row.run_id), "it expired") for told_ in said]
            [asked] = await ground.store.pauses(PauseFilter(run_id=row.run_id, open_only=False))
            deadline = asked.deadline or 0.0
            assert len(answers) + len(expiries) == 1, words
            if answers:
                won += 1
                assert answers[0] < deadline + SLOW
                assert words[0] == "won" or words[1] == "won"  # The same answer twice is success.
                assert row.summary.status is RunStatus.SUCCEEDED
            else:
                assert expiries[0] >= deadline
                assert all("expired" in word for word in words), words
                assert row.summary.status is RunStatus.FAILED
            assert lines(tmp_path / "log").count(row.run_id) == len(answers)
        await check_books(ground)
        await check_at_rest(ground.store, SystemClock().now())
    record_property("size", f"{DEADLINES} deadlines, {won} answered in time")
