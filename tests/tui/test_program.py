"""The commands that the monitor shows and copies are for the store that is open, wherever they are pasted."""

import shlex
from pathlib import Path

import pytest

from tidegate.cli.call import call_of, lasting_call_of
from tidegate.settings import load_settings
from tidegate.tui.program import command_line
from tui.monitoring import FixedClock, monitor
from tui.scene import NOW, fill
from tui.test_fork_values import SIZE, ask_for_fork, made
from tui.test_forking import look_back

STORE = "my stores/m.db"
PROGRAM = f"tidegate --store '{STORE}'"


def test_only_a_store_that_was_named_is_named_again() -> None:
    """What the environment says, the next command hears, too."""
    assert call_of(load_settings({}, store=STORE)) == PROGRAM
    assert call_of(load_settings({"TIDEGATE_STORE": STORE})) == "tidegate"
    assert call_of(load_settings({})) == "tidegate"


def test_what_is_copied_means_the_same_store_wherever_it_is_pasted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There the environment may say another one, or none, and the folder is another one."""
    monkeypatch.chdir(tmp_path)
    named = f"tidegate --store {shlex.quote(f'{tmp_path}/{STORE}')}"
    assert lasting_call_of(load_settings({}, store=STORE)) == named
    assert lasting_call_of(load_settings({"TIDEGATE_STORE": STORE})) == named
    url = f"file://{tmp_path}/folder"
    assert lasting_call_of(load_settings({"TIDEGATE_STORE": url})) == f"tidegate --store {url}"
    assert lasting_call_of(load_settings({})) == "tidegate"


async def test_a_fork_is_made_in_the_same_store_by_its_command(tmp_path: Path) -> None:
    """The command that is shown is the one that is copied, and it names the store."""
    async with monitor(tmp_path, size=SIZE, program=PROGRAM) as seen:
        run_id = await made(seen, "x")
        await ask_for_fork(seen, run_id, "read")
        await seen.see(f"{PROGRAM} checkpoints fork {run_id}@")

        await seen.press("P")
        await seen.see("The command is copied")

        words = shlex.split(seen.app.clipboard)
        assert words[:5] == ["tidegate", "--store", STORE, "checkpoints", "fork"]
        assert words[6:] == ["--from", "read"]


async def test_where_the_store_is_the_usual_one_commands_are_short(tmp_path: Path) -> None:
    """Nothing is said that the next command knows without it."""
    async with monitor(tmp_path, size=SIZE) as seen:
        run_id = await made(seen, "x")
        await ask_for_fork(seen, run_id)
        await seen.press("P")
        await seen.see("The command is copied")

        assert seen.app.clipboard.startswith(f"tidegate checkpoints fork {run_id}@")


@pytest.mark.parametrize(
    ("mode", "start"),
    [("1", "answer "), ("2", "runs show "), ("6", "runs show ")],
    ids=["inbox", "runs", "activity"],
)
async def test_the_palette_copies_commands_for_the_same_store(tmp_path: Path, mode: str, start: str) -> None:
    """In each mode that has one for the row under the cursor."""
    async with monitor(tmp_path, prepare=fill, clock=FixedClock(NOW), program=PROGRAM) as seen:
        await seen.press(mode)
        await seen.until(lambda: bool(seen.app.screen.command_line()))  # type: ignore[attr-defined]  # a mode
        await seen.press("colon", *"copy", "space", *"command", "enter")
        await seen.until(lambda: seen.app.clipboard.startswith(f"{PROGRAM} {start}"))


async def test_in_the_past_commands_are_for_the_same_store(tmp_path: Path) -> None:
    """What forks from the point, and what shows it."""
    async with monitor(tmp_path, size=(120, 36), program=PROGRAM) as seen:
        run_id = await made(seen, "x")
        await look_back(seen, "1")
        await seen.press("P")
        await seen.until(lambda: seen.app.clipboard.startswith(f"{PROGRAM} checkpoints fork {run_id}@"))
        await seen.press("tab", "P")
        await seen.until(lambda: seen.app.clipboard.startswith(f"{PROGRAM} checkpoints show {run_id}@"))


async def test_facts_about_this_monitor_lead_to_the_doctor_of_its_store(tmp_path: Path) -> None:
    """Another store may be well."""
    async with monitor(tmp_path, size=(120, 36), program=PROGRAM) as seen:
        await seen.press("colon", *"diagnos", "enter")
        await seen.see(f"`{PROGRAM} doctor` says more")
        assert command_line(PROGRAM, "answer", "it's") == f"{PROGRAM} answer 'it'\"'\"'s'"
