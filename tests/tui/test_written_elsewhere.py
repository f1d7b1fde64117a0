"""A text that is meant for another program, and opens a dialog with one of its letters, does nothing in it."""

import asyncio
from pathlib import Path

import pytest
from textual.events import AppBlur, AppFocus
from textual.widgets import Button, Input

from tidegate.model.ids import BlockId
from tidegate.model.state import BlockStatus
from tidegate.tui.dialogs import AnswerDialog, Dialog, QuitDialog
from tidegate.tui.dialogs.answering.bulk import BulkDialog
from tidegate.tui.dialogs.bodies.body import ArmedBody
from tidegate.tui.dialogs.hand_on import HandOnDialog
from tidegate.tui.dialogs.turns.skip import SkipDialog
from tidegate.tui.screens.lists.inbox import InboxScreen
from tui.dialogs.host import chunk
from tui.monitoring import Monitor, monitor
from tui.test_certainty import calm, says
from tui.test_turns import open_run, put_cursor, state_of
from tui.test_typed_ahead import GATE, sent, waiting

VALUE = "{name: value, blocks: [{id: ask, type: GetInput, inputs: {prompt: Deploy it?}}]}"
FAILS = "{name: fails, blocks: [{id: build, type: Shell, inputs: {command: exit 3}}]}"


async def write(seen: Monitor, text: str, gap: float) -> None:
    """Type a text key by key, whether anything comes of them or not; let its last key do what it does."""
    for character in text:
        chunk(seen.app, character)
        await asyncio.sleep(gap)
    await calm(seen)


async def two_ask(seen: Monitor, workflow: str) -> None:
    """Let two runs ask the same, and return once both are listed."""
    await seen.start(workflow)
    await seen.start(workflow)
    await seen.until(lambda: seen.text.count("Deploy it?") > 1)


# -- that begins before the dialog is there -----------------------------------------------------


@pytest.mark.parametrize(("text", "gap"), [("away\n", 0.25), ("any\n", 0.2), ("array\n", 0.15)])
async def test_a_word_approves_nothing(tmp_path: Path, text: str, gap: float) -> None:
    """Its first letter opens the question; the one that would choose an answer follows others that came too early."""
    async with monitor(tmp_path) as seen:
        await waiting(seen)
        await write(seen, text, gap)

        assert await sent(seen) == 0


@pytest.mark.parametrize("gap", [0.0, 0.08, 0.15])
async def test_a_sentence_is_no_value(tmp_path: Path, gap: float) -> None:
    """What of it has reached the field is sent by a key that no text has in it, and the dialog says so."""
    async with monitor(tmp_path) as seen:
        await two_ask(seen, VALUE)
        await write(seen, "and then we will see what comes\n", gap)
        await seen.dialog("Deploy it?")
        assert await sent(seen) == 0
        if gap:
            await says(seen, "You were writing before this took keys, so enter does nothing here")
        await seen.press("x", "ctrl+s")
        await seen.until(lambda: isinstance(seen.app.screen, InboxScreen))

        assert await sent(seen) == 1


async def test_a_value_that_is_typed_in_an_open_dialog_is_sent_by_enter(tmp_path: Path) -> None:
    """Also where its key was pressed twice, a moment ago."""
    async with monitor(tmp_path) as seen:
        await two_ask(seen, VALUE)
        await write(seen, "aa", 0.2)
        await seen.dialog("Deploy it?")
        await calm(seen)
        await write(seen, "42", 0.08)
        await seen.press("enter")
        await seen.until(lambda: isinstance(seen.app.screen, InboxScreen))

        assert await sent(seen) == 1


async def test_a_letter_that_means_nothing_tells_that_a_text_led_here(tmp_path: Path) -> None:
    """However long the pause is in which the dialog opens."""
    async with monitor(tmp_path) as seen:
        await two_ask(seen, VALUE)
        await write(seen, "hia", 0.08)
        await seen.dialog("Deploy it?")
        await calm(seen)
        await write(seen, "nd so on\n", 0.08)
        await says(seen, "You were writing before this took keys")

        assert await sent(seen) == 0


