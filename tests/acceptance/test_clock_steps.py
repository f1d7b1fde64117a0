"""The wall clock is set while runs are on their way (R55): what is stored goes by it, what is measured does not.

Every engine of a test reads its clock with what a file adds to it, so that one line sets it for all of them.
"""

import signal
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from aftermath import check_books, lines, to_the_end, tree
from lives import Fate, begin, carry_on, give, hold_on, life, living, told, url_of, watch_over
from running import until, world
from test_zombie import heads, looks, send, stands_still
from tidegate.clock import SystemClock
from tidegate.model.events import AttemptFailed, PauseExpired, RunStatus
from tidegate.model.listing import RunRow

HOUR = 3600.0
FORWARD, BACK = HOUR, -HOUR

LIMITED = """
name: stepped
blocks:
  - {id: work, type: Shell, timeout: 2s, inputs: {command: "echo begun >> log; sleep 60"}}
"""
ASKED = """
name: stepped
blocks:
  - {id: ask, type: GetInput, timeout: 30m, inputs: {prompt: "Name?"}}
  - {id: after, type: Shell, depends_on: [ask], inputs: {command: "echo after >> log"}}
"""
WAITING = """
name: stepped
blocks:
  - {id: moment, type: Wait, inputs: {duration: 1s}}
  - id: flaky
    type: Shell
    effect: idempotent
    retry: {max_attempts: 2, delay: 1s}
    inputs: {command: "echo $TIDEGATE_ATTEMPT >> log; test $TIDEGATE_ATTEMPT = 2"}
"""
LINE = """
name: stepped
blocks:
  - {id: a, type: Shell, inputs: {command: "echo a >> log"}}
  - {id: b, type: Shell, depends_on: [a], inputs: {command: "echo b >> log"}}
"""


def set_clock(folder: Path, by: float) -> None:
    """Set the clock of every engine in a folder, by so many seconds from the true one."""
    # Whole, or not at all: they read it all the time.
    (folder / "clock.new").write_text(str(by))
    (folder / "clock.new").replace(folder / "clock")


async def the_run(folder: Path) -> RunRow:
    """Return the one run, once the store is found right."""
    async with world(folder, url_of(folder)) as ground:
        await check_books(ground)
        [row] = await tree(ground)
        return row


async def count_of(folder: Path, kind: type) -> int:
    """Return how many events of a kind the one run has."""
    async with world(folder, url_of(folder)) as ground:
        [row] = await tree(ground)
        return sum(isinstance(record.event, kind) for record in await ground.events(row.run_id))


async def begun(folder: Path, line: str) -> None:
    """Return once a command has written a line."""

    async def is_there() -> bool:
        return line in lines(folder / "log")

    await until(is_there)


@pytest.mark.parametrize(("step", "word"), [(FORWARD, "set forward by 3600 s"), (BACK, "set back by 3600 s")])
async def test_how_long_a_command_may_take_is_no_matter_of_the_calendar(
    tmp_path: Path, step: float, word: str
) -> None:
    """Neither cut off at once nor left to run: two seconds are two seconds. And the step is in the log."""
    (tmp_path / "stepped.yaml").write_text(LIMITED)
    with living(tmp_path, partial(hold_on, file="stepped.yaml")) as process:
        await begun(tmp_path, "begun")
        started = time.monotonic()
        set_clock(tmp_path, step)
        told(tmp_path, process)
        taken = time.monotonic() - started

    assert 1.0 < taken < 10.0
    row = await the_run(tmp_path)
    assert row.summary.status is RunStatus.FAILED
    assert "timed out after 2" in row.summary.reason
    assert word in (tmp_path / "engine.log").read_text()


async def test_a_clock_that_is_set_forward_makes_a_question_expire_once(tmp_path: Path) -> None:
    """Its deadline is a stored instant, and that has passed; who answers then is refused, whatever the clock says next."""
    (tmp_path / "stepped.yaml").write_text(ASKED)
    assert life(tmp_path, partial(begin, file="stepped.yaml"))
    async with world(tmp_path, url_of(tmp_path)) as ground:
        [pause] = await ground.history.inbox()
    set_clock(tmp_path, FORWARD)
    with living(tmp_path, watch_over, adopts=True) as process:
        told(tmp_path, process)

    set_clock(tmp_path, BACK)
    with living(tmp_path, partial(give, pause_id=pause.pause_id, raw="x")) as late:
        late.join(30)
        assert late.exitcode == 1
    assert "expired at" in (tmp_path / "engine.log").read_text()
    row = await the_run(tmp_path)
    assert row.summary.status is RunStatus.FAILED
    assert await count_of(tmp_path, PauseExpired) == 1
    assert lines(tmp_path / "log") == []


