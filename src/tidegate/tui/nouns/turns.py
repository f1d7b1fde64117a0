"""How an operator turns the course of a run, and what would come of it: read first, then asked about.

A prospect is bound to one run and one place when its dialog opens. What is decided in the dialog is
done to these, wherever the cursor is by then.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import StrEnum

from tidegate.model.ids import BlockId, PauseId, RunId
from tidegate.tui.session import Session

__all__ = ["Decision", "Prospect", "Turn", "TurnRequest", "Way"]


class Turn(StrEnum):
    """What may be done to a run; the value is the verb."""

    PAUSE = "pause"
    """Or let it go on, if a person has paused it."""
    RETRY = "retry"
    """What failed; an interrupted run goes on by it."""
    RERUN = "rerun"
    SEND_BACK = "send back"
    """A question: what it follows is done again, and then it is asked anew."""
    SKIP = "skip"
    CANCEL = "cancel"


@dataclass(frozen=True, slots=True)
class TurnRequest:
    """What the operator wants, of which run, and of which place in it."""

    turn: Turn
    run_id: RunId
    place: BlockId | None = None
    pause_id: PauseId | None = None
    """Which question is sent back."""
    words: str = ""
    """What was typed already of what is said with it."""


@dataclass(frozen=True, slots=True)
class Way:
    """One thing that can be done."""

    label: str
    """A verb, and what it is done to. Safe to draw."""
    effect: str
    """What it does, as a sentence. Safe to draw."""
    act: Callable[[Session, str], Awaitable[None]]
    """Does it, given a reason (may be empty)."""
    done: str
    """What is said afterwards."""
    final: str = ""
    """What of it cannot be undone, as names that are safe to draw; empty: nothing."""


@dataclass(frozen=True, slots=True)
class Prospect:
    """What would happen, before anybody is asked whether it shall."""

    turn: Turn
    run_id: RunId
    title: str
    """Safe to draw."""
    sentences: tuple[str, ...]
    """What will happen, one sentence or list each. Safe to draw."""
    ways: tuple[Way, ...]
    """At least one. For a cancel: the gentle one, then the one that gives up what runs `always`."""
    words: str = ""
    """As of the request."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What the operator decided."""

    way: Way
    reason: str = ""
