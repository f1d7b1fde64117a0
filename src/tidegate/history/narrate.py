"""What a journal says, in words."""

from tidegate.clock import iso
from tidegate.history.spans import span
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
    RunAdopted,
    RunFinished,
    RunForked,
    RunHeld,
    RunInterrupted,
    RunReleased,
    RunResumed,
    RunStarted,
    RunTimedOut,
    SkipRequested,
    StepRecorded,
    TimerSet,
    WaveCompleted,
    WaveStarted,
)
from tidegate.model.fold_pauses import PauseEvent
from tidegate.model.prompt import describe_value
from tidegate.store.owner import describe_owner

__all__ = ["narrate"]

_NAMED = 8
"""Blocks and items that one line names."""


def narrate(event: JournalEvent, at: float | None = None) -> str | None:
    """Return one line for people; None for what only machines care about. Not yet safe for a terminal.

    Args:
        event: What happened.
        at: When, in seconds since 1970 UTC; given, times to come are told as how long that is from then.
    """
    match event:
        case AttemptStarted() | AttemptSucceeded() | AttemptFailed() | AttemptRejected() | AttemptCancelled():
            return _attempt(event, at)
        case AttemptInterrupted() | BlockSkipped():
            word = "⊘" if isinstance(event, BlockSkipped) else "⚠"
            return f"{word} {event.block}: {event.reason}"
        case BlockPaused() | PauseAssigned() | PauseAnswered() | AnswerRefused() | PauseExpired():
            return _pause(event)
        case ChildStarted() | ChildPaused() | BlockExpanded() | LoopTurned() | TimerSet() | ProgressNoted():
            return _part(event, at)
        case WaveStarted() | WaveCompleted() | CheckpointMarked() | ChildMoved() | StepRecorded():
            return None
        case _:
            return _run(event)


_Attempt = AttemptStarted | AttemptSucceeded | AttemptFailed | AttemptRejected | AttemptCancelled


def _attempt(event: _Attempt, at: float | None) -> str:
    match event:
        case AttemptStarted():
            again = f" (attempt {event.attempt})" if event.attempt > 1 else ""
            return f"● {event.block}{again}" + (f"  {event.summary}" if event.summary else "")
        case AttemptSucceeded():
            return f"✓ {event.block}" + (f"  {event.duration:.1f} s" if event.duration else "")
        case AttemptFailed():
            again = "" if event.retry_at is None else f"; retry {_when(event.retry_at, at)}"
            return f"✗ {event.block}: {event.failure.message}{again}"
        case AttemptRejected():
            return f"✗ {event.block}: rejected"
        case AttemptCancelled():
            return f"✗ {event.block}: {event.reason}"


def _pause(event: PauseEvent) -> str:
    match event:
        case BlockPaused():
            return f"◆ {event.block} asks: {event.prompt.text}"
        case PauseAssigned():
            note = f": {event.note}" if event.note else ""
            return f"◆ {event.by or 'somebody'} assigned the question to {event.to or 'anybody'}{note}"
        case PauseAnswered():
            answer = event.answer
            return f"◆ {answer.by or 'somebody'} answered: {describe_value(answer.value)}"
        case AnswerRefused():
            return f"◆ an answer of {event.by or 'somebody'} was refused: {event.rule}"
        case PauseExpired():
            return "◆ nobody answered in time"


_Part = ChildStarted | ChildPaused | BlockExpanded | LoopTurned | TimerSet | ProgressNoted


def _part(event: _Part, at: float | None) -> str:
    match event:
        case ChildStarted():
            verb = "goes on with" if event.resumed_after else "starts"
            return f"● {event.block} {verb} run {event.child} of {event.workflow}"
        case ChildPaused():
            return f"◆ {event.block} waits for people in its run: {event.pauses} open"
        case BlockExpanded():
            return (
                f"● {event.block} goes through {len(event.keys)} items" if event.keys else f"● {event.block}"
            )
        case LoopTurned():
            later = "" if at is not None and event.at <= at else f" {_when(event.at, at)}"
            return f"↻ {event.block}: once more{later}"
        case TimerSet():
            return f"● {event.block} goes on {_when(event.until, at)}"
        case ProgressNoted():
            return f"● {event.block} {event.fraction:.0%}" + (f"  {event.message}" if event.message else "")


def _when(instant: float, at: float | None) -> str:
    return f"at {iso(instant)}" if at is None else f"in {span(instant - at)}"


_Run = (
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


def _run(event: _Run) -> str:
    match event:
        case RunHeld() | RunReleased() | SkipRequested() | RunTimedOut() | RunResumed() | CancelRequested():
            return _turn(event)
        case RunStarted():
            return f"○ run of {event.workflow} started" + (f" by {event.by}" if event.by else "")
        case RunForked():
            by = f" by {event.by}" if event.by else ""
            return f"○ forked from run {event.forked_from.run_id} at event {event.forked_from.seq}{by}"
        case RunAdopted():
            return f"○ taken over from {describe_owner(event.previous)}"
        case RunInterrupted():
            return f"○ interrupted: {event.reason}"
        case RunFinished():
            return f"○ {event.status}" + (f": {event.reason}" if event.reason else "")


def _named(places: tuple[str, ...]) -> str:
    more = f", and {len(places) - _NAMED} more" if len(places) > _NAMED else ""
    return ", ".join(places[:_NAMED]) + more


_Turn = RunHeld | RunReleased | SkipRequested | RunTimedOut | RunResumed | CancelRequested


def _turn(event: _Turn) -> str:
    match event:
        case RunResumed():
            verb = "run again" if event.fresh else "resumed"
            said = f': "{event.feedback}"' if event.feedback else ""
            return f"○ {verb} by {event.by or 'somebody'}: {_named(event.blocks)}{said}"
        case CancelRequested():
            now = ", at once" if event.force else ""
            return f"○ cancel asked for by {event.by or 'somebody'}{now}" + (
                f": {event.reason}" if event.reason else ""
            )
        case RunHeld():
            return f"‖ paused by {event.by or 'somebody'}" + (f": {event.reason}" if event.reason else "")
        case RunReleased():
            return f"○ unpaused by {event.by or 'somebody'}"
        case SkipRequested():
            return f"⊘ {event.block}: skipped by {event.by or 'somebody'}: {event.reason}"
        case RunTimedOut():
            return "○ its machine time is used up"
