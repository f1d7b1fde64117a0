"""Rows as a file: nothing is replaced, and no spreadsheet runs what a workflow wrote."""

import csv
import stat
from pathlib import Path

import msgspec
import pytest

from tidegate.model.base import JsonObject
from tidegate.tui.host.row_files import export, export_problem
from tidegate.tui.query.saved import KeptList, SavedFilters
from tidegate.tui.state import State

ROWS: list[JsonObject] = [
    {"run_id": "4f2a", "workflow": "=cmd()", "done": 50.0, "reason": None},
    {"run_id": "91c0", "workflow": 'a "b", c', "choices": ["x", "y"]},
]


def test_json_lines_are_the_documents(tmp_path: Path) -> None:
    """One a line, readable by their owner only."""
    path = export(tmp_path / "runs.jsonl", ROWS)

    assert [msgspec.json.decode(line) for line in path.read_bytes().splitlines()] == ROWS
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_csv_has_every_name_and_no_formula(tmp_path: Path) -> None:
    """What has no value is empty; what begins like a formula is text."""
    path = export(tmp_path / "runs.csv", ROWS)

    with path.open(newline="") as file:
        head, first, second = csv.reader(file)
    assert head == ["run_id", "workflow", "done", "reason", "choices"]
    assert first == ["4f2a", "'=cmd()", "50.0", "", ""]
    assert second == ["91c0", 'a "b", c', "", "", '["x","y"]']


def test_a_file_that_is_there_is_never_replaced(tmp_path: Path) -> None:
    """Neither when one is asked for its name, nor if it came up meanwhile."""
    there = tmp_path / "runs.jsonl"
    there.write_text("mine")

    assert "is not replaced" in export_problem(str(there))
    with pytest.raises(FileExistsError):
        export(there, ROWS)
    assert there.read_text() == "mine"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("", "needs a name"),
        ("runs.txt", ".jsonl"),
        ("nowhere/runs.csv", "no folder"),
        ("a\0b.csv", "no name"),
    ],
)
def test_a_name_that_will_not_do_is_told_why(name: str, words: str) -> None:
    """Before anything is written."""
    assert words in export_problem(name)


def test_what_is_kept_of_a_list_is_there_after_the_next_start(tmp_path: Path) -> None:
    """And what somebody else put there is as if nothing were."""
    path = tmp_path / "monitor.json"
    state = State(path)
    SavedFilters(state).keep("runs", filters={"bad ones": "status:failed"}, sort="took")
    SavedFilters(state).keep("runs", is_reversed=True)
    state.save()

    kept = SavedFilters(State(path)).of("runs")
    assert kept == KeptList(filters={"bad ones": "status:failed"}, sort="took", is_reversed=True)
    assert SavedFilters(State(path)).of("inbox") == KeptList()
    state.put("list.runs", {"filters": ["no", "mapping"]})
    assert SavedFilters(state).of("runs") == KeptList()
