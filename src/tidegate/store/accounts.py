"""What a store says of itself: how much there is, and what goes on. A part of its contract, `tidegate.store.protocol`."""

from collections.abc import Mapping
from typing import Protocol

from tidegate.model.listing import Statistics
from tidegate.model.vitals import Removals, Vitals, Work

__all__ = ["Accounts"]


class Accounts(Protocol):
    """How much there is, who drives, what was done when, and who removed what."""

    async def statistics(self) -> Statistics:
        """Return how much there is; it reads a good part of the store."""
        ...

    async def orphans(self) -> Mapping[str, int]:
        """Return how many things there are, by kind, that nothing owns or that miss what they need.

        Empty when all is well, at any moment: also while removed runs are being emptied.
        """
        ...

    async def vitals(self) -> Vitals:
        """Return how the work goes now. It costs the same however many runs have ended."""
        ...

    async def work(self, since: float) -> tuple[Work, ...]:
        """Return what was done from an instant on, by minute and workflow, of the runs that are kept.

        It looks at each event since then: a quarter of a second for half a million of them.
        """
        ...

    async def removals(self, limit: int = ...) -> Removals:
        """Return the removals that are remembered, the newest first, and how many there have been."""
        ...
