"""Each attempt at a place has a number of its own, however often the place is planned again."""

from pathlib import Path

import pytest

from running import world
from store_invariants import check_run
from tidegate.model.events import AttemptStarted, RunStatus
from tidegate.model.ids import BlockId

LOOP = """
name: turning
blocks:
  - id: turn
    type: Shell
    loop: {until: "${turn.result} >= 1", max_iterations: 3, delay: DELAY}
    inputs: {command: "echo ${index}", parse: json}
"""


@pytest.mark.parametrize("delay", ["0s", "50ms"])
async def test_an_iteration_that_is_made_again_is_another_attempt(tmp_path: Path, delay: str) -> None:
    """Its output and its outcome are kept under that number: the first attempt's must not be taken for it."""
    async with world(tmp_path) as ground:
        run_id = await ground.start(LOOP.replace("DELAY", delay))
        assert (await ground.rest(run_id)).status is RunStatus.SUCCEEDED
        await ground.executor.rerun(run_id, BlockId("turn"), by="ana")
        assert (await ground.rest(run_id)).status is RunStatus.SUCCEEDED

        events = [record.event for record in await ground.events(run_id)]
        started = [(event.block, event.attempt) for event in events if isinstance(event, AttemptStarted)]
        await check_run(ground.store, run_id)
    assert started == [("turn#1", 1), ("turn#2", 1), ("turn#1", 2), ("turn#2", 2)]
