"""What waits for its next attempt is left alone by a person's turn at something else: it comes once, and in its time."""

from functools import partial
from pathlib import Path

import pytest

from running import World, until, world
from store_invariants import check_run
from tidegate.blocks.registry import catalog
from tidegate.clock import SystemClock
from tidegate.engine.resume import Standing, standing_of
from tidegate.errors import AlreadyAnswered, NotResumable, PauseClosed
from tidegate.model.answer import Reply
from tidegate.model.events import RunStatus
from tidegate.model.ids import BlockId, RunId
from tidegate.model.listing import RunFilter
from tidegate.model.prompt import SentBack
from tidegate.model.state import BlockStatus
from tidegate.workflows.loader import load_workflow

FLAKY = """
name: turned
schedule: SCHEDULE
blocks:
  - id: flaky
    type: Shell
    retry: {max_attempts: 3, delay: 700ms}
    inputs: {command: "echo $TIDEGATE_ATTEMPT >> log; test $TIDEGATE_ATTEMPT = 2"}
  - {id: other, type: Shell, inputs: {command: "echo other >> others"}}
"""


async def waits(ground: World, run_id: RunId) -> None:
    """Return once `flaky` has failed, and waits for its next attempt, and the other block has ended."""

    async def is_so() -> bool:
        state = await ground.history.state(run_id)
        return BlockId("flaky") in state.timers and state.block(BlockId("other")).status.has_ended

    await until(is_so)


@pytest.mark.parametrize("held", [False, True])
@pytest.mark.parametrize("schedule", ["waves", "eager"])
async def test_a_retry_is_made_once_though_another_block_is_run_again(
    tmp_path: Path, schedule: str, *, held: bool
) -> None:
    """Neither before its time, nor, if that comes while the run is held, twice at once."""
    async with world(tmp_path) as ground:
        run_id = await ground.start(FLAKY.replace("SCHEDULE", schedule))
        await waits(ground, run_id)
        if held:
            await ground.executor.pause(run_id, by="ana")
        await ground.executor.rerun(run_id, BlockId("other"), by="ana")
        if held:

            async def is_due() -> bool:
                timers = (await ground.history.state(run_id)).timers
                return all(at < SystemClock().now() for at in timers.values())

            await until(is_due)
            await ground.executor.unpause(run_id, by="ana")
        view = await ground.rest(run_id)
        await check_run(ground.store, run_id)
    assert view.status is RunStatus.SUCCEEDED
    assert (tmp_path / "log").read_text().split() == ["1", "2"]
    assert (tmp_path / "others").read_text().split() == ["other", "other"]


REWORK = """
name: rework
blocks:
  - {id: plan, type: Shell, inputs: {command: "echo plan ${run.feedback} >> log"}}
  - id: check
    type: Shell
    depends_on: [plan]
    condition: "${run.feedback} != 'stop'"
    inputs: {command: "echo check ${run.feedback} >> log"}
  - {id: gate, type: ConfirmOperation, depends_on: [check], inputs: {message: "Go?", operation: "${run.feedback}"}}
  - {id: apply, type: Shell, depends_on: [gate], inputs: {command: "echo apply >> log"}}
"""


async def test_what_is_sent_back_reads_what_is_to_be_other(tmp_path: Path) -> None:
    """The question is asked anew; what begins anew without a word has none; what is tried again keeps it."""
    async with world(tmp_path) as ground:
        run_id = await ground.start(REWORK)
        first = await ground.pause_of(run_id, "gate")
        await ground.executor.rerun(run_id, BlockId("plan"), by="ana", feedback=" a 'b' $c\n")
        await ground.rest(run_id)
        again = await ground.pause_of(run_id, "gate")
        assert again.pause_id != first.pause_id
        assert getattr(again.prompt, "operation", "") == "a 'b' $c"
        with pytest.raises(PauseClosed):
            await ground.executor.answer(first.pause_id, Reply("yes", by="ana", via="test"))

        await ground.executor.rerun(run_id, BlockId("check"), by="ana")
        state = await ground.answer_and_rest(run_id, "gate", "yes")
        await check_run(ground.store, run_id)
    assert state.status is RunStatus.SUCCEEDED
    assert {place: said.feedback for place, said in state.sent_back.items()} == {"plan": "a 'b' $c"}
    assert (tmp_path / "log").read_text().splitlines() == [
        *("plan ", "check "),
        *("plan a 'b' $c", "check a 'b' $c"),
        *("check ", "apply"),
    ]


