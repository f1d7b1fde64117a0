"""What an operator does with the monitor, on the real engine: real keys, real commands."""

import asyncio
import re
from pathlib import Path

import pytest
from textual import events

from running import PATIENCE
from tidegate.clock import SystemClock
from tidegate.errors import AlreadyAnswered
from tidegate.model.answer import Reply
from tidegate.model.events import RunInterrupted, RunStatus, WaveStarted
from tidegate.store.protocol import Store
from tidegate.tui.app import MonitorApp
from tidegate.tui.lines import Tone
from tidegate.tui.screens.lists.checkpoints import CheckpointsScreen
from tidegate.tui.screens.lists.inbox import InboxScreen
from tidegate.tui.screens.lists.runs import RunsScreen
from tidegate.tui.screens.run.run_view import RunScreen
from tui.monitoring import FixedClock, monitor, opener
from tui.scene import NOW, begin, fill, started

GATE = """
name: gate
blocks:
  - {id: build, type: Shell, inputs: {command: echo built}}
  - {id: approve, type: ConfirmOperation, depends_on: [build], inputs: {message: Go on?}}
  - {id: deploy, type: Shell, depends_on: [approve], inputs: {command: echo deployed}}
"""
FAILS_ONCE = """
name: fails-once
blocks:
  - {id: try, type: Shell, inputs: {command: "test -e there || { touch there; echo not yet >&2; exit 3; }"}}
"""
LEFT = """
name: left
blocks:
  - {id: copying, type: Shell, inputs: {command: make copy}}
"""
CHATTY = """
name: chatty
blocks:
  - {id: talk, type: Shell, inputs: {command: "for i in $(seq 300); do echo line $i of many; done; until test -e enough; do sleep 0.05; done; echo the end"}}
"""


async def test_a_gate_is_answered_from_the_inbox(tmp_path: Path) -> None:
    """It appears by itself, is opened by a key, answered by another, and its run goes on."""
    async with monitor(tmp_path) as seen:
        await seen.see("Nothing waits for you")
        await seen.press("3")
        await seen.see("No checkpoint yet")
        await seen.press("f")
        await seen.see("No checkpoint of type pause. f shows the next type")
        await seen.press("1")
        run_id = await seen.start(GATE)
        await seen.see("1 Inbox ◆1", "Go on?")

        await seen.press("a")
        await seen.dialog("Approve")
        await seen.approve()
        await seen.until(lambda: isinstance(seen.app.screen, InboxScreen))

        await seen.see("closed in the last 15 minutes", "✓ confirm", "yes · ")
        await seen.ask(lambda session: session.executor.settle(run_id))
        view = await seen.ask(lambda session: session.history.run_view(run_id))
        assert view.status is RunStatus.SUCCEEDED


async def test_opening_and_leaving_a_question_answers_nothing(tmp_path: Path) -> None:
    """Escape means later; it goes up one level and never quits."""
    async with monitor(tmp_path) as seen:
        run_id = await seen.start(GATE)
        await seen.see("Go on?")

        await seen.press("enter")
        await seen.dialog("Approve")
        await seen.press("escape", "escape", "escape")
        await seen.until(lambda: isinstance(seen.app.screen, InboxScreen))

        assert len(await seen.ask(lambda session: session.history.inbox(run_id))) == 1
        assert seen.app.is_running


async def test_a_question_answered_elsewhere_closes_the_open_dialog(tmp_path: Path) -> None:
    """The dialog says who was faster, and sends nothing any more."""
    async with monitor(tmp_path) as seen:
        run_id = await seen.start(GATE)
        await seen.see("Go on?")
        await seen.press("a")
        await seen.dialog("Approve")

        pause = (await seen.ask(lambda session: session.history.inbox(run_id)))[0]
        await seen.ask(
            lambda session: session.executor.answer(pause.pause_id, Reply("no", by="ben", via="cli"))
        )

        await seen.see("ben")
        await seen.press("y", "y", "enter")
        with pytest.raises(AlreadyAnswered):
            await seen.ask(
                lambda session: session.executor.answer(pause.pause_id, Reply("yes", by="ana", via="cli"))
            )


