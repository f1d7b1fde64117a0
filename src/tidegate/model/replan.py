"""How a state changes when a person turns the course of a run: run again, skip, stop."""

from collections.abc import Iterable, Iterator

from immutables import Map

from tidegate.model.events import RunResumed, SkipRequested
from tidegate.model.fifo import Fifo
from tidegate.model.fold_pauses import close_pause
from tidegate.model.ids import BlockId, block_of, is_part
from tidegate.model.policy import OnFailure
from tidegate.model.question import SentBack
from tidegate.model.state import BlockState, BlockStatus, Fan, RunState
from tidegate.model.workflow import Schedule

__all__ = ["because_of", "refan", "remember", "reopen", "replan", "skip", "stop_the_rest"]

_LOST = frozenset({BlockStatus.FAILED, BlockStatus.REJECTED})


# -- run again --------------------------------------------------------------------------------


def remember(state: RunState, event: RunResumed) -> RunState:
    """Return *state* with who lets it go on, and what was said to the blocks that run again.

    What begins anew forgets what was said before.
    """
    blocks = [place for place in event.blocks if not is_part(place)]
    said = state.sent_back
    if event.feedback:
        said = said.update(dict.fromkeys(blocks, SentBack(by=event.by, feedback=event.feedback)))
    for block in blocks if event.fresh and said and not event.feedback else ():
        said = said.delete(block) if block in said else said
    return state.evolve(resumed_by=event.by, sent_back=said)


def because_of(event: RunResumed) -> str:
    """Return why questions are closed that *event* asks anew."""
    by = event.by or "somebody"
    return f"it was sent back by {by}: {event.feedback}" if event.feedback else f"{by} let it run again"


def replan(
    state: RunState, places: tuple[BlockId, ...], at: float, *, fresh: bool, because: str = ""
) -> RunState:
    """Return *state* with *places* pending again; what was counted from them is counted anew.

    A block that is named together with parts of it keeps its other parts and what they gave. Open questions
    are closed *because* of something.
    """
    parts = [place for place in places if is_part(place)]
    kept = {block_of(part) for part in parts}
    for place in places:
        if place not in kept:
            state = _reset(state, place, at, fresh=fresh, because=because)
    for block_id in sorted(kept):
        state = refan(state, block_id)
    return reopen(state, [place for place in places if not is_part(place)])


def _reset(state: RunState, place: BlockId, at: float, *, fresh: bool, because: str) -> RunState:
    before = state.block(place)
    if before.pause_id is not None and state.pauses[before.pause_id].is_open:
        state = close_pause(state, before.pause_id, at, because)
    for part in state.parts_of(place):
        state = _reset(state, part, at, fresh=True, because=because)
    again = BlockState(attempt=before.attempt)
    # What had succeeded and is only downstream of the rest is done all over, for what it gets now.
    if not fresh and before.status is not BlockStatus.SUCCEEDED:
        again = again.evolve(child=before.child, steps=before.steps)
    return state.dequeue(place).with_block(place, again)


def refan(state: RunState, block_id: BlockId) -> RunState:
    """Let a block go on with those of its parts that have not ended."""
    block = state.block(block_id)
    if block.fan is None:
        return state
    everything = list(state.parts_of(block_id))
    left = [part for part in everything if not state.block(part).status.has_ended]
    width = len(left)
    rule = state.graph.blocks[block_id].for_each
    if rule is not None and rule.max_parallel is not None:
        width = rule.max_parallel
    waiting = [_key_of(block_id, part) for part in left[width:]]
    # What stays lost counts on: a retry of one item is no yes to another one's no.
    lost = sum(state.block(part).status in _LOST for part in everything)
    fan = block.fan.evolve(left=len(left), lost=lost, waiting=Fan().waiting.push(waiting))
    again = BlockState(
        status=BlockStatus.RUNNING, attempt=block.attempt, started_at=block.started_at, fan=fan
    )
    return state.dequeue(block_id).with_block(block_id, again).enqueue(left[:width])


def _key_of(block_id: BlockId, part: BlockId) -> str:
    return part[len(block_id) + 1 : -1]


def reopen(state: RunState, blocks: Iterable[BlockId]) -> RunState:
    """Take back that the run has ended, or is ending, and let the wave of the first of *blocks* go on."""
    waves = [state.graph.wave_of[block_id] for block_id in blocks]
    state = state.evolve(
        finished=None,
        cancel=None,
        timed_out=False,
        machine_seconds=0.0 if state.timed_out else state.machine_seconds,
        interrupted="",
        first_failure=_first_failure(state),
        wave=min([state.wave, *waves]),
        left=_left_in_waves(state),
    )
    if state.graph.definition.schedule is Schedule.EAGER:
        state = state.evolve(unmet=_unmet(state))
        return state.enqueue(block for block in state.graph.blocks if not state.unmet.get(block))
    return state.enqueue(state.graph.definition.waves[state.wave]) if state.wave >= 0 else state


