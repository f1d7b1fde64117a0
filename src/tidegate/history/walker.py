"""Walking through a run's past: its state after any event, and where something next changes.

Folding 50,000 events takes seconds, so nothing is folded twice and nothing waits for all of it. On the way
forward states are kept at intervals; they share what has not changed, so that this costs little. From there
any other state is at most a slice away, and the states around the one seen last are closer still.
"""

import asyncio
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import AsyncIterator, Iterator
from typing import TypeVar

from tidegate.errors import CorruptStore
from tidegate.history.diff import differs
from tidegate.history.document import document, pick, shares_path
from tidegate.history.marks import marks_of
from tidegate.history.paths import Path
from tidegate.history.points import no_event
from tidegate.model.checkpoint import CheckpointMetadata
from tidegate.model.events import Record, WaveStarted
from tidegate.model.fold import apply, fold
from tidegate.model.ids import RunId, Seq
from tidegate.model.state import RunState
from tidegate.store.damage import read_journal
from tidegate.store.protocol import Store
from tidegate.store.replay import States, replay

__all__ = ["Walker"]

T = TypeVar("T")

_SLICE = 1_000
"""Events that are read at once."""
_BREATH = 100
"""Events that are folded before others get their turn: about 3 ms."""
_MOST_ANCHORS = 128
"""States that are kept for good; in a run with more slices every second one, and so on."""
_NEAR = 64
"""States that are kept of where somebody was last: one for each breath."""
_SLICES = 8
"""Slices of events that are kept."""


