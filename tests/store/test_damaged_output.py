"""Output that is not what was written: each chunk says so, in every kind of store, and the others are read."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from store.builders import BLOCK, NOW, RUN, Opened, chunk, new_run
from store.directories import opened_at
from tidegate.clock import SystemClock
from tidegate.errors import CorruptStore
from tidegate.model.listing import OutputChunk, Stream
from tidegate.store import open_store
from tidegate.store.keys import Keys, new_key
from tidegate.store.protocol import Store

KEY = new_key()
WRITTEN = (
    chunk(0, b"one\n", at=NOW),
    chunk(1, b"two\n", offset=4, at=NOW),
    chunk(2, b"three\n" * 2_000, stream=Stream.STDERR, at=NOW),
    chunk(3, b"four\n", offset=8),
)
"""The third one is long enough to be compressed."""


async def fill(store: Store) -> None:
    """Write a run with four chunks, and close the store."""
    await store.create_run(new_run())
    await store.write_output(RUN, BLOCK, 1, WRITTEN)
    await store.close()


@pytest.fixture
async def path(tmp_path: Path, opened: Opened) -> Path:
    """A file with a store."""
    await fill(await opened(tmp_path / "tidegate.db"))
    return tmp_path / "tidegate.db"


def change(path: Path, *statements: str) -> None:
    """Change the store behind its back."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


def sound(chunks: tuple[OutputChunk, ...]) -> list[int]:
    """Return the numbers of the chunks that are as they were written; those that are not hold nothing."""
    assert all(not found.data for found in chunks if found.damage)
    good = [found for found in chunks if not found.damage]
    assert all(found.evolve(is_unverified=False) == WRITTEN[found.n] for found in good)
    return [found.n for found in good]


@pytest.mark.parametrize(
    "damage",
    [
        "data = CAST(substr(data, 1, 2) || x'41' || substr(data, 4) AS BLOB)",
        "data = x''",
        "data = 'a text'",
        "stream = 2",
        "stream = 7",
        "stream = 'out'",
        "start = 5",
        "start = 'far'",
        "at = at + 1",
        "at = 'noon'",
        "codec = 1",
        "codec = -2",
        "crc = crc + 1",
        "crc = 'none'",
        "attempt = 1, n = 9",
    ],
)
async def test_a_chunk_that_was_changed_says_so(path: Path, opened: Opened, damage: str) -> None:
    """Whatever of it was changed; it keeps its place, and no other is lost."""
    change(path, f"UPDATE output SET {damage} WHERE n = 1")  # noqa: S608  # constants

    chunks = await (await opened(path)).read_output(RUN, BLOCK, 1)

    assert sound(chunks) == [0, 2, 3]
    assert [found.damage for found in chunks if found.damage] == ["it is not what was written"]
    assert "damaged, and left out" in next(found.notice for found in chunks if found.damage)


async def test_chunks_in_the_place_of_each_other_say_so(path: Path, opened: Opened) -> None:
    """Bytes that were written elsewhere are not what was written here."""
    change(
        path,
        "CREATE TABLE kept AS SELECT n, data, crc FROM output",
        "UPDATE output SET (data, crc) = (SELECT data, crc FROM kept k WHERE k.n = 1 - output.n) WHERE n < 2",
        "DROP TABLE kept",
    )

    assert sound(await (await opened(path)).read_output(RUN, BLOCK, 1)) == [2, 3]


async def test_the_end_of_the_output_is_checked_as_well(path: Path, opened: Opened) -> None:
    """Who asks for the last chunks is told the same."""
    change(path, "UPDATE output SET data = x'00' WHERE n = 3")

    assert sound(await (await opened(path)).last_output(RUN, BLOCK, 1, limit=2)) == [2]


async def test_without_its_number_the_order_is_lost(path: Path, opened: Opened) -> None:
    """Then the store cannot say where the chunk belongs, and says so in its own words."""
    change(path, "UPDATE output SET n = 'x' WHERE n = 1")

    with pytest.raises(CorruptStore, match="the number of a part of some output is damaged"):
        await (await opened(path)).read_output(RUN, BLOCK, 1)


async def test_chunks_from_before_there_were_checksums_are_read(path: Path, opened: Opened) -> None:
    """They say that nothing tells whether they are what was written; what cannot be decompressed is damaged."""
    change(path, "UPDATE output SET crc = NULL")
    store = await opened(path)
    chunks = await store.read_output(RUN, BLOCK, 1)
    assert sound(chunks) == [0, 1, 2, 3]
    assert all(found.is_unverified for found in chunks)
    await store.close()

    change(path, "UPDATE output SET data = x'28b52ffd00' WHERE codec = 1")
    assert sound(await (await opened(path)).read_output(RUN, BLOCK, 1)) == [0, 1, 3]


# -- encrypted --------------------------------------------------------------------------------


OTHER_BYTE = "substr(data, 1, 40) || iif(substr(data, 41, 1) = x'00', x'01', x'00') || substr(data, 42)"


@pytest.mark.parametrize("crc", ["crc", "NULL"])
@pytest.mark.parametrize("data", [OTHER_BYTE, "x'6f6e650a'", "x''", "'a text'"])
async def test_an_encrypted_chunk_that_was_changed_says_so(tmp_path: Path, data: str, crc: str) -> None:
    """Also one from before there were checksums: what is encrypted is authentic, or cannot be decrypted."""
    url = f"sqlite://{tmp_path}/t.db"
    await fill(await open_store(url, clock=SystemClock(), keys=Keys([KEY])))
    value = data if data == "'a text'" else f"CAST({data} AS BLOB)"
    change(tmp_path / "t.db", f"UPDATE output SET crc = {crc}, data = {value} WHERE n = 1")  # noqa: S608

    store = await open_store(url, clock=SystemClock(), keys=Keys([KEY]))
    chunks = await store.read_output(RUN, BLOCK, 1)
    await store.close()

    assert sound(chunks) == [0, 2, 3]
    assert not any(found.is_unverified for found in chunks)


async def test_a_checksum_tells_nothing_of_what_is_encrypted(tmp_path: Path) -> None:
    """Equal output has another one each time: nobody can try whether it was this."""
    sums = set[object]()
    for name in ("a", "b"):
        url = f"sqlite://{tmp_path}/{name}.db"
        await fill(await open_store(url, clock=SystemClock(), keys=Keys([KEY])))
        with closing(sqlite3.connect(tmp_path / f"{name}.db")) as connection:
            sums |= {crc for (crc,) in connection.execute("SELECT crc FROM output")}
    assert len(sums) == 2 * len(WRITTEN)


# -- in a directory ---------------------------------------------------------------------------


async def test_a_file_of_output_that_was_changed_is_named(tmp_path: Path) -> None:
    """Its name has a digest of it; one that is gone is named as well."""
    place = tmp_path / "history"
    await fill(await opened_at(place))
    folder = place / "output" / RUN / BLOCK / "1"
    (first,), (last,) = folder.glob("000000-stdout-*.txt"), folder.glob("000003-stdout-*.txt")
    first.write_bytes(b"One\n")
    last.unlink()

    store = await opened_at(place)
    chunks = await store.read_output(RUN, BLOCK, 1)
    await store.close()

    assert sound(chunks) == [1, 2]
    assert [found.damage for found in chunks if found.damage] == [
        f"output/{RUN}/{BLOCK}/1/{first.name} is damaged: it is not what its name says",
        f"output/{RUN}/{BLOCK}/1/{last.name} is missing",
    ]
