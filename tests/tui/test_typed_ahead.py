"""Keys that come faster than they are acted upon: each acts on what the one before has led to."""

import subprocess
import sys
import time
from pathlib import Path

import pytest
from textual.events import Key
from textual.widgets import Input

from tidegate.tui.dialogs import AnswerDialog
from tidegate.tui.dialogs.palette import Palette
from tidegate.tui.dialogs.picks import NameDialog
from tidegate.tui.dialogs.turns.send_back import SendBackDialog
from tidegate.tui.lines import Tone
from tidegate.tui.screens.lists.inbox import InboxScreen
from tui.dialogs.host import chunk
from tui.monitoring import Monitor, monitor
from tui.ptys import on_pty

GATE = """
name: plain
blocks:
  - {id: build, type: Shell, inputs: {command: echo 1.5.3}}
  - {id: ask, type: ConfirmOperation, depends_on: [build], inputs: {message: Deploy it?}}
"""
NAMES = {" ": "space", ",": "comma", "/": "slash", ":": "colon"}


async def write(seen: Monitor, text: str) -> None:
    """Type a text as a person does, wherever it goes."""
    for character in text:
        await seen.pilot.press(NAMES.get(character, character))
        await seen.pilot.pause(0.08)


async def waiting(seen: Monitor) -> None:
    """Let two runs ask, and return once both are listed."""
    await seen.start(GATE)
    await seen.start(GATE)
    await seen.see("◆2")
    # The list is read after the count: until then no key has a row to act on.
    await seen.until(lambda: seen.text.count("Deploy it?") > 1)


async def sent(seen: Monitor) -> int:
    """Return how many answers were given."""
    return len(await seen.ask(lambda session: session.history.answered(10)))


# -- a field that a key opens -----------------------------------------------------------------


@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize("words", ["plain", "kind:input", "quite an answer"])
async def test_what_is_typed_behind_the_key_of_the_filter_goes_into_it(
    tmp_path: Path, words: str, at_once: bool
) -> None:
    """None of its letters zooms, answers or quits."""
    async with monitor(tmp_path) as seen:
        await waiting(seen)
        if at_once:
            chunk(seen.app, f"/{words}")
        else:
            await write(seen, f"/{words}")
        field = seen.app.screen.query_one("#filter", Input)
        await seen.until(lambda: field.value == words)

        assert isinstance(seen.app.screen, InboxScreen)
        assert seen.app.focused is field


@pytest.mark.parametrize("words", ["q", "theme: dark"])
async def test_what_is_typed_behind_the_key_of_the_palette_goes_into_it(tmp_path: Path, words: str) -> None:
    """Also where it takes a moment until it is open."""
    async with monitor(tmp_path) as seen:
        await waiting(seen)
        chunk(seen.app, f":{words}")
        await seen.until(lambda: isinstance(seen.app.screen, Palette))
        await seen.until(lambda: seen.app.screen.query_one("#palette-words", Input).value == words)

        assert seen.app.return_code is None


async def test_a_name_that_is_typed_at_once_is_one(tmp_path: Path) -> None:
    """A label in the list of checkpoints, with the key that asks for it and enter in one read."""
    async with monitor(tmp_path) as seen:
        await waiting(seen)
        chunk(seen.app, "3")
        await seen.see("plain")
        await seen.pilot.pause(0.3)
        chunk(seen.app, "Bbefore it\n")
        await seen.until(lambda: not isinstance(seen.app.screen, NameDialog))
        await seen.see("before it")


async def test_keys_behind_the_one_that_opens_a_question_act_on_nothing(tmp_path: Path) -> None:
    """Neither in the list below it nor in the dialog, whose keys count only after a moment."""
    async with monitor(tmp_path) as seen:
        await waiting(seen)
        chunk(seen.app, "aoqyy\n")
        await seen.dialog("Deploy it?")

        assert isinstance(seen.app.screen, AnswerDialog)
        assert len(seen.app.screen_stack) == 2
        assert await sent(seen) == 0


async def test_a_comment_in_one_read_is_one(tmp_path: Path) -> None:
    """From the key of its field on."""
    async with monitor(tmp_path) as seen:
        await waiting(seen)
        await seen.press("a")
        await seen.dialog("Deploy it?")
        seen.app.post_message(_key("ctrl+t"))
        chunk(seen.app, "yes, no and y")
        field = seen.app.screen.query_one("#comment", Input)
        await seen.until(lambda: field.value == "yes, no and y")


def _key(name: str) -> Key:
    return Key(name, None)


# -- a text in a dialog, and behind it ---------------------------------------------------------


