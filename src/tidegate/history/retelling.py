"""Writing a run into another store, event by event, as it was written first.

Whatever is listed of it there follows from its events by the same rules as in the store that it comes from:
its row, its questions, its checkpoints.
"""

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tidegate.model.events import (
    AttemptInterrupted,
    CheckpointMarked,
    JournalEvent,
    Record,
    RunAdopted,
    RunForked,
    RunHeld,
    RunInterrupted,
)
from tidegate.model.fold import fold
from tidegate.model.fold_pauses import turned_pauses
from tidegate.model.ids import BlockId, PauseId, RunId, Seq
from tidegate.model.listing import CheckpointFilter, Epoch, ListedMark, OutputChunk, RunRow
from tidegate.model.state import RunState, RunSummary, new_state
from tidegate.model.value import stored_in
from tidegate.model.workflow import Graph, WorkflowDefinition
from tidegate.store.protocol import Append, NewRun, PlaceMark, Store
from tidegate.store.replay import replay

__all__ = ["OutputTold", "Retelling", "epoch_in", "held_by", "tell_marks"]

_AT_ONCE = 32
"""Appends that wait for the disk together."""
_CHUNKS = 64
_MANY = 10_000_000
_OWNER = "a copy in the making"
_LEASE = 100 * 365 * 86_400.0
"""Seconds. It is given back once everything is there; what broke off before that is never to go on by itself."""

ValuesOf = Callable[[Sequence[str]], Awaitable[Mapping[str, bytes]]]
"""Returns the JSON of stored values by hash, of those that there are."""


def _began_at(records: Sequence[Record]) -> float:
    """Return when a run began: a fork in a journal of its own has the events of the other run before that."""
    forks = (record.at for record in reversed(records) if isinstance(record.event, RunForked))
    return next(forks, records[0].at)


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
        self,
        records: Sequence[Record],
        definition: WorkflowDefinition,
        *,
        name: str,
        source: str,
        now: float,
        before: RunState | None = None,
    ) -> RunState:
        """Write a run that is not there yet; return its state. Nobody drives it afterwards.

        Args:
            records: Its own events, from the first on.
            definition: What it is pinned to.
            name: The hash of that.
            source: The text of the workflow's file.
            now: The instant. Seconds since 1970 UTC.
            before: Of a fork the state in which the other run was at the point.
        """
        state = await self.begin(records, definition, name=name, source=source, now=now, before=before)
        state = await self.go_on(state, records[1:])
        await self.let_go(state)
        return state

    async def begin(
        self,
        records: Sequence[Record],
        definition: WorkflowDefinition,
        *,
        name: str,
        source: str,
        now: float,
        before: RunState | None = None,
    ) -> RunState:
        """Create a run with the first of its events; return its state. Nobody else drives it until `let_go`."""
        first = records[0]
        start = new_state(first.run_id, Graph(definition)) if before is None else before
        state = fold(start.evolve(run_id=first.run_id), [first])
        await self.store.create_run(
            NewRun(
                run_id=first.run_id,
                definition=definition,
                definition_hash=name,
                source=source,
                at=first.at,
                began_at=_began_at(records),
                events=(first.event,),
                summary=state.summarise(),
                owner=_OWNER,
                lease_until=now + _LEASE,
                epoch=self.epoch,
            )
        )
        return state

    async def go_on(self, state: RunState, records: Sequence[Record]) -> RunState:
        """Write the events that follow; return the state after them."""
        waiting: list[asyncio.Task[Seq]] = []
        for group in _groups(records):
            state, append = await self._append_of(state, group)
            waiting.append(asyncio.ensure_future(self.store.append(append)))
            has_ended = state.finished is not None and state.head < records[-1].seq
            if has_ended or len(waiting) == _AT_ONCE:
                await _all_of(waiting)
            if has_ended:
                await self._claim_again(state.run_id, records[-1].at)
        await _all_of(waiting)
        return state

    async def _claim_again(self, run_id: RunId, now: float) -> None:
        """Keep others from a run that had ended and was resumed: with its end its lease is given back."""
        claim = await self.store.claim(run_id, owner=_OWNER, now=now, until=now + _LEASE)
        self.epoch = claim.epoch

    async def let_go(self, state: RunState) -> None:
        """Let others have a run that is complete."""
        await self.store.release(state.run_id, epoch=self.epoch, head=state.head)

    @staticmethod
    def is_in_the_making(row: RunRow) -> bool:
        """Whether somebody began to write a run, and did not come to its end."""
        return row.owner == _OWNER

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
        closed, deadlines = list[PauseId](), dict[PauseId, float | None]()
        for record in records:
            last, state = state, fold(state, [record])
            if isinstance(record.event, CheckpointMarked):
                marks[record.event.checkpoint_id] = state.summarise()
            # One by one: a question may be asked, and closed, in the same instant.
            turned, moved = turned_pauses(last, state)
            closed += turned
            deadlines |= moved
        append = Append(
            run_id=state.run_id,
            after=before.head,
            at=records[-1].at,
            events=tuple(record.event for record in records),
            summary=state.summarise(),
            marks=marks,
            epoch=self.epoch,
            values=await self._values(records),
            closed=tuple(closed),
            deadlines=deadlines,
        )
        return state, append

    async def _values(self, records: Sequence[Record]) -> Mapping[str, bytes]:
        names = list(dict.fromkeys(value.sha256 for record in records for value in stored_in(record.event)))
        found = await self.values_of(names) if names else {}
        self.lost += len(names) - len(found)
        return found


