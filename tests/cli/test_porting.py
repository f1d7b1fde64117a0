"""`tidegate checkpoints export | import`: runs that leave a store as files, come into another one, or become tests."""

import json
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from cli.calling import Tidegate
from tidegate.model.ids import RunId

GATED = """
    name: gated
    blocks:
      - {id: before, type: Shell, inputs: {command: "echo before >> log"}}
      - {id: gate, type: ConfirmOperation, depends_on: [before], inputs: {message: "Go?", operation: deploy}}
      - {id: after, type: Shell, depends_on: [gate], inputs: {command: "echo after >> log; echo oops >&2; exit 3"}}
"""


@pytest.fixture
def tidegate(tmp_path: Path) -> Tidegate:
    """The command, and no store yet."""
    return Tidegate(tmp_path)


@pytest.fixture
def run(tidegate: Tidegate) -> RunId:
    """A run that waits for an answer."""
    return tidegate.runs_of(GATED, {})[0]


@pytest.fixture
def other(tmp_path: Path) -> Tidegate:
    """The command, with another store."""
    return Tidegate(tmp_path, {"TIDEGATE_STORE": f"file://{tmp_path}/other"})


def test_a_run_goes_to_another_store_and_on(tidegate: Tidegate, other: Tidegate, run: RunId) -> None:
    """Checked first without writing anything; held, then let go on, and answered there."""
    made = tidegate.call("checkpoints", "export", run[:6], "--json")
    name = made.document["file"]
    dry = other.call("checkpoints", "import", name, "--dry-run", "--json")
    came = other.call("checkpoints", "import", name)
    again = other.call("checkpoints", "import", name, "--json")

    assert (made.code, dry.code, came.code, again.code) == (0, 0, 0, 0)
    assert name == f"{run}.json"
    assert dry.document["runs"] == [
        {"run_id": run, "arrival": "new", "events": made.document["seq"], "held": True}
    ]
    assert came.out == f"run {run}: {made.document['events']} events, imported, held\n"
    assert f"tidegate runs unpause {run}" in came.err
    assert again.document["runs"][0]["arrival"] == "there"
    assert other.call("runs", "unpause", run).code == 3
    assert other.call("answer", run, "yes").code == 1
    assert other.call("checkpoints", "verify").code == 0


def test_what_is_there_is_not_replaced_by_chance(tidegate: Tidegate, run: RunId) -> None:
    """A file, whatever it is; --force says that it is meant. Nothing else is left in the folder."""
    assert tidegate.call("checkpoints", "export", run, "x.json").code == 0
    before = (tidegate.folder / "x.json").read_bytes()
    refused = tidegate.call("checkpoints", "export", run, "x.json")

    assert refused.code == 2
    assert "x.json is there already, and stays as it is. Say --force" in refused.err
    assert (tidegate.folder / "x.json").read_bytes() == before
    assert tidegate.call("checkpoints", "export", run, "x.json", "--force").code == 0
    assert not list(tidegate.folder.glob(".*"))
    assert (tidegate.folder / "x.json").stat().st_mode & 0o77 == 0


def test_an_export_can_go_through_a_pipe(tidegate: Tidegate, run: RunId) -> None:
    """Nothing but the document is on standard output; without output of commands it is in it nowhere."""
    whole = tidegate.call("checkpoints", "export", run, "-")
    without = tidegate.call("checkpoints", "export", f"{run}@2", "-", "--no-output")

    assert whole.document["run_id"] == run
    assert (without.document["seq"], without.document["output"]) == (2, [])


def test_a_second_run_beside_the_first(tidegate: Tidegate, run: RunId) -> None:
    """Under ids of its own."""
    tidegate.call("checkpoints", "export", run, "--parts", "parts")
    done = tidegate.call("checkpoints", "import", "parts", "--as-new", "--json")

    new = done.document["runs"][0]["run_id"]
    assert new != run
    assert {it["run_id"] for it in tidegate.call("runs", "list", "--all", "--json").document["runs"]} == {
        run,
        new,
    }


def test_what_is_no_export_is_refused(tidegate: Tidegate, run: RunId) -> None:
    """With exit code 2 and a place, and the store is as it was; there is not even one if there was none."""
    tidegate.call("checkpoints", "export", run, "x.json")
    document = json.loads((tidegate.folder / "x.json").read_text())
    document["runs"][0]["events"][2]["at"] = "yesterday"
    tidegate.file("bad.json", json.dumps(document))
    elsewhere = {"TIDEGATE_STORE": f"sqlite://{tidegate.folder}/none.db"}

    bad = tidegate.call("checkpoints", "import", "bad.json", "--json", **elsewhere)
    none = tidegate.call("checkpoints", "import", "nowhere.json")

    assert (bad.code, bad.error_type, none.code) == (2, "BadExport", 2)
    assert "bad.json: runs[0].events[2].at: Expected `float`, got `str`. Nothing was imported" in bad.err
    assert not (tidegate.folder / "none.db").exists()


