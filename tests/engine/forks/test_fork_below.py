"""A fork of a tree of runs: each run below goes on from where it was, whatever the clocks say, and as was foretold."""

import asyncio
import re
import sqlite3
import textwrap
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest

from running import World, until, world
from tidegate.blocks.registry import BUILTIN, catalog
from tidegate.clock import SystemClock
from tidegate.engine.executor import Executor
from tidegate.engine.forks.edits import Edit, InvalidEdit
from tidegate.engine.forks.fork import ForkRequest
from tidegate.engine.forks.preview import Fate, ForkPreview, name_below
from tidegate.errors import BlockNotFound, CorruptStore
from tidegate.history.history import History
from tidegate.model.events import (
    AttemptFailed,
    AttemptStarted,
    ChildMoved,
    ChildPaused,
    Origin,
    PauseAnswered,
    RunStatus,
)
from tidegate.model.ids import BlockId, RunId, Seq
from tidegate.model.listing import RunFilter
from tidegate.model.workflow import WorkflowDefinition
from tidegate.store.opening import open_store
from tidegate.workflows.loader import load_workflow

ASKS = """
name: below
inputs:
  env: {type: str, default: dev}
blocks:
  - {id: first, type: Shell, inputs: {command: "echo first ${env} >> log"}}
  - {id: one, type: GetInput, depends_on: [first], inputs: {prompt: "One?"}}
  - {id: middle, type: Shell, depends_on: [one], inputs: {command: "echo middle ${one.input_value} >> log"}}
  - {id: two, type: GetInput, depends_on: [middle], inputs: {prompt: "Two?"}}
"""
FAILS = """
name: below
blocks:
  - {id: x, type: Shell, inputs: {command: "echo x >> log"}}
  - {id: y, type: Shell, depends_on: [x], inputs: {command: "echo y >> log; test -e go"}}
"""
ABOVE = """
name: above
inputs:
  env: {type: str, default: dev}
blocks:
  - {id: sub, type: ExecuteWorkflow, inputs: {workflow: below.yaml, inputs: {INPUTS}}}
  - {id: after, type: Shell, depends_on: [sub], inputs: {command: "echo after >> log"}}
"""
OVER_ITEMS = """
name: above
blocks:
  - {id: each, type: ExecuteWorkflow, for_each: [a, b], inputs: {workflow: below.yaml}}
  - {id: after, type: Shell, depends_on: [each], inputs: {command: "echo after >> log"}}
"""


@pytest.fixture
async def ground(tmp_path: Path) -> AsyncIterator[World]:
    """A world of its own."""
    async with world(tmp_path) as here:
        yield here


def tree(folder: Path, below: str, above: str = ABOVE, *, inputs: str = "") -> WorkflowDefinition:
    """Return a workflow that calls another one."""
    (folder / "below.yaml").write_text(textwrap.dedent(below))
    (folder / "above.yaml").write_text(textwrap.dedent(above).replace("INPUTS", inputs))
    return load_workflow(folder / "above.yaml", catalog()).definition


def log_of(ground: World) -> list[str]:
    """Return what the commands have done."""
    return (ground.folder / "log").read_text().splitlines()


async def start(ground: World, definition: WorkflowDefinition) -> RunId:
    """Start a run, and return once it moves no more."""
    run_id = await ground.executor.start(definition, {}, by="ana")
    await ground.rest(run_id)
    return run_id


async def answer(ground: World, run_id: RunId, block: str, raw: str) -> None:
    """Answer the question of a block below."""
    (row,) = await ground.history.inbox(run_id)
    assert row.block == block
    await ground.answer_and_rest(row.run_id, block, raw)
    await ground.rest(run_id)


async def fates(ground: World, request: ForkRequest) -> tuple[ForkPreview, dict[str, str]]:
    """Return a preview, and of each block below what becomes of it."""
    preview = await ground.executor.preview_fork(request)
    found = {
        f"{it.place}/{block.block}": block.fate.value for it in preview.below for block in it.preview.blocks
    }
    return preview, found


