"""The threads that look at the directory for those who read."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from tidegate.errors import StoreUnavailable
from tidegate.store.directory.place import os_faults

__all__ = ["Hands"]

T = TypeVar("T")
_HANDS = 2


class Hands:
    """A few threads of the store's own: those of the loop may all be at work for somebody's blocks."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._pool = ThreadPoolExecutor(_HANDS, thread_name_prefix="tidegate-files")
        self._closed = False

    async def do(self, work: Callable[[], T]) -> T:
        """Return what *work* returns, done on a thread.

        Raises:
            StoreUnavailable: the system refuses, or the store has been closed.
        """
        if self._closed:
            raise StoreUnavailable(self._url, "it has been closed")
        with os_faults(self._url):
            return await asyncio.get_running_loop().run_in_executor(self._pool, work)

    def close(self) -> None:
        """Let the threads end after what they are doing."""
        self._closed = True
        self._pool.shutdown(wait=False)
