"""How the state at a point of one run becomes the state in which a fork of it begins."""

from immutables import Map

from tidegate.model.base import JsonObject
from tidegate.model.fold_pauses import close_pause
from tidegate.model.fork_events import RunForked
from tidegate.model.replan import replan
from tidegate.model.state import RunState
from tidegate.model.transplant import transplant
from tidegate.model.value import Inline, Value

__all__ = ["apply_fork"]


def apply_fork(state: RunState, event: RunForked, at: float) -> RunState:
    """Return *state*, that of the other run at the point, as the fork goes on with it."""
    children = {place: state.block(place).child for place in event.children}
    for pause_id in state.open_pauses:
        state = close_pause(state, pause_id, at)
    state = _replaced(state, event).evolve(
        # A journal that was flattened into one of its own has all of it, and goes on from nobody.
        origin=None if event.origin.run_id == state.run_id else event.origin,
        inherited=Map({place: block.attempt for place, block in state.touched.items() if block.attempt}),
        by=event.by,
        parent=event.parent,
        started_at=at,
        machine_seconds=0.0,
        held=None,
        kept=Map(event.kept),
        keep_answers=event.keep_answers,
    )
    state = _without_keys(replan(state, event.again, at, fresh=True))
    if event.workflow is not None:
        state = transplant(state, event.workflow)
    for place, child in children.items():
        if child is not None and place in state.touched:
            goes_on = child.evolve(origin=event.children[place])
            state = state.with_block(place, state.block(place).evolve(child=goes_on))
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
