"""What time travel reads from the engine, in the order in which it is shown: the line, the state, what differs."""

from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from tidegate.errors import RunNotFound, TidegateError
from tidegate.history.comparing import Rules
from tidegate.history.counterparts import Counterpart
from tidegate.history.points import Point
from tidegate.history.views import RunView
from tidegate.model.events import CheckpointMarked, Record
from tidegate.model.ids import BlockId, RunId, Seq
from tidegate.model.state import RunState
from tidegate.tui.nouns.travel import Base, Difference, Written
from tidegate.tui.present.timeline import News, Timeline
from tidegate.tui.reads.other_run import other_point
from tidegate.tui.session import Session

if TYPE_CHECKING:
    from tidegate.history.history import History

__all__ = [
    "Against",
    "NothingBelow",
    "find_in",
    "place_below",
    "prepare",
    "read_below",
    "read_difference",
    "read_line",
    "read_news",
    "read_output",
    "read_point",
    "read_turning_point",
]

_EVENTS = 40
"""Events that are told of those between two points."""
_ALL = Rules()
_CHUNKS = 64


_COUNTERPARTS = {
    Base.NOW: Counterpart.NOW,
    Base.FORK_POINT: Counterpart.FORK_POINT,
    Base.SUCCESS: Counterpart.LAST_SUCCESSFUL,
}


async def read_line(session: Session, run_id: RunId) -> tuple[RunView, Timeline]:
    """Return where a run stands now, and all of its past that one can step to.

    Raises:
        RunNotFound: there is no such run.
    """
    walker = await session.history.walk(run_id)
    view = await session.history.run_view(run_id)
    # A fork begins with what the run was that it goes on from.
    begun = view.row.created_at if view.row.origin is None else (await walker.event(1)).at
    return view, Timeline(walker.head, begun, await walker.marks(), view.row.origin)


async def read_news(session: Session, run_id: RunId, after: int) -> tuple[RunView, News]:
    """Return where a run stands now, and how much has happened after an event.

    Raises:
        RunNotFound: it was removed.
    """
    view = await session.history.run_view(run_id)
    if view.row.head <= after:
        return view, News()
    walker = await session.history.walk(run_id)
    records = await walker.events(after, view.row.head)
    marks = sum(isinstance(record.event, CheckpointMarked) for record in records)
    return view, News(events=len(records), checkpoints=marks)


async def find_in(session: Session, run_id: RunId, text: str) -> Point:
    """Return the point that *text* means; ``@214`` is an event of the run.

    Raises:
        PointNotFound: it means none; says why.
        AmbiguousId: it is the beginning of several ids.
    """
    return await session.history.find_point(f"{run_id}{text}" if text.startswith("@") else text)


async def read_point(session: Session, point: Point) -> tuple[RunState, Record]:
    """Return a run's state right after an event, and that event.

    Raises:
        PointNotFound: there is no such event.
        CorruptStore: its journal is damaged before it.
    """
    walker = await session.history.walk(point.run_id)
    return await walker.state(point.seq), await walker.event(point.seq)


async def prepare(session: Session, run_id: RunId) -> None:
    """Make later steps quick; what is damaged is told when somebody goes there."""
    with suppress(TidegateError):
        await (await session.history.walk(run_id)).prepare()


@dataclass(frozen=True, slots=True)
class Against:
    """What a point is to be compared with, and what counts."""

    here: Point
    base: Base
    before: int
    """The event of the checkpoint before it."""
    marked: Point | None = None
    """The point that was marked, if one was."""
    other: str = ""
    """Another run, or a point of one, as somebody names it."""
    rules: Rules = _ALL


async def read_difference(session: Session, asked: Against) -> Difference:
    """Return what differs at a point from another one."""
    history, here = session.history, asked.here
    try:
        other = await _other(history, asked)
        if other is None:
            return Difference(asked.base, problem="Nothing is marked: x marks the point one is at.")
        is_later = other.run_id == here.run_id and other.seq > here.seq
        left, right = (here, other) if is_later else (other, here)
        comparison = await history.compare(left, right, asked.rules)
    except TidegateError as error:
        return Difference(asked.base, problem=str(error), events=await _events(history, here, here.seq - 1))
    after = left.seq if left.run_id == right.run_id and left.seq < right.seq else right.seq - 1
    events = await _events(history, right, max(after, right.seq - _EVENTS))
    earlier = max(0, right.seq - after - len(events))
    return Difference(asked.base, comparison, events=events, earlier=earlier)


async def _other(history: "History", asked: Against) -> Point | None:
    match asked.base:
        case Base.OTHER:
            return await other_point(history, asked.here, asked.other)
        case Base.MARKED:
            return asked.marked
        case Base.BEFORE:
            return Point(asked.here.run_id, Seq(asked.before))
        case _:
            return await history.counterpart(asked.here, _COUNTERPARTS[asked.base])


async def _events(history: "History", here: Point, after: int) -> tuple[Record, ...]:
    return await (await history.walk(here.run_id)).events(after, here.seq)


async def read_turning_point(session: Session, run_id: RunId, place: BlockId | None) -> Seq | None:
    """Return the event with which a place ended or began last; None: nothing was heard of it, or it is no place.

    Raises:
        RunNotFound: there is no such run.
    """
    if place is None:
        return None
    walker = await session.history.walk(run_id)
    return await walker.change_before(("blocks", place, "status"), walker.head + 1)


# -- the runs below ---------------------------------------------------------------------------


class NothingBelow(TidegateError):
    """No run does the work of a place, or none can be shown."""


def place_below(state: RunState, place: BlockId) -> BlockId:
    """Return the place whose work another run does: itself, or the one of its items that has such a run.

    Raises:
        NothingBelow: several have, or none has; says so.
    """
    if state.block(place).child is not None:
        return place
    if state.block(place).fan is None:
        begun = "runs no other workflow" if state.block(place).attempt else "had not begun here"
        raise NothingBelow(f"'{place}' {begun}: no run does its work")
    parts = list(islice((part for part in state.parts_of(place) if state.block(part).child is not None), 2))
    if not parts:
        raise NothingBelow(f"no item of '{place}' had begun here with a run of its own")
    if len(parts) > 1:
        raise NothingBelow(
            f"each item of '{place}' has its own run: put the cursor on one, such as {parts[0]}"
        )
    return parts[0]


async def read_below(session: Session, here: Point, place: BlockId) -> Point:
    """Return where the run stood at a point that does the work of a place.

    Raises:
        NothingBelow: there is none, it had not begun, or it is gone; says which.
        RunNotFound, PointNotFound: the point is none.
    """
    state = await (await session.history.walk(here.run_id)).state(here.seq)
    place = place_below(state, place)
    point = await session.history.point_below(here, place)
    if point is not None:
        return point
    child = state.block(place).child
    if child is not None:
        with suppress(RunNotFound):
            await session.history.run_view(child.run_id)
            raise NothingBelow(f"run {child.run_id}, which does the work of '{place}', had not begun here")
    raise NothingBelow(f"the run that did the work of '{place}' is not there: it was removed, or never began")


# -- output -----------------------------------------------------------------------------------


async def read_output(session: Session, state: RunState, place: BlockId) -> Written | None:
    """Return the end of what a place had written by a point; None if it had not begun."""
    block = state.block(place)
    if not block.attempt:
        return None
    chunks = await session.history.last_output(state.run_id, place, block.attempt, limit=_CHUNKS)
    return Written(place, block.attempt, chunks, is_whole=not block.is_at_work)