class Walker:
    """One run, at any position of its journal. For one loop; it may be asked several things at once."""

    def __init__(self, store: Store, states: States, run_id: RunId, head: Seq) -> None:
        """Begin with nothing but the run's head; see `History.walk`."""
        self._store = store
        self._states = states
        self._run_id = run_id
        self._head = head
        self._anchors: dict[int, RunState] = {}
        self._spacing = _SLICE
        self._near: OrderedDict[int, RunState] = OrderedDict()
        self._slices: OrderedDict[int, tuple[Record, ...]] = OrderedDict()
        self._marks: tuple[CheckpointMetadata, ...] | None = None
        self._damage: CorruptStore | None = None

    @property
    def head(self) -> Seq:
        """Its newest event, as far as is known here."""
        return self._head

    async def catch_up(self) -> Seq:
        """Look how far the run has gone on, and read its checkpoints anew when they are asked for next.

        Returns:
            Its newest event.

        Raises:
            RunNotFound: it was removed.
        """
        self._head = (await self._store.run(self._run_id)).head
        self._marks = None
        return self._head

    async def prepare(self) -> None:
        """Fold the whole run once, with everybody else taking turns, so that later steps do not wait.

        Raises:
            CorruptStore: its journal is damaged; what is before that was folded.
        """
        at = 0
        while at + self._spacing in self._anchors:
            at += self._spacing
        await self._on(self._anchors.get(at) or await self._first(), self._head)

    # -- states -------------------------------------------------------------------------------

    async def state(self, seq: int) -> RunState:
        """Return the run's state right after an event; after 0: before the first.

        Raises:
            PointNotFound: it has no such event.
            CorruptStore: its journal is damaged before that.
        """
        await self._check(seq, least=0)
        return await self._on(await self._below(seq), seq)

    async def _check(self, seq: int, *, least: int) -> None:
        if seq > self._head:
            await self.catch_up()
        if not least <= seq <= self._head:
            raise no_event(self._run_id, seq, self._head)

    async def _on(self, state: RunState, seq: int) -> RunState:
        """Move on from a state."""
        async for records in self._records(state.head, seq):
            state = fold(state, records)
            self._note(state)
        if state.head < seq and self._damage is not None:
            raise self._damage
        if state.head == self._head:
            self._states.keep(state)
        return state

    async def _below(self, seq: int) -> RunState:
        """Return the newest known state at or before an event."""
        anchored = sorted(self._anchors)
        at = bisect_right(anchored, seq)
        near = max((known for known in self._near if known <= seq), default=None)
        own = [self._anchors[anchored[at - 1]]] if at else []
        own += [self._near[near]] if near is not None else []
        found = max(own, key=lambda state: state.head, default=None)
        # Who follows the run has its newest state. Where that is not far from what was folded here, that is
        # gone on from all the same: states of one fold share more with each other.
        followed = self._states.known(self._run_id)
        reached = found.head if found is not None else -_SLICE
        if followed is not None and followed.head <= seq and followed.head >= reached + _SLICE:
            return followed
        return found or await self._first()

    async def _first(self) -> RunState:
        first = await replay(self._store, self._run_id, upto=Seq(0))
        self._anchors[0] = first
        return first

    def _note(self, state: RunState) -> None:
        _put(self._near, state.head, state, most=_NEAR)
        if state.head % self._spacing:
            return
        self._anchors[state.head] = state
        if len(self._anchors) > _MOST_ANCHORS:
            self._spacing *= 2
            self._anchors = {seq: kept for seq, kept in self._anchors.items() if not seq % self._spacing}

    # -- events -------------------------------------------------------------------------------

    async def event(self, seq: int) -> Record:
        """Return one event.

        Raises:
            PointNotFound: there is no such one.
        """
        await self._check(seq, least=1)
        found = await self.events(seq - 1, seq)
        if not found and self._damage is not None:
            raise self._damage
        return found[0]

    async def events(self, after: int, upto: int) -> tuple[Record, ...]:
        """Return the events with ``after < seq <= upto``, as far as there are some."""
        found: list[Record] = []
        async for records in self._records(max(after, 0), min(upto, self._head)):
            found += records
        return tuple(found)

    async def _records(self, after: int, upto: int) -> AsyncIterator[tuple[Record, ...]]:
        """Yield events in order, a breath at a time, and let others take their turn in between."""
        while after < upto:
            records = await self._slice(after // _SLICE)
            at = after % _SLICE
            found = records[at : min(at + _BREATH - at % _BREATH, at + upto - after)]
            if not found:
                return
            yield found
            after += len(found)
            await asyncio.sleep(0)

    async def _slice(self, number: int) -> tuple[Record, ...]:
        """Return a slice of the journal; that at its end may be short, and is read again when there is more."""
        known = self._slices.get(number)
        start = number * _SLICE
        if known is None or len(known) < min(_SLICE, self._head - start):
            known = await self._read(start, min(start + _SLICE, self._head))
        _put(self._slices, number, known, most=_SLICES)
        return known

    async def _read(self, after: int, upto: int) -> tuple[Record, ...]:
        """Read events; of damaged ones those that are good."""
        try:
            return await read_journal(self._store, self._run_id, after=Seq(after), upto=Seq(upto))
        except CorruptStore as damage:
            self._damage = damage
            good = damage.last_good or 0
            if good <= after:
                return ()
            return await self._store.read(self._run_id, after=Seq(after), upto=Seq(good))

    # -- where to stop ------------------------------------------------------------------------

    async def marks(self) -> tuple[CheckpointMetadata, ...]:
        """Return all checkpoints, oldest first; of a fork those before it, too, of the runs it comes from.

        Read once, and again after `catch_up`.
        """
        if self._marks is None:
            self._marks = await marks_of(self._store, self._run_id)
        return self._marks

    async def wave_after(self, seq: int) -> Seq | None:
        """Return the first event after *seq* with which a wave starts; None: there is none."""
        async for records in self._records(max(seq, 0), self._head):
            for record in records:
                if isinstance(record.event, WaveStarted):
                    return record.seq
        return None

    async def wave_before(self, seq: int) -> Seq | None:
        """Return the last event before *seq* with which a wave starts; None: there is none."""
        for start, end in _backwards(min(seq - 1, self._head)):
            for record in reversed(await self.events(start, end)):
                if isinstance(record.event, WaveStarted):
                    return record.seq
        return None

    # -- where something changes --------------------------------------------------------------

    async def change_after(self, path: Path, seq: int) -> Seq | None:
        """Return the first event after *seq* that changes what is at a path of the state's document.

        None: nothing does. Where nothing is, and where something large stands, counts by its hash.
        """
        state = await self.state(seq)
        while state.head < self._head:
            end = min((state.head // _SLICE + 1) * _SLICE, self._head)
            ahead = self._anchors.get(end)
            if ahead is None or not _is_untouched(state, ahead, path):
                found, ahead = await self._changes_in(path, state, end, last=False)
                if found is not None:
                    return found
            state = ahead
        return None

    async def change_before(self, path: Path, seq: int) -> Seq | None:
        """Return the last event before *seq* that changes what is at a path; None: none does."""
        for start, end in _backwards(min(seq - 1, self._head)):
            state, ahead = await self.state(start), self._anchors.get(end)
            if ahead is None or not _is_untouched(state, ahead, path):
                found, _ = await self._changes_in(path, state, end, last=True)
                if found is not None:
                    return found
        return None

    async def _changes_in(
        self, path: Path, state: RunState, end: int, *, last: bool
    ) -> tuple[Seq | None, RunState]:
        """Return the first or the last change up to an event, and the state where the search has ended."""
        found: Seq | None = None
        async for records in self._records(state.head, end):
            for record in records:
                before, state = state, apply(state, record)
                if _has_changed(before, state, path):
                    found = record.seq
                    if not last:
                        return found, state
            self._note(state)
        return found, state


def _put(kept: "OrderedDict[int, T]", key: int, value: T, *, most: int) -> None:
    """Remember something, and forget what was not asked for the longest."""
    kept[key] = value
    kept.move_to_end(key)
    if len(kept) > most:
        kept.popitem(last=False)


def _backwards(upto: int) -> Iterator[tuple[int, int]]:
    """Yield the spans of the slices up to an event, the last one first."""
    while upto > 0:
        start = (upto - 1) // _SLICE * _SLICE
        yield start, upto
        upto = start


def _is_untouched(before: RunState, after: RunState, path: Path) -> bool:
    """Whether nothing at a path differs between two states, nor did in between. False: perhaps it does."""
    return shares_path(document(before), document(after), path)


def _has_changed(before: RunState, after: RunState, path: Path) -> bool:
    one, other = document(before), document(after)
    return not shares_path(one, other, path) and differs(pick(one, path), pick(other, path))
