"""Linux's news of a directory, straight from the kernel: half a millisecond, and nothing while nothing happens."""

import asyncio
import ctypes
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

__all__ = ["InotifyWatch", "open_inotify"]

_IN_MODIFY, _IN_CREATE = 0x2, 0x100
_REST = 0.01
"""Seconds between two looks: a writer at full speed must not cost its watchers a core."""


class InotifyWatch:
    """Calls back soon after a file in a directory was written or made. Listens only between start and stop."""

    def __init__(self, handle: int) -> None:
        self._handle = handle
        self._resting: asyncio.TimerHandle | None = None
        self._notify: Callable[[], None] | None = None

    def start(self, notify: Callable[[], None]) -> None:
        """Listen, on the running loop."""
        self._notify = notify
        self._listen()

    def stop(self) -> None:
        """Stop listening."""
        self._notify = None
        if self._resting is not None:
            self._resting.cancel()
            self._resting = None
        asyncio.get_running_loop().remove_reader(self._handle)

    async def close(self) -> None:
        """Let go of the directory."""
        self.stop()
        os.close(self._handle)

    def _listen(self) -> None:
        self._resting = None
        asyncio.get_running_loop().add_reader(self._handle, self._heard)

    def _heard(self) -> None:
        loop = asyncio.get_running_loop()
        with suppress(BlockingIOError):
            os.read(self._handle, 64 * 1024)
        # What is written while this rests stays in the kernel's queue and is heard right after.
        loop.remove_reader(self._handle)
        self._resting = loop.call_later(_REST, self._listen)
        if self._notify is not None:
            self._notify()


def open_inotify(directory: Path) -> InotifyWatch | None:
    """Return a watch on *directory*, or None where there is no inotify or no more of it."""
    try:
        libc = ctypes.CDLL(None, use_errno=True)
        handle = int(libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC))
    except (OSError, AttributeError):
        return None
    if handle < 0:
        return None
    if libc.inotify_add_watch(handle, os.fsencode(directory), _IN_MODIFY | _IN_CREATE) < 0:
        os.close(handle)
        return None
    return InotifyWatch(handle)
