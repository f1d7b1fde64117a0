"""That nothing is answered by accident."""

import pytest
from textual import events
from textual.widgets import Input

from tidegate.model.prompt import FormPrompt, InputKind, InputPrompt, Prompt
from tidegate.tui.dialogs import AnswerDialog, Dialog, Pace
from tui.dialogs.host import (
    AT_ONCE,
    Desk,
    Host,
    answering,
    bar,
    hold,
    paste,
    pause_of,
    ready,
    screen_text,
    until,
)
from tui.dialogs.prompts import ALL, CHOICE, CONFIRM, EASY_FORM, FORM, RECOVERY, SEVERAL, TICKET

NEVER = 3600.0
every_kind = pytest.mark.parametrize("prompt", ALL, ids=lambda prompt: prompt.kind)


def _enter_means_more(prompt: Prompt) -> bool:
    """Whether enter begins a line, or goes to the next field."""
    return isinstance(prompt, FormPrompt) or (isinstance(prompt, InputPrompt) and prompt.takes_lines)


@every_kind
@pytest.mark.parametrize("times", [1, 3])
async def test_enter_on_an_untouched_dialog_sends_nothing(prompt: Prompt, times: int) -> None:
    """However often it is pressed: it says that nothing was chosen or typed, and stays."""
    desk = Desk(prompt)
    async with answering(prompt, desk).run_test() as pilot:
        app = await ready(pilot)
        await pilot.press(*["enter"] * times)

        assert desk.calls == []
        assert app.results == []
        assert _enter_means_more(prompt) or "Nothing is" in bar(app)


@every_kind
async def test_keys_do_not_count_in_the_first_moments(prompt: Prompt) -> None:
    """Whatever is pressed while the dialog appears is dropped, and the dialog says why."""
    desk = Desk(prompt)
    app = answering(prompt, desk, pace=Pace(inert=NEVER))
    async with app.run_test() as pilot:
        await until(pilot, lambda: isinstance(app.screen, Dialog) and app.dialog.is_mounted)
        await pilot.press("y", "y", "1", "enter", "enter", "ctrl+s", "escape")
        await pilot.click("#dialog-bar")

        assert app.results == []
        assert desk.calls == []
        assert app.dialog.focused is None
        assert bar(app) == "Keys arm in a moment ..."


async def test_keys_count_after_the_first_moments() -> None:
    """The inert time ends by itself."""
    async with answering(CONFIRM, pace=Pace(inert=0.01, quiet=0, burst=0)).run_test() as pilot:
        app = await ready(pilot)
        await pilot.press("y", "y")
        await until(pilot, lambda: app.results)

        assert app.outcome.sent


@every_kind
async def test_keys_typed_before_it_opened_do_not_count(prompt: Prompt) -> None:
    """They were meant for what was there before, even if the program only comes to them now."""
    desk = Desk(prompt)
    app = Host()
    async with app.run_test() as pilot:
        early = [events.Key(key, key if len(key) == 1 else None) for key in ("y", "y", "1", "enter", "enter")]
        pasted = events.Paste("ABC-1")
        app.show(AnswerDialog(pause_of(prompt), desk.submit, pace=AT_ONCE))
        await ready(pilot)
        for event in (*early, pasted):
            app.post_message(event)
        await pilot.press("ctrl+t", "escape")
        await pilot.press("escape")

        assert desk.calls == []
        assert app.outcome.draft == ""


@every_kind
async def test_escape_leaves_without_an_answer(prompt: Prompt) -> None:
    """It means later, never no."""
    desk = Desk(prompt)
    async with answering(prompt, desk).run_test() as pilot:
        app = await ready(pilot)
        await pilot.press("escape")

        assert desk.calls == []
        assert not app.outcome.sent
        assert "stays open" in app.outcome.note


@every_kind
async def test_control_c_answers_nothing(prompt: Prompt) -> None:
    """It copies, and the dialog stays."""
    desk = Desk(prompt)
    async with answering(prompt, desk).run_test() as pilot:
        app = await ready(pilot)
        await pilot.press("ctrl+c", "ctrl+c")

        assert desk.calls == []
        assert app.results == []
        assert isinstance(app.screen, Dialog)


