"""What the inbox can be searched and ordered by."""

import math
from dataclasses import dataclass

from tidegate.history.views import RunView
from tidegate.model.listing import PauseRow
from tidegate.model.state import PauseState
from tidegate.tui.present.places import place_words
from tidegate.tui.query.fields import Choice, Flags, Length, Moment, Person, Words
from tidegate.tui.query.listing import Listing, Sort

__all__ = ["INBOX", "Asked"]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question in the inbox."""

    pause: PauseRow
    seen: PauseRow
    """The same, under the name of the run at the top."""
    of: RunView | None = None
    """The run that asks."""
    top: RunView | None = None
    """The run at the top."""

    @property
    def is_open(self) -> bool:
        """Whether it can be answered."""
        return self.pause.state is PauseState.OPEN


def _left(asked: Asked, now: float) -> float | None:
    deadline = asked.pause.deadline
    return None if deadline is None or not asked.is_open else deadline - now


def _is_late(asked: Asked, now: float) -> bool:
    left = _left(asked, now)
    return left is not None and left <= 0


def _people(asked: Asked) -> tuple[str, ...]:
    by = (asked.top.row.by,) if asked.top is not None else ()
    answer = asked.pause.answer
    return (*by, answer.by) if answer is not None else by


def _ids(asked: Asked) -> str:
    return f"{asked.seen.run_id} {asked.pause.run_id}"


INBOX: Listing[Asked] = Listing(
    "inbox",
    (
        Length(("due",), "how long it may still wait", _left),
        Moment(("wait", "age"), "how long ago it was asked", lambda asked: asked.pause.opened_at, "10m"),
        Choice(
            ("kind",),
            "what is asked for",
            lambda asked: asked.pause.prompt.kind,
            ("confirm", "choice", "input", "form", "recovery"),
        ),
        Words(("workflow",), "the workflow of the run at the top", lambda asked: asked.seen.workflow),
        Words(("run",), "the id of the run", _ids, "4f2a"),
        Words(("block",), "where in the run", lambda asked: place_words(asked.pause.path, asked.pause.block)),
        Words(("question", "text"), "what is asked", lambda asked: asked.pause.prompt.text, "prod"),
        Person(("for",), "whose business it is", lambda asked: (asked.pause.assignee,)),
        Person(("by",), "who started the run, or answered", _people),
        Flags(
            ("is",),
            "how it stands",
            {
                "late": _is_late,
                "open": lambda asked, _: asked.is_open,
                "closed": lambda asked, _: not asked.is_open,
                "answered": lambda asked, _: asked.pause.state is PauseState.ANSWERED,
                "expired": lambda asked, _: asked.pause.state is PauseState.EXPIRED,
            },
        ),
    ),
    (
        Sort("urgency"),
        Sort("wait", lambda asked, _: asked.pause.opened_at),
        Sort("workflow", lambda asked, _: asked.seen.workflow.casefold()),
        Sort("question", lambda asked, _: asked.pause.prompt.text.casefold()),
        Sort("due", lambda asked, now: left if (left := _left(asked, now)) is not None else math.inf),
    ),
    {"overdue": "is:late", "due within the hour": "due<1h", "mine": "by:me", "assigned to me": "for:me"},
)
"""Most urgent first, as the store lists it."""