async def test_a_question_is_sent_back_by_whoever_is_first_and_saw_what_would_run_again(
    tmp_path: Path,
) -> None:
    """As with answers: who was faster is told, and what has moved meanwhile is not done again unseen."""
    async with world(tmp_path) as ground:
        run_id = await ground.start(REWORK)
        gate = await ground.pause_of(run_id, "gate")
        plan = BlockId("plan")
        seen = standing_of(
            await ground.history.state(run_id), map(BlockId, ("plan", "check", "gate", "apply"))
        )
        await ground.executor.assign(gate.pause_id, "cy", by="bo")
        send = partial(ground.executor.send_back, by="ana", feedback="half", seen=seen)
        with pytest.raises(NotResumable, match="by now"):
            await ground.executor.send_back(
                gate.pause_id,
                plan,
                by="ana",
                feedback="half",
                seen={**seen, plan: Standing(2, BlockStatus.FAILED)},
            )
        await send(gate.pause_id, plan)
        await ground.rest(run_id)
        with pytest.raises(PauseClosed, match="sent back by ana: half"):
            await send(gate.pause_id, plan)

        again = await ground.pause_of(run_id, "gate")
        assert again.prompt.sent_back == SentBack(by="ana", feedback="half")
        assert (again.assignee, again.pause_id != gate.pause_id) == ("cy", True)
        with pytest.raises(NotResumable, match="by now"):
            await send(again.pause_id, plan)
        await ground.answer(run_id, "gate", "yes", by="bo")
        with pytest.raises(AlreadyAnswered, match="by bo"):
            await send(again.pause_id, plan)
        await ground.rest(run_id)
        await check_run(ground.store, run_id)


HOSTS = """
name: hosts
blocks:
  - {id: prep, type: Shell, inputs: {command: "echo prep ${run.feedback} >> log"}}
  - {id: gate, type: ConfirmOperation, depends_on: [prep], for_each: [a, b, c], inputs: {message: "${item}?"}}
  - {id: done, type: Shell, depends_on: [gate], inputs: {command: "echo done >> log"}}
"""


async def test_questions_of_items_are_sent_back_together(tmp_path: Path) -> None:
    """Those that were answered are asked again with the others: what they were about is done anew."""
    async with world(tmp_path) as ground:
        run_id = await ground.start(HOSTS)
        await ground.answer(run_id, "gate[a]", "yes")
        await ground.rest(run_id)
        asked = await ground.pause_of(run_id, "gate[c]")
        await ground.executor.send_back(asked.pause_id, BlockId("prep"), by="ana", feedback="more")
        await ground.rest(run_id)
        assert {row.block for row in await ground.history.inbox(run_id)} == {"gate[a]", "gate[b]", "gate[c]"}
        for place in ("gate[a]", "gate[b]"):
            await ground.answer(run_id, place, "yes")
        state = await ground.answer_and_rest(run_id, "gate[c]", "yes")
        await check_run(ground.store, run_id)
    assert state.status is RunStatus.SUCCEEDED
    assert (tmp_path / "log").read_text().split() == ["prep", "prep", "more", "done"]


async def test_a_run_below_hears_what_was_said_and_is_not_turned_once_it_was_used(tmp_path: Path) -> None:
    """Its blocks read it, too; what its caller has taken over runs again from there."""
    child = (
        "name: sub\nblocks: [{id: work, type: Shell, inputs: {command: 'echo sub ${run.feedback} >> log'}}]\n"
    )
    (tmp_path / "sub.yaml").write_text(child)
    (tmp_path / "top.yaml").write_text(
        "name: top\nblocks:\n"
        "  - {id: call, type: ExecuteWorkflow, inputs: {workflow: sub}}\n"
        "  - {id: gate, type: ConfirmOperation, depends_on: [call], inputs: {message: Go?}}\n"
    )
    async with world(tmp_path) as ground:
        definition = load_workflow(tmp_path / "top.yaml", catalog()).definition
        run_id = await ground.executor.start(definition, {}, by="ana")
        gate = await ground.pause_of(run_id, "gate")
        (used,) = await ground.store.runs(RunFilter(parent=run_id))
        with pytest.raises(NotResumable, match="Rerun 'call' there"):
            await ground.executor.rerun(used.run_id, BlockId("work"), by="ana")
        await ground.executor.send_back(gate.pause_id, BlockId("call"), by="ana", feedback="again")
        await ground.answer_and_rest(run_id, "gate", "yes")
    assert (tmp_path / "log").read_text().splitlines() == ["sub ", "sub again"]
