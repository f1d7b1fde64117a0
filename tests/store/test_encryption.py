"""Stores that are encrypted: nothing of what people and programs say is in the file, and only its keys open it."""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest

from running import World, world
from tidegate.clock import SystemClock
from tidegate.errors import CorruptStore
from tidegate.model.ids import BlockId
from tidegate.store.keys import KeyFault, Keys, StoreLocked, new_key
from tidegate.store.locks import change_keys, envelope_at
from tidegate.store.opening import open_store

KEY = new_key()
PLANTED = ("hush-input", "hush-command", "hush-question", "hush-answer", "hush-printed", "hush-failed")
WORKFLOW = """
    name: quiet
    inputs: {who: {type: string}}
    blocks:
      - {id: a, type: Shell, inputs: {command: "echo hush-command; echo ${who}; yes hush-printed | head -c 20000"}}
      - {id: gate, type: GetInput, depends_on: [a], inputs: {prompt: "hush-question"}}
      - {id: b, type: Shell, depends_on: [gate], inputs: {command: "echo hush-failed >&2; exit 3"}}
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the store is."""
    return tmp_path / "state" / "t.db"


@asynccontextmanager
async def ground(path: Path, *keys: str) -> AsyncIterator[World]:
    """Open the store with keys."""
    path.parent.mkdir(exist_ok=True)
    async with world(path.parent, f"sqlite://{path}", keys=Keys(keys)) as opened:
        yield opened


async def fill(path: Path, *keys: str) -> None:
    """Let a run be answered and fail."""
    async with ground(path, *keys) as world:
        run_id = await world.start(WORKFLOW, who="hush-input")
        await world.rest(run_id)
        await world.answer_and_rest(run_id, "gate", "hush-answer")


async def told(path: Path, *keys: str) -> str:
    """Return all that a store tells of its runs."""
    async with ground(path, *keys) as world:
        texts = []
        for row in await world.store.runs():
            events = await world.events(row.run_id)
            chunks = await world.store.read_output(row.run_id, BlockId("a"), 1)
            pauses = await world.history.answered()
            marks = await world.store.checkpoints()
            source = await world.store.definition(row.definition)
            texts.append(repr((row, events, chunks, pauses, marks, source)))
        assert await world.history.faults() == ()
        return "".join(texts)


def bytes_of(path: Path) -> bytes:
    """Return the bytes of a store, and of everything beside it."""
    return b"".join(file.read_bytes() for file in sorted(path.parent.iterdir()) if file.is_file())


async def test_nothing_of_what_is_said_is_in_the_file(path: Path) -> None:
    """Neither in the log, nor compressed: a plain store beside it shows that the search finds it."""
    plain = path.parent.parent / "plain" / "t.db"
    for place, keys in ((path, (KEY,)), (plain, ())):
        async with ground(place, *keys) as world:
            run_id = await world.start(WORKFLOW, who="hush-input")
            await world.rest(run_id)
            await world.answer_and_rest(run_id, "gate", "hush-answer")
            # While it is open: the log is still there.
            assert place.with_name("t.db-wal").stat().st_size
            found = bytes_of(place)
        found += bytes_of(place)
        seen = [word for word in PLANTED if word.encode() in found]
        assert seen == ([] if keys else [*PLANTED])
    text = await told(path, KEY)
    assert [word for word in PLANTED if word not in text] == []


async def test_only_its_keys_open_it(path: Path) -> None:
    """Each refusal says what is missing, and nothing of a key."""
    await fill(path, KEY)
    other = new_key()
    with pytest.raises(
        StoreLocked, match=r"it is encrypted, and no key is given; the key '[0-9a-f]{8}' opens it"
    ):
        await told(path)
    with pytest.raises(StoreLocked, match="it is encrypted, and another key is given") as refused:
        await told(path, other)
    assert other not in str(refused.value)
    with pytest.raises(KeyFault, match="is no key"):
        Keys(["secret"])
    assert "hush-input" in await told(path, other, KEY)

    plain = path.with_name("plain.db")
    await fill(plain)
    with pytest.raises(StoreLocked, match="it is not encrypted, and a key is given"):
        await told(plain, KEY)
    with pytest.raises(StoreLocked, match="a directory is not encrypted"):
        await open_store(f"file://{path.parent}/kept", clock=SystemClock(), keys=Keys([KEY]))
    assert not (path.parent / "kept").exists()


def test_keys_come_from_the_environment(tmp_path: Path) -> None:
    """From a variable and from a file; a file that is not there is named."""
    mine, theirs = new_key(), new_key()
    (tmp_path / "keys").write_text(f"{theirs}\n\n")
    environ = {"TIDEGATE_KEY": mine, "TIDEGATE_KEY_FILE": f"{tmp_path}/keys"}
    assert Keys.from_environment(environ).names == Keys([mine, theirs]).names
    assert Keys.from_environment({}).names == ()
    with pytest.raises(
        KeyFault, match=r"the keys in /nowhere, which TIDEGATE_KEY_FILE names, cannot be read: No such"
    ):
        Keys.from_environment({"TIDEGATE_KEY_FILE": "/nowhere"})


async def test_keys_are_changed_while_the_store_is_open(path: Path) -> None:
    """Its rows stay as they are; from then on the new key opens it, and the old one does not."""
    await fill(path, KEY)
    new, url = new_key(), f"sqlite://{path}"
    async with ground(path, KEY) as world:
        change_keys(url, Keys([new, KEY]))
        change_keys(url, Keys([new]))
        assert "hush-input" in repr(await world.events((await world.store.runs())[0].run_id))
        await world.run(WORKFLOW, who="second")
    envelope = envelope_at(url)
    assert envelope is not None
    assert tuple(envelope.wrapped) == Keys([new]).names
    with pytest.raises(StoreLocked):
        change_keys(url, Keys([KEY]))
    with pytest.raises(StoreLocked):
        await told(path, KEY)
    assert "second" in await told(path, new)


OTHER_BYTE = (
    "CAST(substr({0}, 1, 40) || iif(substr({0}, 41, 1) = x'00', x'01', x'00') || substr({0}, 42) AS BLOB)"
)
STATEMENTS = {
    "an event is changed": f"UPDATE events SET body = {OTHER_BYTE.format('body')} WHERE id & 4294967295 = 2",  # noqa: S608
    "an event is plain": "UPDATE events SET body = CAST('{}' AS BLOB) WHERE id & 4294967295 = 2",
    "a value is changed": f"UPDATE vals SET data = {OTHER_BYTE.format('data')}",  # noqa: S608
    "a question is plain": """UPDATE pauses SET prompt = CAST('{"kind":"confirm","message":"Go?"}' AS BLOB)""",
}


@pytest.mark.parametrize("what", STATEMENTS)
async def test_what_was_not_written_with_the_key_is_damage(path: Path, what: str) -> None:
    """Whoever can write the file but has no key can break it, and not make it say something else."""
    await fill(path, KEY)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(STATEMENTS[what])
        connection.commit()
    async with ground(path, KEY) as world:
        verdicts = [verdict async for verdict in world.history.verify()]
        assert "Go?" not in repr(await world.history.answered())
        assert world.store.damage or not all(verdict.is_sound for verdict in verdicts)


async def test_a_store_without_its_own_key_is_damaged(path: Path) -> None:
    """And it is said so."""
    await fill(path, KEY)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE meta SET value = '{' WHERE name = 'envelope'")
        connection.commit()
    with pytest.raises(CorruptStore, match="the key of its rows is damaged"):
        await told(path, KEY)
