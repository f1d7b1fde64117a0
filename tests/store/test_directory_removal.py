"""What a removed run leaves in a directory: nothing, whoever looks, and whoever dies over it."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from store.builders import (
    BLOCK,
    NOW,
    PATIENCE,
    RUN,
    adding,
    below,
    chunk,
    hashed,
    marked,
    new_run,
    paused,
    wave,
)
from store.directories import SMALL, content, opened_at, record
from store.test_directory import deaths
from tidegate.errors import CorruptStore, RunNotFound
from tidegate.model.events import CancelRequested, JournalEvent, PauseAnswered, RunFinished, RunStatus
from tidegate.model.ids import CheckpointId, PauseId, RunId
from tidegate.model.prompt import Answer
from tidegate.model.state import RunSummary
from tidegate.store.protocol import Store

SECRET = "nobody's business"  # noqa: S105  # it is a text to be looked for
END = RunFinished(status=RunStatus.FAILED)
ENDED = RunSummary(status=RunStatus.FAILED)
LATER = NOW + 1_000


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Where a store is to be."""
    return tmp_path / "history"


async def _add(store: Store, run_id: str, *events: JournalEvent, **more: object) -> None:
    head = (await store.run(RunId(run_id))).head
    await store.append(adding(*events, run_id=run_id, after=head).evolve(**more))


async def _secret_run(store: Store) -> None:
    """Make a run that has something of everything, and another one beside it, in the same records."""
    own = hashed(f"{SECRET} " * 3)
    await asyncio.gather(*(store.create_run(new_run(run_id)) for run_id in (RUN, "kept")))
    await store.create_run(new_run("child", parent=below("gate"), owner=""))
    requests: list[JournalEvent] = [
        CancelRequested(reason=SECRET),
        paused(message=SECRET),
        marked("chk_gone", metadata={"why": SECRET}),
    ]
    await asyncio.gather(
        _add(store, RUN, *requests, values=dict([own, SMALL])),
        _add(store, "kept", wave(), paused("of_kept"), values=dict([SMALL])),
    )
    await _add(
        store, RUN, PauseAnswered(pause_id=PauseId("pause_one"), answer=Answer(value=True, raw=SECRET))
    )
    await asyncio.gather(
        *(store.write_output(RunId(name), BLOCK, 1, [chunk(0, SECRET.encode())]) for name in (RUN, "child"))
    )
    await store.write_output(RunId("kept"), BLOCK, 1, [chunk(0, b"kept\n")])
    await store.pin(CheckpointId("chk_gone"))
    await store.pin(CheckpointId("chk_gone"), pinned=False)
    await _add(store, "child", END, summary=ENDED, epoch=0)
    await _add(store, RUN, END, summary=ENDED)


async def _remove(store: Store, run_id: str = RUN) -> None:
    await store.remove_run(RunId(run_id), at=LATER)
    await _emptied(store)


async def _emptied(store: Store) -> None:
    while await store.empty_graves():
        pass


async def _is_without(store: Store) -> None:
    """Check that the run is gone, and that the other one is as it was."""
    assert [row.run_id for row in await store.runs()] == ["kept"]
    assert len(await store.read(RunId("kept"))) == 3
    assert [found.data for found in await store.read_output(RunId("kept"), BLOCK, 1)] == [b"kept\n"]
    assert await store.values([SMALL[0]]) == dict([SMALL])
    assert [row.pause_id for row in await store.pauses()] == ["of_kept"]
    assert await store.orphans() == {}
    with pytest.raises(RunNotFound):
        await store.run(RUN)


async def test_nothing_of_a_removed_run_is_left_in_any_file(place: Path) -> None:
    """Records that it shared with others have only the others' orders; the chain holds."""
    store = await opened_at(place)
    await _secret_run(store)
    await _remove(store)

    await _is_without(store)
    found = content(place)
    assert not [name for name, data in found.items() if SECRET.encode() in data or "child" in name]
    assert not list((place / "output").glob(f"{RUN}*"))
    said = json.loads(record(place, 1).read_text())["orders"]
    assert sorted(order["type"] for order in said) == ["new run", "removed"]
    await store.close()
    store = await opened_at(place)
    await _is_without(store)
    assert not await store.empty_graves()
    await store.close()


