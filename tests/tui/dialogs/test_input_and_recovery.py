"""Typing a value, and deciding about a block that was interrupted."""

import pytest
from textual.widgets import Input, TextArea

from tidegate.model.prompt import InputKind, InputPrompt, Prompt
from tui.dialogs.host import Desk, answering, bar, paste, ready, screen_text, until
from tui.dialogs.prompts import DAY, EASY_FORM, NOTES, RECOVERY, SETTINGS, TICKET

RATE = InputPrompt(prompt="A number", input_type=InputKind.NUMBER, min=1, max=10)
COUNT = InputPrompt(prompt="A whole number", input_type=InputKind.INTEGER, min=1, max=10)
SURE = InputPrompt(prompt="Sure?", input_type=InputKind.BOOLEAN)


@pytest.mark.parametrize(
    ("prompt", "text", "value"),
    [
        (TICKET, "ABC-12", "ABC-12"),
        (NOTES, "a\nb\n", "a\nb\n"),
        (NOTES, "", ""),
        (RATE, " 5 ", 5.0),
        (RATE, "1e1", 10.0),
        (COUNT, "10", 10),
        (SURE, "yes", True),
        (DAY, " 2026-12-24 ", "2026-12-24"),
        (SETTINGS, '{"a": [1, 2],\n "b": null}\n', {"a": [1, 2], "b": None}),
        (SETTINGS, "null", None),
    ],
)
async def test_what_follows_the_rule_arrives_as_it_was_typed(
    prompt: InputPrompt, text: str, value: object
) -> None:
    """Pasted or typed, and sent by ctrl+s."""
    desk = Desk(prompt)
    async with answering(prompt, desk).run_test() as pilot:
        app = await ready(pilot)
        paste(app, text)
        # What nobody has typed takes two presses.
        await pilot.press("ctrl+s", *([] if text else ["ctrl+s"]))
        await until(pilot, lambda: app.results)

        assert desk.calls == [(text, "")]
        assert desk.values == [value]
        assert app.outcome.sent


@pytest.mark.parametrize(
    ("prompt", "text", "rule"),
    [
        (TICKET, "xABC-12x", "must match"),
        (TICKET, "ABC-٤٢", "must match"),
        (TICKET, "ABC-45678901234567890", "at most 20 characters are taken; this has 21"),
        (COUNT, "3.0", "a whole number from 1 to 10"),
        (COUNT, "1e1", "a whole number from 1 to 10"),
        (RATE, "11", "from 1 to 10"),
        (SURE, "perhaps", "true or false"),
        (DAY, "24.12.2026", "a date as YYYY-MM-DD"),
        (DAY, "2027-01-01", "from 2026-12-01 to 2026-12-31"),
    ],
)
async def test_what_breaks_the_rule_is_refused_beside_the_field(
    prompt: InputPrompt, text: str, rule: str
) -> None:
    """Five times over: nothing was sent, the text is still there, and so is the cursor."""
    desk = Desk(prompt)
    async with answering(prompt, desk).run_test() as pilot:
        app = await ready(pilot)
        paste(app, text)
        await pilot.press(*["enter"] * 5)
        field = app.dialog.query_one("#answer", Input)

        assert bar(app).startswith("Not taken: ")
        assert rule in bar(app)
        assert desk.calls == []
        assert field.value == text
        assert field.has_class("-invalid")
        assert app.focused is field


async def test_after_the_first_try_every_change_is_checked() -> None:
    """The error goes as soon as the rule holds, and comes back when it no longer does."""
    async with answering(TICKET).run_test() as pilot:
        app = await ready(pilot)
        await pilot.press(*"ABC-")
        assert bar(app) == "Enter sends it."
        await pilot.press("enter")
        assert "must match" in bar(app)
        await pilot.press("1")
        assert bar(app) == "Enter sends it."
        await pilot.press("x")

        assert "must match" in bar(app)


@pytest.mark.parametrize("text", ["ABC-12\nrm -rf\nx", "ABC-12\n", "ABC-12\r\nrm"])
async def test_a_paste_with_line_breaks_leaves_a_single_line_alone(text: str) -> None:
    """It is refused with a sentence, and never cut to its first line."""
    desk = Desk(TICKET)
    async with answering(TICKET, desk).run_test() as pilot:
        app = await ready(pilot)
        await pilot.press(*"XY")
        paste(app, text)
        await pilot.press("ctrl+down")

        assert app.dialog.query_one("#answer", Input).value == "XY"
        assert bar(app).startswith("Not pasted: ")
        assert desk.calls == []


