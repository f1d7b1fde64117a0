"""What lies beside the journal, damaged: output and values are named where they stand, left out, and never shown as good."""

import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from cli.calling import Tidegate
from tidegate.model.ids import RunId

PRINTS = """
    name: prints
    blocks:
      - {id: before, type: Shell, inputs: {command: "echo fine"}}
      - {id: long, type: Shell, depends_on: [before], inputs: {command: "seq 1 9000; echo oops >&2"}}
      - {id: gate, type: ConfirmOperation, depends_on: [long], inputs: {message: "Go?", operation: deploy}}
"""
NUMBER = "(SELECT run_no FROM runs WHERE run_id = ?)"


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[RunId]]:
    """A store with two runs that wait, with a value and with output."""
    made = Tidegate(tmp_path_factory.mktemp("template"))
    runs = made.runs_of(PRINTS, {}, {})
    return made.folder / "tidegate.db", runs


@pytest.fixture
def tidegate(tmp_path: Path, template: tuple[Path, list[RunId]]) -> Tidegate:
    """The command, with a store of the test's own."""
    shutil.copy(template[0], tmp_path / "tidegate.db")
    return Tidegate(tmp_path)


@pytest.fixture
def runs(template: tuple[Path, list[RunId]]) -> list[RunId]:
    """The two runs."""
    return template[1]


def change(tidegate: Tidegate, statement: str, *values: object) -> None:
    """Change the store behind its back."""
    with closing(sqlite3.connect(tidegate.folder / "tidegate.db", isolation_level=None)) as connection:
        connection.execute(statement, values)


# -- output -----------------------------------------------------------------------------------


@pytest.fixture
def torn(tidegate: Tidegate, runs: list[RunId]) -> RunId:
    """The first run, of which one byte of what it printed has another value."""
    flipped = "CAST(x'46' || substr(data, 2) AS BLOB)"
    change(
        tidegate,
        f"UPDATE output SET data = {flipped} WHERE block = 'before' AND run_no = {NUMBER}",  # noqa: S608
        runs[0],
    )
    return runs[0]


def test_damaged_output_is_named_by_verify(tidegate: Tidegate, torn: RunId, runs: list[RunId]) -> None:
    """Block, attempt, part and stream; the other run is sound, and the journal is good to its end."""
    done = tidegate.call("checkpoints", "verify")
    document = tidegate.call("checkpoints", "verify", "--json").document

    assert done.code == 1
    assert (
        "the output of 'before', attempt 1: part 1 (stdout) is damaged: it is not what was written"
        in done.out
    )
    assert "its journal is good to its end, event " in done.out
    assert f"ok        {runs[1]}" in done.out
    assert [run["ok"] for run in document["runs"]] == [True, False]
    assert [run["output_without_checksum"] for run in document["runs"]] == [0, 0]


def test_damaged_output_is_not_printed_as_if_it_were_good(tidegate: Tidegate, torn: RunId) -> None:
    """A line stands in its place, what is good is printed, and the exit code says it."""
    shown, raw = tidegate.together(["logs", torn], ["logs", torn, "--raw"])
    only = tidegate.call("logs", torn, "long")

    assert (shown.code, raw.code, only.code) == (1, 1, 0)
    assert "Fine" not in shown.out + raw.out
    assert "… a part of this is damaged, and left out: it is not what was written …" in shown.out
    assert shown.out.count("\n9000\n") == raw.out.count("\n9000\n") == 1
    for done in (shown, raw):
        assert f"`tidegate checkpoints verify {torn}` says where" in done.err


def test_damaged_output_is_not_exported_as_if_it_were_good(tidegate: Tidegate, torn: RunId) -> None:
    """The file would give it a digest. Without the output the run can be exported."""
    refused = tidegate.call("checkpoints", "export", torn, "run.json")
    done = tidegate.call("checkpoints", "export", torn, "run.json", "--no-output")

    assert refused.code == 1
    assert f"the output of 'before', attempt 1, of run {torn} is damaged" in refused.err
    assert "--no-output exports all but the output" in refused.err
    assert done.code == 0, done.err
    assert (tidegate.folder / "run.json").exists()


