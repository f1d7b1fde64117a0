"""What waits for its next attempt is left alone by a person's turn at something else: it comes once, and in its time."""

from pathlib import Path

import pytest

from running import World, until, world
from store_invariants import check_run
from tidegate.clock import SystemClock
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
