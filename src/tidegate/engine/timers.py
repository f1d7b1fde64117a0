"""When a run goes on by itself: stored instants, never a sleeping task."""

from tidegate.model.events import RunStatus
from tidegate.model.state import RunState

__all__ = ["run_is_over_time", "seconds_to_next"]

_LOOK_AGAIN = 30.0
"""Seconds. The clock of a machine may be set, and a child run may lose its owner: neither tells anybody."""


def seconds_to_next(state: RunState, now: float, planned_at: float) -> float | None:
    """Return how long a driver may wait; None: until somebody wakes it.

    Args:
        state: Where the run stands.
        now: Seconds since 1970 UTC.
        planned_at: When it was last planned. What was due then and has not started waits for a slot.
    """
    timers = state.timers.values() if state.held is None else ()
    waits = [max(0.0, at - now) for at in timers if at > planned_at]
    left = _seconds_left(state, now)
    if left is not None:
        waits.append(max(left, 0.0))
    if state.children:
        waits.append(_LOOK_AGAIN)
    return min(*waits, _LOOK_AGAIN) if waits else None


def run_is_over_time(state: RunState, now: float) -> bool:
    """Return whether the run has used up its machine time."""
    left = _seconds_left(state, now)
    return left is not None and left <= 0


def _seconds_left(state: RunState, now: float) -> float | None:
    limit = state.graph.definition.timeout
    if limit is None or state.is_stopping or state.status is not RunStatus.RUNNING:
        return None
    return limit - state.machine_seconds - max(0.0, now - state.updated_at)
