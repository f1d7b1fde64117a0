"""What a wide terminal shows of each mode, of a run, and of the questions as the monitor opens them."""

from collections.abc import Callable
from pathlib import Path

import pytest
from textual.widgets import Input

from tidegate.model.events import WaveStarted
from tidegate.store.protocol import Store
from tidegate.tui.lines import Piece
from tidegate.tui.screens.lists.inbox import InboxScreen
from tui import scene
from tui.dialogs.prompts import FORM
from tui.monitoring import Monitor, monitor_app, picture_of

Pictures = dict[str, str]
SIZES = {"80x24": (80, 24), "120x36": (120, 36), "200x50": (200, 50)}
FOLDER = "workflows"
"""Relative: where the tests run must not be in the picture."""
RELEASE = """
name: release
blocks:
  - {id: build, type: Shell, inputs: {command: make image}}
  - id: settings
    type: AskForm
    depends_on: [build]
    inputs: {message: How?, fields: [{id: ticket, label: Which ticket?}]}
  - {id: roll_out, type: Shell, depends_on: [settings], inputs: {command: make roll-out}}
  - {id: tell, type: Shell, depends_on: [roll_out], inputs: {command: make announcement}}
"""
MODES = {
    "inbox": ("j", "Promote build|Approve:"),
    "runs": ("2", "backup-all|1 open question"),
    "checkpoints": ("3", "wave 2"),
    "workflows": ("4", "4 Workflows 3|asks a person at"),
    "dashboard": ("5", "Engine|Last hour|Answers"),
    "activity": ("6", "load anyway"),
    "run": ("2 j j enter", "for an answer|needs     build_api"),
    "log": ("2 enter l", "chunk 59"),
}
"""The keys that lead there from the inbox, and what is to be seen by then."""
DIALOGS = {
    "confirm": ("pause_hw7j5vapprov", "Promote build 1.5.3|What follows"),
    "choice": ("pause_fkz9p2drift", "abort and page on-call|What follows"),
    "form": ("pause_kv3s8dsettin", "How is it to be deployed?"),
}
"""What asks, and what is to be seen in its dialog."""
LOOKS = [(screen, "200x50") for screen in MODES] + [(dialog, size) for dialog in DIALOGS for size in SIZES]
_TAKEN: dict[str, Pictures] = {}
"""Every picture, by size: all of one are taken when the first of them is asked for."""


async def fill(store: Store) -> None:
    """Tell the usual runs, and one that asks for several values at once."""
    await scene.fill(store)
    run = await scene.begin(store, RELEASE, "kv3s8d5n2jwq", 240)
    await run.wave(0, 35.0, "build")
    await run.end_wave(0)
    await run.tell(0.0, WaveStarted(wave=1))
    await run.ask("settings", FORM, limit=3600.0)


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A working directory with a folder of workflows."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / FOLDER
    folder.mkdir()
    for name, text in {"a": scene.DEPLOY, "b": scene.ETL, "c": RELEASE}.items():
        (folder / f"{name}.yaml").write_text(text)


async def take(size: str) -> Pictures:
    """Return the pictures of a size, from one monitor that goes from one to the next."""
    app = monitor_app(fill, at=scene.NOW, folders=(Path(FOLDER),))
    pictures = {}
    async with app.run_test(size=SIZES[size]) as pilot:
        seen = Monitor(app, pilot, Path())
        await seen.see("Waiting for you", "confirm")
        await seen.until(lambda: app.overview.is_read)
        for dialog, (pause, words) in DIALOGS.items():
            await ask(seen, pause, *words.split("|"))
            pictures[dialog] = await picture_of(app, pilot)
            await back_to_the_inbox(seen)
        for screen, (keys, words) in MODES.items() if size == "200x50" else ():
            await seen.press(*keys.split())
            await seen.see(*words.split("|"))
            pictures[screen] = await picture_of(app, pilot)
            await back_to_the_inbox(seen)
    return pictures


async def ask(seen: Monitor, pause: str, *words: str) -> None:
    """Open a question as its reader does, and return once it takes keys."""
    screen = seen.app.screen
    assert isinstance(screen, InboxScreen)
    screen.rows_view.move_to(pause)
    await seen.press("a")
    await seen.dialog(words[0])
    await seen.see(*words)
    for line in seen.app.screen.query(Input):
        line.cursor_blink = False


async def back_to_the_inbox(seen: Monitor) -> None:
    """Leave every mode as it was found: with the cursor on its first row."""
    await seen.press("escape", "escape", "escape", "g", "1")
    await seen.see("Waiting for you")
    # What was said would go by itself, some time in one of the next pictures.
    seen.app.note = Piece("")
    seen.app.clear_notifications()


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(("screen", "size"), LOOKS, ids=[" ".join(look) for look in LOOKS])
async def test_it_looks_as_it_was_approved(look: Callable[[str], None], screen: str, size: str) -> None:
    """Each was looked at before it was kept."""
    if size not in _TAKEN:
        _TAKEN[size] = await take(size)

    look(_TAKEN[size][screen])