class SetBack(SystemClock):
    """A clock that somebody sets back."""

    back = 0.0

    def now(self) -> float:
        """Return the time, as it is said to be."""
        return super().now() - self.back


@pytest.mark.parametrize("point", ["asleep", "called"])
async def test_a_clock_that_was_set_back_gives_no_answers_away(tmp_path: Path, point: str) -> None:
    """What was answered after the point is asked again, though by the clock it was answered long before."""
    clock = SetBack()
    store = await open_store(f"sqlite://{tmp_path}/t.db", clock=clock)
    executor = Executor(store, clock, BUILTIN)
    await executor.open()
    ground = World(store, executor, History(store, clock), tmp_path)
    run_id = await start(ground, tree(tmp_path, ASKS))
    events = await ground.events(run_id)
    asleep = next(it.seq for it in events if isinstance(it.event, ChildPaused))
    seq = asleep if point == "asleep" else Seq(asleep - 1)
    clock.back = 120.0
    await answer(ground, run_id, "one", "1")
    await answer(ground, run_id, "two", "2")

    forked = await executor.fork(ForkRequest(Origin(run_id=run_id, seq=seq)), by="bea")
    await ground.rest(forked)
    asked = [row.block for row in await ground.history.inbox(forked)]
    await executor.close()
    await store.close()
    assert asked == ["one"]
    assert log_of(ground).count("after") == 1


async def test_what_a_run_has_heard_of_those_below_is_in_its_journal(ground: World) -> None:
    """Each time one below begins to wait, and each time it goes on: up to which of its events that is."""
    run_id = await start(ground, tree(ground.folder, ASKS))
    await answer(ground, run_id, "one", "1")
    below = (await ground.history.inbox(run_id))[0].run_id
    heads = [
        it.event.head for it in await ground.events(run_id) if isinstance(it.event, ChildPaused | ChildMoved)
    ]
    last = (await ground.store.run(below)).head
    assert heads[0] > 0
    assert heads == sorted(heads)
    assert heads[-1] == last


@pytest.mark.parametrize("above", [ABOVE, OVER_ITEMS], ids=["call", "items"])
async def test_what_had_ended_below_a_failed_call_stays(ground: World, above: str) -> None:
    """The run below goes on as a fork where it failed; its first step is not done twice (R06)."""
    run_id = await start(ground, tree(ground.folder, FAILS, above))
    calls = 1 if above is ABOVE else 2
    assert sorted(log_of(ground)) == ["x"] * calls + ["y"] * calls
    (ground.folder / "go").touch()
    head = (await ground.history.state(run_id)).head
    request = ForkRequest(Origin(run_id=run_id, seq=head))
    preview, below = await fates(ground, request)
    assert set(below.values()) == {"stays", "again"}
    assert [it.name for it in preview.effects] == (
        ["sub/y", "after"] if above is ABOVE else ["each[a]/y", "each[b]/y", "after"]
    )
    forked = await ground.executor.fork(request, by="bea")
    assert (await ground.rest(forked)).status is RunStatus.SUCCEEDED
    assert sorted(log_of(ground)) == sorted(["x"] * calls + ["y"] * 2 * calls + ["after"])


async def test_a_call_that_is_named_begins_from_its_beginning(ground: World) -> None:
    """Whoever says from where means it."""
    run_id = await start(ground, tree(ground.folder, FAILS))
    (ground.folder / "go").touch()
    head = (await ground.history.state(run_id)).head
    request = ForkRequest(Origin(run_id=run_id, seq=head), blocks=(BlockId("sub"),))
    preview, below = await fates(ground, request)
    assert (preview.blocks[0].fate, below) == (Fate.AGAIN, {})
    await ground.rest(await ground.executor.fork(request, by="bea"))
    assert log_of(ground) == ["x", "y", "x", "y", "after"]


