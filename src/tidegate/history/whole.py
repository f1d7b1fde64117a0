"""What can be asked about a store as a whole: how much there is, how it stands, and what was removed from it."""

from collections.abc import Mapping

from tidegate.clock import Clock
from tidegate.history.lookout import Lookout
from tidegate.history.statistics import Totals, count
from tidegate.model.listing import Statistics
from tidegate.model.vitals import Removals
from tidegate.store.protocol import Store

__all__ = ["WholeStore"]


class WholeStore:
    """The part of the history that is about no run in particular."""

    _store: Store
    _clock: Clock

    @property
    def damage(self) -> str:
        """What of the store was found to be damaged so far, for people; empty: nothing."""
        return self._store.damage

    async def totals(self, workflow: str | None = None) -> Totals:
        """Return how much there is and how long it took, of one workflow or of all; it reads every row."""
        return await count(self._store, self._clock.now(), workflow)

    def lookout(self) -> Lookout:
        """Return what sees, again and again, how the whole store stands: the first look reads, later ones follow."""
        return Lookout(self._store, self._clock)

    async def statistics(self) -> Statistics:
        """Return how much the store holds, as it counts itself."""
        return await self._store.statistics()

    async def orphans(self) -> Mapping[str, int]:
        """Return how many things there are, by kind, that nothing owns or that miss what they need."""
        return await self._store.orphans()

    async def removals(self) -> Removals:
        """Return the removals that are remembered, the newest first, and how many there have been."""
        return await self._store.removals()
