"""From the feed to the screen: tells that there is something new to read, not what.

What is new is read back from history by whoever shows it, so nothing is on the screen that is not
on disk, and a flood of changes is one message.
"""

import asyncio
from collections.abc import Callable

from textual.message import Message

from tidegate.errors import StoreError
from tidegate.tui.messages import StoreChanged, StoreTroubled
from tidegate.tui.session import Session

__all__ = ["follow"]

_PAUSE = 0.05
"""Seconds between two messages: a busy engine must not fill the other loop with calls."""
_RETRY = 1.0
"""Seconds."""


async def follow(session: Session, tell: Callable[[Message], object]) -> None:
    """Tell every change of the store, for ever."""
    while True:
        try:
            await _follow(session, tell)
        except StoreError as error:
            tell(StoreTroubled(str(error)))
        await asyncio.sleep(_RETRY)


async def _follow(session: Session, tell: Callable[[Message], object]) -> None:
    feed = session.executor.feed
    async for _ in feed.follow(await feed.now()):
        tell(StoreChanged())
        await asyncio.sleep(_PAUSE)