async def test_a_point_after_which_it_was_retried_is_the_one_where_it_had_failed(ground: World) -> None:
    """Not where the run below is by now."""
    run_id = await start(ground, tree(ground.folder, FAILS))
    failed = next(it.seq for it in await ground.events(run_id) if isinstance(it.event, AttemptFailed))
    (ground.folder / "go").touch()
    await ground.executor.retry(run_id, by="ana")
    assert (await ground.rest(run_id)).status is RunStatus.SUCCEEDED
    (ground.folder / "go").unlink()
    request = ForkRequest(Origin(run_id=run_id, seq=failed))
    _, below = await fates(ground, request)
    assert below == {"sub/x": "stays", "sub/y": "again"}
    forked = await ground.executor.fork(request, by="bea")
    assert (await ground.rest(forked)).status is RunStatus.FAILED
    assert log_of(ground) == ["x", "y", "y", "after", "y"]


async def test_a_run_below_that_is_at_work_goes_on_from_where_it_is(ground: World) -> None:
    """In a fork from now, what it has done is not done again; what it is at begins again."""
    slow = FAILS.replace("test -e go", "touch begun; while [ ! -e go ]; do sleep 0.02; done")
    run_id = await ground.executor.start(tree(ground.folder, slow), {}, by="ana")

    async def is_at_work() -> bool:
        return (ground.folder / "begun").exists()

    await until(is_at_work)
    head = (await ground.history.state(run_id)).head
    request = ForkRequest(Origin(run_id=run_id, seq=head))
    _, below = await fates(ground, request)
    assert below == {"sub/x": "stays", "sub/y": "again"}
    forked = await ground.executor.fork(request, by="bea")
    (ground.folder / "go").touch()
    await asyncio.gather(ground.rest(run_id), ground.rest(forked))
    assert sorted(log_of(ground)) == ["after", "after", "x", "y", "y"]


async def test_other_inputs_of_a_call_begin_it_anew_and_that_is_foretold(ground: World) -> None:
    """Not that the run below goes on; with the same inputs it does."""
    run_id = await start(ground, tree(ground.folder, ASKS, inputs='env: "${env}"'))
    seq = (await ground.history.state(run_id)).head
    origin = Origin(run_id=run_id, seq=seq)
    same, below = await fates(ground, ForkRequest(origin, (Edit(("inputs", "env"), "dev"),)))
    assert (same.blocks[0].fate, below["sub/first"]) == (Fate.GOES_ON, "stays")
    request = ForkRequest(origin, (Edit(("inputs", "env"), "prod"),))
    other, below = await fates(ground, request)
    assert (other.blocks[0].fate, below) == (Fate.AGAIN, {})
    assert "is another one now" in other.blocks[0].why
    await ground.rest(await ground.executor.fork(request, by="bea"))
    assert log_of(ground) == ["first dev", "first prod"]


async def test_the_questions_of_runs_below_are_foretold(ground: World) -> None:
    """With the answer that counts again, where that is asked for."""
    run_id = await start(ground, tree(ground.folder, ASKS))
    seq = (await ground.history.state(run_id)).head
    await answer(ground, run_id, "one", "1")
    origin = Origin(run_id=run_id, seq=next(it.seq for it in await ground.events(run_id) if it.seq == seq))
    preview, _ = await fates(ground, ForkRequest(origin, keep_answers=True))
    asked = {
        name_below(it.above, asked.place): (asked.text, asked.answer, asked.is_sure)
        for it in preview.questions
        for asked in it.questions
    }
    assert asked["sub/one"] == ("One?", "1", True)
    forked = await ground.executor.fork(ForkRequest(origin, keep_answers=True), by="bea")
    await ground.rest(forked)
    assert [row.block for row in await ground.history.inbox(forked)] == ["two"]


