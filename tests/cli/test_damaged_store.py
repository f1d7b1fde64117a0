"""A store that is damaged, or not where or as it should be: every command says so, and leaves it as it is."""

import ctypes
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from cli.calling import Done, Tidegate
from tidegate.model.ids import RunId

TWO = """
    name: gated
    inputs: {note: {type: string}}
    blocks:
      - {id: before, type: Shell, inputs: {command: "echo before"}}
      - {id: gate, type: ConfirmOperation, depends_on: [before], inputs: {message: "${note}?", operation: deploy}}
      - {id: after, type: Shell, depends_on: [gate], inputs: {command: "echo after"}}
"""


@pytest.fixture
def tidegate(tmp_path: Path) -> Tidegate:
    """The command, and no store yet."""
    return Tidegate(tmp_path)


@pytest.fixture
def runs(tidegate: Tidegate) -> list[RunId]:
    """Three runs that wait for an answer."""
    return tidegate.runs_of(TWO, {"note": "one"}, {"note": "two"}, {"note": "three"})


def path_of(tidegate: Tidegate) -> Path:
    """Return the store's file."""
    return tidegate.folder / "tidegate.db"


def change(tidegate: Tidegate, statement: str, *values: object) -> None:
    """Change the store behind its back."""
    with closing(sqlite3.connect(path_of(tidegate), isolation_level=None)) as connection:
        connection.execute(statement, values)


def damage_event(tidegate: Tidegate, run_id: RunId, seq: int) -> None:
    """Change one event of a run, so that it is still one."""
    change(
        tidegate,
        "UPDATE events SET at = at + 1 WHERE id = (SELECT run_no << 32 | ? FROM runs WHERE run_id = ?)",
        *(seq, run_id),
    )


def each_command(tidegate: Tidegate, run_id: str = "nothing") -> list[Done]:
    """Call what people call: a list, one run, an answer, a start, a check."""
    file = tidegate.file("gated.yaml", TWO)
    return tidegate.together(
        ["runs", "list"],
        ["runs", "show", run_id],
        ["answer", run_id, "yes"],
        ["run", file, "-i", "note=x"],
        ["checkpoints", "verify"],
        ["doctor"],
    )


# -- one damaged run among others -------------------------------------------------------------


def test_one_damaged_run_keeps_no_other_from_anything(tidegate: Tidegate, runs: list[RunId]) -> None:
    """It is listed, and named wherever it is needed, with its last good point; the others go on."""
    bad, good, _ = runs
    damage_event(tidegate, bad, 6)

    listed = tidegate.call("runs", "list")
    refused = tidegate.together(
        ["runs", "show", bad], ["answer", bad, "yes"], ["logs", bad], ["runs", "cancel", bad]
    )
    resumed = tidegate.call("resume", bad)
    answered = tidegate.call("answer", good, "yes")
    worked = tidegate.call("worker", "--once")

    assert all(run_id in listed.out for run_id in runs)
    for done in refused:
        assert done.code == 1
        assert f"event 6 of run {bad} is damaged; it is good up to event 5" in done.err
        assert f"`tidegate checkpoints verify {bad}`" in done.err
        assert "`tidegate doctor --repair`" in done.err
    assert f"event 6 of run {bad} is damaged; it is good up to event 5" in resumed.err
    assert (answered.code, worked.code) == (0, 0)
    assert tidegate.call("inbox").out.count("pause_") == 2


def test_a_worker_does_not_stumble_over_a_damaged_run(tidegate: Tidegate, runs: list[RunId]) -> None:
    """Neither over its journal, nor over its row, nor over a deadline that nobody can let pass: it comes to an end."""
    bad, worse, good = runs
    damage_event(tidegate, bad, 3)
    change(
        tidegate,
        "UPDATE pauses SET deadline = 1.0 WHERE run_no = (SELECT run_no FROM runs WHERE run_id = ?)",
        bad,
    )
    change(tidegate, "UPDATE runs SET summary = x'00' WHERE run_id = ?", worse)
    tidegate.call("answer", good, "yes", "--no-wait")

    done = tidegate.call("worker", "--once")

    assert done.code == 0
    assert done.err.count(f"event 3 of run {bad} is damaged") == 1
    assert tidegate.call("runs", "show", good, "--json").document["status"] == "succeeded"
    listed = tidegate.call("runs", "list", "--json")
    assert [run["run_id"] for run in listed.document["runs"]] == runs[::-1]
    assert f"run {worse}: its row cannot be read" in listed.err


