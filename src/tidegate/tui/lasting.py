"""Until when words that were made of the time stay true.

Whoever says how old something is, or what is left of a time, notes here when the words would be others; whoever
shows them asks for the first such instant, and makes them again then, and not each second. Both are far apart, with
a dozen functions in between that have nothing to do with it: so it goes by the context, and not by arguments.
"""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ["Lasting", "changes_at", "changes_in", "lasting"]

_LEAST = 0.001
"""Seconds for which everything counts as true: nobody makes it again in the same moment."""


class Lasting:
    """Words of one moment."""

    def __init__(self, now: float) -> None:
        self.now = now
        """Seconds since 1970 UTC at which they were made."""
        self.until = math.inf
        """When the first of them is another one; infinite: they say nothing of the time."""

    def note(self, at: float) -> None:
        """Take note that some of them are others from an instant on; one that has passed tells nothing."""
        if self.now < at < self.until:
            self.until = at


_made: ContextVar[Lasting | None] = ContextVar("lasting", default=None)


@contextmanager
def lasting(now: float) -> Iterator[Lasting]:
    """Find out until when what is made within it stays true; whoever is around that is told, too."""
    around, made = _made.get(), Lasting(now)
    token = _made.set(made)
    try:
        yield made
    finally:
        _made.reset(token)
        if around is not None:
            around.note(made.until)


def changes_at(at: float) -> None:
    """Say that what is made here is something else from an instant on, in seconds since 1970 UTC."""
    if (made := _made.get()) is not None:
        made.note(at)


def changes_in(seconds: float) -> None:
    """Say that what is made here is something else after so many seconds."""
    if (made := _made.get()) is not None:
        made.note(made.now + max(seconds, _LEAST))
