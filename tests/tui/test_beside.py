"""Beside a question, where there is room: its state, its evidence, and what is other than last time."""

from pathlib import Path

from tidegate.model.events import RunFinished, RunStatus, WaveStarted
from tidegate.model.exhibit import Exhibit, ExhibitKind
from tidegate.store.protocol import Store
from tidegate.tui.screens.lists.inbox import InboxScreen
from tidegate.tui.screens.run.log import LogScreen
from tui import scene
from tui.monitoring import FixedClock, Monitor, monitor

WIDE = (200, 50)
DEPLOY = """
name: deploy
inputs:
  version: {type: str, default: 1.5.3}
blocks:
  - {id: build, type: Shell, inputs: {command: "echo built ${version}"}}
  - {id: gate, type: ConfirmOperation, depends_on: [build], inputs: {message: "Go?"}}
  - {id: again, type: ConfirmOperation, depends_on: [gate], inputs: {message: "Really?"}}
"""
LARGE = """
name: large
inputs:
  count: {type: list}
blocks:
  - {id: much, type: Shell, for_each: "${count}", inputs: {command: "head -c 1000000 /dev/zero | tr '\\\\0' x"}}
  - {id: gate, type: ConfirmOperation, depends_on: [much], inputs: {message: "Go?"}}
"""


def inbox_of(seen: Monitor) -> InboxScreen:
    """Return the screen of the questions."""
    assert isinstance(seen.app.screen, InboxScreen)
    return seen.app.screen


async def focused(seen: Monitor, pane: str) -> None:
    """Return once a pane takes the keys."""
    await seen.until(lambda: seen.app.focused is not None and seen.app.focused.id == pane)


async def one_question(seen: Monitor) -> None:
    """Return once the pane beside the question has been read."""
    await seen.see("State, evidence")
    await seen.until(lambda: all(it.is_finished for it in seen.app.workers if it.group == "beside"))


async def test_state_and_difference_stand_beside_the_question_and_follow_its_run(tmp_path: Path) -> None:
    """They are those that the dialog has; where nothing has succeeded yet, that is said."""
    async with monitor(tmp_path, size=WIDE) as seen:
        await seen.start(DEPLOY, version="1.5.3")
        await seen.see(
            "Go?", "── State ──", "version   1.5.3", "stdout     built 1.5.3", "other run has succeeded"
        )
        await seen.press("a")
        await seen.dialog("Go?")
        await seen.approve()
        await seen.see("Really?", "confirmed")
        await seen.press("enter")
        await seen.dialog("Really?")
        await seen.approve()
        await seen.see("nothing waits", "No question is under the cursor")

        await seen.start(DEPLOY, version="1.6.0")
        await seen.see("version   1.6.0", "Against run", '~ version      "1.5.3" → "1.6.0"')


async def test_it_is_reached_made_larger_and_left_by_keys(tmp_path: Path) -> None:
    """As every pane; below 160 columns there is none, and whoever was in it is in the list."""
    async with monitor(tmp_path, prepare=scene.fill, clock=FixedClock(scene.NOW), size=WIDE) as seen:
        await seen.see("── State ──")
        screen = inbox_of(seen)
        await seen.press("tab", "tab")
        await focused(seen, "beside")
        await seen.press("z")
        await seen.until(lambda: screen.beside.outer_size.width == WIDE[0])
        assert not screen.rows_view.region.area
        await seen.press("z")
        await seen.until(lambda: screen.beside.outer_size.width < 60 and screen.rows_view.region.area > 0)
        await seen.press("question_mark")
        await seen.see("stand in a pane of their own")
        await seen.press("escape")
        await seen.see("── State ──")

        await seen.press("z")
        await seen.pilot.resize_terminal(150, 50)
        await seen.unsee("── State ──")
        await seen.see("Waiting for you", "Approve:" if "Approve:" in seen.text else "Any answer:")
        await focused(seen, "list")
        assert not screen.beside.region.area
        await seen.press("tab")
        await focused(seen, "preview")
        await seen.pilot.resize_terminal(*WIDE)
        await seen.see("── State ──")


