"""What an operator does to a run: each key says first what will happen, and nothing happens by it alone."""

from pathlib import Path

import pytest

from tidegate.model.events import RunStatus
from tidegate.model.ids import BlockId, RunId
from tidegate.model.state import BlockStatus, RunState
from tidegate.tui.dialogs import CancelDialog, SkipDialog, TurnDialog
from tidegate.tui.screens.lists.runs import RunsScreen
from tidegate.tui.screens.run.run_view import RunScreen
from tui.monitoring import Monitor, monitor

BUSY = """
name: busy
blocks:
  - {id: work, type: Shell, inputs: {command: "until test -e enough; do sleep 0.05; done"}}
  - {id: deploy, type: Shell, depends_on: [work], inputs: {command: echo deployed}}
  - {id: cleanup, type: Shell, depends_on: [deploy], always: true, inputs: {command: "touch cleaned"}}
"""
FAILS = """
name: fails
blocks:
  - {id: try, type: Shell, inputs: {command: "test -e ready"}}
  - {id: also, type: Shell, inputs: {command: "test -e ready"}}
  - {id: after, type: Shell, depends_on: [try], inputs: {command: echo after}}
"""
BESIDE = """
name: beside
blocks:
  - {id: gate, type: ConfirmOperation, inputs: {message: Go on?}}
  - {id: try, type: Shell, inputs: {command: "test -e ready"}}
  - {id: after, type: Shell, depends_on: [try], inputs: {command: echo after}}
"""


async def open_run(seen: Monitor, text: str, words: str) -> RunId:
    """Start a run, and open its view."""
    run_id = await seen.start(text)
    await seen.press("2")
    await seen.see(words)
    await seen.press("enter")
    await seen.until(lambda: isinstance(seen.app.screen, RunScreen))
    # As much of its id as the smallest terminal shows.
    await seen.see(run_id[:6])
    return run_id


async def state_of(seen: Monitor, run_id: RunId) -> RunState:
    """Return where a run stands."""
    return await seen.ask(lambda session: session.history.state(run_id))


async def put_cursor(seen: Monitor, block: str) -> None:
    """Put the cursor on a block, by keys."""
    await seen.press("g")
    for _ in range(12):
        screen = seen.app.screen
        assert isinstance(screen, RunScreen)
        if screen.target() == (screen.run_id, block):
            return
        await seen.press("j")
    raise AssertionError(seen.text)


async def test_a_run_is_paused_and_let_go_on(tmp_path: Path) -> None:
    """Who paused it and what still drains is said; what was in flight finishes, and nothing new starts."""
    async with monitor(tmp_path, size=(120, 36)) as seen:
        run_id = await open_run(seen, BUSY, "● running")
        await seen.press("p")
        await seen.dialog("1 in flight will finish.")
        await seen.see("Nothing new starts", "Deadlines stand still")
        await seen.approve()
        await seen.see("‖ paused by ana · draining 1")

        (tmp_path / "enough").touch()
        await seen.see("‖ paused by ana · drained", "✓ work")
        assert (await state_of(seen, run_id)).block(BlockId("deploy")).status is BlockStatus.PENDING
        await seen.press("escape")
        await seen.see("‖ paused", "drained", "1 run · 1 paused")

        await seen.press("p")
        await seen.dialog("It was paused by ana")
        await seen.approve()
        await seen.see("✓ succeeded")


async def test_a_failed_block_is_tried_again_while_another_one_waits(tmp_path: Path) -> None:
    """The open question of the run stays as it is."""
    async with monitor(tmp_path, size=(120, 36)) as seen:
        run_id = await open_run(seen, BESIDE, "◆ paused")
        await put_cursor(seen, "try")
        await seen.see("exit code 1")
        (tmp_path / "ready").touch()

        await seen.press("r")
        await seen.dialog("Failed, and run again: try.")
        await seen.see("they follow: after.", "they do again: try.", "questions of the run stay as they are")
        await seen.approve()

        await seen.see("✓ try", "○ after", "for an answer to gate")
        assert (await state_of(seen, run_id)).block(BlockId("try")).attempt == 2


