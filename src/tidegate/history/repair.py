"""A sound store out of a wreck: whole runs as they were, damaged ones up to their last good event.

What was done after the last good event is not known any more. So a run that was cut off is held, and with it
every unfinished run of its tree: nothing of them goes on before a person has looked.
"""

from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from tidegate.clock import Clock, iso
from tidegate.errors import NotResumable
from tidegate.history.retelling import OutputTold, Retelling, epoch_in, held_by, tell_marks
from tidegate.history.verify import verify
from tidegate.history.walk import Walked
from tidegate.model.base import JsonObject
from tidegate.model.events import (
    UNFINISHED,
    Record,
    RunForked,
    RunStarted,
)
from tidegate.model.ids import RunId
from tidegate.model.listing import RunFilter, RunRow
from tidegate.model.state import RunState
from tidegate.store.owner import describe_owner, has_living_owner
from tidegate.store.protocol import Store
from tidegate.store.replay import replay
from tidegate.store.wreck import Wreck, WreckedRun

__all__ = ["Extent", "Rescue", "Rescued", "must_rest"]

_BY = "doctor --repair"
_MANY = 10_000_000


class Extent(StrEnum):
    """How much of a run is kept."""

    WHOLE = "whole"
    CUT = "cut"
    """Kept up to its last good event."""
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class Rescued:
    """One run of the damaged store."""

    run_id: RunId
    extent: Extent
    workflow: str = "?"
    events: int = 0
    """How many were kept."""
    head: int | None = None
    """How many there were; None: not known."""
    at: float | None = None
    """When the last one that was kept was written. Seconds since 1970 UTC."""
    why: str = ""
    """Why it is not whole; empty if it is."""
    values_lost: int = 0
    output_lost: int = 0
    """How many parts of what its blocks printed are damaged, and left out."""
    held: bool = False
    """Whether it goes on only once a person lets it."""

    def as_json(self) -> JsonObject:
        """Return it for `--json`."""
        return {
            "run_id": self.run_id,
            "workflow": self.workflow,
            "extent": self.extent.value,
            "events": self.events,
            "events_before": self.head,
            "last_event_at": None if self.at is None else iso(self.at),
            "why": self.why,
            "values_lost": self.values_lost,
            "output_lost": self.output_lost,
            "held": self.held,
        }