EACH_ASKS = """
name: many
inputs: {who: {type: str, default: ana}, left: {type: str, default: x}}
blocks:
  - {id: read, type: Shell, inputs: {command: "echo ${left}"}}
  - {id: idle, type: Shell, inputs: {command: "echo idle"}}
  - {id: ok, type: ConfirmOperation, for_each: [red, blue], depends_on: [read], inputs: {message: "${item} ${who}?", operation: go}}
"""


async def test_each_item_that_asks_is_foretold_with_its_text(ground: World) -> None:
    """And who has read what is another value now, and who has not."""
    run_id = await ground.start(EACH_ASKS, who="ana", left="x")
    await ground.rest(run_id)
    await ground.answer_and_rest(run_id, "ok[red]", "yes")
    head = (await ground.history.state(run_id)).head
    edits = (Edit(("inputs", "who"), "bo"), Edit(("inputs", "left"), "y"))
    request = ForkRequest(Origin(run_id=run_id, seq=head), edits)
    preview = await ground.executor.preview_fork(request)
    [asking] = preview.questions
    assert [(it.place, it.text, it.is_sure) for it in asking.questions] == [("ok[blue]", "blue bo?", True)]
    assert asking.why == "1 of its 2 items stays; ok[blue] runs again"
    assert preview.warnings == (
        f"run {run_id} itself has not ended",
        "has read the former values, and stays as it is (--from runs it again): read",
        "goes on with the items it had (--from begins anew): ok",
    )
    again = await ground.executor.preview_fork(
        ForkRequest(Origin(run_id=run_id, seq=head), edits, blocks=(BlockId("read"),))
    )
    assert [(it.place, it.text, it.is_sure) for it in again.questions[0].questions] == [
        ("ok[red]", "red ana?", False),
        ("ok[blue]", "blue ana?", False),
    ]
    assert again.warnings == (
        f"run {run_id} itself has not ended: what it still does outside, it does there, too",
    )


async def test_what_the_store_has_lost_is_said_before_a_fork_reads_it(tmp_path: Path) -> None:
    """Only of what runs in the fork; and what makes it anew."""
    url = f"sqlite://{tmp_path}/t.db"
    async with world(tmp_path, url) as ground:
        run_id = await ground.start(
            """
            name: large
            blocks:
              - {id: big, type: Shell, inputs: {command: "seq 20000"}}
              - {id: ask, type: GetInput, depends_on: [big], inputs: {prompt: "Go?"}}
              - {id: reads, type: Shell, depends_on: [ask], inputs: {command: "echo ${big.stdout} | wc -c >> log"}}
              - {id: other, type: Shell, depends_on: [ask], inputs: {command: "echo other >> log"}}
            """
        )
        await ground.rest(run_id)
        head = (await ground.history.state(run_id)).head
    with closing(sqlite3.connect(tmp_path / "t.db", isolation_level=None)) as connection:
        connection.execute("DELETE FROM vals")
    async with world(tmp_path, url) as ground:
        origin = Origin(run_id=run_id, seq=head)
        preview = await ground.executor.preview_fork(ForkRequest(origin))
        said = "output 'stdout' of block 'big' is damaged: what reads it fails (--from big makes it anew)"
        assert said in preview.warnings
        anew = await ground.executor.preview_fork(ForkRequest(origin, blocks=(BlockId("big"),)))
        assert said not in anew.warnings


async def test_a_damaged_run_goes_on_from_before_the_damage(tmp_path: Path) -> None:
    """All that a fork needs is what had happened by then; what is lost is said."""
    url = f"sqlite://{tmp_path}/t.db"
    async with world(tmp_path, url) as first:
        run_id = await first.start(ASKS, env="dev")
        await first.rest(run_id)
        asked = (await first.history.state(run_id)).head
        await first.answer_and_rest(run_id, "one", "1")
        await first.answer_and_rest(run_id, "two", "2")
    with closing(sqlite3.connect(tmp_path / "t.db", isolation_level=None)) as connection:
        connection.execute("UPDATE events SET body = x'00' WHERE id % 4294967296 = ?", (asked + 2,))
    async with world(tmp_path, url) as ground:
        request = ForkRequest(Origin(run_id=run_id, seq=asked))
        preview = await ground.executor.preview_fork(request)
        assert [warning for warning in preview.warnings if "is damaged" in warning]
        forked = await ground.executor.fork(request, by="bea")
        await ground.answer_and_rest(forked, "one", "other")
        with pytest.raises(CorruptStore):
            await ground.executor.preview_fork(ForkRequest(Origin(run_id=run_id, seq=Seq(asked + 4))))
    assert log_of(ground) == ["first dev", "middle 1", "middle other"]


