"""Pictures of what is new in how the monitor looks, each looked at before it was kept."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tidegate.settings import Ascii, MonitorSettings
from tidegate.tui.app import MonitorApp
from tui.monitoring import FixedClock, Monitor, opener, picture_of
from tui.scene import NOW, fill

PICTURES = {
    "activity 80x24": ((80, 24), MonitorSettings(), Ascii.OFF, "6", "load anyway"),
    "activity 120x36": ((120, 36), MonitorSettings(), Ascii.OFF, "6", "load anyway"),
    "ascii run": ((120, 36), MonitorSettings(), Ascii.SIGNS, "2 j enter", "needs"),
    "high contrast runs": ((80, 24), MonitorSettings(theme="high-contrast"), Ascii.OFF, "2", "backup-all"),
    "colour-blind dashboard": ((80, 24), MonitorSettings(theme="colour-blind"), Ascii.OFF, "5", "waiting"),
    "palette": ((80, 24), MonitorSettings(), Ascii.OFF, "colon", "most urgent"),
}


@pytest.mark.parametrize("name", PICTURES)
async def test_it_looks_as_it_was_approved(look: Callable[[str], None], name: str) -> None:
    """Themes, ASCII, and the screens that have no other picture."""
    size, settings, ascii_only, keys, words = PICTURES[name]
    clock = FixedClock(NOW)
    app = MonitorApp(opener(clock=clock, prepare=fill), clock, settings, ascii_only=ascii_only)
    async with app.run_test(size=size) as pilot:
        seen = Monitor(app, pilot, Path())
        await seen.until(lambda: app.overview.is_read)
        # Which commands there are depends on the row under the cursor.
        await seen.see("Waiting for you", "confirm")
        await seen.press(*keys.split())
        await seen.see(words)
        await seen.pilot.pause(0.4)
        look(await picture_of(app, pilot))
