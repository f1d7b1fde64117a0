"""A new run that goes on from a point of another one, on real stores with real commands."""

import asyncio
import textwrap
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from forking import STORY, ended, finished_story, fork, log_of, seq_of
from running import World, definition_of, statuses, until, world
from store_invariants import check_store
from tidegate.blocks.registry import catalog
from tidegate.engine.forks.edits import Edit, InvalidEdit
from tidegate.engine.forks.fork import ForkRequest
from tidegate.engine.forks.preview import Fate
from tidegate.errors import BlockNotFound, CheckpointNotFound, RunInUse, RunNotFound
from tidegate.model.events import (
    AttemptStarted,
    BlockPaused,
    Origin,
    PauseAnswered,
    RunForked,
    RunResumed,
    RunStatus,
)
from tidegate.model.ids import BlockId, RunId, Seq
from tidegate.model.listing import RunFilter
from tidegate.workflows.loader import load_workflow


@pytest.fixture(params=["memory", "sqlite", "file"])
async def ground(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[World]:
    """A world on every kind of store."""
    urls = {"memory": "memory://", "sqlite": f"sqlite://{tmp_path}/t.db", "file": f"file://{tmp_path}/t"}
    async with world(tmp_path, urls[request.param]) as opened:
        yield opened
        await check_store(opened.store)


# -- H3 and R06 -------------------------------------------------------------------------------


async def test_a_fork_from_before_a_question_asks_it_again(ground: World) -> None:
    """With no answer in it; the other run and its answer stay as they were, and what had ended is not run."""
    run_id, before = await finished_story(ground)
    forked = await fork(ground, run_id, seq_of(before, ended("a")))
    state = await ground.history.state(forked)
    assert state.status is RunStatus.PAUSED
    pause = await ground.pause_of(forked, "gate")
    assert (pause.answer, pause.prompt.text) == (None, "Value for ana?")
    ended_state = await ground.answer_and_rest(forked, "gate", "y")
    assert ended_state.finished is not None
    assert ended_state.finished.outputs == {"value": "y", "who": "ana"}
    assert log_of(ground) == ["a", "b x", "c", "b y", "c"]
    assert await ground.events(run_id) == before
    newest = await ground.history.state(run_id)
    assert newest.finished is not None
    assert newest.finished.outputs["value"] == "x"


async def test_an_answer_can_be_another_one(ground: World) -> None:
    """What follows the gate runs with the new value, and nobody is asked; it is the answer of who forks."""
    run_id, before = await finished_story(ground)
    edit = Edit(("blocks", "gate", "answer"), "y", as_text=True)
    forked = await fork(ground, run_id, seq_of(before, ended("gate")), edits=(edit,))
    state = await ground.history.state(forked)
    assert state.finished is not None
    assert state.finished.outputs["value"] == "y"
    assert log_of(ground) == ["a", "b x", "c", "b y", "c"]
    pauses = sorted(state.pauses.values(), key=lambda pause: pause.opened_seq)
    answers = [pause.answer for pause in pauses if pause.answer is not None]
    assert [(answer.value, answer.by, answer.via) for answer in answers] == [
        ("x", "ana", "test"),
        ("y", "bea", "fork"),
    ]
    assert await ground.events(run_id) == before


async def test_a_fork_of_a_fork_keeps_its_line(ground: World) -> None:
    """Each is a new run with a visible parent and point, and reads on through all of them."""
    run_id, before = await finished_story(ground)
    first = await fork(ground, run_id, seq_of(before, ended("a")))
    await ground.answer_and_rest(first, "gate", "y")
    second = await fork(ground, first, seq_of(await ground.events(first), ended("b")))
    rows = {row.run_id: row for row in await ground.store.runs(RunFilter())}
    first_row, second_row = rows[first], rows[second]
    assert first_row.origin == Origin(run_id=run_id, seq=seq_of(before, ended("a")))
    assert second_row.origin is not None
    assert second_row.origin.run_id == first
    assert [row.run_id for row in await ground.store.runs(RunFilter(origin=run_id))] == [first]
    line = await ground.events(second)
    assert [record.seq for record in line] == list(range(1, len(line) + 1))
    assert list(dict.fromkeys(record.run_id for record in line)) == [run_id, first, second]
    assert sum(isinstance(record.event, RunForked) for record in line) == 2
    state = await ground.history.state(second)
    assert state.finished is not None
    assert state.finished.outputs["value"] == "y"


CALLER = """
    name: caller
    blocks:
      - {id: call, type: ExecuteWorkflow, inputs: {workflow: child, inputs: {who: sub}}}
      - {id: after, type: Shell, depends_on: [call], inputs: {command: "echo after >> log"}}
"""
CHILD = """
name: child
inputs: {who: {type: string}}
blocks:
  - {id: first, type: Shell, inputs: {command: "echo first >> log"}}
  - {id: one, type: GetInput, depends_on: [first], inputs: {prompt: "One?"}}
  - {id: middle, type: Shell, depends_on: [one], inputs: {command: "echo middle ${one.input_value} >> log"}}
  - {id: two, type: GetInput, depends_on: [middle], inputs: {prompt: "Two?"}}
"""


async def test_a_child_goes_on_from_where_it_was_then(ground: World) -> None:
    """Not from where it is now, and not from its first step (R06)."""
    (ground.folder / "child.yaml").write_text(CHILD)
    (ground.folder / "caller.yaml").write_text(textwrap.dedent(CALLER))
    definition = load_workflow(ground.folder / "caller.yaml", catalog()).definition
    run_id = await ground.executor.start(definition, {}, by="ana")
    await ground.rest(run_id)
    waiting = (await ground.history.state(run_id)).head
    await asyncio.sleep(0.05)
    for question, answer in (("one", "1"), ("two", "2")):
        (row,) = await ground.history.inbox(run_id)
        assert row.block == question
        await ground.answer_and_rest(row.run_id, question, answer)
    await ground.rest(run_id)
    assert log_of(ground) == ["first", "middle 1", "after"]

    preview = await ground.executor.preview_fork(ForkRequest(Origin(run_id=run_id, seq=waiting)))
    call, after = preview.blocks
    assert (call.fate, call.asks, call.has_effect) == (Fate.GOES_ON, True, True)
    assert (after.fate, after.asks, after.has_effect) == (Fate.AHEAD, False, True)
    forked = await fork(ground, run_id, waiting)
    (row,) = await ground.history.inbox(forked)
    assert (row.block, row.answer, row.path) == ("one", None, "call")
    child = await ground.store.run(row.run_id)
    assert child.parent == forked
    assert child.origin is not None
    await ground.answer_and_rest(row.run_id, "one", "other")
    await ground.answer_and_rest(row.run_id, "two", "2")
    await ground.rest(forked)
    assert (await ground.history.run_view(forked)).status is RunStatus.SUCCEEDED
    assert log_of(ground) == ["first", "middle 1", "after", "middle other", "after"]


# -- what had begun ---------------------------------------------------------------------------


async def test_an_answer_before_the_point_counts_though_nothing_has_followed_yet(tmp_path: Path) -> None:
    """Somebody has said that the work is done: the fork does not begin it again, and need not ask."""
    url, once = f"sqlite://{tmp_path}/t.db", "echo once >> began; while [ ! -e go ]; do sleep 0.05; done"
    text = """
        name: told
        blocks:
          - {id: work, type: Shell, inputs: {command: "ONCE"}}
          - {id: next, type: Shell, depends_on: [work], inputs: {command: "echo next >> log"}}
    """.replace("ONCE", once)
    began = tmp_path / "began"
    async with world(tmp_path, url) as cut_off:
        run_id = await cut_off.start(text)

        async def is_at_work() -> bool:
            return began.exists()

        await until(is_at_work)
    async with world(tmp_path, url) as ground:
        await ground.executor.resume(run_id, by="ana")
        await ground.answer_and_rest(run_id, "work", "done")
        told = seq_of(await ground.events(run_id), lambda event: isinstance(event, PauseAnswered))
        forked = await fork(ground, run_id, told)

        assert (await ground.history.run_view(forked)).status is RunStatus.SUCCEEDED
        await check_store(ground.store)
    assert log_of(ground) == ["next", "next"]
    assert began.read_text().split() == ["once"]


async def test_a_run_can_be_forked_while_it_goes_on(ground: World) -> None:
    """What is at work at the point begins again in the fork, under another key; the run itself notices nothing."""
    run_id = await ground.start("""
        name: busy
        blocks:
          - id: work
            type: Shell
            inputs: {command: "echo $TIDEGATE_IDEMPOTENCY_KEY >> keys; while [ ! -e go ]; do sleep 0.05; done; echo done"}
          - {id: next, type: Shell, depends_on: [work], inputs: {command: "echo next >> log"}}
    """)
    keys = ground.folder / "keys"

    async def began() -> bool:
        return keys.exists() and bool(keys.read_text())

    await until(began)
    before = await ground.events(run_id)
    request = ForkRequest(Origin(run_id=run_id, seq=before[-1].seq))
    preview = await ground.executor.preview_fork(request)
    assert [(block.block, block.fate) for block in preview.blocks] == [
        ("work", Fate.AGAIN),
        ("next", Fate.AHEAD),
    ]
    forked = await ground.executor.fork(request, by="bea")

    async def both() -> bool:
        return len(keys.read_text().split()) == 2

    await until(both)
    assert len(set(keys.read_text().split())) == 2
    assert (await ground.events(run_id))[: len(before)] == before
    (ground.folder / "go").touch()
    for which in (run_id, forked):
        await ground.rest(which)
        assert (await ground.history.run_view(which)).status is RunStatus.SUCCEEDED
    assert log_of(ground) == ["next", "next"]
    state = await ground.history.state(forked)
    assert state.block(BlockId("work")).attempt == 2


async def test_from_a_failed_block_with_its_input_changed(ground: World) -> None:
    """What had succeeded stays; the block runs with what the person gives it, and so what follows."""
    run_id = await ground.start("""
        name: failing
        blocks:
          - {id: build, type: Shell, inputs: {command: "echo build >> log"}}
          - {id: deploy, type: Shell, depends_on: [build], inputs: {command: "exit 3"}}
          - {id: check, type: Shell, depends_on: [deploy], inputs: {command: "echo check >> log"}}
    """)
    await ground.rest(run_id)
    head = (await ground.history.state(run_id)).head
    edit = Edit(("blocks", "deploy", "inputs", "command"), "echo deploy >> log", as_text=True)
    forked = await fork(ground, run_id, head, edits=(edit,))
    state = await ground.history.state(forked)
    assert statuses(state) == {"build": "succeeded", "deploy": "succeeded", "check": "succeeded"}
    assert log_of(ground) == ["build", "deploy", "check"]
    assert (await ground.history.run_view(run_id)).status is RunStatus.FAILED


async def one_of_three_failed(ground: World) -> tuple[RunId, Seq]:
    """Run a block over a, b and c, of which b fails, and mend what it fails for; return the run with its head."""
    run_id = await ground.start("""
        name: items
        blocks:
          - id: each
            type: Shell
            for_each: [a, b, c]
            inputs: {command: "echo ${item} >> log; [ ${item} != b ] || [ -e mended ]"}
    """)
    await ground.rest(run_id)
    (ground.folder / "mended").touch()
    return run_id, (await ground.history.state(run_id)).head


async def test_items_that_had_ended_stay(ground: World) -> None:
    """Of a block with items only those run again that had failed."""
    run_id, head = await one_of_three_failed(ground)
    request = ForkRequest(Origin(run_id=run_id, seq=head))
    (block,) = (await ground.executor.preview_fork(request)).blocks
    assert (block.fate, block.why) == (Fate.GOES_ON, "2 of its 3 items stay; each[b] runs again")
    forked = await fork(ground, run_id, head)
    assert (await ground.history.run_view(forked)).status is RunStatus.SUCCEEDED
    assert sorted(log_of(ground)) == ["a", "b", "b", "c"]


async def test_a_cancelled_run_goes_on_in_a_fork(ground: World) -> None:
    """The cancel was of the other run."""
    run_id = await ground.start(STORY, who="ana")
    await ground.rest(run_id)
    await ground.executor.cancel(run_id, by="ana")
    await ground.rest(run_id)
    forked = await fork(ground, run_id, (await ground.history.state(run_id)).head)
    assert (await ground.history.run_view(forked)).status is RunStatus.PAUSED
    assert (await ground.history.run_view(run_id)).status is RunStatus.CANCELLED
    assert log_of(ground) == ["a"]


# -- answers ----------------------------------------------------------------------------------


async def test_answers_can_be_kept_for_the_very_same_question(ground: World) -> None:
    """Asked, and answered at once as before, with who said it; a question that has changed is open."""
    run_id, before = await finished_story(ground)
    at = seq_of(before, ended("a"))
    forked = await fork(ground, run_id, at, keep_answers=True)
    records = await ground.events(forked)
    given = [r.event.answer for r in records if r.seq > at and isinstance(r.event, PauseAnswered)]
    assert [(answer.value, answer.by, answer.via) for answer in given] == [("x", "ana", "fork")]
    assert (await ground.history.run_view(forked)).status is RunStatus.SUCCEEDED
    assert await ground.history.inbox(forked) == ()

    other = Edit(("inputs", "who"), "bo", as_text=True)
    changed = await fork(ground, run_id, at, keep_answers=True, edits=(other,))
    assert (await ground.pause_of(changed, "gate")).prompt.text == "Value for bo?"


async def test_from_a_block_that_had_ended(ground: World) -> None:
    """It and everything downstream runs again, and so questions are asked again."""
    run_id, before = await finished_story(ground)
    forked = await fork(ground, run_id, before[-1].seq, blocks=(BlockId("gate"),))
    state = await ground.answer_and_rest(forked, "gate", "z")
    assert state.status is RunStatus.SUCCEEDED
    assert log_of(ground) == ["a", "b x", "c", "b z", "c"]


# -- what is said before, and what happens then -----------------------------------------------


async def test_the_preview_is_what_happens(ground: World) -> None:
    """At every point of a run: what it says stays is not started, all else is, and it asks what it says."""
    run_id, before = await finished_story(ground)
    for record in before:
        request = ForkRequest(Origin(run_id=run_id, seq=record.seq))
        preview = await ground.executor.preview_fork(request)
        forked = await ground.executor.fork(request, by="bea")
        await ground.rest(forked)
        for pause in await ground.history.inbox(forked):
            await ground.answer_and_rest(pause.run_id, pause.block, "x")
        own = [r for r in await ground.events(forked) if r.seq > record.seq]
        started = {r.event.block for r in own if isinstance(r.event, AttemptStarted)}
        asked = {r.event.block for r in own if isinstance(r.event, BlockPaused)}
        # A block whose answer was there already, and not yet read, goes on without being started again.
        assert started == {block.block for block in preview.runs if block.fate is not Fate.GOES_ON}
        assert asked <= {block.block for block in preview.questions}
        assert {block.block for block in preview.effects} == {
            block.block for block in preview.runs if block.block != "gate"
        }
    assert await ground.events(run_id) == before


async def test_what_cannot_be_undone_is_said_of_a_fork(ground: World) -> None:
    """First of all that changes something outside, and not of what stays."""
    run_id = await ground.start(
        """
        name: final
        blocks:
          - {id: plan, type: Shell, reversible: false, inputs: {command: "true"}}
          - {id: copy, type: Shell, depends_on: [plan], inputs: {command: "true"}}
          - {id: drop, type: Shell, reversible: false, depends_on: [copy], inputs: {command: "false"}}
        """
    )
    head = (await ground.rest(run_id)).row.head
    request = ForkRequest(Origin(run_id=run_id, seq=head), blocks=(BlockId("copy"),))
    preview = await ground.executor.preview_fork(request)
    assert [(it.block, it.reversible) for it in preview.effects] == [("drop", False), ("copy", True)]
    assert all(it.reversible for it in preview.stays)


async def test_the_preview_asks_what_the_fork_asks(ground: World) -> None:
    """Exactly where it is known; else the newest that was asked when the point was, and that it is only that."""
    run_id = await ground.start(
        """
        name: asks
        inputs: {who: {type: string}}
        blocks:
          - {id: plan, type: Template, inputs: {template: "[${run.feedback}]"}}
          - {id: gate, type: GetInput, depends_on: [plan], inputs: {prompt: "${who}? ${plan.text}"}}
    """,
        who="ana",
    )
    await ground.rest(run_id)
    for said in ("one", "two", "three"):
        await ground.answer_and_rest(run_id, "gate", f"to {said}")
        await ground.executor.rerun(run_id, BlockId("plan"), by="ana", feedback=said)
        await ground.rest(run_id)
    records = await ground.events(run_id)
    seqs = [r.seq for r in records if isinstance(r.event, BlockPaused)]

    async def asked(seq: int, *blocks: str, who: str = "") -> tuple[str, bool, str]:
        edits = (Edit(("inputs", "who"), who, as_text=True),) if who else ()
        request = ForkRequest(
            Origin(run_id=run_id, seq=Seq(seq)), edits, tuple(map(BlockId, blocks)), keep_answers=True
        )
        gate = (await ground.executor.preview_fork(request)).blocks[1]
        (question,) = gate.questions
        return question.text, question.is_sure, question.answer

    assert await asked(records[-1].seq) == ("ana? [three]", True, "")
    assert await asked(seqs[1]) == ("ana? [one]", True, "to two")
    assert await asked(seqs[1], who="bo") == ("bo? [one]", True, "")
    # The plan is made anew first.
    assert await asked(records[-1].seq, "plan") == ("ana? [three]", False, "")
    assert await asked(seqs[2], "plan") == ("ana? [two]", False, "to three")
    again = next(r.seq for r in records if isinstance(r.event, RunResumed))
    assert await asked(again) == ("ana? [one]", False, "to two")
    assert await asked(1) == ("ana? []", False, "to one")


# -- what cannot be ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "value", "problem"),
    [
        ("inputs.whoo", "x", "did you mean 'who'"),
        ("blocks.c.outputs.stdout", "x", "has no outputs"),
        ("blocks.a.outputs.stdou", "x", "did you mean 'stdout'"),
        ("blocks.a.outputs.exit_code", "many", "expected"),
        ("blocks.a.inputs.command", "x", "stays as it is"),
        ("blocks.b.inputs.comand", "x", "command"),
        ("blocks.nobody.outputs.x", "x", "no block 'nobody'"),
        ("blocks.a.status", "x", "nothing there can be changed"),
        ("elsewhere", "x", "nothing there can be changed"),
        ("blocks.a.outputs.stdout.0", "x", "nothing inside"),
    ],
)
async def test_what_cannot_be_changed_is_said(ground: World, path: str, value: str, problem: str) -> None:
    """With what would be right, before anything is created."""
    run_id, before = await finished_story(ground)
    edit = Edit(tuple(path.split(".")), value, as_text=True)
    request = ForkRequest(Origin(run_id=run_id, seq=seq_of(before, ended("a"))), edits=(edit,))
    with pytest.raises(InvalidEdit, match=problem):
        await ground.executor.fork(request, by="bea")
    assert len(await ground.store.runs(RunFilter())) == 1


