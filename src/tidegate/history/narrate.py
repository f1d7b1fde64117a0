"""What a journal says, in words."""

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
    JournalEvent,
    PauseAnswered,
    PauseExpired,
    RunAdopted,
    RunFinished,
    RunInterrupted,
    RunResumed,
    RunStarted,
    WaveCompleted,
    WaveStarted,
)
from tidegate.model.prompt import describe_value
from tidegate.store.owner import describe_owner

__all__ = ["narrate"]


def narrate(event: JournalEvent) -> str | None:
    """Return one line for people; None for what only machines care about. Not yet safe for a terminal."""
    match event:
        case AttemptStarted() | AttemptSucceeded() | AttemptFailed() | AttemptRejected() | AttemptCancelled():
            return _attempt(event)
        case AttemptInterrupted() | BlockSkipped():
            word = "⊘" if isinstance(event, BlockSkipped) else "⚠"
            return f"{word} {event.block}: {event.reason}"
        case BlockPaused() | PauseAnswered() | AnswerRefused() | PauseExpired():
            return _pause(event)
        case (
            RunStarted() | RunAdopted() | RunInterrupted() | RunResumed() | CancelRequested() | RunFinished()
        ):
            return _run(event)
        case WaveStarted() | WaveCompleted() | CheckpointMarked():
            return None


_Attempt = AttemptStarted | AttemptSucceeded | AttemptFailed | AttemptRejected | AttemptCancelled


def _attempt(event: _Attempt) -> str:
    match event:
        case AttemptStarted():
            again = f" (attempt {event.attempt})" if event.attempt > 1 else ""
            return f"● {event.block}{again}" + (f"  {event.summary}" if event.summary else "")
        case AttemptSucceeded():
            return f"✓ {event.block}" + (f"  {event.duration:.1f} s" if event.duration else "")
        case AttemptFailed():
            return f"✗ {event.block}: {event.failure.message}"
        case AttemptRejected():
            return f"✗ {event.block}: rejected"
        case AttemptCancelled():
            return f"✗ {event.block}: {event.reason}"


def _pause(event: BlockPaused | PauseAnswered | AnswerRefused | PauseExpired) -> str:
    match event:
        case BlockPaused():
            return f"◆ {event.block} asks: {event.prompt.text}"
        case PauseAnswered():
            answer = event.answer
            return f"◆ {answer.by or 'somebody'} answered: {describe_value(answer.value)}"
        case AnswerRefused():
            return f"◆ an answer of {event.by or 'somebody'} was refused: {event.rule}"
        case PauseExpired():
            return "◆ nobody answered in time"


_Run = RunStarted | RunAdopted | RunInterrupted | RunResumed | CancelRequested | RunFinished


def _run(event: _Run) -> str:
    match event:
        case RunStarted():
            return f"○ run of {event.workflow} started" + (f" by {event.by}" if event.by else "")
        case RunAdopted():
            return f"○ taken over from {describe_owner(event.previous)}"
        case RunInterrupted():
            return f"○ interrupted: {event.reason}"
        case RunResumed():
            return f"○ resumed by {event.by or 'somebody'}: {', '.join(event.blocks)}"
        case CancelRequested():
            return f"○ cancel asked for by {event.by or 'somebody'}" + (
                f": {event.reason}" if event.reason else ""
            )
        case RunFinished():
            return f"○ {event.status}" + (f": {event.reason}" if event.reason else "")
