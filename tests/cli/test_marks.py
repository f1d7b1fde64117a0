"""`tidegate checkpoints label | mark`: what people call points of runs, and the points that they name."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from cli.calling import Tidegate
from tidegate.model.ids import RunId

GATED = """
    name: gated
    blocks:
      - {id: before, type: Shell, inputs: {command: "echo before"}}
      - {id: gate, type: ConfirmOperation, depends_on: [before], inputs: {message: "Go?", operation: deploy}}
"""


@pytest.fixture
def tidegate(tmp_path: Path) -> Tidegate:
    """The command, and no store yet."""
    return Tidegate(tmp_path)


@pytest.fixture
def run(tidegate: Tidegate) -> RunId:
    """A run that waits for an answer."""
    return tidegate.runs_of(GATED, {})[0]


def _listed(tidegate: Tidegate, run: RunId) -> dict[str, dict[str, object]]:
    found = tidegate.call("checkpoints", "list", "--run", run, "--json").document["checkpoints"]
    return {checkpoint["checkpoint_id"]: checkpoint for checkpoint in found}


def test_a_label_is_given_and_taken_off(tidegate: Tidegate, run: RunId) -> None:
    """The list shows it, on one line whatever was typed; taken off, it is gone."""
    pause = next(name for name in _listed(tidegate, run) if name.startswith("pause_"))

    given = tidegate.call("checkpoints", "label", pause[:-2], "before the\n  flood", "--json")

    assert (given.code, given.document) == (0, {"checkpoint_id": pause, "label": "before the flood"})
    assert _listed(tidegate, run)[pause]["label"] == "before the flood"
    assert (
        tidegate.call("checkpoints", "label", pause, "--remove").out == f"checkpoint {pause} has no label\n"
    )
    assert _listed(tidegate, run)[pause]["label"] == ""
    assert tidegate.call("checkpoints", "verify", run).code == 0


def test_a_label_needs_nothing_of_the_journal(tidegate: Tidegate, run: RunId) -> None:
    """A checkpoint of a damaged run can be called something, and that is said."""
    pause = next(name for name in _listed(tidegate, run) if name.startswith("pause_"))
    with closing(sqlite3.connect(tidegate.folder / "tidegate.db", isolation_level=None)) as connection:
        connection.execute("UPDATE events SET body = x'00'")

    given = tidegate.call("checkpoints", "label", pause, "damaged")

    assert (given.code, given.out) == (0, f"checkpoint {pause} is called 'damaged'\n")


@pytest.mark.parametrize("words", [[], ["x", "--remove"], ["  "]])
def test_what_is_no_label_is_refused(tidegate: Tidegate, words: list[str]) -> None:
    """Neither nothing, nor two things at once."""
    assert tidegate.call("checkpoints", "label", "chk_x", *words).code == 2


def test_a_checkpoint_is_placed_in_the_past_and_is_one_like_others(tidegate: Tidegate, run: RunId) -> None:
    """It is listed, shows the state of that point, can be pinned, and its run is sound."""
    now = tidegate.call("checkpoints", "mark", run, "--label", "now", "--json").document
    then = tidegate.call("checkpoints", "mark", f"{run}@2", "-l", "then", "--by", "bo", "--json").document
    nowhere = tidegate.call("checkpoints", "mark", f"{run}@999")

    listed = _listed(tidegate, run)
    assert (then["seq"], listed[then["checkpoint_id"]]["metadata"]) == (2, {"by": "bo"})
    assert listed[then["checkpoint_id"]]["completed_blocks"] == 0
    assert (listed[now["checkpoint_id"]]["completed_blocks"], listed[now["checkpoint_id"]]["label"]) == (
        1,
        "now",
    )
    assert tidegate.call("checkpoints", "show", then["checkpoint_id"]).code == 0
    assert tidegate.call("checkpoints", "pin", then["checkpoint_id"]).code == 0
    assert tidegate.call("checkpoints", "verify", run).code == 0
    assert nowhere.code == 7
    assert "has no event 999" in nowhere.err


def test_verify_looks_at_what_was_placed(tidegate: Tidegate, run: RunId) -> None:
    """A point that its run does not have, and a summary that is not that of its point, are damage."""
    mark = tidegate.call("checkpoints", "mark", f"{run}@1", "--json").document["checkpoint_id"]

    for change, said in (
        ("UPDATE checkpoints SET seq = 9 WHERE checkpoint_id = ?", "is not listed as its journal has it"),
        ("UPDATE checkpoints SET seq = 99 WHERE checkpoint_id = ?", "is at event 99"),
    ):
        with closing(sqlite3.connect(tidegate.folder / "tidegate.db", isolation_level=None)) as connection:
            connection.execute(change, (mark,))
        done = tidegate.call("checkpoints", "verify", run)
        assert done.code == 1
        assert f"checkpoint {mark} {said}" in done.out


def test_a_repaired_store_has_the_labels_and_what_was_placed(tidegate: Tidegate, run: RunId) -> None:
    """Also the pin of one."""
    pause = next(name for name in _listed(tidegate, run) if name.startswith("pause_"))
    mark = tidegate.call("checkpoints", "mark", f"{run}@2", "-l", "then", "--json").document["checkpoint_id"]
    tidegate.call("checkpoints", "pin", mark)
    tidegate.call("checkpoints", "label", pause, "the question")
    before = _listed(tidegate, run)

    repaired = tidegate.call("doctor", "--repair", "--json")

    assert repaired.code == 0
    assert repaired.document["faults"] == []
    tidegate.environ["TIDEGATE_STORE"] = repaired.document["copy"]
    assert _listed(tidegate, run) == before


def test_clear_can_keep_some(tidegate: Tidegate) -> None:
    """The newest of each workflow, or what has ended not long ago, whatever is kept otherwise."""
    for _ in range(3):
        tidegate.runs_of("name: quick\nblocks:\n  - {id: a, type: Shell, inputs: {command: 'true'}}\n", {})

    young = tidegate.call("checkpoints", "clear", "quick", "--older-than", "1h", "--yes", "--json")
    two = tidegate.call("checkpoints", "clear", "--all", "--keep", "1", "--yes", "--json")

    assert (young.code, two.code) == (0, 0)
    assert len(tidegate.call("runs", "list", "--all", "--json").document["runs"]) == 1
    assert young.document["removed"] == 0
