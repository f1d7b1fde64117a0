"""A store in a directory, from the command line: a run is driven to its end, and everybody sees it."""

from pathlib import Path

import pytest

from cli.calling import Tidegate
from store.directories import content, record

GATE = """
    name: gate
    blocks:
      - id: build
        type: Shell
        inputs: {command: "echo built"}
      - id: confirm
        type: ConfirmOperation
        depends_on: [build]
        inputs: {message: "Deploy?", operation: deploy}
      - id: deploy
        type: Shell
        depends_on: [confirm]
        inputs: {command: "echo deployed"}
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Where the store is to be."""
    return tmp_path / "history"


@pytest.fixture
def tidegate(tmp_path: Path, place: Path) -> Tidegate:
    """The command, with its store in a directory."""
    return Tidegate(tmp_path, environ={"TIDEGATE_STORE": f"file://{place}"})


def test_a_run_goes_from_its_start_over_a_question_to_its_end(tidegate: Tidegate, place: Path) -> None:
    """Each command is a process of its own; what they did can be read in the directory."""
    tidegate.file("gate.yaml", GATE)

    started = tidegate.call("run", "gate.yaml", "--json")
    run_id = started.document["run_id"]
    asked = tidegate.call("inbox", "--json").document
    answered = tidegate.call("answer", run_id, "yes")
    resumed = tidegate.call("runs", "resume", run_id, "--json")
    shown = tidegate.call("runs", "show", run_id, "--json").document
    logs = tidegate.call("logs", run_id)

    assert started.code == 3, started.err
    assert [pause["run_id"] for pause in asked["pauses"]] == [run_id]
    assert answered.code == 0, answered.err
    assert shown["status"] == "succeeded", resumed
    assert "deployed" in logs.out
    found = content(place)
    (written,) = (place / "output" / run_id / "deploy" / "1").glob("000000-stdout-*.txt")
    assert written.read_text() == "deployed\n"
    assert any(b'"type": "pause_answered"' in data for data in found.values())
    assert any(name.endswith(".yaml") and b"name: gate" in data for name, data in found.items())


def test_doctor_says_what_it_is(tidegate: Tidegate, place: Path) -> None:
    """Before it is there, when it is, and when it is damaged."""
    before = tidegate.call("doctor")
    looked = tidegate.call("runs", "list")
    assert not place.exists()
    tidegate.file("gate.yaml", GATE)
    tidegate.call("run", "gate.yaml")
    well = tidegate.call("doctor")
    record(place, 2).write_text("{}")
    damaged = tidegate.call("doctor")
    listed = tidegate.call("runs", "list")

    assert "not there yet" in before.out
    assert looked.code != 0
    assert "opens; 1 runs, 1 open pauses" in well.out
    assert f"{place}, " in well.out
    assert "records, drwx------" in well.out
    assert damaged.code == 1
    for told in (damaged.out, listed.err):
        assert "records/00000002.json cannot be read" in told
        assert "put back what is named here" in told
        assert "Traceback" not in told
