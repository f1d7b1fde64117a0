"""Laws of forks: any workflow, any point, and whatever is named."""

import asyncio
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from running import World, world
from scripted import Scripted, with_scripted
from store_invariants import check_store
from strategies import Case, cases, trees
from test_cut_off import Result, answer_all, result_of
from tidegate.engine.forks.edits import InvalidEdit
from tidegate.engine.forks.fork import ForkRequest
from tidegate.engine.forks.preview import ForkPreview
from tidegate.errors import BlockNotFound
from tidegate.model.events import AttemptStarted, ChildStarted, Origin
from tidegate.model.ids import BlockId, RunId, Seq, block_of
from tidegate.model.prompt import RecoveryPrompt
from tidegate.model.state import RunState
from tidegate.store.replay import replay


def without_ids(result: Result) -> Result:
    """Return how a run has ended without the ids of runs below."""
    status, blocks, outputs = result
    kept = {name: value for name, value in outputs.items() if not name.endswith(".run_id")}
    return status, blocks, {name: _without_run_id(value) for name, value in kept.items()}


def _without_run_id(value: object) -> object:
    if isinstance(value, dict):
        return {name: _without_run_id(it) for name, it in value.items() if name != "run_id"}
    if isinstance(value, list):
        return [_without_run_id(it) for it in value]
    # Of several that fail, which is told first depends on which comes first in the queue.
    return (
        re.sub(r"run [a-z0-9]{12} of (\w+) failed: .*", r"run of \1 failed", value)
        if isinstance(value, str)
        else value
    )


async def check_every_point(folder: Path, case: Case) -> None:
    """Fork a run that has ended at each of its events, with blocks that give the same again."""
    async with world(folder, blocks=with_scripted(Scripted())) as ground:
        run_id = await ground.start(case.definition)
        result = without_ids(result_of(await answer_all(ground, case, run_id)))
        journal = await ground.events(run_id)
        for record in journal:
            request = ForkRequest(Origin(run_id=run_id, seq=record.seq))
            preview = await ground.executor.preview_fork(request)
            forked = await ground.executor.fork(request, by="bea")
            ended = without_ids(result_of(await answer_all(ground, case, forked)))
            assert ended == result, f"forked at {record.seq}"
            await check_what_stays(ground, preview, forked)
        assert await ground.events(run_id) == journal
        await check_store(ground.store)


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(case=trees())
def test_a_fork_of_a_tree_without_edits_ends_as_its_run(case: Case) -> None:
    """Also what runs below: whatever they had done is not done twice, and what they gave is the same."""
    asyncio.run(check_every_point(Path.cwd(), case))


async def check_what_stays(ground: World, preview: ForkPreview, forked: RunId) -> None:
    """Nothing that was said to stay was run, here or below; and what was said to go on below did so as a fork."""
    seq = preview.origin.seq
    again = {block_of(r.event.block) for r in await own_intents(ground, forked, seq)}
    assert not again & {block.block for block in preview.blocks if not block.runs}, f"forked at {seq}"
    foretold = {it.place: it.preview for it in preview.below}
    went_on = {
        it.event.block: it.event
        for it in await ground.history.events(forked, after=seq)
        if isinstance(it.event, ChildStarted) and it.event.origin is not None
    }
    for place, below in foretold.items():
        origin = went_on[place].origin
        assert origin is not None
        assert origin.evolve(again=(), edits=()) == below.origin, f"forked at {seq}"
        await check_what_stays(ground, below, went_on[place].child)
    assert set(went_on) <= set(foretold), f"forked at {seq}"


async def own_intents(ground: World, run_id: RunId, after: Seq) -> list[Any]:
    """Return the records of what a fork has started itself."""
    return [
        r for r in await ground.history.events(run_id, after=after) if isinstance(r.event, AttemptStarted)
    ]


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(case=cases())
def test_a_fork_without_edits_ends_as_its_run(case: Case) -> None:
    """Wherever it begins, if its blocks do the same."""
    asyncio.run(check_every_point(Path.cwd(), case))


# -- what is named ----------------------------------------------------------------------------


async def nameable(ground: World, state: RunState) -> AsyncIterator[BlockId]:
    """Yield all that can be let run again in a fork from *state*, also of runs below."""
    for place in {*state.graph.blocks, *state.touched}:
        if "#" in place:
            continue
        yield place
        child = state.block(place).child
        if child is not None:
            async for inner in nameable(ground, await ground.history.state(child.run_id)):
                yield BlockId(f"{place}/{inner}")


@dataclass(frozen=True)
class Wish:
    """A fork that somebody may ask for; what it names is found once the run is there."""

    point: int
    named: tuple[int, ...]
    keeps_answers: bool


WISHES = st.builds(
    Wish, st.integers(0, 1_000), st.lists(st.integers(0, 1_000), max_size=3).map(tuple), st.booleans()
)


async def request_of(ground: World, run_id: RunId, wish: Wish) -> ForkRequest:
    """Return what *wish* comes to for a run."""
    head = (await ground.history.state(run_id)).head
    seq = Seq(1 + wish.point % head)
    state = await replay(ground.store, run_id, upto=seq)
    names = sorted([name async for name in nameable(ground, state)])
    named = dict.fromkeys(names[number % len(names)] for number in wish.named)
    return ForkRequest(Origin(run_id=run_id, seq=seq), blocks=tuple(named), keep_answers=wish.keeps_answers)


async def check_named(folder: Path, case: Case, wishes: list[Wish]) -> None:
    """Fork a run at a point, with places named that are to run again; it comes to its end, as was foretold."""
    async with world(folder, blocks=with_scripted(Scripted())) as ground:
        run_id = await ground.start(case.definition)
        await answer_all(ground, case, run_id)
        for wish in wishes:
            request = await request_of(ground, run_id, wish)
            try:
                preview = await ground.executor.preview_fork(request)
            except (BlockNotFound, InvalidEdit):
                # Named as the run below stands now: at the point there was less of it.
                assert any("/" in place for place in request.blocks)
                continue
            forked = await ground.executor.fork(request, by="bea")
            await answer_all(ground, case, forked)
            assert (await ground.history.state(forked)).finished is not None, request
            await check_what_stays(ground, preview, forked)
            await check_what_was_asked(ground, preview, forked)
        await check_store(ground.store)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(case=trees(), wishes=st.lists(WISHES, min_size=1, max_size=3))
def test_whatever_is_named_a_fork_ends_and_does_what_was_foretold(case: Case, wishes: list[Wish]) -> None:
    """Nothing that stays is run; nobody is asked who was not said to be; what is surely asked is."""
    asyncio.run(check_named(Path.cwd(), case, wishes))


async def check_what_was_asked(ground: World, preview: ForkPreview, forked: RunId) -> None:
    """Each question that is sure was asked with its text, and no block asked that was said to ask nobody."""
    state = await ground.history.state(forked)
    asked = [
        pause
        for pause in state.pauses.values()
        if pause.opened_seq > preview.origin.seq and not isinstance(pause.prompt, RecoveryPrompt)
    ]
    sure = {(it.place, it.text) for block in preview.blocks for it in block.questions if it.is_sure}
    assert sure <= {(pause.block, pause.prompt.text) for pause in asked}
    silent = {block.block for block in preview.blocks if not block.asks}
    assert not silent & {block_of(pause.block) for pause in asked}
