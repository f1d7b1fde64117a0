"""Several questions answered together, on the real engine: each by its id, whatever moves meanwhile."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from textual import events

from tidegate.clock import SystemClock
from tidegate.errors import AlreadyAnswered
from tidegate.model.answer import Answered, Reply
from tidegate.model.events import RunStatus
from tidegate.model.exhibit import Exhibit, ExhibitKind
from tidegate.model.ids import PauseId, RunId
from tidegate.model.listing import PauseRow
from tidegate.model.outlook import Supposed
from tidegate.model.prompt import ConfirmPrompt
from tidegate.tui.dialogs.answering.bulk import BulkDialog, BulkDoor
from tidegate.tui.dialogs.answering.reviewed import Reviewed, groups_of
from tidegate.tui.dialogs.frame.pause import AskedPause
from tidegate.tui.nouns.advice import Foreseen
from tidegate.tui.reads.ahead import foresee
from tidegate.tui.screens.lists.inbox import InboxScreen
from tui.dialogs.host import pause_of as pause_of_prompt
from tui.monitoring import Monitor, monitor

GATE = """
name: {name}
blocks:
  - {{id: approve, type: ConfirmOperation, inputs: {{message: {message}}}}}
  - {{id: deploy, type: Shell, depends_on: [approve], inputs: {{command: echo deployed}}}}
"""
PICK = """
name: {name}
blocks:
  - {{id: pick, type: AskChoice, inputs: {{question: Which way?, choices: [left, right]}}}}
"""


async def ask(seen: Monitor, *names: str, text: str = GATE, message: str = "Go on?") -> dict[str, RunId]:
    """Start runs that ask, and return them by the names of their workflows."""
    runs = {name: await seen.start(text.format(name=name, message=message)) for name in names}
    await seen.see(*names)
    return runs


async def pause_of(seen: Monitor, run_id: RunId) -> PauseId:
    """Return the id of what a run asks."""
    return (await seen.ask(lambda session: session.history.inbox(run_id)))[0].pause_id


async def status_of(seen: Monitor, run_id: RunId) -> RunStatus:
    """Return where a run stands once it moves no more."""
    await seen.ask(lambda session: session.executor.settle(run_id))
    return (await seen.ask(lambda session: session.history.run_view(run_id))).status


def inbox_of(seen: Monitor) -> InboxScreen:
    """Return the inbox, under whatever dialog."""
    return next(screen for screen in seen.app.screen_stack if isinstance(screen, InboxScreen))


async def review(seen: Monitor) -> BulkDialog:
    """Open the review, and return it once it takes keys."""
    await seen.press("A")
    await seen.dialog("all the same")
    assert isinstance(seen.app.screen, BulkDialog)
    return seen.app.screen


async def test_equal_questions_are_answered_at_once(tmp_path: Path) -> None:
    """Every run is listed with what follows; one comment, two presses, and a result for each."""
    async with monitor(tmp_path, size=(120, 36)) as seen:
        runs = await ask(seen, "web", "api", "batch")
        await ask(seen, "other", message="Something else?")

        await review(seen)
        await seen.see("3 questions of 3 runs", "web", "api", "batch", "choose an answer first")
        await seen.see("Approve lets each of these runs go on. Reject ends each as")
        assert "other" not in seen.text
        await seen.press("ctrl+t", *"as agreed", "enter", "y")
        await seen.see("to send", "It goes to 3", "Starts deploy")
        await seen.unsee("choose an answer first")
        assert len(await seen.ask(lambda session: session.history.inbox())) == 4
        await seen.pilot.pause(0.2)
        await seen.press("y")

        await seen.see("3 taken", "✓ ")
        await seen.pilot.pause(0.5)
        await seen.press("enter")
        await seen.see("3 answers taken")
        assert [await status_of(seen, run_id) for run_id in runs.values()] == [RunStatus.SUCCEEDED] * 3
        answered = await seen.ask(lambda session: session.history.answered(10))
        assert {(row.answer.by, row.answer.comment) for row in answered if row.answer} == {
            ("ana", "as agreed")
        }


async def test_what_is_answered_elsewhere_meanwhile_is_shown_as_such(tmp_path: Path) -> None:
    """Before sending and after: nobody's answer is overwritten, and what is refused stays marked."""
    async with monitor(tmp_path, size=(120, 36)) as seen:
        runs = await ask(seen, "web", "api", "batch")
        pauses = {name: await pause_of(seen, run_id) for name, run_id in runs.items()}
        await review(seen)

        await seen.ask(
            lambda session: session.executor.answer(pauses["api"], Reply("no", by="bob", via="cli"))
        )
        await seen.see("answered by bob", "2 questions, 1 left")
        await seen.press("y")
        await seen.see("It goes to 2")
        await seen.pilot.pause(0.2)
        await seen.press("y")

        await seen.see("2 taken, 1 closed", "answered by bob")
        assert await status_of(seen, runs["api"]) is RunStatus.REJECTED
        assert await status_of(seen, runs["web"]) is RunStatus.SUCCEEDED
        with pytest.raises(AlreadyAnswered):
            await seen.ask(
                lambda session: session.executor.answer(pauses["api"], Reply("yes", by="ana", via="cli"))
            )


