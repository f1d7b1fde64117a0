"""Who may write into a store's directory while somebody takes things out of it.

Everybody who adds holds the lock together with all the others who add, for the time of one record.
Whoever removes what nothing refers to any more holds it alone: otherwise a value could go in the
moment in which somebody finds it there and relies on it. It keeps no two writers apart: of two who
want the same number for a record the file system lets one have it.
"""

import errno
import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from tidegate.errors import StoreUnavailable
from tidegate.store.directory.place import Place

__all__ = ["Lock"]

_STEP: Final = 0.005
"""Seconds between two tries: they are rare, and a wait in the kernel would have no end."""


class Lock:
    """The lock of one opened store."""

    def __init__(self, place: Place) -> None:
        """Open it; the directory must be there, and writable."""
        self._url = place.url
        self._handle = os.open(place.lock, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)

    def close(self) -> None:
        """Let go of it."""
        os.close(self._handle)

    @contextmanager
    def shared(self, patience: float) -> Iterator[None]:
        """Hold it beside others who add.

        Args:
            patience: Seconds to wait for somebody who removes.

        Raises:
            StoreUnavailable: somebody has removed for longer than that.
        """
        if not self._take(fcntl.LOCK_SH, patience):
            problem = f"another process has kept it locked for more than {patience:.0f} s"
            raise StoreUnavailable(self._url, problem, "Find out which one, then try again")
        try:
            yield
        finally:
            self._give_back()

    @contextmanager
    def alone(self, patience: float) -> Iterator[bool]:
        """Hold it alone, if that is possible within *patience* seconds: whether it was."""
        taken = self._take(fcntl.LOCK_EX, patience)
        try:
            yield taken
        finally:
            if taken:
                self._give_back()

    def _take(self, how: int, patience: float) -> bool:
        end = time.monotonic() + patience
        while not self._try(how):
            if time.monotonic() >= end:
                return False
            time.sleep(_STEP)
        return True

    def _try(self, how: int) -> bool:
        try:
            fcntl.flock(self._handle, how | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in {errno.EWOULDBLOCK, errno.EINTR}:
                return False
            raise
        return True

    def _give_back(self) -> None:
        fcntl.flock(self._handle, fcntl.LOCK_UN)
