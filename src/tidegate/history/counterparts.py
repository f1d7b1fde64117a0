"""What a point of a run is compared with when nobody names another one."""

from enum import StrEnum

from tidegate.errors import RunError, RunNotFound
from tidegate.history.points import Point
from tidegate.history.renaming import is_one_event
from tidegate.model.events import RunStatus
from tidegate.model.ids import RunId, Seq
from tidegate.model.lineage import Origin
from tidegate.model.listing import RunFilter, RunRow
from tidegate.store.protocol import Store
from tidegate.store.replay import replay

__all__ = ["Counterpart", "NoCounterpart", "counterpart", "last_successful"]

_EVENTS = 1_000
"""Events that are read at once."""


class Counterpart(StrEnum):
    """What to compare a point with."""

    NOW = "now"
    """The run as it is now."""
    PARENT = "parent"
    """The run that it was forked from, as that is now."""
    FORK_POINT = "fork-point"
    """The point that it was forked from."""
    LAST_SUCCESSFUL = "last-successful"
    """The run of the same workflow that was started last before it, and succeeded, as it ended."""


class NoCounterpart(RunError):
    """There is nothing to compare a run with in this way."""

    def __init__(self, run_id: str, problem: str) -> None:
        self.run_id = run_id
        super().__init__(f"run {run_id} {problem}")


async def counterpart(store: Store, point: Point, word: Counterpart) -> Point:
    """Return the point that *word* means, seen from another one.

    Raises:
        RunNotFound: the run is not there any more.
        NoCounterpart: it was not forked, or the run that it was forked from is not there; or no other run of its
            workflow has succeeded.
    """
    row = await store.run(point.run_id)
    match word:
        case Counterpart.NOW:
            return Point(row.run_id, row.head)
        case Counterpart.LAST_SUCCESSFUL:
            return _at_end(await _other_success(store, row))
        case Counterpart.PARENT | Counterpart.FORK_POINT:
            origin = row.origin or (await replay(store, row.run_id)).forked_from
            if origin is None:
                raise NoCounterpart(row.run_id, "was not forked from another one, and has no parent")
            parent = await _parent(store, row, origin)
            if row.origin is None:
                await _must_be_shared(store, row, origin)
            return _at_end(parent) if word is Counterpart.PARENT else Point(parent.run_id, origin.seq)


async def _parent(store: Store, row: RunRow, origin: Origin) -> RunRow:
    """Return the run that another one was forked from.

    Raises:
        NoCounterpart: it is not there, or not as far as the point. That is so only for a run that was imported.
    """
    problem = f"was forked from run {origin.run_id} at event {origin.seq}"
    try:
        parent = await store.run(origin.run_id)
    except RunNotFound:
        raise NoCounterpart(row.run_id, f"{problem}, and that run is not in this store") from None
    if parent.head < origin.seq:
        raise NoCounterpart(row.run_id, f"{problem}, and here that run has only events 1 to {parent.head}")
    return parent


async def _must_be_shared(store: Store, row: RunRow, origin: Origin) -> None:
    """Check that a fork in a journal of its own has the first events of the run that has its parent's id here.

    Raises:
        NoCounterpart: it has not. Both were imported, and that run went on otherwise from where it was exported.
    """
    after = Seq(0)
    while after < origin.seq:
        upto = Seq(min(after + _EVENTS, origin.seq))
        mine = await store.read(row.run_id, after=after, upto=upto)
        theirs = await store.read(origin.run_id, after=after, upto=upto)
        for one, other in zip(mine, theirs, strict=True):
            if not is_one_event(one, other):
                problem = (
                    f"was forked from run {origin.run_id} at event {origin.seq}, and here that run has another "
                    f"history: its event {other.seq} is not the one that the fork goes on from"
                )
                raise NoCounterpart(row.run_id, problem)
        after = upto


def _at_end(row: RunRow) -> Point:
    return Point(row.run_id, row.head)


async def _other_success(store: Store, row: RunRow) -> RunRow:
    """Return the last success before a run, or, if it is older than all of them, the last one there is."""
    found = await last_successful(store, row.workflow, before=row.run_id)
    if found is None:
        found = await last_successful(store, row.workflow)
    if found is None or found.run_id == row.run_id:
        problem = f"is of workflow '{row.workflow}', of which no other run has succeeded"
        raise NoCounterpart(row.run_id, problem)
    return found


async def last_successful(store: Store, workflow: str, *, before: RunId | None = None) -> RunRow | None:
    """Return the run of a workflow that was started last of those that succeeded; None: none has.

    Args:
        store: Where to look.
        workflow: Its name.
        before: Only runs that were started before this one.
    """
    query = RunFilter(workflow=workflow, statuses=(RunStatus.SUCCEEDED,), older_than=before, limit=1)
    found = await store.runs(query)
    return found[0] if found else None