async def test_a_clock_that_is_set_back_leaves_a_question_open(tmp_path: Path) -> None:
    """There is more time to answer than was meant, and never less."""
    (tmp_path / "stepped.yaml").write_text(ASKED.replace("30m", "1s"))
    assert life(tmp_path, partial(begin, file="stepped.yaml"))
    set_clock(tmp_path, BACK)
    async with world(tmp_path, url_of(tmp_path)) as ground:
        [pause] = await ground.history.inbox()

        async def is_past() -> bool:
            return SystemClock().now() > (pause.deadline or 0.0) + 0.2

        await until(is_past)
    assert life(tmp_path, partial(give, pause_id=pause.pause_id, raw="x"))

    assert (await the_run(tmp_path)).summary.status is RunStatus.SUCCEEDED
    assert lines(tmp_path / "log") == ["after"]


@pytest.mark.parametrize(("step", "least", "most"), [(FORWARD, 0.0, 5.0), (-3.0, 2.5, 15.0)])
async def test_a_delay_ends_at_its_stored_instant(
    tmp_path: Path, step: float, least: float, most: float
) -> None:
    """Set forward it is over no later than it would have been; set back it lasts until the clock is there again."""
    (tmp_path / "stepped.yaml").write_text(WAITING)
    with living(tmp_path, partial(begin, file="stepped.yaml")) as process:

        async def has_failed() -> bool:
            async with world(tmp_path, url_of(tmp_path)) as ground:
                runs = await tree(ground)
            return bool(runs) and await count_of(tmp_path, AttemptFailed) == 1

        await until(has_failed)
        started = time.monotonic()
        set_clock(tmp_path, step)
        told(tmp_path, process)
        taken = time.monotonic() - started

    assert least <= taken <= most
    assert (await the_run(tmp_path)).summary.status is RunStatus.SUCCEEDED
    assert lines(tmp_path / "log") == ["1", "2"]


@pytest.mark.parametrize("step", [FORWARD, BACK])
async def test_a_run_whose_process_died_is_taken_over_whatever_the_clock_says(
    tmp_path: Path, step: float
) -> None:
    """Its lease may seem to hold for another hour: the process is gone, and that is what counts."""
    (tmp_path / "stepped.yaml").write_text(LINE)
    assert not life(tmp_path, partial(begin, file="stepped.yaml"), fate=Fate(2, after=False))
    set_clock(tmp_path, step)
    await to_the_end(tmp_path, partial(looks, tmp_path))

    assert (await the_run(tmp_path)).summary.status is RunStatus.SUCCEEDED
    assert lines(tmp_path / "log") == ["a", "b"]


@pytest.mark.parametrize("commit", [2, 3])
async def test_a_zombie_does_no_harm_though_the_clock_was_set_back(tmp_path: Path, commit: int) -> None:
    """By the clock its lease holds again; another has taken the run over all the same, and has dealt with its intents."""
    (tmp_path / "stepped.yaml").write_text(LINE)
    fate = Fate(commit, sends=signal.SIGSTOP)
    with living(tmp_path, partial(begin, file="stepped.yaml"), fate=fate, lease=1.0) as zombie:
        assert await stands_still(zombie)
        await heads(tmp_path, expired=True)
        assert life(tmp_path, carry_on)
        await to_the_end(tmp_path, partial(looks, tmp_path))
        set_clock(tmp_path, BACK)
        send(zombie, signal.SIGCONT)
        told(tmp_path, zombie)

    assert (await the_run(tmp_path)).summary.status is RunStatus.SUCCEEDED
    assert lines(tmp_path / "log") == ["a", "b"]


async def test_engines_that_share_a_store_survive_steps_to_and_fro(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    """Leases seem to have run out, and then to hold for hours: each effect happens once, or a person was asked."""
    chain = "\n".join(
        f"  - {{id: b{n}, type: Shell, depends_on: {[f'b{n - 1}'] if n else []}, "
        f"inputs: {{command: 'echo b{n} >> log; sleep 0.1'}}}}"
        for n in range(12)
    )
    (tmp_path / "stepped.yaml").write_text(f"name: stepped\nblocks:\n{chain}\n")
    steps = [FORWARD, 0.0, BACK, FORWARD, BACK, 0.0]
    with (
        living(tmp_path, partial(begin, file="stepped.yaml"), adopts=True, lease=2.0) as one,
        living(tmp_path, watch_over, adopts=True, lease=2.0),
    ):
        for step in steps:
            count = len(lines(tmp_path / "log"))

            async def has_moved(count: int = count) -> bool:
                async with world(tmp_path, url_of(tmp_path)) as ground:
                    asked = bool(await ground.history.inbox())
                return asked or len(lines(tmp_path / "log")) > count or not one.is_alive()

            await until(has_moved)
            set_clock(tmp_path, step)
        one.kill()
        one.join()
    await to_the_end(tmp_path, partial(looks, tmp_path))

    assert (await the_run(tmp_path)).summary.status is RunStatus.SUCCEEDED
    assert sorted(lines(tmp_path / "log")) == sorted(f"b{n}" for n in range(12))
    record_property("size", f"{len(steps)} steps of an hour")