class Rescue:
    """Writes what a wreck still holds into a store that is empty."""

    def __init__(self, wreck: Wreck, store: Store, clock: Clock) -> None:
        self._wreck = wreck
        self._store = store
        self._clock = clock
        self._rescued: dict[RunId, Rescued] = {}
        self._unsafe: set[RunId] = set()
        """Roots of the trees in which something is missing."""

    @property
    def rescued(self) -> tuple[Rescued, ...]:
        """What became of each run, oldest first."""
        return tuple(self._rescued.values())

    async def write(self) -> AsyncIterator[Rescued]:
        """Write every run; yield each as it is there."""
        for run in await self._wreck.runs():
            yield await self._write_one(run)

    async def _write_one(self, run: WreckedRun) -> Rescued:
        records, why = await self._wreck.events(run)
        rescued = Rescued(run.run_id, Extent.LOST, head=run.head, why=why or "nothing of it is left")
        if records and isinstance(records[0].event, RunStarted | RunForked):
            rescued = await self._tell(run, rescued, records, records[0].event)
        self._rescued[run.run_id] = rescued
        return rescued

    async def _tell(
        self, run: WreckedRun, rescued: Rescued, records: Sequence[Record], started: RunStarted | RunForked
    ) -> Rescued:
        root = started.parent.root if started.parent is not None else run.run_id
        if isinstance(started, RunStarted):
            rescued = replace(rescued, workflow=started.workflow)
        top = self._rescued.get(root)
        if started.parent is not None and (top is None or top.extent is Extent.LOST):
            return replace(rescued, why=f"run {root}, which it is a part of, is lost")
        found = await self._wreck.definition(started.definition)
        if found is None:
            self._unsafe.add(root)
            return replace(rescued, why="its definition is lost")
        definition, source = found
        rescued = replace(rescued, workflow=definition.name)
        before, missing = await self._before(started)
        if missing:
            self._unsafe.add(root)
            return replace(rescued, why=missing)
        walked = Walked(run.run_id)
        walked.begin(definition)
        if before is not None:
            walked.state = before.evolve(run_id=run.run_id)
        problem = next(filter(None, map(walked.take, records)), "")
        last = walked.last.seq if walked.last is not None else 0
        good = [record for record in records if record.seq <= last]
        if not good:
            return replace(rescued, why=problem)
        retelling = Retelling(self._store, self._wreck.values, epoch_in(records, run.epoch))
        state = await retelling.tell(
            good, definition, name=started.definition, source=source, now=self._clock.now(), before=before
        )
        output_lost = await self._tell_what_is_beside(run, state)
        why = problem or ("" if good[-1].seq == run.head else self._why(run, state, rescued.why))
        if why or retelling.lost:
            self._unsafe.add(root)
        return replace(
            rescued,
            extent=Extent.CUT if why else Extent.WHOLE,
            events=good[-1].seq,
            at=good[-1].at,
            why=why,
            values_lost=retelling.lost,
            output_lost=output_lost,
        )

    async def _before(self, started: RunStarted | RunForked) -> tuple[RunState | None, str]:
        """Return the state that a fork begins with, and why that is not known, if so."""
        if isinstance(started, RunStarted):
            return None, ""
        origin = started.origin
        there = await self._store.runs(RunFilter(ids=(origin.run_id,)))
        kept = there[0].head if there else 0
        if kept < origin.seq:
            needed = f"only {kept} of the {origin.seq} events that it needs are left"
            return None, f"it goes on from run {origin.run_id}, of which {needed}"
        return await replay(self._store, origin.run_id, upto=origin.seq), ""

    @staticmethod
    def _why(run: WreckedRun, state: RunState, why: str) -> str:
        """Return why a run is not whole. One whose row is lost is whole if it ends with its end."""
        return "" if run.head is None and state.finished is not None else why

    async def _tell_what_is_beside(self, run: WreckedRun, state: RunState) -> int:
        """Keep the output of a run, and what its list of checkpoints says; return how many chunks are lost."""
        output = OutputTold(self._store, run.run_id)
        async for block, attempt, chunk in self._wreck.output(run):
            await output.add(block, attempt, chunk)
        await output.write()
        await self._tell_marks(run, state)
        return output.lost

    async def _tell_marks(self, run: WreckedRun, state: RunState) -> None:
        listed = await self._wreck.marks(run)
        await tell_marks(self._store, state, listed.marks, is_whole=listed.is_whole)

    # -- afterwards ---------------------------------------------------------------------------

    async def hold(self) -> None:
        """Let nothing go on by itself that something is missing of."""
        unfinished = await self._store.runs(RunFilter(statuses=UNFINISHED, limit=_MANY))
        states = {row.run_id: await replay(self._store, row.run_id) for row in unfinished}
        for row in unfinished:
            if not await self._are_there(states[row.run_id].children.values()):
                self._unsafe.add(row.root or row.run_id)
        for row in unfinished:
            if (row.root or row.run_id) in self._unsafe:
                await self._hold_one(row, states[row.run_id])

    async def _are_there(self, run_ids: Iterable[RunId]) -> bool:
        wanted = tuple(run_ids)
        return not wanted or len(await self._store.runs(RunFilter(ids=wanted, limit=_MANY))) == len(wanted)

    async def _hold_one(self, row: RunRow, state: RunState) -> None:
        rescued = self._rescued[row.run_id]
        reason = f"the store was damaged: {rescued.why}" if rescued.why else "the store was damaged"
        retelling = Retelling(self._store, self._wreck.values, row.epoch)
        await retelling.add(state, self._clock.now(), *held_by(state, _BY, reason))
        self._rescued[row.run_id] = replace(rescued, held=True)

    async def faults(self) -> list[str]:
        """Return what is wrong with what was written, other than that values are lost: it should be nothing."""
        short = {run.run_id for run in self.rescued if run.values_lost}
        found = list(await self._store.faults())
        async for verdict in verify(self._store):
            if verdict.run_id not in short:
                found += [f"run {verdict.run_id}: {finding}" for finding in verdict.findings]
        return found


def must_rest(runs: Iterable[WreckedRun], now: float) -> None:
    """Refuse to go on while somebody drives one of *runs*: it would go on in two places.

    Raises:
        NotResumable: somebody does.
    """
    for run in runs:
        if has_living_owner(run, now):
            problem = f"{describe_owner(run.owner)} drives it"
            raise NotResumable(
                f"run {run.run_id}", problem, "Stop that first: it would go on here and in the copy"
            )
