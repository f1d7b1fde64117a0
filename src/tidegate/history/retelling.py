"""Writing a run into another store, event by event, as it was written first.

Whatever is listed of it there follows from its events by the same rules as in the store that it comes from:
its row, its questions, its checkpoints.
"""

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tidegate.model.events import CheckpointMarked, JournalEvent, Record, RunAdopted
from tidegate.model.fold import fold
from tidegate.model.fold_pauses import turned_pauses
from tidegate.model.ids import Seq
from tidegate.model.listing import Epoch
from tidegate.model.state import RunState, RunSummary, new_state
from tidegate.model.value import stored_in
from tidegate.model.workflow import Graph, WorkflowDefinition
from tidegate.store.protocol import Append, NewRun, Store

__all__ = ["Retelling", "epoch_in"]

_AT_ONCE = 32
"""Appends that wait for the disk together."""
_OWNER = "a copy in the making"
_LEASE = 86_400.0
"""Seconds. It is given back as soon as the run is there."""

ValuesOf = Callable[[Sequence[str]], Awaitable[Mapping[str, bytes]]]
"""Returns the JSON of stored values by hash, of those that there are."""


@dataclass(slots=True)
class Retelling:
    """One run, on its way into a store."""

    store: Store
    values_of: ValuesOf
    epoch: Epoch
    """Under which it is left: what drove it before is late."""
    lost: int = 0
    """How many stored values it names that there are not any more."""

    async def tell(
        self, records: Sequence[Record], definition: WorkflowDefinition, *, name: str, source: str, now: float
    ) -> RunState:
        """Write a run that is not there yet; return its state. Nobody drives it afterwards.

        Args:
            records: Its events, from the first on.
            definition: What it is pinned to.
            name: The hash of that.
            source: The text of the workflow's file.
            now: The instant. Seconds since 1970 UTC.
        """
        first = records[0]
        state = fold(new_state(first.run_id, Graph(definition)), [first])
        await self.store.create_run(
            NewRun(
                run_id=first.run_id,
                definition=definition,
                definition_hash=name,
                source=source,
                at=first.at,
                events=(first.event,),
                summary=state.summarise(),
                owner=_OWNER,
                lease_until=now + _LEASE,
                epoch=self.epoch,
            )
        )
        state = await self._tell_rest(state, records[1:])
        await self.store.release(state.run_id, epoch=self.epoch, head=state.head)
        return state

    async def _tell_rest(self, state: RunState, records: Sequence[Record]) -> RunState:
        waiting: list[asyncio.Task[Seq]] = []
        for group in _groups(records):
            state, append = await self._append_of(state, group)
            waiting.append(asyncio.ensure_future(self.store.append(append)))
            if len(waiting) == _AT_ONCE:
                await asyncio.gather(*waiting)
                waiting.clear()
        await asyncio.gather(*waiting)
        return state

    async def add(self, state: RunState, at: float, *events: JournalEvent) -> RunState:
        """Append events of one's own to a run that nobody drives; return its state."""
        records = [
            Record(run_id=state.run_id, seq=Seq(state.head + number), at=at, event=event)
            for number, event in enumerate(events, 1)
        ]
        state, append = await self._append_of(state, records)
        await self.store.append(append)
        return state

    async def _append_of(self, before: RunState, records: Sequence[Record]) -> tuple[RunState, Append]:
        state, marks = before, dict[str, RunSummary]()
        for record in records:
            state = fold(state, [record])
            if isinstance(record.event, CheckpointMarked):
                marks[record.event.checkpoint_id] = state.summarise()
        closed, deadlines = turned_pauses(before, state)
        append = Append(
            run_id=state.run_id,
            after=before.head,
            at=records[-1].at,
            events=tuple(record.event for record in records),
            summary=state.summarise(),
            marks=marks,
            epoch=self.epoch,
            values=await self._values(records),
            closed=closed,
            deadlines=deadlines,
        )
        return state, append

    async def _values(self, records: Sequence[Record]) -> Mapping[str, bytes]:
        names = list(dict.fromkeys(value.sha256 for record in records for value in stored_in(record.event)))
        found = await self.values_of(names) if names else {}
        self.lost += len(names) - len(found)
        return found


def _groups(records: Sequence[Record]) -> Iterator[list[Record]]:
    """Yield events that were written together."""
    for _, group in itertools.groupby(records, key=lambda record: record.at):
        yield list(group)


def epoch_in(records: Sequence[Record], said: Epoch) -> Epoch:
    """Return the highest epoch that a run was driven under, as its row or its journal says; 1 at least."""
    told = (record.event.epoch for record in records if isinstance(record.event, RunAdopted))
    return Epoch(max(1, said, *told)) if said or records else Epoch(1)