NESTED = """
name: top
blocks:
  - {id: outer, type: ExecuteWorkflow, inputs: {workflow: above.yaml}}
  - {id: done, type: Shell, depends_on: [outer], inputs: {command: "echo done >> log"}}
"""


async def test_a_block_of_a_run_below_runs_again_and_what_is_before_it_stays(ground: World) -> None:
    """However deep below; all runs on the way go on as forks, and what comes after it runs again."""
    (ground.folder / "go").touch()
    tree(ground.folder, FAILS)
    (ground.folder / "top.yaml").write_text(NESTED)
    definition = load_workflow(ground.folder / "top.yaml", catalog()).definition
    run_id = await start(ground, definition)
    head = (await ground.history.state(run_id)).head
    request = ForkRequest(Origin(run_id=run_id, seq=head), blocks=(BlockId("outer/sub/y"),))
    preview = await ground.executor.preview_fork(request)
    told = {it.name: it.fate for it in preview.leaves()}
    assert told == {
        "outer/sub/x": Fate.STAYS,
        "outer/sub/y": Fate.AGAIN,
        "outer/after": Fate.AGAIN,
        "done": Fate.AGAIN,
    }
    forked = await ground.executor.fork(request, by="bea")
    assert (await ground.rest(forked)).status is RunStatus.SUCCEEDED
    assert log_of(ground) == ["x", "y", "after", "done", "y", "after", "done"]
    assert all(it.row.origin is not None for it in await ground.history.runs(RunFilter(root=forked)))


async def test_a_block_below_one_item_leaves_the_other_items_alone(ground: World) -> None:
    """Those that had ended stay; those that waited go on waiting, and do nothing twice."""
    run_id = await start(ground, tree(ground.folder, ASKS, OVER_ITEMS))
    rows = {row.path: row for row in await ground.history.inbox(run_id)}
    await ground.answer_and_rest(rows["each[a]"].run_id, "one", "1")
    await ground.answer_and_rest(rows["each[a]"].run_id, "two", "2")
    head = (await ground.history.state(run_id)).head
    request = ForkRequest(Origin(run_id=run_id, seq=head), blocks=(BlockId("each[a]/middle"),))
    _, below = await fates(ground, request)
    expected = {
        "each[a]/first": "stays",
        "each[a]/one": "stays",
        "each[a]/middle": "again",
        "each[a]/two": "again",
    }
    assert expected.items() <= below.items()
    assert below["each[b]/first"] == "stays"
    forked = await ground.executor.fork(request, by="bea")
    await ground.rest(forked)
    asked = {(row.path, row.block) for row in await ground.history.inbox(forked)}
    assert asked == {("each[a]", "two"), ("each[b]", "one")}
    assert log_of(ground) == ["first dev", "first dev", "middle 1", "middle 1"]


async def test_an_item_that_is_named_leaves_those_alone_that_wait_below(ground: World) -> None:
    """Their runs go on as forks."""
    run_id = await start(ground, tree(ground.folder, ASKS, OVER_ITEMS))
    head = (await ground.history.state(run_id)).head
    request = ForkRequest(Origin(run_id=run_id, seq=head), blocks=(BlockId("each[a]"),))
    _, below = await fates(ground, request)
    assert below["each[b]/first"] == "stays"
    await ground.rest(await ground.executor.fork(request, by="bea"))
    assert log_of(ground) == ["first dev"] * 3


