"""Mode 4: the workflow files, as they are while somebody edits them."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tidegate.tui.screens.lists.workflows import WorkflowsScreen
from tidegate.tui.wishes.editing import NoEditor, editor_command
from tui.monitoring import FixedClock, Monitor, monitor
from tui.scene import NOW, fill

DEPLOY = """
name: deploy-api
description: Build, and ask before production.
inputs:
  project: {type: string, required: true, description: What to deploy}
  environment: {type: string, default: staging, choices: [staging, production]}
blocks:
  - {id: checkout, type: Shell, inputs: {command: git pull}}
  - {id: gate, type: ConfirmOperation, depends_on: [checkout], inputs: {message: "Promote ${project}?"}}
  - {id: ship, type: Shell, depends_on: [gate], inputs: {command: "echo ${environment}"}}
"""
CLEANUP = """
name: cleanup
blocks: [{id: look, type: Shell, effect: pure, inputs: {command: ls}}]
"""
BROKEN = """
name: nightly
blocks:
  - {id: extract, type: Shel, inputs: {command: make}}
  - {id: load, type: Shell, depends_on: [extrct], inputs: {command: make}}
"""


@asynccontextmanager
async def over(folder: Path, size: tuple[int, int] = (120, 36), **files: str) -> AsyncIterator[Monitor]:
    """Run a monitor over a folder with these files, with mode 4 in sight."""
    for name, text in files.items():
        (folder / f"{name}.yaml").write_text(text)
    async with monitor(folder, size=size, prepare=fill, clock=FixedClock(NOW), folders=(folder,)) as seen:
        await seen.press("4")
        await seen.until(lambda: isinstance(seen.app.screen, WorkflowsScreen))
        await seen.unsee("Reading the store")
        yield seen


async def test_each_file_says_whether_it_is_sound_and_how_its_last_run_went(tmp_path: Path) -> None:
    """The counts are of the runs of that name, whichever file they came from."""
    async with over(tmp_path, deploy=DEPLOY, tidy=CLEANUP, nightly=BROKEN) as seen:
        await seen.see("deploy-api", "✓ sound", "✗ 2 faults", "3 workflows · 1 with faults")
        rows = {line.pieces[1].text: line.text for line in seen.app.screen.query_one("#list").lines}  # type: ignore[attr-defined]

        assert "1" in rows["deploy-api"]
        assert "◆ paused" in rows["deploy-api"]
        assert "✗ failed" in rows["cleanup"]
        assert "never run" in rows["nightly.yaml"]


async def test_faults_are_shown_with_their_place_and_what_would_be_right(tmp_path: Path) -> None:
    """All of them at once, in the preview of the file."""
    async with over(tmp_path, size=(200, 50), nightly=BROKEN) as seen:
        await seen.see(
            "2 faults: no run starts from this file",
            "nightly.yaml:4:25",
            "mean 'Shell'?",
            "nightly.yaml:5:42",
            "did you mean 'extract'?",
        )


async def test_the_preview_says_what_a_run_takes_and_would_do(tmp_path: Path) -> None:
    """Waves with types, who is asked, what changes things outside, inputs with types and defaults."""
    async with over(tmp_path, size=(200, 50), deploy=DEPLOY) as seen:
        await seen.see(
            "Build, and ask before production.",
            "3 blocks in 3 waves",
            "◆ asks a person at  gate",
            "! changes things outside in  checkout, ship",
            "Wave 2",
            "◆ gate  ConfirmOperation",
            "project *  text",
            "What to deploy",
            "environment  one of staging, production, default staging",
        )


async def test_the_list_follows_the_files_while_they_are_edited(tmp_path: Path) -> None:
    """A fault shows up, a mended text takes it away, a new file comes, a removed one goes; the tab counts."""
    async with over(tmp_path, deploy=DEPLOY) as seen:
        await seen.see("4 Workflows 1", "✓ sound")
        (tmp_path / "deploy.yaml").write_text(DEPLOY.replace("type: Shell", "type: Shel"))
        await seen.see("✗ 2 faults")
        (tmp_path / "deploy.yaml").write_text(DEPLOY)
        await seen.see("✓ sound")
        (tmp_path / "tidy.yaml").write_text(CLEANUP)
        await seen.see("4 Workflows 2", "cleanup")
        (tmp_path / "tidy.yaml").unlink()

        await seen.unsee("cleanup")
        await seen.see("4 Workflows 1")


async def test_the_tab_counts_before_anybody_looks(tmp_path: Path) -> None:
    """The files are read once the first screen is there, wherever one is."""
    (tmp_path / "deploy.yaml").write_text(DEPLOY)
    async with monitor(tmp_path, size=(120, 36), folders=(tmp_path,)) as seen:
        await seen.see("4 Workflows 1", "Nothing waits for you")


async def test_an_empty_folder_says_what_to_do(tmp_path: Path) -> None:
    """Where files are looked for, and which key leads on."""
    async with over(tmp_path) as seen:
        await seen.see("No workflow file", "TIDEGATE_WORKFLOWS", "1 leads back")


async def test_the_working_directory_may_hold_other_yaml(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What has faults there and no blocks is nobody's workflow; elsewhere every file is."""
    (tmp_path / "compose.yaml").write_text("services: {web: {image: x}}\n")
    (tmp_path / "nightly.yaml").write_text(BROKEN)
    monkeypatch.chdir(tmp_path)
    async with monitor(tmp_path, size=(120, 36), folders=(Path(),)) as seen:
        await seen.press("4")
        await seen.see("nightly", "1 workflow · 1 with faults")

        assert "compose" not in seen.text


