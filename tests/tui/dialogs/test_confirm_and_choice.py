"""Approving, rejecting and choosing by keys."""

import pytest
from textual.widgets import OptionList

from tidegate.model.prompt import ChoicePrompt, OnReject
from tidegate.tui.dialogs.frame.parts import Choices
from tui.dialogs.host import Desk, answering, bar, ready, until
from tui.dialogs.prompts import CHOICE, CONFIRM

MANY = ChoicePrompt(question="Which host?", choices=tuple(f"host-{number}" for number in range(1, 15)))


@pytest.mark.parametrize(
    ("keys", "raw", "note"),
    [
        (("y", "y"), "yes", "Sent: approved"),
        (("y", "enter"), "yes", "Sent: approved"),
        (("n", "n"), "no", "Sent: rejected"),
        (("n", "enter"), "no", "Sent: rejected"),
        (("left", "enter", "enter"), "yes", "Sent: approved"),
        (("right", "enter", "ctrl+s"), "no", "Sent: rejected"),
        (("y", "n", "n"), "no", "Sent: rejected"),
        (("n", "escape", "y", "y"), "yes", "Sent: approved"),
        (("n", "left", "enter", "enter"), "yes", "Sent: approved"),
    ],
)
async def test_two_presses_send_a_decision(keys: tuple[str, ...], raw: str, note: str) -> None:
    """The first one chooses, the second one sends what was chosen."""
    desk = Desk(CONFIRM)
    async with answering(CONFIRM, desk).run_test() as pilot:
        app = await ready(pilot)
        await pilot.press(*keys)
        await until(pilot, lambda: app.results)

        assert desk.calls == [(raw, "")]
        assert app.outcome.sent
        assert app.outcome.note.startswith(f"{note} · ")


async def test_one_press_shows_what_the_next_one_does() -> None:
    """A line says what is about to be sent, what it does, and how to go back."""
    desk = Desk(CONFIRM)
    async with answering(CONFIRM, desk).run_test() as pilot:
        app = await ready(pilot)
        await pilot.press("n")
        assert bar(app) == (
            "▶ Reject: press n or enter to send, esc to go back. "
            "It ends this run as rejected unless something in it failed."
        )
        await pilot.press("escape")

        assert bar(app).startswith("Approve lets the run go on.")
        assert desk.calls == []
        assert app.results == []


async def test_what_no_does_is_said_before_anything_is_pressed() -> None:
    """For a gate whose no is only data, that is what it says."""
    async with answering(CONFIRM.evolve(on_reject=OnReject.CONTINUE)).run_test() as pilot:
        app = await ready(pilot)

        assert "Reject is only data" in bar(app)


async def test_buttons_take_two_clicks() -> None:
    """The mouse follows the same rule as the keys."""
    desk = Desk(CONFIRM)
    async with answering(CONFIRM, desk).run_test() as pilot:
        app = await ready(pilot)
        await pilot.click("#approve", offset=(3, 1))
        assert desk.calls == []
        await pilot.click("#approve", offset=(6, 1))
        await until(pilot, lambda: app.results)

        assert desk.values == [True]


async def test_a_comment_goes_with_the_answer() -> None:
    """Typed on demand, sent with the decision."""
    desk = Desk(CONFIRM)
    async with answering(CONFIRM, desk).run_test() as pilot:
        app = await ready(pilot)
        await pilot.press("ctrl+t", *"ok", "enter", "y", "y")
        await until(pilot, lambda: app.results)

        assert desk.calls == [("yes", "ok")]


async def test_a_comment_is_the_draft_of_a_decision() -> None:
    """It is kept by escape, and back the next time."""
    async with answering(CONFIRM).run_test() as pilot:
        app = await ready(pilot)
        await pilot.press("ctrl+t", *"wait", "escape", "escape")
        draft = app.outcome.draft
    desk = Desk(CONFIRM)
    async with answering(CONFIRM, desk, draft=draft).run_test() as pilot:
        app = await ready(pilot)
        await pilot.press("y", "y")
        await until(pilot, lambda: app.results)

    assert desk.calls == [("yes", "wait")]


@pytest.mark.parametrize(("number", "choice"), list(enumerate(CHOICE.choices, start=1)))
async def test_each_number_sends_its_own_option(number: int, choice: str) -> None:
    """Numbers count from 1 and mean the option beside them: never one that merely looks like it."""
    desk = Desk(CHOICE)
    async with answering(CHOICE, desk).run_test() as pilot:
        app = await ready(pilot)
        await pilot.press(str(number), "enter", "enter")
        await until(pilot, lambda: app.results)

        assert desk.values == [choice]
        assert app.outcome.note.startswith(f"Sent: {choice} · ")


