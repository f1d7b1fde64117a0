"""The state's books balance through resume and cancel too, for random workflows."""

import asyncio
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from running import World, world
from scripted import Scripted, with_scripted
from store_invariants import check_run
from strategies import Case, cases
from tidegate.errors import RunFinished
from tidegate.model.answer import Reply
from tidegate.model.events import RunStatus
from tidegate.model.ids import RunId
from tidegate.model.state import RunState


async def balanced(ground: World, run_id: RunId) -> RunState:
    """Check every law of the run, and of its state after each event; return the state at its head."""
    await check_run(ground.store, run_id)
    return await ground.history.state(run_id)


async def answer_up_to(ground: World, case: Case, run_id: RunId, most: int) -> None:
    """Answer at most so many questions as the case says."""
    for _ in range(most):
        await ground.rest(run_id)
        for pause in (await ground.history.inbox(run_id))[:1]:
            await ground.executor.answer(
                pause.pause_id, Reply(raw=case.answer_to(pause), by="ana", via="test")
            )
    await ground.rest(run_id)


async def resume_once(case: Case) -> None:
    """Run to the end, resume if it failed, and compare."""
    async with world(Path.cwd(), blocks=with_scripted(Scripted())) as ground:
        run_id = await ground.start(case.definition)
        await answer_up_to(ground, case, run_id, len(case.answers))
        first = await balanced(ground, run_id)
        if first.status is not RunStatus.FAILED:
            return
        await ground.executor.resume(run_id, by="bo")
        await answer_up_to(ground, case, run_id, len(case.answers))
        again = await balanced(ground, run_id)

    # The same blocks fail again as scripted, so the run ends where it ended before.
    assert {block: again.block(block).status for block in again.graph.blocks} == {
        block: first.block(block).status for block in first.graph.blocks
    }


async def cancel_somewhere(case: Case, answers: int) -> None:
    """Cancel after so many answers: the run is cancelled, or had ended."""
    async with world(Path.cwd(), blocks=with_scripted(Scripted())) as ground:
        run_id = await ground.start(case.definition)
        await answer_up_to(ground, case, run_id, answers)
        before = (await ground.history.run_view(run_id)).status
        try:
            await ground.executor.cancel(run_id, by="bo")
        except RunFinished:
            assert before.is_terminal
        else:
            assert (await ground.rest(run_id)).status is RunStatus.CANCELLED
        await balanced(ground, run_id)


@settings(max_examples=35, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(case=cases())
def test_a_failed_run_resumed_fails_again_in_the_same_way(case: Case) -> None:
    """What is planned again is what failed and what follows it, and nothing is counted twice."""
    asyncio.run(resume_once(case))


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(case=cases(), answers=st.integers(0, 2))
def test_a_run_can_be_cancelled_wherever_it_rests(case: Case, answers: int) -> None:
    """And then nothing of it is left open."""
    asyncio.run(cancel_somewhere(case, answers))
