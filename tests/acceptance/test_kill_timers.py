"""Retries, waits and loops are stored instants: they survive a kill with the time that was left (R05, H2)."""

from functools import partial
from pathlib import Path

import pytest

from aftermath import answer_open, check_books, lines, tree
from lives import Fate, begin, carry_on, life, living, told, url_of, watch_over
from running import until, world
from tidegate.clock import SystemClock
from tidegate.model.events import (
    AttemptFailed,
    AttemptInterrupted,
    AttemptStarted,
    AttemptSucceeded,
    JournalEvent,
    LoopTurned,
    PauseExpired,
    Record,
    RunAdopted,
    RunStatus,
    TimerSet,
)
from tidegate.model.ids import BlockId

DELAY = 3.0
LEFT = 1.0
"""How much of a delay is left when the next process comes."""

RETRY = f"""
name: timed
blocks:
  - id: work
    type: Shell
    retry: {{max_attempts: 3, delay: {DELAY}s}}
    inputs: {{command: 'echo $TIDEGATE_ATTEMPT >> log; exit 1'}}
"""
WAIT = f"""
name: timed
blocks:
  - {{id: work, type: Wait, inputs: {{duration: {DELAY}s}}}}
"""
LOOP = f"""
name: timed
blocks:
  - id: work
    type: Shell
    loop: {{until: "${{work.result}} == 1", max_iterations: 3, delay: {DELAY}s}}
    inputs: {{command: 'echo ${{index}} | tee -a log', parse: json}}
"""


async def records(folder: Path) -> tuple[Record, ...]:
    """Return the journal of the one run."""
    async with world(folder, url_of(folder)) as ground:
        [row] = await tree(ground)
        return await ground.events(row.run_id)


def due_of(event: JournalEvent) -> float | None:
    """Return the instant that an event sets, if it sets one."""
    match event:
        case AttemptFailed(retry_at=at) | LoopTurned(at=at) | TimerSet(until=at):
            return at
        case _:
            return None


async def nearly(due: float, left: float) -> None:
    """Return when so many seconds are left."""

    async def is_near() -> bool:
        return SystemClock().now() >= due - left

    await until(is_near)


@pytest.mark.parametrize(
    ("text", "commit"), [(RETRY, 3), (WAIT, 2), (LOOP, 3)], ids=["retry", "wait", "loop"]
)
async def test_what_was_left_of_a_delay_is_waited_after_a_kill(
    tmp_path: Path, text: str, commit: int
) -> None:
    """Neither nothing nor all of it again: the instant that the journal names."""
    (tmp_path / "timed.yaml").write_text(text)
    assert not life(tmp_path, partial(begin, file="timed.yaml"), fate=Fate(commit))
    [due] = [at for record in await records(tmp_path) if (at := due_of(record.event)) is not None]
    await nearly(due, LEFT)

    # Adopted, and then what the instant was for: the intent of the next attempt, or the end of the wait.
    life(tmp_path, carry_on, fate=Fate(2))

    after = await records(tmp_path)
    [adopted] = [record for record in after if isinstance(record.event, RunAdopted)]
    following = after[adopted.seq]
    assert isinstance(following.event, AttemptStarted | AttemptSucceeded)
    assert due <= following.at < adopted.at + DELAY


async def test_a_wait_that_became_due_while_nobody_lived_is_over_at_once(tmp_path: Path) -> None:
    """It began when it began, not when somebody looked."""
    (tmp_path / "timed.yaml").write_text(WAIT.replace(f"{DELAY}s", "500ms"))
    assert not life(tmp_path, partial(begin, file="timed.yaml"), fate=Fate(2))
    [due] = [at for record in await records(tmp_path) if (at := due_of(record.event)) is not None]
    await nearly(due, -0.2)

    assert life(tmp_path, carry_on)

    after = await records(tmp_path)
    [adopted] = [record for record in after if isinstance(record.event, RunAdopted)]
    following = after[adopted.seq]
    assert isinstance(following.event, AttemptSucceeded)
    assert following.at - adopted.at < 0.5
    assert following.event.duration > 0.6


async def test_attempts_are_counted_through_kills(tmp_path: Path) -> None:
    """R05: killed after each failure, it is tried three times and not more, never before its time."""
    (tmp_path / "timed.yaml").write_text(RETRY.replace(f"{DELAY}s", "700ms, backoff: 2"))
    assert not life(tmp_path, partial(begin, file="timed.yaml"), fate=Fate(3))
    assert not life(tmp_path, carry_on, fate=Fate(3))
    assert life(tmp_path, carry_on)
    assert life(tmp_path, carry_on)

    assert lines(tmp_path / "log") == ["1", "2", "3"]
    journal = await records(tmp_path)
    started = [record.at for record in journal if isinstance(record.event, AttemptStarted)]
    failed = [record for record in journal if isinstance(record.event, AttemptFailed)]
    due = [due_of(record.event) for record in failed]
    assert due == [pytest.approx(failed[0].at + 0.7), pytest.approx(failed[1].at + 1.4), None]
    assert all(at >= (instant or 0) for at, instant in zip(started[1:], due[:-1], strict=True))
    async with world(tmp_path, url_of(tmp_path)) as ground:
        await check_books(ground)


@pytest.mark.parametrize(("answer", "attempts"), [("rerun", 4), ("fail", 3)])
async def test_an_attempt_that_a_kill_cut_off_is_no_failure(
    tmp_path: Path, answer: str, attempts: int
) -> None:
    """H2: attempt 3 is killed; it is in the history, a person says what now, and the limit counts failures."""
    (tmp_path / "timed.yaml").write_text(RETRY.replace(f"{DELAY}s", "50ms"))
    assert not life(tmp_path, partial(begin, file="timed.yaml"), fate=Fate(7, after=False))
    assert lines(tmp_path / "log") == ["1", "2", "3"]
    assert life(tmp_path, carry_on)
    async with world(tmp_path, url_of(tmp_path)) as ground:
        assert await answer_open(ground, lambda _: answer) == 1
    assert life(tmp_path, carry_on)

    journal = await records(tmp_path)
    started = [record.event.attempt for record in journal if isinstance(record.event, AttemptStarted)]
    assert started == list(range(1, attempts + 1))
    [cut_off] = [record.event for record in journal if isinstance(record.event, AttemptInterrupted)]
    assert (cut_off.block, cut_off.attempt) == (BlockId("work"), 3)
    async with world(tmp_path, url_of(tmp_path)) as ground:
        [row] = await tree(ground)
        state = await ground.history.state(row.run_id)
        assert row.summary.status is RunStatus.FAILED
        assert state.block(BlockId("work")).failures == 3
        await check_books(ground)


async def test_a_question_expires_at_its_instant_though_its_process_was_killed(tmp_path: Path) -> None:
    """E5: restarted with a second left, it expires a second later."""
    (tmp_path / "timed.yaml").write_text(
        f"name: timed\nblocks:\n  - {{id: work, type: GetInput, timeout: {DELAY}s, inputs: {{prompt: 'x?'}}}}\n"
    )
    assert not life(tmp_path, partial(begin, file="timed.yaml"), fate=Fate(2))
    async with world(tmp_path, url_of(tmp_path)) as ground:
        [pause] = await ground.history.inbox()
    assert pause.deadline is not None
    await nearly(pause.deadline, LEFT)
    came = SystemClock().now()

    with living(tmp_path, watch_over, adopts=True) as process:
        told(tmp_path, process)

    [expired] = [record for record in await records(tmp_path) if isinstance(record.event, PauseExpired)]
    assert pause.deadline <= expired.at < came + DELAY