@pytest.mark.parametrize("prompt", [CONFIRM, CHOICE, SEVERAL, RECOVERY], ids=lambda prompt: prompt.kind)
@pytest.mark.parametrize("text", ["y\ny\ny\n", "1\n\n\n", "y" * 1_000_000, "\x1by\r\r"])
async def test_a_paste_presses_nothing(prompt: Prompt, text: str) -> None:
    """Text is no key: it neither chooses nor sends."""
    desk = Desk(prompt)
    async with answering(prompt, desk).run_test() as pilot:
        app = await ready(pilot)
        before = bar(app)
        paste(app, text)
        await pilot.press("ctrl+down")

        assert desk.calls == []
        assert bar(app) == before


async def test_a_paste_that_comes_as_keys_is_not_confirmed() -> None:
    """Some terminals do not mark pastes: y and enter then arrive in the same moment."""
    desk = Desk(CONFIRM)
    async with answering(CONFIRM, desk, pace=Pace(inert=0, quiet=NEVER)).run_test() as pilot:
        app = await ready(pilot)
        await pilot.press("y", "enter")

        assert desk.calls == []
        assert "let go" in bar(app)


@pytest.mark.parametrize("prompt", [TICKET, FORM, EASY_FORM], ids=["input", "form", "easy form"])
async def test_an_enter_that_comes_with_typed_text_does_not_send_it(prompt: Prompt) -> None:
    """The line break of an unmarked paste submits nothing, nor does it go on to another field."""
    desk = Desk(prompt)
    async with answering(prompt, desk, pace=Pace(inert=0, quiet=0, burst=NEVER)).run_test() as pilot:
        app = await ready(pilot)
        await pilot.press("A", "enter")

        assert desk.calls == []
        assert "out of a paste" in bar(app)


@pytest.mark.parametrize(
    ("prompt", "first", "key"),
    [
        (CONFIRM, "down", "y"),
        (CHOICE, "down", "enter"),
        (SEVERAL, "1", "enter"),
        (SEVERAL, "1", "ctrl+s"),
        (RECOVERY, "down", "enter"),
        (EASY_FORM, "ctrl+down", "ctrl+s"),
    ],
)
async def test_a_held_key_does_not_decide(prompt: Prompt, first: str, key: str) -> None:
    """Holding a key is one stroke, and no single stroke decides."""
    desk = Desk(prompt)
    async with answering(prompt, desk, pace=Pace(inert=0, quiet=NEVER)).run_test() as pilot:
        app = await ready(pilot)
        await pilot.press(first)
        await hold(pilot, key, 30)
        await pilot.press("ctrl+down")

        assert desk.calls == []
        assert app.results == []


async def test_the_same_key_twice_sends_once_it_is_quiet() -> None:
    """Two separate presses of y are a decision."""
    desk = Desk(CONFIRM)
    async with answering(CONFIRM, desk, pace=Pace(inert=0, quiet=0.001)).run_test() as pilot:
        app = await ready(pilot)
        await pilot.press("y")
        await pilot.pause(0.01)
        await pilot.press("y")
        await until(pilot, lambda: app.results)

        assert desk.values == [True]


async def test_a_held_key_sends_one_answer() -> None:
    """While one is on its way, everything else is dropped."""
    desk = Desk(CONFIRM)
    desk.open.clear()
    async with answering(CONFIRM, desk).run_test() as pilot:
        app = await ready(pilot)
        await hold(pilot, "y", 20)
        await hold(pilot, "enter", 5)
        await pilot.press("n", "n", "ctrl+s", "escape")
        assert bar(app) == "Sending ..."
        await pilot.click("#reject")
        await pilot.click("#reject")
        desk.open.set()
        await until(pilot, lambda: app.results)

        assert desk.calls == [("yes", "")]
        assert app.outcome.note.startswith("Sent: approved · ")


@every_kind
async def test_a_click_beside_the_dialog_does_nothing(prompt: Prompt) -> None:
    """Neither close nor answer."""
    desk = Desk(prompt)
    async with answering(prompt, desk).run_test(size=(120, 36)) as pilot:
        app = await ready(pilot)
        focused = app.focused
        await pilot.click(offset=(1, 1))

        assert app.results == []
        assert desk.calls == []
        assert app.focused is focused


async def test_the_first_click_after_coming_back_only_focuses() -> None:
    """It was aimed at the window."""
    async with answering(CONFIRM).run_test() as pilot:
        app = await ready(pilot)
        app.post_message(events.AppBlur())
        app.post_message(events.AppFocus())
        await pilot.pause()
        await pilot.click("#approve")
        assert "Approve:" not in bar(app)
        await pilot.click("#reject")

        assert bar(app).startswith("▶ Reject:")


