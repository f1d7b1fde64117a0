"""The tools of `tidegate mcp`, as clients meet them: the package's own client, a real process, a real store."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from server.clients import WORKFLOWS, Connection, command, fields, fill_in, lay_out, text
from tidegate.server.refusals import CODES, OTHER

PAPER = Path(__file__).parents[2] / "docs/mcp.md"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with workflows, and a store that every test of this file uses."""
    return lay_out(tmp_path_factory.mktemp("mcp"))


@pytest.fixture(scope="module")
def client(folder: Path) -> Iterator[Connection]:
    """A client whose user answers what it is asked."""
    with Connection(folder, elicitation_callback=fill_in) as connection:
        yield connection


# -- the scenarios of the tools' first document -----------------------------------------------------


def test_a_run_goes_on_from_an_automatic_checkpoint(client: Connection) -> None:
    """What failed is tried again; what had ended is not."""
    failed = client.ask("execute_workflow", workflow="plain")
    (client.folder / "fine").touch()
    again = client.ask("resume_workflow", checkpoint_id=failed["checkpoint_id"])

    assert (failed["status"], again["status"]) == ("failure", "success")
    assert failed["message"] == "Workflow execution failed"
    assert "block 'two'" in failed["error"]
    assert (client.folder / "plain").read_text() == "1\n"


def test_a_paused_run_goes_on_with_an_answer(client: Connection) -> None:
    """The result has the fields that tools for such servers know."""
    paused = client.ask("execute_workflow", workflow="gate", inputs={"who": "Ana"})
    done = client.ask("resume_workflow", checkpoint_id=paused["checkpoint_id"], llm_response="yes")

    assert paused["status"] == "paused"
    assert paused["checkpoint_id"].startswith("pause_")
    assert paused["prompt"] == "Go, Ana?"
    assert paused["message"] == "Workflow paused - use resume_workflow to continue"
    assert (done["status"], done["outputs"]) == ("success", {"shipped": True})
    assert done["message"] == "Workflow completed successfully"


@pytest.mark.parametrize("target", ["chk_nothing", "pause_nothing"])
def test_what_is_not_there_cannot_be_resumed(client: Connection, target: str) -> None:
    """And the sentence says why that may be."""
    told = client.refused("resume_workflow", checkpoint_id=target, llm_response="yes")

    assert told["code"] == "not_found"
    assert told["error"] == f"Checkpoint {target} not found. It may have expired or been deleted."


def test_checkpoints_are_listed_all_or_of_one_workflow_with_their_kind(client: Connection) -> None:
    """A question is told apart from what is only there to go on from."""
    paused = client.ask("execute_workflow", workflow="gate")
    client.ask("execute_workflow", workflow="plain")
    everything = client.ask("list_checkpoints")
    of_gate = client.ask("list_checkpoints", workflow_name="gate")["checkpoints"]

    assert everything["total"] == len(everything["checkpoints"]) > len(of_gate)
    assert {entry["workflow"] for entry in everything["checkpoints"]} >= {"gate", "plain"}
    assert {entry["workflow"] for entry in of_gate} == {"gate"}
    [asking] = [entry for entry in of_gate if entry["checkpoint_id"] == paused["checkpoint_id"]]
    assert (asking["type"], asking["is_paused"], asking["pause_prompt"]) == ("pause", True, "Go, you?")
    automatic = [entry for entry in of_gate if entry["type"] == "automatic"]
    assert automatic
    assert not any(entry["is_paused"] for entry in automatic)


def test_a_checkpoint_says_how_far_its_run_was(client: Connection) -> None:
    """Progress counts blocks; values of the run are not spread."""
    paused = client.ask("execute_workflow", workflow="gate", inputs={"who": "hush"})
    info = client.ask("get_checkpoint_info", checkpoint_id=paused["checkpoint_id"])

    assert info["found"]
    assert (info["workflow_name"], info["paused_block_id"]) == ("gate", "gate")
    assert info["completed_blocks"] == ["build"]
    assert (info["current_wave"], info["total_waves"]) == (1, 3)
    assert info["progress_percentage"] == pytest.approx(33.3, abs=0.1)
    assert "runtime_inputs" not in info


def test_of_a_checkpoint_that_is_not_there_nothing_is_said(client: Connection) -> None:
    """`found` is for programs, the sentence for everybody else."""
    told = client.refused("get_checkpoint_info", checkpoint_id="chk_nothing")

    assert told["found"] is False
    assert "chk_nothing not found" in told["error"]


