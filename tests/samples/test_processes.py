"""Samples and files as a person runs them: a process for every word, in any folder."""

import json
import shutil
from pathlib import Path

import pytest

from cli.calling import PATIENCE, Tidegate
from samples.playing import WORKFLOWS
from tidegate.cli.exits import Exit


@pytest.fixture
def tidegate(tmp_path: Path) -> Tidegate:
    """Return the command, in a folder that holds nothing else; temporary files go beside it."""
    folder, temporary = tmp_path / "here", tmp_path / "temporary"
    folder.mkdir()
    temporary.mkdir()
    return Tidegate(folder, {"TMPDIR": str(temporary)})


def test_a_sample_runs_from_any_folder_and_leaves_nothing_there(tidegate: Tidegate) -> None:
    """A name is enough; what a sample writes goes where temporary files go."""
    done = tidegate.call("run", "plan-apply", "--json")

    assert done.code == Exit.PAUSED
    left = [path.name for path in tidegate.folder.iterdir() if not path.name.startswith("tidegate.db")]
    assert left == []
    assert list((tidegate.folder.parent / "temporary").rglob("plan.txt"))


def test_answers_from_one_process_each_add_up(tidegate: Tidegate) -> None:
    """A restart after every question: what was answered stays answered (W02, W06)."""
    run_id = tidegate.call("run", "issue-wizard", "--json").document["run_id"]
    documents = [
        tidegate.call("answer", run_id, raw, "--json").document
        for raw in ("It is slow", "Slow start", "1,3", "this week", "yes")
    ]

    assert [[pause["block"] for pause in document["pauses"]] for document in documents] == [
        ["title"],
        ["labelled"],
        ["urgency"],
        ["preview"],
        [],
    ]
    assert documents[-1]["status"] == "succeeded"
    text = Path(documents[-1]["outputs"]["file"]).read_text()
    assert text.splitlines() == [
        "# Slow start",
        "",
        "It is slow",
        "",
        'labels: ["bug","docs"]; urgency: this week',
    ]


def test_a_question_two_workflows_down_is_answered_in_the_inbox(tidegate: Tidegate) -> None:
    """The inbox tells the two apart, and the answer reaches the one that was named (W20)."""
    run_id = tidegate.call("run", "wave-rollout", "--json").document["run_id"]
    inbox = tidegate.call("inbox", "--json").document["pauses"]
    asked = {pause["prompt"]: pause["pause_id"] for pause in inbox}
    tidegate.call("answer", asked["Sync shop-us in wave shops?"], "yes")
    left = tidegate.call("inbox", "--json").document["pauses"]
    tidegate.call("answer", run_id, "yes")
    done = tidegate.call("runs", "show", run_id, "--json").document

    assert set(asked) == {"Sync shop-us in wave shops?", "Sync shop-eu in wave shops?"}
    assert [pause["prompt"] for pause in left] == ["Sync shop-eu in wave shops?"]
    assert done["status"] == "succeeded"
    assert done["outputs"] == {"summary": "succeeded: 2 of 2 waves; failures: []"}


def test_fields_of_a_form_are_given_one_by_one(tidegate: Tidegate) -> None:
    """Text from a command line becomes the field's type (W10)."""
    run_id = tidegate.call("run", "settings-form", "--json").document["run_id"]
    wrong = tidegate.call("answer", run_id, "--field", "size=small", "--field", "replicas=none", "--json")
    done = tidegate.call("answer", run_id, "-f", "size=large", "-f", "replicas=3", "-f", "note=", "--json")

    assert wrong.code == Exit.USAGE
    assert "replicas" in wrong.err
    settings = {"size": "large", "replicas": 3, "canary": False, "share": 0.5, "note": ""}
    assert done.document["outputs"]["settings"] == settings
    assert json.loads(Path(done.document["outputs"]["file"]).read_text()) == settings


def test_a_restart_in_the_middle_of_a_backoff_goes_on_counting(tidegate: Tidegate) -> None:
    """Killed between two attempts: the third is the third, under the same key (W17)."""
    shutil.copy(WORKFLOWS / "backoff.yaml", tidegate.folder)
    process = tidegate.start("run", "backoff.yaml")
    assert process.stdout is not None
    while b"retry in" not in process.stdout.readline():
        assert process.poll() is None
    process.kill()
    process.communicate(timeout=PATIENCE)
    done = tidegate.call("resume", "backoff", "--json")

    assert (done.code, done.document["status"]) == (Exit.SUCCEEDED, "succeeded")
    attempts = [line.split() for line in (tidegate.folder / "log").read_text().splitlines()]
    assert [number for number, _ in attempts] == ["1", "2", "3"]
    assert len({key for _, key in attempts}) == 1


TYPOS = """
name: typos
inputs:
  auto-approve: {type: boolean, default: false}
blocks:
  - id: plan
    type: Shell
    inputs: {command: "true"}
    outputs: {has-changes: "${plan.stdout}"}
  - id: apply
    type: Shell
    depends_on: [plan]
    condition: "${plan.has_changes} == 'true'"
    inputs: {comand: "true"}
  - id: auto
    type: Shell
    dependson: [plan]
    condition: "${auto_approve}"
    inputs: {command: "true"}
"""


def test_all_typos_of_a_file_are_told_at_once_and_nothing_runs(tidegate: Tidegate) -> None:
    """A declared name that is read under another one is no silent empty text (W29)."""
    tidegate.file("typos.yaml", TYPOS)
    done = tidegate.call("run", "typos.yaml")

    assert done.code == Exit.USAGE
    for word in ("has-changes", "auto-approve", "command", "depends_on"):
        assert f"did you mean '{word}'" in done.err, done.err
    places = {line.split(":")[1] for line in done.err.splitlines() if line.startswith("typos.yaml:")}
    assert places == {"12", "13", "16", "17"}
    assert [path.name for path in tidegate.folder.iterdir()] == ["typos.yaml"]