async def test_all_that_failed_is_a_choice_of_its_own(tmp_path: Path) -> None:
    """Beside the block the cursor is on."""
    async with monitor(tmp_path, size=(120, 36)) as seen:
        run_id = await open_run(seen, FAILS, "✗ failed")
        await put_cursor(seen, "try")
        (tmp_path / "ready").touch()
        await seen.press("r")
        await seen.dialog("Retry all 2 that failed")
        await seen.press("a")
        await seen.see("to send")
        await seen.pilot.pause(0.2)
        await seen.press("a")

        await seen.see("✓ succeeded", "3/3")
        assert (await state_of(seen, run_id)).block(BlockId("also")).attempt == 2


async def test_a_block_that_has_ended_runs_again_with_what_follows(tmp_path: Path) -> None:
    """What has effects outside is named before."""
    (tmp_path / "enough").touch()
    async with monitor(tmp_path, size=(120, 36)) as seen:
        run_id = await open_run(seen, BUSY, "✓ succeeded")
        await put_cursor(seen, "deploy")

        await seen.press("R")
        await seen.dialog("Run again: deploy, cleanup.")
        await seen.see("they do again: deploy, cleanup.", "They begin anew")
        await seen.approve()

        await seen.see("deploy runs again")
        # The screen may still show how it had ended before.
        while not (state := await state_of(seen, run_id)).block(BlockId("cleanup")).attempt > 1:
            await seen.pilot.pause(0.02)
        await seen.see("✓ succeeded")
        assert [state.block(BlockId(name)).attempt for name in ("work", "deploy", "cleanup")] == [1, 2, 2]


async def test_a_block_is_skipped_for_a_reason(tmp_path: Path) -> None:
    """Enter alone does not; what hangs on it is said before, and the reason is shown afterwards."""
    async with monitor(tmp_path, size=(120, 36)) as seen:
        run_id = await open_run(seen, BUSY, "● running")
        await put_cursor(seen, "deploy")
        await seen.press("S")
        await seen.dialog("On it hang: cleanup.")
        await seen.press("enter")
        await seen.see("say why it is skipped")
        assert (await state_of(seen, run_id)).block(BlockId("deploy")).status is BlockStatus.PENDING
        await seen.press(*"known", "enter")

        await seen.see("⊘ deploy", "skipped by ana: known")
        (tmp_path / "enough").touch()
        await seen.see("✓ cleanup")


@pytest.mark.parametrize(("now", "cleans"), [(False, True), (True, False)])
async def test_a_run_is_cancelled_gently_or_at_once(tmp_path: Path, now: bool, cleans: bool) -> None:
    """What runs always is named before; to give it up is a choice of its own."""
    async with monitor(tmp_path, size=(120, 36)) as seen:
        run_id = await open_run(seen, BUSY, "● running")
        await seen.press("X")
        await seen.dialog("These run all the same, as the workflow says: cleanup.")
        await seen.press(*run_id[:4], "tab", *"oops", *(["tab", "space"] if now else []), "ctrl+s")

        await seen.see("× cancelled")  # noqa: RUF001 - the sign is meant
        assert (tmp_path / "cleaned").exists() is cleans


async def test_what_is_meant_stays_what_the_cursor_was_on(tmp_path: Path) -> None:
    """Rows come above it while the dialog is open; the dialog knows the run, not the row."""
    async with monitor(tmp_path, size=(120, 36)) as seen:
        first = await seen.start(BUSY)
        await seen.press("2")
        await seen.see("● running")
        await seen.press("X")
        await seen.dialog(first)
        second = await seen.start(BUSY)
        await seen.press(*first[:4], "enter")

        await seen.see("is being cancelled")
        await seen.until(lambda: isinstance(seen.app.screen, RunsScreen))
        await seen.see("× cancelled")  # noqa: RUF001 - the sign is meant
        view = await seen.ask(lambda session: session.history.run_view(second))
        assert view.status is RunStatus.RUNNING


