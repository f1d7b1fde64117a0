"""A program starts runs, answers, turns their course and looks at them."""

import asyncio
import re
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import tidegate
from cli.calling import Tidegate as CommandLine
from embedding.gates import BREAKS, BUSY, GATE, TWO, store_in
from running import until
from tidegate.errors import (
    AlreadyAnswered,
    BlockNotFound,
    CheckpointInUse,
    CheckpointNotFound,
    DefinitionError,
    InputsError,
    InvalidAnswer,
    NotResumable,
    PauseNotFound,
    RunFinished,
    RunNotFound,
    StoreUnavailable,
    WhichPause,
)
from tidegate.model.policy import FailureKind

RunStatus = tidegate.RunStatus


@pytest.fixture
async def gate(tmp_path: Path) -> AsyncIterator[tidegate.Tidegate]:
    """A store in the test's folder."""
    async with tidegate.open(tmp_path / "store.db", by="ana") as opened:
        yield opened


@pytest.fixture
def load(gate: tidegate.Tidegate, tmp_path: Path) -> Any:
    """What reads a YAML text whose commands run in the test's folder."""
    return lambda text: gate.workflow(text, working_dir=tmp_path)


# -- running ----------------------------------------------------------------------------------


async def test_a_run_is_executed_to_its_question_and_resumed_with_the_answer(
    gate: tidegate.Tidegate, tmp_path: Path
) -> None:
    """From a file, as document 000 writes it: execute, look, resume with the answer."""
    (tmp_path / "gate.yaml").write_text(GATE)

    paused = await gate.execute_workflow(tmp_path / "gate.yaml", {"word": "it's; rm -rf /"})
    (pause,) = paused.pauses
    ended = await gate.resume_workflow(pause.pause_id, True, comment="fine")

    assert (paused.status, paused.outputs, paused.workflow) == (RunStatus.PAUSED, {}, "gate")
    assert str(paused.checkpoint_id) == pause.pause_id
    assert (ended.status, ended.outputs, ended.pauses) == (
        RunStatus.SUCCEEDED,
        {"said": "it's; rm -rf /"},
        (),
    )
    state = await gate.load_checkpoint(ended.checkpoint_id or "")
    answer = state.state.pauses[pause.pause_id].answer
    assert answer is not None
    assert (answer.value, answer.by, answer.via, answer.comment) == (True, "ana", "api", "fine")


async def test_a_result_has_the_names_of_the_command_line(
    gate: tidegate.Tidegate, load: Any, tmp_path: Path
) -> None:
    """A program may pass on the one where the other is expected."""
    result = await gate.execute_workflow(load(GATE))
    call = CommandLine(tmp_path)
    told = await asyncio.to_thread(
        lambda: call.call("runs", "pause", result.run_id, "--json", TIDEGATE_STORE=gate.url).document
    )
    seen = (await gate.get_run(result.run_id)).as_json()

    assert {name: told[name] for name in seen if name in told} == seen
    assert seen["held_by"] == "ana"


async def test_a_workflow_is_data_or_text_and_calls_others_that_are_given(
    gate: tidegate.Tidegate, load: Any
) -> None:
    """Both ways, the same checks; what is not given is named."""
    call = {"id": "call", "type": "ExecuteWorkflow", "inputs": {"workflow": "gate"}}
    parent = {"name": "parent", "blocks": [call], "outputs": {"said": "${call.said}"}}
    text = "name: parent\nblocks: [{id: call, type: ExecuteWorkflow, inputs: {workflow: gate}}]"

    result = await gate.execute_workflow(gate.workflow(parent, children={"gate": load(GATE)}))
    (pause,) = result.pauses
    ended = await gate.resume_workflow(pause.pause_id, "yes")

    assert pause.root == result.run_id != pause.run_id
    assert (ended.run_id, ended.status, ended.outputs) == (
        result.run_id,
        RunStatus.SUCCEEDED,
        {"said": "gone"},
    )
    assert gate.workflow(text, children={"gate": load(GATE)}).definition.children
    for source in (parent, text):
        with pytest.raises(DefinitionError, match=r"no workflow 'gate' was given with this one.*'gat'"):
            gate.workflow(source, children={"gat": load(GATE)})


