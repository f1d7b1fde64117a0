"""Where the row under the cursor goes, another one takes its place: no key that was meant for the first acts on it."""

from pathlib import Path

import pytest

from tidegate.model.answer import Reply
from tidegate.model.ids import RunId
from tidegate.tui.commands import COMMANDS
from tidegate.tui.commands.aimed import AIMED, aims
from tidegate.tui.commands.changing import CHANGING
from tidegate.tui.dialogs.frame.base import Dialog
from tidegate.tui.screens.base import MonitorScreen
from tui.monitoring import Monitor, monitor

ASKS = """
name: {name}
blocks:
  - {{id: gate, type: ConfirmOperation, inputs: {{message: "{question}"}}}}
"""
NOT_OF_A_ROW = {"run.again", "travel.fork", "travel.edit", "travel.rerun", "travel.bookmark"}
"""What may change something, and is done to a whole run or to its past, in which nothing moves by itself."""


async def say_yes(seen: Monitor, run_id: RunId) -> None:
    """Answer what a run asks, as another terminal would."""
    pause = await seen.ask(lambda session: session.history.find_pause(run_id))
    await seen.ask(lambda session: session.executor.answer(pause.pause_id, Reply("yes", by="ben", via="cli")))


@pytest.mark.parametrize("key", ["a", "r", "enter", "at", "space", "o", "y"])
async def test_no_key_acts_on_a_question_that_has_just_come_under_the_cursor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    """Somebody else was faster, and the next question stands where the one was that was read."""
    monkeypatch.setattr(MonitorScreen, "SETTLES", 3_600.0)
    async with monitor(tmp_path, size=(120, 36)) as seen:
        first = await seen.start(ASKS.format(name="one", question="Drop the old one?"))
        await seen.see("1 waiting", "Drop the old one?")
        await seen.start(ASKS.format(name="two", question="Drop the new one?"))
        await seen.see("2 waiting")
        await say_yes(seen, first)
        await seen.see("1 waiting", "◆ confirm · asked", "Drop the new one?")
        screen = seen.app.screen
        await seen.pilot.press(key)

        await seen.see("the cursor has just moved by itself")
        assert seen.app.screen is screen
        assert "marked" not in seen.text
        monkeypatch.setattr(MonitorScreen, "SETTLES", 0.0)
        await seen.press("a")
        await seen.dialog("Drop the new one?")


async def test_whoever_has_answered_goes_on_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cursor goes on because of that, in the inbox and in a run; whoever was slower is held back as before."""
    monkeypatch.setattr(MonitorScreen, "SETTLES", 3_600.0)
    async with monitor(tmp_path, size=(120, 36)) as seen:
        await seen.start(ASKS.format(name="one", question="Drop the old one?"))
        await seen.see("1 waiting", "Drop the old one?")
        await seen.start(ASKS.format(name="two", question="Drop the new one?"))
        last = await seen.start(ASKS.format(name="three", question="Drop the last one?"))
        await seen.see("3 waiting")
        await seen.press("a")
        await seen.dialog("Drop the old one?")
        await seen.approve()
        await seen.see("2 waiting", "▌◆ confirm")
        await seen.press("a")
        await seen.dialog("Drop the new one?")
        await seen.press("escape")
        await seen.see("stays open")
        await seen.press("j")
        await say_yes(seen, last)
        await seen.see("1 waiting")
        await seen.pilot.press("a")

        await seen.see("the cursor has just moved by itself")


async def test_a_cursor_that_keys_or_a_filter_have_moved_waits_for_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever types ahead knows where the cursor is."""
    monkeypatch.setattr(MonitorScreen, "SETTLES", 3_600.0)
    async with monitor(tmp_path, size=(120, 36)) as seen:
        await seen.start(ASKS.format(name="one", question="Drop the old one?"))
        await seen.start(ASKS.format(name="two", question="Drop the new one?"))
        await seen.see("2 waiting")
        await seen.pilot.press("G", "g", "slash", *"two", "enter", "a")

        await seen.until(lambda: isinstance(seen.app.screen, Dialog))
        await seen.see("Drop the new one?")


def test_what_may_change_something_is_aimed() -> None:
    """All of it, unless it is done to no row; and every id is one of a command."""
    assert {command.id for command in COMMANDS} >= AIMED
    assert CHANGING - NOT_OF_A_ROW <= AIMED
    assert aims("screen.turn('skip')")
    assert aims("answer")
    assert not aims("cursor_down")
