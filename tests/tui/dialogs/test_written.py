"""That whoever writes a text where none is taken answers nothing: letter by letter, or all of it at once."""

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from tidegate.model.prompt import ChoicePrompt, CommentRule, ConfirmPrompt, Prompt
from tidegate.tui.dialogs import Pace
from tidegate.tui.dialogs.bodies.body import ArmedBody
from tidegate.tui.dialogs.frame.gate import Gate
from tui.dialogs.host import Desk, Host, answering, bar, chunk, ready, until
from tui.dialogs.prompts import CHOICE, CONFIRM, RECOVERY, SEVERAL, TICKET

PACE = Pace(inert=0)
"""That of the program, but for the wait at the beginning."""
SLOW = 0.08
"""Seconds between two keys of somebody who types."""
ZERO_TO_SEVEN = ChoicePrompt(question="How many?", choices=tuple("01234567"), multiple=True, max=8)
NAMES = {" ": "space", ",": "comma", "-": "minus", "?": "question_mark"}


async def write(pilot: Pilot[None], text: str) -> None:
    """Type a text as a person does."""
    for character in text:
        await pilot.press(NAMES.get(character, character))
        await pilot.pause(SLOW)


def chosen(app: Host) -> list[object]:
    """Return what is armed, what is highlighted, and what is marked."""
    body = app.dialog.query_one(ArmedBody)
    return [one for one in (body.option, body.highlighted(), body.draft) if one]


@pytest.mark.parametrize(
    ("prompt", "text"),
    [
        (CONFIRM, "no idea yet"),
        (CONFIRM, "yes please do"),
        (CONFIRM, "any idea"),
        (CHOICE, "3 of them"),
        (SEVERAL, "2 nodes"),
        (RECOVERY, "1st one"),
    ],
)
async def test_a_text_and_two_line_breaks_send_nothing(prompt: Prompt, text: str) -> None:
    """At the pace of a person: whatever its first letter has chosen is taken back, and enter belongs to it."""
    desk = Desk(prompt)
    async with answering(prompt, desk, pace=PACE).run_test() as pilot:
        app = await ready(pilot)
        await write(pilot, text)
        assert "You seem to be writing" in bar(app)
        for _ in range(2):
            await pilot.press("enter")
            await pilot.pause(0.3)

        assert (desk.calls, app.results, chosen(app)) == ([], [], [])


@pytest.mark.parametrize(
    ("prompt", "text"),
    [
        (CONFIRM, "yes go ahead"),
        (CONFIRM, "nginx-1"),
        (CONFIRM, "yes\ny\ny\n"),
        (CONFIRM, "y\ny\n"),
        (CONFIRM, "no\n"),
        (CONFIRM, "ny"),
        (CHOICE, "2 or 3\n\n"),
        (CHOICE, "1\n\n"),
        (SEVERAL, "13\n\n"),
        (RECOVERY, "2\n2\n"),
    ],
)
@pytest.mark.parametrize("wait", [0.3, 0.7])
async def test_a_text_in_one_read_leaves_nothing_armed(prompt: Prompt, text: str, wait: float) -> None:
    """In whatever order its letters are handled; the enter that comes later sends nothing."""
    desk = Desk(prompt)
    async with answering(prompt, desk, pace=PACE).run_test() as pilot:
        app = await ready(pilot)
        chunk(app, text)
        await pilot.pause(wait)
        assert chosen(app) == []
        await pilot.press("enter")
        await pilot.pause(0.3)

        assert (desk.calls, app.results, chosen(app)) == ([], [], [])


async def test_after_a_pause_enter_still_has_nothing_to_send() -> None:
    """The letters have not left the cursor on an answer."""
    desk = Desk(CONFIRM)
    async with answering(CONFIRM, desk, pace=Pace(inert=0, writing=0.2)).run_test() as pilot:
        app = await ready(pilot)
        await write(pilot, "no idea")
        await pilot.pause(0.3)
        await pilot.press("enter")
        await pilot.pause()
        assert "Nothing is chosen yet" in bar(app)
        await pilot.pause(0.2)
        await pilot.press("enter")
        await pilot.pause(0.2)

        assert (desk.calls, chosen(app)) == ([], [])


async def test_an_arrow_after_a_text_chooses_again() -> None:
    """It is no letter: whoever presses it looks at the answers, and enter takes them as ever."""
    desk = Desk(CONFIRM)
    async with answering(CONFIRM, desk, pace=PACE).run_test() as pilot:
        app = await ready(pilot)
        await write(pilot, "oh")
        await pilot.press("right")
        await pilot.pause(0.2)
        await pilot.press("enter")
        await pilot.pause(0.2)
        assert bar(app).startswith("▶ Reject:")
        await pilot.press("enter")
        await until(pilot, lambda: app.results)

        assert desk.calls == [("no", "")]


