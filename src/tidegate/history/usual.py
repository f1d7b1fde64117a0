"""How long the blocks of a workflow usually take, from the runs of it that went well."""

import asyncio
from collections.abc import Iterable, Mapping
from statistics import median

from tidegate.errors import CorruptStore, RunNotFound
from tidegate.history.walk import slices
from tidegate.model.base import Noun
from tidegate.model.events import (
    AttemptCancelled,
    AttemptFailed,
    AttemptInterrupted,
    AttemptRejected,
    AttemptStarted,
    AttemptSucceeded,
    BlockExpanded,
    BlockPaused,
    ChildMoved,
    ChildPaused,
    Record,
    RunStatus,
)
from tidegate.model.ids import BlockId, RunId, Seq, is_part
from tidegate.model.listing import RunFilter, RunRow
from tidegate.store.protocol import Store

__all__ = ["Usual", "UsualTimes", "Worked"]

_RUNS = 10
"""Runs that are looked at, the newest."""
_EVENTS = 20_000
"""Events that are read for it, of all of them together; one run is always read."""
_KEPT = 200
"""Runs that are remembered."""


class Usual(Noun):
    """How long a block usually works."""

    seconds: float
    """The median: from its first attempt to its success, waiting for people left out."""
    runs: int
    """Over how many runs."""


class Worked:
    """How long each block of one run has worked; of one that ran again, the last time that it did so well."""

    def __init__(self) -> None:
        self.seconds: dict[BlockId, float] = {}
        self._since: dict[BlockId, float] = {}
        """Since when a block works; not while it waits for a person."""
        self._so_far: dict[BlockId, float] = {}

    def take(self, records: Iterable[Record]) -> None:
        """Go on by some events."""
        for record in records:
            match record.event:
                case AttemptStarted(block=block) | BlockExpanded(block=block) | ChildMoved(block=block) if (
                    not is_part(block)
                ):
                    self._since[block] = record.at
                case AttemptSucceeded(block=block) if not is_part(block):
                    self._stop(block, record.at)
                    self.seconds[block] = self._so_far.pop(block, 0.0)
                case (
                    BlockPaused(block=block)
                    | ChildPaused(block=block)
                    | AttemptFailed(block=block)
                    | AttemptRejected(block=block)
                    | AttemptCancelled(block=block)
                    | AttemptInterrupted(block=block)
                ) if not is_part(block):
                    self._stop(block, record.at)
                case _:
                    pass

    def _stop(self, block: BlockId, at: float) -> None:
        if (since := self._since.pop(block, None)) is not None:
            # A clock may go backwards, and no work takes less than no time.
            self._so_far[block] = self._so_far.get(block, 0.0) + max(0.0, at - since)


class UsualTimes:
    """Remembers what it has read: a run that has ended is read once."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._runs: dict[tuple[RunId, Seq], Mapping[BlockId, float]] = {}

    async def of(self, workflow: str) -> Mapping[BlockId, Usual]:
        """Return how long the blocks of a workflow usually work; those that never succeeded are missing."""
        query = RunFilter(workflow=workflow, statuses=(RunStatus.SUCCEEDED,), limit=_RUNS)
        found: dict[BlockId, list[float]] = {}
        events = 0
        for row in await self._store.runs(query):
            events += row.head
            if found and events > _EVENTS:
                break
            for block, seconds in (await self._worked(row)).items():
                found.setdefault(block, []).append(seconds)
        return {block: Usual(seconds=median(times), runs=len(times)) for block, times in found.items()}

    async def _worked(self, row: RunRow) -> Mapping[BlockId, float]:
        key = (row.run_id, row.head)
        if key not in self._runs:
            self._runs[key] = await self._read(row.run_id)
            if len(self._runs) > _KEPT:
                del self._runs[next(iter(self._runs))]
        return self._runs[key]

    async def _read(self, run_id: RunId) -> Mapping[BlockId, float]:
        worked = Worked()
        try:
            async for records in slices(self._store, run_id):
                worked.take(records)
                # What is read here is an estimate: nothing may wait for it.
                await asyncio.sleep(0)
        except (RunNotFound, CorruptStore):
            return {}
        return worked.seconds
