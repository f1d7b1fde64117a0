"""What counts stays in sight where there is little room: what one is asked, by when, and what comes of it."""

from pathlib import Path

import pytest

from tidegate.tui.screens.lists.activity import ActivityScreen
from tidegate.tui.screens.run.run_view import RunScreen
from tidegate.tui.screens.travel.time_travel import TimeTravelScreen
from tui.monitoring import FixedClock, Monitor, monitor
from tui.scene import NOW, fill

SMALLEST, USUAL, TALL = (40, 12), (80, 24), (80, 50)


def height_of(seen: Monitor, pane: str) -> int:
    """Return how many rows a pane has."""
    return seen.app.screen.query_one(pane).outer_size.height


async def test_the_smallest_inbox_says_by_when(tmp_path: Path) -> None:
    """A deadline counts for more than what kind of answer it is that is waited for."""
    async with monitor(tmp_path, size=SMALLEST, prepare=fill, clock=FixedClock(NOW)) as seen:
        await seen.see("3m late", "in 7m", "Promote")


async def test_what_each_answer_leads_to_is_seen_below_the_list_without_scrolling(tmp_path: Path) -> None:
    """Before details of the question, and before its further lines if it is long."""
    async with monitor(tmp_path, size=USUAL, prepare=fill, clock=FixedClock(NOW)) as seen:
        await seen.see("Enter the EUR")
        await seen.press("j")

        await seen.see("Approve: Starts deploy_prod", "Reject: The run ends at once: rejected.")
        await seen.see("6/10 · wave 3/6", "Promote build 1.5.3 to prod?")


@pytest.mark.parametrize(("mode", "rows"), [("1", 20), ("2", 9)])
async def test_what_has_to_be_read_gets_a_good_part_of_a_tall_terminal(
    tmp_path: Path, mode: str, rows: int
) -> None:
    """Questions do; runs are many, and little is said of each."""
    async with monitor(tmp_path, size=TALL, prepare=fill, clock=FixedClock(NOW)) as seen:
        await seen.press(mode)
        await seen.until(lambda: height_of(seen, "#preview") == rows)
        await seen.press("+")
        await seen.until(lambda: height_of(seen, "#preview") == rows - 1)
        await seen.press("=")
        await seen.until(lambda: height_of(seen, "#preview") == rows)


async def test_the_smallest_run_says_where_it_stands(tmp_path: Path) -> None:
    """The rest of its id gives way: what it waits for does not."""
    async with monitor(tmp_path, size=SMALLEST, prepare=fill, clock=FixedClock(NOW)) as seen:
        await seen.press("j", "o")
        await seen.until(lambda: isinstance(seen.app.screen, RunScreen))

        await seen.see("deploy-api hw7j5v ◆ paused for an")


async def test_the_smallest_activity_says_what_it_is_about(tmp_path: Path) -> None:
    """That something has started says nothing without what."""
    async with monitor(tmp_path, size=SMALLEST, prepare=fill, clock=FixedClock(NOW)) as seen:
        await seen.press("6")
        await seen.until(lambda: isinstance(seen.app.screen, ActivityScreen))

        await seen.see("backup", "nightl", "load any")


async def test_the_smallest_past_shows_one_pane_at_a_time(tmp_path: Path) -> None:
    """Each with all the room, and `tab` goes on to the next; a larger terminal has its panes again."""
    async with monitor(tmp_path, size=SMALLEST, prepare=fill, clock=FixedClock(NOW)) as seen:
        await seen.press("j", "o")
        await seen.until(lambda: isinstance(seen.app.screen, RunScreen))
        await seen.see("▌◆ approve_prod")
        await seen.press("t")
        await seen.until(lambda: isinstance(seen.app.screen, TimeTravelScreen))
        await seen.see("─ Checkpoints ─", "deploy-api  hw7j5v")
        assert "State at" not in seen.text
        await seen.press("tab")
        await seen.see("─ State at", "approve_prod")
        assert "─ Checkpoints" not in seen.text
        await seen.press("tab")
        await seen.see("─ Diff ")
        assert "State at" not in seen.text
        await seen.press("tab")
        await seen.see("─ Checkpoints ─")
        await seen.press("d")
        await seen.see("─ Diff ")

        await seen.pilot.resize_terminal(120, 36)
        await seen.see("─ Checkpoints", "─ State at", "─ Diff ")


async def test_the_smallest_past_shows_the_pane_that_keys_go_to(tmp_path: Path) -> None:
    """Also after a click, where the terminal was larger then, and behind a field that was typed in."""
    async with monitor(tmp_path, size=(120, 36), prepare=fill, clock=FixedClock(NOW)) as seen:
        await seen.press("j", "o")
        await seen.until(lambda: isinstance(seen.app.screen, RunScreen))
        await seen.see("▌◆ approve_prod")
        await seen.press("t")
        await seen.see("─ State at", "─ Diff ")
        await seen.pilot.click("#state")
        await seen.pilot.resize_terminal(*SMALLEST)
        await seen.see("─ State at", "▌")
        await seen.press("number_sign", "1", "enter")
        await seen.see("─ State at #1")
        assert seen.app.focused is seen.app.screen.query_one("#state")

        await seen.press("tab")
        await seen.see("─ Diff ")
        await seen.press("slash", *"checkout", "enter")
        await seen.see("─ State at")
        await seen.press("tab")
        await seen.see("─ Diff ")
        await seen.press("n")
        await seen.see("─ State at")
        assert seen.app.focused is seen.app.screen.query_one("#state")