async def test_what_is_named_below_begins_again_in_forks_of_the_fork(ground: World) -> None:
    """Also where the first one had not come to it."""
    (ground.folder / "go").touch()
    run_id = await start(ground, tree(ground.folder, FAILS))
    head = (await ground.history.state(run_id)).head
    request = ForkRequest(Origin(run_id=run_id, seq=head), blocks=(BlockId("sub/y"),))
    forked = await ground.executor.fork(request, by="bea")
    await ground.rest(forked)
    point = Origin(run_id=forked, seq=Seq(head + 1))
    second = await ground.executor.fork(ForkRequest(point), by="bea")
    assert (await ground.rest(second)).status is RunStatus.SUCCEEDED
    assert log_of(ground) == ["x", "y", "after", "y", "after", "y", "after"]


async def test_what_a_run_below_is_given_can_be_another_and_so_can_its_answers(ground: World) -> None:
    """However deep below; the rest of it stays, and it is told with the place that called it."""
    run_id = await start(ground, tree(ground.folder, CHOOSES, ONE_AFTER_THE_OTHER))
    await answer(ground, run_id, "one", "bad")
    await answer(ground, run_id, "one", "good")
    head = (await ground.history.state(run_id)).head
    edits = (
        Edit(("blocks", "kid[a]/one", "answer"), "fine", as_text=True),
        Edit(
            ("blocks", "kid[a]/last", "inputs", "command"),
            "echo mended ${one.input_value} >> log",
            as_text=True,
        ),
    )
    request = ForkRequest(Origin(run_id=run_id, seq=head), edits)
    preview, below = await fates(ground, request)
    assert below == {"kid[a]/first": "stays", "kid[a]/one": "again", "kid[a]/last": "again"}
    assert [(edit.path, edit.before, edit.after) for edit in preview.edits] == [
        (("blocks", "kid[a]/one", "answer"), "bad", "fine"),
        (
            ("blocks", "kid[a]/last", "inputs", "command"),
            "echo last >> log; test ${one.input_value} != bad",
            "echo mended ${one.input_value} >> log",
        ),
    ]
    before = log_of(ground)
    forked = await ground.executor.fork(request, by="bea")
    assert (await ground.rest(forked)).status is RunStatus.SUCCEEDED
    assert log_of(ground) == [*before, "mended fine"]


async def test_what_is_changed_below_for_nothing_is_said(ground: World) -> None:
    """Where the call begins anew for other inputs, and where all of it is to begin again."""
    (ground.folder / "go").touch()
    run_id = await start(ground, tree(ground.folder, ASKS, inputs='env: "${env}"'))
    origin = Origin(run_id=run_id, seq=(await ground.history.state(run_id)).head)
    edit = Edit(("blocks", "sub/first", "outputs", "stdout"), "x")
    other = ForkRequest(origin, (Edit(("inputs", "env"), "prod"), edit))
    preview = await ground.executor.preview_fork(other)
    assert [it for it in preview.warnings if "'sub' begins anew" in it and "counts for nothing" in it]
    with pytest.raises(InvalidEdit, match=r"blocks\.sub/first\.outputs\.stdout: all of 'sub' begins"):
        await ground.executor.preview_fork(ForkRequest(origin, (edit,), blocks=(BlockId("sub"),)))
    wrong = Edit(("blocks", "sub/first", "outputs", "nothing"), "x")
    with pytest.raises(InvalidEdit, match=r"sub/first\.outputs\.nothing: block 'first' has no output"):
        await ground.executor.preview_fork(ForkRequest(origin, (wrong,)))


