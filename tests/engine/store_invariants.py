"""The laws that a whole store keeps: every list agrees with the journals, and the journals with each other.

`check_run` reads one run as of one moment, also while others write to it; `check_store` reads all of
them. Both know a store only by its protocol, so they hold for every kind of store.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator

from invariants import check_invariants
from journal_invariants import Broken, check_journal, must
from tidegate.model.base import Noun
from tidegate.model.events import (
    AttemptSucceeded,
    BlockExpanded,
    BlockPaused,
    CheckpointMarked,
    ChildStarted,
    Record,
    RunForked,
    RunStarted,
    StepRecorded,
    outputs_of,
)
from tidegate.model.fold import apply
from tidegate.model.ids import RunId, Seq
from tidegate.model.listing import CheckpointFilter, CheckpointRow, PauseFilter, PauseRow, RunFilter, RunRow
from tidegate.model.policy import CheckpointKind
from tidegate.model.state import RunState, new_state
from tidegate.model.value import Stored, Value
from tidegate.model.workflow import Graph, definition_hash
from tidegate.store.owner import has_living_owner
from tidegate.store.protocol import Store
from tidegate.store.replay import first_definition

__all__ = ["check_at_rest", "check_run", "check_store"]

_TRIES = 50
"""How often a run is read again because somebody wrote to it meanwhile."""
_MANY = 100_000


class _Books(Noun):
    """One run, all of it as of one moment."""

    row: RunRow
    records: tuple[Record, ...]
    pauses: tuple[PauseRow, ...]
    checkpoints: tuple[CheckpointRow, ...]

    @property
    def own(self) -> tuple[Record, ...]:
        """Its events without those of the run that it goes on from."""
        return self.records[self.row.origin.seq if self.row.origin is not None else 0 :]


async def check_store(store: Store) -> int:
    """Fail unless every run is right, and runs, parents, children and counts agree; return how many runs there are.

    Raises:
        Broken: a law does not hold; it says which, and where.
    """
    rows = await store.runs(RunFilter(limit=_MANY))
    must(len({row.run_id for row in rows}) == len(rows), "a run is listed once", len(rows))
    for row in rows:
        await check_run(store, row.run_id)
    return len(rows)


async def check_at_rest(store: Store, now: float) -> None:
    """Fail unless what has ended is free, and the counts are those of the lists. For a store nobody writes to.

    Raises:
        Broken: a law does not hold; it says which, and where.
    """
    rows = await store.runs(RunFilter(limit=_MANY))
    for row in rows:
        held = row.summary.status.is_terminal and has_living_owner(row, now)
        must(not held, "nobody drives a run that has ended", row.run_id, row.owner)
    counted = Counter(row.summary.status.value for row in rows if row.parent is None)
    counts = await store.counts()
    must(dict(counted) == {status: n for status, n in counts.runs.items() if n}, "runs are counted", counts)
    open_ = await store.pauses(PauseFilter(limit=_MANY))
    must(counts.open_pauses == len(open_), "open pauses are counted", counts.open_pauses, len(open_))
    orphans = await store.orphans()
    must(not orphans, "everything belongs to a run", dict(orphans))


async def check_run(store: Store, run_id: RunId) -> int:
    """Fail unless a run's journal keeps its laws, and all that is listed of it follows from it; return its head.

    Raises:
        Broken: a law does not hold; it says which, and where.
        RunNotFound: there is no such run (any more).
    """
    books = await _read(store, run_id)
    state = await _check_journal(store, books)
    _check_row(books, state)
    _check_line(books)
    _check_pauses(books, state)
    await _check_values(store, books.records)
    await _check_family(store, books, state)
    return books.row.head


async def _read(store: Store, run_id: RunId) -> _Books:
    """Read a run until nobody has written to it meanwhile."""
    for _ in range(_TRIES):
        row = await store.run(run_id)
        books = _Books(
            row=row,
            records=await store.read(run_id, after=Seq(0), upto=row.head),
            pauses=await store.pauses(PauseFilter(run_id=run_id, open_only=False, limit=_MANY)),
            checkpoints=await store.checkpoints(CheckpointFilter(run_id=run_id, limit=_MANY)),
        )
        if (await store.run(run_id)).head == row.head:
            return books
    raise Broken("a run can be read while others write to it", run_id)


async def _check_journal(store: Store, books: _Books) -> RunState:
    """Check the journal; return the state at its head, having looked at it after every event."""
    row = books.row
    must(len(books.records) == row.head, "the journal is as long as its row says", row.run_id, row.head)
    name = await first_definition(store, row.run_id)
    definition = await store.definition(name)
    must(definition_hash(definition) == name, "a definition is what its hash says", row.run_id)
    check_journal(books.records, definition)
    state = new_state(row.run_id, Graph(definition))
    marks = {mark.checkpoint_id: mark for mark in books.checkpoints}
    for record in books.records:
        state = apply(state, record)
        check_invariants(state)
        if isinstance(record.event, CheckpointMarked) and record.run_id == row.run_id:
            mark = marks.pop(record.event.checkpoint_id, None)
            if mark is not None:  # Somebody may have taken it off the list.
                _check_mark(mark, record, record.event, state)
    pinned = definition_hash(state.graph.definition)
    must(row.definition == pinned, "a run is pinned to what it goes on with", row.run_id)
    must(not marks, "a checkpoint is a position of its journal", row.run_id, *marks)
    return state


def _check_mark(mark: CheckpointRow, record: Record, event: CheckpointMarked, state: RunState) -> None:
    told = (record.seq, record.run_id, event.kind, event.block, event.label)
    listed = (mark.seq, mark.run_id, mark.kind, mark.block, mark.label)
    must(listed == told, "a checkpoint is listed as it was marked", listed, told)
    must(mark.summary == state.summarise(), "a checkpoint shows its own position", mark.checkpoint_id)


# -- rows -------------------------------------------------------------------------------------


def _check_row(books: _Books, state: RunState) -> None:
    row, first, last = books.row, books.own[0], books.own[-1]
    must(row.summary == state.summarise(), "a run is listed as its journal folds", row.run_id, row.summary)
    must((row.created_at, row.updated_at) == (first.at, last.at), "a run is dated by its journal", row.run_id)
    started = first.event
    if not isinstance(started, RunStarted | RunForked):
        raise Broken("a journal begins with the run's start", row.run_id)
    pinned = (state.graph.definition.name, started.definition)
    must((row.workflow, row.definition) == pinned, "a run is pinned", row.run_id)
    above = started.parent
    told = (above.run_id, above.root, "/".join(above.path)) if above else (None, None, "")
    must((row.parent, row.root, row.path) == told, "a run is listed under what started it", row.run_id, told)
    must(row.by == started.by, "a run is listed with who started it", row.run_id, row.by)
    epochs = [epoch for record in books.own if (epoch := getattr(record.event, "epoch", None))]
    must(max(epochs, default=1) <= row.epoch, "no driver is newer than the lease", row.run_id, row.epoch)


def _check_line(books: _Books) -> None:
    """Check that a fork begins where its row says, and that its own events are told of it alone."""
    row, first = books.row, books.own[0].event
    origin = first.origin if isinstance(first, RunForked) else None
    must(row.origin == origin, "a fork is listed with its origin", row.run_id, row.origin)
    must({record.run_id for record in books.own} == {row.run_id}, "a run has its own events", row.run_id)
    foreign = books.records[: len(books.records) - len(books.own)]
    must(row.run_id not in {record.run_id for record in foreign}, "a fork begins once", row.run_id)
    if origin is not None:
        must(foreign[-1].seq == origin.seq, "a fork goes on from its origin", row.run_id, origin)


def _check_pauses(books: _Books, state: RunState) -> None:
    asked = [record.event.pause_id for record in books.own if isinstance(record.event, BlockPaused)]
    rows = {row.pause_id: row for row in books.pauses}
    must(sorted(rows) == sorted(asked), "every question has its row", state.run_id, *asked)
    for pause_id, row in rows.items():
        pause = state.pauses[pause_id]
        told = (pause.state, pause.block, pause.attempt, pause.opened_at, pause.opened_seq, pause.answer)
        listed = (row.state, row.block, row.attempt, row.opened_at, row.opened_seq, row.answer)
        must(listed == told, "a pause is listed as its journal says", pause_id, listed, told)
        must(row.assignment == pause.assignment, "whose a pause is, is listed as its journal says", pause_id)
        if pause.is_open:
            must(row.deadline == pause.deadline, "a deadline is listed as it stands", pause_id)
            must(not state.status.is_terminal, "a run that has ended asks nothing", pause_id)
    open_ = {row.checkpoint_id for row in books.checkpoints if row.pause_open}
    mine = {mark.checkpoint_id for mark in books.checkpoints if mark.kind is CheckpointKind.PAUSE}
    must(open_ == mine & set(state.open_pauses), "the checkpoint of an open pause says so", state.run_id)


# -- values -----------------------------------------------------------------------------------


async def _check_values(store: Store, records: Iterable[Record]) -> None:
    stored = {
        value.sha256: value for record in records for value in _values_of(record) if isinstance(value, Stored)
    }
    found = await store.values(tuple(stored)) if stored else {}
    for digest, value in stored.items():
        data = found.get(digest)
        if data is None:
            raise Broken("a value that a journal names is kept", digest)
        must(hashlib.sha256(data).hexdigest() == digest, "a value is what its hash says", digest)
        must(len(data) == value.size, "a value is as long as its journal says", digest)


def _values_of(record: Record) -> Iterator[Value]:
    event = record.event
    yield from outputs_of(event).values()
    match event:
        case AttemptSucceeded(state=state):
            yield from state.values()
        case BlockExpanded(items=items):
            yield from items
        case StepRecorded(value=value):
            yield value
        case _:
            pass


# -- parents and children ---------------------------------------------------------------------


async def _check_family(store: Store, books: _Books, state: RunState) -> None:
    """Check that a child's parent has started it, and that each started child is there once it is needed."""
    row = books.row
    if row.parent is not None:
        intents = await _children_of(store, row.parent)
        place = row.path.rpartition("/")[2]
        must(intents.get(row.run_id) == place, "a child has its parent's intent", row.run_id, row.path)
    begun = {one.run_id: one for one in await store.runs(RunFilter(parent=row.run_id, limit=_MANY))}
    named = {
        record.event.child: record.event.block
        for record in books.own
        if isinstance(record.event, ChildStarted)
    }
    for child, place in named.items():
        ended = state.finished is not None and state.block(place).status == "succeeded"
        if child in begun:
            path = f"{row.path}/{place}" if row.path else str(place)
            must(begun[child].path == path, "a child stands where it was called", child, begun[child].path)
        current = state.block(place).child
        if ended and current is not None and current.run_id == child:
            must(child in begun, "what has succeeded had its work done", child, place)


async def _children_of(store: Store, run_id: RunId) -> dict[RunId, str]:
    return {
        record.event.child: str(record.event.block)
        for record in await store.read(run_id, after=Seq(0))
        if isinstance(record.event, ChildStarted)
    }
