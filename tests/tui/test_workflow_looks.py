"""What mode 4 and its form look like, at three sizes."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tidegate.tui.lines import Piece
from tui.monitoring import Monitor, monitor_app, picture_of
from tui.scene import NOW, fill
from tui.test_launching import SHIP
from tui.test_workflows import BROKEN, CLEANUP, DEPLOY

SIZES = {"80x24": (80, 24), "120x36": (120, 36), "200x50": (200, 50)}
FOLDER = "workflows"
"""Relative: where the tests run must not be in the picture."""
KEYS = {
    "faults": ("g j", "2 faults: no run starts"),
    "waves": ("g", "asks a person at"),
    "form": ("g n", "Start deploy-api|ctrl+s starts"),
    "wrong form": ("G n ctrl+s", "missing (What to ship)"),
    "no inputs": ("g j j n", "It takes no inputs"),
}
"""The keys that lead there, and what is to be seen by then."""
Pictures = dict[str, str]
_TAKEN: dict[str, Pictures] = {}


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A working directory with a folder of workflows."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / FOLDER
    folder.mkdir()
    for name, text in {"a": DEPLOY, "b": BROKEN, "c": CLEANUP, "d": SHIP}.items():
        (folder / f"{name}.yaml").write_text(text)


async def take(size: tuple[int, int]) -> Pictures:
    """Return all pictures, from one monitor."""
    app = monitor_app(fill, at=NOW, folders=(Path(FOLDER),))
    pictures = {}
    async with app.run_test(size=size) as pilot:
        seen = Monitor(app, pilot, Path())
        await seen.press("4")
        await seen.see("deploy-api", "4 Workflows 4")
        for name, (keys, words) in KEYS.items():
            for key in keys.split():
                await seen.press(key)
                await seen.pilot.pause(0.1)
                await seen.unsee("Keys arm")
            await seen.see(*words.split("|"))
            pictures[name] = await picture_of(app, pilot)
            await seen.press("escape")
            await seen.see("4 Workflows 4")
            # It would go by itself, some time in one of the next pictures.
            app.note = Piece("")
    return pictures


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("screen", KEYS)
async def test_a_screen_looks_as_it_was_approved(look: Callable[[str], None], screen: str, size: str) -> None:
    """Each was looked at before it was kept."""
    if size not in _TAKEN:
        _TAKEN[size] = await take(SIZES[size])

    look(_TAKEN[size][screen])
