"""Of random runs: export then import is equal, and a recording is what its workflow does again."""

import asyncio
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from history.porting import content, everything_of, exported, imported
from running import world
from scripted import Call, Scripted, Tick, with_scripted
from strategies import Case, cases, trees
from test_cut_off import answer_all
from tidegate.blocks.base import Block
from tidegate.clock import SystemClock
from tidegate.embedding.replaying import replay_async
from tidegate.history.importing import unpack
from tidegate.history.recording import record, told_questions
from tidegate.history.verify import verify
from tidegate.model.ids import RunId, Seq
from tidegate.store import open_store
from tidegate.store.protocol import Store
from tidegate.workflows.loader import Loaded

SOME = settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])


async def _check_import(case: Case, part: float) -> None:
    async with world(Path.cwd(), blocks=with_scripted(Scripted())) as here:
        run_id = await here.start(case.definition)
        await answer_all(here, case, run_id)
        head = (await here.store.run(run_id)).head
        whole = await exported(here.store, run_id)
        past = await exported(here.store, f"{run_id}@{max(1, round(head * part))}")
        before = await everything_of(here.store, run_id)
    there = await open_store("memory://", clock=SystemClock())
    await imported(there, whole)
    assert await everything_of(there, run_id) == before
    assert content(await exported(there, run_id)) == content(whole)
    await _check_sound(there, run_id)
    await _check_past(past)


async def _check_past(file: bytes) -> None:
    """At any point: what was there by then is there, and a run that had not ended stays where it is."""
    there = await open_store("memory://", clock=SystemClock())
    parcel = await imported(there, file)
    for run in parcel.document.runs:
        assert (await there.read(run.run_id))[: len(run.events)] == run.records()
    await _check_sound(there, parcel.document.runs[0].run_id)


async def _check_sound(there: Store, run_id: RunId) -> None:
    assert [finding async for it in verify(there) for finding in it.findings] == []
    row = await there.run(run_id)
    assert row.owner == ""
    assert row.summary.held or row.summary.status.is_terminal
    await there.close()


@SOME
@given(case=st.one_of(cases(), trees()), part=st.floats(0, 1))
def test_export_then_import_is_equal(case: Case, part: float) -> None:
    """Rows, events, questions and checkpoints; up to the end, and up to any point."""
    asyncio.run(_check_import(case, part))


@SOME
@given(case=cases())
def test_a_file_is_read_back_as_it_was_written(case: Case) -> None:
    """Whatever is in the events: each is the same noun again."""

    async def check() -> None:
        async with world(Path.cwd(), blocks=with_scripted(Scripted())) as here:
            run_id = await here.start(case.definition)
            await answer_all(here, case, run_id)
            parcel = unpack({"x": await exported(here.store, run_id)})
            assert parcel.document.runs[0].records() == await here.store.read(run_id)

    asyncio.run(check())


@SOME
@given(case=cases())
def test_a_recording_is_what_its_workflow_does_again(case: Case) -> None:
    """The same path, questions, outputs and end, without one attempt at a block's own work."""

    async def check() -> None:
        scripted = Scripted()
        async with world(Path.cwd(), blocks=with_scripted(scripted)) as here:
            run_id = await here.start(case.definition)
            await answer_all(here, case, run_id)
            recorded = await record(here.store, run_id, Seq((await here.store.run(run_id)).head))
        did = len(scripted.keys)
        own: dict[str, Block] = {"Scripted": scripted, "Tick": Tick(), "Call": Call()}
        replayed = await replay_async(Loaded(case.definition, ""), recorded.recording, blocks=own)
        assert replayed.differences == ()
        assert replayed.outputs == recorded.recording.outputs
        assert replayed.questions == told_questions(recorded.recording.questions)
        assert len(scripted.keys) == did

    asyncio.run(check())