async def tell_marks(
    store: Store, state: RunState, listed: Sequence[ListedMark], *, is_whole: bool = True
) -> None:
    """Let a run's list of checkpoints be as it was.

    Args:
        store: Where the run was written.
        state: Of the run.
        listed: What was on the list.
        is_whole: Whether that is all of it: otherwise nothing is taken off.
    """
    known = {mark.checkpoint_id: mark for mark in listed}
    rows = await store.checkpoints(CheckpointFilter(run_id=state.run_id, limit=_MANY))
    for row in rows:
        mark = known.pop(row.checkpoint_id, None)
        # One that was taken off the list is not to come back; that of an open question always stays.
        is_open = PauseId(row.checkpoint_id) in state.open_pauses
        if mark is not None:
            await _tell_mark(store, mark)
        elif is_whole and not is_open:
            await store.delete_mark(row.checkpoint_id)
    placed = [mark for mark in known.values() if mark.placed and mark.seq <= state.head]
    await _place_marks(store, state.run_id, placed)


async def _tell_mark(store: Store, mark: ListedMark) -> None:
    if mark.relabelled:
        await store.label_mark(mark.checkpoint_id, mark.label)
    if mark.pinned:
        await store.pin(mark.checkpoint_id)


async def _place_marks(store: Store, run_id: RunId, marks: Iterable[ListedMark]) -> None:
    # In the order of their time, which is that of the list.
    for mark in sorted(marks, key=lambda mark: mark.created_at):
        state = await replay(store, run_id, upto=mark.seq)
        await store.place_mark(
            PlaceMark(
                run_id=run_id,
                seq=mark.seq,
                checkpoint_id=mark.checkpoint_id,
                at=mark.created_at,
                summary=state.summarise(),
                label=mark.label,
                metadata=mark.metadata,
            )
        )
        if mark.pinned:
            await store.pin(mark.checkpoint_id)


async def _all_of(waiting: list[asyncio.Task[Seq]]) -> None:
    # Each of them, also if one fails: what nobody waits for would complain on its own.
    done = await asyncio.gather(*waiting, return_exceptions=True)
    waiting.clear()
    for outcome in done:
        if isinstance(outcome, BaseException):
            raise outcome


def held_by(state: RunState, by: str, reason: str) -> tuple[JournalEvent, ...]:
    """Return the events after which a run that has not ended goes on only once a person lets it."""
    # Holding keeps an end that was asked for from nothing: that has to be stopped.
    stop = RunInterrupted(reason=reason) if state.is_stopping else RunHeld(by=by, reason=reason)
    lost = [
        AttemptInterrupted(block=place, attempt=block.attempt, reason="what became of it is not known")
        for place, block in state.touched.items()
        if block.is_at_work and place not in state.children
    ]
    return (stop, *lost)


def _groups(records: Sequence[Record]) -> Iterator[list[Record]]:
    """Yield events that were written together."""
    for _, group in itertools.groupby(records, key=lambda record: record.at):
        yield list(group)


def epoch_in(records: Sequence[Record], said: Epoch) -> Epoch:
    """Return the highest epoch that a run was driven under, as its row or its journal says; 1 at least."""
    told = (record.event.epoch for record in records if isinstance(record.event, RunAdopted))
    return Epoch(max(1, said, *told))


class OutputTold:
    """What a run's attempts wrote, on its way into a store. What is damaged, or out of place, is left out."""

    def __init__(self, store: Store, run_id: RunId) -> None:
        self.lost = 0
        """How many chunks were left out."""
        self._store = store
        self._run_id = run_id
        self._of: tuple[BlockId, int] | None = None
        self._waiting: list[OutputChunk] = []
        self._ends: dict[int, int] = {}

    async def add(self, block: BlockId, attempt: int, chunk: OutputChunk) -> None:
        """Take a chunk; those of one attempt follow each other, in order."""
        if self._of != (block, attempt):
            await self.write()
            self._of, self._ends = (block, attempt), {}
        # Chunks from before there were checksums are known to be damaged only if they are out of place.
        if chunk.damage or chunk.offset < self._ends.get(chunk.stream, 0):
            self.lost += 1
            return
        self._ends[chunk.stream] = chunk.offset + len(chunk.data)
        self._waiting.append(chunk)
        if len(self._waiting) == _CHUNKS:
            await self.write()

    async def write(self) -> None:
        """Write what waits."""
        if self._of is not None and self._waiting:
            await self._store.write_output(self._run_id, *self._of, self._waiting)
        self._waiting = []
