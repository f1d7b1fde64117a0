"""Runs that go from one store to another as a file."""

import json
import re
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest

from history.porting import content, everything, everything_of, exported, imported
from running import World, definition_of, world
from tidegate.clock import SystemClock
from tidegate.embedding.replaying import replay_async
from tidegate.engine.forks.edits import Edit
from tidegate.engine.forks.fork import ForkRequest
from tidegate.history.arriving import Arrival, Import, under_new_ids
from tidegate.history.counterparts import Counterpart, NoCounterpart
from tidegate.history.export import prepare_export
from tidegate.history.export_files import FileThere, read_export, write_parts, write_whole
from tidegate.history.history import History
from tidegate.history.importing import unpack
from tidegate.history.points import Point, find_point
from tidegate.history.portable import BadExport, Chain, Digest, Document, NotExportable
from tidegate.history.recording import record
from tidegate.history.verify import verify
from tidegate.model.events import Origin, RunForked, RunStatus
from tidegate.model.ids import BlockId, RunId, Seq
from tidegate.model.listing import CheckpointFilter, RunFilter
from tidegate.store import open_store
from tidegate.store.protocol import Store
from tidegate.workflows.loader import Loaded

GATED = """
    name: gated
    blocks:
      - {id: before, type: Shell, inputs: {command: "echo before"}}
      - {id: gate, type: ConfirmOperation, depends_on: [before], inputs: {message: "Go?", operation: deploy}}
      - {id: after, type: Shell, depends_on: [gate], inputs: {command: "echo after"}}
"""


@pytest.fixture
async def here(tmp_path: Path) -> AsyncIterator[World]:
    """Where runs are exported from."""
    async with world(tmp_path) as made:
        yield made