def test_a_repaired_copy_leaves_damaged_output_out_and_counts_it(tidegate: Tidegate, torn: RunId) -> None:
    """The run is whole otherwise; the copy is sound, and has the rest of the output."""
    done = tidegate.call("doctor", "--repair")
    document = tidegate.call("doctor", "--repair", "--json").document

    store = ("--store", f"sqlite://{tidegate.folder}/tidegate.repaired.db")
    assert done.code == 1
    assert re.search(f"whole +{torn}  prints  .*1 part of its output left out: damaged", done.out)
    assert {run["run_id"]: run["output_lost"] for run in document["runs"]}[torn] == 1
    assert tidegate.call("checkpoints", "verify", *store).code == 0
    logs = tidegate.call("logs", torn, *store)
    assert (logs.code, "Fine" in logs.out, "\n9000\n" in logs.out) == (0, False, True)


def test_output_from_before_there_were_checksums_is_read_and_counted(
    tidegate: Tidegate, runs: list[RunId]
) -> None:
    """Nothing tells whether it is damaged, so verify does not call it sound."""
    change(tidegate, "UPDATE output SET crc = NULL")

    done = tidegate.call("checkpoints", "verify", runs[0])
    document = tidegate.call("checkpoints", "verify", runs[0], "--json").document

    assert done.code == 0
    assert re.search(r"Parts of output from before there were checksums: [3-9]\. Whether", done.out)
    assert document["output_without_checksum"] >= 3
    assert tidegate.call("logs", runs[0]).code == 0


# -- values -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "damage",
    ["data = CAST('x' || data AS BLOB)", "data = 'a text'", "data = CAST(x'ff00' AS TEXT)", "codec = 'none'"],
)
def test_a_damaged_value_is_named_where_it_is_used(
    tidegate: Tidegate, runs: list[RunId], damage: str
) -> None:
    """By block, name and event, with the last point before it; the commands that are told work."""
    change(tidegate, f"UPDATE vals SET {damage}")  # noqa: S608

    done = tidegate.call("checkpoints", "verify", runs[0])
    (run,) = tidegate.call("checkpoints", "verify", runs[0], "--json").document["runs"]

    (use,) = run["values"][0]["uses"]
    assert (use["block"], use["kind"], use["name"]) == ("long", "output", "stdout")
    seq = use["event"]
    assert run["usable"] == f"{runs[0]}@{seq - 1}"
    assert f"output 'stdout' of block 'long' (event {seq}): the value " in done.out
    assert f"free of damaged values up to event {seq - 1}, checkpoint chk_" in done.out
    told = re.findall(r"tidegate (checkpoints \w+ \S+)", done.out)
    assert told == [f"checkpoints show {run['usable']}", f"checkpoints fork {run['usable']}"]
    show, fork = (tidegate.call(*command.split()) for command in told)
    assert (show.code, fork.code) == (0, 3), show.err + fork.err
    assert "fine" in show.out


def test_what_needs_a_damaged_value_says_where_to_look(tidegate: Tidegate, runs: list[RunId]) -> None:
    """`show` names what cannot be shown, and the command that says up to where all is well."""
    change(tidegate, "UPDATE vals SET data = CAST('x' || data AS BLOB)")

    shown = tidegate.call("checkpoints", "show", runs[0])
    change(tidegate, "DELETE FROM vals")
    missing = tidegate.call("checkpoints", "show", runs[0])

    assert shown.code == missing.code == 1
    for done, how in ((shown, "damaged"), (missing, "missing")):
        assert "output 'stdout' of block 'long' " in done.err
        assert re.search(rf"of run {runs[0]} cannot be shown: the value [0-9a-f]+ is {how}", done.err)
        assert f"`tidegate checkpoints verify {runs[0]}` says what can be relied on" in done.err


def test_without_its_definition_a_run_has_no_good_point(tidegate: Tidegate, runs: list[RunId]) -> None:
    """No command is told that would not work: without its definition nothing of a run can be shown."""
    change(tidegate, "UPDATE definitions SET body = CAST('{}' AS BLOB)")

    done = tidegate.call("checkpoints", "verify", runs[0])

    assert done.code == 1
    assert "the definition of a run is damaged" in done.out
    assert "checkpoints show" not in done.out
