"""What waits for its next attempt is left alone by a person's turn at something else: it comes once, and in its time."""

from pathlib import Path

import pytest

from running import World, until, world
from store_invariants import check_run
from tidegate.clock import SystemClock
from tidegate.errors import PauseClosed
from tidegate.model.answer import Reply
from tidegate.model.events import RunStatus
from tidegate.model.ids import BlockId, RunId

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
    assert dict(state.feedback) == {"plan": "a 'b' $c"}
    assert (tmp_path / "log").read_text().splitlines() == [
        *("plan ", "check "),
        *("plan a 'b' $c", "check a 'b' $c"),
        *("check ", "apply"),
    ]
