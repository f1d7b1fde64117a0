"""`tidegate encryption`, and every other command with a store that is encrypted."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from cli.calling import Tidegate
from running import world
from tidegate.store.keys import Keys, new_key

KEY = new_key()
HUSHED = ("hush-input", "hush-answer", "hush-printed")
WORKFLOW = """
    name: quiet
    inputs: {who: {type: string}}
    blocks:
      - {id: a, type: Shell, inputs: {command: "echo ${who}; env; echo hush-printed"}}
      - {id: gate, type: GetInput, depends_on: [a], inputs: {prompt: "Why?"}}
"""


@pytest.fixture
def command(tmp_path: Path) -> Tidegate:
    """Return the command, in a folder without a store."""
    return Tidegate(tmp_path)


def fill(command: Tidegate, **environ: str) -> str:
    """Let a run be answered; return its id."""
    file = command.file("quiet.yaml", WORKFLOW)
    asked = command.call("run", file, "-i", "who=hush-input", "--json", **environ)
    assert asked.code == 3, asked.err
    run_id = str(asked.document["run_id"])
    assert command.call("answer", run_id, "hush-answer", **environ).code == 0
    return run_id


def hushed_in(*files: Path) -> list[str]:
    """Return what is in files that nobody may read there."""
    text = b"".join(file.read_bytes() for file in files)
    return [word for word in HUSHED if word.encode() in text]


def open_with(command: Tidegate, file: Path, *keys: str) -> str:
    """Return the journals of a store in a file."""

    async def work() -> str:
        async with world(command.folder, f"sqlite://{file}", keys=Keys(keys)) as opened:
            return repr([await opened.events(row.run_id) for row in await opened.store.runs()])

    return asyncio.run(work())


def test_every_command_needs_the_key_and_no_more(command: Tidegate) -> None:
    """A run that asks, its output, a backup, and a repaired copy: with the key, and not without it."""
    run_id = fill(command, TIDEGATE_KEY=KEY)
    refused = command.call("runs", "show", run_id)
    assert refused.code == 1
    assert "it is encrypted, and no key is given" in refused.err
    logs = command.call("logs", run_id, TIDEGATE_KEY=KEY).out
    assert "hush-printed" in logs
    # The key is the engine's own, not its programs'.
    assert KEY not in logs
    keys = command.file("keys", f"{KEY}\n")
    assert command.call("backup", "kept.db", TIDEGATE_KEY_FILE=str(keys)).code == 0
    assert command.call("doctor", "--repair", TIDEGATE_KEY=KEY).code == 0
    files = [*command.folder.glob("*.db")]
    assert len(files) == 3
    assert hushed_in(*files) == []
    assert all("hush-answer" in open_with(command, file, KEY) for file in files)


def test_a_plain_store_is_copied_into_an_encrypted_one(command: Tidegate) -> None:
    """Whole; then its keys are changed, and told by their names."""
    fill(command)
    target = command.folder / "new.db"
    without = command.call("encryption", "copy", target)
    assert (without.code, "no key is given" in without.err) == (2, True)
    done = command.call("encryption", "copy", target, TIDEGATE_KEY=KEY)
    assert (done.code, "1 kept whole, 0 cut back, 0 lost" in done.out) == (0, True)
    assert (hushed_in(command.folder / "tidegate.db"), hushed_in(target)) == ([*HUSHED], [])
    assert "hush-answer" in open_with(command, target, KEY)
    again = command.call("encryption", "copy", target, TIDEGATE_KEY=KEY)
    assert "is there already" in again.err

    made = command.call("encryption", "key").out.strip()
    moved = f"sqlite://{target}"
    rotated = command.call("encryption", "rotate", "--store", moved, TIDEGATE_KEY=f"{made} {KEY}")
    assert rotated.code == 0, rotated.err
    shown = command.call("encryption", "status", "--store", moved, "--json", TIDEGATE_KEY=made).document
    names = [*Keys([made, KEY]).names]
    assert shown == {"store": moved, "encrypted": True, "opened_by": names, "given": names[:1]}


def test_somebody_elses_file_is_said_to_be_that(command: Tidegate) -> None:
    """Whatever is asked of it."""
    file = command.folder / "other.db"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("CREATE TABLE x (a)")
    for words in (("status",), ("rotate",), ("copy", "new.db")):
        refused = command.call("encryption", *words, "--store", f"sqlite://{file}", TIDEGATE_KEY=KEY)
        assert (refused.code, "but no Tidegate store" in refused.err) == (1, True), refused.err
