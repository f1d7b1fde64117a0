"""Every mode and dialog of the monitor over hostile text, and the real program in a real terminal."""

import asyncio
import subprocess
import time
from pathlib import Path

import pytest

from hostile import EVIL, NAME, obeyed, quoted
from running import world
from terminal import QUIET, Terminal, needs_tmux
from tidegate.model.events import (
    AttemptFailed,
    CheckpointMarked,
    Failure,
    RunFinished,
    RunStatus,
    WaveStarted,
)
from tidegate.model.ids import BlockId, CheckpointId, RunId
from tidegate.model.listing import OutputChunk, Stream
from tidegate.model.policy import CheckpointKind, FailureKind
from tidegate.model.prompt import ChoicePrompt, ConfirmPrompt, FormField, FormPrompt, InputPrompt
from tidegate.model.workflow import BlockDefinition, WorkflowDefinition
from tidegate.store.protocol import Store
from tidegate.tui.dialogs.frame.base import Dialog
from tidegate.tui.looks.ascii import signs_in_ascii
from tui.monitoring import FixedClock, Monitor, monitor
from tui.scene import NOW, begin, started, succeeded

TYPES = {
    "ok": "Shell",
    "choose": "AskChoice",
    "confirm": "ConfirmOperation",
    "type": "GetInput",
    "form": "AskForm",
}
BLOCKS = [BlockId(f"{name} {NAME.replace('[b]', '')}") for name in TYPES]
DEFINITION = WorkflowDefinition(
    name=f"wf {EVIL}",
    description=EVIL,
    source_path=f"/srv/{NAME}.yaml",
    blocks=tuple(
        BlockDefinition(
            id=name, type=kind, description=EVIL, inputs={EVIL: EVIL}, interactive=kind != "Shell"
        )
        for name, kind in zip(BLOCKS, TYPES.values(), strict=True)
    ),
    waves=(tuple(BLOCKS),),
)
FILE = f"""
name: evil
description: {quoted(EVIL)}
inputs: {{note: {{type: string, description: {quoted(EVIL)}, default: {quoted(EVIL)}}}}}
blocks: [{{id: gate, type: ConfirmOperation, description: {quoted(EVIL)}, inputs: {{message: {quoted(EVIL)}}}}}]
"""
WALK = """
    j a escape j a escape j a escape j a escape A escape
    2 f2 escape c escape j enter j F escape l escape t d escape escape
    3 4 n escape 5 6
"""
"""Keys: the inbox and a dialog for each kind of question; runs, one of them, its fork, its log and its past; then the
other modes, and a start."""
WRITTEN = {"é", "\u0301"}
"""What of the hostile text stays as it is, also where signs are drawn in ASCII: letters, and marks on them."""
SCREENS = {
    *("InboxScreen", "RunsScreen", "RunScreen", "LogScreen", "TimeTravelScreen", "CheckpointsScreen"),
    *("WorkflowsScreen", "DashboardScreen", "ActivityScreen", "AnswerDialog", "BulkDialog", "ColumnsDialog"),
    *("FiltersDialog", "ForkDialog", "LaunchDialog"),
}


async def tell(store: Store) -> None:
    """Tell a run that asks everything, one that failed, and one that was rejected by somebody hostile."""
    asks = await begin(store, DEFINITION, "evilasks2345", 60)
    await asks.tell(0.0, WaveStarted(wave=0), started(BLOCKS[0], EVIL), succeeded(BLOCKS[0], 1.0))
    await asks.ask(BLOCKS[1], ChoicePrompt(question=EVIL, choices=(EVIL, "other")))
    await asks.ask(BLOCKS[2], ConfirmPrompt(message=EVIL, operation=EVIL, details={EVIL: EVIL}))
    typed = InputPrompt(prompt=EVIL, default=EVIL)
    await asks.ask(BLOCKS[3], typed)
    await asks.ask(BLOCKS[4], FormPrompt(message=EVIL, fields=(FormField(id=EVIL, prompt=typed),)))
    failed = await begin(store, DEFINITION, "evilfail2345", 50)
    await failed.tell(0.0, WaveStarted(wave=0), started(BLOCKS[0], EVIL))
    chunk = OutputChunk(n=0, stream=Stream.STDERR, offset=0, data=EVIL.encode("utf-8", "surrogatepass"))
    await store.write_output(RunId("evilfail2345"), BLOCKS[0], 1, [chunk])
    mark = CheckpointMarked(checkpoint_id=CheckpointId("evilmark"), kind=CheckpointKind.EXPLICIT, label=EVIL)
    await failed.tell(0.0, mark)
    why = Failure(kind=FailureKind.ERROR, message=EVIL)
    await failed.tell(1.0, AttemptFailed(block=BLOCKS[0], attempt=1, failure=why))
    await failed.tell(0.0, RunFinished(status=RunStatus.FAILED, reason=EVIL))