async def test_evidence_is_bounded_and_the_cursor_is_never_held_up(tmp_path: Path) -> None:
    """Of a long exhibit the beginning; keys go on, and the pane shows what the cursor rests on at last."""
    text = "\n".join(f"line {n} of the plan" for n in range(5_000)) + "\x1b[2J"
    shown = scene.PROMOTE.evolve(show=(Exhibit(kind=ExhibitKind.TEXT, title="The plan", text=text),))

    async def fill(store: Store) -> None:
        for number in range(4):
            run = await scene.begin(store, scene.DEPLOY, f"e{number}7k9m4x2cvw", 900 - number)
            await run.wave(0, 29.0, "checkout", "plan")
            await run.end_wave(0)
            await run.wave(1, 1.0 + number, "build_api", "build_web", "lint")
            await run.end_wave(1)
            await run.tell(0.0, WaveStarted(wave=2))
            await run.ask("approve_prod", shown if number == 3 else scene.PROMOTE)

    async with monitor(tmp_path, prepare=fill, clock=FixedClock(scene.NOW), size=WIDE) as seen:
        await seen.see("4 waiting")
        await seen.press("j", "j", "j")
        await seen.see("4/4", "── The plan ──", "line 0 of the plan")
        beside = inbox_of(seen).beside
        assert beside.count < 700
        await seen.press("tab", "tab", "G")
        await seen.see("── Since last success ──", "more lines: enter opens the question, f2")
        assert "\x1b" not in seen.text


async def test_values_that_are_too_large_are_not_loaded_by_the_way(tmp_path: Path) -> None:
    """It is said where they can be seen."""
    async with monitor(tmp_path, size=WIDE) as seen:
        await seen.start(LARGE, count=list(range(20)))
        await seen.see("Go?", "Too much to be read by the way: enter opens the")
        await one_question(seen)


async def test_a_closed_question_has_nothing_beside_it(tmp_path: Path) -> None:
    """Whoever goes to it is not shown the state of another one."""

    async def fill(store: Store) -> None:
        await scene.fill(store)
        run = await scene.begin(store, scene.BACKUP, "zb3c6k8p9rty", 95)
        await run.tell(0.0, RunFinished(status=RunStatus.CANCELLED))

    async with monitor(tmp_path, prepare=fill, clock=FixedClock(scene.NOW), size=WIDE) as seen:
        await seen.see("── State ──", "closed in the last 15 minutes")
        await seen.press("G")
        await seen.see("No question is under the cursor")
        await seen.press("g")
        await seen.see("── State ──")


async def test_one_key_leads_to_the_log_the_past_and_what_is_other(tmp_path: Path) -> None:
    """Of the run that asks, at its question; and back again with escape."""
    async with monitor(tmp_path, size=(120, 36)) as seen:
        await seen.start(DEPLOY, version="1.5.2")
        for question in ("Go?", "Really?"):
            await seen.see(question)
            await seen.press("a")
            await seen.dialog(question)
            await seen.approve()
            await seen.see("Sent: approved")
        await seen.until(lambda: seen.app.overview.waiting == 0)
        run_id = await seen.start(DEPLOY, version="1.5.3")
        await seen.see("1 waiting")

        await seen.press("l")
        await seen.see("built 1.5.3")
        assert isinstance(seen.app.screen, LogScreen)
        await seen.press("escape", "t")
        await seen.see("Time travel", run_id, "blocks.gate", "PAST")
        await seen.press("escape", "d")
        await seen.see("Time travel", run_id, "success", '"1.5.2" → "1.5.3"')
        await seen.press("escape")
        await seen.see("Waiting for you")

        assert len(await seen.ask(lambda session: session.history.inbox())) == 1
