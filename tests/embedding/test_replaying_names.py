"""Texts of a workflow that name its runs: in a replay they say what they said."""

from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest

import tidegate
from running import World, world
from tidegate.blocks.registry import catalog
from tidegate.engine.forks.fork import ForkRequest
from tidegate.history.recording import Recording, read_recording, record
from tidegate.model.events import Origin
from tidegate.model.ids import RunId, Seq
from tidegate.workflows.loader import Loaded, load_workflow

NAMED_CHILD = """
name: named
blocks:
  - {id: say, type: Shell, inputs: {command: "echo I am ${run.id}"}}
  - {id: ask, type: GetInput, depends_on: [say], inputs: {prompt: "${run.id}: ${say.stdout}?"}}
outputs: {me: "${run.id}"}
"""
NAMED = """
name: names
blocks:
  - {id: first, type: Shell, inputs: {command: "echo ${run.id} >> log; echo ${run.id}"}}
  - {id: gate, type: GetInput, depends_on: [first], inputs: {prompt: "${run.id} after ${first.stdout}?"}}
  - {id: each, type: ExecuteWorkflow, depends_on: [gate], for_each: [x, y], inputs: {workflow: named.yaml}}
  - {id: last, type: GetInput, depends_on: [each], inputs: {prompt: "${run.id} and ${each.results[1].outputs.run_id}?"}}
outputs: {me: "${run.id}", below: "${each.results[0].outputs.me}", told: "${first.stdout}"}
"""


@pytest.fixture
async def here(tmp_path: Path) -> AsyncIterator[World]:
    """Where runs are recorded."""
    async with world(tmp_path) as made:
        yield made


async def recorded(here: World, run_id: RunId) -> Recording:
    """Return the recording of a run, as it comes back from its file."""
    made = await record(here.store, run_id, (await here.store.run(run_id)).head)
    return read_recording(msgspec.json.encode(made.recording), "x.json")


async def named(here: World) -> tuple[Loaded, RunId]:
    """Return a workflow whose texts name its runs, and a run of it, at the end."""
    (here.folder / "named.yaml").write_text(NAMED_CHILD)
    (here.folder / "names.yaml").write_text(NAMED)
    workflow = load_workflow(here.folder / "names.yaml", catalog())
    run_id = await here.executor.start(workflow.definition, {}, by="ana")
    await here.answer_and_rest(run_id, "gate", "x")
    await answered_below(here, run_id)
    await here.answer_and_rest(run_id, "last", "x")
    return workflow, run_id


async def answered_below(here: World, run_id: RunId) -> None:
    """Answer what the runs below a run ask."""
    await here.rest(run_id)
    for asked in await here.history.inbox(run_id):
        if asked.run_id != run_id:
            await here.answer(asked.run_id, "ask", "z")
    await here.rest(run_id)


async def test_texts_that_name_a_run_say_the_same_in_a_replay(here: World) -> None:
    """It goes by the recorded id, and so do the runs below it."""
    workflow, run_id = await named(here)
    recording = await recorded(here, run_id)

    replayed = await tidegate.replay_async(workflow, recording)

    assert replayed.differences == ()
    assert replayed.questions[2] == f"gate: {run_id} after {run_id}?"
    assert replayed.outputs["me"] == run_id
    assert replayed.outputs["below"] == recording.children["each[x]"][0] != run_id
    # As they were before it was recorded which those were: then texts that name one differ, and no others.
    older = await tidegate.replay_async(workflow, recording.evolve(children={}))
    assert len(older.differences) == 4
    assert all("asks" in it or "'below'" in it for it in older.differences)


async def test_a_fork_whose_texts_name_it_is_a_test_of_its_own(here: World) -> None:
    """What it goes on from had another id; the recording is of one run that did all of it."""
    workflow, run_id = await named(here)
    asked = next(row.seq for row in await here.events(run_id) if getattr(row.event, "block", "") == "last")
    request = ForkRequest(Origin(run_id=run_id, seq=Seq(asked - 1)))
    forked = await here.executor.fork(request, by="ana")
    await here.answer_and_rest(forked, "last", "y")
    recording = await recorded(here, forked)

    replayed = await tidegate.replay_async(workflow, recording)

    assert run_id not in msgspec.json.encode(recording).decode()
    assert replayed.differences == ()
    assert replayed.questions[2] == f"gate: {forked} after {forked}?"
    assert replayed.outputs == {
        "me": forked,
        "below": recording.children["each[x]"][0],
        "told": forked,
    }