async def test_line_breaks_are_kept_where_several_lines_are_taken() -> None:
    """Also those that a terminal pastes as carriage returns; and enter begins a line."""
    desk = Desk(NOTES)
    async with answering(NOTES, desk).run_test() as pilot:
        app = await ready(pilot)
        paste(app, "one\r\ntwo\rthree")
        await pilot.press("enter", "4")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: app.results)

        assert desk.values == ["one\ntwo\nthree\n4"]


@pytest.mark.parametrize("prompt", [TICKET, NOTES], ids=["line", "lines"])
@pytest.mark.parametrize(
    ("text", "why"), [("x" * 1_000_000, "1,000,000 characters"), ("ok\x1b[2J\x1b]0;title\x07", "control")]
)
async def test_a_paste_that_no_field_can_hold_is_refused(prompt: InputPrompt, text: str, why: str) -> None:
    """A megabyte, or bytes that would steer the terminal: the field is as it was."""
    desk = Desk(prompt)
    async with answering(prompt, desk).run_test() as pilot:
        app = await ready(pilot)
        await pilot.press("A")
        paste(app, text)
        await pilot.press("ctrl+down")
        field = app.dialog.query_one("#answer")

        assert (field.text if isinstance(field, TextArea) else getattr(field, "value", "")) == "A"
        assert why in bar(app)


async def test_the_longest_answer_fits_into_a_field() -> None:
    """What the rule takes, the field takes."""
    prompt = InputPrompt(prompt="Much")
    desk = Desk(prompt)
    async with answering(prompt, desk).run_test() as pilot:
        app = await ready(pilot)
        paste(app, "x" * 65_536)
        await pilot.press("ctrl+s")
        await until(pilot, lambda: app.results)

        assert desk.calls == [("x" * 65_536, "")]


@pytest.mark.parametrize("prompt", [TICKET, NOTES], ids=["line", "lines"])
async def test_escape_keeps_the_draft(prompt: InputPrompt) -> None:
    """What was typed comes back the next time, and the next key adds to it."""
    async with answering(prompt).run_test() as pilot:
        app = await ready(pilot)
        await pilot.press(*"ABC", "escape")
        assert app.outcome.draft == "ABC"
    desk = Desk(prompt)
    async with answering(prompt, desk, draft="ABC").run_test() as pilot:
        app = await ready(pilot)
        assert "Your draft is back" in bar(app)
        await pilot.press(*"-1", "ctrl+s")
        await until(pilot, lambda: app.results)

    assert desk.values == ["ABC-1"]


async def test_a_draft_is_not_sent_by_a_stray_enter() -> None:
    """Only ctrl+s sends what was typed some other day."""
    desk = Desk(TICKET)
    async with answering(TICKET, desk, draft="ABC-1").run_test() as pilot:
        app = await ready(pilot)
        await pilot.press("enter")
        assert desk.calls == []
        assert "ctrl+s sends the draft" in bar(app)
        await pilot.press("ctrl+s")
        assert bar(app).startswith("▶ Your draft as it is: press ctrl+s to send")
        assert desk.calls == []
        await pilot.press("ctrl+s")
        await until(pilot, lambda: app.results)

        assert desk.values == ["ABC-1"]


@pytest.mark.parametrize("prompt", [TICKET, EASY_FORM], ids=lambda prompt: prompt.kind)
async def test_what_was_said_of_an_empty_field_goes_with_the_first_letter(prompt: Prompt) -> None:
    """It is not true any more."""
    async with answering(prompt).run_test() as pilot:
        app = await ready(pilot)
        hint = bar(app)
        await pilot.press(*(["enter"] if prompt is TICKET else ["tab", "tab", "enter"]))
        await until(pilot, lambda: bar(app).startswith("Nothing"))
        await pilot.press(*(["A"] if prompt is TICKET else ["shift+tab", "1"]))
        await until(pilot, lambda: bar(app).endswith(hint))


async def test_an_empty_optional_answer_needs_more_than_enter() -> None:
    """The dialog says which key sends nothing at all, and what that would be: one stroke of it sends nothing yet."""
    prompt = InputPrompt(prompt="Why?", required=False, default="no reason")
    desk = Desk(prompt)
    async with answering(prompt, desk).run_test() as pilot:
        app = await ready(pilot)
        await pilot.press("enter")
        assert desk.calls == []
        assert bar(app) == "Nothing is typed yet: ctrl+s sends it empty."
        await pilot.press("ctrl+s")
        assert bar(app).startswith(
            "▶ Nothing is typed: press ctrl+s to send, esc to go back. It is then: no reason."
        )
        await pilot.press("escape", "ctrl+s")
        assert desk.calls == []
        await pilot.press("ctrl+s")
        await until(pilot, lambda: app.results)

        assert desk.values == ["no reason"]


