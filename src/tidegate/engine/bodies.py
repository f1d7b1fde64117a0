"""Asking a block type's code for what is no work: a question, an instant, a call, what an answer means.

That code may raise anything and return anything. Here it becomes that block's failure; further in, it would
take the whole run along.
"""

import math
from collections.abc import Callable
from typing import TypeVar

import msgspec

from tidegate.blocks.base import (
    Asked,
    ChildBlock,
    Completed,
    Failed,
    InteractiveBlock,
    InteractiveResult,
    Rejected,
    Result,
    TimerBlock,
    WorkBlock,
)
from tidegate.errors import InputsError
from tidegate.model.base import JsonObject
from tidegate.model.codec import printable
from tidegate.model.events import Failure
from tidegate.model.policy import FailureKind
from tidegate.model.prompt import Prompt
from tidegate.model.state import Pause, PauseState

__all__ = ["Unsound", "called", "decided", "elapsed", "instant", "question", "raised", "sound", "summary"]

T = TypeVar("T")

_MOST_ERROR = 2_000
"""Characters."""
_PROMPTS: "msgspec.json.Decoder[Prompt]" = msgspec.json.Decoder(Prompt)


class Unsound(Exception):
    """A block type's code raised, or gave what nothing can be made of."""

    def __init__(self, failure: Failure) -> None:
        self.failure = failure
        super().__init__(failure.message)


def question(body: InteractiveBlock, inputs: JsonObject) -> Prompt:
    """Return what *body* asks.

    Raises:
        Unsound: it raised, or what it asks is nothing that a journal can hold.
    """
    return sound(_told(lambda: body.ask(inputs)))


def sound(prompt: Prompt) -> Prompt:
    """Return a question as a journal gives it back.

    Raises:
        Unsound: that is not what was put in.
    """
    try:
        read = _PROMPTS.decode(msgspec.json.encode(prompt))
        if read == prompt:
            return read
        why = "it does not come back as it was put in"
    except (TypeError, ValueError, RecursionError) as error:
        why = str(error)
    raise _unsound(f"its question is nothing that a journal can hold: {why}")


def decided(body: InteractiveBlock, pause: Pause) -> Result | InteractiveResult:
    """Return what *body* makes of the end of a pause.

    Raises:
        Unsound: it raised, or returned what is no result.
    """
    answer = pause.answer
    if pause.state is PauseState.EXPIRED or answer is None:
        result: object = _told(lambda: body.expire(pause.prompt))
    else:
        result = _told(lambda: body.resume(pause.prompt, answer))
    if isinstance(result, Completed | Failed | Rejected | Asked):
        return result
    raise _unsound(f"it made {type(result).__name__} of its answer, which is no result")


def instant(body: TimerBlock, inputs: JsonObject, now: float) -> float:
    """Return until when *body* waits. Seconds since 1970 UTC, as *now*.

    Raises:
        Unsound: it raised, or that is no instant.
    """
    until = _told(lambda: float(body.until(inputs, now)))
    if math.isfinite(until):
        return until
    raise _unsound(f"it would wait until {until}, which is no instant")


def elapsed(body: TimerBlock, started_at: float, now: float) -> JsonObject:
    """Return the outputs of *body*, once its instant has come.

    Raises:
        Unsound: it raised.
    """
    return _told(lambda: body.elapsed(started_at, now))


def called(body: ChildBlock, inputs: JsonObject) -> tuple[str, JsonObject]:
    """Return which workflow *body* calls, and what it passes.

    Raises:
        Unsound: it raised, or named none.
    """

    def name_and_inputs() -> tuple[str, JsonObject]:
        name, given = body.call(inputs)
        return name, {**given}

    return _told(name_and_inputs)


def summary(body: WorkBlock | TimerBlock, inputs: JsonObject) -> str:
    """Return the line by which a person recognises what *body* is about to do. Never fails."""
    try:
        return printable(body.summary(inputs))
    except Exception as error:  # noqa: BLE001  # it is for people only, and must not be empty
        return f"{body.spec.type} ({raised(error).message})"


def raised(error: Exception) -> Failure:
    """Return the failure of a block whose code raised."""
    name = type(error).__name__
    try:
        text = f"{name}: {error}" if str(error) else name
    except Exception:  # noqa: BLE001  # an error that cannot even be told is still an error
        text = f"{name} (it has no text)"
    return Failure(kind=FailureKind.ERROR, message=printable(text)[:_MOST_ERROR])


def _told(ask: Callable[[], T]) -> T:
    try:
        return ask()
    except InputsError as error:
        raise Unsound(Failure(kind=FailureKind.INPUTS, message=error.problem)) from error
    except Exception as error:
        raise Unsound(raised(error)) from error


def _unsound(message: str) -> Unsound:
    return Unsound(Failure(kind=FailureKind.OUTPUTS, message=message))