async def test_new_questions_ring_but_never_open(tmp_path: Path) -> None:
    """The badge and the title change; what the operator does is not interrupted."""
    async with monitor(tmp_path) as seen:
        await seen.press("2")
        await seen.start(GATE)

        await seen.see("1 Inbox ◆1")
        assert seen.app.title == "(1) tidegate"
        assert isinstance(seen.app.screen, RunsScreen)


async def test_modes_are_one_key_away_and_say_how_much_is_in_them(tmp_path: Path) -> None:
    """From anywhere; the same key again goes up to the list."""
    async with monitor(tmp_path, prepare=fill, clock=FixedClock(NOW)) as seen:
        await seen.see("1 Inbox ◆3", "2 Runs ●1", "3 Ckpt 12")

        await seen.press("2")
        await seen.see("backup-all", "cleanup")
        await seen.press("enter")
        await seen.until(lambda: isinstance(seen.app.screen, RunScreen))
        await seen.press("2")
        assert isinstance(seen.app.screen, RunsScreen)
        await seen.press("3")
        await seen.see("wave 2", "failure")
        await seen.until(lambda: isinstance(seen.app.screen, CheckpointsScreen))


async def test_a_run_is_followed_to_its_end(tmp_path: Path) -> None:
    """Blocks change as they are committed; the block that deserves attention is chosen first."""
    async with monitor(tmp_path, size=(120, 36)) as seen:
        await seen.start(GATE)
        await seen.press("2")
        await seen.see("gate", "◆ paused")

        await seen.press("enter")
        await seen.see("for an answer to approve", "✓ build", "○ deploy", "Question")
        await seen.press("a")
        await seen.dialog("Approve")
        await seen.approve()

        await seen.see("✓ deploy", "✓ succeeded", "3/3")
        await seen.press("right")
        await seen.see("deployed")


async def test_output_is_followed_until_the_reader_scrolls_up(tmp_path: Path) -> None:
    """More of it moves nothing then, and one key follows again."""
    async with monitor(tmp_path) as seen:
        await seen.start(CHATTY)
        await seen.press("2")
        await seen.see("chatty")
        await seen.press("enter")
        await seen.see("line 300 of many", "following")

        await seen.press("K", "K", "K")
        await seen.see("more lines · f follows", "line 297 of many")
        await seen.unsee("line 300 of many")
        top = re.findall(r"line \d+ of many", seen.text)[0]
        (tmp_path / "enough").touch()
        await seen.see("✓ succeeded")
        await seen.see("more lines · f follows")
        assert top in seen.text

        await seen.press("f")
        await seen.see("the end", "following")


@pytest.mark.parametrize("size", [(60, 16), (80, 24), (120, 16), (200, 50)])
async def test_blocks_and_output_are_seen_at_every_size(tmp_path: Path, size: tuple[int, int]) -> None:
    """What has no room gives way in order; these two never do."""
    async with monitor(tmp_path, size=size, prepare=fill, clock=FixedClock(NOW)) as seen:
        await seen.press("2")
        await seen.see("backup-all")
        await seen.press("enter")

        await seen.see("● snapshot", "○ verify", "copied chunk 59", "following")


async def test_a_failed_run_is_resumed(tmp_path: Path) -> None:
    """Its reason is in words; R plans again what failed."""
    async with monitor(tmp_path) as seen:
        await seen.start(FAILS_ONCE)
        await seen.press("2")
        await seen.see("✗ failed")
        await seen.press("enter")
        await seen.see("not yet", "exit")

        await seen.press("r")
        await seen.dialog("Failed, and run again: try.")
        await seen.approve()

        await seen.see("✓ succeeded", "×2")  # noqa: RUF001 - the sign is meant


