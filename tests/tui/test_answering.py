"""What becomes of an answer on its way: drafts, second keys, other terminals, and where the cursor goes next."""

import asyncio
from pathlib import Path

import pytest
from textual.widgets import Input

from tidegate.model.answer import Reply
from tidegate.tui.app import MonitorApp
from tidegate.tui.dialogs import AnswerDialog, Dialog, QuitDialog
from tidegate.tui.screens.lists.inbox import InboxScreen
from tidegate.tui.screens.run.run_view import RunScreen
from tui.monitoring import FixedClock, Monitor, monitor
from tui.scene import NOW, fill

NAME = """
name: name
blocks:
  - {id: ask, type: GetInput, inputs: {prompt: Which name?}}
"""
TWICE = """
name: twice
blocks:
  - {id: first, type: ConfirmOperation, inputs: {message: "The first?"}}
  - {id: work, type: Shell, depends_on: [first], inputs: {command: sleep 0.4}}
  - {id: second, type: ConfirmOperation, depends_on: [work], inputs: {message: "The second?"}}
"""
BESIDE = """
name: beside
blocks:
  - {id: ask, type: ConfirmOperation, inputs: {message: Go on?}}
  - {id: talk, type: Shell, inputs: {command: "until test -e enough; do sleep 0.05; done"}}
"""
SIMPLE = """
name: simple
blocks:
  - {id: ask, type: ConfirmOperation, inputs: {message: "Only this?"}}
"""


def cursor(seen: Monitor) -> str:
    """Return the block that asks what the inbox's cursor is on; empty: it is on none."""
    screen = seen.app.screen
    assert isinstance(screen, InboxScreen)
    key = screen.rows_view.cursor_key
    return (
        next((line.pieces[5].text for line in screen.rows_view.lines if line.key == key), "") if key else ""
    )


def dialogs(app: MonitorApp) -> list[Dialog[object]]:
    """Return the dialogs that are open, the one in front last."""
    return [screen for screen in app.screen_stack if isinstance(screen, Dialog)]


async def test_quitting_over_an_open_answer_loses_nothing_of_it(tmp_path: Path) -> None:
    """It asks, as something was typed; whoever stays finds the draft, now and the next time."""
    async with monitor(tmp_path) as seen:
        await seen.start(NAME)
        await seen.see("Which name?")
        await seen.press("a")
        await seen.dialog("Enter sends it")
        await seen.press(*"ada")

        await seen.press("ctrl+q")
        await seen.dialog("not sent, and is not kept")
        await seen.press("escape")
        await seen.until(lambda: isinstance(seen.app.screen, AnswerDialog))
        assert seen.app.screen.query_one("#answer", Input).value == "ada"

        await seen.press("escape")
        await seen.see("Nothing was sent: it stays open")
        await seen.press("a")
        await seen.dialog("Your draft is back")
        assert seen.app.screen.query_one("#answer", Input).value == "ada"


async def test_a_key_pressed_twice_opens_one_dialog(tmp_path: Path) -> None:
    """The second one is on its way before the first dialog is there; neither dialog is left behind."""
    async with monitor(tmp_path) as seen:
        await seen.start(BESIDE)
        await seen.see("Go on?", "●1")
        screen = seen.app.screen
        assert isinstance(screen, InboxScreen)

        screen.action_answer()
        screen.action_answer()
        await seen.dialog("Approve")
        assert len(dialogs(seen.app)) == 1

        seen.app.action_leave()
        seen.app.action_leave()
        await seen.dialog("Quit tidegate?")
        assert len(dialogs(seen.app)) == 2
        await seen.press("escape")
        await seen.until(lambda: isinstance(seen.app.screen, AnswerDialog))
        (tmp_path / "enough").touch()


async def test_a_dialog_under_another_one_is_told_who_was_faster(tmp_path: Path) -> None:
    """It is covered by the question whether to quit while somebody else answers."""
    async with monitor(tmp_path) as seen:
        run_id = await seen.start(BESIDE)
        await seen.see("Go on?", "●1")
        await seen.press("a")
        await seen.dialog("Approve")
        await seen.press("ctrl+q")
        await seen.dialog("1 block runs here")
        [pause] = await seen.ask(lambda session: session.history.inbox(run_id))
        await seen.ask(
            lambda session: session.executor.answer(pause.pause_id, Reply("no", by="ben", via="cli"))
        )
        await seen.until(lambda: dialogs(seen.app)[0].has_class("-closed"))
        assert isinstance(seen.app.screen, QuitDialog)

        await seen.press("escape")

        await seen.see("Already answered by ben")
        (tmp_path / "enough").touch()


