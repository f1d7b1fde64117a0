"""`tidegate watch`: on a real terminal, beside real processes that start and answer runs."""

import os
import sqlite3
import time
from pathlib import Path

import pytest

from cli.calling import Tidegate
from cli.sample import Sample, is_harmless
from tui.ptys import on_pty

GATE = """
    name: asks
    blocks:
      - {id: gate, type: ConfirmOperation, inputs: {message: "Ship [b]it[/b]?", operation: x}}
"""


def watch(store: str) -> list[str]:
    """Return the arguments for a watch."""
    return ["-W", "error", "-m", "tidegate", "watch", "--interval", "0.2", "--store", store]


def digest(folder: Path) -> dict[str, tuple[int, int, int]]:
    """Return what tells whether a file beside a store was written: its size, time and mode."""
    found = {path.name: path.stat() for path in folder.glob("tidegate.db*")}
    return {name: (stat.st_size, stat.st_mtime_ns, stat.st_mode) for name, stat in found.items()}


def test_it_follows_what_other_processes_do(tidegate: Tidegate) -> None:
    """A question appears, is answered elsewhere, and is gone; q ends it."""
    gate = tidegate.file("gate.yaml", GATE)
    with on_pty(watch(tidegate.store), tidegate.folder) as seen:
        seen.wait_for("Nothing waits for anybody", "live")
        assert tidegate.call("run", gate).code == 3
        seen.wait_for("1 waiting", "Ship [b]it[/b]?", "1 paused")
        (pause,) = tidegate.call("inbox", "--json").document["pauses"]
        seen.output = ""
        assert tidegate.call("answer", pause["pause_id"], "yes").code == 0
        seen.wait_for("nothing waits for anybody", "1 succeeded")
        seen.press("q")
        assert seen.wait_for_end(10) == 0


def test_no_key_but_three_does_anything(tidegate: Tidegate) -> None:
    """On a wall anybody may lean on the keyboard."""
    tidegate.call("run", tidegate.file("gate.yaml", GATE))
    with on_pty(watch(tidegate.store), tidegate.folder) as seen:
        seen.wait_for("Ship [b]it[/b]?")
        for key in ("a", "y", "y", "\r", " ", "\t", "X", ":", "1", "2", "\x03", "\x11", "\x10", "\x1b"):
            seen.press(key)
            time.sleep(0.05)
        seen.output = ""
        seen.press("?")
        seen.wait_for("This only looks")
        assert seen.process.poll() is None
        seen.output = ""
        seen.press("\x1b[B")
        seen.wait_for("Ship [b]it[/b]?")
        seen.press("q")
        assert seen.wait_for_end(10) == 0
    assert len(tidegate.call("inbox", "--json").document["pauses"]) == 1


def test_a_store_that_is_not_there_is_waited_for_and_one_that_is_replaced_is_seen(tidegate: Tidegate) -> None:
    """Missing, there, replaced by another, damaged, and mended: each is said, and none ends it."""
    gate = tidegate.file("gate.yaml", GATE)
    path, other = tidegate.folder / "late.db", tidegate.folder / "other.db"
    url = f"sqlite:///{path}"
    with on_pty(watch(url), tidegate.folder) as seen:
        seen.wait_for("there is no store", "no news")
        assert not path.exists()
        assert tidegate.call("run", gate, "--store", url).code == 3
        seen.wait_for("1 waiting")

        for _ in range(2):
            tidegate.call("run", gate, "--store", f"sqlite:///{other}")
        seen.output = ""
        other.replace(path)
        seen.wait_for("2 waiting")

        whole = path.read_bytes()
        seen.output = ""
        swap(path, b"this is no database " * 400)
        seen.wait_for("no news", "no SQLite database")
        seen.output = ""
        swap(path, whole)
        seen.wait_for("live")
        seen.press("q")
        assert seen.wait_for_end(10) == 0


def swap(path: Path, content: bytes) -> None:
    """Put another file in the place of one, in one step."""
    draft = path.with_name("draft")
    draft.write_bytes(content)
    draft.replace(path)


