"""Runs that go while somebody looks: lists follow, and an open view says so."""

from pathlib import Path

from tidegate.engine.retention import EVERYTHING
from tidegate.model.ids import RunId
from tidegate.tui.screens.run.run_view import RunScreen
from tui.monitoring import Monitor, monitor

ENDS = """
name: ends
blocks:
  - {id: talk, type: Shell, inputs: {command: echo some words}}
"""
FAILS = """
name: fails
blocks:
  - {id: break, type: Shell, inputs: {command: exit 3}}
"""


async def _ended(seen: Monitor, text: str) -> RunId:
    run_id = await seen.start(text)
    await seen.ask(lambda session: session.executor.settle(run_id))
    return run_id


async def test_lists_follow_what_is_removed(tmp_path: Path) -> None:
    """Runs and checkpoints, without a key being pressed; the counts agree."""
    async with monitor(tmp_path) as seen:
        gone = await _ended(seen, ENDS)
        await seen.press("2")
        await seen.see(gone, "3 Ckpt 1")

        await seen.ask(lambda session: session.executor.remove_run(gone))

        await seen.unsee(gone)
        await seen.unsee("3 Ckpt 1")
        await seen.press("3")
        await seen.unsee(gone)
        assert seen.app.is_running


async def test_an_open_run_that_is_removed_says_so(tmp_path: Path) -> None:
    """What was read of it stays to be read; nothing can be done to it any more."""
    async with monitor(tmp_path) as seen:
        gone = await _ended(seen, FAILS)
        await seen.press("2")
        await seen.see(gone)
        await seen.press("enter")
        await seen.see("exit")
        screen = seen.app.screen
        assert isinstance(screen, RunScreen)
        assert screen.target() is not None

        await seen.ask(lambda session: session.executor.clean_up(limits=EVERYTHING))

        await seen.see("this run was removed", "break")
        assert screen.target() is None
        await seen.press("a", "r", "K", "o")
        await seen.pilot.pause(0.1)
        assert seen.app.screen is screen
        await seen.press("escape")
        await seen.unsee(gone)
        assert seen.app.is_running