async def test_a_sentence_answers_not_several_at_once(tmp_path: Path) -> None:
    """The review of a bulk answer has the same field."""
    async with monitor(tmp_path) as seen:
        await two_ask(seen, VALUE)
        await write(seen, "As I have said\n", 0.1)
        await says(seen, "You were writing before this took keys")

        assert isinstance(seen.app.screen, BulkDialog)
        assert await sent(seen) == 0


async def test_a_sentence_skips_no_block(tmp_path: Path) -> None:
    """The rest of it is no reason, until somebody says so."""
    async with monitor(tmp_path, size=(120, 36)) as seen:
        run_id = await open_run(seen, FAILS, "✗ failed")
        await put_cursor(seen, "build")
        await write(seen, "So what do you think\n", 0.08)
        await says(seen, "You were writing before this took keys")
        assert isinstance(seen.app.screen, SkipDialog)
        assert (await state_of(seen, run_id)).block(BlockId("build")).status is BlockStatus.FAILED
        await seen.press("ctrl+s")
        await seen.until(lambda: not isinstance(seen.app.screen, SkipDialog))


async def test_a_word_turns_no_run(tmp_path: Path) -> None:
    """Nothing of it is chosen."""
    async with monitor(tmp_path, size=(120, 36)) as seen:
        run_id = await open_run(seen, FAILS, "✗ failed")
        await put_cursor(seen, "build")
        await write(seen, "ready\n", 0.2)

        assert (await state_of(seen, run_id)).block(BlockId("build")).attempt == 1


@pytest.mark.parametrize("text", ["@home\n", "@ana, will you?\n"])
async def test_an_address_hands_nothing_on(tmp_path: Path, text: str) -> None:
    """The enter behind its letters picks nothing; after a pause it does."""
    async with monitor(tmp_path) as seen:
        await waiting(seen)
        await seen.press("at")
        await seen.until(lambda: isinstance(seen.app.screen, HandOnDialog))
        await write(seen, text[1:], 0.08)
        await seen.see("You seem to be writing")
        assert isinstance(seen.app.screen, HandOnDialog)
        await seen.press("down", "up", "enter")
        await seen.see("assigned to ana")


# -- a reason -----------------------------------------------------------------------------------


@pytest.mark.parametrize("gap", [0.0, 0.15])
async def test_no_letter_of_a_reason_is_lost(tmp_path: Path, gap: float) -> None:
    """The key that rejects puts the cursor in the comment, so what is typed at once goes there; ctrl+s sends both."""
    async with monitor(tmp_path) as seen:
        await waiting(seen)
        await write(seen, "rbad numbers\n", gap)
        await seen.dialog("Deploy it?")
        await seen.until(lambda: seen.app.screen.query_one("#comment", Input).value == "bad numbers")
        assert await sent(seen) == 0
        await seen.press("ctrl+s")
        await seen.until(lambda: isinstance(seen.app.screen, InboxScreen))

        [row] = await seen.ask(lambda session: session.history.answered(10))
        assert row.answer is not None
        assert (row.answer.raw, row.answer.comment) == ("no", "bad numbers")


async def test_a_key_that_is_pressed_again_is_no_reason(tmp_path: Path) -> None:
    """It only came too early."""
    async with monitor(tmp_path) as seen:
        await waiting(seen)
        await write(seen, "rrr", 0.05)
        await seen.dialog("Deploy it?")

        assert seen.app.screen.query_one("#comment", Input).value == ""


async def test_the_next_line_of_a_reason_sends_nothing(tmp_path: Path) -> None:
    """Its first letter comes too soon behind the enter that has led out of the comment; the second takes back the no."""
    async with monitor(tmp_path) as seen:
        await waiting(seen)
        await seen.press("r")
        await seen.dialog("Deploy it?")
        await calm(seen)
        await calm(seen)
        await write(seen, "bad numbers\nno way\n", 0.15)

        assert await sent(seen) == 0
        assert seen.app.screen.query_one(ArmedBody).option is None