def test_an_error_of_a_damaged_run_is_structured(tidegate: Tidegate, runs: list[RunId]) -> None:
    """A script learns which run, which event and which checkpoint."""
    damage_event(tidegate, runs[0], 7)

    document = tidegate.call("runs", "show", runs[0], "--json").document

    damage = document["error"]["damage"]
    assert document["error"]["type"] == "CorruptStore"
    assert (damage["run_id"], damage["last_good"]) == (runs[0], 6)
    assert damage["checkpoint_id"] is None or damage["checkpoint_id"].startswith("chk_")


# -- J1: the file, its log, its place ---------------------------------------------------------


def test_noise_in_the_middle_is_named_and_what_can_be_read_is_listed(
    tidegate: Tidegate, runs: list[RunId]
) -> None:
    """(a) Nothing is written, nothing is made anew, and the file is byte for byte as it was."""
    path = path_of(tidegate)
    with closing(sqlite3.connect(path)) as connection:
        # By name: which table's page is the middle one changes with every table that is added.
        find = "SELECT rootpage FROM sqlite_schema WHERE name = 'events'"
        middle = (connection.execute(find).fetchone()[0] - 1) * 4096
    data = bytearray(path.read_bytes())
    data[middle : middle + 200] = bytes(range(55, 255))
    path.write_bytes(data)

    ends = each_command(tidegate, runs[0])

    assert path.read_bytes() == bytes(data)
    assert all("Traceback" not in done.err + done.out for done in ends)
    listed, *_, verified, _ = ends
    assert all(run_id in listed.out for run_id in runs)
    assert verified.code == 1
    assert "damaged" in verified.out


