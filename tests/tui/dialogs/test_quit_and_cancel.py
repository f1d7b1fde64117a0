"""Leaving the monitor, ending a run, and going on with one."""

import pytest
from textual.widgets import Input

from tidegate.model.ids import RunId
from tidegate.tui.dialogs import CancelDialog, Dialog, Pace, QuitDialog, SkipDialog, TurnDialog
from tidegate.tui.dialogs.quit import Leaving
from tidegate.tui.nouns.turns import Decision, Prospect, Turn, Way
from tidegate.tui.session import Session
from tui.dialogs.host import AT_ONCE, Host, bar, hold, paste, ready, screen_text, until


async def nothing(session: Session, reason: str) -> None:
    """Do nothing: no dialog does anything itself."""
    del session, reason


def prospect(turn: Turn, *labels: str) -> Prospect:
    """Return what would happen, with one way for each label."""
    ways = tuple(Way(label, f"{label} has this effect.", nothing, "done") for label in labels)
    title = f"{labels[0]} · deploy-[api] · run 4f2akz7mw9qd"
    return Prospect(turn, RunId("4f2akz7mw9qd"), title, ("Failed, and run again: remove.",), ways)


def said(app: Host) -> list[tuple[str, str] | None]:
    """Return what was decided each time: the way's label and the reason."""
    decided = [result for result in app.results if result is None or isinstance(result, Decision)]
    return [None if one is None else (one.way.label, one.reason) for one in decided]


def quitting(running: int = 2, pace: Pace = AT_ONCE) -> Host:
    """Return an app that asks whether to quit."""
    names = [f"deploy-[api] / block {number}" for number in range(running)]
    return Host(lambda: QuitDialog(names, pace=pace))


def cancelling(pace: Pace = AT_ONCE) -> Host:
    """Return an app that asks whether to cancel a run."""
    return Host(lambda: CancelDialog(prospect(Turn.CANCEL, "Cancel", "Cancel now"), pace=pace))


def skipping(pace: Pace = AT_ONCE) -> Host:
    """Return an app that asks why a block is skipped."""
    return Host(lambda: SkipDialog(prospect(Turn.SKIP, "Skip remove"), pace=pace))


def resuming(*further: str, pace: Pace = AT_ONCE) -> Host:
    """Return an app that asks whether to resume a run, or to do something further."""
    return Host(lambda: TurnDialog(prospect(Turn.RETRY, "Resume", *further), pace=pace))


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

        assert app.results == [Leaving.QUIT if quits else Leaving.STAY]


@pytest.mark.parametrize(
    ("running", "words"),
    [
        (0, "Nothing runs here."),
        (
            1,
            "1 block runs here (deploy-[api] / block 0); quitting stops it;",
        ),
        (2, "2 blocks run here (deploy-[api] / block 0, deploy-[api] / block 1); quitting stops them;"),
    ],
)
async def test_quitting_says_what_it_stops(running: int, words: str) -> None:
    """And what happens to it afterwards."""
    async with quitting(running).run_test(size=(120, 36)) as pilot:
        app = await ready(pilot)

        assert words in screen_text(app)


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ((), "Enter stays."),
        (("right",), "Enter lets them end, and then quits."),
        (("right", "right"), "Enter quits, and stops what runs."),
        (("right", "right", "left", "left"), "Enter stays."),
    ],
)
async def test_what_enter_does_is_said_of_where_one_stands(keys: tuple[str, ...], words: str) -> None:
    """Never of an answer that one has left."""
    async with Host(
        lambda: QuitDialog(["deploy / build"], may_finish=True, pace=AT_ONCE)
    ).run_test() as pilot:
        app = await ready(pilot)
        await pilot.press(*keys)
        await until(pilot, lambda: bar(app) == words)


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

        assert said(app) == [("Cancel", "")]


@pytest.mark.parametrize(("typed", "words"), [("", "No id"), ("4f2", "another id"), ("4f2b", "another id")])
async def test_anything_else_cancels_nothing(typed: str, words: str) -> None:
    """It says what the id starts with, and stays."""
    async with cancelling().run_test() as pilot:
        app = await ready(pilot)
        await pilot.press(*typed, "enter", "enter", "ctrl+s")

        assert app.results == []
        assert words in bar(app)
        assert "starts with 4f2a" in bar(app)


async def test_that_enter_cancels_is_said_once_the_id_is_typed() -> None:
    """And no more once it is another one."""
    async with cancelling().run_test() as pilot:
        app = await ready(pilot)
        await until(pilot, lambda: bar(app) == "Nothing happens until the id is typed.")
        await pilot.press(*"4f2akz")
        await until(pilot, lambda: bar(app) == "Enter cancels the run.")
        await pilot.press("x")
        await until(pilot, lambda: bar(app) == "Nothing happens until the id is typed.")


async def test_a_reason_is_returned() -> None:
    """It is typed in the second field; the brackets in the name are no markup."""
    async with cancelling().run_test() as pilot:
        app = await ready(pilot)
        assert "deploy-[api] · run 4f2akz7mw9qd" in screen_text(app)
        await pilot.press(*"4f2a", "tab", *"oops", "enter")
        await until(pilot, lambda: app.results)

        assert said(app) == [("Cancel", "oops")]


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