@pytest.mark.parametrize(
    ("keys", "action"),
    [
        (("1", "enter", "enter"), "rerun"),
        (("3", "enter", "ctrl+s"), "skip"),
        (("up", "enter", "enter"), "fail"),
    ],
)
async def test_an_interrupted_block_is_decided_in_two_presses(keys: tuple[str, ...], action: str) -> None:
    """Nothing is chosen at first; the second press sends."""
    desk = Desk(RECOVERY)
    async with answering(RECOVERY, desk).run_test() as pilot:
        app = await ready(pilot)
        await pilot.press(*keys)
        await until(pilot, lambda: app.results)

        assert desk.values == [{"action": action}]
        assert app.outcome.note.startswith(f"Sent: {action} · ")


async def test_json_takes_lines_and_says_where_it_is_wrong() -> None:
    """Below the field, and with every change after the first try; enter begins a line."""
    desk = Desk(SETTINGS)
    async with answering(SETTINGS, desk).run_test() as pilot:
        app = await ready(pilot)
        await pilot.press(*'{"a":', "enter", "ctrl+s")
        assert "this is no JSON: Expecting value (line 2, column 1)" in bar(app)
        await pilot.press("1")
        assert "(line 2, column 2)" in bar(app)
        await pilot.press("}")
        assert bar(app) == "ctrl+s sends it; enter begins a new line."
        assert desk.calls == []
        await pilot.press("ctrl+s")
        await until(pilot, lambda: app.results)

        assert desk.values == [{"a": 1}]


async def test_a_block_that_failed_is_no_block_that_was_cut_off() -> None:
    """The words are those of a failure, and the outputs those that the block has."""
    failed = RECOVERY.evolve(failure="exit code 3", outputs={"stdout": "string", "exit_code": "integer"})
    desk = Desk(failed)
    async with answering(failed, desk).run_test() as pilot:
        app = await ready(pilot)
        assert "'deploy_prod' failed: exit code 3." in screen_text(app)
        assert bar(app).startswith("It failed: look at why")
        assert "may or may not" not in screen_text(app)
        await pilot.press("4")
        assert "It stays failed" in bar(app)
        await pilot.press("2")
        await until(pilot, lambda: "stdout (string), exit_code (integer)" in screen_text(app))
        assert '{"stdout": "...", "exit_code": 1}' in screen_text(app)
        await pilot.press("tab", *'{"exit": 1}', "enter", "enter")
        assert "has no output 'exit'" in bar(app)
        assert desk.calls == []
        await pilot.press(*["left"] * 5, *"_code", "enter")
        assert bar(app).startswith("▶ It is done: press enter to send")
        await pilot.press("enter")
        await until(pilot, lambda: app.results)

        assert desk.values == [{"action": "done", "outputs": {"exit_code": 1}}]


async def test_running_again_says_what_is_dangerous_about_it() -> None:
    """Before it is sent, in the line that asks for the second press."""
    async with answering(RECOVERY).run_test() as pilot:
        app = await ready(pilot)
        await pilot.press("1", "enter")

        assert "repeats its outside effects" in bar(app)


async def test_a_block_that_is_done_may_have_outputs() -> None:
    """As a JSON object, asked for only there; a change of them asks again."""
    desk = Desk(RECOVERY)
    async with answering(RECOVERY, desk).run_test() as pilot:
        app = await ready(pilot)
        await pilot.press("2", "tab", *'{"a":1', "enter", "enter")
        assert "no JSON object" in bar(app)
        await pilot.press("}", "enter")
        assert bar(app).startswith("▶ It is done: press enter to send")
        await pilot.press("enter")
        await until(pilot, lambda: app.results)

        assert desk.values == [{"action": "done", "outputs": {"a": 1}}]


async def test_typed_outputs_are_the_draft_of_a_recovery() -> None:
    """Kept by escape."""
    async with answering(RECOVERY).run_test() as pilot:
        app = await ready(pilot)
        await pilot.press("2", "tab", *"{}", "escape")

        assert app.outcome.draft == "{}"