async def test_what_was_wanted_below_adds_up_in_forks_of_a_fork_that_had_not_come_to_it(
    ground: World,
) -> None:
    """The second one names another block of the same run; what the first one has changed there still holds."""
    (ground.folder / "go").touch()
    run_id = await start(ground, tree(ground.folder, FAILS))
    head = (await ground.history.state(run_id)).head
    edit = Edit(("blocks", "sub/x", "inputs", "command"), "echo other >> log")
    first = ForkRequest(Origin(run_id=run_id, seq=head), (edit,), blocks=(BlockId("sub/x"),))
    forked = await ground.executor.fork(first, by="bea")
    await ground.rest(forked)
    point = Origin(run_id=forked, seq=Seq(head + 1))
    second = await ground.executor.fork(ForkRequest(point, blocks=(BlockId("sub/y"),)), by="bea")
    assert (await ground.rest(second)).status is RunStatus.SUCCEEDED
    assert log_of(ground) == ["x", "y", "after", *["other", "y", "after"] * 2]


@pytest.mark.parametrize(
    ("block", "problem"),
    [
        ("sub/z", "has no block 'z': it has x, y"),
        ("sub/y#1", "has no block 'y#1'"),
        ("sub/y/z", "blocks.sub/y/z: block 'y' has no run there of which a block could be named"),
        ("after/x", "blocks.after/x: block 'after' has no run there"),
        ("nope/x", "has no block 'nope/x': it has sub, after"),
    ],
)
async def test_what_cannot_begin_again_below_is_said(ground: World, block: str, problem: str) -> None:
    """Before anything is forked."""
    run_id = await start(ground, tree(ground.folder, FAILS))
    head = (await ground.history.state(run_id)).head
    request = ForkRequest(Origin(run_id=run_id, seq=head), blocks=(BlockId(block),))
    with pytest.raises((InvalidEdit, BlockNotFound), match=re.escape(problem)):
        await ground.executor.preview_fork(request)


async def test_nothing_below_begins_again_in_a_run_that_is_gone(ground: World) -> None:
    """It is said that the call can."""
    run_id = await start(ground, tree(ground.folder, FAILS))
    head = (await ground.history.state(run_id)).head
    (point,) = [it.seq for it in await ground.events(run_id) if isinstance(it.event, AttemptStarted)]
    request = ForkRequest(Origin(run_id=run_id, seq=Seq(point)), blocks=(BlockId("sub/y"),))
    assert point < head
    with pytest.raises(InvalidEdit, match="has no run there of which a block could be named: leave it out"):
        await ground.executor.preview_fork(request)


ONE_AFTER_THE_OTHER = """
name: above
blocks:
  - {id: pre, type: Shell, inputs: {command: "echo pre >> log"}}
  - id: kid
    type: ExecuteWorkflow
    depends_on: [pre]
    for_each: {items: [a, b], max_parallel: 1}
    inputs: {workflow: below.yaml}
"""
CHOOSES = """
name: below
blocks:
  - {id: first, type: Shell, inputs: {command: "echo first >> log"}}
  - {id: one, type: GetInput, depends_on: [first], inputs: {prompt: "One?"}}
  - {id: last, type: Shell, depends_on: [one], inputs: {command: "echo last >> log; test ${one.input_value} != bad"}}
"""


@pytest.mark.parametrize("block", ["kid", "pre"])
async def test_a_block_that_begins_anew_does_so_with_all_of_its_items(ground: World, block: str) -> None:
    """Also those whose run below had failed: no answer that was given there counts."""
    run_id = await start(ground, tree(ground.folder, CHOOSES, ONE_AFTER_THE_OTHER))
    await answer(ground, run_id, "one", "bad")
    await answer(ground, run_id, "one", "good")
    head = (await ground.history.state(run_id)).head
    request = ForkRequest(Origin(run_id=run_id, seq=head), blocks=(BlockId(block),))
    preview = await ground.executor.preview_fork(request)
    assert preview.below == ()
    why = "; all of its 2 items begin again; it runs all of 'below': first, one, last"
    assert preview.blocks[1].why.endswith(why)
    forked = await ground.executor.fork(request, by="bea")
    await ground.rest(forked)
    assert log_of(ground).count("first") == 3
    await answer(ground, forked, "one", "good")
    await answer(ground, forked, "one", "good")
    assert (await ground.rest(forked)).status is RunStatus.SUCCEEDED


