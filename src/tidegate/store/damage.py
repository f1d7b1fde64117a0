"""Where in a damaged journal the last good point is.

A store says that something cannot be what was written. Whoever has to live with that wants to know
up to where a run can be relied on: this finds it, in any kind of store, by reading less and less.
"""

from contextlib import suppress

from tidegate.errors import CorruptStore, StoreError
from tidegate.model.events import Record
from tidegate.model.ids import RunId, Seq
from tidegate.model.listing import CheckpointFilter, CheckpointRow
from tidegate.store.protocol import Store

__all__ = ["WHERE_USED", "last_checkpoint", "located", "of_run", "of_value", "read_journal"]

WHERE_USED = " (`tidegate checkpoints verify` says what uses it)"
"""What follows where a damaged value is told by its hash, which says nothing to people."""

_START = Seq(0)
_EVERY_MARK = 1_000_000


async def read_journal(
    store: Store, run_id: RunId, *, after: Seq = _START, upto: Seq | None = None
) -> tuple[Record, ...]:
    """Return events as `Store.read` does; if they are damaged, say up to where the run is good.

    Raises:
        CorruptStore: with the run, its last good event and the newest checkpoint up to there.
    """
    try:
        return await store.read(run_id, after=after, upto=upto)
    except CorruptStore as damage:
        raise await located(store, run_id, damage) from damage


async def located(store: Store, run_id: RunId, damage: CorruptStore) -> CorruptStore:
    """Return *damage* of a run's journal with its last good event, and the newest checkpoint up to there."""
    last_good = damage.last_good
    if last_good is None:
        last_good = await _last_good(store, run_id)
    mark = await last_checkpoint(store, run_id, Seq(last_good)) if last_good else None
    return of_run(run_id, damage, last_good, mark.checkpoint_id if mark is not None else None)


def of_run(
    run_id: RunId, damage: CorruptStore, last_good: int | None = None, checkpoint_id: str | None = None
) -> CorruptStore:
    """Return *damage* as that of one run."""
    problem = damage.problem if run_id in damage.problem else f"run {run_id} is damaged: {damage.problem}"
    return CorruptStore(damage.url, problem, run_id=run_id, last_good=last_good, checkpoint_id=checkpoint_id)


def of_value(name: str, problem: str) -> str:
    """Return what is wrong with the stored value of that hash, as a sentence without its end."""
    return f"the value {name} is {problem}{WHERE_USED}"


async def last_checkpoint(store: Store, run_id: RunId, upto: Seq) -> CheckpointRow | None:
    """Return a run's newest checkpoint at or before an event; None if there is none, or none can be read."""
    with suppress(StoreError):
        marks = await store.checkpoints(CheckpointFilter(run_id=run_id, limit=_EVERY_MARK))
        return max((mark for mark in marks if mark.seq <= upto), key=lambda mark: mark.seq, default=None)
    return None


async def _last_good(store: Store, run_id: RunId) -> Seq | None:
    """Return the last event that can be read together with all before it; None if even the run's row cannot."""
    try:
        head = (await store.run(run_id)).head
    except StoreError:
        return None
    good, bad = 0, head + 1
    while bad - good > 1:
        middle = (good + bad) // 2
        try:
            await store.read(run_id, after=Seq(good), upto=Seq(middle))
        except CorruptStore as damage:
            # A store that knows it says so.
            if damage.last_good is not None:
                return Seq(damage.last_good)
            bad = middle
        else:
            good = middle
    return Seq(good)
