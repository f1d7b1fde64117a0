"""`apply(state, record) -> state` and `fold`: how a journal becomes a state.

Pure, and total over the closed union of events: `mypy` fails here when an event is added and
not applied.
"""

from collections.abc import Iterable
from typing import assert_never

from immutables import Map

from tidegate.model.events import (
    AnswerRefused,
    AttemptCancelled,
    AttemptFailed,
    AttemptInterrupted,
    AttemptRejected,
    AttemptStarted,
    AttemptSucceeded,
    BlockPaused,
    BlockSkipped,
    CancelRequested,
    CheckpointMarked,
    PauseAnswered,
    PauseExpired,
    Record,
    RunAdopted,
    RunFinished,
    RunInterrupted,
    RunResumed,
    RunStarted,
    RunStatus,
    WaveCompleted,
    WaveStarted,
)
from tidegate.model.ids import BlockId, PauseId
from tidegate.model.prompt import Answer
from tidegate.model.state import BlockState, BlockStatus, Pause, PauseState, RunState
from tidegate.model.workflow import Schedule

__all__ = ["apply", "fold"]


def fold(state: RunState, records: Iterable[Record]) -> RunState:
    """Return *state* after *records*, which follow its head in order."""
    for record in records:
        state = apply(state, record)
    return state


def apply(state: RunState, record: Record) -> RunState:
    """Return *state* after one event.

    Raises:
        ValueError: *record* does not follow the state's head.
    """
    if record.seq != state.head + 1:
        raise ValueError(f"event {record.seq} does not follow event {state.head} of run {state.run_id}")
    return _apply(state, record).evolve(head=record.seq, updated_at=record.at)


def _apply(state: RunState, record: Record) -> RunState:
    event, at = record.event, record.at
    match event:
        case (
            RunStarted() | RunAdopted() | RunInterrupted() | RunResumed() | RunFinished() | CancelRequested()
        ):
            return _apply_run(state, event, at)
        case WaveStarted() | WaveCompleted():
            return _apply_wave(state, event)
        case BlockPaused() | PauseAnswered() | AnswerRefused() | PauseExpired():
            return _apply_pause(state, record)
        case CheckpointMarked():
            return state
        case BlockSkipped():
            return _end(state, event.block, at, status=BlockStatus.SKIPPED, reason=event.reason)
        case _:
            return _apply_attempt(state, event, at)


# -- the run ----------------------------------------------------------------------------------

_RunEvent = RunStarted | RunAdopted | RunInterrupted | RunResumed | RunFinished | CancelRequested


def _apply_run(state: RunState, event: _RunEvent, at: float) -> RunState:
    match event:
        case RunStarted():
            return state.evolve(inputs=event.inputs, by=event.by, started_at=at)
        case RunAdopted():
            return state.evolve(interrupted="")
        case RunInterrupted():
            return state.evolve(interrupted=event.reason)
        case RunResumed():
            return _replan(state, event.blocks, at)
        case CancelRequested():
            return state.evolve(cancel=state.cancel or event)
        case RunFinished():
            return _finish(state, event, at)
        case _:
            assert_never(event)


def _finish(state: RunState, event: RunFinished, at: float) -> RunState:
    for pause_id in state.open_pauses:
        state = _close_pause(state, pause_id, at)
    if event.status is RunStatus.CANCELLED:
        state = _cancel_the_rest(state, at)
    return state.evolve(finished=event)


def _cancel_the_rest(state: RunState, at: float) -> RunState:
    reason = state.cancel.reason if state.cancel else ""
    for block_id in state.graph.blocks:
        block = state.block(block_id)
        if not block.status.has_ended:
            cancelled = block.evolve(
                status=BlockStatus.CANCELLED, reason=reason or "the run was cancelled", ended_at=at
            )
            state = state.dequeue(block_id).with_block(block_id, cancelled)
    return state


def _replan(state: RunState, blocks: tuple[BlockId, ...], at: float) -> RunState:
    """Make *blocks* pending again; what was counted from them is counted anew."""
    for block_id in blocks:
        before = state.block(block_id)
        if before.pause_id is not None and state.pauses[before.pause_id].is_open:
            state = _close_pause(state, before.pause_id, at)
        state = state.dequeue(block_id).with_block(block_id, BlockState(attempt=before.attempt))
    waves = [state.graph.wave_of[block_id] for block_id in blocks]
    state = state.evolve(
        finished=None,
        cancel=None,
        interrupted="",
        first_failure="",
        wave=min([state.wave, *waves]),
        left=_left_in_waves(state),
    )
    if state.graph.definition.schedule is Schedule.EAGER:
        state = state.evolve(unmet=_unmet_of(state, blocks))
        return state.enqueue(block for block in blocks if not state.unmet[block])
    return state.enqueue(state.graph.definition.waves[state.wave])


