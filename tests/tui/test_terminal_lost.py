"""The terminal goes away: the monitor ends in order, and loses nothing."""

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from running import PATIENCE
from tui.ptys import on_pty

GONE_WITHIN = 15.0
LONG = """
name: long
blocks:
  - {id: work, type: Shell, on_interrupt: rerun, inputs: {command: 'echo begun >> log; sleep 600'}}
"""
CONTROLLING = pytest.mark.parametrize(
    "is_controlling", [True, False], ids=["with a signal", "without a signal"]
)


def tidegate(folder: Path, *arguments: str) -> list[str]:
    """Return what runs a command on the folder's store."""
    return ["-m", "tidegate", "--store", f"sqlite:///{folder}/store.db", *arguments]


def ask(folder: Path, *arguments: str) -> Any:
    """Run a command; return its JSON document."""
    command = [sys.executable, *tidegate(folder, *arguments, "--json")]
    return json.loads(subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False).stdout)


def times_begun(folder: Path, times: int) -> None:
    """Return once the block has begun so often."""
    deadline = time.monotonic() + PATIENCE
    log = folder / "log"
    while not log.exists() or len(log.read_text().split()) < times:
        assert time.monotonic() < deadline
        time.sleep(0.05)


def leave_a_run_behind(folder: Path) -> None:
    """Start a run in a process that dies while its block is at work."""
    (folder / "long.yaml").write_text(LONG)
    command = [sys.executable, *tidegate(folder, "run", "long.yaml")]
    with subprocess.Popen(
        command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        times_begun(folder, 1)
        process.kill()


@CONTROLLING
def test_what_runs_is_stopped_and_can_be_resumed(tmp_path: Path, is_controlling: bool) -> None:
    """Whether the system sends a signal or not: no process is left, and no lease is held."""
    leave_a_run_behind(tmp_path)
    with on_pty(tidegate(tmp_path), tmp_path, is_controlling=is_controlling) as opened:
        opened.wait_for("1 Inbox", "●1")
        times_begun(tmp_path, 2)

        opened.hang_up()

        opened.wait_for_end(GONE_WITHIN)
    [run] = ask(tmp_path, "runs", "list")["runs"]
    assert run["status"] == "interrupted"


@CONTROLLING
def test_a_terminal_that_nobody_reads_any_more_can_be_taken_away(
    tmp_path: Path, is_controlling: bool
) -> None:
    """As a stalled connection that drops at last: by then every buffer on the way is full."""
    with on_pty(tidegate(tmp_path), tmp_path, is_controlling=is_controlling) as opened:
        opened.wait_for("Nothing waits for you")
        opened.press("T" * 60)
        time.sleep(2)  # Nobody reads; that it is stuck cannot be seen from here.

        opened.hang_up()

        opened.wait_for_end(GONE_WITHIN)


@CONTROLLING
def test_the_demo_deletes_its_scratch_store(tmp_path: Path, is_controlling: bool) -> None:
    """Also when nobody quits it."""
    with on_pty(["-m", "tidegate", "demo"], tmp_path, is_controlling=is_controlling) as opened:
        opened.wait_for("1 Inbox", "◆")
        assert list(tmp_path.glob("tidegate-demo-*"))

        opened.hang_up()

        opened.wait_for_end(GONE_WITHIN)
    assert not list(tmp_path.glob("tidegate-demo-*"))