def test_a_checkpoint_is_deleted_once(client: Connection) -> None:
    """Its history stays; that of an open question stays altogether."""
    paused = client.ask("execute_workflow", workflow="gate")
    [mark, *_] = [
        entry["checkpoint_id"]
        for entry in client.ask("list_checkpoints", run_id=paused["run_id"])["checkpoints"]
        if not entry["is_paused"]
    ]

    assert client.ask("delete_checkpoint", checkpoint_id=mark) == {
        "deleted": True,
        "checkpoint_id": mark,
        "message": "Checkpoint deleted successfully",
    }
    assert client.refused("delete_checkpoint", checkpoint_id=mark)["code"] == "not_found"
    in_use = client.refused("delete_checkpoint", checkpoint_id=paused["checkpoint_id"])
    assert (in_use["deleted"], in_use["code"]) == (False, "in_use")


def test_a_server_without_a_store_says_so_and_ends(tmp_path: Path) -> None:
    """In a sentence on standard error; standard output stays the protocol's."""
    (tmp_path / "store.db").mkdir()
    done = subprocess.run(
        command(tmp_path), check=False, capture_output=True, text=True, stdin=subprocess.DEVNULL
    )

    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith("tidegate: store sqlite:///")
    assert "Traceback" not in done.stderr


# -- refusals ---------------------------------------------------------------------------------------


def test_refusals_have_a_word_and_a_sentence(client: Connection) -> None:
    """A question needs an answer, an answer a question, and a workflow has to be there."""
    paused = client.ask("execute_workflow", workflow="gate")
    asks = paused["checkpoint_id"]
    missing = client.refused("resume_workflow", checkpoint_id=asks)
    wrong = client.refused("resume_workflow", checkpoint_id=asks, llm_response="perhaps")
    unknown = client.refused("execute_workflow", workflow="../../etc/passwd")
    ended = client.ask("resume_workflow", checkpoint_id=asks, llm_response=True)
    other = client.ask("execute_workflow", workflow="plain")
    unasked = client.refused("resume_workflow", checkpoint_id=other["checkpoint_id"], llm_response="yes")
    over = client.refused("resume_workflow", checkpoint_id=ended["run_id"])

    assert missing["code"] == "missing_llm_response"
    assert f"{asks} is paused - llm_response parameter required. Pause prompt: Go, you?" in missing["error"]
    assert wrong["code"] == "invalid_response"
    assert "yes or no" in wrong["error"]
    assert unknown["code"] == "workflow_not_found"
    assert "Available workflows: both, broken.yaml, form, gate, plain, slow" in unknown["error"]
    assert unasked["code"] == "not_interactive"
    assert over["code"] == "invalid_resume"
    assert over["error"].startswith(f"Cannot resume checkpoint {ended['run_id']}: ")


@pytest.mark.skipif(
    not PAPER.exists(), reason="the tests run against a wheel, beside which there are no papers"
)
def test_the_paper_has_every_word_of_a_refusal() -> None:
    """And none that does not exist."""
    rows = PAPER.read_text(encoding="utf-8").partition("## Refusals")[2].splitlines()
    words = {word for row in rows for word in re.findall(r"`(\w+)`", row.split("|")[1] if "|" in row else "")}

    assert words == {"code", OTHER, *CODES.values()}


