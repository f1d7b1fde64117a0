"""`tidegate run --detach`: the run is on disk when the command returns, and goes on without it."""

import re

from cli.calling import Tidegate, is_alive, until

ASKS = """
    name: asks
    blocks:
      - {id: work, type: Shell, inputs: {command: "sleep 0.5; echo once >> log"}}
      - {id: ask, type: ConfirmOperation, depends_on: [work], inputs: {message: "Go?"}}
"""


def test_a_run_is_left_to_a_worker_that_ends_when_it_rests(tidegate: Tidegate) -> None:
    """Nothing of it has begun when its id is told; nothing of it is cut off, done twice, or left running."""
    there, state = tidegate, str(tidegate.folder / "state")
    left = there.call("run", there.file("flow.yaml", ASKS), "--detach", "--json", XDG_STATE_HOME=state)
    run_id = left.document["run_id"]
    (worker,) = re.findall(r"process (\d+)", left.err)
    until(lambda: not is_alive(int(worker)))
    paused = there.call("runs", "show", run_id, "--json").document

    assert (left.code, left.document["status"], paused["status"]) == (0, "queued", "paused")
    assert (there.folder / "log").read_text() == "once\n"
    assert f"run {run_id} of asks is paused" in (there.folder / "state/tidegate/worker.log").read_text()


def test_without_a_worker_the_run_is_there_and_that_is_said(tidegate: Tidegate) -> None:
    """Here because nothing can be written where a user's state is kept."""
    state = tidegate.file("state", "no folder")
    left = tidegate.call(
        "run", tidegate.file("flow.yaml", ASKS), "--detach", "--json", XDG_STATE_HOME=str(state)
    )

    assert left.code == 1
    assert "No worker could be started" in left.err
    assert tidegate.call("runs", "show", left.document["run_id"], "--json").document["status"] == "queued"


def test_a_store_that_ends_with_the_command_is_refused(tidegate: Tidegate) -> None:
    """Nobody could go on with the run."""
    done = tidegate.call("run", tidegate.file("flow.yaml", ASKS), "--detach", "--store", "memory://")

    assert done.code == 2
    assert "--detach needs a store that is there" in done.err
    assert not (tidegate.folder / "log").exists()
