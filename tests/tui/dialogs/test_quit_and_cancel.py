"""Leaving the monitor, and ending a run."""

import pytest
from textual.widgets import Input

from tidegate.tui.dialogs import CancelDialog, Dialog, Pace, QuitDialog
from tui.dialogs.host import AT_ONCE, Host, bar, paste, ready, screen_text, until


def quitting(running: int = 2, pace: Pace = AT_ONCE) -> Host:
    """Return an app that asks whether to quit."""
    return Host(lambda: QuitDialog(running, pace=pace))


def cancelling(pace: Pace = AT_ONCE) -> Host:
    """Return an app that asks whether to cancel a run."""
    return Host(lambda: CancelDialog("4f2akz7mw9qd", "deploy-[api]", pace=pace))


@pytest.mark.parametrize(
    ("keys", "quits"),
    [
        (("enter",), False),
        (("escape",), False),
        (("right", "enter"), True),
        (("right", "left", "enter"), False),
        (("tab", "enter"), True),
    ],
)
async def test_enter_stays(keys: tuple[str, ...], quits: bool) -> None:
    """The safe answer has the focus; quitting takes a key to get there."""
    async with quitting().run_test() as pilot:
        app = await ready(pilot)
        await pilot.press(*keys)
        await until(pilot, lambda: app.results)

        assert app.results == [quits]


@pytest.mark.parametrize(
    ("running", "words"),
    [
        (0, "Nothing runs here."),
        (1, "1 block runs here; quitting stops it,"),
        (2, "2 blocks run here; quitting stops them, and the next start asks about them."),
    ],
)
async def test_quitting_says_what_it_stops(running: int, words: str) -> None:
    """And what happens to it afterwards."""
    async with quitting(running).run_test(size=(120, 36)) as pilot:
        app = await ready(pilot)

        assert words in screen_text(app)


async def test_quit_keys_are_inert_at_first() -> None:
    """An enter that was on its way quits nothing, and does not even close the question."""
    app = quitting(pace=Pace(inert=3600))
    async with app.run_test() as pilot:
        await until(pilot, lambda: isinstance(app.screen, Dialog) and app.dialog.is_mounted)
        await pilot.press("enter", "right", "enter")

        assert app.results == []


@pytest.mark.parametrize("typed", ["4f2a", "4f2akz7mw9qd", "4f2akz"])
async def test_the_run_id_cancels_the_run(typed: str) -> None:
    """Its first four characters, or more of it; the reason may stay empty."""
    async with cancelling().run_test() as pilot:
        app = await ready(pilot)
        await pilot.press(*typed, "enter")
        await until(pilot, lambda: app.results)

        assert app.results == [""]


@pytest.mark.parametrize(("typed", "words"), [("", "No id"), ("4f2", "another id"), ("4f2b", "another id")])
async def test_anything_else_cancels_nothing(typed: str, words: str) -> None:
    """It says what the id starts with, and stays."""
    async with cancelling().run_test() as pilot:
        app = await ready(pilot)
        await pilot.press(*typed, "enter", "enter", "ctrl+s")

        assert app.results == []
        assert words in bar(app)
        assert "starts with 4f2a" in bar(app)


async def test_a_reason_is_returned() -> None:
    """It is typed in the second field; the brackets in the name are no markup."""
    async with cancelling().run_test() as pilot:
        app = await ready(pilot)
        assert "deploy-[api] · run 4f2akz7mw9qd" in screen_text(app)
        await pilot.press(*"4f2a", "tab", *"oops", "enter")
        await until(pilot, lambda: app.results)

        assert app.results == ["oops"]


async def test_escape_keeps_the_run() -> None:
    """Whatever was typed."""
    async with cancelling().run_test() as pilot:
        app = await ready(pilot)
        await pilot.press(*"4f2a", "escape")

        assert app.results == [None]


async def test_a_pasted_id_with_a_line_break_cancels_nothing() -> None:
    """It is not even put into the field."""
    async with cancelling().run_test() as pilot:
        app = await ready(pilot)
        paste(app, "4f2akz7mw9qd\n")
        await pilot.press("ctrl+down")

        assert app.results == []
        assert app.dialog.query_one("#run-id", Input).value == ""
        assert "Not pasted" in bar(app)


@pytest.mark.parametrize("size", [(40, 12), (80, 24)])
@pytest.mark.parametrize("make", [quitting, cancelling])
async def test_everything_is_in_sight(make: type, size: tuple[int, int]) -> None:
    """On the smallest screen too."""
    app = make()
    async with app.run_test(size=size) as pilot:
        await ready(pilot)

        for widget in app.dialog.query("#dialog-body, #dialog-bar, #dialog-keys, Input, Button"):
            assert app.screen.region.contains_region(widget.region)
