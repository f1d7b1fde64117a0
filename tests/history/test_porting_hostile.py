"""Files that are not what an export writes: refused with a sentence and a place, and nothing of them is imported."""

import asyncio
import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from history.porting import everything, exported
from running import world
from tidegate.clock import SystemClock
from tidegate.history.arriving import Import
from tidegate.history.export_files import read_export
from tidegate.history.importing import unpack
from tidegate.history.portable import BadExport, Chain, Digest, Document
from tidegate.history.verify import verify
from tidegate.model.listing import RunFilter
from tidegate.model.workflow import WorkflowDefinition, definition_hash
from tidegate.store import open_store

Change = Callable[[Any], object]


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The export of a run that waits for an answer, below which another one waits, too."""

    async def make() -> bytes:
        folder = tmp_path_factory.mktemp("made")
        async with world(folder) as made:
            run_id = await made.start(everything(folder), flag=str(folder / "flag"))
            await made.rest(run_id)
            await made.executor.mark(run_id, by="ana", label="mine")
            return await exported(made.store, run_id)

    return asyncio.run(make())


async def _tried(text: bytes) -> str:
    """Import a text into an empty store; return why not, or empty. It is all of it or nothing, and sound."""
    store = await open_store("memory://", clock=SystemClock())
    try:
        try:
            parcel = unpack({"x.json": text})
            await Import(store, parcel, SystemClock(), "x.json").write()
        except BadExport as refused:
            assert await store.runs(RunFilter()) == ()
            return str(refused)
        assert [finding async for it in verify(store) for finding in it.findings] == []
        assert all(row.owner == "" for row in await store.runs(RunFilter()))
        return ""
    finally:
        await store.close()


def _at(*path: str | int, value: object) -> Change:
    def change(document: Any) -> None:
        for step in path[:-1]:
            document = document[step]
        document[path[-1]] = value

    return change


def _huge_attempt(document: Any) -> None:
    events = (it["event"] for it in document["runs"][0]["events"])
    next(event for event in events if event["type"] == "attempt_started")["attempt"] = 10**30


HOSTILE: dict[str, tuple[Change, str]] = {
    "another format": (_at("format", value="zip"), "it is no export of a run"),
    "a newer version": (_at("version", value=2), "it is of version 2, and this Tidegate knows 1 to 1"),
    "no runs": (_at("runs", value=[]), "runs: there is no run in it"),
    "an event of no kind": (
        _at("runs", 0, "events", 3, "event", "type", value="fell"),
        "runs[0].events[3].event",
    ),
    "a gap": (
        lambda it: it["runs"][0]["events"].pop(4),
        "runs[0].events[4]: it is event 6, where event 5 should be",
    ),
    "an end cut off": (lambda it: it["runs"][1]["events"].pop(), "runs[1].chain"),
    "another time": (_at("runs", 0, "events", 2, "at", value=5.0), "runs[0].chain: its events are not those"),
    "no time": (
        _at("runs", 0, "events", 2, "at", value=1e300),
        "runs[0].events[2].at: that is no number that can be",
    ),
    "another value": (_at("values", 0, "text", value='"x"'), "values[0]: it is not what its hash says"),
    "no value": (_at("values", value=[]), "is not there, or of another size"),
    "another definition": (
        _at("definitions", 0, "definition", "name", value="x"),
        "definitions[0]: it is not what its hash",
    ),
    "a path for a name": (_at("runs", 1, "run_id", value="../../etc"), "'../../etc' is no id of a run"),
    "a run twice": (lambda it: it["runs"].append(it["runs"][1]), "is in it twice"),
    "a child alone": (lambda it: it["runs"].pop(0), "begins with another one"),
    "a huge attempt": (_huge_attempt, "event.attempt: that is no number that can be"),
    "another label": (_at("checkpoints", 0, "marks", -1, "label", value="yours"), "digest: it was changed"),
    "no digest": (_at("digest", value=""), "digest: it was changed"),
    "a mark nowhere": (
        _at("checkpoints", 0, "marks", -1, "seq", value=999),
        "it is no checkpoint of that run",
    ),
    "output of nobody": (_at("output", 0, "block", value="x"), "output[0]: it is of no attempt"),
    "output out of place": (
        _at("output", 0, "chunks", 0, "n", value=-1),
        "output[0].chunks[0]: it is out of place",
    ),
}


@pytest.mark.parametrize("what", HOSTILE)
async def test_what_was_changed_is_refused_with_its_place(file: bytes, what: str) -> None:
    """Before anything is written."""
    change, said = HOSTILE[what]
    document = json.loads(file)
    change(document)

    refused = await _tried(json.dumps(document).encode())

    assert said in refused
    assert refused.startswith("x.json: ")
    assert refused.endswith("Nothing was imported")


async def test_the_same_written_another_way_is_the_same(file: bytes) -> None:
    """Formatted anew, with its members in another order, and a mark at its beginning as some editors make."""
    document = json.loads(file)
    turned = dict(reversed(document.items()))

    assert await _tried(b"\xef\xbb\xbf" + json.dumps(turned, indent=3).encode()) == ""


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"\xff\xfe",
        b"[]",
        b"{",
        b'{"format": "tidegate-run", "version": 1}',
        b"[" * 100_000,
        b'{"a":' * 100_000,
    ],
    ids=["empty", "no text", "a list", "cut off", "a header", "deep lists", "deep mappings"],
)
async def test_what_is_no_export_at_all_is_refused(text: bytes) -> None:
    """Whatever it is."""
    assert (await _tried(text)).startswith("x.json: ")


async def test_inputs_that_are_nested_too_deep_are_refused(file: bytes) -> None:
    """Every reader of a journal must be able to read it."""
    document = json.loads(file)
    deep: object = 1
    for _ in range(300):
        deep = [deep]
    document["runs"][0]["events"][0]["event"]["inputs"] = {"flag": deep}

    assert "nested more than 200 deep" in await _tried(json.dumps(document).encode())


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.ZstdCompressor().compress])
def test_a_bomb_is_not_unpacked(tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
    """A few kilobytes that become megabytes are given up at the bound."""
    path = tmp_path / "bomb"
    path.write_bytes(pack(b" " * 20_000_000))

    with pytest.raises(BadExport, match="longer than 1,000,000 bytes"):
        read_export(path, most=1_000_000)


def test_a_file_that_was_cut_off_is_refused(tmp_path: Path, file: bytes) -> None:
    """Compressed or not."""
    path = tmp_path / "run"
    for pack in (gzip.compress, zstandard.ZstdCompressor().compress, bytes):
        path.write_bytes(pack(file)[:-30])
        with pytest.raises(BadExport, match=r"cannot be decompressed|it is no JSON"):
            unpack(read_export(path))


_SHAPES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False),
    st.text(max_size=5),
    st.just([]),
    st.just({}),
)


def _mutated(document: Any, draw: Callable[[Any], Any]) -> Any:
    """Return a document with one thing in it removed, doubled, or another one."""
    place: Any = document
    key: Any = None
    while isinstance(place, dict | list) and place and (key is None or draw(st.integers(0, 4))):
        above = place
        key = draw(st.sampled_from(list(place) if isinstance(place, dict) else range(len(place))))
        place = place[key]
    how = draw(st.sampled_from(["drop", "change", "double"]))
    if how == "drop":
        del above[key]
    elif how == "double" and isinstance(above, list):
        above.insert(draw(st.integers(0, len(above))), place)
    else:
        above[key] = draw(_SHAPES)
    return document


@settings(
    max_examples=100,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.data())
async def test_a_mutated_file_is_refused_or_harmless(file: bytes, data: st.DataObject) -> None:
    """One thing in it is gone, doubled or other than it was: a sentence, or a run that is sound. Never half of one."""
    mutated = _mutated(json.loads(file), data.draw)

    await _tried(json.dumps(mutated).encode())


def _sealed(document: Any) -> bytes:
    """Return a document with the hashes that it should have: whoever wrote it knows how they are made."""
    try:
        it = msgspec.convert(document, Document)
    except msgspec.ValidationError:
        return json.dumps(document).encode()
    digest, runs = Digest(), []
    for run in it.runs:
        chain = Chain(run.run_id)
        for event in run.events:
            chain.add(event)
        runs.append(run.evolve(chain=str(chain)))
        digest.add_run(run.evolve(events=(), chain=""), str(chain))
    named = [one.evolve(hash=definition_hash(one.definition)) for one in it.definitions]
    for definition in named:
        digest.add_definition(definition)
    for marks in it.checkpoints:
        digest.add_marks(marks)
    for value in it.values:
        digest.add_value(value.sha256)
    for output in it.output:
        digest.add_output(output)
    it = it.evolve(runs=tuple(runs), definitions=tuple(named))
    return msgspec.json.encode(it.evolve(digest=digest.of(it)))


@settings(
    max_examples=100,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.data())
async def test_a_forged_file_is_refused_or_harmless(file: bytes, data: st.DataObject) -> None:
    """Its hashes are right, and something else is not: a sentence, or a run that is sound. Never half of one."""
    document = json.loads(file)
    section = data.draw(st.sampled_from(["runs", "checkpoints", "output", "definitions", "values"]))
    document[section] = _mutated({"it": document[section]}, data.draw).get("it", [])

    await _tried(_sealed(document))


async def test_no_name_in_a_file_leads_out_of_the_store(file: bytes, tmp_path: Path) -> None:
    """Ids of blocks are folders of a store of files; whoever forges an export writes what he wants there."""
    text = file.decode()
    for block in ("big", "flaky", "each", "never", "loop", "bad", "sub", "gate"):
        text = text.replace(f'"{block}"', f'"../../../../{block}/./.."').replace(
            f'"{block}[', f'"../{block}/..['
        )
    for definition in json.loads(text)["definitions"]:
        forged = definition_hash(msgspec.convert(definition["definition"], WorkflowDefinition))
        text = text.replace(definition["hash"], forged)
    place = tmp_path / "deep" / "in" / "here"
    store = await open_store(f"file://{place}/store", clock=SystemClock())
    try:
        await Import(store, unpack({"x": _sealed(json.loads(text))}), SystemClock(), "x").write()
    finally:
        await store.close()

    written = list((place / "store" / "output").rglob("*-stdout-*.txt"))
    assert written
    assert [path.name for path in place.iterdir()] == ["store"]
    assert [path.name for path in tmp_path.rglob("*") if path.is_dir()][:3] == ["deep", "in", "here"]
    assert not [
        path for path in tmp_path.rglob("*") if path.is_file() and place / "store" not in path.parents
    ]


@settings(
    max_examples=100,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.integers(0, 1 << 30), st.binary(min_size=1, max_size=3))
async def test_flipped_bytes_are_refused_or_harmless(file: bytes, where: int, what: bytes) -> None:
    """As a bad disk, or a bad line, would have it."""
    at = where % len(file)

    await _tried(file[:at] + what + file[at + len(what) :])