async def test_nothing_is_done_to_what_is_out_of_sight(tmp_path: Path) -> None:
    """In a terminal too small for the list only leaving works; with room again, all is as it was."""
    async with monitor(tmp_path) as seen:
        run_id = await seen.start(BESIDE)
        await seen.see("Go on?", "●1")
        await seen.pilot.resize_terminal(30, 8)
        await seen.see("q quits")
        await seen.press("a", "y", "y", "enter", "X", "y", "y", "2", "slash", "r", "colon")
        assert isinstance(seen.app.screen, InboxScreen)
        await seen.press("q")
        await seen.dialog("Quit tidegate?")
        await seen.press("escape")
        await seen.see("q quits")
        await seen.pilot.resize_terminal(80, 24)
        await seen.see("Go on?")
        await seen.press("a")
        await seen.dialog("Approve")

        await seen.pilot.resize_terminal(30, 8)
        await seen.see("Too small to answer")
        await seen.press("y")
        await seen.pilot.pause(0.2)
        await seen.press("y")
        await seen.pilot.resize_terminal(80, 24)
        await seen.see("Approve lets the run go on")
        assert await seen.ask(lambda session: session.history.inbox(run_id))
        await seen.press("escape")
        (tmp_path / "enough").touch()


async def test_an_engine_that_does_not_answer_does_not_keep_one_from_quitting(tmp_path: Path) -> None:
    """It is asked for a moment only; then the operator decides."""
    async with monitor(tmp_path) as seen:
        await seen.see("Nothing waits for you")
        held = asyncio.Event()

        async def stall(_: object) -> None:
            held.set()
            import time

            time.sleep(2.5)  # noqa: ASYNC251 - the engine's own loop stands still, that is what is tested

        stalling = asyncio.ensure_future(seen.app.engine.call(stall))
        await seen.press("q")
        await seen.dialog("The engine does not say")
        await stalling
        await seen.press("escape")


async def test_after_an_answer_the_cursor_is_on_the_next_question(tmp_path: Path) -> None:
    """The one that took the place, else the one above; never one that was answered."""
    async with monitor(tmp_path) as seen:
        for _ in range(3):
            await seen.start(SIMPLE)
        await seen.see("◆3")
        screen = seen.app.screen
        assert isinstance(screen, InboxScreen)
        await seen.until(lambda: screen.rows_view.position == (1, 3))
        first, second, third = [line.key for line in screen.rows_view.lines]

        await seen.press("ctrl+n")
        assert screen.rows_view.cursor_key == second
        for following in (third, first, ""):
            await seen.press("a")
            await seen.dialog("Approve")
            await seen.approve()
            await seen.until(lambda: seen.app.screen is screen)
            await seen.until(lambda following=following: screen.rows_view.cursor_key == following)  # type: ignore[misc]
        await seen.see("closed in the last 15 minutes", "nothing waits")
        await seen.press("a", "ctrl+n")
        assert seen.app.screen is screen

        await seen.press("j")
        await seen.press("a")
        await seen.see("this question is closed")


async def test_the_next_question_of_the_same_run_comes_first(tmp_path: Path) -> None:
    """Even if it is asked a moment later, as long as nobody has moved the cursor."""
    async with monitor(tmp_path) as seen:
        await seen.start(TWICE)
        await seen.see("The first?")
        await seen.start(SIMPLE)
        await seen.see("◆2")
        await seen.press("a")
        await seen.dialog("Approve")
        await seen.approve()
        await seen.see("The second?")

        await seen.until(lambda: cursor(seen) == "second")
        await seen.see("the same run asks next: enter opens it")
        assert not dialogs(seen.app)
        await seen.press("enter")
        await seen.dialog("2nd in a row of this run")


