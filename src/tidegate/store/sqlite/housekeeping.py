"""The part of a store that keeps it small and safe: removing runs, giving space back, copying all of it."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from tidegate.errors import CorruptStore, StoreUnavailable
from tidegate.model.ids import CheckpointId, RunId
from tidegate.model.listing import KeptRun, MarkedRun, Statistics
from tidegate.model.vitals import KEPT_REMOVALS, Removals, Vitals, Work
from tidegate.store.keys import PLAIN
from tidegate.store.orders import (
    ClaimCleanUp,
    EmptyGraves,
    LabelMark,
    Order,
    PinMark,
    PlaceMark,
    RemoveRun,
    TrimMarks,
)
from tidegate.store.sqlite import accounts, queries, vitals
from tidegate.store.sqlite.faults import fault_told
from tidegate.store.sqlite.file import StoreFile
from tidegate.store.sqlite.perform import Performing
from tidegate.store.sqlite.readers import Readers
from tidegate.store.sqlite.space import give_back_slice
from tidegate.store.sqlite.writer import Refusal, Writer

__all__ = ["Housekeeping"]

T = TypeVar("T")

_SIZES_AT_ONCE = 100
"""So that no reader is busy for long: the sizes of long runs are found by reading their events."""
_VALUES_AT_ONCE = 500
"""That one statement names."""


class Housekeeping:
    """What `tidegate.store.protocol.Store` promises of retention, and about the whole of a store."""

    _writer: Writer | Refusal
    _readers: Readers
    _file: StoreFile | None
    """What it is kept in; None: in memory, or in something else."""

    async def _carry_out(self, order: Order[T]) -> T:
        return await self._writer.run(Performing(order))

    async def faults(self) -> tuple[str, ...]:
        """Look at the store as a whole; return what is damaged in it, beyond single runs. May take long."""
        try:
            found = await self._readers.rows(queries.integrity(), lambda row: str(row[0]))
            lines = tuple(dict.fromkeys(fault_told(line) for line in found if line != "ok"))
            return lines or await self._readers.rows(accounts.miscounted(), accounts.count_told)
        except CorruptStore as damage:
            return (damage.problem,)

    async def pin(self, checkpoint_id: CheckpointId, *, pinned: bool = True) -> None:
        """Keep a checkpoint, and with it its run, until somebody says otherwise; or no longer."""
        await self._carry_out(PinMark(checkpoint_id=checkpoint_id, pinned=pinned))

    async def label_mark(self, checkpoint_id: CheckpointId, label: str | None) -> None:
        """Call a checkpoint *label*; None: only what its journal calls it, and nothing if a person placed it."""
        await self._carry_out(LabelMark(checkpoint_id=checkpoint_id, label=label))

    async def place_mark(self, mark: PlaceMark) -> None:
        """Add a checkpoint at a point of a run, whether that has ended or is driven now."""
        await self._carry_out(mark)

    async def trim_marks(self, run_id: RunId, *, keep: int, pauses: bool = False) -> int:
        """Take a run's oldest checkpoints off the list; return how many."""
        order = TrimMarks(run_id=run_id, keep=keep, pauses=pauses)
        trimmed = dropped = await self._carry_out(order)
        while dropped:
            trimmed += (dropped := await self._carry_out(order))
        return trimmed

    async def remove_run(
        self,
        run_id: RunId,
        *,
        at: float,
        despite_pins: bool = False,
        ended_by: float | None = None,
        by: str = "",
        why: str = "",
    ) -> tuple[RunId, ...]:
        """Remove a run that has ended, with everything below it; return what was removed, itself first."""
        order = RemoveRun(run_id=run_id, at=at, despite_pins=despite_pins, ended_by=ended_by, by=by, why=why)
        return await self._carry_out(order)

    async def empty_graves(self, *, forget_before: float = 0.0) -> bool:
        """Delete a slice of what removed runs have left; return whether there is more."""
        # Looked at first: whoever opens a store asks, and mostly there is nothing to write.
        if not await self._readers.first(accounts.has_graves(forget_before), lambda row: bool(row[0])):
            return False
        return await self._carry_out(EmptyGraves(forget_before=forget_before))

    async def give_back(self) -> int:
        """Give a slice of the space that nothing fills back to the system; return its bytes, 0 when done."""
        if not await self._free_pages():
            return 0
        given = await self._writer.run(give_back_slice)
        if given and not await self._free_pages():
            await self._writer.empty_log()
        return given

    async def _free_pages(self) -> int:
        return await self._readers.first(accounts.free_pages(), lambda row: int(row[0])) or 0

    async def claim_clean_up(self, *, now: float, interval: float) -> bool:
        """Return whether the caller is to clean up now: nobody has in the last *interval* seconds."""
        last = await self._readers.first(accounts.last_clean_up(), lambda row: float(row[0]))
        if last is not None and 0 <= now - last < interval:
            return False
        return await self._carry_out(ClaimCleanUp(now=now, interval=interval))

    async def kept_runs(self, workflow: str | None = None) -> tuple[KeptRun, ...]:
        """Return the runs on top, of one workflow or of all, those that were created last first."""
        return await self._readers.rows(accounts.kept_runs(workflow), accounts.kept_run)

    async def marked_runs(self, *, more_than: int, pauses: bool = False) -> tuple[MarkedRun, ...]:
        """Return the runs with more than so many checkpoints that `trim_marks` may take off the list."""
        return await self._readers.rows(accounts.marked_runs(more_than, pauses=pauses), accounts.marked_run)

    async def sizes(self, run_ids: Sequence[RunId]) -> Mapping[RunId, int]:
        """Return the bytes that runs take, each with everything below it, by its id."""
        found: dict[RunId, int] = {}
        for start in range(0, len(run_ids), _SIZES_AT_ONCE):
            query = accounts.sizes(run_ids[start : start + _SIZES_AT_ONCE])
            found.update(await self._readers.rows(query, lambda row: (RunId(row[0]), int(row[1]))))
        return found

    async def missing_values(self, hashes: Sequence[str]) -> frozenset[str]:
        """Return which stored values are not there."""
        missing = set(hashes)
        digests = [bytes.fromhex(name) for name in missing]
        for start in range(0, len(digests), _VALUES_AT_ONCE):
            query = queries.values_there(digests[start : start + _VALUES_AT_ONCE])
            missing.difference_update(await self._readers.rows(query, lambda row: row[0].hex()))
        return frozenset(missing)

    async def copy_to(self, place: Path) -> None:
        """Write the whole store, as of one moment, to *place*, where nothing is yet. Others go on writing."""
        if self._file is None:
            problem = "it is nowhere on disk: there is nothing to copy"
            raise StoreUnavailable("memory://", problem, "Name a store with --store")
        await asyncio.to_thread(self._file.copy_to, place)

    async def statistics(self) -> Statistics:
        """Return how much there is; it reads a good part of the store."""
        (found,) = await self._readers.rows(accounts.statistics(), accounts.statistics_of)
        return found

    async def vitals(self) -> Vitals:
        """Return how the work goes now."""
        leased = await self._readers.rows(vitals.leased(), vitals.leased_run)
        changed_at = await self._readers.first(vitals.changed_at(), lambda row: row[0])
        file = self._file
        log_bytes = None if file is None else await asyncio.to_thread(file.log_bytes)
        return Vitals(leased=leased, changed_at=changed_at, log_bytes=log_bytes)

    async def work(self, since: float) -> tuple[Work, ...]:
        """Return what was done from an instant on, by minute and workflow, of the runs that are kept."""
        query = vitals.work(since, plain=self._readers.cipher is PLAIN)
        return await self._readers.rows(query, vitals.work_of)

    async def removals(self, limit: int = KEPT_REMOVALS) -> Removals:
        """Return the removals that are remembered, the newest first, and how many there have been."""
        newest = await self._readers.rows(vitals.removals(limit), vitals.removal)
        return Removals(newest=newest, total=newest[0].number if newest else 0)

    async def orphans(self) -> Mapping[str, int]:
        """Return how many things there are, by kind, that nothing owns or that miss what they need."""
        counted = await self._readers.rows(accounts.orphans(), lambda row: (str(row[0]), int(row[1])))
        return {kind: count for kind, count in counted if count}
