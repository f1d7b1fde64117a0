"""The smallest terminal that everything fits in: 40 columns and 12 rows."""

from pathlib import Path

import pytest

from tidegate.model.ids import BlockId
from tidegate.tui.screens.run.run_view import RunScreen
from tui.monitoring import Monitor, monitor

SIZE = (40, 12)
REVIEW = """
name: review
blocks:
  - {id: notes, type: Shell, inputs: {command: "echo notes"}}
  - id: gate
    type: ConfirmOperation
    depends_on: [notes]
    inputs: {message: "Publish the notes of 4.2 to all customers?", operation: publish}
"""


async def sent_back(seen: Monitor) -> None:
    """Start a run whose question was sent back, and is asked anew."""
    run_id = await seen.start(REVIEW)
    await seen.see("◆1")
    [pause] = await seen.ask(lambda session: session.history.inbox())
    await seen.ask(
        lambda session: session.executor.send_back(
            pause.pause_id, BlockId("notes"), by="root", feedback="again"
        )
    )
    await seen.ask(lambda session: session.executor.settle(run_id))
    [anew] = await seen.ask(lambda session: session.history.inbox())
    await seen.until(lambda: seen.app.screen.query_one("#list").cursor_key == anew.pause_id)  # type: ignore[attr-defined]


async def test_a_question_that_was_sent_back_is_read_before_why(tmp_path: Path) -> None:
    """There is room for two lines of it; the buttons name their keys, so the bar has the comment's."""
    async with monitor(tmp_path, size=SIZE) as seen:
        await sent_back(seen)
        await seen.press("enter")
        await seen.dialog("Publish the notes of 4.2 to all")
        await seen.see("y  Approve", "n  Reject", "ctrl+t comment", "f1 more", "esc later")
        assert "sent back" not in seen.text
        await seen.press("ctrl+pagedown")
        await seen.see("sent back by root: again")


@pytest.mark.parametrize("size", [SIZE, (59, 19)])
async def test_a_run_shows_one_pane_at_a_time(tmp_path: Path, size: tuple[int, int]) -> None:
    """None is narrower than it may be: tab goes to the other one, and z gives any of them the whole body."""
    async with monitor(tmp_path, size=size) as seen:
        await sent_back(seen)
        await seen.press("o")
        await seen.until(lambda: isinstance(seen.app.screen, RunScreen))
        await seen.see("Waves · tab reads on", "✓ notes")
        blocks, preview = seen.app.screen.query_one("#blocks"), seen.app.screen.query_one("#preview")
        assert blocks.outer_size.width == size[0]
        assert "─ Question" not in seen.text

        await seen.press("tab")
        await seen.see("─ Question", "Publish the notes of 4.2 to all")
        assert preview.outer_size.width == size[0]
        assert "Waves" not in seen.text
        await seen.press("tab")
        await seen.see("Waves · tab reads on")
        await seen.press("z")
        await seen.see("Waves", "✓ notes")
        assert blocks.outer_size.width == size[0]


async def test_zoomed_waves_have_the_whole_body_where_there_are_two_panes(tmp_path: Path) -> None:
    """Their place beside the output is not kept."""
    async with monitor(tmp_path, size=(80, 16)) as seen:
        await sent_back(seen)
        await seen.press("o")
        await seen.see("Waves", "Question")
        blocks = seen.app.screen.query_one("#blocks")
        assert blocks.outer_size.width >= 28
        await seen.press("z")
        await seen.until(lambda: blocks.outer_size.width == 80)
        await seen.press("z")
        await seen.until(lambda: blocks.outer_size.width < 80)
