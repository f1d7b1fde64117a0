"""What holds of every state of every run: everything that is counted equals what can be recounted."""

from collections import Counter

from tidegate.model.events import RunStatus
from tidegate.model.ids import BlockId
from tidegate.model.policy import OnFailure
from tidegate.model.state import BlockState, BlockStatus, RunState
from tidegate.model.workflow import Schedule


def check_invariants(state: RunState) -> None:
    """Fail if something that the state keeps up to date by itself has drifted."""
    blocks = {block_id: state.block(block_id) for block_id in state.graph.blocks}
    parts = {part: state.block(part) for block_id in blocks for part in state.parts_of(block_id)}
    counted = Counter(block.status for block in blocks.values())
    for status in BlockStatus:
        if status is not BlockStatus.PENDING:
            assert state.count(status) == counted[status], status
    for index, wave in enumerate(state.graph.definition.waves):
        assert state.blocks_left(index) == sum(not blocks[block_id].status.has_ended for block_id in wave)
    assert set(state.open_pauses) == {pause_id for pause_id, pause in state.pauses.items() if pause.is_open}
    waiting = [*state.work, *state.asking]
    assert len(waiting) == len(set(waiting))
    assert all(state.block(place).status is BlockStatus.PENDING for place in waiting)
    _check_places(state, {**blocks, **parts})
    _check_fans(state)
    _check_summary(state, counted)
    if state.graph.definition.schedule is Schedule.EAGER:
        _check_unmet(state)


def _check_places(state: RunState, places: dict[BlockId, BlockState]) -> None:
    assert state.active == sum(place.is_at_work for place in places.values())
    assert state.limbo == sum(place.status is BlockStatus.INTERRUPTED for place in places.values())
    assert state.asleep == sum(place.is_asleep for place in places.values())
    assert state.child_pauses == sum(place.child_pauses for place in places.values())
    timers = {place: block.wake_at for place, block in places.items() if block.wake_at is not None}
    assert dict(state.timers) == timers
    children = {place: block.live_child for place, block in places.items() if block.live_child is not None}
    assert dict(state.children) == children
    tolerated = [
        place
        for place in state.graph.blocks
        if places[place].status is BlockStatus.FAILED
        and state.graph.blocks[place].on_failure is OnFailure.CONTINUE
    ]
    assert state.tolerated == len(tolerated)


def _check_fans(state: RunState) -> None:
    """Every part of a block that goes on has ended, is queued, is at work, waits, or is still to be queued."""
    for block_id in state.graph.blocks:
        block = state.block(block_id)
        if block.fan is None or block.status.has_ended:
            continue
        left = [part for part in state.parts_of(block_id) if not state.block(part).status.has_ended]
        assert block.fan.left <= len(left)
        assert block.fan.left or block_id in state.attention
        if block.fan.lost == 0:
            assert block.fan.left == len(left)


def _check_summary(state: RunState, counted: Counter[BlockStatus]) -> None:
    summary = state.summarise()
    assert summary.blocks == len(state.graph.blocks)
    ended = sum(count for status, count in counted.items() if status.has_ended)
    assert summary.completed == ended - counted[BlockStatus.CANCELLED]
    assert summary.pauses == len(state.open_pauses) + state.child_pauses
    assert summary.status is state.status
    if state.finished is not None:
        assert state.status.is_terminal
        assert ended == summary.blocks
        assert not (state.open_pauses)
        assert not (state.active)
        assert not (state.timers)
        assert not (state.children)
    if state.status is RunStatus.PAUSED:
        assert state.open_pauses or state.asleep or state.held
        assert not state.active


def _check_unmet(state: RunState) -> None:
    for block_id, count in state.unmet.items():
        dependencies = state.graph.blocks[block_id].depends_on
        unmet = sum(not state.block(dependency.block).status.has_ended for dependency in dependencies)
        assert count == unmet, block_id
