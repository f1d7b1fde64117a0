"""`tidegate checkpoints verify`, and `tidegate doctor --repair`: what is damaged, and what can be saved of it."""

import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from cli.calling import Tidegate
from tidegate.model.ids import RunId

GATED = """
    name: gated
    inputs: {note: {type: string}}
    blocks:
      - {id: before, type: Shell, inputs: {command: "seq 1 9000"}}
      - {id: gate, type: ConfirmOperation, depends_on: [before], inputs: {message: "${note}?", operation: deploy}}
      - {id: after, type: Shell, depends_on: [gate], inputs: {command: "echo after"}}
"""


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[RunId]]:
    """A store with three runs that wait for an answer, with an output that lies beside the journal."""
    made = Tidegate(tmp_path_factory.mktemp("template"))
    runs = made.runs_of(GATED, {"note": "one"}, {"note": "two"}, {"note": "three"})
    return made.folder / "tidegate.db", runs


@pytest.fixture
def tidegate(tmp_path: Path) -> Tidegate:
    """The command, and no store yet."""
    return Tidegate(tmp_path)


@pytest.fixture
def runs(tidegate: Tidegate, template: tuple[Path, list[RunId]]) -> list[RunId]:
    """The three runs, in a store of the test's own."""
    shutil.copy(template[0], tidegate.folder / "tidegate.db")
    return template[1]


def change(tidegate: Tidegate, statement: str, *values: object) -> None:
    """Change the store behind its back."""
    with closing(sqlite3.connect(tidegate.folder / "tidegate.db", isolation_level=None)) as connection:
        connection.execute(statement, values)


NUMBER = "(SELECT run_no FROM runs WHERE run_id = ?)"


def test_a_sound_store_is_said_to_be_sound(tidegate: Tidegate, runs: list[RunId]) -> None:
    """Every run by name, or those that were asked for, by the beginnings of their ids; exit code 0."""
    every = tidegate.call("checkpoints", "verify")
    one = tidegate.call("checkpoints", "verify", runs[1][:6], "--json")
    none = tidegate.call("checkpoints", "verify", "nothing")

    assert (every.code, one.code, none.code) == (0, 0, 7)
    assert all(f"ok        {run_id}  gated" in every.out for run_id in runs)
    assert every.out.splitlines()[-1].startswith("3 runs, ")
    (verdict,) = one.document["runs"]
    assert (verdict["run_id"], verdict["ok"], verdict["findings"]) == (runs[1], True, [])
    assert (one.document["ok"], one.document["total"], one.document["damaged"]) == (True, 1, 0)


def test_a_damaged_journal_is_named_with_its_last_good_point(tidegate: Tidegate, runs: list[RunId]) -> None:
    """The event, when the last good one was written, and the newest checkpoint up to there."""
    change(tidegate, f"UPDATE events SET codec = 1 WHERE id = ({NUMBER} << 32 | 8)", runs[0])  # noqa: S608

    told = tidegate.call("checkpoints", "verify")
    document = tidegate.call("checkpoints", "verify", "--json").document

    assert told.code == 1
    assert f"damaged   {runs[0]}  gated" in told.out
    assert "good up to event 7 of " in told.out
    assert ", checkpoint chk_" in told.out
    assert "`tidegate doctor --repair` makes a sound copy" in told.out
    bad = next(verdict for verdict in document["runs"] if not verdict["ok"])
    assert bad["last_good"]["seq"] == 7
    assert bad["last_good"]["checkpoint_id"] in told.out
    assert (document["ok"], document["damaged"]) == (False, 1)


def test_what_to_type_next_is_for_the_store_that_was_named(tidegate: Tidegate, runs: list[RunId]) -> None:
    """Pasted, it would otherwise be done to another store, or to none."""
    store = f"{tidegate.folder}/tidegate.db"
    call = f"tidegate --store {store}"
    change(tidegate, f"UPDATE events SET codec = 1 WHERE id = ({NUMBER} << 32 | 8)", runs[0])  # noqa: S608

    told = tidegate.call("checkpoints", "verify", "--store", store)
    there = tidegate.call("doctor", "--store", f"{tidegate.folder}/none.db")
    empty = tidegate.call("runs", "list", "--store", "memory://")

    assert f"show it there:       {call} checkpoints show {runs[0]}@7" in told.out
    assert f"go on from there:    {call} checkpoints fork {runs[0]}@7" in told.out
    assert f"`{call} doctor --repair` makes a sound copy" in told.out
    assert f"not there yet: `tidegate --store {tidegate.folder}/none.db run` makes it" in there.out
    assert empty.out == "No runs. Start one with: tidegate --store memory:// run FILE\n"