def test_a_store_that_somebody_has_locked_is_seen_all_the_same(tidegate: Tidegate) -> None:
    """Who only reads waits for no writer."""
    tidegate.call("run", tidegate.file("gate.yaml", GATE))
    with sqlite3.connect(tidegate.folder / "tidegate.db", isolation_level=None) as writer:
        writer.execute("BEGIN IMMEDIATE")
        done = tidegate.call("watch", "--once")
        writer.execute("ROLLBACK")
    writer.close()

    assert done.code == 0
    assert "1 waiting" in done.out


def test_nothing_of_the_store_is_touched(tidegate: Tidegate) -> None:
    """Neither its files nor their modes, which others may have chosen."""
    tidegate.call("run", tidegate.file("gate.yaml", GATE))
    (tidegate.folder / "tidegate.db").chmod(0o644)
    before = digest(tidegate.folder)
    assert tidegate.call("watch", "--once").code == 0
    assert tidegate.call("watch", "--json").code == 0

    after = digest(tidegate.folder)
    assert after["tidegate.db"] == before["tidegate.db"]


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write anywhere")
def test_it_needs_no_right_to_write(tidegate: Tidegate) -> None:
    """A wall has an account of its own."""
    tidegate.call("run", tidegate.file("gate.yaml", GATE))
    (tidegate.folder / "tidegate.db").chmod(0o444)
    tidegate.folder.chmod(0o555)
    try:
        done = tidegate.call("watch", "--once")
    finally:
        tidegate.folder.chmod(0o755)

    assert done.code == 0
    assert "1 waiting" in done.out


def test_one_frame_needs_no_terminal(sample: Sample) -> None:
    """For a mail or a log: no line is too long, nothing steers a terminal, every question is there."""
    plain, narrow, ascii_only, posix = (
        sample.tidegate.call("watch", "--once"),
        sample.tidegate.call("watch", "--once", COLUMNS="60"),
        sample.tidegate.call("watch", "--once", "--ascii"),
        sample.tidegate.call("watch", "--once", PYTHONIOENCODING="ascii"),
    )

    assert {done.code for done in (plain, narrow, ascii_only, posix)} == {0}
    assert "◆ 2 waiting" in plain.out
    assert "under 0.1 waves a minute · most " in plain.out
    assert "nothing is driven or queued" in plain.out
    assert max(map(len, plain.out.splitlines())) <= 100
    assert max(map(len, narrow.out.splitlines())) <= 60
    assert ascii_only.out.isascii()
    assert "! 2 waiting" in ascii_only.out
    assert "! 2 waiting" in posix.out
    assert "?" * 5 not in posix.out
    assert is_harmless(plain.out)


def test_one_document_says_the_same(sample: Sample) -> None:
    """And names the store."""
    document = sample.tidegate.call("watch", "--json").document

    assert document["waiting"] == len(document["questions"]) == 2
    assert document["by_status"] == {"paused": 1, "failed": 1, "cancelled": 1}
    assert document["holdings"]["runs"] == 3
    assert document["work"]["last_hour"]["waves"] == sum(document["work"]["by_minute"]["waves"]) == 5
    assert document["engine"]["queued"] == 0
    assert document["engine"]["changed_at"] <= document["at"]
    assert document["store"].startswith("sqlite:///")


def test_without_a_terminal_it_says_what_to_do(tidegate: Tidegate) -> None:
    """And looking into a store that is not there makes none."""
    bare, absent = (
        tidegate.call("watch"),
        tidegate.call("watch", "--once", "--store", f"sqlite:///{tidegate.folder}/none.db"),
    )

    assert bare.code == 2
    assert "--once prints one frame, --json one document" in bare.err
    assert absent.code == 7
    assert not (tidegate.folder / "none.db").exists()


def test_a_store_of_an_older_version_is_left_as_it_is(tidegate: Tidegate) -> None:
    """To bring it up to date is for whoever uses it."""
    path = tidegate.folder / "tidegate.db"
    with sqlite3.connect(path) as connection:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        connection.execute(f"PRAGMA user_version = {version - 1}")
    connection.close()
    done = tidegate.call("watch", "--once")

    assert done.code == 1
    assert "opened for reading only" in done.err
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (version - 1,)
    connection.close()