async def test_a_block_asks_nobody_if_all_below_has_its_answer(ground: World) -> None:
    """It goes on below with what was answered; and so does one between its answer and its end."""
    run_id = await start(ground, tree(ground.folder, CHOOSES))
    await answer(ground, run_id, "one", "bad")
    head = (await ground.history.state(run_id)).head
    preview = await ground.executor.preview_fork(ForkRequest(Origin(run_id=run_id, seq=head)))
    assert [(it.block, it.asks) for it in preview.blocks] == [("sub", False), ("after", False)]
    child = next(iter(preview.below)).preview.origin.run_id
    answered = next(it.seq for it in await ground.events(child) if isinstance(it.event, PauseAnswered))
    between = await ground.executor.preview_fork(ForkRequest(Origin(run_id=child, seq=answered)))
    (one,) = (it for it in between.blocks if it.block == "one")
    assert (one.fate, one.asks, one.questions) == (Fate.GOES_ON, False, ())
    assert any("which gets nothing of the fork" in warning for warning in between.warnings)


async def test_what_is_left_out_because_of_an_answer_is_foretold(ground: World) -> None:
    """A no that is given with the fork is decided as the fork begins: what would have followed is not run."""
    run_id = await ground.start(
        """
        name: gated
        blocks:
          - {id: ok, type: ConfirmOperation, inputs: {message: "Go?", operation: go}}
          - {id: ship, type: Shell, depends_on: [ok], inputs: {command: "echo shipped >> log"}}
        """
    )
    await ground.rest(run_id)
    await ground.answer_and_rest(run_id, "ok", "yes")
    head = (await ground.history.state(run_id)).head
    request = ForkRequest(Origin(run_id=run_id, seq=head), (Edit(("blocks", "ok", "answer"), "no"),))
    preview = await ground.executor.preview_fork(request)
    assert [(it.block, it.fate) for it in preview.blocks] == [("ok", Fate.AGAIN), ("ship", Fate.NOT_RUN)]
    assert (preview.effects, [it.block for it in preview.left_out]) == ((), ["ship"])
    forked = await ground.executor.fork(request, by="bea")
    assert (await ground.rest(forked)).status is RunStatus.REJECTED
    assert log_of(ground) == ["shipped"]


async def test_who_is_asked_where_something_fails_is_foretold(ground: World) -> None:
    """Of blocks that run, also of what they call."""
    asks = "x, type: Shell, on_failure: pause"
    run_id = await start(ground, tree(ground.folder, FAILS.replace("x, type: Shell", asks)))
    head = (await ground.history.state(run_id)).head
    request = ForkRequest(Origin(run_id=run_id, seq=head), blocks=(BlockId("sub"),))
    preview = await ground.executor.preview_fork(request)
    assert [(it.block, it.asks, it.asks_if_it_fails) for it in preview.blocks] == [
        ("sub", False, True),
        ("after", False, False),
    ]


async def test_the_items_that_run_are_named(ground: World) -> None:
    """And what becomes of each; that the other run goes on beside the fork is said."""
    run_id = await start(ground, tree(ground.folder, CHOOSES, ONE_AFTER_THE_OTHER))
    head = (await ground.history.state(run_id)).head
    preview = await ground.executor.preview_fork(ForkRequest(Origin(run_id=run_id, seq=head)))
    kid = preview.blocks[1]
    assert kid.parts == ((BlockId("kid[a]"), Fate.GOES_ON), (BlockId("kid[b]"), Fate.AHEAD))
    assert kid.why == "0 of its 2 items stay; kid[a] goes on; kid[b] is still to run"
    assert preview.warnings == (
        f"run {run_id} itself has not ended: what it still does outside, it does there, too",
    )