async def test_there_must_be_such_a_point(ground: World) -> None:
    """Of such a run, with such a block."""
    run_id, before = await finished_story(ground)
    with pytest.raises(RunNotFound):
        await fork(ground, RunId("nobody"), 1)
    for seq in (0, before[-1].seq + 1):
        with pytest.raises(CheckpointNotFound):
            await fork(ground, run_id, seq)
    with pytest.raises(BlockNotFound):
        await fork(ground, run_id, 3, blocks=(BlockId("nobody"),))


async def test_a_run_with_forks_is_not_removed(ground: World) -> None:
    """Before the last of them is."""
    run_id, before = await finished_story(ground)
    forked = await fork(ground, run_id, before[-1].seq)
    with pytest.raises(RunInUse, match=f"run {forked} is a fork of it"):
        await ground.executor.remove_run(run_id)
    kept = {fate.run.run_id: fate for fate in (await ground.executor.clean_up(dry_run=True)).fates}
    assert kept[run_id].why == "a run goes on from a point of it"
    await ground.executor.remove_run(forked)
    await ground.executor.remove_run(run_id)
    assert await ground.store.runs(RunFilter()) == ()


@pytest.mark.parametrize("scheme", ["sqlite", "file"])
async def test_a_fork_is_the_same_after_a_restart(tmp_path: Path, scheme: str) -> None:
    """It is read from the store with what it goes on from, and goes on."""
    url = f"{scheme}://{tmp_path}/t"
    async with world(tmp_path, url) as ground:
        run_id, before = await finished_story(ground)
        forked = await fork(ground, run_id, seq_of(before, ended("a")))
        state, records = await ground.history.state(forked), await ground.events(forked)
    async with world(tmp_path, url) as ground:
        assert await ground.history.state(forked) == state
        assert await ground.events(forked) == records
        assert (await ground.answer_and_rest(forked, "gate", "y")).status is RunStatus.SUCCEEDED
        verdicts = [verdict async for verdict in ground.history.verify()]
        assert [verdict.findings for verdict in verdicts] == [(), ()]