async def test_a_removed_definition_goes_with_its_last_run(place: Path) -> None:
    """It stays as long as another run needs it."""
    store = await opened_at(place)
    await _secret_run(store)
    await _remove(store)
    assert len(list((place / "definitions").iterdir())) == 2

    await _add(store, "kept", END, summary=ENDED)
    await _remove(store, "kept")

    assert [name for name in content(place) if not name.startswith((".git", "records/", "tidegate"))] == []
    await store.create_run(new_run())
    await store.close()
    store = await opened_at(place)
    assert [row.run_id for row in await store.runs()] == [RUN]
    await store.close()


async def test_a_store_that_slept_through_a_removal_wakes_up_without_the_run(place: Path) -> None:
    """Whatever it had seen before: nothing, the beginning, or all of it."""
    store = await opened_at(place)
    sleepers = [await opened_at(place)]
    await store.create_run(new_run(RunId("early")))
    await _secret_run(store)
    sleepers.append(await opened_at(place))
    await sleepers[0].runs()
    await _add(store, "early", END, summary=ENDED)
    await _remove(store, "early")
    await _remove(store)

    third = await opened_at(place)
    for one in (*sleepers, third, store):
        while await one.empty_graves():
            pass
        await _is_without(one)
        await one.close()


async def test_a_value_of_a_removed_run_is_written_again_for_the_next_one(place: Path) -> None:
    """Another process knows it from the run that is gone, and has not emptied that one's grave itself."""
    one = hashed("the same text in both runs")
    first, other = await opened_at(place), await opened_at(place)
    await first.create_run(new_run())
    await _add(first, RUN, wave(), values=dict([one]))
    assert await other.values([one[0]])
    await _add(first, RUN, END, summary=ENDED)
    await _remove(first)

    await other.create_run(new_run("next"))
    await _add(other, "next", wave(), values=dict([one]))

    for store in (first, other):
        assert await store.values([one[0]]) == dict([one])
        await store.close()


async def test_a_store_that_read_half_of_a_removed_run_goes_on(place: Path) -> None:
    """It had the run's beginning, and meets records from which the rest was taken out."""
    store = await opened_at(place)
    for run_id in (RUN, "kept"):
        await store.create_run(new_run(run_id))
    sleeper = await opened_at(place)
    for _ in range(30):
        await _add(store, RUN, wave())
        await _add(store, "kept", wave())
    await _add(store, RUN, END, summary=ENDED)
    await store.remove_run(RUN, at=LATER)
    # Some slices only: the newest records are without the run, the older ones still have it.
    for _ in range(2):
        assert await store.empty_graves()

    late = await opened_at(place)
    for one in (sleeper, late):
        assert [row.run_id for row in await one.runs()] == ["kept"]
        assert len(await one.read(RunId("kept"))) == 31
        while await one.empty_graves():
            pass
        assert await one.orphans() == {}
    while await store.empty_graves():
        pass
    for one in (store, sleeper, late):
        await one.close()


async def test_records_of_which_nothing_is_left_become_one(place: Path) -> None:
    """The directory becomes smaller, and whoever stood anywhere in it finds the place to go on from."""
    store = await opened_at(place)
    sleepers = [await opened_at(place)]
    await store.create_run(new_run("kept"))
    for number in range(3):
        name = f"gone{number}"
        await store.create_run(new_run(name))
        for _ in range(5):
            await _add(store, name, wave())
            sleepers.append(await opened_at(place))
        await _add(store, name, END, summary=ENDED)
        await _remove(store, name)
    await _add(store, "kept", wave())

    # 25 says that the last one was removed. It was the newest then, and is merged the next time.
    names = sorted(path.name for path in (place / "records").iterdir())
    assert names == [f"{number:08}.json" for number in (1, 2, 25, 26)]
    said = json.loads(record(place, 2).read_text())
    assert (said["upto"], said["orders"][0]["runs"]) == (24, ["gone0", "gone1"])
    for number, one in enumerate((*sleepers, await opened_at(place), store)):
        assert [(row.run_id, row.head) for row in await one.runs()] == [("kept", 2 + number)]
        await _emptied(one)
        assert await one.orphans() == {}
        await _add(one, "kept", wave())
        await one.close()


async def test_a_store_that_stands_on_a_merged_record_can_write_at_once(place: Path) -> None:
    """Without reading anything before: no record is put where one was taken away."""
    store = await opened_at(place)
    for name in ("kept", RUN):
        await store.create_run(new_run(name))
    await _add(store, RUN, wave())
    sleeper = await opened_at(place)
    for _ in range(4):
        await _add(store, RUN, wave())
    await _add(store, RUN, END, summary=ENDED)
    await _remove(store)
    assert not record(place, 4).exists()

    assert await sleeper.append(adding(wave(), run_id="kept", after=1)) == 2
    assert not record(place, 4).exists()
    for one in (store, sleeper):
        assert [(row.run_id, row.head) for row in await one.runs()] == [("kept", 2)]
        await one.close()


