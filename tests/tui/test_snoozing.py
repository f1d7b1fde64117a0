"""Questions that are handed on, to somebody or to later: never past a deadline, and open all the same."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tidegate.model.ids import BlockId, PauseId, RunId, Seq
from tidegate.model.listing import PauseRow
from tidegate.tui.dialogs.hand_on import HandOnDialog
from tidegate.tui.query.of_inbox import Asked
from tidegate.tui.screens.lists.inbox import InboxScreen
from tidegate.tui.session import Session
from tidegate.tui.snoozes import BEFORE_DEADLINE, Snoozes, choices
from tidegate.tui.state import State
from tui.monitoring import Monitor, monitor
from tui.scene import DRIFT, NOW, fill


@dataclass
class SetClock:
    """A clock that somebody sets."""

    at: float

    def now(self) -> float:
        """Return the instant."""
        return self.at

    def monotonic(self) -> float:
        """Return the same, as seconds."""
        return self.at


def row(deadline: float | None = None) -> PauseRow:
    """Return an open question."""
    return PauseRow(
        pause_id=PauseId("pause_1"),
        run_id=RunId("run1"),
        workflow="etl",
        block=BlockId("drift"),
        attempt=1,
        prompt=DRIFT,
        opened_at=NOW,
        opened_seq=Seq(3),
        deadline=deadline,
    )


@pytest.mark.parametrize(
    ("left", "offered"),
    [
        (None, [("10m", 600), ("1h", 3_600), ("9", 67_600)]),
        (BEFORE_DEADLINE + 30, []),
        (BEFORE_DEADLINE + 120, [("10m", 120)]),
        (BEFORE_DEADLINE + 900, [("10m", 600), ("1h", 900)]),
        (100_000, [("10m", 600), ("1h", 3_600), ("9", 67_600)]),
    ],
)
def test_nothing_is_snoozed_past_its_deadline(left: float | None, offered: list[tuple[str, float]]) -> None:
    """What is cut by it says so, and one that is too near is not snoozed at all. It is 14:13 here."""
    found = choices(NOW, None if left is None else NOW + left)

    assert [(choice.key, choice.until - NOW) for choice in found] == offered
    assert [choice.is_cut for choice in found] == [
        choice.until == NOW + (left or 0) - BEFORE_DEADLINE for choice in found
    ]


def test_what_is_snoozed_is_kept_and_given_back_once(tmp_path: Path) -> None:
    """In the file of the monitor; a deadline that was moved forward counts at once, and nonsense is ignored."""
    state = State(tmp_path / "monitor.json")
    Snoozes(state).put(row(), NOW + 600, "etl asks again")
    state.save()
    again = Snoozes(State(tmp_path / "monitor.json"))
    assert again.until(row(), NOW) == NOW + 600
    assert again.until(row(NOW + BEFORE_DEADLINE + 60), NOW) == NOW + 60
    assert again.until(row(NOW + 60), NOW) is None
    assert again.take_back(NOW + 599) == []
    assert again.take_back(NOW + 600) == [("pause_1", "etl asks again")]
    assert again.take_back(NOW + 601) == []

    for damaged in (
        7,
        [1],
        {"pause_1": "soon"},
        {"pause_1": ["soon", "x"]},
        {"pause_1": [1.0, 2]},
        {"pause_1": [True, "x"]},
    ):
        state.put("snoozed", damaged)  # type: ignore[arg-type]
        assert Snoozes(state).until(row(), NOW) is None
        assert Snoozes(state).ids() == ()


async def test_a_question_is_snoozed_and_comes_back(tmp_path: Path) -> None:
    """It stands last, calls for nobody, can be answered still, and is announced once its time has come."""
    clock = SetClock(NOW)
    async with monitor(tmp_path, prepare=fill, clock=clock) as seen:
        await seen.see("◆3", "3 waiting", "nightly-etl")
        screen = seen.app.screen
        assert isinstance(screen, InboxScreen)
        first = screen.rows_view.cursor_key
        open_keys: Callable[[], list[str]] = lambda: [screen.key_of(asked) for asked in screen.shown]  # noqa: E731
        last = open_keys()[-1]
        screen.rows_view.move_to(open_keys()[1])
        here = screen.rows_view.cursor_key
        await choose(seen, "for 10 minutes", "enter")
        await seen.until(lambda: open_keys()[-1] == here)
        await seen.see("◆2", "snoozed until 14:15", "2 waiting · 1 late · 1 snoozed")
        assert screen.rows_view.cursor_key == last
        assert seen.app.title.startswith("(2")
        screen.rows_view.move_to(last)
        await seen.press("ctrl+n")
        assert screen.rows_view.cursor_key == first

        screen.rows_view.move_to(here)
        await choose(seen, "wake it now", "escape")
        assert open_keys()[-1] == here
        clock.at += 3_700
        await seen.see("◆3", "asks again")
        await seen.until(lambda: open_keys()[-1] != here)
        assert seen.app.desk.state.get("snoozed") is None


async def choose(seen: Monitor, words: str, key: str) -> None:
    """Open the list of what can be done, go to the row with some words, and press a key there."""
    await seen.press("at")
    await seen.see("Hand on, or snooze", words)
    dialog = seen.app.screen
    assert isinstance(dialog, HandOnDialog)
    row = next(line.key for line in dialog.lines() if words in line.pieces[0].text)
    dialog.listed.move_to(row)
    await seen.press(key)
    await seen.unsee("others see it as before")


async def _at_confirmation(seen: Monitor) -> Asked:
    """Go to the question that is a yes or a no, and return it."""
    await seen.see("◆3", "3 waiting", "nightly-etl")
    screen = seen.app.screen
    assert isinstance(screen, InboxScreen)
    asked = next(one for one in screen.listed() if one.pause.prompt.kind == "confirm")
    screen.rows_view.move_to(asked.pause.pause_id)
    return asked


async def test_a_question_is_handed_on_and_found_by_whose_it_is(tmp_path: Path) -> None:
    """A name is typed, with a note; the list has a column for it then, and a field of the filter."""
    async with monitor(tmp_path, prepare=fill, clock=SetClock(NOW)) as seen:
        asked = await _at_confirmation(seen)
        await choose(seen, "assign it to ...", "enter")
        await seen.see("To whom")
        await seen.until(lambda: bool(seen.app.screen.focused))
        await seen.press(*"bo", "enter", *"on-call", "enter")
        await seen.see("assigned to bo by ana: on-call", "FOR")

        await seen.press("slash", *"for:me", "enter")
        await seen.unsee(asked.pause.prompt.text[:12])
        await seen.press("slash", *["backspace"] * 2, *"bo", "enter")
        await seen.see(asked.pause.prompt.text[:12])


async def test_an_answer_is_held_back_once_if_the_question_was_handed_on_meanwhile(tmp_path: Path) -> None:
    """Whoever looks at it is told whose it has become; sending again sends it, as anybody may answer."""
    async with monitor(tmp_path, prepare=fill, clock=SetClock(NOW)) as seen:
        asked = await _at_confirmation(seen)

        async def take(session: Session) -> None:
            await session.executor.assign(asked.pause.pause_id, "cy", by="bo")

        await seen.press("a")
        await seen.until(lambda: bool(seen.app.screen.focused))
        await seen.app.engine.call(take)
        await seen.see("assigned to cy by bo")
        await seen.press("y")
        await seen.pilot.pause(0.2)
        await seen.press("enter")
        # Nothing counts until one may have read it.
        await seen.dialog("Not sent. Meanwhile: assigned to cy by bo")
        await seen.press("enter")
        await seen.see("Sent: approved")
