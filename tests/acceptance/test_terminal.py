"""The real program in a real terminal, with real keys."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from terminal import PATIENCE, Terminal, needs_tmux

pytestmark = [pytest.mark.terminal, needs_tmux]


def tidegate(folder: Path, *arguments: str) -> Any:
    """Run one command on the folder's store; return the JSON document it writes."""
    command = [
        sys.executable,
        "-m",
        "tidegate",
        "--store",
        f"sqlite:///{folder}/store.db",
        *arguments,
        "--json",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    return json.loads(done.stdout)


@pytest.fixture(params=[(80, 24), (120, 36)], ids=["80x24", "120x36"])
def terminal(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Terminal]:
    """A terminal of each size that must look good."""
    opened = Terminal(tmp_path, columns=request.param[0], lines=request.param[1])
    yield opened
    opened.close()


def wait_for_output(folder: Path, text: str) -> None:
    """Return once the store has what the running block printed."""
    command = [sys.executable, "-m", "tidegate", "--store", f"sqlite:///{folder}/store.db"]
    deadline = time.monotonic() + PATIENCE
    while True:
        assert time.monotonic() < deadline
        listed = subprocess.run(
            [*command, "runs", "list", "--json"], capture_output=True, text=True, check=False
        )
        runs = json.loads(listed.stdout).get("runs", []) if listed.returncode == 0 else []
        for run in runs:
            logs = subprocess.run(
                [*command, "logs", run["run_id"]], capture_output=True, text=True, check=False
            )
            if text in logs.stdout:
                return


def test_a_question_is_answered_with_keys_and_the_run_goes_on(tmp_path: Path, terminal: Terminal) -> None:
    """Start, answer in the dialog, see the run succeed, quit; the terminal is given back."""
    run = tidegate(tmp_path, "run", "interactive-approval", "-i", "project=shop", "-i", "environment=staging")
    assert run["status"] == "paused"
    terminal.tidegate()
    terminal.wait_for("Inbox", "Deploy shop")

    terminal.press("a")
    terminal.wait_for("Approve", "Reject", "confirm_deploy", "esc later")
    terminal.decide("y", "y or enter")
    assert tidegate(tmp_path, "runs", "show", run["run_id"])["status"] == "paused"
    terminal.decide("y", "Sent")
    terminal.press("2")
    terminal.wait_for("✓ ", "succeeded")
    terminal.press("q")

    terminal.wait_for("exit code: 0")
    after = tidegate(tmp_path, "runs", "show", run["run_id"])
    assert after["outputs"] == {"deployment_approved": True, "deployment_success": True}


def test_a_killed_run_is_adopted_by_the_monitor_and_finished_there(
    tmp_path: Path, terminal: Terminal
) -> None:
    """Kill -9 while a block runs; the monitor asks about it, then about the gate, and the run succeeds."""
    (tmp_path / "ship.yaml").write_text(
        "name: ship\nblocks:\n"
        "  - {id: build, type: Shell, inputs: {command: 'echo build >> log'}}\n"
        "  - {id: copy, type: Shell, depends_on: [build],"
        " inputs: {command: 'echo copy >> log; echo halfway there; while [ ! -e go ]; do sleep 0.05; done'}}\n"
        "  - {id: gate, type: ConfirmOperation, depends_on: [copy], inputs: {message: 'Ship it?'}}\n"
        "  - {id: send, type: Shell, depends_on: [gate], inputs: {command: 'echo sent >> log'}}\n"
    )
    command = [
        sys.executable,
        "-m",
        "tidegate",
        "--store",
        f"sqlite:///{tmp_path}/store.db",
        "run",
        "ship.yaml",
    ]
    with subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        wait_for_output(tmp_path, "halfway there")
        process.kill()
    (tmp_path / "go").touch()

    terminal.tidegate()
    terminal.wait_for("recovery", "copy")
    terminal.press("a")
    terminal.wait_for("Run it again", "1-4 choose")
    terminal.decide("2", "It is done: enter")
    terminal.decide("Enter", "press enter to send")
    terminal.decide("Enter", "Sent")
    terminal.wait_for("Ship it?")
    [pause] = tidegate(tmp_path, "inbox")["pauses"]
    assert pause["block"] == "gate"
    terminal.press("a")
    terminal.wait_for("Approve", "Reject", "esc later")
    terminal.decide("y", "y or enter")
    terminal.decide("y", "yes · by")
    terminal.press("2")
    terminal.wait_for("✓ ", "succeeded")
    terminal.press("q")

    terminal.wait_for("exit code: 0")
    assert (tmp_path / "log").read_text() == "build\ncopy\nsent\n"