@pytest.mark.parametrize("key", ["1", "2", "3"])
async def test_a_number_that_is_itself_a_choice_means_that_choice(key: str) -> None:
    """As it does on the command line; a row that no number means shows none."""
    prompt = ChoicePrompt(question="How many?", choices=("3", "2", "1"))
    desk = Desk(prompt)
    async with answering(prompt, desk).run_test() as pilot:
        app = await ready(pilot)
        rows = [str(row.prompt) for row in app.dialog.query_one(OptionList).options]
        assert rows == ["   3", "2  2", "   1"]
        await pilot.press(key, "enter", "enter")
        await until(pilot, lambda: app.results)

        assert desk.values == [prompt.parse(key)] == [key]


@pytest.mark.parametrize("key", ["0", "7", "9"])
async def test_a_number_without_an_option_chooses_nothing(key: str) -> None:
    """It says so, and a following enter has nothing to take."""
    desk = Desk(CHOICE)
    async with answering(CHOICE, desk).run_test() as pilot:
        app = await ready(pilot)
        await pilot.press(key)
        assert bar(app) == f"There is no option {key} here."
        await pilot.press("enter", "enter")

        assert desk.calls == []


async def test_letters_choose_nothing() -> None:
    """Options are not guessed from their first letters."""
    desk = Desk(CHOICE)
    async with answering(CHOICE, desk).run_test() as pilot:
        app = await ready(pilot)
        await pilot.press(*"prod", "enter", "enter")

        assert desk.calls == []
        assert app.dialog.query_one(Choices).highlighted is None


async def test_moving_on_disarms() -> None:
    """What was armed is not sent by an enter that was meant for the next option."""
    desk = Desk(CHOICE)
    async with answering(CHOICE, desk).run_test() as pilot:
        app = await ready(pilot)
        await pilot.press("1", "enter", "down", "enter")
        assert desk.calls == []
        assert bar(app).startswith("▶ prod: press enter to send")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: app.results)

        assert desk.values == ["prod"]


async def test_two_digits_name_one_option() -> None:
    """With more than nine options, 1 and 2 are twelve."""
    desk = Desk(MANY)
    async with answering(MANY, desk).run_test() as pilot:
        app = await ready(pilot)
        await pilot.press("1", "2", "enter", "enter")
        await until(pilot, lambda: app.results)

        assert desk.values == ["host-12"]


async def test_a_filter_keeps_the_numbers() -> None:
    """An option has the same number whether others are shown or not."""
    desk = Desk(MANY)
    async with answering(MANY, desk).run_test() as pilot:
        app = await ready(pilot)
        await pilot.press("slash", *"-14")
        assert [option.id for option in app.dialog.query_one(OptionList).options] == ["14"]
        await pilot.press("enter", "enter")
        assert "Nothing is chosen" in bar(app)
        await pilot.press("1", "4", "down", "enter", "enter")
        await until(pilot, lambda: app.results)

        assert desk.values == ["host-14"]


async def test_a_filter_that_nothing_contains_says_so() -> None:
    """And escape brings all options back."""
    async with answering(MANY).run_test() as pilot:
        app = await ready(pilot)
        await pilot.press("slash", *"xyz")
        assert bar(app) == "No option contains that."
        await pilot.press("escape")

        assert app.dialog.query_one(OptionList).option_count == 14
        assert app.results == []


async def test_a_few_options_have_no_filter() -> None:
    """Up to nine have a digit each."""
    async with answering(CHOICE).run_test() as pilot:
        app = await ready(pilot)
        await pilot.press("slash")

        assert not app.dialog.query_one("#filter").display


async def test_a_click_on_an_option_arms_it() -> None:
    """A second click sends it, a double click does not."""
    desk = Desk(CHOICE)
    async with answering(CHOICE, desk).run_test() as pilot:
        app = await ready(pilot)
        await pilot.click("#choices", offset=(6, 2), times=2)
        assert bar(app).startswith("▶ prod:")
        assert desk.calls == []
        await pilot.click("#choices", offset=(8, 2))
        await until(pilot, lambda: app.results)

        assert desk.values == ["prod"]
