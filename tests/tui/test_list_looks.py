"""What marks, filters and the review of several questions look like, at the two sizes that matter."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tidegate.model.events import WaveStarted
from tidegate.model.prompt import ConfirmPrompt
from tidegate.store.protocol import Store
from tidegate.tui.screens.lists.inbox import InboxScreen
from tui.monitoring import Monitor, monitor_app, picture_of
from tui.scene import NOW, begin, fill

SIZES = {"80x24": (80, 24), "120x36": (120, 36)}
WEB = """
name: deploy-web
blocks:
  - {id: build, type: Shell, inputs: {command: make}}
  - {id: approve, type: ConfirmOperation, depends_on: [build], inputs: {message: Promote?}}
  - {id: deploy, type: Shell, depends_on: [approve], inputs: {command: make deploy}}
  - {id: smoke_test, type: Shell, depends_on: [deploy], inputs: {command: make smoke}}
"""
PROMOTE = ConfirmPrompt(message="Promote build 8.2.0 to prod?", operation="deploy to 12 production hosts")
KEYS = {
    "marks": ("space j space", "2 marked"),
    "hidden marks": ("slash type:-web enter", "2 hidden by the filter"),
    "fault": ("escape slash type:due<soon", "no length of time"),
    "filters": ("escape f2", "due within the hour"),
    "review": ("escape u g j A", "3 questions of 3 runs|choose an answer first"),
    "armed": ("space y", "to send|Starts deploy"),
    "results": ("y", "2 taken, 1 left out"),
}
"""One after the other, from where the one before ended: the keys, and what is to be seen by then."""
Pictures = dict[str, str]
_TAKEN: dict[str, Pictures] = {}


async def fill_equal(store: Store) -> None:
    """Tell the usual runs, and three that ask the same."""
    await fill(store)
    for number, run_id in enumerate(("kr5d2n8h4wzt", "mt6f3q9j5xbv", "nv7g4r2k6ycw")):
        run = await begin(store, WEB, run_id, 300 - 40 * number)
        await run.wave(0, 20.0, "build")
        await run.end_wave(0)
        await run.tell(0.0, WaveStarted(wave=1))
        await run.ask("approve", PROMOTE, limit=600.0)


async def take(size: tuple[int, int]) -> Pictures:
    """Return all pictures, from one monitor."""
    app = monitor_app(fill_equal, at=NOW)
    pictures = {}
    async with app.run_test(size=size) as pilot:
        seen = Monitor(app, pilot, Path())
        await seen.see("deploy-web", "6 waiting")
        assert isinstance(app.screen, InboxScreen)
        app.screen.rows_view.move_to("pause_kr5d2napprov")
        for name, (keys, words) in KEYS.items():
            for key in keys.split():
                await seen.press(*(key.removeprefix("type:") if key.startswith("type:") else [key]))
                await seen.pilot.pause(0.2)
                await seen.unsee("Keys arm")
            await seen.see(*words.split("|"))
            await seen.pilot.pause(0.5)
            pictures[name] = await picture_of(app, pilot)
    return pictures


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", KEYS)
async def test_it_looks_as_it_was_approved(look: Callable[[str], None], name: str, size: str) -> None:
    """Each was looked at before it was kept."""
    if size not in _TAKEN:
        _TAKEN[size] = await take(SIZES[size])

    look(_TAKEN[size][name])
