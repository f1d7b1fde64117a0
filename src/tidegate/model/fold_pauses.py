"""How a state changes when a question opens, is decided, or stands still."""

from typing import TypeAlias, assert_never

from tidegate.model.events import (
    AnswerRefused,
    BlockPaused,
    PauseAnswered,
    PauseAssigned,
    PauseExpired,
    Record,
)
from tidegate.model.fork_events import question_key
from tidegate.model.ids import PauseId
from tidegate.model.prompt import Answer, Assignment
from tidegate.model.state import BlockStatus, Pause, PauseState, RunState

__all__ = ["PauseEvent", "apply_pause", "close_pause", "freeze", "thaw", "turned_pauses"]

PauseEvent: TypeAlias = BlockPaused | PauseAssigned | PauseAnswered | AnswerRefused | PauseExpired


def apply_pause(state: RunState, event: PauseEvent, record: Record) -> RunState:
    """Return *state* after something happened to a question."""
    match event:
        case BlockPaused():
            return _open(state, event, record)
        case PauseAssigned():
            said = Assignment(to=event.to, by=event.by, at=record.at, note=event.note)
            pause = state.pauses[event.pause_id].evolve(assignment=said)
            return state.with_pause(pause).evolve(assignments=state.assignments.set(pause.block, said))
        case PauseAnswered():
            return _decided(state, event.pause_id, PauseState.ANSWERED, record.at, event.answer)
        case PauseExpired():
            return _decided(state, event.pause_id, PauseState.EXPIRED, record.at, None)
        case AnswerRefused():
            pause = state.pauses[event.pause_id]
            return state.with_pause(pause.evolve(refusals=pause.refusals + 1))
        case _:
            assert_never(event)


def _open(state: RunState, event: BlockPaused, record: Record) -> RunState:
    pause = Pause(
        pause_id=event.pause_id,
        block=event.block,
        attempt=event.attempt,
        prompt=event.prompt,
        opened_at=record.at,
        opened_seq=record.seq,
        deadline=event.deadline,
        assignment=event.assignment,
    )
    if event.block in state.kept:
        asked = question_key(event.prompt)
        left = tuple(kept for kept in state.kept[event.block] if kept.question != asked)
        state = state.evolve(kept=state.kept.set(event.block, left))
    block = state.block(event.block).evolve(status=BlockStatus.PAUSED, pause_id=event.pause_id)
    return state.dequeue(event.block).with_block(event.block, block).with_pause(pause)


def _decided(
    state: RunState, pause_id: PauseId, how: PauseState, at: float, answer: Answer | None
) -> RunState:
    pause = state.pauses[pause_id]
    state = state.with_pause(pause.evolve(state=how, closed_at=at, answer=answer))
    return state.evolve(attention=state.attention.push([pause.block]))


def close_pause(state: RunState, pause_id: PauseId, at: float, because: str = "") -> RunState:
    """Return *state* with a question that nobody may answer any more, and why."""
    closed = state.pauses[pause_id].evolve(state=PauseState.CLOSED, closed_at=at, because=because)
    return state.with_pause(closed)


def freeze(state: RunState, at: float) -> RunState:
    """Return *state* with deadlines that stand still."""
    for pause in [state.pauses[pause_id] for pause_id in state.open_pauses]:
        if pause.deadline is not None:
            state = state.with_pause(pause.evolve(deadline=None, remaining=pause.deadline - at))
    return state


def thaw(state: RunState, at: float) -> RunState:
    """Return *state* with deadlines that go on, with the time that was left."""
    for pause in [state.pauses[pause_id] for pause_id in state.open_pauses]:
        if pause.remaining is not None:
            state = state.with_pause(pause.evolve(deadline=at + pause.remaining, remaining=None))
    return state


def turned_pauses(
    before: RunState, after: RunState
) -> tuple[tuple[PauseId, ...], dict[PauseId, float | None]]:
    """Return the pauses that were closed without an answer of their own, and the deadlines that moved."""
    closed: list[PauseId] = []
    deadlines: dict[PauseId, float | None] = {}
    for pause_id in before.open_pauses:
        pause = after.pauses[pause_id]
        if pause.state is PauseState.CLOSED:
            closed.append(pause_id)
        elif pause.is_open and pause.deadline != before.pauses[pause_id].deadline:
            deadlines[pause_id] = pause.deadline
    return tuple(closed), deadlines
