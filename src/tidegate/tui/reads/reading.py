"""What the run view reads in one visit to the engine."""

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tidegate.errors import RunNotFound
from tidegate.history.views import RunView, where
from tidegate.model.base import JsonObject
from tidegate.model.events import Record
from tidegate.model.ids import BlockId, RunId, Seq, is_part
from tidegate.model.listing import OutputChunk, PauseRow, RunFilter
from tidegate.model.state import BlockState, RunState
from tidegate.tui.present.parts import is_known, part_name
from tidegate.tui.present.run import first_block
from tidegate.tui.session import Session

if TYPE_CHECKING:
    from tidegate.history.history import History

__all__ = ["Reading", "read_course", "read_run"]

_FIRST_CHUNKS = 16
_MORE_CHUNKS = 64
_FORKS = 99
_EVENTS = 1_000
"""Events of a journal that are read at once: what is read between two keys must not be felt."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A run as it was at one moment, with one of its blocks."""

    view: RunView
    root: RunView | None
    """The run at the top of those that this one is a part of; None if it is itself that, or that is gone."""
    state: RunState
    pauses: tuple[PauseRow, ...]
    block: BlockId | None
    outputs: JsonObject
    item: JsonObject
    """What the block is about, by the name `item`, if it is one of a block's items."""
    attempt: int
    """Whose output `chunks` are; 0: none was made."""
    chunks: tuple[OutputChunk, ...]
    forks: int = 0
    """How many runs go on from a point of this one; more than a few are not counted."""

    def asked(self, here: BlockId | None) -> PauseRow | None:
        """Return the open question of a place, or of the run that does its work."""
        if here is None:
            return None
        places = (where(pause, self.view.row.path) for pause in self.pauses)
        asks = (place == here or place.startswith(f"{here}/") for place in places)
        return next((pause for pause, is_it in zip(self.pauses, asks, strict=True) if is_it), None)

    def asking_place(self) -> BlockId | None:
        """Return the first place of the run that asks: itself, or in the run that does its work."""
        if not self.pauses:
            return None
        first = where(self.pauses[0], self.view.row.path)
        below = (place for place in self.state.children if first.startswith(f"{place}/"))
        return next(below, self.pauses[0].block)


async def read_run(
    session: Session, run_id: RunId, block: BlockId | None, *, known: tuple[BlockId, int, int] | None = None
) -> Reading:
    """Read a run and one block of it.

    Args:
        session: Where.
        run_id: Which run.
        block: Which block; None: the one that deserves attention.
        known: Block, attempt and position up to which its output was read already.
    """
    history = session.history
    state = await history.state(run_id)
    block = block if block is not None and is_known(state, block) else first_block(state)
    seen = state.block(block) if block is not None else BlockState()
    view = await history.run_view(run_id)
    return Reading(
        view=view,
        root=await _root(history, view),
        state=state,
        pauses=await history.inbox(run_id),
        block=block,
        outputs=await history.outputs(seen.outputs) if seen.outputs else {},
        item=await _item(history, state, block),
        attempt=seen.attempt,
        chunks=await _chunks(history, run_id, block, seen.attempt, known),
        forks=len(await history.runs(RunFilter(origin=run_id, limit=_FORKS))),
    )


async def read_course(session: Session, run_id: RunId, after: Seq) -> tuple[Record, ...]:
    """Return the next events of a run; some at a time."""
    return await session.history.events(run_id, after=after, upto=Seq(after + _EVENTS))


async def _root(history: "History", view: RunView) -> RunView | None:
    if view.row.root is None:
        return None
    with contextlib.suppress(RunNotFound):
        return await history.run_view(view.row.root)
    return None


async def _item(history: "History", state: RunState, place: BlockId | None) -> JsonObject:
    fan = state.fan_of(place) if place is not None and is_part(place) else None
    position = fan.positions.get(part_name(place)) if fan is not None and place is not None else None
    if fan is None or position is None:
        return {}
    return await history.outputs({"item": fan.items[position]})


async def _chunks(
    history: "History",
    run_id: RunId,
    block: BlockId | None,
    attempt: int,
    known: tuple[BlockId, int, int] | None,
) -> tuple[OutputChunk, ...]:
    if block is None or not attempt:
        return ()
    if known is None or known[:2] != (block, attempt) or known[2] < 0:
        return await history.last_output(run_id, block, attempt, limit=_FIRST_CHUNKS)
    return await history.output(run_id, block, attempt, after=known[2], limit=_MORE_CHUNKS)