@pytest.mark.skipif(
    not PAPER.exists(), reason="the tests run against a wheel, beside which there are no papers"
)
def test_the_paper_has_every_tool_with_what_it_takes(client: Connection) -> None:
    """As the server tells its clients: no tool and no parameter more or less."""
    section = PAPER.read_text(encoding="utf-8").partition("## The tools")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)` \|(.*?)\|", section, re.MULTILINE)
    told = {name: set(re.findall(r"`(\w+)`", takes)) for name, takes in rows}

    assert told == client.tools()


def test_a_point_that_is_not_there_keeps_its_own_sentence(client: Connection) -> None:
    """It says what there is; nothing has expired."""
    run_id = client.ask("execute_workflow", workflow="plain")["run_id"]
    told = client.refused("diff_checkpoints", left=f"{run_id}@999")

    assert told["code"] == "not_found"
    assert told["error"].startswith(f"run {run_id} has no event 999: it has those from 1 to ")


def test_a_question_that_is_closed_takes_no_answer(client: Connection) -> None:
    """With a value or without one: it is not one that is missing."""
    paused = client.ask("execute_workflow", workflow="gate")
    client.ask("cancel_run", run_id=paused["run_id"], reason="enough")
    valued = client.refused("answer_pause", pause_id=paused["checkpoint_id"], value=True)
    bare = client.refused("answer_pause", pause_id=paused["checkpoint_id"])

    assert valued["code"] == bare["code"] == "invalid_resume"
    assert "takes no answer any more" in valued["error"]
    assert bare["error"] == valued["error"]


def test_an_answered_question_says_who_was_faster(client: Connection) -> None:
    """Also to a call that gives no answer itself."""
    paused = client.ask("execute_workflow", workflow="gate")
    client.ask("answer_pause", pause_id=paused["checkpoint_id"], value=True)
    told = client.refused("answer_pause", pause_id=paused["checkpoint_id"])

    assert (told["code"], told["answer"]) == ("already_answered", "yes")
    assert told["answered_by"]


def test_inputs_are_checked_before_anything_starts(client: Connection) -> None:
    """Every fault is named; no run comes of it."""
    before = client.ask("list_checkpoints")["total"]
    refused = client.refused("execute_workflow", workflow="gate", inputs={"whom": 1, "where": 2})

    assert refused["code"] == "invalid_inputs"
    assert len(refused["problems"]) == 2
    assert "whom" in refused["error"]
    assert client.refused("execute_workflow", workflow="broken.yaml")["faults"][0]["line"] == 3
    assert client.ask("list_checkpoints")["total"] == before


def test_a_workflow_is_checked_by_name_or_as_a_text(client: Connection) -> None:
    """Nothing is run; faults have their place."""
    by_name = client.ask("validate_workflow", workflow="gate")
    as_text = client.ask("validate_workflow", source=WORKFLOWS["broken"])

    assert (by_name["valid"], by_name["workflow"]) == (True, "gate")
    assert (as_text["valid"], as_text["faults"][0]["block"]) == (False, "one")
    assert "did you mean 'Shell'" in as_text["faults"][0]["message"]
    assert "either" in client.refused("validate_workflow")["error"]


def test_workflows_are_listed_with_their_inputs(client: Connection) -> None:
    """One with faults is listed as such."""
    listed = {entry["name"]: entry for entry in client.ask("list_workflows")["workflows"]}

    assert listed["gate"]["inputs"][0] | {"choices": None} == {
        "name": "who",
        "type": "string",
        "required": False,
        "default": "you",
        "choices": None,
        "description": "",
    }
    assert not listed["broken.yaml"]["valid"]


# -- questions --------------------------------------------------------------------------------------


def test_foreign_text_is_safe_in_texts_and_unaltered_in_fields(client: Connection) -> None:
    """A name that clears a screen clears none, and is still that name."""
    name = "\x1b[2Jé\u202e"
    result = client.call("execute_workflow", workflow="gate", inputs={"who": name})

    assert fields(result)["prompt"] == f"Go, {name}?"
    assert "\x1b" not in text(result)
    assert "\u202e" not in text(result)
    assert "é" in text(result)


def test_a_question_is_put_to_the_clients_user(client: Connection) -> None:
    """Only if no value is given; a form field by field."""
    gate = client.ask("execute_workflow", workflow="gate")
    form = client.ask("execute_workflow", workflow="form")
    said = client.ask("answer_pause", pause_id=gate["checkpoint_id"])
    filled = client.ask("answer_pause", pause_id=form["checkpoint_id"])

    assert said["outputs"] == {"shipped": True}
    assert filled["outputs"] == {"who": "Ana M", "where": "west"}


def test_a_run_is_looked_at_forked_compared_and_cancelled(client: Connection) -> None:
    """The whole round, with one run."""
    paused = client.ask("execute_workflow", workflow="gate")
    asks = paused["checkpoint_id"]
    seen = client.ask("get_run", run_id=paused["run_id"])
    planned = client.ask("fork_run", point=asks, changes={"inputs.who": "Bo"}, dry_run=True)
    fork = client.ask("fork_run", point=asks, changes={"inputs.who": "Bo"})
    found = client.ask("diff_checkpoints", left=asks, right=fork["run_id"])
    open_ones = client.ask("list_pauses", run_id=fork["run_id"])
    cancelled = client.ask("cancel_run", run_id=fork["run_id"], reason="enough")

    assert (seen["status"], seen["completed_blocks"], seen["total_blocks"]) == ("paused", 1, 3)
    assert planned["edits"][0]["after"] == "Bo"
    assert fork["prompt"] == "Go, Bo?"
    assert fork["forked_from"]["run_id"] == paused["run_id"]
    assert not found["is_same"]
    assert [entry["prompt"] for entry in open_ones["pauses"]] == ["Go, Bo?"]
    assert (cancelled["status"], cancelled["run_status"]) == ("failure", "cancelled")
    assert client.ask("get_run", run_id=paused["run_id"])["status"] == "paused"
    listed, *_ = client.ask("list_runs", statuses=["cancelled"])["runs"]
    assert (listed["run_id"], listed["status"]) == (fork["run_id"], "cancelled")
