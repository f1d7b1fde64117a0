"""Until when what a list shows is true: it is made again then, and neither before nor after."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidegate.model.ids import BlockId, PauseId, RunId, Seq
from tidegate.model.listing import PauseRow
from tidegate.model.prompt import ConfirmPrompt
from tidegate.store.protocol import Store
from tidegate.tui.lasting import changes_in, lasting
from tidegate.tui.lines import Line
from tidegate.tui.present.pauses import pause_line, snoozed_line
from tidegate.tui.present.question import pause_preview
from tidegate.tui.screens.lists.inbox import InboxScreen
from tidegate.tui.times import ago, clock_time, due, lasted, past, soon
from tui import scene
from tui.monitoring import Monitor, monitor

NOW = scene.NOW
DAYS = 86_400.0
AGES = st.floats(-5.0, 100.0) | st.floats(0.0, 8_000.0) | st.floats(0.0, 9 * DAYS)
SAID: dict[str, Callable[[float, float], object]] = {
    "ago": lambda at, now: ago(now - at),
    "past": lambda at, now: past(now - at),
    "lasted": lambda at, now: lasted(now - at, goes_on=True),
    "late": due,
    "due": lambda at, now: due(2 * NOW - at, now),
    "soon": lambda at, now: soon(2 * NOW - at - now),
    "time": clock_time,
    "row": lambda at, now: pause_line(question(at, None), now),
    "row with a deadline": lambda at, now: pause_line(question(at, 3 * DAYS), now),
    "row that is snoozed": lambda at, now: snoozed_line(question(at, None), at + 11 * DAYS, now),
    "preview": lambda at, now: pause_preview(question(at, 2 * DAYS), None, now),
}
"""What is said at one instant of another one."""


def question(at: float, limit: float | None) -> PauseRow:
    """Return a question that was asked at an instant, and closes so many seconds later."""
    return PauseRow(
        pause_id=PauseId("pause_a"),
        run_id=RunId("run"),
        workflow="deploy",
        block=BlockId("gate"),
        attempt=1,
        prompt=ConfirmPrompt(message="Go?"),
        opened_at=at,
        opened_seq=Seq(3),
        deadline=None if limit is None else at + limit,
    )


@pytest.mark.parametrize("name", SAID)
@given(age=AGES, part=st.floats(0.0, 1.0, exclude_max=True))
def test_nothing_changes_before_it_was_said_to(name: str, age: float, part: float) -> None:
    """Whenever one looks before that instant, the same words stand there."""
    say, at = SAID[name], NOW - age
    with lasting(NOW) as words:
        said = say(at, NOW)

    assert words.until > NOW
    later = NOW + part * (min(words.until, NOW + 400 * DAYS) - NOW)
    # Closer than that it is a matter of rounding, and nobody looks so often.
    if NOW + 0.001 < later < words.until - 1e-5:
        assert say(at, later) == said


def test_an_age_of_minutes_is_true_for_a_minute() -> None:
    """And one of seconds for a second, one of days for an hour; what was around it is told as well."""
    untils = []
    for age in (0.5, 12.25, 61.0, 3 * 3_600 + 1.0, 2 * DAYS + 10.0):
        with lasting(NOW) as around, lasting(NOW) as words:
            ago(age)
        assert around.until == words.until
        untils.append(words.until - NOW)
    with lasting(NOW) as nothing:
        lasted(12.5)
    with lasting(NOW) as at_once:
        changes_in(0.0)

    assert untils == [0.5, 0.75, 59.0, 59.0, 3_590.0]
    assert nothing.until == math.inf
    assert NOW < at_once.until < NOW + 0.1


@dataclass
class HandClock:
    """A clock that is set by hand, and counts how often it was looked at."""

    at: float = NOW
    looks: int = 0

    def now(self) -> float:
        """Return the instant."""
        self.looks += 1
        return self.at

    def monotonic(self) -> float:
        """Return the same, as seconds."""
        return self.at


def inbox_of(seen: Monitor) -> InboxScreen:
    """Return the screen of the questions."""
    assert isinstance(seen.app.screen, InboxScreen)
    return seen.app.screen


async def ticks(seen: Monitor, clock: HandClock) -> None:
    """Return once the screen has looked at the clock several times, as it does each second."""
    looks = clock.looks
    await seen.until(lambda: clock.looks >= looks + 8)


def made(seen: Monitor) -> Sequence[Line]:
    """Return the lines of the list, which are the same objects as long as nothing made them again."""
    return inbox_of(seen).rows_view.lines


async def settled(seen: Monitor, clock: HandClock) -> Sequence[Line]:
    """Return the lines once some seconds have passed in which none was made again: at first the store is still read."""
    for _ in range(10):
        before = made(seen)
        clock.at += 1.0
        await ticks(seen, clock)
        if all(old is new for old, new in zip(before, made(seen), strict=True)):
            return before
    raise AssertionError("the lines are made again each second")


async def test_a_list_is_made_again_when_an_age_in_it_is_another_one(tmp_path: Path) -> None:
    """Not each second; of what is made again, only the rows that are other. What has scrolled in is up to date."""
    clock = HandClock(NOW + 7.0)
    async with monitor(tmp_path, prepare=scene.fill, clock=clock, size=(120, 36)) as seen:
        await seen.see("Waiting for you", "Any answer:", "3 waiting", "asked 10m ago")
        before = await settled(seen, clock)
        # It is six minutes ago that the last one was closed; all others are as old as before.
        clock.at = NOW + 25.0
        await seen.until(lambda: made(seen)[-1] is not before[-1])
        assert [old is new for old, new in zip(before, made(seen), strict=True)].count(False) == 1
        clock.at = NOW + 60.0 + 7.0
        await seen.see("4m late invoice-run", "asked 11m ago")
        # In the last minute each second counts, in both directions.
        clock.at = NOW + 7 * 60.0 + 2.0
        await seen.see("in 30s")
        clock.at += 1.0
        await seen.see("in 29s")
        clock.at -= 10.0
        await seen.see("in 39s")


async def test_time_alone_lets_rows_in_and_closes_them_out(tmp_path: Path) -> None:
    """A filter by the time goes on, and so do the counts, and what was closed is gone after a while."""
    clock = HandClock()
    async with monitor(tmp_path, prepare=scene.fill, clock=clock, size=(120, 36)) as seen:
        await seen.see("1 late", "closed in the last 15 minutes")
        inbox_of(seen).look_for("is:late")
        await seen.see("1 of 3")
        await seen.press("escape")
        inbox_of(seen).look_for("is:late kind:confirm")
        await seen.see("No row has")

        clock.at = NOW + 460.0
        await seen.see("2 late", "Promote build", "1 of 3")
        inbox_of(seen).look_for("")
        clock.at = NOW + 1_000.0
        await seen.unsee("closed in the last 15 minutes")


async def test_a_row_that_comes_into_sight_is_as_old_as_it_is_then(tmp_path: Path) -> None:
    """Lines are made when they are seen first, long after the list was shown."""
    clock = HandClock()

    async def fill(store: Store) -> None:
        for number in range(60):
            run = await scene.begin(store, scene.INVOICE, f"q{number:02}7k9m4x2c", 7_000 - number)
            await run.ask("ask_fx", scene.RATE)

    async with monitor(tmp_path, prepare=fill, clock=clock, size=(80, 24)) as seen:
        await seen.see("60 waiting")
        first = seen.text
        clock.at += 59.0
        await seen.press("G")
        await seen.see("60/60")
        assert "1h56m" in first
        await seen.see("1h56m")
        clock.at += 3_600.0
        await seen.press("g")
        await seen.see("1/60", "2h57m")
        await seen.unsee("1h56m")
        # Of what goes on for hours nobody counts the seconds.
        await seen.press("2")
        await seen.see("60 runs", "2h56m   2h56m")
