"""What is always on the screen: how much waits, runs and is kept."""

from dataclasses import dataclass

from tidegate.model.listing import OpenPause

__all__ = ["COUNTED", "Overview"]

COUNTED = 500
"""Beyond this, "500+" says enough; counting further would read every row four times a second."""


@dataclass(frozen=True, slots=True)
class Overview:
    """Counts for the tabs."""

    is_read: bool = False
    """False until the store was read for the first time."""
    asked: tuple[OpenPause, ...] = ()
    """The open questions."""
    asleep: frozenset[str] = frozenset()
    """The ids of those that are snoozed here."""
    me: str = ""
    """Who answers here."""
    waiting: int = 0
    """Open questions that are not snoozed here."""
    due: float | None = None
    """The earliest deadline of all open questions; None: none of them has one."""
    running: int = 0
    """Runs on top that somebody drives."""
    checkpoints: int = 0
    """At most `COUNTED`."""
    workflows: int = 0
    """Files that a run can be started from, those with faults included."""
    trouble: str = ""
    """Why runs are held; empty when all is well."""
    url: str = ""
