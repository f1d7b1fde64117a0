"""How the engines of a store are: who drives what, what nobody has begun yet, and how long nothing has moved."""

from collections import Counter
from collections.abc import Collection
from typing import cast

from tidegate.clock import iso
from tidegate.model.base import JsonObject, Noun, fields_of
from tidegate.model.events import RunStatus
from tidegate.model.listing import RunFilter
from tidegate.model.vitals import LeasedRun, Vitals
from tidegate.store.owner import Owner, describe_owner, has_living_owner
from tidegate.store.protocol import Store

__all__ = ["Health", "health_of", "read_health"]

_HOLDERS = 20
_AT_ONCE = 1_000


class Health(Noun):
    """How the engines of a store are. Leases are those of all runs, below others included."""

    holders: dict[str, int] = {}
    """Who holds leases, and how many, the most first; for people, bounded."""
    held: int = 0
    """Leases of processes that live, as far as can be told."""
    late: int = 0
    """Leases that have run out and were not given back: their process may stand still, or be gone."""
    late_since: float | None = None
    """When the first of these has run out. Seconds since 1970 UTC, as all times here."""
    lost: int = 0
    """Leases of processes that are gone."""
    queued: int = 0
    """Runs on top that nobody has begun to drive."""
    queued_since: float | None = None
    """When the one was created that has waited longest; None: none waits."""
    changed_at: float | None = None
    """When something changed last; None: nothing has happened yet."""
    log_bytes: int | None = None
    """What is written and not yet in the store's own file; None: it has no such log, or cannot tell."""

    def as_json(self) -> JsonObject:
        """Return it for `--json`."""
        times = {f"{name}_iso": _iso(getattr(self, name)) for name in _TIMES}
        return cast("JsonObject", {**dict(fields_of(self)), **times})


_TIMES = ("late_since", "queued_since", "changed_at")


def _iso(at: float | None) -> str | None:
    return None if at is None else iso(at)


def health_of(vitals: Vitals, queued: Collection[float], now: float) -> Health:
    """Return how the engines are.

    Args:
        vitals: What the store says.
        queued: When the runs on top were created that nobody has begun to drive.
        now: Seconds since 1970 UTC.
    """
    owned = [run for run in vitals.leased if run.owner]
    held = [run for run in owned if has_living_owner(run, now)]
    lost = [run for run in owned if _is_lost(run)]
    late = [run for run in owned if run.lease_until <= now and not _is_lost(run)]
    return Health(
        holders=dict(Counter(describe_owner(run.owner) for run in held).most_common(_HOLDERS)),
        held=len(held),
        late=len(late),
        late_since=min((run.lease_until for run in late), default=None),
        lost=len(lost),
        queued=len(queued),
        queued_since=min(queued, default=None),
        changed_at=vitals.changed_at,
        log_bytes=vitals.log_bytes,
    )


async def read_health(store: Store, now: float) -> Health:
    """Return how the engines of a store are, from what it lists."""
    queued: list[float] = []
    query = RunFilter(top_only=True, statuses=(RunStatus.QUEUED,), limit=_AT_ONCE)
    while rows := await store.runs(query):
        queued += [row.created_at for row in rows]
        query = query.evolve(older_than=rows[-1].run_id)
    return health_of(await store.vitals(), queued, now)


def _is_lost(run: LeasedRun) -> bool:
    owner = Owner.parse(run.owner)
    return owner is not None and owner.is_dead()
