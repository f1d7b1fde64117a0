"""Exit codes: what a script learns without reading a word."""

from enum import IntEnum
from typing import TYPE_CHECKING

from tidegate.errors import (
    AlreadyAnswered,
    AmbiguousId,
    BlockNotFound,
    CheckpointInUse,
    CheckpointNotFound,
    DefinitionError,
    InputsError,
    InvalidAnswer,
    JournalConflict,
    LeaseHeld,
    NotResumable,
    PauseClosed,
    PauseNotFound,
    RunFinished,
    RunInUse,
    RunNotFound,
    SettingsError,
    StaleEpoch,
    StoreNotFound,
    TidegateError,
    WhichPause,
)

if TYPE_CHECKING:
    from tidegate.model.events import RunStatus

__all__ = ["Exit", "exit_of_error", "exit_of_status"]


class Exit(IntEnum):
    """What a command's exit code means."""

    SUCCEEDED = 0
    FAILED = 1
    USAGE = 2
    """The call, a file or an answer is not right; nothing was changed."""
    PAUSED = 3
    """A person must answer."""
    REJECTED = 4
    CANCELLED = 5
    CONFLICT = 6
    """Somebody else was faster, or drives the run."""
    NOT_FOUND = 7
    INTERRUPTED = 130


# By the statuses' own words: `tidegate --help` needs this module and need not load the model.
_OF_STATUS = {
    "succeeded": Exit.SUCCEEDED,
    "failed": Exit.FAILED,
    "paused": Exit.PAUSED,
    "rejected": Exit.REJECTED,
    "cancelled": Exit.CANCELLED,
    "queued": Exit.INTERRUPTED,
    "running": Exit.INTERRUPTED,
    "interrupted": Exit.INTERRUPTED,
}

_OF_ERROR: dict[type[TidegateError], Exit] = {
    DefinitionError: Exit.USAGE,
    InputsError: Exit.USAGE,
    InvalidAnswer: Exit.USAGE,
    SettingsError: Exit.USAGE,
    AmbiguousId: Exit.USAGE,
    WhichPause: Exit.USAGE,
    AlreadyAnswered: Exit.CONFLICT,
    PauseClosed: Exit.CONFLICT,
    RunFinished: Exit.CONFLICT,
    NotResumable: Exit.CONFLICT,
    LeaseHeld: Exit.CONFLICT,
    JournalConflict: Exit.CONFLICT,
    CheckpointInUse: Exit.CONFLICT,
    RunInUse: Exit.CONFLICT,
    StaleEpoch: Exit.CONFLICT,
    RunNotFound: Exit.NOT_FOUND,
    BlockNotFound: Exit.NOT_FOUND,
    PauseNotFound: Exit.NOT_FOUND,
    CheckpointNotFound: Exit.NOT_FOUND,
    StoreNotFound: Exit.NOT_FOUND,
}


def exit_of_status(status: "RunStatus") -> Exit:
    """Return the exit code for a run that stands here when nothing of it moves."""
    return _OF_STATUS[status.value]


def exit_of_error(error: TidegateError) -> Exit:
    """Return the exit code for an error that a command ends with."""
    kinds = (_OF_ERROR[kind] for kind in type(error).__mro__ if kind in _OF_ERROR)
    return next(kinds, Exit.FAILED)