@pytest.mark.parametrize(
    ("key", "dialog"), [("p", TurnDialog), ("R", TurnDialog), ("S", SkipDialog), ("X", CancelDialog)]
)
async def test_one_stroke_does_nothing(tmp_path: Path, key: str, dialog: type) -> None:
    """Whatever the key: it opens a dialog, and escape leaves everything as it was."""
    async with monitor(tmp_path, size=(120, 36)) as seen:
        run_id = await open_run(seen, BESIDE, "◆ paused")
        await put_cursor(seen, "try")
        await seen.see("exit code 1")
        before = (await state_of(seen, run_id)).head

        await seen.press(key)
        await seen.until(lambda: isinstance(seen.app.screen, dialog))
        await seen.unsee("Keys arm")
        await seen.press("enter", "escape", "escape")
        await seen.until(lambda: isinstance(seen.app.screen, RunScreen | RunsScreen))

        assert (await state_of(seen, run_id)).head == before


async def test_what_cannot_be_done_is_said_and_grey(tmp_path: Path) -> None:
    """No dialog opens for it; the sentence says why."""
    async with monitor(tmp_path, size=(120, 36)) as seen:
        await open_run(seen, BUSY, "● running")
        screen = seen.app.screen
        assert isinstance(screen, RunScreen)
        await put_cursor(seen, "work")

        applying = {
            turn: screen.applies(f"screen.turn('{turn}')") for turn in ("pause", "retry", "rerun", "skip")
        }
        assert applying == {"pause": True, "retry": False, "rerun": False, "skip": False}
        await seen.press("R")
        await seen.see("it has not ended yet")
        await seen.press("S")
        await seen.see("block 'work': it runs now")
        await seen.press("r")
        await seen.see("nothing in it has failed")
        assert seen.app.screen is screen


REWORK = """
name: rework
blocks:
  - {id: plan, type: Shell, inputs: {command: "echo plan ${run.feedback} >> log"}}
  - {id: check, type: Shell, depends_on: [plan], inputs: {command: "echo check >> log"}}
  - {id: gate, type: ConfirmOperation, depends_on: [check], inputs: {message: "Ship it?"}}
"""


async def test_a_question_is_sent_back_to_be_asked_anew(tmp_path: Path) -> None:
    """From its dialog: to which block, with what runs again, and what is to be other; nothing happens without that."""
    async with monitor(tmp_path) as seen:
        run_id = await seen.start(REWORK)
        await seen.see("Ship it?")
        await seen.press("a")
        await seen.until(lambda: bool(seen.app.screen.focused))
        await seen.press("ctrl+r")
        await seen.see("Send back · gate", "to check", "to plan", "asked anew")
        await seen.until(lambda: bool(seen.app.screen.focused))
        await seen.press("down")
        await seen.see("Run again: plan, check, gate.")
        await seen.press("enter")
        await seen.see("Nothing is typed yet")
        await seen.press(*"half")
        await seen.see("Enter sends it back")
        await seen.press("enter")
        await seen.see("sent back to plan")
        await seen.until(lambda: (tmp_path / "log").read_text().splitlines()[2:] == ["plan half", "check"])
        await seen.see("sent back by ana: half")
        state = await state_of(seen, run_id)
        assert len(state.pauses) == 1 + len(state.open_pauses) == 2

        await seen.press("a")
        await seen.until(lambda: bool(seen.app.screen.focused))
        (asked,) = state.open_pauses
        await seen.ask(
            lambda session: session.executor.send_back(asked, BlockId("check"), by="bo", feedback="no")
        )
        await seen.see("it was sent back by bo: no")
