"""What nobody expected: the terminal is given back, and a sentence says where to look."""

import stat
from pathlib import Path

import pytest

from tui.ptys import on_pty

BROKEN = """
import sys
from textual import work
from tidegate.cli.main import run
from tidegate.tui import app

class Broken(app.MonitorApp):
    def action_help(self):
        raise ValueError("nobody [b]expected[/b] this")

    @work
    async def action_theme(self):
        raise KeyError("nor this")

app.MonitorApp = Broken
sys.exit(run(["--store", sys.argv[1]]))
"""


def end_by(key: str, folder: Path, prelude: str = "") -> tuple[int, str]:
    """Press *key* in a monitor that does not survive it; return its exit code and its last words."""
    with on_pty(["-c", prelude + BROKEN, f"sqlite:///{folder}/store.db"], folder) as opened:
        opened.wait_for("Nothing waits for you")
        opened.press(key)
        code = opened.wait_for_end(20)
        drawn, _, said = opened.output.rpartition("\x1b[?1049l")
    assert drawn, "the terminal was not given back"
    return code, " ".join(said.split())


@pytest.mark.parametrize(
    ("key", "error"), [("?", "ValueError: nobody [b]expected[/b] this"), ("T", "KeyError: 'nor this'")]
)
def test_a_fault_ends_in_a_sentence_and_a_log(tmp_path: Path, key: str, error: str) -> None:
    """In a handler as in a worker; the log is for its owner only, and holds the traceback."""
    code, said = end_by(key, tmp_path)

    [log] = (tmp_path / "state").rglob("monitor.log")
    assert code == 1
    assert f"({error})" in said
    assert str(log) in said.replace(" ", "")
    assert "Traceback" not in said
    assert "Traceback" in log.read_text()
    assert stat.S_IMODE(log.stat().st_mode) == 0o600


def test_a_log_that_cannot_be_written_costs_only_the_log(tmp_path: Path) -> None:
    """The sentence says what to do instead."""
    (tmp_path / "state").write_text("in the way")
    code, said = end_by("?", tmp_path)

    assert code == 1
    assert "ValueError" in said
    assert "TIDEGATE_DEBUG=1 shows where" in said
    assert "Traceback" not in said


def test_who_asks_for_a_traceback_gets_it(tmp_path: Path) -> None:
    """As the toolkit shows it."""
    code, said = end_by("?", tmp_path, 'import os; os.environ["TIDEGATE_DEBUG"] = "1"\n')

    assert code == 1
    assert "Traceback" in said
