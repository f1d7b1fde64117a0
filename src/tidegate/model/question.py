"""What every question that a workflow asks has in common."""

from enum import StrEnum

from tidegate.model.base import Noun
from tidegate.model.exhibit import Exhibit

__all__ = ["Assignment", "CommentRule", "OnReject", "OnTimeout", "Question", "SentBack"]


class OnReject(StrEnum):
    """What a "no" does to a run."""

    STOP = "stop"
    """The gate is `rejected`, and so is the run unless something failed."""
    CONTINUE = "continue"
    """"No" is only data."""


class OnTimeout(StrEnum):
    """What happens when nobody answers in time. Never an approval."""

    FAIL = "fail"
    REJECT = "reject"
    DEFAULT = "default"


class CommentRule(StrEnum):
    """Whether an answer needs a comment."""

    OPTIONAL = "optional"
    REQUIRED = "required"
    ON_REJECT = "on_reject"
    """With a "no" only."""


class Assignment(Noun):
    """Whose business a question is. It keeps nobody else from answering: nothing here proves who somebody is."""

    to: str = ""
    """A name as answers carry it; empty: anybody's."""
    by: str = ""
    """Who said so; empty: the workflow."""
    at: float = 0.0
    """Seconds since 1970 UTC; 0: when it was asked."""
    note: str = ""


class SentBack(Noun):
    """What a person said when a block was run again: what is to be other this time."""

    by: str
    feedback: str


class Question(Noun):
    """What every prompt has that a workflow asks."""

    on_timeout: OnTimeout = OnTimeout.FAIL
    comment_rule: CommentRule = CommentRule.OPTIONAL
    show: tuple[Exhibit, ...] = ()
    """What is laid before the person, in the workflow's order; frozen once the pause is open."""
    assignee: str = ""
    """Whose business it is, unless a person says otherwise (`Assignment`); empty: anybody's."""
    sent_back: SentBack | None = None
    """Why it is asked anew, if a person sent it, or what it follows, back."""