async def test_the_last_run_is_one_key_away(tmp_path: Path) -> None:
    """From the workflow to the run that began last."""
    async with over(tmp_path, deploy=DEPLOY) as seen:
        await seen.see("deploy-api")
        await seen.press("o")

        await seen.see("Waves", "for an answer")


async def test_the_editor_opens_at_the_fault_or_says_why_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A terminal that cannot be lent, or no editor: the place is said, so that it can be opened elsewhere."""
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.delenv("EDITOR", raising=False)
    async with over(tmp_path, nightly=BROKEN) as seen:
        await seen.see("2 faults")
        await seen.press("e")
        await seen.see("no editor is named", "nightly.yaml:4")
        monkeypatch.setenv("EDITOR", "vim")
        await seen.press("e")

        await seen.see("no editor can be opened in this terminal")


@pytest.mark.parametrize(
    ("editor", "command"),
    [
        ("vim", ["vim", "+7", "/w/a b.yaml"]),
        ("/usr/bin/emacs -nw", ["/usr/bin/emacs", "-nw", "+7", "/w/a b.yaml"]),
        ("hx", ["hx", "/w/a b.yaml:7"]),
        ("code", ["code", "--wait", "--goto", "/w/a b.yaml:7"]),
    ],
)
def test_each_editor_is_told_the_line_in_its_own_way(editor: str, command: list[str]) -> None:
    """VISUAL comes before EDITOR, and either may have options."""
    path = Path("/w/a b.yaml")

    assert editor_command(path, 7, {"EDITOR": editor}) == command
    assert editor_command(path, 7, {"EDITOR": "other", "VISUAL": editor}) == command
    with pytest.raises(NoEditor, match=r"set EDITOR.*a b\.yaml:7"):
        editor_command(path, 7, {})


async def test_hostile_names_of_files_are_shown_and_never_obeyed(tmp_path: Path) -> None:
    """Escape sequences, markup, bytes that are no text: in the row, the preview, and in what is said of them."""
    for name in ("[b]\x1b]2;x\x07", os.fsdecode(b"\xff\xfe")):
        (tmp_path / f"{name}.yaml").write_text(BROKEN)
    async with over(tmp_path, size=(200, 50)) as seen:
        await seen.see("[b]␛]2;x␇.yaml", "[b]␛]2;x␇.yaml:4:25", "\\udcff\\udcfe.yaml")
        await seen.press("n")

        await seen.see("nothing can be started from it yet: [b]␛]2;x␇.yaml:4:25")
        assert "\x1b" not in seen.text
