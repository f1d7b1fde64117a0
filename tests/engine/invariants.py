"""What holds of every state of every run: everything that is counted equals what can be recounted."""

from collections import Counter

from tidegate.model.events import RunStatus
from tidegate.model.state import BlockStatus, RunState
from tidegate.model.workflow import Schedule


def check_invariants(state: RunState) -> None:
    """Fail if something that the state keeps up to date by itself has drifted."""
    blocks = {block_id: state.block(block_id) for block_id in state.graph.blocks}
    counted = Counter(block.status for block in blocks.values())
    for status in BlockStatus:
        if status is not BlockStatus.PENDING:
            assert state.count(status) == counted[status], status
    for index, wave in enumerate(state.graph.definition.waves):
        assert state.blocks_left(index) == sum(not blocks[block_id].status.has_ended for block_id in wave)
    assert set(state.open_pauses) == {pause_id for pause_id, pause in state.pauses.items() if pause.is_open}
    waiting = [*state.work, *state.asking]
    assert len(waiting) == len(set(waiting))
    assert all(blocks[block_id].status is BlockStatus.PENDING for block_id in waiting)
    assert len(set(state.attention)) == len(state.attention)
    _check_summary(state, counted)
    if state.graph.definition.schedule is Schedule.EAGER:
        _check_unmet(state)


def _check_summary(state: RunState, counted: Counter[BlockStatus]) -> None:
    summary = state.summarise()
    assert summary.blocks == len(state.graph.blocks)
    ended = sum(count for status, count in counted.items() if status.has_ended)
    assert summary.completed == ended - counted[BlockStatus.CANCELLED]
    assert summary.pauses == len(state.open_pauses)
    assert summary.status is state.status
    if state.finished is not None:
        assert state.status.is_terminal
        assert ended == summary.blocks
        assert not state.open_pauses
    if state.status is RunStatus.PAUSED:
        assert state.open_pauses
        assert not counted[BlockStatus.RUNNING]


def _check_unmet(state: RunState) -> None:
    for block_id, count in state.unmet.items():
        dependencies = state.graph.blocks[block_id].depends_on
        unmet = sum(not state.block(dependency.block).status.has_ended for dependency in dependencies)
        assert count == unmet, block_id
