"""The list of runs shows which of them are forks, and leads into the past of any."""

from pathlib import Path

import pytest

from tidegate.tui.screens.travel.time_travel import TimeTravelScreen
from tui.fork_scene import fill_forks
from tui.monitoring import FixedClock, monitor
from tui.scene import NOW


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_a_fork_is_told_from_other_runs(tmp_path: Path, size: tuple[int, int]) -> None:
    """By a sign and a word; the preview says which run it goes on from, and from where."""
    async with monitor(tmp_path, prepare=fill_forks, clock=FixedClock(NOW), size=size) as seen:
        await seen.press("2")
        await seen.see("↳ cleanup · fork", "sq6d3j", "rp5c2h")
        rows = [line for line in seen.text.splitlines() if "cleanup" in line]
        marked = {
            name: any(name in row and "↳" in row for row in rows) for name in ("tr7f4k", "sq6d3j", "rp5c2h")
        }
        assert marked == {"tr7f4k": True, "sq6d3j": True, "rp5c2h": False}

        await seen.press("slash", *"is", "colon", *"fork", "enter")
        await seen.see("2 of 9")
        await seen.press("G")
        await seen.see("fork of", "run rp5c2h7k9m4x at event 6")


async def test_t_shows_the_past_of_the_run_under_the_cursor(tmp_path: Path) -> None:
    """As it does in the run's own view; esc comes back."""
    async with monitor(tmp_path, prepare=fill_forks, clock=FixedClock(NOW), size=(120, 36)) as seen:
        await seen.press("2")
        await seen.see("sq6d3j")
        assert "t Past" in seen.text
        await seen.press("g", "j", "t")
        await seen.until(lambda: isinstance(seen.app.screen, TimeTravelScreen))
        await seen.see("viewing", "run sq6d3j8m5n4y")
        await seen.press("escape")
        await seen.see("↳ cleanup · fork")
