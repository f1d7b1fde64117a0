"""Where a run below stood at a point of the one above.

Two journals have no common order but what the one above had heard of the other. Clocks are asked only for what
lies between two such points, and are not trusted beyond them: somebody may have set them back.
"""

from collections.abc import AsyncIterator

from tidegate.errors import CorruptStore, RunNotFound
from tidegate.model.events import ChildMoved, ChildPaused, Record, RunFinished
from tidegate.model.ids import BlockId, RunId, Seq
from tidegate.model.state import Child, RunState
from tidegate.store.damage import read_journal
from tidegate.store.protocol import Store

__all__ = ["stood_below"]

_SLICE = 2_000
"""Events that are read at once."""


async def stood_below(store: Store, above: RunState, head: Seq, place: BlockId) -> Seq | None:
    """Return up to which event the run had come that does the work of *place*; None: none does, or it is gone.

    Args:
        store: Where both are.
        above: The run that has started it, at the point.
        head: The newest event of that one.
        place: Whose work it does.
    """
    child = above.block(place).child
    if child is None:
        return None
    if child.origin is not None and child.is_to_be_forked:
        return child.origin.seq
    try:
        if above.head == head:
            return (await store.run(child.run_id)).head
        return await _stood_then(store, above, place, child)
    except RunNotFound:
        return None


async def _stood_then(store: Store, above: RunState, place: BlockId, child: Child) -> Seq | None:
    block = above.block(place)
    if block.status.has_ended:
        return await _next_end(store, child.run_id, child.heard)
    if block.is_asleep and child.heard:
        return child.heard
    upto = await _heard_next(store, above, place)
    return await _last_by(store, child.run_id, above.updated_at, child.heard, upto)


async def _next_end(store: Store, run_id: RunId, after: Seq) -> Seq | None:
    async for record in _records(store, run_id, after):
        if isinstance(record.event, RunFinished):
            return record.seq
    return None


async def _last_by(store: Store, run_id: RunId, at: float, heard: Seq, upto: Seq | None) -> Seq | None:
    """Return the last event by an instant, of those between two that the run above has heard of."""
    last = heard
    async for record in _records(store, run_id, heard):
        if upto is not None and record.seq > upto:
            break
        if record.at <= at:
            last = record.seq
    return last or None


async def _heard_next(store: Store, above: RunState, place: BlockId) -> Seq | None:
    """Return the first point of the run below that the one above has heard of after *above*, if it has."""
    try:
        async for record in _records(store, above.run_id, above.head):
            match record.event:
                case ChildPaused(block=block, head=head) | ChildMoved(block=block, head=head) if (
                    block == place
                ):
                    return head or None
                case _:
                    pass
    except CorruptStore:
        pass
    return None


async def _records(store: Store, run_id: RunId, after: Seq) -> AsyncIterator[Record]:
    while records := await read_journal(store, run_id, after=after, upto=Seq(after + _SLICE)):
        for record in records:
            yield record
        after = records[-1].seq