async def test_a_double_click_only_arms() -> None:
    """The second click of one gesture does not confirm the first."""
    desk = Desk(CONFIRM)
    async with answering(CONFIRM, desk).run_test() as pilot:
        app = await ready(pilot)
        await pilot.click("#approve", times=2)

        assert desk.calls == []
        assert bar(app).startswith("▶ Approve:")


async def test_letters_in_a_comment_choose_nothing() -> None:
    """A comment that begins with y approves nothing, and enter in it sends nothing."""
    desk = Desk(CONFIRM)
    async with answering(CONFIRM, desk).run_test() as pilot:
        app = await ready(pilot)
        await pilot.press("ctrl+t", "y", "y", "n", "enter", "enter")

        assert desk.calls == []
        assert app.dialog.query_one("#comment", Input).value == "yyn"


async def test_two_that_are_due_say_which_one_this_is() -> None:
    """The queue's position stands in the header."""
    async with answering(CONFIRM, position="1 of 2").run_test() as pilot:
        app = await ready(pilot)

        assert app.dialog.query_one("#dialog-header").render_line(0).text.rstrip().endswith("1 of 2")


# -- a text that nobody looks at --------------------------------------------------------------


@pytest.mark.parametrize("text", ["yesterday", "hey, no", "connection", "any day now", "y and n"])
async def test_a_text_that_is_written_answers_nothing(text: str) -> None:
    """Its letters are no answers, however slowly it is typed: a comment whose field is not there."""
    desk = Desk(CONFIRM)
    async with answering(CONFIRM, desk).run_test() as pilot:
        app = await ready(pilot)
        for character in text:
            await pilot.press({" ": "space", ",": "comma"}.get(character, character))
        await pilot.pause(0.05)

        assert desk.calls == []
        assert app.results == []
        assert bar(app).startswith("You seem to be writing")


async def test_who_has_written_answers_after_a_moment() -> None:
    """Then a letter means what it says again, by two presses as always."""
    desk = Desk(CONFIRM)
    pace = Pace(inert=0, quiet=0, burst=0, writing=0.3)
    async with answering(CONFIRM, desk, pace=pace).run_test() as pilot:
        app = await ready(pilot)
        await pilot.press("e", "y", "y")
        assert "You seem to be writing" in bar(app)
        await pilot.pause(0.35)
        await pilot.press("y", "tab", "y")
        # To turn to something else takes it back: that was the first of two presses again.
        assert desk.calls == []
        await pilot.press("y")
        await until(pilot, lambda: app.results)
        assert desk.calls == [("yes", "")]


async def test_a_comment_that_was_asked_for_too_early_is_asked_for() -> None:
    """What is typed next is meant for it."""
    desk = Desk(CONFIRM)
    async with answering(CONFIRM, desk, pace=Pace(inert=0.3)).run_test() as pilot:
        await until(pilot, lambda: isinstance(pilot.app.screen, Dialog) and pilot.app.screen.is_mounted)
        await pilot.press("ctrl+t")
        app = await ready(pilot)
        await pilot.press(*"yesyes")
        assert app.dialog.query_one("#comment", Input).value == "yesyes"
        assert desk.calls == []


async def test_a_secret_is_not_seen_and_not_kept() -> None:
    """Neither on the terminal, nor as a draft of who leaves; sent it is what was typed."""
    prompt = InputPrompt(prompt="Code?", input_type=InputKind.SECRET)
    desk = Desk(prompt)
    app = answering(prompt, desk)
    async with app.run_test() as pilot:
        await ready(pilot)
        await pilot.press(*"tiger-4711")
        await pilot.pause()
        assert "tiger" not in screen_text(app)
        await pilot.press("escape")
        await until(pilot, lambda: app.results)
        assert (app.outcome.sent, app.outcome.draft) == (False, "")

        app.results.clear()
        app.show(AnswerDialog(pause_of(prompt), desk.submit, pace=AT_ONCE))
        await ready(pilot)
        await pilot.press(*"abc", "enter", *"defg", "enter")
        await until(pilot, lambda: app.results)
        assert desk.calls == [("abcdefg", "")]