@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize("text", ["no idea yet", "yes go ahead", "nginx-1"])
async def test_a_text_in_a_question_leaves_it_open(tmp_path: Path, text: str, at_once: bool) -> None:
    """With enter twice behind it, at the pace of a person."""
    async with monitor(tmp_path) as seen:
        await waiting(seen)
        await seen.press("a")
        await seen.dialog("Deploy it?")
        if at_once:
            chunk(seen.app, text)
        else:
            await write(seen, text)
        for wait in (0.3, 0.3, 0.7):
            await seen.pilot.pause(wait)
            await seen.pilot.press("enter")
        await seen.pilot.pause(0.3)

        assert await sent(seen) == 0
        assert isinstance(seen.app.screen, AnswerDialog)
        assert not seen.app.screen.query(".-armed, .-highlighted")


@pytest.mark.parametrize("at_once", [True, False])
async def test_what_is_typed_on_when_a_dialog_has_closed_acts_on_nothing(
    tmp_path: Path, at_once: bool
) -> None:
    """Until there is a pause: then the list takes keys again."""
    async with monitor(tmp_path) as seen:
        await waiting(seen)
        await seen.press("a")
        await seen.dialog("Deploy it?")
        await seen.press("y")
        await seen.pilot.pause(0.2)
        await seen.press("y")
        await seen.until(lambda: isinstance(seen.app.screen, InboxScreen))
        if at_once:
            chunk(seen.app, "o, quite as planned")
        else:
            await write(seen, "o, quite as planned")
        await seen.pilot.pause(0.1)
        assert isinstance(seen.app.screen, InboxScreen)
        assert len(seen.app.screen_stack) == 1

        await seen.press("a")
        await seen.dialog("Deploy it?")


@pytest.mark.parametrize(("key", "title"), [("ctrl+r", "Nothing happens until"), ("f1", "The keys of")])
async def test_escape_leads_back_to_the_question(tmp_path: Path, key: str, title: str) -> None:
    """What was typed beside it is still there, and nothing has reached the list."""
    async with monitor(tmp_path) as seen:
        await waiting(seen)
        await seen.press("a")
        await seen.dialog("Deploy it?")
        await seen.press("ctrl+t", *"soon", "enter", key)
        await seen.see(title)
        if key == "ctrl+r":
            await seen.until(lambda: isinstance(seen.app.screen, SendBackDialog))
            await seen.dialog(title)
        await seen.pilot.press("escape", "o", "q")
        await seen.until(lambda: isinstance(seen.app.screen, AnswerDialog))
        await seen.dialog("Deploy it?")

        assert seen.app.screen.query_one("#comment", Input).value == "soon"
        assert len(seen.app.screen_stack) == 2


async def test_what_goes_wrong_is_said_in_the_dialog_in_front(tmp_path: Path) -> None:
    """No toast is drawn there; what is only news waits in the line below it, and both are kept."""
    async with monitor(tmp_path, size=(120, 36)) as seen:
        await waiting(seen)
        await seen.press("a")
        await seen.dialog("Deploy it?")
        seen.app.tell("something has been done", Tone.DONE)
        seen.app.tell("the disk is full", Tone.FAILED)

        await seen.see("the disk is full. ")
        assert "something has been done" not in seen.text
        assert [note.text for note in seen.app.desk.notes] == ["something has been done", "the disk is full"]


# -- on a terminal -----------------------------------------------------------------------------


def test_a_read_with_several_keys_in_it_answers_and_quits_nothing(tmp_path: Path) -> None:
    """As a terminal behind a slow line sends them."""
    (tmp_path / "plain.yaml").write_text(GATE)
    words = ["-m", "tidegate", "--store", f"sqlite:///{tmp_path}/store.db"]
    subprocess.run(
        [sys.executable, *words, "run", "plain.yaml"], cwd=tmp_path, capture_output=True, check=False
    )
    with on_pty(words, tmp_path) as opened:
        opened.wait_for("Deploy it?", "ends at once")
        opened.press("/plain")
        opened.wait_for("plain")
        time.sleep(1)
        opened.press("\x1b")
        time.sleep(1)
        opened.press(":q")
        opened.wait_for("Quit;")
        opened.press("\x1b")
        # Each dialog waits a moment, and so do we.
        time.sleep(1)
        opened.press("a")
        opened.wait_for("Reject ends")
        opened.press("yes go ahead")
        opened.wait_for("You seem to be writing")
        opened.press("\r")
        opened.press("\x1b")
        opened.wait_for("stays open")
        assert opened.process.poll() is None
    listed = subprocess.run([sys.executable, *words, "inbox"], cwd=tmp_path, capture_output=True, check=False)
    assert b"Deploy it?" in listed.stdout