@pytest.fixture(params=["sqlite", "memory", "file"])
async def there(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    """Every kind of store that they may go to."""
    urls = {
        "sqlite": f"sqlite://{tmp_path}/there.db",
        "memory": "memory://",
        "file": f"file://{tmp_path}/there",
    }
    opened = await open_store(urls[request.param], clock=SystemClock())
    yield opened
    await opened.close()


async def _ended(here: World) -> RunId:
    """Return a run with a history of every kind, that has ended; a person has made marks in it."""
    run_id = await here.start(everything(here.folder), flag=str(here.folder / "flag"))
    await here.rest(run_id)
    (asked,) = await here.history.inbox(run_id)
    await here.answer(asked.run_id, "ask", "this one")
    await here.rest(run_id)
    await here.answer(run_id, "gate", "yes")
    assert (await here.rest(run_id)).status is RunStatus.SUCCEEDED
    marks = await here.store.checkpoints(CheckpointFilter(run_id=run_id))
    await here.executor.pin(marks[0].checkpoint_id)
    await here.executor.label(marks[1].checkpoint_id, "called")
    await here.store.delete_mark(marks[2].checkpoint_id)
    await here.executor.mark(run_id, Seq(3), by="ana", label="placed")
    return run_id


async def _sound(store: Store) -> list[str]:
    findings = [finding async for verdict in verify(store) for finding in verdict.findings]
    return [*findings, *(await store.faults()), *(await store.orphans())]


async def test_what_is_imported_is_what_was_exported(here: World, there: Store) -> None:
    """Rows, events, values, output, questions and checkpoints, of every run of the tree; twice changes nothing."""
    run_id = await _ended(here)
    file = await exported(here.store, run_id)

    await imported(there, file)

    assert await everything_of(there, run_id) == await everything_of(here.store, run_id)
    assert content(await exported(there, run_id)) == content(file)
    again = await Import(there, unpack({"x": file}), SystemClock(), "x").write()
    assert [it.arrival for it in again] == [Arrival.THERE, Arrival.THERE]
    assert await _sound(there) == []


async def test_what_had_not_ended_arrives_held(here: World, there: Store) -> None:
    """At every point of it, with the runs below it as they were; nothing of it goes on before a person wants it."""
    run_id = await here.start(everything(here.folder), flag=str(here.folder / "flag"))
    await here.rest(run_id)
    (asked,) = await here.history.inbox(run_id)
    await here.answer(asked.run_id, "ask", "this one")
    await here.rest(run_id)
    head = (await here.store.run(run_id)).head
    before = await here.store.read(run_id)

    for seq in (head, 1, head // 3, head // 2, head - 3):
        parcel = under_new_ids(unpack({"x": await exported(here.store, f"{run_id}@{seq}")}))
        await Import(there, parcel, SystemClock(), "x").write()
        new = parcel.document.run_id
        row = await there.run(new)
        assert (row.summary.held, row.owner) == (True, "")
        assert [record.at for record in await there.read(new, upto=Seq(seq))] == [
            record.at for record in before[:seq]
        ]
    assert await _sound(there) == []


async def test_a_held_run_goes_on_where_it_stood(here: World, tmp_path: Path) -> None:
    """The question is asked there, too; its answer moves the run to its end, and the first one stays as it is."""
    run_id = await here.start(GATED)
    await here.rest(run_id)
    async with world(tmp_path, f"sqlite://{tmp_path}/other.db") as other:
        await imported(other.store, await exported(here.store, run_id))
        await other.executor.unpause(run_id, by="bo")
        state = await other.answer_and_rest(run_id, "gate", "yes")

        assert state.status is RunStatus.SUCCEEDED
        assert await _sound(other.store) == []
    assert (await here.history.run_view(run_id)).status is RunStatus.PAUSED


async def test_a_second_run_has_ids_of_its_own_everywhere(here: World) -> None:
    """In the store that it comes from: nothing of the first one changes, and both are sound."""
    run_id = await _ended(here)
    before = await everything_of(here.store, run_id)
    file = await exported(here.store, run_id)

    parcel = under_new_ids(unpack({"x": file}))
    await Import(here.store, parcel, SystemClock(), "x").write()

    second = await exported(here.store, parcel.document.run_id)
    ids = re.compile(rb"(?:chk|pause)_[0-9a-z]{12}|" + run_id.encode())
    assert not set(ids.findall(file)) & set(ids.findall(second))
    assert not {it.run_id for it in parcel.document.runs} & before.keys()
    assert len(second) == pytest.approx(len(file), abs=50)
    assert await everything_of(here.store, run_id) == before
    assert await _sound(here.store) == []


async def test_a_fork_is_exported_with_all_that_it_goes_on_from(here: World, there: Store) -> None:
    """Also a fork of a fork: flat, beside the run that it comes from, with its output; exported again it is the same."""
    run_id = await _ended(here)
    runs = [run_id]
    for _ in range(2):
        seq = Seq((await here.store.run(runs[-1])).head - 8)
        fork = await here.executor.fork(ForkRequest(Origin(run_id=runs[-1], seq=seq)), by="bo")
        await here.rest(fork)
        for pause in await here.history.inbox(fork):
            await here.answer(pause.run_id, pause.block, "yes")
            await here.rest(fork)
        runs.append(fork)

    files = [await exported(here.store, it) for it in runs]
    for file in files:
        await imported(there, file)

    assert [content(await exported(there, it)) for it in runs] == [content(file) for file in files]
    for file in files:
        back = await Import(here.store, unpack({"x": file}), SystemClock(), "x").plan()
        assert {it.arrival for it in back} == {Arrival.THERE}
    for it in runs:
        here_row, row = await here.store.run(it), await there.run(it)
        assert (row.head, row.summary, row.by) == (here_row.head, here_row.summary, here_row.by)
        assert (row.created_at, row.updated_at) == (here_row.created_at, here_row.updated_at)
        assert await there.read_output(it, "big", 1) == await there.read_output(run_id, "big", 1)  # type: ignore[arg-type]
    assert await _sound(there) == []


async def test_an_imported_fork_says_what_it_was_forked_from(here: World, there: Store) -> None:
    """Whether that is there or not, also exported once more; a fork of it is one of it."""
    run_id = await here.start(GATED)
    await here.answer_and_rest(run_id, "gate", "yes")
    head = (await here.store.run(run_id)).head
    fork = await here.executor.fork(
        ForkRequest(Origin(run_id=run_id, seq=head), blocks=(BlockId("after"),)), by="bo"
    )
    await here.rest(fork)
    history = History(there, SystemClock())

    await imported(there, await exported(here.store, fork))
    again = await exported(there, fork)

    assert (await history.state(fork)).forked_from == Origin(run_id=run_id, seq=head)
    assert json.loads(again)["runs"][0]["origin"] == {"run_id": run_id, "seq": head}
    assert content(again) == content(await exported(here.store, fork))
    here_now = await history.find_point(fork)
    with pytest.raises(
        NoCounterpart, match=f"was forked from run {run_id} at event {head}, and that run is not"
    ):
        await history.counterpart(here_now, Counterpart.PARENT)
    await imported(there, await exported(here.store, f"{run_id}@5"))
    with pytest.raises(NoCounterpart, match=r"here that run has only events 1 to"):
        await history.counterpart(here_now, Counterpart.FORK_POINT)


async def test_an_imported_fork_is_compared_with_what_it_was_forked_from(here: World, there: Store) -> None:
    """Once that is imported, too."""
    run_id = await here.start(GATED)
    await here.answer_and_rest(run_id, "gate", "yes")
    head = (await here.store.run(run_id)).head
    fork = await here.executor.fork(ForkRequest(Origin(run_id=run_id, seq=head)), by="bo")
    await here.rest(fork)
    for it in (run_id, fork):
        await imported(there, await exported(here.store, it))
    history = History(there, SystemClock())
    here_now = await history.find_point(fork)

    assert await history.counterpart(here_now, Counterpart.PARENT) == Point(run_id, head)
    assert await history.counterpart(here_now, Counterpart.FORK_POINT) == Point(run_id, head)


@pytest.mark.parametrize("goes_on", [False, True], ids=["as it was", "otherwise"])
async def test_a_fork_is_not_compared_with_another_history_of_its_parent(
    here: World, there: Store, tmp_path: Path, goes_on: bool
) -> None:
    """It was exported by itself, and its parent at an earlier point, from which that went on otherwise elsewhere."""
    run_id = await here.start(GATED)
    await here.rest(run_id)
    asked = (await here.pause_of(run_id, "gate")).opened_seq
    early = await exported(here.store, f"{run_id}@{asked}")
    head = (await here.answer_and_rest(run_id, "gate", "yes")).head
    fork = await here.executor.fork(ForkRequest(Origin(run_id=run_id, seq=head)), by="bo")
    await here.rest(fork)
    file = await exported(here.store, fork)
    late = await exported(here.store, run_id)
    async with world(tmp_path, f"sqlite://{tmp_path}/elsewhere.db") as elsewhere:
        await imported(elsewhere.store, early if goes_on else late)
        if goes_on:
            await elsewhere.executor.unpause(run_id, by="cy")
            await elsewhere.answer_and_rest(run_id, "gate", "yes")
        parent = await exported(elsewhere.store, run_id)
    await imported(there, parent)
    await imported(there, file)
    history = History(there, SystemClock())
    here_now = await history.find_point(fork)

    for word in (Counterpart.PARENT, Counterpart.FORK_POINT):
        if goes_on:
            with pytest.raises(NoCounterpart, match="here that run has another history"):
                await history.counterpart(here_now, word)
        else:
            assert (await history.counterpart(here_now, word)).run_id == run_id


async def test_a_file_of_before_says_what_its_fork_was_forked_from(here: World, there: Store) -> None:
    """There the journal does not say it, and what stands beside it does; where it was imported then, it is the same."""
    run_id = await here.start(GATED)
    await here.answer_and_rest(run_id, "gate", "yes")
    head = (await here.store.run(run_id)).head
    fork = await here.executor.fork(ForkRequest(Origin(run_id=run_id, seq=head)), by="bo")
    await here.rest(fork)
    file = _as_of_before(await exported(here.store, fork))

    await imported(there, file)

    assert (await History(there, SystemClock()).state(fork)).forked_from == Origin(run_id=run_id, seq=head)
    (back,) = await Import(here.store, unpack({"x": file}), SystemClock(), "x").plan()
    assert back.arrival is Arrival.THERE


def _as_of_before(file: bytes) -> bytes:
    """Return an export as it was written when journals did not say what a fork was forked from."""
    document = msgspec.json.decode(file, type=Document)
    chain, digest = Chain(document.run_id), Digest()
    run = document.runs[0]
    events = tuple(
        it.evolve(event=it.event.evolve(former=None)) if isinstance(it.event, RunForked) else it
        for it in run.events
    )
    for it in events:
        chain.add(it)
    for definition in document.definitions:
        digest.add_definition(definition)
    digest.add_run(run.evolve(events=(), chain=""), str(chain))
    for marks in document.checkpoints:
        digest.add_marks(marks)
    for value in document.values:
        digest.add_value(value.sha256)
    for output in document.output:
        digest.add_output(output)
    document = document.evolve(runs=(run.evolve(events=events, chain=str(chain)),))
    return msgspec.json.encode(document.evolve(digest=digest.of(document)))


async def test_a_fork_at_a_point_before_its_own_events_stands_alone_too(here: World, there: Store) -> None:
    """What it has from the other run is there under other ids: the run that has them first may be there, too."""
    run_id = await here.start(GATED)
    await here.rest(run_id)
    head = (await here.store.run(run_id)).head
    fork = await here.executor.fork(ForkRequest(Origin(run_id=run_id, seq=head)), by="bo")
    await here.rest(fork)
    past = await exported(here.store, f"{fork}@{head}")

    await imported(there, await exported(here.store, run_id))
    await imported(there, past)

    (back,) = await Import(here.store, unpack({"x": past}), SystemClock(), "x").plan()
    assert back.arrival is Arrival.THERE
    assert await _sound(there) == []


async def test_a_fork_with_answers_is_taken_in_as_it_was_made(here: World, there: Store) -> None:
    """With those that were kept from the other run, and one that was given with the fork."""
    run_id = await here.start(GATED)
    state = await here.answer_and_rest(run_id, "gate", "no")
    edit = Edit(("blocks", "gate", "answer"), "yes", as_text=True)
    request = ForkRequest(Origin(run_id=run_id, seq=state.head), edits=(edit,), keep_answers=True)
    fork = await here.executor.fork(request, by="bo")
    assert (await here.rest(fork)).status is RunStatus.SUCCEEDED
    file = await exported(here.store, fork)

    await imported(there, file)

    assert content(await exported(there, fork)) == content(file)
    assert await _sound(there) == []


async def test_what_somebody_else_has_written_meanwhile_stays(here: World, tmp_path: Path) -> None:
    """Also if it was not there when the export began; nothing else is left in the folder."""
    run_id = await here.start(GATED)
    await here.rest(run_id)
    made = await prepare_export(here.store, await find_point(here.store, run_id), SystemClock())
    path = tmp_path / "new" / "run.json"

    async def pieces() -> AsyncIterator[bytes]:
        async for piece in made.whole():
            path.write_text("theirs")
            yield piece

    with pytest.raises(FileThere, match="stays as it is"):
        await write_whole(pieces(), path)

    assert path.read_text() == "theirs"
    assert [it.name for it in path.parent.iterdir()] == ["run.json"]


MENDED = """
    name: mended
    blocks:
      - {id: a, type: Shell, inputs: {command: "echo a"}}
      - {id: b, type: Shell, depends_on: [a], inputs: {command: "exit 3"}}
"""


async def _mended_fork(here: World) -> RunId:
    """Return a fork that goes on with another definition than its run has."""
    run_id = await here.start(MENDED)
    await here.rest(run_id)
    head = (await here.store.run(run_id)).head
    definition = definition_of(MENDED.replace("exit 3", "echo mended"), working_dir=here.folder)
    request = ForkRequest(Origin(run_id=run_id, seq=head), workflow=definition)
    fork = await here.executor.fork(request, by="bo")
    assert (await here.rest(fork)).status is RunStatus.SUCCEEDED
    return fork


async def test_a_fork_with_a_mended_workflow_is_exported_with_both(here: World, there: Store) -> None:
    """Its journal begins with the one, and goes on with the other; a recording of it is of the mended one."""
    fork = await _mended_fork(here)
    file = await exported(here.store, fork)

    await imported(there, file)

    assert content(await exported(there, fork)) == content(file)
    assert (await there.run(fork)).summary == (await here.store.run(fork)).summary
    assert await _sound(there) == []
    recorded = await record(here.store, fork, (await here.store.run(fork)).head)
    replayed = await replay_async(Loaded(recorded.definition, ""), recorded.recording)
    assert (replayed.differences, replayed.blocks) == ((), {"a": "succeeded", "b": "succeeded"})


async def test_a_run_that_was_removed_can_come_back(here: World, there: Store) -> None:
    """Nothing that is left of it is mistaken for a part of the new one."""
    run_id = await _ended(here)
    file = await exported(here.store, run_id)
    await imported(there, file)
    before = await everything_of(there, run_id)

    await there.remove_run(run_id, at=9e9, despite_pins=True)
    await imported(there, file)
    while await there.empty_graves():
        pass

    assert await everything_of(there, run_id) == before
    assert await _sound(there) == []


async def test_another_run_of_that_name_is_refused(here: World, there: Store) -> None:
    """Nothing is written; one whose file has more than the store is, too."""
    run_id = await here.start(GATED)
    await here.rest(run_id)
    await imported(there, await exported(here.store, f"{run_id}@3"))
    more = await exported(here.store, run_id)

    with pytest.raises(BadExport, match=r"its event 4 is another one: say --as-new"):
        await imported(there, more)
    assert len(await there.runs(RunFilter())) == 1


async def test_a_run_below_another_one_is_not_exported_alone(here: World) -> None:
    """Who wants it is told which one to export."""
    run_id = await _ended(here)
    (child,) = [row for row in await here.store.runs(RunFilter(root=run_id)) if row.root]

    with pytest.raises(NotExportable, match=f"is a part of run {run_id}: export that one"):
        await exported(here.store, child.run_id)


@pytest.mark.parametrize("name", ["run.json", "run.json.gz", "run.json.zst"])
async def test_files_may_be_compressed(here: World, tmp_path: Path, name: str) -> None:
    """By their name when they are written, by what is in them when they are read."""
    run_id = await _ended(here)
    made = await prepare_export(here.store, await find_point(here.store, run_id), SystemClock())
    path = tmp_path / "made" / name
    await write_whole(made.whole(), path)
    path = path.rename(tmp_path / "made" / "anything")

    assert unpack(read_export(path)).document.run_id == run_id
    assert [it.name for it in path.parent.iterdir()] == ["anything"]
    with pytest.raises(BadExport, match="longer than 99 bytes"):
        read_export(path, most=99)


async def test_the_three_part_form_says_the_same(here: World, there: Store, tmp_path: Path) -> None:
    """State, metadata and values, each in a file of its own; with one of another run it is refused."""
    run_id = await _ended(here)
    made = await prepare_export(here.store, await find_point(here.store, run_id), SystemClock())
    await write_parts(made.parts(), tmp_path / "parts")
    texts = read_export(tmp_path / "parts")

    parcel = unpack(texts)
    await Import(there, parcel, SystemClock(), "parts").write()

    assert await everything_of(there, run_id) == await everything_of(here.store, run_id)
    metadata = json.loads((tmp_path / "parts" / "metadata.json").read_text())
    assert (metadata["workflow"], metadata["status"], len(metadata["checkpoints"])) == (
        "everything",
        "succeeded",
        2,
    )
    state = tmp_path / "parts" / "state.json"
    state.write_text(state.read_text().replace(f'"run_id": "{run_id}"', '"run_id": "another"'))
    with pytest.raises(BadExport, match="parts of different exports"):
        unpack(read_export(tmp_path / "parts"))
    state.unlink()
    with pytest.raises(BadExport, match=r"has no state\.json"):
        read_export(tmp_path / "parts")