async def test_what_was_handed_on_meanwhile_is_held_back_once(tmp_path: Path) -> None:
    """The list says whose it has become; it stays marked, and sending again sends it, as anybody may answer."""
    async with monitor(tmp_path, size=(120, 36)) as seen:
        runs = await ask(seen, "web", "api")
        pause_id = await pause_of(seen, runs["api"])
        await review(seen)
        assert "FOR" not in seen.text

        await seen.ask(
            lambda session: session.executor.assign(pause_id, "otto", by="bob", note="mine please")
        )
        await seen.see(
            "FOR", "meanwhile assigned to otto by bob: mine please", "One answer goes to 1 question, 1"
        )
        await seen.press("y")
        await seen.see("It goes to 1 question, 1 handed on")
        await seen.pilot.pause(0.2)
        await seen.press("y")
        await seen.see("1 taken, 1 refused", "not sent: meanwhile assigned to otto by bob: mine please")
        assert await status_of(seen, runs["web"]) is RunStatus.SUCCEEDED
        assert await status_of(seen, runs["api"]) is RunStatus.PAUSED

        await seen.pilot.pause(0.5)
        await seen.press("enter")
        await seen.see("1 refused: still marked")
        await seen.press("A")
        await seen.dialog("1 question of 1 run")
        await seen.press("y")
        await seen.see("It goes to 1 question.")
        await seen.pilot.pause(0.2)
        await seen.press("y")
        await seen.see("1 taken.")
        assert await status_of(seen, runs["api"]) is RunStatus.SUCCEEDED


async def test_only_what_is_ticked_is_answered(tmp_path: Path) -> None:
    """A run is left out by one key, which takes back what was armed."""
    async with monitor(tmp_path) as seen:
        runs = await ask(seen, "web", "api", "batch")
        dialog = await review(seen)
        left_out = dialog.rows[1].pause.run_id
        await seen.press("y")
        await seen.see("to send")

        await seen.press("down", "space")
        await seen.see("2 questions, 1 left")
        await seen.unsee("to send")
        await seen.pilot.pause(0.2)
        await seen.press("n")
        await seen.see("to send")
        await seen.pilot.pause(0.2)
        await seen.press("n")

        await seen.see("2 taken, 1 left out")
        for run_id in runs.values():
            expected = RunStatus.PAUSED if run_id == left_out else RunStatus.REJECTED
            assert await status_of(seen, run_id) is expected


async def test_a_review_needs_more_than_one_key(tmp_path: Path) -> None:
    """What was typed ahead, a held key and enter send nothing; escape answers nothing and ends the review."""
    async with monitor(tmp_path) as seen:
        await ask(seen, "web", "api")

        for key in ("A", *"yyyy", "enter"):
            seen.app.post_message(events.Key(key, key if len(key) == 1 else None))
        await seen.dialog("all the same")
        await seen.press("enter")
        await seen.see("Nothing is chosen yet")
        for _ in range(20):
            seen.app.post_message(events.Key("y", "y"))
        await seen.see("let go, then press")
        await seen.press("escape", "escape")
        await seen.see("Nothing was sent")

        assert len(await seen.ask(lambda session: session.history.inbox())) == 2


