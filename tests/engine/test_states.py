"""The states of runs that are kept in memory: they are what reading gives, and there is a bound to them."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from running import World, definition_of, world
from tidegate.model.ids import BlockId, RunId, iteration_place
from tidegate.model.state import RunState, new_state
from tidegate.model.workflow import Graph, definition_hash
from tidegate.store.protocol import NewRun
from tidegate.store.replay import States, first_state, replay

WIDE = """
    name: wide
    blocks:
    - {id: gate, type: ConfirmOperation, inputs: {message: Go on?}}
    - {id: work, type: Shell, inputs: {command: "true"}, depends_on: [gate]}
"""


@pytest.fixture
async def ground(tmp_path: Path) -> AsyncIterator[World]:
    """A world in a file."""
    async with world(tmp_path, f"sqlite://{tmp_path}/tidegate.db") as opened:
        yield opened


async def test_the_first_state_of_a_run_is_what_reading_gives(ground: World) -> None:
    """Whoever has created a run need not read it back."""
    run_id = await ground.start(WIDE)
    (started, *_) = await ground.events(run_id)
    definition = definition_of(WIDE, working_dir=ground.folder)
    state = new_state(run_id, Graph(definition))
    run = NewRun(
        run_id=run_id,
        definition=definition,
        definition_hash=definition_hash(definition),
        at=started.at,
        events=(started.event,),
        summary=state.summarise(),
    )

    read = await replay(ground.store, run_id, upto=started.seq)

    assert first_state(run) == read
    assert read.head == 1
    assert read.by == "ana"


def _state(run_id: str, count: int) -> RunState:
    graph = Graph(definition_of(WIDE))
    state = new_state(RunId(run_id), graph)
    block = state.block(graph.definition.blocks[0].id).evolve(attempt=1)
    places = [iteration_place(BlockId("gate"), number) for number in range(count)]
    return state.evolve(touched=state.touched.update(dict.fromkeys(places, block)))


async def test_states_are_kept_as_long_as_they_are_small(ground: World) -> None:
    """Of fifty small ones all are; of large ones the last sixteen."""
    states = States(ground.store)
    small, large = [f"small{n}" for n in range(50)], [f"large{n}" for n in range(20)]

    for run_id in small:
        states.keep(_state(run_id, 20))
    assert all(states.known(RunId(run_id)) is not None for run_id in small)

    for run_id in large:
        states.keep(_state(run_id, 2_000))
    assert [run_id for run_id in small + large if states.known(RunId(run_id)) is not None] == large[-16:]


async def test_a_state_that_is_kept_again_counts_once(ground: World) -> None:
    """However often: otherwise one run that moves would push out all others."""
    states = States(ground.store)
    for number in range(20):
        states.keep(_state(f"other{number}", 10))
    for _ in range(100):
        states.keep(_state("moves", 400))

    assert all(states.known(RunId(f"other{number}")) is not None for number in range(20))
