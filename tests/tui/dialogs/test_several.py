"""Choosing several of a list."""

import json

import pytest
from textual.widgets import OptionList

from tidegate.model.prompt import ChoicePrompt
from tui.dialogs.host import Desk, Host, answering, bar, ready, screen_text, until
from tui.dialogs.prompts import SEVERAL

MANY = ChoicePrompt(question="Which hosts?", choices=tuple(f"host-{n}" for n in range(1, 14)), multiple=True)
PERHAPS = ChoicePrompt(question="Which extras?", choices=("maps", "mail"), multiple=True, min=0)
TRICKY = ChoicePrompt(
    question="Which?", choices=("a, b", "a", "b", '["a", "b"]', "2", " c"), multiple=True, max=6
)


def rows(app: Host) -> list[str]:
    """Return the rows of the list, as they are shown."""
    return [str(option.prompt) for option in app.dialog.query_one(OptionList).options]


@pytest.mark.parametrize(
    ("keys", "value"),
    [
        (("1", "enter", "enter"), ["eu"]),
        (("5", "1", "4", "enter", "ctrl+s"), ["eu", "sa, south and north", "[af]"]),
        (("down", "space", "down", "down", "space", "ctrl+s", "enter"), ["eu", "ap"]),
        (("1", "2", "1", "enter", "enter"), ["us"]),
    ],
)
async def test_what_is_marked_is_sent_by_two_presses(keys: tuple[str, ...], value: list[str]) -> None:
    """By number or by space, in the workflow's order, however it was marked."""
    desk = Desk(SEVERAL)
    async with answering(SEVERAL, desk).run_test() as pilot:
        app = await ready(pilot)
        await pilot.press(*keys)
        await until(pilot, lambda: app.results)

        assert desk.values == [value]


@pytest.mark.parametrize(
    ("keys", "value"),
    [
        ("1", ["a, b"]),
        ("23", ["a", "b"]),
        ("123", ["a, b", "a", "b"]),
        ("4", ['["a", "b"]']),
        ("46", ['["a", "b"]', " c"]),
    ],
)
async def test_a_choice_with_commas_or_brackets_arrives_as_itself(keys: str, value: list[str]) -> None:
    """What is sent means exactly what was marked, whatever the choices look like."""
    desk = Desk(TRICKY)
    async with answering(TRICKY, desk).run_test() as pilot:
        app = await ready(pilot)
        for key in keys:
            # The digit 2 is the text of the fifth choice, and means that one: the second has no number.
            await pilot.press(*(["home", "down", "space"] if key == "2" else [key]))
        await pilot.press("enter", "enter")
        await until(pilot, lambda: app.results)

        assert desk.values == [value]


async def test_the_marks_and_their_count_are_shown() -> None:
    """In signs, not in colours; and how many are asked for."""
    async with answering(SEVERAL).run_test() as pilot:
        app = await ready(pilot)
        assert "0 of 1-3 chosen" in screen_text(app)
        await pilot.press("1", "4")

        assert rows(app)[:2] == ["[x] 1  eu", "[ ] 2  us"]
        assert rows(app)[3] == "[x] 4  sa, south and north"
        assert "2 of 1-3 chosen" in screen_text(app)
        assert bar(app).endswith("2 of 1-3 chosen: enter sends them.")


async def test_too_many_are_not_sent() -> None:
    """It says how many are to be chosen, and how many are."""
    desk = Desk(SEVERAL)
    async with answering(SEVERAL, desk).run_test() as pilot:
        app = await ready(pilot)
        await pilot.press("1", "2", "3", "4", "enter", "enter", "ctrl+s")

        assert bar(app) == "Not sent: choose 1 to 3; 4 are chosen."
        assert desk.calls == []


