"""A run ends the same wherever it was cut off.

For random workflows: run them to the end, then take every prefix of the journal, put it into a
fresh store as a crash would leave it, and let a new driver go on. The result must be the one of
the undisturbed run, and no block that had ended may run again.
"""

import asyncio
from pathlib import Path

from hypothesis import HealthCheck, given, settings

from running import World, world
from scripted import Scripted, with_scripted
from store_invariants import check_store
from strategies import Case, cases
from tidegate.model.answer import Reply
from tidegate.model.events import AttemptStarted, CheckpointMarked, Record, RunStarted, outputs_of
from tidegate.model.fold import apply
from tidegate.model.ids import BlockId, RunId, new_run_id
from tidegate.model.listing import Epoch
from tidegate.model.state import RunState, new_state
from tidegate.model.value import Inline
from tidegate.model.workflow import Graph, definition_hash
from tidegate.store.protocol import Append, NewRun

Result = tuple[str, dict[str, str], dict[str, object]]


async def answer_all(ground: World, case: Case, run_id: RunId) -> RunState:
    """Answer as the case says until the run has ended."""
    while True:
        await ground.rest(run_id)
        pauses = await ground.history.inbox(run_id)
        if not pauses:
            return await ground.history.state(run_id)
        for pause in pauses:
            reply = Reply(raw=case.answer_to(pause), by="ana", via="test")
            await ground.executor.answer(pause.pause_id, reply)


def result_of(state: RunState) -> Result:
    """Return what must be the same: the end, every block's status and outputs."""
    assert state.finished is not None
    blocks = {block_id: state.block(block_id) for block_id in state.graph.blocks}
    blocks |= {
        part: state.block(part) for block_id in state.graph.blocks for part in state.parts_of(block_id)
    }
    outputs: dict[str, object] = {
        f"{block_id}.{name}": value.value
        for block_id, block in blocks.items()
        for name, value in block.outputs.items()
        if isinstance(value, Inline)
    }
    return state.status.value, {block_id: block.status.value for block_id, block in blocks.items()}, outputs


async def continue_from(folder: Path, case: Case, prefix: tuple[Record, ...]) -> tuple[RunState, Scripted]:
    """Lay the prefix of a journal into a fresh store, and drive the run from there to its end."""
    scripted = Scripted()
    async with world(folder, blocks=with_scripted(scripted)) as ground:
        run_id = new_run_id()
        graph = Graph(case.definition)
        started = prefix[0].event
        assert isinstance(started, RunStarted)
        state, marks = new_state(run_id, graph), {}
        for record in prefix:
            state = apply(state, record.evolve(run_id=run_id))
            if isinstance(record.event, CheckpointMarked):
                marks[str(record.event.checkpoint_id)] = state.summarise()
        await ground.store.create_run(
            NewRun(
                run_id=run_id,
                definition=case.definition,
                definition_hash=definition_hash(case.definition),
                at=prefix[0].at,
                events=(started,),
                summary=new_state(run_id, graph).summarise(),
                owner="elsewhere:1:1",
                lease_until=1.0,
            )
        )
        if len(prefix) > 1:
            await ground.store.append(
                Append(
                    run_id=run_id,
                    after=prefix[0].seq,
                    at=prefix[-1].at,
                    events=tuple(record.event for record in prefix[1:]),
                    summary=state.summarise(),
                    marks=marks,
                    epoch=Epoch(1),
                )
            )
        await ground.executor.adopt()
        state = await answer_all(ground, case, run_id)
        await check_store(ground.store)
        return state, scripted


async def check_every_prefix(folder: Path, case: Case) -> None:
    """Run undisturbed, then once more from every cut."""
    async with world(folder, blocks=with_scripted(Scripted())) as ground:
        run_id = await ground.start(case.definition)
        undisturbed = result_of(await answer_all(ground, case, run_id))
        journal = await ground.events(run_id)
        await check_store(ground.store)
    for cut in range(1, len(journal)):
        prefix = journal[:cut]
        state, scripted = await continue_from(folder, case, prefix)
        assert result_of(state) == undisturbed, f"cut after event {cut}"
        assert not _ended_in(prefix) & {block for block, _ in scripted.keys}, (
            f"cut after event {cut}: ran again"
        )
        _keys_are_kept(prefix, scripted)


def _ended_in(prefix: tuple[Record, ...]) -> set[str]:
    return {getattr(record.event, "block") for record in prefix if outputs_of(record.event)}  # noqa: B009


def _keys_are_kept(prefix: tuple[Record, ...], scripted: Scripted) -> None:
    """An attempt that is made again after a crash has the key it had before."""
    intents = {
        record.event.block: record.event.key for record in prefix if isinstance(record.event, AttemptStarted)
    }
    for block, key in scripted.keys:
        assert intents.get(BlockId(block), key) == key


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(case=cases())
def test_a_run_ends_the_same_wherever_it_was_cut_off(case: Case) -> None:
    """Every prefix of its journal is a valid state, and leads to the same end."""
    asyncio.run(check_every_prefix(Path.cwd(), case))


@settings(max_examples=100, deadline=None)
@given(case=cases(max_blocks=9))
def test_what_is_random_here_is_worth_testing(case: Case) -> None:
    """Waves respect every edge of the random workflows."""
    wave_of = Graph(case.definition).wave_of
    for block in case.definition.blocks:
        assert all(wave_of[dependency.block] < wave_of[block.id] for dependency in block.depends_on)
