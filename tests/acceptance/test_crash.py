"""A process is killed; another goes on. Real processes, real SIGKILL, a store on disk."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

PATIENCE = 30.0


def tidegate(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run one command on the folder's store and return it finished."""
    return subprocess.run(
        _command(folder, *arguments), capture_output=True, text=True, check=False, cwd=folder
    )


def spawn(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    """Start one command on the folder's store."""
    return subprocess.Popen(
        _command(folder, *arguments), cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def _command(folder: Path, *arguments: str) -> list[str]:
    return [sys.executable, "-m", "tidegate", "--store", f"sqlite:///{folder}/store.db", *arguments]


def shown(folder: Path, *arguments: str) -> Any:
    """Return the JSON document that a command writes."""
    done = tidegate(folder, *arguments, "--json")
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


def wait_for(condition: Callable[[], bool]) -> None:
    """Return once *condition* holds."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "the condition did not come true"
        time.sleep(0.02)


def kill(process: subprocess.Popen[str]) -> None:
    """SIGKILL a process and wait for its end."""
    process.kill()
    process.communicate()


def is_at_work(pid: int) -> bool:
    """Whether a process is there and more than a zombie, which only waits to be collected."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


CHAIN = """
name: chain
blocks:
  - {id: a, type: Shell, inputs: {command: "echo a >> log"}}
  - {id: b, type: Shell, depends_on: [a], inputs: {command: "echo b >> log"}}
  - id: slow
    type: Shell
    depends_on: [b]
    inputs: {command: "echo begun >> log; echo working; while [ ! -e go ]; do sleep 0.05; done; echo slow >> log"}
  - {id: beside, type: Shell, depends_on: [b], inputs: {command: "echo beside >> log"}}
  - id: gate
    type: ConfirmOperation
    depends_on: [slow, beside]
    inputs: {message: "Ship ${slow.exit_code}?"}
  - {id: ship, type: Shell, depends_on: [gate], inputs: {command: "echo shipped >> log"}}
outputs: {shipped: "${ship.success}"}
"""


BEFORE = ["a", "b", "begun", "beside", "slow"]
"""What the killed run did; `slow` by the command that outlived it."""


@pytest.fixture
def killed(tmp_path: Path) -> Path:
    """A folder whose run was killed while `slow` ran in the middle of a wave, `beside` already done."""
    (tmp_path / "chain.yaml").write_text(CHAIN)
    process = spawn(tmp_path, "run", "chain.yaml")
    log = tmp_path / "log"
    wait_for(lambda: log.exists() and {"begun", "beside"} <= set(log.read_text().split()))

    def beside_is_recorded() -> bool:
        run = shown(tmp_path, "runs", "list")["runs"][0]["run_id"]
        blocks = shown(tmp_path, "runs", "show", run)["blocks"]
        return bool(next(block for block in blocks if block["block"] == "beside")["status"] == "succeeded")

    wait_for(beside_is_recorded)
    kill(process)
    return tmp_path


@pytest.mark.parametrize(
    ("answer", "log", "end"),
    [
        ("rerun", [*BEFORE, "begun", "slow", "shipped"], "succeeded"),
        ("done", [*BEFORE, "shipped"], "succeeded"),
        ("fail", BEFORE, "failed"),
    ],
)
def test_a_block_that_was_in_flight_asks_and_what_had_ended_is_kept(
    killed: Path, answer: str, log: list[str], end: str
) -> None:
    """The run is interrupted; resumed, it asks about `slow` only, and goes on as told."""
    [run] = shown(killed, "runs", "list")["runs"]
    assert run["status"] == "interrupted"
    (killed / "go").touch()
    wait_for(lambda: "slow" in (killed / "log").read_text().split())
    resumed = tidegate(killed, "resume", run["run_id"])
    assert resumed.returncode == 3, resumed.stdout + resumed.stderr
    [pause] = shown(killed, "inbox")["pauses"]
    assert (pause["kind"], pause["block"]) == ("recovery", "slow")

    after = tidegate(killed, "answer", pause["pause_id"], answer)
    if answer != "fail":
        assert after.returncode == 3, after.stdout + after.stderr
        after = tidegate(killed, "answer", run["run_id"], "yes")

    assert shown(killed, "runs", "show", run["run_id"])["status"] == end, after.stdout + after.stderr
    written = (killed / "log").read_text().split()
    # `slow` and `beside` are of one wave: which of them began first is not decided.
    assert sorted(written[: len(BEFORE)]) == sorted(BEFORE)
    assert written[len(BEFORE) :] == log[len(BEFORE) :]


@pytest.mark.skipif(sys.platform != "linux", reason="only there can a process's environment be read")
def test_a_command_that_outlived_its_process_is_named(killed: Path) -> None:
    """The question says that it is still at work, so that nobody runs it twice at once."""
    assert tidegate(killed, "resume", "chain").returncode == 3
    [pause] = shown(killed, "inbox")["pauses"]
    pids = pause["evidence"]["still_running"]
    assert pids
    assert f"still at work when this was asked: process {pids[0]}" in pause["prompt"]

    # Run again, it is ended first: of two copies at once only one would be known.
    with spawn(killed, "answer", pause["pause_id"], "rerun") as again:
        wait_for(lambda: (killed / "log").read_text().split().count("begun") == 2)
        assert not any(is_at_work(pid) for pid in pids)
        (killed / "go").touch()
        again.communicate(timeout=PATIENCE)
    assert (killed / "log").read_text().split().count("slow") == 1


@pytest.mark.skipif(sys.platform != "linux", reason="only there can a process's environment be read")
def test_cancelling_ends_a_command_that_outlived_its_process(killed: Path) -> None:
    """Cancelled means that nothing of it is at work any more."""
    assert tidegate(killed, "resume", "chain").returncode == 3
    [pause] = shown(killed, "inbox")["pauses"]
    assert tidegate(killed, "runs", "cancel", pause["run_id"]).returncode == 5

    assert not any(is_at_work(pid) for pid in pause["evidence"]["still_running"])


def test_a_stopped_process_leaves_a_run_that_can_be_resumed(tmp_path: Path) -> None:
    """TERM: what runs is stopped and recorded, nothing survives, and resume asks about it."""
    (tmp_path / "wf.yaml").write_text(
        "name: wf\nblocks:\n  - {id: nap, type: Shell, inputs: {command: 'echo $$ > pid; sleep 300'}}\n"
    )
    process = spawn(tmp_path, "run", "wf.yaml")
    pid_file = tmp_path / "pid"
    wait_for(lambda: pid_file.exists() and pid_file.read_text().strip() != "")
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=PATIENCE)

    assert process.returncode == 130
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid_file.read_text()), 0)
    [run] = shown(tmp_path, "runs", "list")["runs"]
    assert run["status"] == "interrupted"
    assert tidegate(tmp_path, "resume", "wf").returncode == 3
    assert shown(tmp_path, "inbox")["pauses"][0]["kind"] == "recovery"