@pytest.mark.parametrize(
    ("statement", "finding"),
    [
        ("DELETE FROM vals", "the value .* is missing"),
        ("UPDATE vals SET data = CAST('x' || data AS BLOB)", "value .* is damaged|cannot be read"),
        (
            "UPDATE definitions SET body = CAST(replace(body, 'after', 'later') AS BLOB)",
            "the definition .* is damaged",
        ),
        (
            "UPDATE output SET data = x'28b52ffd00' WHERE codec = 1",
            "the output of 'before', attempt 1: part 1 .*is damaged",
        ),
        (
            "UPDATE runs SET summary = CAST(replace(summary, '\"paused\"', '\"failed\"') AS BLOB)",
            "its row says status",
        ),
        (
            "UPDATE runs SET status = 'rejected'",
            "lists have it as 'rejected', and by its journal it is 'paused'",
        ),
        ("UPDATE runs SET updated_at = updated_at + 60", "its row says updated at"),
        ("UPDATE runs SET started_by = 'eve'", "its row says started by 'eve', its journal 'ana'"),
        ("UPDATE runs SET head = head - 1", "its journal says otherwise"),
        ("UPDATE runs SET workflow = 'other'", "its row says workflow 'other', its journal 'gated'"),
        ("UPDATE pauses SET state = 1", "question pause_.* is not listed as its journal has it"),
        ("UPDATE pauses SET closed_at = 1.5", "question pause_.* is not listed as its journal has it"),
        ("DELETE FROM pauses", "question pause_.* is not in the list of questions"),
        (
            "UPDATE checkpoints SET seq = seq - 1 WHERE kind = 'wave'",
            "checkpoint chk_.* is not listed as its journal",
        ),
        (
            "UPDATE checkpoints SET created_at = created_at + 60",
            "checkpoint chk_.* is not listed as its journal has it",
        ),
        (
            "UPDATE checkpoints SET checkpoint_id = 'chk_x' || no WHERE kind = 'wave'",
            "checkpoint chk_x.* is not in its journal",
        ),
        ("DELETE FROM events WHERE id & 4294967295 = 3", "event 3 of run .* is missing"),
        ("UPDATE events SET id = id + 100 WHERE id & 4294967295 = 3", "event 3 of run .* is missing"),
    ],
)
def test_every_kind_of_disagreement_is_found(
    tidegate: Tidegate, runs: list[RunId], statement: str, finding: str
) -> None:
    """What is listed follows from the journal, and what the journal names is there."""
    change(tidegate, "PRAGMA foreign_keys = OFF")
    change(tidegate, statement)

    done = tidegate.call("checkpoints", "verify")

    assert done.code == 1
    assert re.search(finding, done.out), done.out


def test_a_count_of_runs_that_is_wrong_is_a_fault_of_the_store(tidegate: Tidegate, runs: list[RunId]) -> None:
    """The runs are sound, and a copy counts them anew."""
    change(tidegate, "UPDATE run_counts SET runs = 7 WHERE status = 'paused'")

    told = tidegate.call("checkpoints", "verify")
    tidegate.call("doctor", "--repair")
    copy = ("--store", f"sqlite://{tidegate.folder}/tidegate.repaired.db")

    assert told.code == 1
    assert "damaged   the store: 7 runs are counted as paused, and there are 3" in told.out
    assert f"ok        {runs[0]}" in told.out
    assert "3 runs, " in told.out
    assert "the store, and none of its runs, damaged. Nothing was changed." in told.out
    assert tidegate.call("checkpoints", "verify", *copy).code == 0


# -- repair -----------------------------------------------------------------------------------


def test_a_sound_store_is_copied_as_it_is(tidegate: Tidegate, runs: list[RunId]) -> None:
    """Everything is kept; the copy goes on where the store stands; the name of a second copy is another one."""
    path = tidegate.folder / "tidegate.db"
    found = path.read_bytes()

    done = tidegate.call("doctor", "--repair")
    again = tidegate.call("doctor", "--repair", "--json")

    assert (done.code, again.code) == (0, 0)
    assert "3 runs: 3 kept whole, 0 cut back, 0 lost" in done.out
    copy = tidegate.folder / "tidegate.repaired.db"
    assert f"tidegate --store sqlite://{copy} runs list --all" in done.out
    assert again.document["copy"] == f"sqlite://{tidegate.folder}/tidegate.repaired1.db"
    assert path.read_bytes() == found
    assert copy.stat().st_mode & 0o777 == 0o600
    assert sorted(entry.name for entry in tidegate.folder.glob("*.part*")) == []
    store = ("--store", f"sqlite://{copy}")
    before = tidegate.call("runs", "show", runs[0], "--json").document
    after = tidegate.call("runs", "show", runs[0], "--json", *store).document
    assert after == before
    assert tidegate.call("logs", runs[0], *store).out == tidegate.call("logs", runs[0]).out
    assert tidegate.call("answer", runs[0], "yes", *store).code == 0


