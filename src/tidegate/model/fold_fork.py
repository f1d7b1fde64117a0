"""How the state at a point of one run becomes the state in which a fork of it begins."""

from collections.abc import Mapping

from immutables import Map

from tidegate.model.base import JsonObject
from tidegate.model.block_state import BlockStatus, Child
from tidegate.model.fold_pauses import close_pause
from tidegate.model.fork_events import RunForked
from tidegate.model.ids import BlockId
from tidegate.model.lineage import Origin
from tidegate.model.replan import replan
from tidegate.model.state import RunState
from tidegate.model.transplant import transplant
from tidegate.model.value import Inline, Value

__all__ = ["apply_fork"]


def apply_fork(state: RunState, event: RunForked, at: float) -> RunState:
    """Return *state*, that of the other run at the point, as the fork goes on with it."""
    children = {place: block.child for place, block in state.touched.items() if block.child is not None}
    for pause_id in state.open_pauses:
        state = close_pause(state, pause_id, at)
    state = _replaced(state, event).evolve(
        # A journal that was flattened into one of its own has all of it, and goes on from nobody.
        origin=None if event.origin.run_id == state.run_id else event.origin,
        forked_from=None if event.forked_from.run_id == state.run_id else event.forked_from,
        inherited=Map({place: block.attempt for place, block in state.touched.items() if block.attempt}),
        by=event.by,
        parent=event.parent,
        started_at=at,
        machine_seconds=0.0,
        idle_seconds=0.0,
        held=None,
        kept=Map(event.kept),
        keep_answers=event.keep_answers,
    )
    state = _without_keys(replan(state, event.again, at, fresh=True))
    if event.workflow is not None:
        state = transplant(state, event.workflow)
    return _with_children(state, children, event.children)


def _with_children(
    state: RunState, children: Mapping[BlockId, Child], origins: Mapping[BlockId, Origin]
) -> RunState:
    """Let go of runs that did the work of blocks: they are the other run's, and must never go on for this one."""
    for place, child in children.items():
        block = state.block(place)
        if place in origins and place in state.touched:
            state = state.with_block(place, block.evolve(child=child.evolve(origin=origins[place])))
        elif block.child is not None and block.status is not BlockStatus.SUCCEEDED:
            state = state.with_block(place, block.evolve(child=None))
    return state


def _replaced(state: RunState, event: RunForked) -> RunState:
    """Return *state* with what a person wants to be other than it was."""
    given = {block: {**state.given.get(block, {}), **inputs} for block, inputs in event.given.items()}
    for place, outputs in event.outputs.items():
        block = state.block(place)
        state = state.with_block(place, block.evolve(outputs={**block.outputs, **_inline(outputs)}))
    return state.evolve(
        inputs={**state.inputs, **event.inputs},
        given=state.given.update(given),
        variables=state.variables.update(_inline(event.variables)),
    )


def _inline(values: JsonObject) -> dict[str, Value]:
    return {name: Inline(value=value) for name, value in values.items()}


def _without_keys(state: RunState) -> RunState:
    """Let what has not ended take new idempotency keys: those that it had belong to effects of the other run."""
    for place, block in state.touched.items():
        if block.key and not block.status.has_ended:
            state = state.with_block(place, block.evolve(key=""))
    return state