# -- reading back -----------------------------------------------------------------------------


async def test_output_is_that_of_the_run_in_which_it_was_written(ground: World) -> None:
    """Of what stays the other run's; of what runs again its own, also if that writes nothing."""
    run_id = await ground.start("""
        name: noisy
        blocks:
          - {id: a, type: Shell, inputs: {command: "echo once"}}
          - {id: b, type: Shell, depends_on: [a], inputs: {command: "[ -e quiet ] || echo loud"}}
    """)
    await ground.rest(run_id)
    records = await ground.events(run_id)
    (ground.folder / "quiet").touch()
    first = await fork(ground, run_id, seq_of(records, ended("a")))
    second = await fork(ground, first, records[-1].seq, blocks=(BlockId("b"),))

    async def wrote(which: RunId, block: str, attempt: int) -> bytes:
        chunks = await ground.history.output(which, BlockId(block), attempt)
        assert chunks == await ground.history.last_output(which, BlockId(block), attempt)
        return b"".join(chunk.data for chunk in chunks)

    assert await wrote(run_id, "b", 1) == b"loud\n"
    assert await wrote(first, "a", 1) == b"once\n"
    assert await wrote(first, "b", 1) == b""
    assert await wrote(second, "a", 1) == b"once\n"
    assert [await wrote(second, "b", attempt) for attempt in (1, 2)] == [b"", b""]