def _left_in_waves(state: RunState) -> Map[int, int]:
    waves = state.graph.definition.waves
    return Map(
        {
            index: sum(not state.block(block).status.has_ended for block in wave)
            for index, wave in enumerate(waves)
        }
    )


def _unmet_of(state: RunState, blocks: tuple[BlockId, ...]) -> Map[BlockId, int]:
    unmet = state.unmet
    for block_id in blocks:
        waits = state.graph.blocks[block_id].depends_on
        unmet = unmet.set(block_id, sum(not state.block(wait.block).status.has_ended for wait in waits))
    return unmet


# -- waves ------------------------------------------------------------------------------------


def _apply_wave(state: RunState, event: WaveStarted | WaveCompleted) -> RunState:
    if isinstance(event, WaveCompleted):
        return state
    definition = state.graph.definition
    first = state.wave < 0
    state = state.evolve(wave=event.wave)
    if definition.schedule is Schedule.WAVES or first:
        return state.enqueue(definition.waves[event.wave])
    return state


# -- pauses -----------------------------------------------------------------------------------


def _apply_pause(state: RunState, record: Record) -> RunState:
    event, at = record.event, record.at
    match event:
        case BlockPaused():
            pause = Pause(
                pause_id=event.pause_id,
                block=event.block,
                attempt=event.attempt,
                prompt=event.prompt,
                opened_at=at,
                opened_seq=record.seq,
                deadline=event.deadline,
            )
            block = state.block(event.block).evolve(status=BlockStatus.PAUSED, pause_id=event.pause_id)
            return state.dequeue(event.block).with_block(event.block, block).with_pause(pause)
        case PauseAnswered():
            return _decided(state, event.pause_id, PauseState.ANSWERED, at, event.answer)
        case PauseExpired():
            return _decided(state, event.pause_id, PauseState.EXPIRED, at, None)
        case AnswerRefused():
            pause = state.pauses[event.pause_id]
            return state.with_pause(pause.evolve(refusals=pause.refusals + 1))
        case _:
            raise TypeError(f"{type(event).__name__} is no event of a pause")


def _decided(
    state: RunState, pause_id: PauseId, how: PauseState, at: float, answer: Answer | None
) -> RunState:
    pause = state.pauses[pause_id]
    state = state.with_pause(pause.evolve(state=how, closed_at=at, answer=answer))
    return state.evolve(attention=state.attention.push([pause.block]))


def _close_pause(state: RunState, pause_id: PauseId, at: float) -> RunState:
    return state.with_pause(state.pauses[pause_id].evolve(state=PauseState.CLOSED, closed_at=at))


# -- attempts ---------------------------------------------------------------------------------

_AttemptEvent = (
    AttemptStarted
    | AttemptSucceeded
    | AttemptFailed
    | AttemptRejected
    | AttemptCancelled
    | AttemptInterrupted
)


def _apply_attempt(state: RunState, event: _AttemptEvent, at: float) -> RunState:
    match event:
        case AttemptStarted():
            return _start(state, event, at)
        case AttemptInterrupted():
            return _interrupt(state, event)
        case AttemptSucceeded():
            return _end(state, event.block, at, status=BlockStatus.SUCCEEDED, outputs=event.outputs)
        case AttemptRejected():
            return _end(state, event.block, at, status=BlockStatus.REJECTED, outputs=event.outputs)
        case AttemptCancelled():
            return _end(state, event.block, at, status=BlockStatus.CANCELLED, reason=event.reason)
        case AttemptFailed():
            failed = {"status": BlockStatus.FAILED, "outputs": event.outputs, "failure": event.failure}
            return _end(_note_failure(state, event), event.block, at, **failed)
        case _:
            assert_never(event)


def _end(state: RunState, block_id: BlockId, at: float, **changes: object) -> RunState:
    ended = state.block(block_id).evolve(ended_at=at, **changes)
    return state.dequeue(block_id).with_block(block_id, ended)


def _start(state: RunState, event: AttemptStarted, at: float) -> RunState:
    started = BlockState(
        status=BlockStatus.RUNNING,
        attempt=event.attempt,
        key=event.key,
        summary=event.summary,
        started_at=at,
        pause_id=state.block(event.block).pause_id,
    )
    return state.dequeue(event.block).with_block(event.block, started)


def _interrupt(state: RunState, event: AttemptInterrupted) -> RunState:
    block = state.block(event.block).evolve(status=BlockStatus.INTERRUPTED, reason=event.reason)
    state = state.with_block(event.block, block)
    return state.evolve(attention=state.attention.push([event.block]))


def _note_failure(state: RunState, event: AttemptFailed) -> RunState:
    if state.first_failure:
        return state
    return state.evolve(first_failure=f"{event.block}: {event.failure.message}")
