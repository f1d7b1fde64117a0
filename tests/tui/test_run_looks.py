"""What a run looks like as bars, and its log; each was looked at before it was kept."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tui.monitoring import Monitor, monitor_app
from tui.scene import NOW
from tui.tries_scene import fill_tries

SIZES = {"80x24": (80, 24), "120x36": (120, 36)}
SCREENS = {
    "bars": ("", "critical path build › docs › approve"),  # noqa: RUF001 - the sign is meant
    "log": ("l", "42 lines, following"),
    "found in the log": ("slash a d d _ enter minus c a s e space 1 enter", "3 of 3|without 'case 1'"),
}
"""The keys that lead there, each from the one before it, and what is to be seen by then."""
_TAKEN: dict[str, dict[str, str]] = {}


async def take(size: str) -> dict[str, str]:
    """Return pictures of all of it, from one monitor."""
    app = monitor_app(fill_tries, at=NOW)
    pictures = {}
    async with app.run_test(size=SIZES[size]) as pilot:
        seen = Monitor(app, pilot, Path())
        await seen.until(lambda: app.overview.is_read)
        await seen.press("2")
        await seen.see("release")
        await seen.press("enter")
        await seen.see("approve")
        if size == "80x24":
            await seen.press("b")
        await seen.press("g", "j")
        await seen.see("▌● e2e")
        for screen, (keys, words) in SCREENS.items():
            await seen.press(*keys.split())
            await seen.see(*words.split("|"))
            await seen.pilot.pause(0.3)
            pictures[screen] = app.export_screenshot(title="tidegate", simplify=True)
    return pictures


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("screen", SCREENS)
async def test_a_run_looks_as_it_was_approved(look: Callable[[str], None], screen: str, size: str) -> None:
    """Attempts, waits, lateness, a pause, and the path that all of it waits for."""
    if size not in _TAKEN:
        _TAKEN[size] = await take(size)

    look(_TAKEN[size][screen])
