"""Going to a row by a letter: the one key goes there, and does nothing else."""

from pathlib import Path

import pytest
from textual.widgets import Input

from tidegate.tui.jump import JumpLayer, labelled
from tidegate.tui.screens.dashboard import DashboardScreen
from tidegate.tui.screens.lists.inbox import InboxScreen
from tidegate.tui.widgets.text_pane import TextPane
from tidegate.tui.widgets.tile_board import TileBoard
from tui.monitoring import FixedClock, Monitor, monitor
from tui.scene import NOW, fill


def inbox(seen: Monitor) -> InboxScreen:
    """Return the inbox, with nothing in front of it."""
    assert isinstance(seen.app.screen, InboxScreen)
    return seen.app.screen


def below(seen: Monitor) -> str:
    """Return what is drawn below the layer that takes the key: only the toolkit itself draws the one through the other."""
    strips = seen.app.screen_stack[-2]._compositor.render_strips()  # noqa: SLF001 - what is drawn has no other door
    return "\n".join(strip.text for strip in strips)


async def jump(seen: Monitor, key: str, shown: str) -> None:
    """Have letters shown, and press one."""
    await seen.press("ctrl+o")
    await seen.until(lambda: isinstance(seen.app.screen, JumpLayer))
    await seen.until(lambda: shown in below(seen))
    await seen.press(key)
    await seen.until(lambda: not isinstance(seen.app.screen, JumpLayer))
    # Only then it has gone wherever it goes.
    await seen.until(lambda: all(worker.is_finished for worker in seen.app.workers if worker.group == "jump"))
    await seen.unsee(shown)


async def test_a_letter_goes_to_its_row_and_does_nothing_else(tmp_path: Path) -> None:
    """Not even one that means something here: `a` answers nothing, `q` quits nothing, enter opens nothing."""
    async with monitor(tmp_path, prepare=fill, clock=FixedClock(NOW)) as seen:
        await seen.see("nightly-etl", "invoice-run")
        keys = inbox(seen).rows_view.jump_keys()
        await jump(seen, "c", "c◆ choice")
        assert inbox(seen).rows_view.cursor_key == keys[2]
        await jump(seen, "a", "a◆ input")
        assert inbox(seen).rows_view.cursor_key == keys[0]
        for key in ("escape", "enter", "q", "z", "9", "space", "ctrl+c"):
            await jump(seen, key, "a◆ input")
            assert inbox(seen).rows_view.cursor_key == keys[0]
            assert not inbox(seen).rows_view.marked
        await jump(seen, "1", "─ 1 ▸ ")
        assert isinstance(seen.app.focused, TextPane)

        await seen.press("slash", "ctrl+o", "b")
        await seen.until(lambda: inbox(seen).query_one("#filter", Input).value == "b")
        await seen.press("escape", "5")
        await seen.until(lambda: isinstance(seen.app.screen, DashboardScreen))
        await seen.see("Deadlines")
        await jump(seen, "c", "c ▸ Runs")
        assert seen.app.screen.query_one(TileBoard).chosen.key == "runs"  # type: ignore[union-attr]


@pytest.mark.parametrize("count", [0, 26, 27, 52, 60])
def test_every_letter_is_one_key_and_means_one_row(count: int) -> None:
    """Small ones first; rows beyond the last letter have none."""
    letters = labelled([f"row{n}" for n in range(count)])

    assert len(set(letters.values())) == len(letters) == min(count, 52)
    assert all(len(letter) == 1 and letter.isalpha() for letter in letters.values())
    assert list(letters.values())[:26] == sorted(letters.values(), key=str.swapcase)[:26]