async def test_different_questions_are_reviewed_one_after_the_other(tmp_path: Path) -> None:
    """Marked ones, in groups of those that ask the same; what the filter hides is left out until it is ticked."""
    async with monitor(tmp_path, size=(120, 36)) as seen:
        gates = await ask(seen, "web", "api")
        picks = await ask(seen, "fork-a", "fork-b", text=PICK)
        await seen.press("asterisk")
        await seen.see("4 marked", " · A answers them")
        await seen.press("slash", *"-workflow=api", "enter")
        await seen.see("4 marked · 1 hidden by the filter", " · A answers them")

        await review(seen)
        await seen.see("question 1 of 2", "hidden by the filter", "1 question, 1 left")
        await seen.press("y")
        await seen.see("to send")
        await seen.pilot.pause(0.2)
        await seen.press("y")
        await seen.see("1 taken, 1 left out")
        await seen.pilot.pause(0.5)
        await seen.press("escape")
        await seen.dialog("question 2 of 2")
        await seen.press("2", "enter")
        await seen.see("to send")
        await seen.pilot.pause(0.2)
        await seen.press("enter")
        await seen.see("2 taken")
        await seen.pilot.pause(0.5)
        await seen.press("enter")

        await seen.until(lambda: isinstance(seen.app.screen, InboxScreen))
        assert await status_of(seen, gates["api"]) is RunStatus.PAUSED
        assert await status_of(seen, gates["web"]) is RunStatus.SUCCEEDED
        assert [await status_of(seen, run_id) for run_id in picks.values()] == [RunStatus.SUCCEEDED] * 2
        assert set(inbox_of(seen).rows_view.marked) == {await pause_of(seen, gates["api"])}


async def test_what_follows_is_looked_up_once_for_each_run_and_answer(tmp_path: Path) -> None:
    """However often it is armed while that takes its time."""
    async with monitor(tmp_path, size=(120, 36)) as seen:
        await ask(seen, "web", "api", "db")
        may_go_on, looked = asyncio.Event(), list[tuple[PauseId, str | Supposed]]()
        may_go_on.set()

        async def foresee_late(pause: PauseRow, raw: str | Supposed) -> Foreseen:
            looked.append((pause.pause_id, raw))
            await may_go_on.wait()
            return await seen.ask(lambda session: foresee(session, pause, raw))

        async def look(_: Sequence[PauseId]) -> Mapping[PauseId, AskedPause]:
            return {}

        async def submit(*_: str) -> Answered:
            raise AlreadyAnswered("", "ben", "", "")

        rows = await seen.ask(lambda session: session.history.inbox())
        reviewed = [Reviewed(row, row.workflow, row.run_id) for row in rows]
        seen.app.push_screen(BulkDialog(reviewed, BulkDoor(submit, look, foresee_late), clock=SystemClock()))
        await seen.dialog("all the same")
        may_go_on.clear()
        await seen.press("y")
        await seen.until(lambda: "yes" in {raw for _, raw in looked})
        await seen.press("escape", "y")
        await seen.see("to send")
        await seen.pilot.pause(0.2)
        may_go_on.set()

        await seen.until(lambda: seen.text.count("Starts deploy") > len(rows))
        assert [raw for _, raw in looked].count("yes") == len(rows)
        assert sorted(looked) == sorted(dict.fromkeys(looked))


def test_what_is_laid_before_somebody_makes_no_other_question() -> None:
    """But whose business it is does, and the groups stand in the order of their first."""
    pauses = [
        pause_of_prompt(ConfirmPrompt(message=message, assignee=assignee, show=show))
        for message, assignee, show in (
            ("b", "", ()),
            ("a", "", (Exhibit(kind=ExhibitKind.TEXT, title="log", text="x"),)),
            ("b", "ana", ()),
            ("a", "", ()),
        )
    ]
    groups = groups_of(
        Reviewed(pause.evolve(pause_id=PauseId(f"pause_{number}")), "w", "r")
        for number, pause in enumerate(pauses)
    )
    assert [[row.pause_id for row in group] for group in groups] == [
        ["pause_0"],
        ["pause_1", "pause_3"],
        ["pause_2"],
    ]