async def test_nothing_starts_from_what_is_not_right(gate: tidegate.Tidegate, load: Any) -> None:
    """A text is no number, an object is no JSON, and a file must be there."""
    asks = load(
        "name: n\ninputs: {n: {type: integer}}\nblocks: [{id: a, type: Shell, inputs: {command: 'echo ${n}'}}]"
    )

    for wrong in ({"n": "3"}, {"m": 3}, {"n": float("nan")}, {"n": Path("/")}):
        with pytest.raises(InputsError, match="workflow 'n': "):
            await gate.execute_workflow(asks, wrong)  # type: ignore[arg-type]  # the point of it
    with pytest.raises(DefinitionError, match=r"nowhere\.yaml"):
        await gate.execute_workflow("nowhere.yaml")

    assert await gate.list_runs() == ()


async def test_a_failure_is_told_and_a_resume_tries_it_again(
    gate: tidegate.Tidegate, load: Any, tmp_path: Path
) -> None:
    """What had failed is planned again, with everything downstream."""
    failed = await gate.execute_workflow(load(BREAKS))
    (tmp_path / "fixed").touch()
    ended = await gate.resume_workflow(failed.run_id)

    (failure,) = failed.failures
    assert (failed.status, failure.block, failure.kind, failure.exit_code) == (
        *(RunStatus.FAILED, "fragile"),
        *(FailureKind.EXIT, 1),
    )
    assert (ended.status, ended.outputs, ended.failures) == (RunStatus.SUCCEEDED, {"said": "done"}, ())
    with pytest.raises(RunFinished):
        await gate.resume_workflow(failed.run_id)


# -- answers ----------------------------------------------------------------------------------


async def test_an_answer_without_a_name_is_for_the_only_open_question(
    gate: tidegate.Tidegate, load: Any
) -> None:
    """Of several, one must be named; a wrong answer leaves it open."""
    run = await gate.execute_workflow(load(TWO))
    one, other = (next(row for row in run.pauses if row.block == name) for name in ("one", "other"))

    with pytest.raises(WhichPause, match="2 open pauses"):
        await gate.resume_workflow(run.run_id, True)
    with pytest.raises(InvalidAnswer, match="type one of red, blue"):
        await gate.answer(other.pause_id, "green")
    with pytest.raises(InvalidAnswer, match="value of another type"):
        await gate.answer(other.pause_id, 1)
    await gate.answer(one.pause_id, False)
    ended = await gate.resume_workflow(run.run_id, "blue")

    assert (ended.status, ended.outputs) == (RunStatus.REJECTED, {"one": False, "other": "blue"})


async def test_the_same_answer_twice_is_success_and_another_one_is_told_who_won(
    gate: tidegate.Tidegate, load: Any
) -> None:
    """By whom, and what."""
    run = await gate.execute_workflow(load(GATE))
    (pause,) = run.pauses
    first = await gate.answer(pause.pause_id, True, by="bo")
    again = await gate.answer(pause.pause_id, "y")

    assert (first.repeated, again.repeated, again.value) == (False, True, True)
    with pytest.raises(AlreadyAnswered, match=r"by bo at .*: yes"):
        await gate.answer(pause.pause_id, False)


async def test_a_run_that_waits_goes_on_waiting_without_an_answer(gate: tidegate.Tidegate, load: Any) -> None:
    """`resume_workflow` without one is no answer; nor is there one to a run that asks nothing."""
    run = await gate.execute_workflow(load(GATE))
    (pause,) = run.pauses
    by_run, by_pause = await gate.resume_workflow(run.run_id), await gate.resume_workflow(pause.pause_id)
    await gate.resume_workflow(run.run_id, True)
    fresh = await gate.execute_workflow(load(BREAKS))

    assert by_run == by_pause == run
    with pytest.raises(PauseNotFound, match="has no open pause"):
        await gate.resume_workflow(fresh.run_id, True)


@pytest.mark.parametrize("missing", ["nothing", "chk_nothing", "pause_nothing"])
async def test_what_is_not_there_is_named(gate: tidegate.Tidegate, missing: str) -> None:
    """By its whole id: the beginning of one is none."""
    with pytest.raises((RunNotFound, CheckpointNotFound, PauseNotFound), match=f"'{missing}'"):
        await gate.resume_workflow(missing)


async def test_the_beginning_of_an_id_answers_nothing(gate: tidegate.Tidegate, load: Any) -> None:
    """What names one run today may name two tomorrow."""
    run = await gate.execute_workflow(load(GATE))

    with pytest.raises(RunNotFound):
        await gate.resume_workflow(run.run_id[:8], True)
    with pytest.raises(PauseNotFound):
        await gate.answer(run.pauses[0].pause_id[:12], True)
    assert await gate.list_pauses() == run.pauses


