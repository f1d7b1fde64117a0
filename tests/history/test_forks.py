"""Looking back through a fork: its past is that of the run it was forked from, then its own."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from running import World, world
from tidegate.engine.forks.edits import Edit
from tidegate.engine.forks.fork import ForkRequest
from tidegate.history.comparing import names_of_questions
from tidegate.history.counterparts import Counterpart
from tidegate.history.diff import differs
from tidegate.history.document import document, pick, questions
from tidegate.history.paths import path_text
from tidegate.history.points import Point
from tidegate.model.events import Origin, RunForked
from tidegate.model.ids import BlockId, RunId, Seq

DEPLOY = """
    name: deploy
    inputs: {env: {type: string}}
    blocks:
      - {id: build, type: Shell, inputs: {command: "echo built"}}
      - {id: gate, type: GetInput, depends_on: [build], inputs: {prompt: "Where to?"}}
      - {id: ship, type: Shell, depends_on: [gate], inputs: {command: "echo ${gate.input_value} ${env}"}}
"""


@pytest.fixture
async def ground(tmp_path: Path) -> AsyncIterator[World]:
    """A world on a SQLite file."""
    async with world(tmp_path, f"sqlite:///{tmp_path / 'forked.db'}") as opened:
        yield opened


async def deployed(ground: World) -> tuple[RunId, Seq]:
    """Return a run that has ended, and the event with which its question was asked."""
    run_id = await ground.start(DEPLOY, env="dev")
    await ground.rest(run_id)
    asked = (await ground.pause_of(run_id, "gate")).opened_seq
    await ground.answer_and_rest(run_id, "gate", "east")
    return run_id, asked


async def forked(ground: World, run_id: RunId, seq: int, *edits: Edit) -> RunId:
    """Return a fork that has ended: its question was answered with another word."""
    fork = await ground.executor.fork(
        ForkRequest(origin=Origin(run_id=run_id, seq=Seq(seq)), edits=edits), by="bo"
    )
    await ground.rest(fork)
    await ground.answer_and_rest(fork, "gate", "west")
    return fork


async def test_a_fork_has_the_past_of_its_parent(ground: World) -> None:
    """Its states, events and checkpoints up to there; then its own."""
    parent, asked = await deployed(ground)
    fork = await forked(ground, parent, asked, Edit(path=("inputs", "env"), value="qa"))
    walker, above = await ground.history.walk(fork), await ground.history.walk(parent)

    for seq in range(1, asked + 1):
        one, other = document(await walker.state(seq)), document(await above.state(seq))
        assert not differs(one, other)
    assert isinstance((await walker.event(asked + 1)).event, RunForked)
    assert pick(document(await walker.state(walker.head)), ("inputs", "env")) == "qa"
    marks = await walker.marks()
    shared = [mark.checkpoint_id for mark in await above.marks() if mark.seq <= asked]
    assert [mark.checkpoint_id for mark in marks][: len(shared)] == shared
    assert {mark.run_id for mark in marks} == {parent, fork}
    assert [mark.seq for mark in marks] == sorted(mark.seq for mark in marks)
    own = next(mark for mark in marks if mark.run_id == fork)
    again = await forked(ground, fork, own.seq)
    assert {mark.run_id for mark in await (await ground.history.walk(again)).marks()} == {parent, fork, again}


async def test_a_fork_is_compared_with_its_parent_by_what_was_answered(ground: World) -> None:
    """The question of the parent that was closed in the fork is not taken for the one that was asked anew."""
    parent, asked = await deployed(ground)
    fork = await forked(ground, parent, asked, Edit(path=("inputs", "env"), value="qa"))
    here = await ground.history.find_point(fork)
    above = await ground.history.counterpart(here, Counterpart.PARENT)
    point = await ground.history.counterpart(here, Counterpart.FORK_POINT)
    found = await ground.history.compare(above, here)
    changes = {path_text(change.path): (change.left, change.right) for change in found.changes}

    assert above == await ground.history.find_point(parent)
    assert point == Point(parent, asked)
    assert changes["inputs.env"] == ("dev", "qa")
    assert changes["pauses.gate.answer"] == ("east", "west")
    assert changes["blocks.ship.outputs.stdout"] == ("east dev", "west qa")
    assert not [path for path in changes if "closed" in path]
    assert not [path for path in changes if path.startswith("blocks.build")]
    since = await ground.history.compare(point, here)
    assert "blocks.ship.status" in {path_text(change.path) for change in since.changes}


CHOICE = """
    name: choice
    blocks:
      - {id: q, type: AskChoice, inputs: {question: "Which?", choices: [l, m]}}
      - {id: use, type: Shell, depends_on: [q], inputs: {command: "echo used"}}
"""


async def test_of_a_place_that_has_asked_several_times_the_answer_that_counts_is_compared(
    ground: World,
) -> None:
    """That of the last question, not of the first one there, which a fork has from its parent."""
    parent = await ground.start(CHOICE)
    state = await ground.answer_and_rest(parent, "q", "l")
    edit = Edit(path=("blocks", "q", "answer"), value="m", as_text=True)
    other = await ground.executor.fork(
        ForkRequest(Origin(run_id=parent, seq=state.head), edits=(edit,)), by="bo"
    )
    await ground.rest(other)
    kept = ForkRequest(Origin(run_id=parent, seq=state.head), blocks=(BlockId("q"),), keep_answers=True)
    same = await ground.executor.fork(kept, by="bo")
    await ground.rest(same)
    here = await ground.history.find_point(other)
    above = await ground.history.counterpart(here, Counterpart.PARENT)

    found = (await ground.history.compare(above, here)).by_group()["answers"]
    assert [(path_text(it.path), it.left, it.right) for it in found if it.path[-1] == "answer"] == [
        ("pauses.q.answer", "l", "m")
    ]
    assert {it.path[:2] for it in found} == {("pauses", "q")}
    of_same = await ground.history.compare(above, await ground.history.find_point(same))
    assert "answers" not in of_same.by_group()
    assert of_same.is_same
    again = await ground.history.state(other)
    assert list(questions(again)) == ["q", "q:2"]
    assert names_of_questions(again) == {"q": "q:2"}


async def test_a_question_that_a_fork_asks_again_is_no_difference(ground: World) -> None:
    """It is open here and there; before the fork has come to it, it is one that was not asked."""
    parent, asked = await deployed(ground)
    fork = await ground.executor.fork(ForkRequest(Origin(run_id=parent, seq=asked)), by="bo")
    await ground.rest(fork)
    here = await ground.history.find_point(fork)

    same = await ground.history.compare(Point(parent, asked), here)
    begun = await ground.history.compare(Point(parent, asked), Point(fork, Seq(asked + 1)))

    assert same.changes == ()
    answers = [(path_text(change.path), change.kind.value) for change in begun.by_group()["answers"]]
    assert answers == [("pauses.gate", "removed")]


async def test_a_value_that_an_edit_has_changed_changes_where_the_fork_begins(ground: World) -> None:
    """So one finds who has changed it, and when."""
    parent, asked = await deployed(ground)
    fork = await forked(ground, parent, asked, Edit(path=("inputs", "env"), value="qa"))
    walker = await ground.history.walk(fork)

    assert await walker.change_after(("inputs", "env"), 1) == asked + 1
    assert await walker.change_before(("inputs", "env"), walker.head) == asked + 1
    assert await (await ground.history.walk(parent)).change_after(("inputs", "env"), 1) is None