# -- back from elsewhere ------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["y", "enter"])
@pytest.mark.parametrize("is_told", [True, False])
async def test_whoever_comes_back_chooses_again(tmp_path: Path, key: str, is_told: bool) -> None:
    """What was chosen before is not sent by the first key, whether the terminal says that somebody is back or not."""
    async with monitor(tmp_path) as seen:
        await waiting(seen)
        await seen.press("a")
        await seen.dialog("Deploy it?")
        await seen.press("y")
        await says(seen, "to send")
        seen.app.post_message(AppBlur())
        await seen.until(lambda: not seen.app.app_focus)
        if is_told:
            seen.app.post_message(AppFocus())
            await says(seen, "You were elsewhere meanwhile, so nothing is chosen any more.")
        await calm(seen)
        await seen.press(key)
        await calm(seen)
        assert await sent(seen) == 0
        assert isinstance(seen.app.screen, AnswerDialog)
        await seen.press("n")
        await says(seen, "▶ Reject")


async def test_whoever_comes_back_does_not_quit(tmp_path: Path) -> None:
    """The safe answer has the focus again."""
    async with monitor(tmp_path) as seen:
        seen.app.push_screen(QuitDialog(("build",)))
        await seen.dialog("Quit tidegate?")
        await seen.press("right")
        seen.app.post_message(AppBlur())
        seen.app.post_message(AppFocus())
        await seen.until(lambda: isinstance(seen.app.focused, Button) and seen.app.focused.id == "stay")


# -- what is new is read first ------------------------------------------------------------------


async def test_a_press_that_came_with_the_news_confirms_nothing(tmp_path: Path) -> None:
    """Somebody else has taken the question over, which is said when it is sent; a third press did not know of it."""
    async with monitor(tmp_path) as seen:
        await waiting(seen)
        await seen.press("a")
        await seen.dialog("Deploy it?")
        dialog = seen.app.screen
        assert isinstance(dialog, AnswerDialog)
        await seen.press("y")
        await says(seen, "to send")
        pause_id = dialog.pause.pause_id
        await seen.ask(lambda session: session.executor.assign(pause_id, "ben", by="cem", note=""))
        await seen.see("ben")
        await calm(seen)
        await write(seen, "yy", 0.15)
        await says(seen, "Not sent. Meanwhile")

        assert await sent(seen) == 0


# -- a paste that no terminal marks -------------------------------------------------------------


@pytest.mark.parametrize("text", ["\t\n", "one\ttwo\t\n", "one\t\n"])
async def test_a_row_of_a_table_presses_no_button(tmp_path: Path, text: str) -> None:
    """Tab leads to the button that quits, and the line break behind it counts no more than a letter."""
    async with monitor(tmp_path) as seen:
        seen.app.push_screen(QuitDialog(("build",)))
        await seen.dialog("Quit tidegate?")
        chunk(seen.app, text)
        await calm(seen)

        assert isinstance(seen.app.screen, QuitDialog)
        assert seen.app.return_code is None


# -- after a dialog -----------------------------------------------------------------------------


async def test_a_key_that_comes_too_soon_is_told_and_heard_when_it_is_pressed_on(tmp_path: Path) -> None:
    """The same key again waits for no pause; what came of the answer is said with it."""
    async with monitor(tmp_path, size=(100, 30)) as seen:
        await waiting(seen)
        await seen.press("a")
        await seen.dialog("Deploy it?")
        await seen.approve()
        await seen.until(lambda: isinstance(seen.app.screen, InboxScreen))
        chunk(seen.app, "a")
        await seen.see("too soon: pause, then press again · Sent: approved")
        async with asyncio.timeout(5):
            while not isinstance(seen.app.screen, Dialog):
                chunk(seen.app, "a")
                await seen.pilot.pause(0.15)


async def test_escape_behind_a_dialog_is_told_too(tmp_path: Path) -> None:
    """It does not leave the place below it."""
    async with monitor(tmp_path, size=(120, 36)) as seen:
        await seen.start(GATE)
        await seen.see("Deploy it?")
        await seen.press("o")
        await seen.see("a Answer")
        await seen.press("X")
        await seen.dialog("Nothing happens until the id is typed")
        await seen.pilot.press("escape", "escape")
        await seen.see("too soon: pause, then press again")

        assert not isinstance(seen.app.screen, InboxScreen)
