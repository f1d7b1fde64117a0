"""`tidegate worker`: what nobody drives goes on, deadlines and timers fire, and stopping it loses nothing."""

import signal

from cli.calling import Process, Tidegate, until

LEFT = """
    name: left
    blocks:
      - id: slow
        type: Shell
        effect: idempotent
        inputs: {command: "test -e begun && exit 0; touch begun; exec sleep 300"}
      - {id: last, type: Shell, depends_on: [slow], inputs: {command: "echo last"}}
"""

EXPIRES = """
    name: expires
    blocks:
      - id: gate
        type: ConfirmOperation
        timeout: 300ms
        inputs: {message: "Go?", operation: deploy, on_timeout: reject}
      - {id: nap, type: Wait, inputs: {duration: 100ms}}
"""

SLEEPS = """
    name: sleeps
    blocks:
      - {id: slow, type: Shell, effect: idempotent, inputs: {command: "touch begun; exec sleep 300"}}
"""


def status_of(tidegate: Tidegate, run_id: str) -> str:
    """Return where a run stands."""
    return str(tidegate.call("runs", "show", run_id, "--json").document["status"])


def started(tidegate: Tidegate) -> tuple[Process, str]:
    """Start a run whose block sleeps; return its process and its id once the block is at work."""
    process = tidegate.start("run", "flow.yaml")
    assert process.stdout is not None
    run_id = process.stdout.readline().split()[3].decode()
    until((tidegate.folder / "begun").exists)
    return process, run_id


def test_a_worker_takes_over_from_a_killed_process(tidegate: Tidegate) -> None:
    """It says so, drives the run to its end, says that, and TERM ends it."""
    tidegate.file("flow.yaml", LEFT)
    worker = tidegate.start("worker")
    assert worker.stderr is not None
    assert worker.stderr.readline().startswith(b"tidegate: worker on sqlite:")
    process, run_id = started(tidegate)
    process.send_signal(signal.SIGKILL)
    tidegate.end(process)

    until(lambda: status_of(tidegate, run_id) == "succeeded")
    worker.send_signal(signal.SIGTERM)
    done = tidegate.end(worker)

    assert done.code == 0
    assert done.out == ""
    assert f"run {run_id} of left goes on here, after process {process.pid} on " in done.err
    assert f"run {run_id} of left is succeeded" in done.err


def test_once_lets_deadlines_pass_and_ends_at_rest(tidegate: Tidegate) -> None:
    """A question that nobody answered in time expires without a monitor; what waits for people stays."""
    (run_id,) = tidegate.runs_of(EXPIRES, {})
    until(lambda: tidegate.call("worker", "--once").code == 0 and status_of(tidegate, run_id) != "paused")

    assert status_of(tidegate, run_id) == "rejected"


def test_what_is_logged_is_told_on_demand(tidegate: Tidegate) -> None:
    """`TIDEGATE_DEBUG` tells what an operator need not know, such as what was cleaned up."""
    told = tidegate.call("worker", "--once", TIDEGATE_DEBUG="1")
    silent = tidegate.call("worker", "--once", "--store", f"{tidegate.store}.other")

    assert (silent.code, told.code) == (0, 0)
    assert "cleaned up" not in silent.err
    assert "tidegate: cleaned up: 0 runs, 0 checkpoints\n" in told.err


def test_a_stopped_worker_leaves_its_runs_to_be_resumed(tidegate: Tidegate) -> None:
    """INT ends it in order: what it ran is stopped, and that is recorded."""
    tidegate.file("flow.yaml", SLEEPS)
    process, run_id = started(tidegate)
    process.send_signal(signal.SIGKILL)
    tidegate.end(process)
    (tidegate.folder / "begun").unlink()
    worker = tidegate.start("worker")
    until((tidegate.folder / "begun").exists)

    worker.send_signal(signal.SIGINT)
    done = tidegate.end(worker)

    assert done.code == 0
    assert f"run {run_id} of sleeps is interrupted: the worker was stopped" in done.err
    assert status_of(tidegate, run_id) == "interrupted"