@pytest.mark.parametrize("content", ["half", "nothing", "zeros", "text"])
def test_what_is_no_store_any_more_is_never_replaced(
    tidegate: Tidegate, runs: list[RunId], content: str
) -> None:
    """(b, c) Each command names it, ends with 1, says what helps, and leaves it."""
    path = path_of(tidegate)
    whole = path.read_bytes()
    left = {
        "half": whole[: len(whole) // 2],
        "nothing": b"",
        "zeros": bytes(len(whole)),
        "text": b"a diary\n" * 999,
    }
    path.write_bytes(left[content])

    ends = each_command(tidegate, runs[0])

    assert path.read_bytes() == left[content]
    assert [done.code for done in ends] == [1] * len(ends)
    for done in ends:
        assert "tidegate.db: the file is" in done.err + done.out
        assert "tidegate doctor --repair" in done.err + done.out
    assert [
        entry.name for entry in path.parent.glob("*.db*") if not entry.name.endswith(("-wal", "-shm"))
    ] == [path.name]


def test_without_its_log_a_store_opens_with_what_is_in_it(tidegate: Tidegate, runs: list[RunId]) -> None:
    """(d) What was only in the log is gone; what is there is whole, and goes on."""
    copy = Tidegate(tidegate.folder / "copy")
    copy.folder.mkdir()
    with closing(sqlite3.connect(path_of(tidegate))) as other:
        other.execute("SELECT * FROM runs").fetchall()  # While somebody has it open, the log stays.
        before = len(tidegate.call("runs", "list", "--json").document["runs"])
        tidegate.call("run", tidegate.file("gated.yaml", TWO), "-i", "note=late")
        shutil.copy(path_of(tidegate), path_of(copy))

    listed = copy.call("runs", "list", "--json")
    assert before <= len(listed.document["runs"]) + 1
    assert copy.call("checkpoints", "verify").code == 0
    assert copy.call("answer", runs[0], "yes").code == 0


def test_the_log_of_another_file_is_not_taken_for_its_own(tidegate: Tidegate, runs: list[RunId]) -> None:
    """A log that lies beside the wrong file, with noise in it or none of its own, changes nothing."""
    path = path_of(tidegate)
    with closing(sqlite3.connect(tidegate.folder / "other.db", isolation_level=None)) as other:
        other.execute("PRAGMA journal_mode = WAL")
        other.execute("CREATE TABLE recipes (name TEXT)")
        log = (tidegate.folder / "other.db-wal").read_bytes()
    assert len(log) > 4096
    # As a copy of a folder that was taken file by file may look like; cut off, it ends within a transaction.
    path.with_name("tidegate.db-wal").write_bytes(log[:-100])

    assert tidegate.call("checkpoints", "verify").code == 0
    assert tidegate.call("answer", runs[0], "yes").code == 0


def test_a_folder_in_its_place_is_named(tidegate: Tidegate) -> None:
    """(e) It is not filled."""
    path_of(tidegate).mkdir()

    ends = each_command(tidegate)

    assert [done.code for done in ends] == [1] * len(ends)
    assert all("that is a directory, not a file" in done.err + done.out for done in ends)
    assert list(path_of(tidegate).iterdir()) == []


@pytest.mark.parametrize("what", ["file", "folder"])
def test_what_is_read_only_can_be_read_and_says_why_it_is_not_written(
    tidegate: Tidegate, runs: list[RunId], what: str
) -> None:
    """(f, g) Lists and one run are shown; an answer and a start say what would help."""
    path = path_of(tidegate)
    file = tidegate.file("gated.yaml", TWO)
    (path if what == "file" else tidegate.folder).chmod(0o400 if what == "file" else 0o500)
    found = path.read_bytes()
    calls = [
        ["runs", "list"],
        ["inbox"],
        ["runs", "show", runs[0]],
        ["checkpoints", "verify"],
        ["answer", runs[0], "yes"],
        ["run", str(file), "-i", "note=x"],
    ]

    ends = [as_nobody(tidegate, *words) for words in calls]

    tidegate.folder.chmod(0o700)
    assert [done.code for done in ends] == [0, 0, 3, 0, 1, 1]
    for done in ends[4:]:
        assert "read-only" in done.err
        assert "to go on" in done.err
    assert path.read_bytes() == found


def as_nobody(tidegate: Tidegate, *words: str) -> Done:
    """Call as somebody whom permissions stop: they stop root only without this capability."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tidegate", *words],
        cwd=tidegate.folder,
        env=tidegate.environ,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=_obey_permissions,  # noqa: PLW1509  # no thread runs meanwhile
    )
    return tidegate.end(process)


def _obey_permissions() -> None:
    if os.geteuid() == 0:
        libc = ctypes.CDLL(None)
        for capability in _OVERRIDES:
            libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)


_PR_CAPBSET_DROP = 24
_OVERRIDES = (1, 2)
"""To write and to read whatever permissions say."""


def test_without_a_home_it_says_what_to_do(tidegate: Tidegate) -> None:
    """(h) No variable, no home: still no traceback, and never a store in the working directory."""
    without = dict.fromkeys(("HOME", "XDG_DATA_HOME", "TIDEGATE_STORE"), "")

    done = tidegate.call("runs", "list", **without)

    assert "Traceback" not in done.err
    assert not path_of(tidegate).exists()


def test_a_place_that_others_may_read_is_closed(tidegate: Tidegate) -> None:
    """(i) What we make is 0700 and 0600; a file that others could read is closed when it is next opened."""
    place = tidegate.folder / "state" / "deep" / "tidegate.db"
    file = tidegate.file("gated.yaml", TWO)
    store = ("--store", f"sqlite://{place}")
    assert tidegate.call("run", file, "-i", "note=x", *store).code == 3

    assert [entry.stat().st_mode & 0o777 for entry in (place.parent, place)] == [0o700, 0o600]
    place.chmod(0o644)
    assert tidegate.call("runs", "list", *store).code == 0
    assert place.stat().st_mode & 0o777 == 0o600
