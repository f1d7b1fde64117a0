"""Giving a finished file its name: in one moment, durably, and never in place of what has it already."""

import errno
import os
from pathlib import Path

from tidegate.store.directory.place import sync

__all__ = ["move_into_place"]

_NO_LINKS = frozenset({errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EXDEV})
"""What file systems say that know no hard links."""


def move_into_place(draft: Path, place: Path) -> None:
    """Give a finished draft its name, durably; what has it already stays.

    Args:
        draft: A file or a folder, durable itself, on the same file system.
        place: Its name.

    Raises:
        FileExistsError: something has it.
    """
    if draft.is_dir():
        if place.exists():
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(place))
        draft.rename(place)
    else:
        _link(draft, place)
    sync([place.parent])


def _link(draft: Path, place: Path) -> None:
    # link, unlike rename, never replaces what somebody else has put there meanwhile.
    try:
        place.hardlink_to(draft)
    except OSError as error:
        if error.errno not in _NO_LINKS or place.exists():
            raise
        draft.rename(place)
