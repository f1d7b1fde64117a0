"""`apply(state, record) -> state` and `fold`: how a journal becomes a state.

Pure, and total over the closed union of events: `mypy` fails here when an event is added and
not applied.
"""

from collections.abc import Iterable
from typing import assert_never

from tidegate.model.events import (
    AnswerRefused,
    AttemptCancelled,
    AttemptFailed,
    AttemptInterrupted,
    AttemptRejected,
    AttemptStarted,
    AttemptSucceeded,
    BlockExpanded,
    BlockPaused,
    BlockSkipped,
    CancelRequested,
    CheckpointMarked,
    ChildMoved,
    ChildPaused,
    ChildStarted,
    JournalEvent,
    LoopTurned,
    PauseAnswered,
    PauseAssigned,
    PauseExpired,
    ProgressNoted,
    Record,
    RunAdopted,
    RunFinished,
    RunForked,
    RunHeld,
    RunInterrupted,
    RunReleased,
    RunResumed,
    RunStarted,
    RunStatus,
    RunTimedOut,
    SkipRequested,
    StepRecorded,
    TimerSet,
    WaveCompleted,
    WaveStarted,
)
from tidegate.model.fold_attempts import apply_attempt, apply_part
from tidegate.model.fold_fork import apply_fork
from tidegate.model.fold_pauses import apply_pause, close_pause, freeze, thaw
from tidegate.model.replan import because_of, remember, replan, skip, stop_the_rest
from tidegate.model.state import RunState
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
    after = _apply(state, record.event, record)
    if state.finished is not None and not isinstance(record.event, RunForked):
        # Whatever happens to what has ended: until then it lay there. Of a fork that was the other run.
        lain = max(0.0, record.at - state.updated_at)
        after = after.evolve(idle_seconds=state.idle_seconds + lain)
    if state.graph.definition.timeout is None or isinstance(record.event, RunResumed | RunForked):
        return after.evolve(head=record.seq, updated_at=record.at)
    machine_seconds = _machine_seconds(state, record)
    return after.evolve(head=record.seq, updated_at=record.at, machine_seconds=machine_seconds)


def _machine_seconds(state: RunState, record: Record) -> float:
    """Return how long the run has worked. What a crash left unsaid, until the run was adopted, is not counted."""
    if state.status is not RunStatus.RUNNING or isinstance(record.event, RunAdopted):
        return state.machine_seconds
    return state.machine_seconds + max(0.0, record.at - state.updated_at)


def _apply(state: RunState, event: JournalEvent, record: Record) -> RunState:
    match event:
        # Those that a run of work has most of come first.
        case CheckpointMarked() | WaveCompleted():
            return state
        case WaveStarted():
            return _start_wave(state, event.wave)
        case (
            AttemptStarted()
            | AttemptSucceeded()
            | AttemptFailed()
            | AttemptRejected()
            | AttemptCancelled()
            | AttemptInterrupted()
            | BlockSkipped()
        ):
            return apply_attempt(state, event, record.at)
        case (
            BlockExpanded()
            | LoopTurned()
            | TimerSet()
            | StepRecorded()
            | ProgressNoted()
            | ChildStarted()
            | ChildPaused()
            | ChildMoved()
        ):
            return apply_part(state, event, record.at)
        case BlockPaused() | PauseAssigned() | PauseAnswered() | AnswerRefused() | PauseExpired():
            return apply_pause(state, event, record)
        case _:
            return _apply_run(state, event, record.at)


# -- the run ----------------------------------------------------------------------------------

_RunEvent = (
    RunStarted
    | RunForked
    | RunAdopted
    | RunInterrupted
    | RunResumed
    | RunHeld
    | RunReleased
    | RunTimedOut
    | SkipRequested
    | CancelRequested
    | RunFinished
)


def _apply_run(state: RunState, event: _RunEvent, at: float) -> RunState:
    match event:
        case RunStarted():
            state = state.evolve(inputs=event.inputs, by=event.by, parent=event.parent, started_at=at)
            return state.evolve(called_with=event.sent_back)
        case RunForked():
            return apply_fork(state, event, at)
        case RunAdopted():
            return state.evolve(interrupted="")
        case RunInterrupted():
            return state.evolve(interrupted=event.reason)
        case RunResumed() | RunHeld() | RunReleased() | SkipRequested():
            return _apply_turn(state, event, at)
        case RunTimedOut() | CancelRequested() | RunFinished():
            return _apply_end(state, event, at)
        case _:
            assert_never(event)


def _apply_turn(
    state: RunState, event: RunResumed | RunHeld | RunReleased | SkipRequested, at: float
) -> RunState:
    match event:
        case RunResumed():
            said = remember(state, event)
            return replan(said, event.blocks, at, fresh=event.fresh, because=because_of(event))
        case RunHeld():
            return state if state.held else freeze(state, at).evolve(held=event)
        case RunReleased():
            return thaw(state, at).evolve(held=None)
        case SkipRequested():
            return skip(state, event, at)
        case _:
            assert_never(event)


def _apply_end(state: RunState, event: RunTimedOut | CancelRequested | RunFinished, at: float) -> RunState:
    match event:
        case CancelRequested():
            force = event.force or (state.cancel is not None and state.cancel.force)
            cancel = (state.cancel or event).evolve(force=force)
            state = state.evolve(cancel=cancel, interrupted="")
            return stop_the_rest(state, _cancel_reason(cancel), at, also_always=force)
        case RunTimedOut():
            return stop_the_rest(state.evolve(timed_out=True), "the run timed out", at)
        case RunFinished():
            for pause_id in state.open_pauses:
                state = close_pause(state, pause_id, at)
            return state.evolve(finished=event, held=None)
        case _:
            assert_never(event)


def _cancel_reason(cancel: CancelRequested) -> str:
    return cancel.reason or "the run was cancelled"


# -- waves ------------------------------------------------------------------------------------


def _start_wave(state: RunState, wave: int) -> RunState:
    definition = state.graph.definition
    first = state.wave < 0
    state = state.evolve(wave=wave)
    if definition.schedule is Schedule.WAVES:
        return state.enqueue(definition.waves[wave])
    # Of an eager workflow the first wave is what waits for nothing; the rest is released one by one.
    return state.enqueue(definition.waves[0]) if first else state
