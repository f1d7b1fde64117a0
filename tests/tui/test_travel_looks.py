"""What time travel and the fork dialog look like, from the smallest terminal that counts to a wide one."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tui.fork_scene import fill_forks
from tui.monitoring import Monitor, monitor_app, picture_of
from tui.scene import NOW

SIZES = {"80x24": (80, 24), "120x36": (120, 36), "200x50": (200, 50)}
SCREENS = {
    "past": ("3 slash a p p r o v e enter ~ enter ~ left_square_bracket", "viewing #2 of 3|Checkpoints"),
    "past split": ("3 slash a p p r o v e enter ~ enter ~ s", "viewing #3 of 3|Diff @"),
    "past output": ("2 enter ~ t ~ l", "Output of"),
    "fork of a fork": ("2 enter ~ t ~ d d ~", "Forks|tr7f4k @12|sq6d3j@12"),
    "fork run view": ("2 j enter", "fork of rp5c2h@6|1 fork"),
    "fork dialog": ("2 j j enter ~ F ~ ~ escape", "Begins again|Nothing happens until"),
    "fork edit": ("2 j j enter ~ F", "blocks.remove.inputs.command|Type the new value"),
}
"""The keys that lead there from the inbox, with ``~`` where one waits, and what is to be seen by then."""


async def take(size: tuple[int, int], keys: str, words: str) -> str:
    """Return a picture of the screen that *keys* lead to."""
    app = monitor_app(fill_forks, at=NOW)
    async with app.run_test(size=size) as pilot:
        seen = Monitor(app, pilot, Path())
        await seen.see("Waiting for you", "confirm")
        await seen.until(lambda: app.overview.is_read)
        for key in keys.split():
            if key == "~":
                await pilot.pause(0.5)
                await seen.unsee("Reading")
                await seen.unsee("Comparing")
                await seen.unsee("Keys arm")
            else:
                await seen.press(key)
        await seen.see(*words.split("|"))
        return await picture_of(app, pilot)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("screen", SCREENS)
async def test_a_screen_looks_as_it_was_approved(look: Callable[[str], None], screen: str, size: str) -> None:
    """Each was looked at before it was kept."""
    look(await take(SIZES[size], *SCREENS[screen]))
