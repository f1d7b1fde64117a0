"""The only way up: what changed in the store, whoever changed it.

A follower gets each change once, in order, as the rows of the runs that changed. It pulls: a
slow follower gets fewer, larger batches, and the writers never wait for it.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator

from tidegate.model.listing import Changes, Cursor
from tidegate.store.protocol import Store

__all__ = ["Feed"]

_START = Cursor(0)


class Feed:
    """Follows one store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def now(self) -> Cursor:
        """Return the position after everything that is there already."""
        return await self._store.newest_cursor()

    async def wait(self, since: Cursor, *, within: float) -> Cursor:
        """Return the new position once something changed after *since*, or after *within* seconds."""
        with contextlib.suppress(TimeoutError):
            # Not wait_for: on Python 3.11 it can swallow a cancellation that comes with the news.
            async with asyncio.timeout(within):
                await self._store.wait_for_change(since)
        return await self.now()

    async def follow(self, since: Cursor = _START) -> AsyncIterator[Changes]:
        """Yield what changes after *since*, for ever; first, at once, what is there already."""
        changes = await self._store.changes(since)
        yield changes
        while True:
            # Asked first: while others write all the time there is no need to be told that they do.
            newer = await self._store.changes(changes.cursor)
            if newer.cursor == changes.cursor:
                await self._store.wait_for_change(changes.cursor)
                continue
            yield newer
            changes = newer