async def test_resuming_needs_more_than_one_key(tmp_path: Path) -> None:
    """What was typed ahead, a held key and enter send nothing; leaving the dialog changes nothing."""
    async with monitor(tmp_path) as seen:
        run_id = await seen.start(FAILS_ONCE)
        await seen.press("2")
        await seen.see("✗ failed")
        await seen.press("enter")
        await seen.see("not yet", "exit")

        for key in ("r", *"yyyy", "enter"):
            seen.app.post_message(events.Key(key, key if len(key) == 1 else None))
        await seen.dialog("Failed, and run again: try.")
        await seen.press("enter", "enter")
        await seen.see("Nothing is chosen yet")
        for _ in range(20):
            seen.app.post_message(events.Key("y", "y"))
        await seen.see("let go, then press y or enter to send")
        await seen.press("escape", "escape")
        await seen.until(lambda: isinstance(seen.app.screen, RunScreen))

        view = await seen.ask(lambda session: session.history.run_view(run_id))
        assert view.status is RunStatus.FAILED


async def test_cancelling_needs_more_than_one_key(tmp_path: Path) -> None:
    """The key opens a dialog; leaving it changes nothing."""
    async with monitor(tmp_path) as seen:
        run_id = await seen.start(GATE)
        await seen.press("2")
        await seen.see("gate")
        await seen.press("enter")
        await seen.see("for an answer")

        await seen.press("X")
        await seen.dialog(run_id)
        await seen.press("escape", "escape")
        await seen.until(lambda: isinstance(seen.app.screen, RunScreen | RunsScreen))

        view = await seen.ask(lambda session: session.history.run_view(run_id))
        assert view.status is RunStatus.PAUSED


async def test_a_filter_shows_only_what_has_all_its_words(tmp_path: Path) -> None:
    """While one types; escape shows all again."""
    async with monitor(tmp_path, prepare=fill, clock=FixedClock(NOW)) as seen:
        await seen.press("2")
        await seen.see("deploy-api")

        await seen.press("slash", *"etl succeeded", "enter")
        await seen.see("Runs · 1 of 6")
        await seen.unsee("deploy-api")
        await seen.press("slash", *"zzz")
        await seen.see("esc shows all")
        await seen.press("escape")
        await seen.see("deploy-api", "6 runs")


async def test_checkpoints_are_shown_by_type(tmp_path: Path) -> None:
    """One key goes round the types."""
    async with monitor(tmp_path, prepare=fill, clock=FixedClock(NOW)) as seen:
        await seen.press("3")
        await seen.see("12 shown")

        await seen.press("f")
        await seen.see(" 4 shown")
        await seen.press("f")
        await seen.see(" 7 shown")
        await seen.press("f")
        await seen.see(" 1 shown", "cleanup")
        await seen.press("o")
        await seen.see("Permission denied")


async def test_quitting_asks_only_if_something_runs_here(tmp_path: Path) -> None:
    """Waiting for people is not running: nothing is lost, so nothing is asked."""
    async with monitor(tmp_path) as seen:
        await seen.start(CHATTY)
        await seen.see("●1")
        await seen.press("q")
        await seen.dialog("Quit tidegate?")
        await seen.press("escape")
        await seen.until(lambda: isinstance(seen.app.screen, InboxScreen))
        (tmp_path / "enough").touch()
        await seen.unsee("●1")

        await seen.press("q")

        await seen.until(lambda: not seen.app.is_running)
        assert seen.app.return_code == 0


async def test_ctrl_c_neither_quits_nor_answers(tmp_path: Path) -> None:
    """It copies, or says what it would do."""
    async with monitor(tmp_path) as seen:
        run_id = await seen.start(GATE)
        await seen.see("Go on?")

        await seen.press("ctrl+c")

        await seen.see("q quits")
        await seen.press("ctrl+z")
        await seen.see("ctrl+z stops nothing", "q leaves")
        assert len(await seen.ask(lambda session: session.history.inbox(run_id))) == 1