async def test_giving_up_what_runs_always_is_a_choice_of_its_own() -> None:
    """It takes its own key, says what it means, and can be taken back."""
    async with cancelling().run_test() as pilot:
        app = await ready(pilot)
        await pilot.press(*"4f2a", "tab", "tab", "space")
        assert "Cancel now has this effect" in bar(app)
        await pilot.press("space")
        assert "Cancel has this effect" in bar(app)
        await pilot.press("space", "ctrl+s")
        await until(pilot, lambda: app.results)

        assert said(app) == [("Cancel now", "")]


@pytest.mark.parametrize("typed", ["", "   "])
async def test_skipping_needs_a_reason(typed: str) -> None:
    """Enter alone skips nothing, and says what is missing."""
    async with skipping().run_test() as pilot:
        app = await ready(pilot)
        await pilot.press(*typed, "enter", "ctrl+s")

        assert app.results == []
        assert "say why" in bar(app)


async def test_a_reason_skips() -> None:
    """It goes into the history as it was typed."""
    async with skipping().run_test() as pilot:
        app = await ready(pilot)
        await pilot.press(*"known", "enter")
        await until(pilot, lambda: app.results)

        assert said(app) == [("Skip remove", "known")]


async def test_escape_skips_nothing() -> None:
    """Whatever was typed."""
    async with skipping().run_test() as pilot:
        app = await ready(pilot)
        await pilot.press(*"known", "escape")

        assert app.results == [None]


async def test_a_turn_says_first_what_will_happen() -> None:
    """The run by its name, and the blocks it is about."""
    async with resuming().run_test(size=(120, 36)) as pilot:
        app = await ready(pilot)

        assert "Resume · deploy-[api] · run 4f2akz7mw9qd" in screen_text(app)
        assert "Failed, and run again: remove." in screen_text(app)


async def test_a_second_way_has_a_key_of_its_own() -> None:
    """To arm the one does not send the other."""
    async with resuming("Retry all 3 that failed").run_test(size=(120, 36)) as pilot:
        app = await ready(pilot)
        await pilot.press("y", "a")
        assert app.results == []
        await pilot.press("a")
        await until(pilot, lambda: app.results)

        assert said(app) == [("Retry all 3 that failed", "")]


RESUMED = ("Resume", "")


@pytest.mark.parametrize(
    ("keys", "resumes"),
    [
        (("y", "y"), [RESUMED]),
        (("y", "enter"), [RESUMED]),
        (("y", "ctrl+s"), [RESUMED]),
        (("enter", "enter", "ctrl+s"), []),
        (("y",), []),
        (("y", "escape"), []),
        (("y", "escape", "enter"), []),
        (("escape",), [None]),
        (("y", "escape", "escape"), [None]),
    ],
)
async def test_resuming_takes_two_presses(
    keys: tuple[str, ...], resumes: list[tuple[str, str] | None]
) -> None:
    """Enter alone does nothing, and escape never resumes."""
    async with resuming().run_test() as pilot:
        app = await ready(pilot)
        await pilot.press(*keys)
        await pilot.pause()

        assert said(app) == resumes


async def test_a_held_key_resumes_nothing() -> None:
    """The first press chooses; its repeats do not send."""
    async with resuming(pace=Pace(inert=0)).run_test() as pilot:
        app = await ready(pilot)
        await hold(pilot, "y", 30)
        assert "let go, then press y or enter" in bar(app)
        await pilot.pause(0.3)

        assert app.results == []


async def test_a_text_resumes_nothing() -> None:
    """Its first letter is taken back by the others, and enter behind it belongs to it."""
    async with resuming(pace=Pace(inert=0)).run_test() as pilot:
        app = await ready(pilot)
        await pilot.press(*"yes")
        await pilot.pause(0.3)
        await pilot.press("enter")
        await pilot.pause(0.3)

        assert app.results == []
        assert "You seem to be writing" in bar(app)
        assert not app.screen.query(".-armed")


async def test_keys_typed_ahead_resume_nothing() -> None:
    """They were meant for what was there before."""
    app = resuming(pace=Pace(inert=3600))
    async with app.run_test() as pilot:
        await until(pilot, lambda: isinstance(app.screen, Dialog) and app.dialog.is_mounted)
        await pilot.press("y", "y", "enter", "escape")

        assert app.results == []


@pytest.mark.parametrize("size", [(40, 12), (80, 24)])
@pytest.mark.parametrize("make", [quitting, cancelling, skipping, resuming])
async def test_everything_is_in_sight(make: type, size: tuple[int, int]) -> None:
    """On the smallest screen too."""
    app = make()
    async with app.run_test(size=size) as pilot:
        await ready(pilot)

        for widget in app.dialog.query("#dialog-body, #dialog-bar, #dialog-keys, Input, Button"):
            assert app.screen.region.contains_region(widget.region)