async def settled(seen: Monitor) -> str:
    """Return what is on the screen once it stays the same."""
    last, text = "", seen.text
    while text != last or "Reading" in text:
        await seen.pilot.pause(0.04)
        last, text = text, seen.text
    return text


async def pressed(seen: Monitor, key: str) -> None:
    """Press a key; leave a dialog for good, which takes no key in its first moment."""
    before = seen.app.screen
    await seen.press(key)
    if key == "escape" and isinstance(before, Dialog):
        while seen.app.screen is before:
            await seen.pilot.pause(0.05)
            await seen.press(key)


async def test_no_screen_draws_what_a_terminal_would_obey(tmp_path: Path) -> None:
    """Nor takes it for markup: all modes, dialogs and panes, one after the other.

    What is drawn in ASCII instead leaves no sign of ours, the pictures of control characters included.
    """
    for name, text in (("w", FILE), (NAME, FILE), (f"{NAME}broken", f"{FILE}{quoted(EVIL)}: 1\n")):
        (tmp_path / f"{name}.yaml").write_text(text)
    faults: dict[str, list[str]] = {}
    screens = set()
    clock = FixedClock(NOW)
    async with monitor(tmp_path, size=(100, 30), prepare=tell, clock=clock, folders=(tmp_path,)) as seen:
        for number, key in enumerate(WALK.split()):
            await pressed(seen, key)
            text = await settled(seen)
            name = type(seen.app.screen).__name__
            screens.add(name)
            signs = set(signs_in_ascii(text)) - set(map(chr, range(128))) - WRITTEN
            if found := [*obeyed(text), *signs]:
                faults[f"{number} {key}: {name}"] = found[:2]

    assert faults == {}
    assert SCREENS - screens == set()


RUN = """
name: evil
inputs: {note: string}
blocks:
  - {id: out, type: Shell, inputs: {command: "printf %s ${note}; echo seen"}}
  - {id: gate, type: ConfirmOperation, depends_on: [out], inputs: {message: "Really? ${note}"}}
"""


@pytest.mark.terminal
@needs_tmux
def test_a_real_terminal_is_left_as_it_was(tmp_path: Path) -> None:
    """Paste buffer, titles and modes, while a hostile run is looked at and after the monitor has gone."""

    async def fill() -> None:
        async with world(tmp_path, f"sqlite:///{tmp_path}/store.db") as made:
            await made.rest(await made.start(RUN, note=EVIL))

    def ask(*words: str) -> str:
        command = ["tmux", "-S", f"{tmp_path}/tmux", *words]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    asyncio.run(fill())
    terminal = Terminal(tmp_path, columns=120, lines=36)
    try:
        terminal.tidegate()
        terminal.wait_for("Really?", "␛]52;c;ZXZpbA==␇␛]0;title␇")
        ask("set-option", "-s", "set-clipboard", "on", ";", "set-option", "-g", "allow-rename", "on")
        for key, text in (
            ("2", "paused"),
            ("Enter", "out"),
            ("l", "Log of"),
            ("b", "Log of wave"),
            ("b", "FORGEDseen"),
        ):
            terminal.press(key)
            terminal.wait_for(text)
            time.sleep(QUIET)
        assert "␛[2J␛[?1049h" in terminal.screen
        assert ask("display-message", "-p", "#{pane_title}") == "(1) tidegate"
        terminal.press("q")
        terminal.wait_for("exit code: 0")

        modes = "#{alternate_on} #{mouse_any_flag} #{insert_flag} #{keypad_flag} #{cursor_flag} #{wrap_flag}"
        assert ask("display-message", "-p", modes) == "0 0 0 0 1 1"
        assert ask("list-buffers") == ""
    finally:
        terminal.close()
