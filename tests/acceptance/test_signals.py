"""Signals to the program itself while blocks run: recorded, children stopped, the run to be resumed, the terminal given back."""

import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from cli.calling import PATIENCE, Tidegate, is_alive, until
from tui.ptys import on_pty

STUBBORN = """
    name: stubborn
    blocks:
      - {id: gate, type: ConfirmOperation, inputs: {message: "Go?"}}
      - id: work
        type: Shell
        depends_on: [gate]
        on_interrupt: rerun
        inputs:
          command: |
            test -e go && exit 0
            test -e meek || trap '' TERM; sleep 300 & echo $! $$ > pids.new; mv pids.new pids; wait; sleep 300
"""

QUICK = """
    name: quick
    blocks:
      - {id: a, type: Shell, inputs: {command: "touch begun; while [ ! -e go ]; do sleep 0.05; done; echo a"}}
      - {id: b, type: Shell, depends_on: [a], inputs: {command: "echo b > last"}}
"""


@pytest.fixture
def tidegate(tmp_path: Path) -> Tidegate:
    """Return the command, called in a folder of its own."""
    return Tidegate(tmp_path)


def _pids(folder: Path) -> list[int]:
    """Return the processes of the block, once it is at work; the file is taken away."""
    until((folder / "pids").exists)
    pids = [int(pid) for pid in (folder / "pids").read_text(encoding="utf-8").split()]
    (folder / "pids").unlink()
    return pids


def test_whatever_drives_a_run_stops_it_in_order_however_often_it_is_told_to(tidegate: Tidegate) -> None:
    """An impatient Ctrl-C, Ctrl-C, TERM must not cut off the recording that the first one began."""
    (run_id,) = tidegate.runs_of(STUBBORN, {})
    process = tidegate.start("answer", run_id, "yes")
    pids = _pids(tidegate.folder)
    for how in (signal.SIGINT, signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        process.send_signal(how)
    stopped = tidegate.end(process)
    listed = tidegate.call("runs", "show", run_id, "--json").document
    (tidegate.folder / "go").touch()
    resumed = tidegate.call("resume", run_id)

    assert (stopped.code, resumed.code) == (130, 0)
    assert f"is interrupted\n  go on with: tidegate resume {run_id}" in stopped.out
    assert not [pid for pid in pids if is_alive(pid)]
    assert (listed["status"], listed["reason"]) == ("interrupted", "Tidegate was closed")


@pytest.mark.skipif(shutil.which("nohup") is None, reason="needs nohup")
def test_nohup_is_obeyed(tidegate: Tidegate) -> None:
    """Who starts a long run with it wants it to outlive the terminal."""
    tidegate.file("flow.yaml", QUICK)
    command = ["nohup", sys.executable, "-m", "tidegate", "run", "flow.yaml"]
    with subprocess.Popen(
        command, cwd=tidegate.folder, env=tidegate.environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        until((tidegate.folder / "begun").exists)
        process.send_signal(signal.SIGHUP)
        (tidegate.folder / "go").touch()

        assert tidegate.end(process).code == 0
    assert (tidegate.folder / "last").exists()


def test_a_reader_that_has_seen_enough_changes_nothing_about_the_run(tidegate: Tidegate) -> None:
    """`tidegate run | head -1`: the run goes on to its end, and its exit code is told."""
    tidegate.file("flow.yaml", QUICK)
    with tidegate.start("run", "flow.yaml") as process:
        assert process.stdout is not None
        assert process.stderr is not None
        first = process.stdout.readline()
        process.stdout.close()
        (tidegate.folder / "go").touch()
        code, said = process.wait(PATIENCE), process.stderr.read()

    assert (code, said) == (0, b"")
    assert b" of quick started by ana" in first
    assert (tidegate.folder / "last").exists()


def test_a_monitor_that_gets_a_signal_gives_the_terminal_back(tidegate: Tidegate) -> None:
    """What it drove is stopped and recorded; the exit code says which signal it was."""
    (run_id,) = tidegate.runs_of(STUBBORN, {})
    (tidegate.folder / "meek").touch()
    left = tidegate.start("answer", run_id, "yes")
    _pids(tidegate.folder)
    left.kill()
    tidegate.end(left)
    with on_pty(["-m", "tidegate", "--store", tidegate.store], tidegate.folder) as monitor:
        pids = _pids(tidegate.folder)
        for _ in range(3):
            monitor.process.send_signal(signal.SIGTERM)
        code = monitor.wait_for_end(20)

    assert code == 128 + signal.SIGTERM
    assert "\x1b[?1049h" not in monitor.output.rpartition("\x1b[?1049l")[2]
    assert "\x1b[?1049l" in monitor.output
    assert not [pid for pid in pids if is_alive(pid)]
    assert tidegate.call("runs", "show", run_id, "--json").document["status"] == "interrupted"
