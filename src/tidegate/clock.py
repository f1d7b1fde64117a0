"""Time as an argument: nobody else in Tidegate reads a clock.

`now()` orders nothing (sequence numbers do); it is for display and for stored deadlines.
`monotonic()` measures durations, because the wall clock may step while a block runs.
"""

import time
from datetime import UTC, datetime
from typing import Protocol

__all__ = ["Clock", "SystemClock", "iso", "iso_precise"]


class Clock(Protocol):
    """Where the time comes from."""

    def now(self) -> float:
        """Return the instant, in seconds since 1970 UTC."""
        ...

    def monotonic(self) -> float:
        """Return seconds from an arbitrary start; never steps back."""
        ...


class SystemClock:
    """The machine's own clocks."""

    def now(self) -> float:
        """Return the instant, in seconds since 1970 UTC."""
        return time.time()

    def monotonic(self) -> float:
        """Return seconds from an arbitrary start; never steps back."""
        return time.monotonic()


def iso(at: float) -> str:
    """Return *at* (seconds since 1970 UTC) as ISO 8601 to the second, with its offset."""
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds")


def iso_precise(at: float) -> str:
    """Return *at* (seconds since 1970 UTC) as ISO 8601 to the millisecond, with its offset."""
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds")