# -- with another definition ------------------------------------------------------------------

FORMER = """
    name: release
    inputs: {who: {type: string}}
    blocks:
      - {id: build, type: Shell, inputs: {command: "echo build >> log; echo 1.2"}}
      - {id: each, type: Shell, depends_on: [build], for_each: [a, b], inputs: {command: "echo ${item} >> log"}}
      - {id: gate, type: GetInput, depends_on: [each], inputs: {prompt: "Value?"}}
      - {id: deploy, type: Shell, depends_on: [gate], inputs: {command: "echo ${build.stdoutt ?? 'oops'} >> log; exit 1"}}
"""
MENDED = """
    name: release
    inputs: {who: {type: string}, region: {type: string, default: eu}}
    blocks:
      - {id: check, type: Shell, inputs: {command: "echo check >> log"}}
      - {id: build, type: Shell, depends_on: [check], inputs: {command: "echo build >> log; echo 1.2"}}
      - {id: each, type: Shell, depends_on: [build], for_each: [a, b], inputs: {command: "echo ${item} >> log"}}
      - {id: gate, type: GetInput, depends_on: [each], inputs: {prompt: "Value?"}}
      - {id: deploy, type: Shell, depends_on: [gate], inputs: {command: "echo ${build.stdout} ${gate.input_value} ${region} >> log"}}
    outputs: {version: "${build.stdout}"}
"""