def test_an_open_pause_waits_through_a_kill(tmp_path: Path) -> None:
    """Nothing holds a question open but the store; the answer comes from a process that never saw it."""
    (tmp_path / "chain.yaml").write_text(CHAIN)
    (tmp_path / "go").touch()
    assert tidegate(tmp_path, "run", "chain.yaml").returncode == 3
    [pause] = shown(tmp_path, "inbox")["pauses"]

    done = tidegate(tmp_path, "answer", pause["pause_id"], "yes", "--json")

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["outputs"] == {"shipped": True}


def test_two_processes_answer_at_once_and_one_wins(tmp_path: Path) -> None:
    """I1, 50 rounds: exactly one answer counts, the other is told, and what follows runs once."""
    (tmp_path / "gate.yaml").write_text(
        "name: gate\nblocks:\n"
        "  - {id: gate, type: ConfirmOperation, inputs: {message: 'Go?', on_reject: continue}}\n"
        "  - {id: go, type: Shell, depends_on: [gate], inputs: {command: 'echo ${gate.confirmed} >> log'}}\n"
    )
    racer = Path(__file__).with_name("racer.py")
    command = [sys.executable, str(racer), f"sqlite:///{tmp_path}/store.db", str(tmp_path / "gate.yaml")]
    with (
        subprocess.Popen([*command, "yes"], cwd=tmp_path, stdout=subprocess.PIPE, text=True) as first,
        subprocess.Popen([*command, "no"], cwd=tmp_path, stdout=subprocess.PIPE, text=True) as second,
    ):
        told = [json.loads(process.communicate(timeout=110)[0]) for process in (first, second)]

    rounds = list(zip(told[0], told[1], strict=True))
    assert len(rounds) == 50
    assert all(sorted(pair) == ["lost", "won"] for pair in rounds)
    assert len((tmp_path / "log").read_text().split()) == 50
