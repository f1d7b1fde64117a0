"""What may be said about a run without driving it: an answer, a refusal, an expiry, a cancel.

Each is a vote: it is read against the newest state, and counts only if nobody else voted
meanwhile. That is one compare-and-set on the journal's head, so of any number of terminals
exactly one wins, and each loser is told who did.
"""

from tidegate.clock import iso
from tidegate.engine.draft import Draft
from tidegate.engine.parts import Parts
from tidegate.errors import (
    AlreadyAnswered,
    InvalidAnswer,
    JournalConflict,
    PauseClosed,
    PauseNotFound,
    RunFinished,
)
from tidegate.model.answer import Answered, Reply
from tidegate.model.events import AnswerRefused, CancelRequested, JournalEvent, PauseAnswered, PauseExpired
from tidegate.model.ids import PauseId, RunId
from tidegate.model.prompt import Answer, describe_value
from tidegate.model.state import Pause, PauseState, RunState
from tidegate.store.replay import catch_up, replay

__all__ = ["expire", "give_answer", "request_cancel"]

_REFUSED_CHARACTERS = 500
"""How much of a refused answer is kept for the history."""


async def give_answer(parts: Parts, pause_id: PauseId, reply: Reply) -> Answered:
    """Answer an open pause; returns once the answer is durable.

    Raises:
        PauseNotFound: there is no such pause.
        InvalidAnswer: it breaks a rule of the prompt; the refusal is in the history, the pause open.
        AlreadyAnswered: somebody else was faster, with something else.
        PauseClosed: the pause has expired, or its run was cancelled.
    """
    row = await parts.store.pause(pause_id)
    state = await replay(parts.store, row.run_id)
    while True:
        event = _vote_of(state, state.pauses[pause_id], reply, parts.clock.now())
        if isinstance(event, Answered):
            return event
        voted = await _cast(parts, state, event)
        if voted is None:
            state = await catch_up(parts.store, state)
            continue
        return _tell(voted, pause_id, event)


def _vote_of(state: RunState, pause: Pause, reply: Reply, now: float) -> JournalEvent | Answered:
    """Return what this reply adds to the journal, if it may add anything."""
    if pause.state is PauseState.ANSWERED:
        return _repeated(state, pause, reply)
    _must_be_open(state, pause)
    if pause.deadline is not None and now >= pause.deadline:
        return PauseExpired(pause_id=pause.pause_id)
    try:
        value = pause.prompt.parse(reply.raw)
    except InvalidAnswer as error:
        raw = reply.raw[:_REFUSED_CHARACTERS].encode("utf-8", "replace").decode()
        return AnswerRefused(pause_id=pause.pause_id, raw=raw, rule=error.rule, by=reply.by, via=reply.via)
    answer = Answer(value=value, raw=reply.raw, by=reply.by, via=reply.via, comment=reply.comment)
    return PauseAnswered(pause_id=pause.pause_id, answer=answer)


def _must_be_open(state: RunState, pause: Pause) -> None:
    if pause.state is PauseState.EXPIRED:
        raise PauseClosed(pause.pause_id, f"it expired at {iso(pause.deadline or 0)}")
    if state.cancel is not None:
        raise PauseClosed(pause.pause_id, f"its run was cancelled by {state.cancel.by or 'somebody'}")
    if not pause.is_open:
        raise PauseClosed(pause.pause_id, f"its run is {state.status}")


def _repeated(state: RunState, pause: Pause, reply: Reply) -> Answered:
    answer, at = pause.answer, pause.closed_at
    if answer is None or at is None:
        raise PauseNotFound(pause.pause_id)
    try:
        same = pause.prompt.parse(reply.raw) == answer.value
    except InvalidAnswer:
        same = False
    if not same:
        raise AlreadyAnswered(pause.pause_id, answer.by, iso(at), describe_value(answer.value))
    return Answered(state.run_id, pause.pause_id, answer.value, repeated=True)


def _tell(state: RunState, pause_id: PauseId, event: JournalEvent) -> Answered:
    match event:
        case PauseAnswered():
            return Answered(state.run_id, pause_id, event.answer.value)
        case AnswerRefused():
            raise InvalidAnswer(event.rule)
        case _:
            raise PauseClosed(pause_id, f"it expired at {iso(state.pauses[pause_id].deadline or 0)}")


async def _cast(parts: Parts, state: RunState, event: JournalEvent) -> RunState | None:
    """Append one vote; return the state after it, or None if somebody else appended first."""
    draft = Draft(state, parts.clock.now())
    draft.add(event)
    try:
        await parts.store.append(draft.as_append(epoch=None))
    except JournalConflict:
        return None
    return draft.state


async def expire(parts: Parts, pause_id: PauseId) -> RunId | None:
    """Let a pause expire whose deadline has passed; None if it was decided otherwise meanwhile."""
    row = await parts.store.pause(pause_id)
    state = await replay(parts.store, row.run_id)
    while state.pauses[pause_id].is_open and state.cancel is None:
        if await _cast(parts, state, PauseExpired(pause_id=pause_id)) is not None:
            return row.run_id
        state = await catch_up(parts.store, state)
    return None


async def request_cancel(parts: Parts, run_id: RunId, by: str, reason: str = "") -> None:
    """Ask for the end of a run; returns once that is durable. Asking twice is success.

    Raises:
        RunNotFound: there is no such run.
        RunFinished: it has ended already.
    """
    state = await replay(parts.store, run_id)
    while True:
        if state.finished is not None:
            raise RunFinished(run_id, state.status)
        if state.cancel is not None:
            return
        if await _cast(parts, state, CancelRequested(by=by, reason=reason)) is not None:
            return
        state = await catch_up(parts.store, state)
