"""Another run that a point is compared with: which there are, and which of its points is the same one there."""

from typing import TYPE_CHECKING

from tidegate.history.finding import kind_of
from tidegate.history.points import Point
from tidegate.history.views import RunView
from tidegate.model.ids import BlockId, RunId, Seq
from tidegate.model.listing import RunFilter
from tidegate.tui.session import Session

if TYPE_CHECKING:
    from tidegate.history.history import History
    from tidegate.history.walker import Walker
    from tidegate.model.state import RunState

__all__ = ["other_point", "read_others"]

_MOST_RUNS = 200
_STEPS = 200
"""Changes of one place, or waves, that are looked at in the other run."""
_EVENTS = 40
"""Events before a point among which the block is looked for that it is about."""


async def read_others(session: Session, run_id: RunId) -> tuple[RunView, ...]:
    """Return the other runs of the workflow of a run, the newest first.

    Raises:
        RunNotFound: there is no such run.
    """
    workflow = (await session.history.run_view(run_id)).row.workflow
    runs = await session.history.runs(RunFilter(workflow=workflow, limit=_MOST_RUNS))
    return tuple(run for run in runs if run.row.run_id != run_id)


async def other_point(history: "History", here: Point, text: str) -> Point:
    """Return the point that somebody names; of a run, the one that is there what *here* is in its own.

    Args:
        history: Where.
        here: The point that is compared.
        text: A run's id, or a point as `RUN@SEQ` or by the id of a checkpoint; ids by their beginning, too.

    Raises:
        RunNotFound: there is no such run.
        PointNotFound: nothing has such an id.
        AmbiguousId: more than one thing has.
    """
    point = await history.find_point(text)
    if "@" in text or kind_of(text) != "run":
        return point
    walker = await history.walk(here.run_id)
    state = await walker.state(here.seq)
    if state.finished is not None:
        return point
    theirs = await history.walk(point.run_id)
    place = await _place(walker, here.seq)
    seq = await _same_status(theirs, point.seq, state, place) if place is not None else None
    return Point(point.run_id, seq or await _same_wave(theirs, state.wave) or point.seq)


async def _place(walker: "Walker", seq: int) -> BlockId | None:
    """Return the block that an event is about, or one shortly before it."""
    records = await walker.events(max(0, seq - _EVENTS), seq)
    found = (getattr(record.event, "block", None) for record in reversed(records))
    return next((BlockId(block) for block in found if block), None)


async def _same_status(theirs: "Walker", end: int, state: "RunState", place: BlockId) -> Seq | None:
    """Return the last event by which a block became there what it is here."""
    at = end + 1
    for _ in range(_STEPS):
        found = await theirs.change_before(("blocks", place, "status"), at)
        if found is None or (await theirs.state(found)).block(place).status is state.block(place).status:
            return found
        at = found
    return None


async def _same_wave(theirs: "Walker", wave: int) -> Seq | None:
    """Return the event with which a wave starts there."""
    at = 0
    for _ in range(_STEPS):
        found = await theirs.wave_after(at)
        if found is None or (await theirs.state(found)).wave >= wave:
            return found
        at = found
    return None