async def released(ground: World) -> tuple[RunId, Seq]:
    """Run the former workflow until it fails; return it with its head."""
    former = FORMER.replace("${build.stdoutt ?? 'oops'}", "oops")
    run_id = await ground.start(former, who="ana")
    await ground.answer_and_rest(run_id, "gate", "x")
    return run_id, (await ground.history.state(run_id)).head


async def test_a_mended_workflow_goes_on_where_the_former_one_failed(ground: World) -> None:
    """What had ended stays, with its answer; what is new runs; a fork of that fork goes on with it."""
    run_id, head = await released(ground)
    journal = await ground.events(run_id)
    mended = definition_of(MENDED, working_dir=ground.folder)
    request = ForkRequest(Origin(run_id=run_id, seq=head), workflow=mended)
    preview = await ground.executor.preview_fork(request)
    assert {block.block: block.fate for block in preview.blocks} == {
        "check": Fate.AHEAD,
        "build": Fate.STAYS,
        "each": Fate.STAYS,
        "gate": Fate.STAYS,
        "deploy": Fate.AGAIN,
    }
    assert preview.warnings == ("had ended as the former definition says, and stay as they are: build",)
    forked = await ground.executor.fork(request, by="bea")
    await ground.rest(forked)
    state = await ground.history.state(forked)
    assert state.finished is not None
    assert (state.finished.status, state.finished.outputs) == (RunStatus.SUCCEEDED, {"version": "1.2"})
    log = log_of(ground)
    assert [log[0], *sorted(log[1:3]), *log[3:]] == ["build", "a", "b", "oops", "check", "1.2 x eu"]
    assert state.inputs == {"who": "ana", "region": "eu"}
    assert await ground.events(run_id) == journal

    again = await fork(ground, forked, state.head, blocks=(BlockId("deploy"),))
    assert (await ground.history.run_view(again)).status is RunStatus.SUCCEEDED
    assert log_of(ground)[-1] == "1.2 x eu"
    for which in (forked, again):
        assert (await ground.history.verify_run(which)).findings == ()


