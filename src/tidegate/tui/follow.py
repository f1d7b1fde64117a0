"""From the feed to the screen: tells that there is something new to read, not what; and that the store is still there.

What is new is read back from history by whoever shows it, so nothing is on the screen that is not
on disk, and a flood of changes is one message.
"""

import asyncio
from collections.abc import Callable

from textual.message import Message

from tidegate.errors import StoreError, StoreUnavailable
from tidegate.tui.link import problem_of
from tidegate.tui.messages import StoreChanged, StoreHeard, StoreTroubled
from tidegate.tui.session import Session

__all__ = ["follow"]

_PAUSE = 0.05
"""Seconds between two messages: a busy engine must not fill the other loop with calls."""
_RETRY = 1.0
_BEAT = 2.0
"""Seconds after which a store is looked at that says nothing: that it can be read is news, too."""
_GONE = "it was moved, removed or replaced while it was open"
_ADVICE = "Put it back, or leave with q and open the other one"


async def follow(session: Session, tell: Callable[[Message], object]) -> None:
    """Tell every change of the store, for ever."""
    while True:
        try:
            await _follow(session, tell)
        except StoreError as error:
            tell(StoreTroubled(problem_of(error)))
        await asyncio.sleep(_RETRY)


async def _follow(session: Session, tell: Callable[[Message], object]) -> None:
    """Tell until the store cannot be read; begin with a change, as there may have been some until now."""
    feed = session.executor.feed
    cursor, known = await feed.now(), None
    while session.is_current():
        tell(StoreHeard() if cursor == known else StoreChanged())
        await asyncio.sleep(_PAUSE)
        known, cursor = cursor, await feed.wait(cursor, within=_BEAT)
    raise StoreUnavailable(session.url, _GONE, _ADVICE)
