"""Exit codes: what a script learns without reading a word."""

from enum import IntEnum
from typing import TYPE_CHECKING

from tidegate.errors import TidegateError

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

_OF_ERROR = {
    "DefinitionError": Exit.USAGE,
    "InputsError": Exit.USAGE,
    "InvalidAnswer": Exit.USAGE,
    "SettingsError": Exit.USAGE,
    "AmbiguousId": Exit.USAGE,
    "WhichPause": Exit.USAGE,
    "WrongStore": Exit.USAGE,
    "KeyFault": Exit.USAGE,
    "FileThere": Exit.USAGE,
    "AlreadyAnswered": Exit.CONFLICT,
    "PauseClosed": Exit.CONFLICT,
    "RunFinished": Exit.CONFLICT,
    "NotResumable": Exit.CONFLICT,
    "LeaseHeld": Exit.CONFLICT,
    "JournalConflict": Exit.CONFLICT,
    "CheckpointInUse": Exit.CONFLICT,
    "RunInUse": Exit.CONFLICT,
    "StaleEpoch": Exit.CONFLICT,
    "RunNotFound": Exit.NOT_FOUND,
    "BlockNotFound": Exit.NOT_FOUND,
    "PauseNotFound": Exit.NOT_FOUND,
    "CheckpointNotFound": Exit.NOT_FOUND,
    "StoreNotFound": Exit.NOT_FOUND,
    "NoCounterpart": Exit.NOT_FOUND,
}
"""By name: the rooms where some of them are at home take their time to load. Those below an error end as it does."""


def exit_of_status(status: "RunStatus") -> Exit:
    """Return the exit code for a run that stands here when nothing of it moves."""
    return _OF_STATUS[status.value]


def exit_of_error(error: TidegateError) -> Exit:
    """Return the exit code for an error that a command ends with."""
    exits = (_OF_ERROR[kind.__name__] for kind in type(error).__mro__ if kind.__name__ in _OF_ERROR)
    return next(exits, Exit.FAILED)