async def test_what_is_not_in_the_mended_workflow_is_gone(ground: World) -> None:
    """And that is said; what has become another type begins again."""
    run_id, head = await released(ground)
    other = MENDED.replace(
        '{id: build, type: Shell, depends_on: [check], inputs: {command: "echo build >> log; echo 1.2"}}',
        '{id: build, type: Template, inputs: {template: "2.0"}}',
    ).replace("[build], for_each", "[build], for_each")
    other = other.replace("${build.stdout}", "${build.text}").replace(
        '      - {id: check, type: Shell, inputs: {command: "echo check >> log"}}\n', ""
    )
    renamed = other.replace("id: each", "id: every").replace("[each]", "[every]")
    request = ForkRequest(
        Origin(run_id=run_id, seq=head), workflow=definition_of(renamed, working_dir=ground.folder)
    )
    preview = await ground.executor.preview_fork(request)
    assert {block.block: block.fate for block in preview.blocks} == {
        "build": Fate.AGAIN,
        "every": Fate.AHEAD,
        "gate": Fate.STAYS,
        "deploy": Fate.AGAIN,
    }
    assert "each" in preview.warnings[0]
    forked = await ground.executor.fork(request, by="bea")
    await ground.rest(forked)
    assert log_of(ground)[-1] == "2.0 x eu"


