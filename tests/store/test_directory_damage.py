"""A damaged directory: what is damaged is named, nothing is skipped, and nothing is changed."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from store.builders import BLOCK, RUN, adding, hashed, new_run, wave
from store.directories import SMALL, content, fill, opened_at, record, resealed
from tidegate.errors import CorruptStore, SchemaTooNew, StoreUnavailable

Damage = Callable[[Path], object]


@pytest.fixture
async def place(tmp_path: Path) -> Path:
    """A store with two runs and eight records, closed."""
    place = tmp_path / "history"
    await fill(place)
    return place


def _noise(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0x40
    path.write_bytes(data)


def _edited(path: Path) -> None:
    text = path.read_text()
    assert "Go?" in text
    path.write_text(text.replace("Go?", "No?"))


def _swapped(one: Path, two: Path) -> None:
    one.rename(one.with_suffix(".x"))
    two.rename(one)
    one.with_suffix(".x").rename(two)


def _foreign(place: Path, number: int) -> None:
    """Put a record of another history in, complete in itself."""
    resealed(record(place, number), lambda said: said.update(previous="0" * 32))


def _conflict(path: Path) -> None:
    text = path.read_text()
    path.write_text(f"<<<<<<< HEAD\n{text}=======\n{text}>>>>>>> theirs\n")


RECORDS: list[tuple[str, Damage, str]] = [
    ("empty", lambda p: record(p, 2).write_bytes(b""), r"records/00000002\.json cannot be read"),
    (
        "cut off",
        lambda p: record(p, 2).write_bytes(record(p, 2).read_bytes()[:300]),
        r"2\.json cannot be read",
    ),
    ("noise", lambda p: _noise(record(p, 3)), r"records/00000003\.json"),
    ("edited", lambda p: _edited(record(p, 2)), r"00000002\.json was changed"),
    ("no text", lambda p: record(p, 2).write_bytes(b"\xff\xfe\x00"), r"2\.json cannot be read"),
    ("no record", lambda p: record(p, 2).write_bytes(b"[]\n"), r"2\.json cannot be read"),
    ("missing", lambda p: record(p, 4).unlink(), r"records/00000004\.json is missing"),
    ("first missing", lambda p: record(p, 1).unlink(), r"records/00000001\.json is missing"),
    ("swapped", lambda p: _swapped(record(p, 3), record(p, 5)), r"3\.json says that it is number 5"),
    ("copied", lambda p: shutil.copy(record(p, 3), record(p, 4)), r"4\.json says that it is number 3"),
    ("foreign", lambda p: _foreign(p, 4), r"4\.json does not follow the one before: it is of another"),
    ("merged", lambda p: _conflict(record(p, 4)), r"4\.json cannot be read"),
    ("left over", lambda p: shutil.copy(record(p, 3), f"{record(p, 3)}.orig"), r"3\.json\.orig is no record"),
    (
        "no number",
        lambda p: shutil.copy(record(p, 3), p / "records" / "9.json"),
        r"records/9\.json is no record",
    ),
    (
        "unknown order",
        lambda p: resealed(record(p, 8), lambda said: said["orders"][0].update(type="dance")),
        r"8\.json holds a 'dance' that cannot be read",
    ),
    (
        "impossible order",
        lambda p: resealed(record(p, 8), lambda said: said["orders"][0].update(after=9)),
        r"8\.json does not fit what was before it \(run other: expected to append after event 9",
    ),
]


@pytest.mark.parametrize(("damage", "problem"), [it[1:] for it in RECORDS], ids=[it[0] for it in RECORDS])
async def test_a_damaged_record_is_named(place: Path, damage: Damage, problem: str) -> None:
    """The store is not opened with a part of its history, and what there is stays as it is."""
    damage(place)
    before = content(place)

    with pytest.raises(CorruptStore, match=problem) as refused:
        await opened_at(place)
    assert "put back what is named here from a copy or from version control" in str(refused.value)
    assert content(place) == before


async def test_what_was_put_back_is_as_before(place: Path, tmp_path: Path) -> None:
    """The advice works."""
    shutil.copytree(place, tmp_path / "copy")
    _noise(record(place, 3))
    with pytest.raises(CorruptStore):
        await opened_at(place)

    shutil.copy(record(tmp_path / "copy", 3), record(place, 3))

    store = await opened_at(place)
    assert len(await store.runs()) == 2
    await store.close()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", r"tidegate\.json is damaged"),
        ("{}", r"tidegate\.json is damaged"),
        ("[1", r"tidegate\.json is dam"),
    ],
)
async def test_a_store_that_does_not_say_what_it_is(place: Path, text: str, problem: str) -> None:
    """Another one is never put in its place."""
    (place / "tidegate.json").write_text(text)
    before = content(place)

    with pytest.raises(CorruptStore, match=problem):
        await opened_at(place)
    assert content(place) == before


async def test_records_without_a_store_are_damage(place: Path) -> None:
    """They are somebody's history."""
    (place / "tidegate.json").unlink()
    before = content(place)

    with pytest.raises(CorruptStore, match=r"tidegate\.json is missing, though there are records"):
        await opened_at(place)
    assert content(place) == before


async def test_records_of_another_store_are_damage(place: Path, tmp_path: Path) -> None:
    """Also all of them together."""
    await fill(tmp_path / "other")
    shutil.rmtree(place / "records")
    shutil.copytree(tmp_path / "other" / "records", place / "records")

    with pytest.raises(CorruptStore, match=r"00000001\.json does not follow.*another history"):
        await opened_at(place)


