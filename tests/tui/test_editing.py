"""Editing a workflow file from the monitor: the terminal is lent, and comes back."""

import sys
from pathlib import Path

import pytest

from tui.ptys import on_pty

BROKEN = "name: nightly\nblocks:\n  - {id: extract, type: Shel, inputs: {command: make}}\n"
EDITOR = """
import pathlib, signal, sys
signal.signal(signal.SIGINT, lambda *_: print("INTERRUPTED", flush=True))
print("EDITING", sys.argv[1], pathlib.Path(sys.argv[2]).name, flush=True)
sys.stdin.readline()
path = pathlib.Path(sys.argv[2])
path.write_text(path.read_text().replace("Shel,", "Shell,"))
"""


def test_the_editor_has_the_terminal_until_it_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At the line of the fault; an interrupt is the editor's; then the monitor is there, and sees the mended file."""
    (tmp_path / "nightly.yaml").write_text(BROKEN)
    editor = tmp_path / "editor.py"
    editor.write_text(EDITOR)
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", f"{sys.executable} {editor}")
    with on_pty(["-m", "tidegate", "--store", f"sqlite:///{tmp_path}/store.db"], tmp_path) as opened:
        opened.wait_for("Nothing waits for you")
        opened.press("4")
        opened.wait_for("1 fault", "mean 'Shell'?)")
        opened.press("e")
        opened.wait_for("EDITING +3 nightly.yaml")
        opened.press("\x03")
        opened.wait_for("INTERRUPTED")
        opened.press("done\n")
        opened.wait_for("sound")
        opened.press("q")

        assert opened.wait_for_end(20) == 0
    assert (tmp_path / "nightly.yaml").read_text() == BROKEN.replace("Shel,", "Shell,")