async def test_a_mended_workflow_may_need_other_inputs(ground: World) -> None:
    """Then they have to be given, and it is said how."""
    run_id, head = await released(ground)
    stricter = MENDED.replace("region: {type: string, default: eu}", "region: {type: string, required: true}")
    definition = definition_of(stricter, working_dir=ground.folder)
    request = ForkRequest(Origin(run_id=run_id, seq=head), workflow=definition)
    with pytest.raises(InvalidEdit, match=r"'region' is missing.*--set inputs"):
        await ground.executor.preview_fork(request)
    edit = Edit(("inputs", "region"), "us", as_text=True)
    forked = await fork(ground, run_id, head, workflow=definition, edits=(edit,))
    assert (await ground.history.run_view(forked)).status is RunStatus.SUCCEEDED
    assert log_of(ground)[-1] == "1.2 x us"


async def test_a_retry_in_a_fork_leaves_the_runs_of_the_other_one_alone(ground: World) -> None:
    """A block that had failed there in a run of its own goes on as a fork of that, never in that run itself."""
    (ground.folder / "child.yaml").write_text(
        "name: child\nblocks:\n"
        "  - {id: first, type: Shell, inputs: {command: 'echo first >> log'}}\n"
        "  - {id: second, type: Shell, depends_on: [first], inputs: {command: 'echo second >> log; test -e mended'}}\n"
    )
    (ground.folder / "caller.yaml").write_text(
        "name: caller\nblocks:\n"
        "  - {id: call, type: ExecuteWorkflow, on_failure: continue, inputs: {workflow: child}}\n"
    )
    definition = load_workflow(ground.folder / "caller.yaml", catalog()).definition
    run_id = await ground.executor.start(definition, {}, by="ana")
    await ground.rest(run_id)
    rows = await ground.store.runs(RunFilter(root=run_id))
    journals = {row.run_id: await ground.events(row.run_id) for row in rows}
    (ground.folder / "mended").touch()

    forked = await fork(ground, run_id, (await ground.history.state(run_id)).head)
    assert statuses(await ground.history.state(forked)) == {"call": "failed"}
    await ground.executor.retry(forked, by="bea")
    await ground.rest(forked)

    assert statuses(await ground.history.state(forked)) == {"call": "succeeded"}
    assert {row.run_id: await ground.events(row.run_id) for row in rows} == journals
    (child,) = await ground.store.runs(RunFilter(parent=forked))
    assert child.origin is not None
    assert child.origin.run_id in journals
    assert log_of(ground) == ["first", "second", "second"]


