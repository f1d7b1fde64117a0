"""What stands between the start of the monitor and its first screen."""

import subprocess
import sys
from pathlib import Path

from tidegate.tui.looks.themes import THEMES
from tui.monitoring import FixedClock, monitor
from tui.scene import NOW, fill

HEAVY = (
    "tidegate.engine.",
    "tidegate.history.history",
    "tidegate.workflows.",
    "tidegate.store.",
    "tidegate.tui.dialogs",
    "tidegate.tui.screens.help",
    "tidegate.tui.screens.run.run_view",
    "pydantic",
    "yaml",
    "aiosqlite",
    "sqlite3",
)


def test_the_first_screen_imports_nothing_it_does_not_show() -> None:
    """The engine and the store come in their own thread, dialogs and further screens when they are opened."""
    program = "import sys, tidegate.tui.app; print('\\n'.join(sys.modules))"
    loaded = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout.split()

    assert "tidegate.tui.app" in loaded
    assert [name for name in loaded if name.startswith(HEAVY)] == []


async def test_a_screen_made_under_one_theme_is_shown_in_the_next(tmp_path: Path) -> None:
    """Styling is left out at the start only: every theme after the first one reaches every screen."""
    async with monitor(tmp_path, prepare=fill, clock=FixedClock(NOW)) as seen:
        await seen.press("2")
        await seen.see("backup-all")
        runs = seen.app.screen
        dark = runs.styles.background

        await seen.press("1", "T", "2")
        await seen.until(lambda: seen.app.screen is runs and runs.styles.background != dark)
        await seen.press(*["T"] * (len(THEMES) - 1))
        await seen.until(lambda: runs.styles.background == dark)