async def test_a_mark_that_was_set_before_the_text_stays() -> None:
    """Only what its own first digit has marked is taken back."""
    async with answering(ZERO_TO_SEVEN, pace=Pace(inert=0, writing=0.2)).run_test() as pilot:
        app = await ready(pilot)
        await write(pilot, "3")
        await pilot.press("down", "up")
        await write(pilot, "5 or so")

        assert chosen(app)[-1] == '["3"]'


async def test_a_held_key_is_no_text() -> None:
    """Its repeats say what it takes, as before: nothing is sent until it was let go."""
    desk = Desk(CONFIRM)
    async with answering(CONFIRM, desk, pace=PACE).run_test() as pilot:
        app = await ready(pilot)
        chunk(app, "yyyy")
        await pilot.pause(0.3)

        assert desk.calls == []
        assert "let go" in bar(app)


async def test_letters_after_the_key_that_rejects_are_its_reason() -> None:
    """None of them sends: the field takes them, and the same key or ctrl+s sends both."""
    desk = Desk(CONFIRM)
    async with answering(CONFIRM, desk, pace=PACE).run_test() as pilot:
        app = await ready(pilot)
        await pilot.press("ctrl+x")
        await write(pilot, "no, not today")
        assert desk.calls == []
        assert app.dialog.query_one("#comment", Input).value == "no, not today"
        assert bar(app).startswith("▶ Reject: press ctrl+s to send")
        await pilot.pause(0.2)
        await pilot.press("ctrl+x")
        await until(pilot, lambda: app.results)

        assert desk.calls == [("no", "no, not today")]


@pytest.mark.parametrize("rule", [CommentRule.ON_REJECT, CommentRule.OPTIONAL])
async def test_the_reason_in_one_read_is_kept_and_not_sent(rule: CommentRule) -> None:
    """Its line break leaves the field for nothing, nor does what follows act on the answers."""
    prompt = ConfirmPrompt(message="Go?", comment_rule=rule)
    desk = Desk(prompt)
    async with answering(prompt, desk, pace=PACE).run_test() as pilot:
        app = await ready(pilot)
        await pilot.press("ctrl+x")
        await pilot.pause(0.1)
        chunk(app, "no, not today\ny\n")
        await pilot.pause(0.3)
        assert desk.calls == []
        assert app.dialog.query_one("#comment", Input).value == "no, not todayy"
        await pilot.press("ctrl+s")
        await until(pilot, lambda: app.results)

        assert desk.calls == [("no", "no, not todayy")]


async def test_enter_in_the_reason_goes_back_and_the_next_one_sends() -> None:
    """As in every comment."""
    desk = Desk(CONFIRM)
    async with answering(CONFIRM, desk, pace=PACE).run_test() as pilot:
        app = await ready(pilot)
        await pilot.press("ctrl+x")
        await write(pilot, "later")
        await pilot.press("enter")
        await pilot.pause(0.2)
        assert desk.calls == []
        assert bar(app).startswith("▶ Reject: press n or enter to send")
        await pilot.press("n")
        await until(pilot, lambda: app.results)

        assert desk.calls == [("no", "later")]


async def test_a_line_break_out_of_a_paste_sends_no_value() -> None:
    """In the field of an answer, as before."""
    desk = Desk(TICKET)
    async with answering(TICKET, desk, pace=PACE).run_test() as pilot:
        app = await ready(pilot)
        chunk(app, "ABC-1\n")
        await pilot.pause(0.3)

        assert desk.calls == []
        assert "out of a paste" in bar(app)


def test_what_follows_a_letter_at_once_is_of_a_text() -> None:
    """By the times of the keys alone; the same key again is one that is held."""
    gate = Gate(Pace(burst=0.01, writing=1.5))
    gate.press("n", 100.0)

    assert gate.is_writing("o", 100.005)
    assert gate.is_writing("enter", 100.005)
    assert not gate.is_writing("n", 100.005)
    assert not gate.is_writing("o", 100.02)
    gate.strayed(100.1)
    assert gate.is_void
    assert gate.is_writing("enter", 101.5)
    assert not gate.is_writing("enter", 101.7)
    gate.press("right", 101.0)
    assert not gate.is_writing("enter", 101.2)
    assert not gate.is_void


async def test_a_text_after_a_pause_takes_no_mark_back() -> None:
    """Neither its letters nor a blank or a digit among them: what was marked before it stays."""
    async with answering(SEVERAL, pace=Pace(inert=0, writing=0.3)).run_test() as pilot:
        app = await ready(pilot)
        await pilot.press("1", "4")
        await pilot.pause(0.4)
        await write(pilot, "ab c1 2")

        assert chosen(app)[-1] == '["eu", "sa, south and north"]'
