"""The cursor of the run view, when keys come faster than what they lead to is shown."""

from pathlib import Path

from tidegate.tui.screens.run.run_view import RunScreen
from tidegate.tui.widgets.line_list import LineList
from tui.monitoring import FixedClock, monitor
from tui.scene import NOW, fill


async def test_keys_that_hurry_end_where_the_last_one_led(tmp_path: Path) -> None:
    """The news of the first is old when it arrives, and moves nothing back."""
    async with monitor(tmp_path, prepare=fill, clock=FixedClock(NOW)) as seen:
        await seen.press("2")
        await seen.see("deploy-api")
        await seen.press("j", "enter")
        await seen.see("for an answer to approve_prod")
        screen = seen.app.screen
        assert isinstance(screen, RunScreen)
        blocks, heard = screen.query_one("#blocks", LineList), []
        of_screen = screen.action_block

        def hear(block: str) -> None:
            heard.append(block)
            of_screen(block)

        screen.action_block = hear  # type: ignore[method-assign]
        blocks.action_first()
        blocks.action_cursor_down()
        blocks.action_cursor_down()

        await seen.see("Shell · wave 2")
        await seen.pilot.pause(0.3)
        assert blocks.cursor_key == "build_api"
        assert heard == ["build_api"]
