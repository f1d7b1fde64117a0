"""When somebody else is faster, and when the store does not answer."""

import pytest
from textual.widgets import Button, Input

from tidegate.errors import AlreadyAnswered, InvalidAnswer, PauseClosed, PauseNotFound, StoreUnavailable
from tidegate.model.prompt import Answer, Prompt
from tidegate.model.question import Assignment
from tidegate.model.state import PauseState
from tidegate.tui.dialogs import AnswerDialog
from tidegate.tui.dialogs.bodies.body import Send
from tidegate.tui.dialogs.frame.gate import PACE
from tui.dialogs.host import (
    AT_ONCE,
    NOW,
    Desk,
    FixedClock,
    Host,
    answering,
    bar,
    paste,
    pause_of,
    ready,
    screen_text,
    until,
)
from tui.dialogs.prompts import ALL, CHOICE, CONFIRM, TICKET

BY_ANA = pause_of(
    CONFIRM,
    state=PauseState.ANSWERED,
    closed_at=NOW - 3,
    answer=Answer(value=True, by="ana", comment="it hurries"),
)
LOST_WORDS = "Already answered by ana 3 s ago: yes"
BY_ANA_WORDS = f"{LOST_WORDS}. Comment: it hurries"
LOST = AlreadyAnswered("pause_1", "ana", "2026-11-28T09:59:57+00:00", "yes")


def dialog_of(app: Host) -> AnswerDialog:
    """Return the answer dialog in front."""
    assert isinstance(app.dialog, AnswerDialog)
    return app.dialog


@pytest.mark.parametrize("prompt", ALL, ids=lambda prompt: prompt.kind)
async def test_an_answer_from_elsewhere_ends_the_question(prompt: Prompt) -> None:
    """At once it says, in sight, who answered what, and why; only Close is left, whatever was armed or typed."""
    desk = Desk(prompt)
    async with answering(prompt, desk).run_test() as pilot:
        app = await ready(pilot)
        await pilot.press("y", "down")
        await pilot.press("ctrl+t")
        dialog_of(app).pause_closed(BY_ANA)
        assert bar(app) == BY_ANA_WORDS
        await pilot.pause()
        assert BY_ANA_WORDS in screen_text(app)
        await pilot.resize_terminal(40, 12)
        await until(pilot, lambda: "Comment: it hurries" in screen_text(app))
        assert LOST_WORDS in screen_text(app)
        await pilot.press("y", "1", "ctrl+s", "ctrl+t")
        assert isinstance(app.focused, Button)
        await pilot.press("enter")

        assert desk.calls == []
        assert not app.outcome.sent
        assert app.outcome.note == BY_ANA_WORDS


async def test_a_pause_decided_before_the_dialog_was_drawn_is_told() -> None:
    """The news may come between asking for the dialog and its first frame."""
    app = Host()
    desk = Desk(CONFIRM)
    async with app.run_test() as pilot:
        dialog = AnswerDialog(pause_of(CONFIRM), desk.submit, clock=FixedClock(), pace=AT_ONCE)
        dialog.pause_closed(BY_ANA)
        app.show(dialog)
        await ready(pilot)
        await pilot.press("y", "y")
        await pilot.press("escape")

        assert desk.calls == []
        assert app.outcome.note == BY_ANA_WORDS


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (LOST, LOST_WORDS),
        (PauseClosed("pause_1", "its run was cancelled by bob"), "its run was cancelled by bob"),
        (PauseNotFound("pause_1"), "no pause 'pause_1'"),
    ],
)
async def test_an_answer_that_came_too_late_is_told(error: Exception, words: str) -> None:
    """The dialog turns into what happened, and closes on enter."""
    desk = Desk(CONFIRM)
    desk.failures = [error]
    async with answering(CONFIRM, desk).run_test() as pilot:
        app = await ready(pilot)
        await pilot.press("n", "n")
        await until(pilot, lambda: words in bar(app))
        await pilot.press("n", "n")
        # Whoever presses letters seems to write, and enter is part of a text then.
        await pilot.pause(PACE.writing)
        await pilot.press("enter")
        await until(pilot, lambda: app.results)

        assert len(desk.calls) == 1
        assert not app.outcome.sent
        assert words in app.outcome.note


async def test_an_own_answer_that_the_feed_reports_first_is_a_success() -> None:
    """While an answer is on its way, the news that the pause is closed may be about that answer."""
    desk = Desk(CONFIRM)
    desk.open.clear()
    async with answering(CONFIRM, desk).run_test() as pilot:
        app = await ready(pilot)
        await pilot.press("y", "y")
        dialog_of(app).pause_closed(BY_ANA)
        assert bar(app) == "Sending ..."
        desk.open.set()
        await until(pilot, lambda: app.results)

        assert app.outcome.sent