MANY = """
    name: many
    blocks:
      - {id: each, type: Template, for_each: [ITEMS], inputs: {template: "item ${item}"}}
      - {id: gate, type: ConfirmOperation, depends_on: [each], inputs: {message: "Go?", operation: deploy}}
""".replace("ITEMS", ", ".join(f"'{number}'" for number in range(1_200)))


def _events(path: Path) -> int:
    """Return how many events there are in a store, as another process finds it."""
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
            return int(connection.execute("SELECT count(*) FROM events").fetchone()[0])
    except sqlite3.OperationalError:
        return 0


def test_an_import_that_was_killed_goes_on(tidegate: Tidegate) -> None:
    """Wherever that was: nobody drives what is not all there, and importing again brings the rest."""
    (run,) = tidegate.runs_of(MANY, {})
    made = tidegate.call("checkpoints", "export", run, "x.json", "--json").document
    other = Tidegate(tidegate.folder, {"TIDEGATE_STORE": f"sqlite://{tidegate.folder}/other.db"})
    for part in (0.0, 0.2, 0.4):
        process = other.start("checkpoints", "import", "x.json")
        while process.poll() is None and _events(tidegate.folder / "other.db") <= part * made["events"]:
            time.sleep(0.001)
        process.kill()
        other.end(process)

    broken = _events(tidegate.folder / "other.db")
    with closing(sqlite3.connect(tidegate.folder / "other.db")) as connection:
        ((status, until),) = connection.execute("SELECT status, lease_until FROM runs").fetchall()
    done = other.call("checkpoints", "import", "x.json")

    assert 0 < broken < made["events"]
    assert (status, until > 4e9) == ("running", True)
    assert (
        done.out
        == f"run {run}: {made['events']:,} events, imported, from where an earlier import broke off, held\n"
    )
    assert other.call("checkpoints", "verify").code == 0
    assert other.call("runs", "unpause", run).code == 3


def _pytest(folder: Path) -> tuple[int, str]:
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "--noconftest",
            "-c",
            "/dev/null",
            "tests",
        ],
        cwd=folder,
        check=False,
        capture_output=True,
        text=True,
        timeout=100,
    )
    return done.returncode, done.stdout + done.stderr


def test_an_incident_becomes_a_regression_test(tidegate: Tidegate) -> None:
    """It passes with the workflow as it was, does nothing, and fails with a sentence once that does otherwise."""
    workflow = tidegate.file("gated.yaml", GATED)
    run = tidegate.call("run", "gated.yaml", "--json").document["run_id"]
    tidegate.call("answer", run, "yes")
    log = (tidegate.folder / "log").read_text()

    made = tidegate.call("checkpoints", "export", run, "--as-test", "tests/test_gated.py")
    passed = _pytest(tidegate.folder)
    text = workflow.read_text()
    workflow.write_text(
        text.replace("depends_on: [gate],", 'depends_on: [gate], condition: "${gate.confirmed} == false",')
    )
    failed = _pytest(tidegate.folder)

    assert made.out == "tests/test_gated.py replays tests/test_gated.recording.json through gated.yaml\n"
    assert passed[0] == 0, passed[1]
    assert "1 passed" in passed[1]
    assert failed[0] == 1
    assert "block 'after' is skipped, and was failed in the recording (exit code 3" in failed[1]
    assert "the run is succeeded, and was failed in the recording" in failed[1]
    assert (tidegate.folder / "log").read_text() == log
    source = (tidegate.folder / "tests" / "test_gated.py").read_text()
    assert 'WORKFLOW = HERE / "../gated.yaml"' in source
    assert '    assert replayed.questions == (\n        "gate: Go?",\n    )\n' in source


EAGER = """
    name: eager
    schedule: eager
    blocks:
      - {id: a, type: Shell, inputs: {command: "sleep 0.3"}}
      - {id: b, type: Shell, inputs: {command: "true"}}
      - {id: ga, type: GetInput, depends_on: [a], inputs: {prompt: "A?"}}
      - {id: gb, type: GetInput, depends_on: [b], inputs: {prompt: "B?"}}
"""


def test_a_test_passes_however_long_the_work_took(tidegate: Tidegate) -> None:
    """What was asked second is asked first in a replay: the questions are told by place."""
    tidegate.file("eager.yaml", EAGER)
    run = tidegate.call("run", "eager.yaml", "--json").document["run_id"]

    tidegate.call("checkpoints", "export", run, "--as-test", "tests/test_eager.py")

    source = (tidegate.folder / "tests" / "test_eager.py").read_text()
    assert '(\n        "ga: A?",\n        "gb: B?",\n    )' in source
    passed = _pytest(tidegate.folder)
    assert passed[0] == 0, passed[1]


SHIPPED = """
    name: shipped
    inputs: {env: {type: string, default: dev}}
    blocks:
      - {id: build, type: Shell, inputs: {command: "echo built"}}
      - {id: gate, type: ConfirmOperation, depends_on: [build], inputs: {message: "Ship to ${inputs.env}?", operation: ship}}
      - {id: ship, type: Shell, depends_on: [gate], inputs: {command: "echo ${inputs.env}"}}
"""


