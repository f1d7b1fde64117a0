"""Points: what a word means, and what is said of one that means none."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from running import World, world
from tidegate.errors import AmbiguousId, RunNotFound
from tidegate.history.points import Point, PointNotFound
from tidegate.model.checkpoint import asked
from tidegate.model.ids import CheckpointId, RunId, Seq

GATE = """
    name: gate
    blocks:
      - {id: ask, type: GetInput, inputs: {prompt: "Name?"}}
      - {id: greet, type: Template, depends_on: [ask], inputs: {template: "hello ${ask.input_value}"}}
"""


@pytest.fixture
async def ground(tmp_path: Path) -> AsyncIterator[World]:
    """A world on an in-memory store."""
    async with world(tmp_path) as opened:
        yield opened


async def _paused(ground: World) -> RunId:
    run_id = await ground.start(GATE)
    await ground.rest(run_id)
    return run_id


async def test_a_point_is_named_by_an_event_a_checkpoint_a_question_or_a_run(ground: World) -> None:
    """Each by the beginning of its id; a run means its newest event."""
    run_id = await _paused(ground)
    pause = await ground.pause_of(run_id, "ask")
    (mark,) = await ground.history.checkpoints()
    head = (await ground.history.state(run_id)).head
    find = ground.history.find_point

    assert await find(f"{run_id}@2") == Point(run_id, Seq(2))
    assert await find(f" {run_id[:6]}@{head} ") == Point(run_id, head)
    assert await find(run_id[:6]) == Point(run_id, head)
    assert await find(mark.checkpoint_id) == Point(run_id, Seq(mark.seq))
    assert await find(pause.pause_id[:12]) == Point(run_id, Seq(mark.seq))
    assert await find(f"{pause.pause_id}@1") == Point(run_id, Seq(1))
    assert await find(str(await find(run_id))) == await find(run_id)


async def test_a_question_is_a_point_also_when_its_checkpoint_is_gone(ground: World) -> None:
    """It knows where it was asked."""
    run_id = await _paused(ground)
    pause = await ground.pause_of(run_id, "ask")
    await ground.answer_and_rest(run_id, "ask", "ana")
    await ground.store.delete_mark(CheckpointId(pause.pause_id))

    assert await ground.history.find_point(pause.pause_id) == Point(run_id, pause.opened_seq)


async def test_what_is_no_point_is_said_with_what_would_be_one(ground: World) -> None:
    """The run, its events, or where to look."""
    run_id = await _paused(ground)
    head = (await ground.history.state(run_id)).head

    for word, said in (
        (f"{run_id}@{head + 1}", f"run {run_id} has no event {head + 1}: it has those from 1 to {head}"),
        (f"{run_id}@0", "has no event 0"),
        (f"{run_id}@", f"what follows the @ is the number of an event, as in {run_id}@12"),
        (f"{run_id}@-3", "what follows the @ is the number of an event"),
        (f"{run_id}@²", "what follows the @ is the number of an event"),
        ("nothing", "no run, checkpoint or question 'nothing'"),
        ("", "no run, checkpoint or question ''"),
    ):
        with pytest.raises(PointNotFound) as caught:
            await ground.history.find_point(word)
        assert said in str(caught.value)
    with pytest.raises(RunNotFound, match="tidegate runs list"):
        await ground.history.find_point("nothing@3")
    with pytest.raises(AmbiguousId, match="type a few more characters"):
        await ground.history.find_point(run_id[:2])


async def test_the_state_at_a_point_is_that_of_its_event(ground: World) -> None:
    """With the values loaded, where somebody wants to see all of it."""
    run_id = await _paused(ground)
    await ground.answer_and_rest(run_id, "ask", "ana")
    head = (await ground.history.state(run_id)).head
    then, now = Point(run_id, Seq(1)), Point(run_id, head)

    assert (await ground.history.state_at(then)).head == 1
    assert await ground.history.state_at(now) == await ground.history.state(run_id)
    assert (await ground.history.point_state(then)).context == {}
    found = await ground.history.point_state(now)
    document = found.as_json()
    assert found.context["ask"] == {"input_value": "ana"}
    assert found.context["greet"]["text"] == "hello ana"
    assert (document["checkpoint_id"], document["type"], document["seq"]) == (None, "event", head)
    assert [(pause.block, pause.answer is not None) for pause in asked(found.state)] == [("ask", True)]
