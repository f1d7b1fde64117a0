"""`tidegate backup`: verified copies, made while everybody goes on."""

import os
import shutil
from pathlib import Path

import pytest

from cli.calling import Tidegate, until

ASKS = """
    name: asks
    blocks:
      - {id: work, type: Shell, inputs: {command: "echo work"}}
      - {id: gate, type: ConfirmOperation, depends_on: [work], inputs: {message: ok?, operation: x}}
"""
LONG = """
    name: long
    max_parallel: 2
    blocks:
      - id: many
        type: Shell
        for_each: "${{ [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20] }}"
        inputs: {command: "echo ${item}; touch begun; sleep 0.1"}
"""


def backups(folder: Path) -> list[Path]:
    """Return what lies in a folder, by name."""
    return sorted(folder.iterdir())


@pytest.mark.parametrize("kind", ["sqlite", "file"])
def test_a_backup_can_be_opened_and_answered(tidegate: Tidegate, kind: str) -> None:
    """Beside the store by default, private, whole: a run that waited there goes on from there."""
    url = f"{kind}://{tidegate.folder}/kept"
    tidegate.file("asks.yaml", ASKS)
    run_id = tidegate.call("run", "asks.yaml", "--json", "--store", url).document["run_id"]

    made = tidegate.call("backup", "--json", "--store", url).document

    place = Path(made["backup"])
    assert place.parent == tidegate.folder / "kept.backups"
    assert (made["runs"], made["faults"], made["removed"]) == (1, [], [])
    assert place.stat().st_mode & 0o077 == 0
    assert place.parent.stat().st_mode & 0o077 == 0
    assert backups(place.parent) == [place]
    copy = f"{kind}://{place}"
    assert tidegate.call("answer", run_id, "yes", "--store", copy).code == 0
    assert tidegate.call("inbox", "--json", "--store", url).document["total"] == 1


def test_a_backup_is_made_while_a_run_is_driven(tidegate: Tidegate) -> None:
    """By another process, which does not notice; the copy holds the run up to one moment."""
    tidegate.file("long.yaml", LONG)
    driving = tidegate.start("run", "long.yaml", "--json")
    until((tidegate.folder / "begun").exists)

    made = tidegate.call("backup", "copy.db", "--json")
    ended = tidegate.end(driving)

    assert made.code == ended.code == 0
    events = made.document["events"]
    whole = tidegate.call("checkpoints", "verify", "--json").document["runs"][0]["events"]
    assert 0 < events < whole


def test_the_newest_are_kept_and_nothing_else_is_touched(tidegate: Tidegate) -> None:
    """Not the backups of another store, nor what is only called like one, nor one that somebody uses."""
    tidegate.file("asks.yaml", ASKS)
    tidegate.call("run", "asks.yaml")
    tidegate.call("run", "asks.yaml", "--store", "other/tidegate.db")
    folder = tidegate.folder / "shelf"
    for _ in range(3):
        assert tidegate.call("backup", "shelf/").code == 0
    oldest, used, _ = backups(folder)
    used.with_name(f"{used.name}-wal").touch()
    foreign = folder / "tidegate-20200101T000000Z.backup.db"
    foreign.write_text("my notes")
    assert tidegate.call("backup", "shelf", "--store", "other/tidegate.db").code == 0

    done = tidegate.call("backup", "shelf", "--keep", "1", "--json")

    left = backups(folder)
    newest = Path(done.document["backup"])
    assert str(oldest) in done.document["removed"]
    assert oldest not in left
    assert {used, foreign, newest} <= set(left)
    assert foreign.read_text() == "my notes"
    others = [
        path for path in left if path not in {used, foreign, newest, used.with_name(f"{used.name}-wal")}
    ]
    assert len(others) == 1, "the backup of the other store stays"


def test_backups_of_another_store_do_not_count(tidegate: Tidegate) -> None:
    """Though the names of theirs begin like those of ours: as many of ours are kept as was said."""
    tidegate.file("asks.yaml", ASKS)
    tidegate.call("run", "asks.yaml")
    tidegate.call("run", "asks.yaml", "--store", "tidegate-test.db")
    for _ in range(3):
        assert tidegate.call("backup", "shelf/", "--store", "tidegate-test.db").code == 0
    theirs = set(backups(tidegate.folder / "shelf"))
    made = [Path(tidegate.call("backup", "shelf/", "--json").document["backup"]) for _ in range(2)]

    done = tidegate.call("backup", "shelf/", "--keep", "2", "--json").document

    assert done["removed"] == [str(made[0])]
    assert set(backups(tidegate.folder / "shelf")) == theirs | {made[1], Path(done["backup"])}