async def test_a_next_question_that_the_filter_hides_is_said_and_is_one_key_away(tmp_path: Path) -> None:
    """The key shows all rows, with the cursor on it."""
    async with monitor(tmp_path) as seen:
        await seen.start(TWICE)
        await seen.start(SIMPLE)
        await seen.see("◆2")
        await seen.press("slash", *"block:first", "enter")
        await seen.see("1 of 2")
        await seen.press("a")
        await seen.dialog("Approve")
        await seen.approve()
        await seen.see("esc shows what the same run asks next: The second?")
        assert not dialogs(seen.app)

        await seen.press("escape")
        await seen.until(lambda: cursor(seen) == "second")
        await seen.see("the same run asks next: enter opens it")


async def test_a_cursor_that_was_moved_is_left_where_it_is(tmp_path: Path) -> None:
    """Somebody reads another question by then."""
    async with monitor(tmp_path) as seen:
        await seen.start(TWICE.replace("sleep 0.4", "until test -e enough; do sleep 0.05; done"))
        await seen.see("The first?")
        for _ in range(2):
            await seen.start(SIMPLE)
        await seen.see("◆3")
        await seen.press("a")
        await seen.dialog("Approve")
        await seen.approve()
        await seen.until(lambda: isinstance(seen.app.screen, InboxScreen))
        await seen.see("◆2", "2 waiting")
        await seen.press("j")
        (tmp_path / "enough").touch()
        await seen.see("The second?")

        assert cursor(seen) == "ask"


async def test_the_next_question_is_one_key_away_from_anywhere(tmp_path: Path) -> None:
    """From the runs, and from within a run."""
    async with monitor(tmp_path, prepare=fill, clock=FixedClock(NOW)) as seen:
        await seen.press("2")
        await seen.see("backup-all")
        await seen.press("enter")
        await seen.until(lambda: isinstance(seen.app.screen, RunScreen))

        await seen.press("ctrl+n")

        await seen.see("Waiting for you", "Enter the EUR")


@pytest.mark.parametrize(
    ("keys", "words", "off", "on"),
    [
        (
            "2 enter",
            "copied chunk 59",
            {"Answer", "Retry", "Rerun", "Skip"},
            {"Past", "Pause", "Cancel"},
        ),
        ("2 j enter", "for an answer", {"Retry", "Rerun"}, {"Answer", "Pause", "Cancel", "Skip"}),
        (
            "2 j j j j j enter",
            "exit code 3",
            {"Answer", "Pause", "Cancel"},
            {"Retry", "Rerun", "Fork", "Skip"},
        ),
        (
            "2 j j j j enter",
            "known campaign|load",
            {"Answer", "Pause", "Retry", "Skip", "Cancel"},
            {"Rerun", "Fork"},
        ),
        ("2", "backup-all", {"Answer", "Retry"}, {"Open", "Pause"}),
        ("2 j", "backup-all", {"Retry"}, {"Answer"}),
        ("", "deploy-api", set(), {"Answer"}),
        ("G", "deploy-api", {"Answer", "Reject", "Bulk"}, {"Run"}),
    ],
)
async def test_the_key_bar_shows_what_applies(
    tmp_path: Path, keys: str, words: str, off: set[str], on: set[str]
) -> None:
    """What does nothing here is grey, and in its place, but has no room before what does something."""
    from tidegate.tui.lines import Tone
    from tidegate.tui.widgets.bars import KeyBar

    def labels(*, is_grey: bool) -> set[str]:
        [line] = seen.app.screen.query_one(KeyBar).lines
        return {piece.text.strip() for piece in line.pieces[2::2] if (piece.tone is Tone.OFF) == is_grey}

    async with monitor(tmp_path, prepare=fill, clock=FixedClock(NOW)) as seen:
        await seen.see("deploy-api")
        await seen.press(*keys.split())
        await seen.until(lambda: any(word in seen.text for word in words.split("|")))

        await seen.until(lambda: on <= labels(is_grey=False))
        await seen.until(lambda: labels(is_grey=True) <= off)
        assert not off & labels(is_grey=False)


async def test_a_key_for_another_block_goes_there_first(tmp_path: Path) -> None:
    """What is answered is what one has seen."""
    async with monitor(tmp_path, prepare=fill, clock=FixedClock(NOW)) as seen:
        await seen.press("2")
        await seen.see("deploy-api")
        await seen.press("j", "enter")
        await seen.see("for an answer to approve_prod")
        await seen.press("g", "a")
        await seen.see("approve_prod asks: a answers it")
        assert isinstance(seen.app.screen, RunScreen)

        await seen.press("a")
        await seen.dialog("Approve")