async def test_before_it_is_sent_it_says_what_is_chosen() -> None:
    """All of it; and a further mark asks again."""
    desk = Desk(SEVERAL)
    async with answering(SEVERAL, desk).run_test() as pilot:
        app = await ready(pilot)
        await pilot.press("1", "4", "enter")
        assert bar(app).startswith("▶ 2 chosen: eu, 'sa, south and north': press enter to send")
        await pilot.press("2", "enter")
        assert bar(app).startswith("▶ 3 chosen: eu, us, 'sa, south and north': press enter to send")
        await pilot.press("up", "enter")
        assert desk.calls == []
        await pilot.press("escape")

        assert desk.calls == []
        assert app.results == []


async def test_the_cursor_is_no_mark() -> None:
    """Enter on a row that nobody marked sends nothing."""
    desk = Desk(SEVERAL)
    async with answering(SEVERAL, desk).run_test() as pilot:
        app = await ready(pilot)
        await pilot.press("down", "down", "enter", "enter")

        assert bar(app).startswith("Nothing is chosen yet: space")
        assert desk.calls == []


async def test_choosing_none_is_a_choice_of_its_own() -> None:
    """Where it is an answer it has a row, which goes together with no other."""
    desk = Desk(PERHAPS)
    async with answering(PERHAPS, desk).run_test() as pilot:
        app = await ready(pilot)
        assert rows(app)[-1] == "[ ] 0  none of them"
        await pilot.press("1", "0")
        assert [row[:3] for row in rows(app)] == ["[ ]", "[ ]", "[x]"]
        await pilot.press("enter")
        assert bar(app).startswith("▶ none of them: press enter to send")
        await pilot.press("enter")
        await until(pilot, lambda: app.results)

        assert desk.values == [[]]


async def test_with_many_options_a_number_only_goes_there() -> None:
    """1 and 2 are twelve; space marks it, and a filter keeps what is marked."""
    desk = Desk(MANY)
    async with answering(MANY, desk).run_test() as pilot:
        app = await ready(pilot)
        await pilot.press("1", "2")
        assert not any("x" in row[:3] for row in rows(app))
        await pilot.press("space", "slash", *"host-3", "enter", "down", "space", "escape", "enter")
        assert bar(app).startswith("▶ 2 chosen: host-3, host-12: ")
        await pilot.press("enter")
        await until(pilot, lambda: app.results)

        assert desk.values == [["host-3", "host-12"]]


async def test_marks_are_the_draft() -> None:
    """Kept by escape and shown the next time; then only ctrl+s takes what somebody marked some other day."""
    async with answering(SEVERAL).run_test() as pilot:
        app = await ready(pilot)
        await pilot.press("1", "4", "escape")
        draft = app.outcome.draft
        assert json.loads(draft) == ["eu", "sa, south and north"]
    desk = Desk(SEVERAL)
    async with answering(SEVERAL, desk, draft=draft).run_test() as pilot:
        app = await ready(pilot)
        assert bar(app).startswith("Your draft is back: 2 of 1-3 chosen.")
        assert rows(app)[0] == "[x] 1  eu"
        await pilot.press("enter", "enter", "enter")
        assert desk.calls == []
        assert "ctrl+s sends the draft" in bar(app)
        await pilot.press("ctrl+s")
        assert bar(app).startswith("▶ 2 chosen: ")
        await pilot.press("enter")
        await until(pilot, lambda: app.results)

    assert desk.values == [["eu", "sa, south and north"]]


async def test_a_click_marks_and_never_sends() -> None:
    """Nor does a double click mark and unmark."""
    desk = Desk(SEVERAL)
    async with answering(SEVERAL, desk).run_test() as pilot:
        app = await ready(pilot)
        await pilot.click(OptionList, offset=(5, 2))
        assert rows(app)[1] == "[x] 2  us"
        await pilot.click(OptionList, offset=(5, 3), times=2)
        assert rows(app)[2] == "[x] 3  ap"
        for _ in range(3):
            await pilot.click(OptionList, offset=(5, 1))

        assert rows(app)[0] == "[x] 1  eu"
        assert desk.calls == []