def test_a_row_that_says_something_else_is_made_anew_in_the_copy(
    tidegate: Tidegate, runs: list[RunId]
) -> None:
    """From the journal, which is sound: whole, with the status that it says."""
    change(tidegate, "UPDATE runs SET status = 'rejected', updated_at = 1.5 WHERE run_id = ?", runs[0])

    done = tidegate.call("doctor", "--repair")

    store = ("--store", f"sqlite://{tidegate.folder}/tidegate.repaired.db")
    assert (done.code, "3 runs: 3 kept whole" in done.out) == (0, True)
    assert tidegate.call("checkpoints", "verify", *store).code == 0
    listed = tidegate.call("runs", "list", "--status", "paused", "--json", *store).document["runs"]
    assert {run["run_id"] for run in listed} == set(runs)


def test_a_damaged_run_is_kept_up_to_its_last_good_event_and_held(
    tidegate: Tidegate, runs: list[RunId]
) -> None:
    """Nothing of it goes on by itself; a person may look, and let it."""
    bad = runs[1]
    change(tidegate, f"UPDATE events SET at = at + 1 WHERE id = ({NUMBER} << 32 | 6)", bad)  # noqa: S608
    found = (tidegate.folder / "tidegate.db").read_bytes()

    done = tidegate.call("doctor", "--repair")

    store = ("--store", f"sqlite://{tidegate.folder}/tidegate.repaired.db")
    assert done.code == 1
    assert "3 runs: 2 kept whole, 1 cut back, 0 lost" in done.out
    assert f"cut     {bad}  gated  up to event 5 of " in done.out
    assert f"runs unpause {bad}" in done.out
    assert (tidegate.folder / "tidegate.db").read_bytes() == found
    assert tidegate.call("checkpoints", "verify", *store).code == 0
    assert tidegate.call("worker", "--once", *store).code == 0
    shown = tidegate.call("runs", "show", bad, *store)
    assert "paused by doctor --repair: the store was damaged: event 6 is damaged" in shown.out
    assert tidegate.call("answer", runs[0], "yes", *store).code == 0
    assert tidegate.call("runs", "unpause", bad, *store).code == 3, "it asks what became of the block at work"


def test_half_a_file_gives_what_is_in_that_half(tidegate: Tidegate, runs: list[RunId]) -> None:
    """A store that does not open any more: what is left is found page by page."""
    path = tidegate.folder / "tidegate.db"
    data = path.read_bytes()
    path.write_bytes(data[: len(data) * 4 // 5])
    assert tidegate.call("runs", "list").code == 1

    done = tidegate.call("doctor", "--repair", "--json")

    assert done.code == 1
    assert done.document["faults"] == []
    assert {run["run_id"] for run in done.document["runs"]} <= set(runs)
    assert path.read_bytes() == data[: len(data) * 4 // 5]


@pytest.mark.parametrize("content", [b"", b"a diary\n" * 999])
def test_where_nothing_is_left_nothing_is_made(tidegate: Tidegate, content: bytes) -> None:
    """Neither a copy nor a store in its place."""
    path = tidegate.folder / "tidegate.db"
    path.write_bytes(content)

    done = tidegate.call("doctor", "--repair")

    assert done.code == 1
    assert "nothing of a store is left in it" in done.err
    assert [entry.name for entry in tidegate.folder.iterdir()] == [path.name]
    assert path.read_bytes() == content


def test_what_somebody_drives_is_not_copied(tidegate: Tidegate) -> None:
    """It would go on in two places. No store, and one in memory, are told as such."""
    file = tidegate.file(
        "long.yaml",
        "name: long\nblocks: [{id: wait, type: Shell, inputs: {command: 'touch at_work; sleep 20'}}]\n",
    )
    assert tidegate.call("doctor", "--repair").code == 7
    assert "in memory" in tidegate.call("doctor", "--repair", "--store", "memory://").err
    process = tidegate.start("run", file)
    try:
        while not (tidegate.folder / "at_work").exists():
            assert process.poll() is None
        done = tidegate.call("doctor", "--repair")
    finally:
        process.terminate()
        process.communicate()

    assert done.code == 6
    assert "drives it. Stop that first" in done.err
    assert list(tidegate.folder.glob("*repaired*")) == []