def _first_failure(state: RunState) -> str:
    """Return what a list says of what has failed first, of all that has and is not tolerated; empty: nothing has."""
    first = min(_failed(state), key=lambda place: state.block(place).ended_at or 0.0, default=None)
    if first is None:
        return ""
    failure = state.block(first).failure
    return f"{first}: {failure.message}" if failure is not None else first


def _failed(state: RunState) -> Iterator[BlockId]:
    """Yield what has failed and is not tolerated, the parts of a block before itself: they failed it."""
    for block_id, definition in state.graph.blocks.items():
        if definition.on_failure is not OnFailure.CONTINUE:
            places = (*state.parts_of(block_id), block_id)
            yield from (place for place in places if state.block(place).status is BlockStatus.FAILED)


def _left_in_waves(state: RunState) -> Map[int, int]:
    waves = state.graph.definition.waves
    return Map(
        {
            index: sum(not state.block(block).status.has_ended for block in wave)
            for index, wave in enumerate(waves)
        }
    )


def _unmet(state: RunState) -> Map[BlockId, int]:
    return Map(
        {
            block.id: sum(not state.block(wait.block).status.has_ended for wait in block.depends_on)
            for block in state.graph.definition.blocks
        }
    )


# -- skip -------------------------------------------------------------------------------------


def skip(state: RunState, event: SkipRequested, at: float) -> RunState:
    """Return *state* with a block that a person decided not to run."""
    reason = f"skipped by {event.by or 'somebody'}: {event.reason}"
    state = _end(state, event.block, BlockStatus.SKIPPED, reason, at)
    state = replan(state, event.downstream, at, fresh=False) if event.downstream else state
    if state.finished is not None:
        state = reopen(state, [event.block])
    return state.evolve(first_failure=_first_failure(state))


def _end(state: RunState, place: BlockId, status: BlockStatus, reason: str, at: float) -> RunState:
    before = state.block(place)
    if before.pause_id is not None and state.pauses[before.pause_id].is_open:
        state = close_pause(state, before.pause_id, at)
    ended = before.evolve(
        status=status, reason=reason, ended_at=at, wake_at=None, child_pauses=0, failure=None, outputs={}
    )
    return state.dequeue(place).with_block(place, ended)


# -- stop -------------------------------------------------------------------------------------


def stop_the_rest(state: RunState, reason: str, at: float, *, also_always: bool = False) -> RunState:
    """Return *state* with everything cancelled that is not at work; blocks that run `always` stay.

    What is at work is ended by the driver, and says so itself. Nobody is asked any more: blocks
    that wait for people, or would, end too, even if they run `always`.
    """
    for block_id, definition in state.graph.blocks.items():
        stays = definition.always and not definition.interactive and not also_always
        if state.block(block_id).fan is not None:
            state = _stop_parts(state, block_id, reason, at, only_people=stays)
        elif _rests(state, block_id, only_people=stays):
            state = _end(state, block_id, BlockStatus.CANCELLED, reason, at)
    return state


def _rests(state: RunState, place: BlockId, *, only_people: bool) -> bool:
    """Whether a place has not ended and nothing of it runs, so that it can be cancelled by saying so."""
    block = state.block(place)
    if only_people and block.status not in (BlockStatus.PAUSED, BlockStatus.INTERRUPTED):
        return False
    return not (block.status.has_ended or block.is_at_work or place in state.children)


def _stop_parts(state: RunState, block_id: BlockId, reason: str, at: float, *, only_people: bool) -> RunState:
    block = state.block(block_id)
    if block.status.has_ended or block.fan is None:
        return state
    for part in list(state.parts_of(block_id)):
        if _rests(state, part, only_people=only_people):
            state = _end(state, part, BlockStatus.CANCELLED, reason, at)
    if only_people:
        return state
    fan = (state.block(block_id).fan or block.fan).evolve(waiting=Fifo())
    at_work = [part for part in state.parts_of(block_id) if not state.block(part).status.has_ended]
    state = state.with_block(block_id, state.block(block_id).evolve(fan=fan.evolve(left=len(at_work))))
    if at_work:
        return state
    return _end(state, block_id, BlockStatus.CANCELLED, reason, at)
