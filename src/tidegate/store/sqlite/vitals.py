"""What is asked about the work that goes on in a store: who drives, what was done when, who removed what."""

# ruff: noqa: S608  # what is joined here are constants; values are always bound

from typing import Final

from tidegate.model.events import RunStatus
from tidegate.model.ids import RunId
from tidegate.model.vitals import LeasedRun, Removal, Work
from tidegate.store.sqlite.readers import Query
from tidegate.store.sqlite.rows import ENDED, Row

__all__ = ["changed_at", "leased", "leased_run", "removal", "removals", "work", "work_of"]

_TYPE: Final = 10
"""Where in an event's text its type begins, counted from 1: each begins with ``{"type":"``."""
_NAMES: Final = ("wave_completed", "attempt_succeeded", "attempt_failed")
_WAVE, _BLOCK, _FAILED = (
    f"substr(body, {_TYPE}, {len(name) + 1}) = x'{name.encode().hex()}22'" for name in _NAMES
)
# CROSS JOIN, and the plus: SQLite would else rather build an index of all events than take these run by run.
# The text of an event is made only where it is not kept as it is; and an event that is damaged is of no kind.
_WORK: Final = f"""
    SELECT minute, workflow, sum({_WAVE}), sum({_BLOCK}),
        sum({_FAILED} AND json_valid(CAST(body AS TEXT)) AND json_extract(CAST(body AS TEXT), '$.retry_at') IS NOT NULL)
    FROM (
        SELECT CAST(e.at / 60 AS INTEGER) AS minute, r.workflow,
            CASE WHEN +e.codec = 0 AND ?2 THEN e.body ELSE text_of_event(e.codec, e.body) END AS body
        FROM runs r CROSS JOIN events e ON e.id > r.run_no << 32 AND e.id < (r.run_no + 1) << 32
        WHERE r.updated_at >= ?1 AND e.at >= ?1
    ) WHERE {_WAVE} OR {_BLOCK} OR {_FAILED} GROUP BY minute, workflow
"""


def leased() -> Query:
    """Return the query for runs that have not ended, and that somebody drives or should."""
    return Query(
        "SELECT run_id, status, owner, lease_until, parent IS NULL FROM runs"
        f" WHERE status NOT IN {ENDED} AND (owner <> '' OR status IN ('queued', 'running'))"
    )


def leased_run(row: Row) -> LeasedRun:
    """Return such a run from a row of `leased`."""
    run_id, status, owner, until, is_top = row
    return LeasedRun(
        run_id=RunId(run_id), status=RunStatus(status), owner=owner, is_top=bool(is_top), lease_until=until
    )


def changed_at() -> Query:
    """Return the query for when the run that changed last has moved, or another one was removed since."""
    return Query(
        "SELECT max(at) FROM (SELECT updated_at AS at FROM runs WHERE change_no = (SELECT max(change_no) FROM runs)"
        " UNION ALL SELECT removed_at FROM graves WHERE change_no = (SELECT max(change_no) FROM graves)"
        " UNION ALL SELECT removed_at FROM removals WHERE no = (SELECT max(no) FROM removals))"
    )


def work(since: float, *, plain: bool) -> Query:
    """Return the query for what was done from an instant on, minute by minute.

    Args:
        since: Seconds since 1970 UTC.
        plain: Whether events are kept unencrypted.
    """
    return Query(_WORK, (since, plain))


def work_of(row: Row) -> Work:
    """Return the work of a minute from a row of `work`."""
    minute, workflow, waves, blocks, retries = row
    return Work(minute=minute, workflow=workflow, waves=waves, blocks=blocks, retries=retries)


def removals(limit: int) -> Query:
    """Return the query for what is known of removed runs, the newest first."""
    return Query(
        "SELECT no, run_id, workflow, status, ended_at, removed_at, runs, removed_by, why FROM removals"
        " ORDER BY no DESC LIMIT ?",
        (limit,),
    )


def removal(row: Row) -> Removal:
    """Return a removal from a row of `removals`."""
    number, run_id, workflow, status, ended_at, at, runs, by, why = row
    return Removal(
        number=number,
        run_id=RunId(run_id),
        workflow=workflow,
        status=RunStatus(status),
        ended_at=ended_at,
        at=at,
        runs=runs,
        by=by,
        why=why,
    )