async def test_what_a_block_is_given_may_refer_to_others(ground: World) -> None:
    """As in a file: references are values, and one that leads nowhere is refused before anything runs."""
    run_id, before = await finished_story(ground)
    at = seq_of(before, ended("gate"))
    edit = Edit(("blocks", "b", "inputs", "command"), "echo given ${gate.input_value} >> log", as_text=True)
    forked = await fork(ground, run_id, at, edits=(edit,))
    assert (await ground.history.run_view(forked)).status is RunStatus.SUCCEEDED
    assert log_of(ground)[-2:] == ["given x", "c"]
    nowhere = Edit(("blocks", "b", "inputs", "command"), "echo ${nope.x}", as_text=True)
    with pytest.raises(InvalidEdit, match="nope"):
        await fork(ground, run_id, at, edits=(nowhere,))


async def test_an_item_that_is_to_run_again_takes_those_along_that_had_failed(ground: World) -> None:
    """With one of them lost the block could not succeed. An iteration alone cannot run again."""
    run_id, head = await one_of_three_failed(ground)
    forked = await fork(ground, run_id, head, blocks=(BlockId("each[a]"),))
    assert (await ground.history.run_view(forked)).status is RunStatus.SUCCEEDED
    assert sorted(log_of(ground)) == ["a", "a", "b", "b", "c"]

    loops = await ground.start("""
        name: loops
        blocks:
          - {id: poll, type: Shell, loop: {until: "${poll.stdout} == '2'", max_iterations: 5}, inputs: {command: "echo x >> n; wc -l < n | tr -d ' '"}}
    """)
    await ground.rest(loops)
    with pytest.raises(InvalidEdit, match="let all of 'poll' run again"):
        await fork(ground, loops, (await ground.history.state(loops)).head, blocks=(BlockId("poll#1"),))
