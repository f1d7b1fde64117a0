"""Leaving the monitor, ending a run, and going on with one."""

import pytest
from textual.widgets import Input

from tidegate.model.ids import BlockId, RunId
from tidegate.tui.dialogs import CancelDialog, Dialog, Pace, QuitDialog, ResumeDialog
from tidegate.tui.resuming import Resumption
from tui.dialogs.host import AT_ONCE, Host, bar, hold, paste, ready, screen_text, until


def quitting(running: int = 2, pace: Pace = AT_ONCE) -> Host:
    """Return an app that asks whether to quit."""
    return Host(lambda: QuitDialog(running, pace=pace))


def cancelling(pace: Pace = AT_ONCE) -> Host:
    """Return an app that asks whether to cancel a run."""
    return Host(lambda: CancelDialog("4f2akz7mw9qd", "deploy-[api]", pace=pace))


FAILED = Resumption(
    RunId("4f2akz7mw9qd"),
    "deploy-[api]",
    is_failed=True,
    failed=(BlockId("remove"),),
    following=(BlockId("report"), BlockId("announce")),
)


def resuming(plan: Resumption = FAILED, pace: Pace = AT_ONCE) -> Host:
    """Return an app that asks whether to resume a run."""
    return Host(lambda: ResumeDialog(plan, pace=pace))


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
        (1, "1 block runs here; quitting stops it; it stays interrupted until it is resumed."),
        (2, "2 blocks run here; quitting stops them; they stay interrupted until they are resumed."),
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


async def test_resuming_says_what_runs_again() -> None:
    """The run by its name, the blocks that failed, and those that follow them."""
    async with resuming().run_test(size=(120, 36)) as pilot:
        app = await ready(pilot)
        text = screen_text(app)

        assert "Resume · deploy-[api] · run 4f2akz7mw9qd" in text
        assert "Failed, and run again: remove." in text
        assert "because they follow: report, announce." in text


async def test_resuming_an_interrupted_run_says_what_is_asked() -> None:
    """And what is not asked about."""
    plan = Resumption(
        RunId("4f2akz7mw9qd"), "backup", is_failed=False, asked=(BlockId("copy"),), rerun=(BlockId("look"),)
    )
    async with resuming(plan).run_test(size=(120, 36)) as pilot:
        app = await ready(pilot)

        assert "Interrupted: copy. You are asked what to do about it" in screen_text(app)
        assert "run again without a question: look." in screen_text(app)


@pytest.mark.parametrize(
    ("keys", "resumes"),
    [
        (("y", "y"), [True]),
        (("y", "enter"), [True]),
        (("y", "ctrl+s"), [True]),
        (("enter", "enter", "ctrl+s"), []),
        (("y",), []),
        (("y", "escape"), []),
        (("y", "escape", "enter"), []),
        (("escape",), [False]),
        (("y", "escape", "escape"), [False]),
    ],
)
async def test_resuming_takes_two_presses(keys: tuple[str, ...], resumes: list[bool]) -> None:
    """Enter alone does nothing, and escape never resumes."""
    async with resuming().run_test() as pilot:
        app = await ready(pilot)
        await pilot.press(*keys)
        await pilot.pause()

        assert app.results == resumes


async def test_a_held_key_resumes_nothing() -> None:
    """The first press chooses; its repeats do not send."""
    async with resuming(pace=Pace(inert=0)).run_test() as pilot:
        app = await ready(pilot)
        await hold(pilot, "y", 30)
        assert "let go, then press y or enter" in bar(app)
        await pilot.pause(0.3)

        assert app.results == []


async def test_keys_typed_ahead_resume_nothing() -> None:
    """They were meant for what was there before."""
    app = resuming(pace=Pace(inert=3600))
    async with app.run_test() as pilot:
        await until(pilot, lambda: isinstance(app.screen, Dialog) and app.dialog.is_mounted)
        await pilot.press("y", "y", "enter", "escape")

        assert app.results == []


@pytest.mark.parametrize("size", [(40, 12), (80, 24)])
@pytest.mark.parametrize("make", [quitting, cancelling, resuming])
async def test_everything_is_in_sight(make: type, size: tuple[int, int]) -> None:
    """On the smallest screen too."""
    app = make()
    async with app.run_test(size=size) as pilot:
        await ready(pilot)

        for widget in app.dialog.query("#dialog-body, #dialog-bar, #dialog-keys, Input, Button"):
            assert app.screen.region.contains_region(widget.region)
