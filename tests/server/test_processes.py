"""Servers of `tidegate mcp` beside each other, one after the other, and how they end."""

import json
import signal
import subprocess
import threading
from pathlib import Path

import pytest
from mcp.types import CallToolResult

from server.clients import (
    PATIENCE,
    Connection,
    by_hand,
    command,
    decline,
    fields,
    lay_out,
    request,
    wait_for_checkpoint,
    written,
)


def test_of_two_clients_that_answer_one_wins(tmp_path: Path) -> None:
    """The other is told who was faster; what hangs on the answer is done once."""
    log = lay_out(tmp_path) / "log"
    with (
        Connection(tmp_path) as client,
        Connection(tmp_path, mode="legacy", elicitation_callback=decline) as other,
    ):
        paused = client.ask("execute_workflow", workflow="gate")
        asks = paused["checkpoint_id"]
        declined = other.ask("answer_pause", pause_id=asks)
        results: list[CallToolResult] = []
        threads = [
            threading.Thread(
                target=lambda who=who, said=said: results.append(
                    who.call("answer_pause", pause_id=asks, value=said)
                )
            )
            for who, said in ((client, "yes"), (other, "no"))
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE)

    assert (declined["status"], declined["message"]) == (
        "paused",
        "The user gave no answer - the question stays open",
    )
    [lost] = [result for result in results if result.is_error]
    assert fields(lost)["code"] == "already_answered"
    assert fields(lost)["answered_by"]
    ended = fields(next(result for result in results if not result.is_error))
    assert ended["outputs"]["shipped"] == log.exists()
    assert not log.exists() or log.read_text() == "gone\n"


def test_a_server_that_is_killed_is_followed_by_another(tmp_path: Path) -> None:
    """What it was at goes on there, from where it was."""
    lay_out(tmp_path)
    with by_hand(tmp_path) as server:
        request(server, 2, "tools/call", name="execute_workflow", arguments={"workflow": "slow"})
        wait_for_checkpoint(server)
        server.kill()
    with Connection(tmp_path) as client:
        [run] = client.ask("list_runs", workflow_name="slow")["runs"]
        done = client.ask("get_run", run_id=run["run_id"], wait_seconds=PATIENCE)

    assert done["status"] == "success"
    assert (tmp_path / "slow").read_text() == "first\nlast\n"


def test_an_interrupted_run_goes_on_though_a_question_of_it_is_open(tmp_path: Path) -> None:
    """One branch asks, another was at work when its server ended: that goes on, and the question stays open."""
    lay_out(tmp_path)
    with by_hand(tmp_path) as server:
        request(server, 2, "tools/call", name="execute_workflow", arguments={"workflow": "both"})
        wait_for_checkpoint(server, kind="pause")
        written(server).close()
        assert server.wait(PATIENCE) == 0
    (tmp_path / "go").touch()
    with Connection(tmp_path) as client:
        [run] = client.ask("list_runs", workflow_name="both")["runs"]
        again = client.ask("resume_workflow", checkpoint_id=run["run_id"])
        missing = client.refused("resume_workflow", checkpoint_id=run["run_id"])

    assert run["status"] == "interrupted"
    assert (again["status"], again["prompt"]) == ("paused", "Go?")
    assert (tmp_path / "both").read_text() == "worked\n"
    assert missing["code"] == "missing_llm_response"


@pytest.mark.parametrize("ending", ["closed", signal.SIGTERM])
def test_a_server_ends_in_order(tmp_path: Path, ending: str | signal.Signals) -> None:
    """Though a call waits and the client says nothing: what runs is stopped, recorded, and can go on."""
    lay_out(tmp_path)
    with by_hand(tmp_path) as server:
        request(server, 2, "tools/call", name="execute_workflow", arguments={"workflow": "slow"})
        wait_for_checkpoint(server)
        if isinstance(ending, signal.Signals):
            server.send_signal(ending)
        else:
            written(server).close()
        code = server.wait(PATIENCE)
    listed = subprocess.run(
        [*command(tmp_path)[:-1], "runs", "list", "--json"], check=True, capture_output=True, text=True
    )

    assert code == 0
    [run] = json.loads(listed.stdout)["runs"]
    assert run["status"] == "interrupted"
    assert (tmp_path / "slow").read_text() == "first\n"