def test_what_could_not_be_removed_is_told_as_that(tidegate: Tidegate) -> None:
    """As a directory that lies on another disk by now, and a link in its place: it is not ours to follow."""
    url = f"file://{tidegate.folder}/kept"
    tidegate.file("asks.yaml", ASKS)
    tidegate.call("run", "asks.yaml", "--store", url)
    old = Path(tidegate.call("backup", "shelf/", "--json", "--store", url).document["backup"])
    moved = old.rename(tidegate.folder / "moved")
    old.symlink_to(moved)

    done = tidegate.call("backup", "shelf", "--keep", "1", "--json", "--store", url)

    assert (done.code, done.document["removed"]) == (0, [])
    assert f"{old} could not be removed" in done.err
    assert (moved / "tidegate.json").exists()


def test_nothing_is_overwritten(tidegate: Tidegate) -> None:
    """Whatever is there: a backup, the store itself, a link to nowhere."""
    for name in ("tidegate.db", "notes.txt", "link"):
        place = tidegate.folder / name
        if name == "link":
            place.symlink_to("nowhere")
        elif name != "tidegate.db":
            place.write_text("mine")
        before = place.read_bytes() if place.exists() else b""
        done = tidegate.call("backup", name)

        assert done.code == 2
        assert "is there already, and a backup replaces nothing" in done.err
        assert (place.read_bytes() if place.exists() else b"") == before


def test_what_is_damaged_is_not_kept_as_a_backup(tidegate: Tidegate) -> None:
    """And no older backup has to go for it."""
    tidegate.file("asks.yaml", ASKS)
    tidegate.call("run", "asks.yaml")
    assert tidegate.call("backup", "shelf/").code == 0
    good = backups(tidegate.folder / "shelf")
    path = tidegate.folder / "tidegate.db"
    data = path.read_bytes()
    at = data.index(b"run_started")
    path.write_bytes(data[:at] + b"run_stopped" + data[at + 11 :])

    done = tidegate.call("backup", "shelf/", "--keep", "1", "--json")

    assert done.code == 1
    assert done.document["backup"] is None
    assert done.document["faults"]
    assert "older ones were not touched" in done.err
    assert backups(tidegate.folder / "shelf") == good


def test_where_there_is_nothing_to_copy_that_is_said(tidegate: Tidegate) -> None:
    """A store in memory, one that is not there, a folder that cannot be one, a limit without a folder."""
    memory, absent, blocked, keep = tidegate.together(
        ("backup", "--store", "memory://"),
        ("backup", "--store", "none.db"),
        ("backup", "tidegate.db/x/"),
        ("backup", "exact.db", "--keep", "2"),
    )

    assert "nowhere on disk" in memory.err
    assert (absent.code, keep.code, memory.code) == (7, 2, 2)
    assert blocked.code == 1
    assert "Choose another place for the copy" in blocked.err
    assert not (tidegate.folder / "exact.db").exists()


def test_what_a_killed_backup_left_is_removed_in_time(tidegate: Tidegate) -> None:
    """A draft of today may still be written; one of long ago is not, whoever chose its name."""
    folder = tidegate.folder / "shelf"
    assert tidegate.call("backup", "shelf/").code == 0
    (made,) = backups(folder)
    old, fresh, named = (
        folder / f".{name}.part" for name in (f"{made.name}.a1", f"{made.name}.b2", "[x]*.c3")
    )
    for draft in (old, fresh, named):
        shutil.copy(made, draft)
    foreign = folder / ".x.part"
    foreign.touch()
    for draft in (old, named, foreign):
        os.utime(draft, (1, 1))
    assert tidegate.call("backup", "shelf/").code == 0
    assert (old.exists(), fresh.exists(), named.exists()) == (False, True, True)
    assert tidegate.call("backup", "shelf/[x]*").code == 0

    assert (fresh.exists(), named.exists(), foreign.exists()) == (True, False, True)


def test_a_backup_that_is_killed_is_none(tidegate: Tidegate) -> None:
    """Whatever stands under the name of a backup is a whole one; the store is as it was, and the next one is made."""
    tidegate.file("asks.yaml", ASKS)
    tidegate.call("run", "asks.yaml")
    folder = tidegate.folder / "shelf"
    for _ in range(3):
        process = tidegate.start("backup", "shelf/")
        until(lambda: process.poll() is not None or bool(list(folder.glob(".*.part"))))  # noqa: B023
        process.kill()
        process.communicate()
    made = tidegate.call("backup", "shelf/", "--json")

    assert made.code == 0
    for place in folder.glob("*.backup.db"):
        assert tidegate.call("checkpoints", "verify", "--store", str(place)).code == 0
    assert tidegate.call("checkpoints", "verify").code == 0