# -- turning its course -----------------------------------------------------------------------


async def test_a_run_is_paused_released_cancelled_and_never_resumed(
    gate: tidegate.Tidegate, load: Any, tmp_path: Path
) -> None:
    """What is at work goes on while it is paused; a cancel ends it."""
    run_id = await gate.start(load(BUSY))
    await until(_is_there(tmp_path / "begun"))
    await gate.pause(run_id, reason="lunch")
    held = await gate.get_run(run_id)
    await gate.unpause(run_id)
    await gate.cancel(run_id, reason="no use", by="bo")
    ended = await gate.wait(run_id)

    assert held.held_by == "ana"
    assert (ended.status, ended.reason) == (RunStatus.CANCELLED, "cancelled by bo: no use")
    assert not (tmp_path / "log").exists()
    with pytest.raises(NotResumable):
        await gate.resume_workflow(run_id)


async def test_blocks_are_skipped_retried_and_run_again(
    gate: tidegate.Tidegate, load: Any, tmp_path: Path
) -> None:
    """Each with everything downstream."""
    run = await gate.execute_workflow(load(BREAKS))
    await gate.skip(run.run_id, "fragile", reason="by hand")
    skipped = await gate.wait(run.run_id)
    other = await gate.execute_workflow(load(BREAKS))
    (tmp_path / "fixed").touch()
    await gate.retry(other.run_id, "fragile")
    retried = await gate.wait(other.run_id)
    await gate.rerun(other.run_id, "after")
    rerun = await gate.wait(other.run_id)

    assert skipped.failures == ()
    assert retried.status is RunStatus.SUCCEEDED
    assert rerun.status is RunStatus.SUCCEEDED
    assert (await gate.output(other.run_id, "after")).attempt == 2


def _is_there(path: Path) -> Any:
    async def is_there() -> bool:
        return path.exists()

    return is_there


# -- asking -----------------------------------------------------------------------------------


async def test_runs_and_questions_are_listed(gate: tidegate.Tidegate, load: Any) -> None:
    """Newest first; by workflow, and by status as it is now."""
    failed = await gate.execute_workflow(load(BREAKS))
    paused = await gate.execute_workflow(load(GATE))

    assert [run.run_id for run in await gate.list_runs()] == [paused.run_id, failed.run_id]
    assert [run.run_id for run in await gate.list_runs("breaks")] == [failed.run_id]
    assert [run.workflow for run in await gate.list_runs(statuses=[RunStatus.PAUSED])] == ["gate"]
    assert await gate.list_runs(statuses=[RunStatus.INTERRUPTED]) == ()
    assert await gate.list_pauses() == await gate.list_pauses(paused.run_id) == paused.pauses
    assert await gate.list_pauses(failed.run_id) == ()


async def test_output_is_what_was_written(gate: tidegate.Tidegate, load: Any) -> None:
    """Each stream by itself, a flood with its gap, and nothing of a block that did not begin."""
    text = """
    name: writes
    blocks:
      - {id: both, type: Shell, inputs: {command: "printf 'a\\\\377b\\n'; echo oops >&2"}}
      - {id: flood, type: Shell, inputs: {command: "head -c 9000000 /dev/zero | tr '\\\\0' x; echo end"}}
      - {id: never, type: Shell, depends_on: [both], condition: "false", inputs: {command: "echo"}}
    """
    run = await gate.execute_workflow(load(text))
    both, flood, never = [await gate.output(run.run_id, name) for name in ("both", "flood", "never")]

    assert (both.stdout, both.stderr, both.attempt, both.missing) == ("a\ufffdb\n", "oops\n", 1, 0)
    assert flood.stdout.endswith("xend\n")
    gaps = re.findall(r"\n… ([0-9,]+) bytes are not kept …\n", flood.stdout)
    assert sum(int(gap.replace(",", "")) for gap in gaps) == flood.missing > 0
    assert flood.missing + flood.stdout.count("x") == 9_000_000
    assert (never.stdout, never.attempt) == ("", 0)
    with pytest.raises(BlockNotFound, match="has no block 'bothh'"):
        await gate.output(run.run_id, "bothh")


