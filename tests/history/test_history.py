"""Reading back: lists, states at any point, and what an id means."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from running import World, world
from tidegate.errors import AmbiguousId, CheckpointNotFound, PauseNotFound, RunNotFound, WhichPause
from tidegate.history.narrate import narrate
from tidegate.model.events import RunStatus
from tidegate.model.ids import BlockId
from tidegate.model.listing import RunFilter


@pytest.fixture
async def ground(tmp_path: Path) -> AsyncIterator[World]:
    """A world on an in-memory store."""
    async with world(tmp_path) as opened:
        yield opened


TWO = """
    name: two
    blocks:
      - {id: one, type: GetInput, inputs: {prompt: "One?"}}
      - {id: two, type: GetInput, inputs: {prompt: "Two?"}}
      - {id: both, type: Shell, depends_on: [one, two], inputs: {command: "echo ${one.input_value}${two.input_value}"}}
"""


async def test_ids_may_be_given_by_their_beginning(ground: World) -> None:
    """A run is also named by its pauses and checkpoints."""
    run_id = await ground.start(TWO)
    await ground.rest(run_id)
    pause = await ground.pause_of(run_id, "one")

    assert await ground.history.find_run(run_id[:6]) == run_id
    assert await ground.history.find_run(pause.pause_id) == run_id
    assert (await ground.history.find_pause(pause.pause_id[:14])).pause_id == pause.pause_id
    assert str(await ground.history.find_checkpoint(pause.pause_id)) == pause.pause_id


async def test_what_is_not_there_is_said_to_be_not_there(ground: World) -> None:
    """And where to look instead."""
    with pytest.raises(RunNotFound, match="tidegate runs list"):
        await ground.history.find_run("zzz")
    with pytest.raises(PauseNotFound, match="tidegate inbox"):
        await ground.history.find_pause("zzz")
    with pytest.raises(CheckpointNotFound, match="tidegate checkpoints list"):
        await ground.history.find_checkpoint("zzz")


async def test_a_prefix_that_names_several_things_is_refused(ground: World) -> None:
    """The candidates are shown."""
    run_id = await ground.start(TWO)
    await ground.rest(run_id)

    for prefix in ("pause_", "pause_" + (await ground.pause_of(run_id, "one")).pause_id[6:8], run_id[:3]):
        with pytest.raises(AmbiguousId, match="type a few more characters"):
            await ground.history.find_pause(prefix)


async def test_an_answer_for_a_run_must_say_which_pause(ground: World) -> None:
    """R18: with several open, none is taken; with one, it is meant; with none, the last that was answered."""
    run_id = await ground.start(TWO)
    await ground.pause_of(run_id, "one")
    await ground.pause_of(run_id, "two")
    with pytest.raises(WhichPause, match=r"2 open pauses.*\(one\).*\(two\)"):
        await ground.history.find_pause(run_id)

    await ground.answer(run_id, "one", "1")
    assert (await ground.history.find_pause(run_id)).block == "two"
    await ground.answer_and_rest(run_id, "two", "2")
    last = await ground.history.find_pause(run_id)
    assert (last.block, last.answer is not None) == ("two", True)


async def test_a_state_that_is_followed_reads_only_what_is_new(ground: World) -> None:
    """Asked again, the same state object comes back; after a change, a newer one."""
    run_id = await ground.start(TWO)
    await ground.rest(run_id)
    first = await ground.history.state(run_id)
    same = await ground.history.state(run_id)
    await ground.answer(run_id, "one", "1")
    later = await ground.history.state(run_id)

    assert same == first
    assert later.head > first.head


async def test_runs_are_listed_newest_first_and_by_workflow(ground: World) -> None:
    """Each with where it stands now."""
    older = await ground.start(TWO)
    newer = await ground.start(TWO)
    await ground.rest(newer)
    await ground.rest(older)

    views = await ground.history.runs(RunFilter(workflow="two"))
    assert [view.row.run_id for view in views] == [newer, older]
    assert {view.status for view in views} == {RunStatus.PAUSED}
    assert await ground.history.runs(RunFilter(workflow="three")) == ()


async def test_output_is_read_in_chunks(ground: World) -> None:
    """In the order in which it was written."""
    run_id = await ground.start(TWO)
    await ground.answer(run_id, "one", "1")
    await ground.answer_and_rest(run_id, "two", "2")
    chunks = await ground.history.output(run_id, BlockId("both"), 1)

    assert b"".join(chunk.data for chunk in chunks) == b"12\n"
    assert await ground.history.output(run_id, BlockId("both"), 1, after=chunks[-1].n) == ()


async def test_a_journal_can_be_told(ground: World) -> None:
    """Every event is a line for people, or on purpose none."""
    run_id = await ground.start(TWO)
    await ground.answer(run_id, "one", "1")
    await ground.answer_and_rest(run_id, "two", "2")
    told = [line for record in await ground.events(run_id) if (line := narrate(record.event))]

    assert told[0] == "○ run of two started by ana"
    assert "◆ one asks: One?" in told
    assert "◆ ana answered: 1" in told
    assert told[-1] == "○ succeeded"