async def test_a_store_that_cannot_be_opened_ends_the_monitor_with_a_sentence(tmp_path: Path) -> None:
    """No traceback, and an exit code that says so."""
    damaged = tmp_path / "damaged.db"
    damaged.write_bytes(b"this is no database" * 100)
    app = monitor_app_on(str(damaged))

    async with app.run_test() as pilot, asyncio.timeout(PATIENCE):
        while app.is_running and not app.problem:
            await pilot.pause(0.02)

    assert "damaged.db" in app.problem
    assert app.return_code == 1


def monitor_app_on(url: str) -> MonitorApp:
    """Return a monitor on a store that exists, or does not."""
    return MonitorApp(opener(clock=SystemClock(), url=url), SystemClock())


async def test_covered_screens_do_nothing_and_catch_up(tmp_path: Path) -> None:
    """A list under another screen reads nothing; when it is seen again it is up to date."""
    async with monitor(tmp_path) as seen:
        inbox = seen.app.screen
        assert isinstance(inbox, InboxScreen)
        await seen.see("Nothing waits for you")
        await seen.press("question_mark")
        await seen.see("Open the question")

        await seen.start(GATE)
        await seen.see("1 Inbox ◆1")
        assert inbox.rows_view.lines == ()

        await seen.press("escape")
        await seen.see("Go on?")


async def test_what_is_shown_can_be_selected_and_copied(tmp_path: Path) -> None:
    """With the mouse; what is copied is what is shown."""
    async with monitor(tmp_path, size=(120, 36), prepare=fill, clock=FixedClock(NOW)) as seen:
        await seen.press("2")
        await seen.see("backup-all")
        await seen.press("enter")
        await seen.see("copied chunk 59", "following")

        pane = seen.app.screen.query_one("#preview")
        await seen.pilot.mouse_down(pane, offset=(2, 3))
        await seen.pilot.hover(pane, offset=(22, 4))
        await seen.pilot.mouse_up(pane, offset=(22, 4))
        await seen.press("ctrl+c")

        await seen.see("copied 2 lines")
        copied = seen.app.clipboard.splitlines()
        assert len(copied) == 2
        assert copied[0].endswith("of volume data")
        assert copied[1].startswith("12:04:")


@pytest.mark.parametrize(
    ("size", "tone", "toasts"),
    [
        ((80, 24), Tone.DONE, 0),
        ((80, 24), Tone.FAILED, 0),
        ((120, 36), Tone.DONE, 0),
        ((120, 36), Tone.FAILED, 1),
    ],
)
async def test_what_happened_is_said_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int], tone: Tone, toasts: int
) -> None:
    """In the status line; what went wrong also as a toast, where the eye may be elsewhere."""
    async with monitor(tmp_path, size=size) as seen:
        shown: list[str] = []
        monkeypatch.setattr(seen.app, "notify", lambda text, **_: shown.append(text))
        seen.app.tell("run a1b2c3 goes on", tone)
        await seen.see("run a1b2c3 goes on")

        assert len(shown) == toasts


async def test_an_interrupted_run_is_resumed_after_a_word(tmp_path: Path) -> None:
    """Which of its blocks is asked about is said before anything runs."""
    async with monitor(tmp_path, prepare=left_behind, size=(120, 36)) as seen:
        await seen.press("2")
        await seen.see("! interrupted")
        await seen.press("enter")
        await seen.see("copying")

        await seen.press("r")

        await seen.dialog("Interrupted: copying. You are asked what to do about it")
        await seen.press("escape")
        await seen.until(lambda: isinstance(seen.app.screen, RunScreen))


async def left_behind(store: Store) -> None:
    """Tell a run whose process is gone while its block was at work."""
    run = await begin(store, LEFT, "jb3c6k8p9rty", 95)
    await run.tell(0.0, WaveStarted(wave=0), started("copying"))
    await run.tell(1.0, RunInterrupted(reason="its monitor was closed"))