def test_a_fork_with_other_inputs_is_a_test_if_what_stays_has_not_used_them(tidegate: Tidegate) -> None:
    """Else it is none, and nothing is written: it would fail at birth."""
    tidegate.file("shipped.yaml", SHIPPED)
    run_id = tidegate.call("run", "shipped.yaml", "--json").document["run_id"]
    asked = tidegate.call("checkpoints", "list", "-r", run_id, "--json").document["checkpoints"][0]
    tidegate.call("answer", run_id, "yes")
    edit = ("--set", "inputs.env=prod", "--json")
    late = tidegate.call("checkpoints", "fork", run_id, *edit).document["run_id"]
    early = tidegate.call("checkpoints", "fork", asked["checkpoint_id"], *edit).document["run_id"]
    assert tidegate.call("answer", early, "yes").code == 0

    refused = tidegate.call("checkpoints", "export", late, "--as-test", "tests/test_late.py")
    made = tidegate.call("checkpoints", "export", early, "--as-test", "tests/test_early.py")

    assert (refused.code, made.code) == (1, 0)
    assert f"run {late} can be no test: " in refused.err
    assert (
        "'gate' asks 'Ship to prod?' (confirm), and 'Ship to dev?' (confirm) in the recording" in refused.err
    )
    assert "A fork keeps what had ended before it, as it was with the inputs" in refused.err
    assert not (tidegate.folder / "tests" / "test_late.py").exists()
    passed = _pytest(tidegate.folder)
    assert passed[0] == 0, passed[1]


def test_a_fork_says_in_another_store_what_it_was_forked_from(
    tidegate: Tidegate, other: Tidegate, run: RunId
) -> None:
    """And whether that is there: a comparison with it says why there is none, until it is imported as well."""
    fork = tidegate.call("checkpoints", "fork", run, "--json").document["run_id"]
    head = tidegate.call("runs", "show", fork, "--json").document["forked_from"]["seq"]
    for it in (run, fork):
        tidegate.call("checkpoints", "export", it)

    other.call("checkpoints", "import", f"{fork}.json")
    alone = other.call("runs", "show", fork)
    refused = other.call("checkpoints", "diff", fork, "--with", "parent")
    other.call("checkpoints", "import", f"{run}.json")
    both = other.call("runs", "show", fork)
    compared = other.call("checkpoints", "diff", fork, "--with", "fork-point")

    assert f"fork of   run {run} from event {head}, which is not in this store" in alone.out
    assert refused.code != 0
    assert f"was forked from run {run} at event {head}, and that run is not in this store" in refused.err
    assert f"fork of   run {run} from event {head}\n" in both.out
    assert compared.code == 0
    assert f"--- {run}@{head}  gated" in compared.out


def test_a_test_brings_a_workflow_whose_file_is_gone(tidegate: Tidegate) -> None:
    """As it was when the run was started. Which is tested can be said."""
    tidegate.file("gated.yaml", GATED)
    again = tidegate.call("run", "gated.yaml", "--json").document["run_id"]
    (tidegate.folder / "gated.yaml").rename(tidegate.folder / "moved.yaml")

    brought = tidegate.call("checkpoints", "export", again, "--as-test", "tests/test_a.py", "--json")
    named = tidegate.call(
        "checkpoints", "export", again, "--as-test", "tests/test_b.py", "-w", "moved.yaml", "--json"
    )

    assert brought.document["workflow"] == "tests/gated.yaml"
    assert named.document["workflow"] == "moved.yaml"
    assert _pytest(tidegate.folder)[0] == 0


@pytest.mark.parametrize("file", ["-", "tests/test_x.txt", "test_x"])
def test_a_test_is_a_python_file(tidegate: Tidegate, run: RunId, file: str) -> None:
    """Anything else is refused, and nothing is written: no file named like standard output, none that nobody finds."""
    before = set(tidegate.folder.iterdir())

    refused = tidegate.call("checkpoints", "export", run, "--as-test", file)

    assert refused.code == 2
    assert "a test is a Python file" in refused.err
    assert set(tidegate.folder.iterdir()) == before


def test_what_pytest_does_not_find_by_itself_is_said(tidegate: Tidegate) -> None:
    """And that a folder was made for it."""
    tidegate.file("gated.yaml", GATED)
    run = tidegate.call("run", "gated.yaml", "--json").document["run_id"]

    odd = tidegate.call("checkpoints", "export", run, "--as-test", "checks/gated.py", "--json")
    plain = tidegate.call("checkpoints", "export", run, "--as-test", "checks/gated_test.py")

    assert odd.document["test"] == "checks/gated.py"
    assert odd.err.splitlines() == [
        "the folder checks was not there: it was made",
        "pytest finds test_*.py and *_test.py by itself; this one has to be named: pytest checks/gated.py",
    ]
    assert plain.err == ""


@pytest.mark.parametrize(
    "words",
    [["x.json", "--parts", "d"], ["--as-test", "t.py", "--parts", "d"], ["-w", "/dev/null"], ["-", "--json"]],
)
def test_what_does_not_go_together_is_refused(tidegate: Tidegate, run: RunId, words: list[str]) -> None:
    """Before anything is read."""
    assert tidegate.call("checkpoints", "export", run, *words).code == 2