async def test_what_was_decided_before_the_answer_went_is_told() -> None:
    """Nothing was sent, as it was handed on meanwhile; that somebody else has decided since comes first."""
    desk = Desk(CONFIRM)
    async with answering(CONFIRM, desk).run_test() as pilot:
        app = await ready(pilot)
        dialog = dialog_of(app)
        dialog.pause_assigned(pause_of(CONFIRM, assignment=Assignment(to="bob", by="ana", at=NOW - 5)))
        dialog.send_answer(Send("yes"))
        dialog.pause_closed(BY_ANA)
        await until(pilot, lambda: bar(app) == BY_ANA_WORDS)

        assert desk.calls == []


async def test_a_lost_race_that_the_feed_reports_first_is_told() -> None:
    """And if the answer on its way failed, the news was about somebody else's."""
    desk = Desk(CONFIRM)
    desk.failures = [LOST]
    desk.open.clear()
    async with answering(CONFIRM, desk).run_test() as pilot:
        app = await ready(pilot)
        await pilot.press("n", "n")
        dialog_of(app).pause_closed(BY_ANA)
        desk.open.set()
        await until(pilot, lambda: bar(app) == BY_ANA_WORDS)
        await pilot.press("escape")

        assert app.outcome.note == BY_ANA_WORDS


async def test_a_store_that_fails_costs_nothing_that_was_typed() -> None:
    """The sentence of the store, and the same enter tries again."""
    desk = Desk(TICKET)
    desk.failures = [StoreUnavailable("sqlite:///x.db", "it is locked", "Try again.")]
    async with answering(TICKET, desk).run_test() as pilot:
        app = await ready(pilot)
        paste(app, "ABC-1")
        await pilot.press("enter")
        await until(pilot, lambda: "it is locked" in bar(app))
        assert bar(app).startswith("Not sent: ")
        assert app.dialog.query_one("#answer", Input).value == "ABC-1"
        await pilot.press("enter")
        await until(pilot, lambda: app.results)

        assert desk.values == ["ABC-1"]


async def test_a_store_that_says_nothing_gives_the_keys_back() -> None:
    """After a while; what was typed is kept, and what was on its way may still arrive."""
    desk = Desk(TICKET)
    desk.open.clear()
    async with answering(TICKET, desk, patience=0.05).run_test() as pilot:
        app = await ready(pilot)
        paste(app, "ABC-1")
        await pilot.press("enter")
        await until(pilot, lambda: bar(app).startswith("No word from the store"))
        assert app.dialog.query_one("#answer", Input).value == "ABC-1"
        await pilot.press("escape")
        desk.open.set()
        await until(pilot, lambda: desk.values)

        assert app.outcome.draft == "ABC-1"
        assert app.outcome.note.startswith("The store has not said whether")


async def test_the_same_answer_may_be_sent_again_after_silence() -> None:
    """The engine takes it as one."""
    desk = Desk(TICKET)
    desk.open.clear()
    async with answering(TICKET, desk, patience=0.05).run_test() as pilot:
        app = await ready(pilot)
        paste(app, "ABC-1")
        await pilot.press("enter")
        await until(pilot, lambda: bar(app).startswith("No word from the store"))
        desk.open.set()
        await pilot.press("enter")
        await until(pilot, lambda: app.results)

        assert app.outcome.sent


async def test_a_refusal_by_the_engine_keeps_the_question_open() -> None:
    """The journal's rule has the last word; it is shown like our own."""
    desk = Desk(CHOICE)
    desk.failures = [InvalidAnswer("answer the other way")]
    async with answering(CHOICE, desk).run_test() as pilot:
        app = await ready(pilot)
        await pilot.press("1", "enter", "enter")
        await until(pilot, lambda: bar(app) == "Not taken: answer the other way.")
        await pilot.press("enter")
        await until(pilot, lambda: app.results)

        assert desk.values == ["nonprod"]


async def test_news_of_a_pause_after_its_dialog_has_gone_does_nothing() -> None:
    """The list may be read while the dialog is being closed."""
    async with answering(CONFIRM).run_test() as pilot:
        app = await ready(pilot)
        dialog = dialog_of(app)
        await pilot.press("escape")
        await until(pilot, lambda: app.results)
        dialog.pause_closed(BY_ANA)
        await pilot.pause()

        assert not app.outcome.sent
        assert len(app.results) == 1