async def test_damaged_output_says_so(gate: tidegate.Tidegate, load: Any, tmp_path: Path) -> None:
    """A line stands where it was; the rest is there."""
    run = await gate.execute_workflow(
        load("name: w\nblocks: [{id: a, type: Shell, inputs: {command: 'echo one; echo oops >&2'}}]")
    )
    with closing(sqlite3.connect(tmp_path / "store.db", isolation_level=None)) as connection:
        connection.execute("UPDATE output SET data = x'54776f' WHERE stream = 1")

    output = await gate.output(run.run_id, "a")

    assert output.stdout == "\n… a part of this is damaged, and left out: it is not what was written …\n"
    assert output.stderr == "oops\n"


async def test_changes_come_as_they_are_made_and_end_with_the_store(tmp_path: Path) -> None:
    """The last thing seen of each run is where it stands; a follower is not left waiting for ever."""
    seen: list[tidegate.RunInfo] = []
    backlog: list[str] = []

    async def follow(gate: tidegate.Tidegate) -> None:
        seen.extend([run async for run in gate.changes()])

    async with tidegate.open(store_in(tmp_path)) as gate:
        following = asyncio.create_task(follow(gate))
        await asyncio.sleep(0)
        run = await gate.execute_workflow(gate.workflow(GATE, working_dir=tmp_path))
        await gate.resume_workflow(run.run_id, True)
        async for known in gate.changes(backlog=True):
            backlog.append(known.run_id)
            break
    await asyncio.wait_for(following, 20)

    assert backlog == [run.run_id]
    assert {change.run_id for change in seen} == {run.run_id}
    assert (seen[-1].status, seen[-1].completed_blocks) == (RunStatus.SUCCEEDED, 2)


# -- checkpoints ------------------------------------------------------------------------------


async def test_checkpoints_are_listed_loaded_and_deleted(gate: tidegate.Tidegate, load: Any) -> None:
    """That of an open question stays; what was deleted takes nothing of the history with it."""
    run = await gate.execute_workflow(load(GATE))
    (pause,) = run.pauses
    with pytest.raises(CheckpointInUse, match=f"answer it, or cancel run {run.run_id}, first"):
        await gate.delete_checkpoint(pause.pause_id)
    ended = await gate.resume_workflow(run.run_id, True)
    marks = await gate.list_checkpoints("gate")
    assert [mark.checkpoint_id for mark in marks][-1] == pause.pause_id
    at_pause = await gate.load_checkpoint(pause.pause_id)

    with pytest.raises(NotResumable, match=f"run {run.run_id} has gone on since"):
        await gate.resume_workflow(pause.pause_id)
    await gate.delete_checkpoint(pause.pause_id)

    assert at_pause.as_json()["paused_block_id"] == "gate"
    assert await gate.list_checkpoints(run_id=run.run_id) == marks[:-1]
    assert await gate.get_run(run.run_id) == ended
    for forget in (gate.load_checkpoint, gate.delete_checkpoint):
        with pytest.raises(CheckpointNotFound):
            await forget(pause.pause_id)


async def test_the_newest_checkpoint_of_a_run_means_the_run(
    gate: tidegate.Tidegate, load: Any, tmp_path: Path
) -> None:
    """An older one is refused: the run has gone on since."""
    text = BREAKS.replace("blocks:", "blocks:\n  - {id: first, type: Shell, inputs: {command: 'true'}}")
    text = text.replace("{id: fragile, type: Shell,", "{id: fragile, type: Shell, depends_on: [first],")
    failed = await gate.execute_workflow(load(text))
    newest, *_, oldest = await gate.list_checkpoints(run_id=failed.run_id)
    (tmp_path / "fixed").touch()

    with pytest.raises(NotResumable, match=f"its newest checkpoint is {newest.checkpoint_id}") as refused:
        await gate.resume_workflow(oldest.checkpoint_id)
    fork = f"`tidegate checkpoints fork {oldest.checkpoint_id}` goes on from there, as another run"
    assert str(refused.value).endswith(
        f"{fork}; to go on with this one, from where it is, resume {failed.run_id}"
    )
    assert (await gate.resume_workflow(newest.checkpoint_id)).status is RunStatus.SUCCEEDED
    with pytest.raises(NotResumable) as refused:
        await gate.resume_workflow(oldest.checkpoint_id)
    assert str(refused.value).endswith(fork)


async def test_what_was_closed_takes_nothing_more(tmp_path: Path) -> None:
    """And says so, whatever is asked."""
    async with tidegate.open(store_in(tmp_path)) as gate:
        workflow = gate.workflow(GATE)

    with pytest.raises(StoreUnavailable, match="it has been closed"):
        await gate.execute_workflow(workflow)
    with pytest.raises(StoreUnavailable, match="it has been closed"):
        await gate.list_runs()
    await gate.close()