async def test_a_merged_record_that_was_changed_is_damage(place: Path) -> None:
    """It has a checksum of its own."""
    store = await opened_at(place)
    await store.create_run(new_run("kept"))
    for name in (RUN, "other"):
        await store.create_run(new_run(name))
        await _add(store, name, END, summary=ENDED)
        await _remove(store, name)
    await store.close()
    path = record(place, 2)
    assert '"upto": 6' in path.read_text()
    path.write_text(path.read_text().replace(f'"{RUN}"', '"kept"'))

    with pytest.raises(CorruptStore, match=r"records/00000002\.json was changed"):
        await opened_at(place)


async def test_who_waits_hears_of_changes_after_a_merge(place: Path) -> None:
    """The news of a new record does not get lost in the gap."""
    store, other = await opened_at(place), await opened_at(place)
    for name in ("kept", RUN):
        await store.create_run(new_run(name))
    cursor = await other.newest_cursor()
    for _ in range(5):
        await _add(store, RUN, wave())
    await _add(store, RUN, END, summary=ENDED)
    await _remove(store)
    cursor = (await other.changes(cursor)).cursor
    waiting = asyncio.create_task(other.wait_for_change(cursor))
    await other.runs()

    await _add(store, "kept", wave())

    async with asyncio.timeout(PATIENCE):
        await waiting
    assert [(row.run_id, row.head) for row in (await other.changes(cursor)).runs] == [("kept", 2)]
    for one in (store, other):
        await one.close()


async def test_records_that_are_being_taken_out_stay_checked(place: Path) -> None:
    """A removal does not make a damaged record whole."""
    store = await opened_at(place)
    await _secret_run(store)
    text = record(place, 2).read_bytes()
    record(place, 2).write_bytes(text.replace(b'"owner"', b'"owned"').replace(b"1700000", b"1700001"))
    damaged = content(place)["records/00000002.json"]
    assert damaged != text
    await store.remove_run(RUN, at=LATER)

    with pytest.raises(CorruptStore, match=r"records/00000002\.json was changed"):
        await _emptied(store)
    assert content(place)["records/00000002.json"] == damaged
    await store.close()


@pytest.mark.timeout(400)
async def test_a_death_at_any_moment_of_a_removal_leaves_no_orphan(tmp_path: Path) -> None:
    """Whoever opens the store next finds the run whole, or gone; and when it has cleaned up, all is well."""
    shared, own = (hashed(f"{name} " * 9)[0] for name in ("shared", "own"))
    seen: set[Sequence[str]] = set()
    for place, words in deaths(tmp_path, "remove"):
        seen.add(tuple(words))
        store = await opened_at(place)
        while await store.empty_graves():
            pass
        while await store.give_back():
            pass
        runs = sorted(row.run_id for row in await store.runs())
        assert runs == ["kept", "other"] or ("removed" not in words and runs == [RUN, "kept", "other"])
        if RUN in runs:
            assert len(await store.read(RUN)) == 6
            await _remove(store)
        assert await store.orphans() == {}
        assert await store.values([shared])
        with pytest.raises(CorruptStore, match="is missing"):
            await store.values([own])
        assert [found.data for found in await store.read_output(RunId("kept"), BLOCK, 1)] == [b"kept"]
        await store.close()
        again = await opened_at(place)
        assert sorted(row.run_id for row in await again.runs()) == ["kept", "other"]
        await again.close()
    assert len(seen) == 4


async def test_what_a_killed_writer_left_is_given_back(place: Path) -> None:
    """Files of a record that was never written are strays; those of others are not touched."""
    store = await opened_at(place)
    await _secret_run(store)
    before = content(place)
    for name in ("values/00/00aa.json", "output/kept/gate/1/000009-stdout.txt", "definitions/cafe.json"):
        (place / name).parent.mkdir(exist_ok=True)
        (place / name).write_bytes(b"12345")

    assert await store.orphans() == {"files of values": 1, "files of definitions": 1, "files of output": 1}
    assert await store.give_back() == 15
    assert await store.give_back() == 0
    assert await store.orphans() == {}
    assert content(place) == before
    await store.close()
