"""What may be said about a question without driving its run: an answer, a refusal, an expiry."""

from tidegate.clock import iso
from tidegate.engine.parts import Parts
from tidegate.engine.secrecy import READABLE
from tidegate.engine.voting import vote
from tidegate.errors import AlreadyAnswered, InvalidAnswer, PauseClosed, PauseNotFound
from tidegate.model.answer import Answered, Reply
from tidegate.model.codec import printable
from tidegate.model.events import AnswerRefused, JournalEvent, PauseAnswered, PauseAssigned, PauseExpired
from tidegate.model.ids import PauseId, RunId
from tidegate.model.prompt import Answer, check_comment, describe_value, is_secret, same_value
from tidegate.model.raw_answer import checked_comment, checked_name
from tidegate.model.secret import mask_of
from tidegate.model.state import Pause, PauseState, RunState

__all__ = ["as_kept", "assign", "expire", "give_answer", "must_be_open"]


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
    if is_secret(row.prompt) and not parts.store.keeps_secrets:
        # It was asked in another store, and came into this one with its run.
        raise PauseClosed(pause_id, READABLE)

    def decide(state: RunState) -> JournalEvent | None:
        return _vote_of(state, state.pauses[pause_id], reply, parts.clock.now())

    secrets = {pause_id: reply.raw} if is_secret(row.prompt) else {}
    state, event = await vote(parts, row.run_id, decide, secrets=secrets)
    match event:
        case None:
            return _repeated(state, state.pauses[pause_id])
        case PauseAnswered():
            return Answered(state.run_id, pause_id, event.answer.value, seq=state.head)
        case AnswerRefused():
            raise InvalidAnswer(event.rule)
        case _:
            raise PauseClosed(pause_id, f"it expired at {iso(state.pauses[pause_id].deadline or 0)}")


def _repeated(state: RunState, pause: Pause) -> Answered:
    """Return that the same had been said before, by whom and when."""
    answer = pause.answer
    return Answered(
        state.run_id,
        pause.pause_id,
        answer.value if answer else None,
        repeated=True,
        earlier=answer,
        earlier_at=pause.closed_at,
    )


def _vote_of(state: RunState, pause: Pause, reply: Reply, now: float) -> JournalEvent | None:
    """Return what this reply adds to the journal; None if the same answer is there already."""
    if pause.state is PauseState.ANSWERED:
        _must_be_the_same(pause, reply)
        return None
    _must_be_open(state, pause)
    if pause.deadline is not None and now >= pause.deadline:
        return PauseExpired(pause_id=pause.pause_id)
    by = printable(reply.by)
    try:
        answer = as_kept(pause, reply.raw)
        comment = check_comment(pause.prompt, answer.value, reply.comment)
    except InvalidAnswer as error:
        typed = mask_of(pause.block) if is_secret(pause.prompt) else reply.raw
        raw = typed[:_REFUSED_CHARACTERS].encode("utf-8", "replace").decode()
        return AnswerRefused(pause_id=pause.pause_id, raw=raw, rule=error.rule, by=by, via=reply.via)
    answer = answer.evolve(by=by, via=reply.via, comment=comment)
    return PauseAnswered(pause_id=pause.pause_id, answer=answer)


def as_kept(pause: Pause, raw: str) -> Answer:
    """Return an answer as the history has it. A secret is kept beside it, and only until the run has ended.

    Raises:
        InvalidAnswer: *raw* breaks a rule of the prompt.
    """
    value = pause.prompt.parse(raw)
    if is_secret(pause.prompt):
        value = raw = mask_of(pause.block)
    return Answer(value=value, raw=raw)


def must_be_open(state: RunState, pause: Pause, now: float) -> None:
    """Look at whether a question may still be decided.

    Raises:
        AlreadyAnswered, PauseClosed: it may not, and who or what was faster.
    """
    if pause.state is PauseState.ANSWERED and pause.answer is not None:
        answer, at = pause.answer, iso(pause.closed_at or 0)
        raise AlreadyAnswered(pause.pause_id, answer.by, at, describe_value(answer.value))
    if pause.is_open and pause.deadline is not None and pause.deadline <= now:
        raise PauseClosed(pause.pause_id, f"it expired at {iso(pause.deadline)}")
    _must_be_open(state, pause)


def _must_be_open(state: RunState, pause: Pause) -> None:
    if pause.state is PauseState.EXPIRED:
        raise PauseClosed(pause.pause_id, f"it expired at {iso(pause.deadline or 0)}")
    if state.cancel is not None and not pause.is_open:
        raise PauseClosed(pause.pause_id, f"its run was cancelled by {state.cancel.by or 'somebody'}")
    if not pause.is_open:
        block = state.block(pause.block)
        if pause.because:
            raise PauseClosed(pause.pause_id, pause.because)
        why = f"block '{pause.block}' is {block.status}" + (f" ({block.reason})" if block.reason else "")
        raise PauseClosed(pause.pause_id, f"its run is {state.status}" if state.finished else why)


def _must_be_the_same(pause: Pause, reply: Reply) -> None:
    answer, at = pause.answer, pause.closed_at
    if answer is None or at is None:
        raise PauseNotFound(pause.pause_id)
    if is_secret(pause.prompt):
        raise AlreadyAnswered(pause.pause_id, answer.by, iso(at), describe_value(answer.value))
    try:
        same = same_value(pause.prompt.parse(reply.raw), answer.value)
    except InvalidAnswer:
        same = False
    if not same:
        raise AlreadyAnswered(pause.pause_id, answer.by, iso(at), describe_value(answer.value))


async def assign(parts: Parts, pause_id: PauseId, to: str, *, by: str, note: str = "") -> None:
    """Say whose business an open question is; returns once that is durable. Saying it twice is success.

    Args:
        parts: What the executor works with.
        pause_id: Which question.
        to: Whose, as one line of at most `MAX_NAME_CHARACTERS`; empty: anybody's.
        by: Who says so.
        note: Why, for whoever it is now.

    Raises:
        PauseNotFound: there is no such question.
        InvalidAnswer: *to* is no name, or *note* is too long, or no text.
        AlreadyAnswered, PauseClosed: it is not open any more.
    """
    name, said = checked_name(to), checked_comment(note, "note")
    row = await parts.store.pause(pause_id)

    def decide(state: RunState) -> JournalEvent | None:
        pause = state.pauses[pause_id]
        must_be_open(state, pause, parts.clock.now())
        if pause.assignee == name and not said:
            return None
        return PauseAssigned(pause_id=pause_id, to=name, by=printable(by), note=said)

    await vote(parts, row.run_id, decide)


async def expire(parts: Parts, pause_id: PauseId) -> RunId | None:
    """Let a pause expire whose deadline has passed; None if it was decided otherwise meanwhile."""
    row = await parts.store.pause(pause_id)

    def decide(state: RunState) -> JournalEvent | None:
        pause = state.pauses[pause_id]
        is_due = pause.is_open and pause.deadline is not None and pause.deadline <= parts.clock.now()
        return PauseExpired(pause_id=pause_id) if is_due else None

    _, event = await vote(parts, row.run_id, decide)
    return row.run_id if event is not None else None