async def test_a_newer_store_is_refused(place: Path) -> None:
    """It is not touched, and the text says what to use instead."""
    said = json.loads((place / "tidegate.json").read_text())
    (place / "tidegate.json").write_text(json.dumps(said | {"format": 99, "flavour": "new"}))
    before = content(place)

    with pytest.raises(SchemaTooNew, match="has schema 99, this Tidegate knows up to 1"):
        await opened_at(place)
    assert content(place) == before


async def test_a_directory_with_other_things_is_left_as_it_is(tmp_path: Path) -> None:
    """It is no store, and none is made between somebody's files; what is hidden does not count."""
    (tmp_path / "thesis.txt").write_text("mine")

    with pytest.raises(
        StoreUnavailable, match=r"holds other things \(thesis\.txt\)\. Name an empty directory"
    ):
        await opened_at(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]

    (tmp_path / "repository" / ".git").mkdir(parents=True)
    await (await opened_at(tmp_path / "repository")).close()


async def test_a_file_is_no_directory(tmp_path: Path) -> None:
    """The system's own words."""
    (tmp_path / "file").write_text("mine")

    for place in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(StoreUnavailable, match="Not a directory"):
            await opened_at(place)


@pytest.mark.parametrize(
    ("suffix", "change", "problem"),
    [
        ("json", lambda path: path.unlink(), r"is missing, and records/00000001\.json needs it"),
        ("json", lambda path: path.write_text("{"), r"is damaged .*, and records/00000001\.json needs it"),
        ("json", lambda path: path.write_text('{"name": "x"}'), "is damaged: it is not what its hash says"),
    ],
    ids=["missing", "cut off", "another"],
)
async def test_a_definition_is_missed_at_once(place: Path, suffix: str, change: Damage, problem: str) -> None:
    """A run cannot be shown without it."""
    (path,) = (place / "definitions").glob(f"*.{suffix}")
    change(path)

    with pytest.raises(CorruptStore, match=rf"definitions/[0-9a-f]+\.json {problem}"):
        await opened_at(place)


async def test_a_damaged_value_is_named_when_it_is_read(place: Path) -> None:
    """The rest of the store can be used, and so can the run."""
    path = place / "values" / SMALL[0][:2] / f"{SMALL[0]}.json"
    path.write_bytes(b'"x"')
    store = await opened_at(place)

    with pytest.raises(CorruptStore, match=f"the value {SMALL[0]} is damaged: values/"):
        await store.values([SMALL[0]])
    path.unlink()
    with pytest.raises(CorruptStore, match=f"the value {SMALL[0]} is missing"):
        await store.values([SMALL[0]])
    assert await store.append(adding(wave(), after=4)) == 5
    await store.close()


async def test_a_file_in_the_place_of_a_value_is_mended(place: Path) -> None:
    """Somebody was killed there, or its disk is bad: the value that gets this name is whole."""
    name, data = hashed("another value")
    path = place / "values" / name[:2] / f"{name}.json"
    path.parent.mkdir()
    path.write_bytes(data[:5])
    store = await opened_at(place)

    await store.append(adding(wave(), after=4, values={name: data}))

    assert await store.values([name]) == {name: data}
    await store.close()


async def test_missing_output_is_named_when_it_is_read(place: Path) -> None:
    """It is not shown as if nothing had been printed."""
    (path,) = (place / "output" / RUN / BLOCK / "1").glob("000001-stdout-*.txt")
    path.unlink()
    store = await opened_at(place)

    found, missing = await store.read_output(RUN, BLOCK, 1)
    assert (found.data, found.damage) == (b"one\n", "")
    assert (missing.data, missing.damage) == (b"", f"output/{RUN}/gate/1/{path.name} is missing")
    await store.close()


# -- while it is open -------------------------------------------------------------------------


async def test_a_damaged_record_of_somebody_else_is_named(place: Path) -> None:
    """Whoever reads hears of it: what it says must not be missed."""
    store, other = await opened_at(place), await opened_at(place)
    await other.append(adding(wave(), after=4))
    _noise(record(place, 9))

    with pytest.raises(CorruptStore, match=r"records/00000009\.json"):
        await store.run(RUN)
    with pytest.raises(CorruptStore, match=r"records/00000009\.json"):
        await store.append(adding(wave(), after=5))
    assert "00000009.json" in store.damage
    for one in (store, other):
        await one.close()


async def test_nothing_is_added_after_a_record_that_is_gone(place: Path) -> None:
    """A gap would be damage that we made."""
    store = await opened_at(place)
    record(place, 8).unlink()

    with pytest.raises(CorruptStore, match=r"records/00000008\.json is gone since it was read"):
        await store.append(adding(wave(), after=4))
    assert not record(place, 9).exists()
    await store.close()


async def test_nothing_is_added_to_another_history(place: Path, tmp_path: Path) -> None:
    """Somebody has checked out another state: what was decided here does not fit there."""
    shutil.copytree(place, tmp_path / "copy")
    store, branch = await opened_at(place), await opened_at(tmp_path / "copy")
    await store.append(adding(wave(), after=4))
    await branch.append(adding(wave(), wave(), after=4))
    shutil.copy(record(tmp_path / "copy", 9), record(place, 9))
    before = content(place)

    with pytest.raises(CorruptStore, match=r"records/00000009\.json is not the one that was read"):
        await store.append(adding(wave(), after=5))
    assert content(place) == before
    for one in (store, branch):
        await one.close()


async def test_a_directory_that_is_gone_is_not_made_anew(place: Path) -> None:
    """What was known here would be all that is left of it."""
    store = await opened_at(place)
    shutil.rmtree(place)

    with pytest.raises(CorruptStore, match=r"records/00000008\.json is gone since it was read"):
        await store.append(adding(wave(), after=4))
    with pytest.raises((CorruptStore, StoreUnavailable)):
        await store.create_run(new_run("new"))
    assert not place.exists()
    await store.close()
