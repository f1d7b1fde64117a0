"""Noticing that the machine's clock was set while we run.

Stored instants (deadlines, delays, leases) go by the wall clock, durations by one that is never
set. So nothing is lost when the wall clock steps, but questions and delays come due earlier or later
than people expect: whoever wonders why finds the step in the log.
"""

import asyncio
import logging

from tidegate.clock import Clock, iso

__all__ = ["watch_clock"]

log = logging.getLogger(__name__)

STEP = 60.0
"""Seconds. What a clock drifts and is corrected by stays far below."""
_LOOK_SECONDS = 1.0


async def watch_clock(clock: Clock) -> None:
    """Log each step of the wall clock by more than a minute, for ever."""
    before = clock.now() - clock.monotonic()
    while True:
        await asyncio.sleep(_LOOK_SECONDS)
        now = clock.now()
        ahead = now - clock.monotonic()
        if abs(ahead - before) > STEP:
            log.warning("%s", _story(ahead - before, now))
            before = ahead


def _story(step: float, now: float) -> str:
    if step > 0:
        what = f"set forward by {step:.0f} s, or this machine slept; it is now {iso(now)}"
        return f"The clock was {what}. Questions and delays that were due meanwhile are due now"
    what = f"set back by {-step:.0f} s; it is now {iso(now)}"
    return f"The clock was {what}. Questions and delays come due when it reaches their time again"
