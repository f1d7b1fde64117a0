"""What is asked about a whole store: how long runs are kept, what they take, and whether all adds up."""

# ruff: noqa: S608  # what is joined here are constants; values are always bound

import json
from collections.abc import Sequence

from tidegate.model.events import RunStatus
from tidegate.model.ids import RunId
from tidegate.model.listing import KeptRun, MarkedRun, Statistics
from tidegate.store.sqlite.readers import Query
from tidegate.store.sqlite.rows import ENDED, Row, encode

__all__ = [
    "count_told",
    "free_pages",
    "has_graves",
    "kept_run",
    "kept_runs",
    "last_clean_up",
    "marked_run",
    "marked_runs",
    "miscounted",
    "orphans",
    "sizes",
    "statistics",
    "statistics_of",
]

_ENDED = f"status IN {ENDED}"
_OWNERS = "(SELECT run_no FROM runs UNION SELECT run_no FROM graves WHERE emptied = 0)"
"""Whoever has or had events, output and values: of a removed run they are still to be deleted."""

# One pass over the runs below others, instead of a look at each tree. What is left of a fork that was removed,
# until its grave is emptied, goes on from nothing any more.
_KEPT = f"""
    WITH below AS (
        SELECT root, count(*) AS runs, max(updated_at) AS ended_at, min({_ENDED}) AS ended
        FROM runs WHERE root IS NOT NULL GROUP BY root
    ), pins AS (
        SELECT DISTINCT coalesce(r.root, r.run_id) AS root
        FROM checkpoints c JOIN runs r USING (run_no) WHERE c.pinned = 1
    ), forks AS (
        SELECT coalesce(o.root, o.run_id) AS root, json_group_array(DISTINCT t.run_id) AS forks
        FROM runs f JOIN runs o ON o.run_id = f.origin JOIN runs t ON t.run_id = coalesce(f.root, f.run_id)
        WHERE t.run_id <> coalesce(o.root, o.run_id) GROUP BY 1
    )
    SELECT r.run_id, r.workflow, r.definition, r.status, r.created_at,
        max(r.updated_at, coalesce(b.ended_at, r.updated_at)), 1 + coalesce(b.runs, 0),
        NOT (r.{_ENDED} AND coalesce(b.ended, 1)), p.root IS NOT NULL, coalesce(f.forks, '[]')
    FROM runs r LEFT JOIN below b ON b.root = r.run_id LEFT JOIN pins p ON p.root = r.run_id
        LEFT JOIN forks f ON f.root = r.run_id
    WHERE r.parent IS NULL
"""
_SIZES = """
    SELECT t.top, sum(
        (SELECT coalesce(sum(length(body)), 0) FROM events
            WHERE id >= t.run_no << 32 AND id < (t.run_no + 1) << 32)
        + (SELECT coalesce(sum(length(data)), 0) FROM output o WHERE o.run_no = t.run_no)
        + (SELECT coalesce(sum(length(v.data) / (SELECT count(*) FROM value_uses x WHERE x.sha256 = u.sha256)), 0)
            FROM value_uses u JOIN vals v USING (sha256) WHERE u.run_no = t.run_no))
    FROM (
        SELECT r.run_id AS top, r.run_no FROM json_each(:ids) j JOIN runs r ON r.run_id = j.value
        UNION ALL SELECT r.root, r.run_no FROM json_each(:ids) j JOIN runs r ON r.root = j.value
    ) t GROUP BY t.top
"""
_STATISTICS = """
    SELECT
        (SELECT user_version FROM pragma_user_version),
        (SELECT page_count * page_size FROM pragma_page_count, pragma_page_size),
        (SELECT freelist_count * page_size FROM pragma_freelist_count, pragma_page_size),
        (SELECT count(*) FROM runs), (SELECT count(*) FROM events), (SELECT count(*) FROM pauses),
        (SELECT count(*) FROM checkpoints), (SELECT count(*) FROM checkpoints WHERE pinned = 1),
        (SELECT count(*) FROM definitions), (SELECT count(*) FROM vals),
        (SELECT coalesce(sum(length(data)), 0) FROM vals),
        (SELECT coalesce(sum(length(data)), 0) FROM output),
        (SELECT count(*) FROM graves WHERE emptied = 0),
        (SELECT value FROM meta WHERE name = 'cleaned_up_at')
"""
_MISCOUNTED = """
    SELECT status, sum(counted), sum(runs) FROM (
        SELECT status, runs AS counted, 0 AS runs FROM run_counts
        UNION ALL SELECT status, 0, count(*) FROM runs WHERE parent IS NULL GROUP BY status
    ) GROUP BY status HAVING sum(counted) <> sum(runs)
"""
_ORPHANS = {
    "events": f"events WHERE id >> 32 NOT IN {_OWNERS}",
    "output": f"output WHERE run_no NOT IN {_OWNERS}",
    "uses of values": f"value_uses WHERE run_no NOT IN {_OWNERS}",
    "values": "vals v WHERE NOT EXISTS (SELECT 1 FROM value_uses u WHERE u.sha256 = v.sha256)",
    "missing values": "value_uses u WHERE NOT EXISTS (SELECT 1 FROM vals v WHERE v.sha256 = u.sha256)",
    "pauses": "pauses WHERE run_no NOT IN (SELECT run_no FROM runs)",
    "checkpoints": "checkpoints WHERE run_no NOT IN (SELECT run_no FROM runs)",
    "definitions": "definitions d WHERE NOT EXISTS (SELECT 1 FROM runs r WHERE r.definition = d.hash)",
    "missing definitions": "runs r WHERE NOT EXISTS (SELECT 1 FROM definitions d WHERE d.hash = r.definition)",
    "forks of none": (
        "runs r WHERE r.origin IS NOT NULL AND NOT EXISTS (SELECT 1 FROM runs t WHERE t.run_id = r.origin)"
    ),
    "runs below none": (
        "runs r WHERE r.root IS NOT NULL AND NOT EXISTS (SELECT 1 FROM runs t WHERE t.run_id = r.root)"
        " AND r.root NOT IN (SELECT run_id FROM graves WHERE emptied = 0)"
    ),
}


def kept_runs(workflow: str | None) -> Query:
    """Return the query for runs on top, newest first; by number, as the clock may step."""
    of_workflow = "" if workflow is None else " AND r.workflow = ?"
    values = () if workflow is None else (workflow,)
    return Query(f"{_KEPT}{of_workflow} ORDER BY r.run_no DESC", values)


def kept_run(row: Row) -> KeptRun:
    """Return a run on top from a row of `kept_runs`."""
    run_id, workflow, definition, status, created_at, ended_at, runs, unfinished, pinned, forks = row
    return KeptRun(
        run_id=RunId(run_id),
        workflow=workflow,
        definition=definition,
        status=RunStatus(status),
        created_at=created_at,
        ended_at=ended_at,
        runs=runs,
        unfinished=bool(unfinished),
        pinned=bool(pinned),
        forks=tuple(map(RunId, json.loads(forks))),
    )


def miscounted() -> Query:
    """Return the query for the statuses of which the store counts more or fewer runs on top than there are."""
    return Query(_MISCOUNTED)


def count_told(row: Row) -> str:
    """Return what is wrong with a count, for people, from a row of `miscounted`."""
    status, counted, runs = row
    return f"{counted:,} runs are counted as {status}, and there are {runs:,}"


def marked_runs(more_than: int, *, pauses: bool) -> Query:
    """Return the query for runs with more than so many marks that may go."""
    # Without pauses the index alone tells.
    closed = " OR EXISTS (SELECT 1 FROM pauses p WHERE p.pause_id = c.checkpoint_id AND p.state <> 0)"
    statement = (
        "SELECT r.run_id, r.definition, count(*) FROM checkpoints c JOIN runs r USING (run_no)"
        " WHERE c.pinned = 0 AND c.placed = 0 AND c.new_label IS NULL"
        f" AND (c.kind <> 'pause'{closed if pauses else ''})"
        " GROUP BY c.run_no HAVING count(*) > ?"
    )
    return Query(statement, (more_than,))


def marked_run(row: Row) -> MarkedRun:
    """Return a run from a row of `marked_runs`."""
    return MarkedRun(run_id=RunId(row[0]), definition=row[1], marks=row[2])


def sizes(run_ids: Sequence[RunId]) -> Query:
    """Return the query for the bytes of runs, each with everything below it."""
    return Query(_SIZES.replace(":ids", "?"), [encode(list(run_ids)).decode()] * 2)


def statistics() -> Query:
    """Return the query for how much there is."""
    return Query(_STATISTICS)


def statistics_of(row: Row) -> Statistics:
    """Return how much there is from the row of `statistics`."""
    schema, taken, free, runs, events, pauses, marks, pinned, definitions, *more = row
    values, value_bytes, output_bytes, removing, cleaned_up_at = more
    return Statistics(
        schema=schema,
        bytes=taken,
        free_bytes=free,
        runs=runs,
        events=events,
        pauses=pauses,
        checkpoints=marks,
        pinned=pinned,
        definitions=definitions,
        values=values,
        value_bytes=value_bytes,
        output_bytes=output_bytes,
        removing=removing,
        cleaned_up_at=cleaned_up_at,
    )


def orphans() -> Query:
    """Return the query for what has no owner, or misses what it needs: kinds with how many there are."""
    counts = (f"SELECT '{kind}', (SELECT count(*) FROM {where})" for kind, where in _ORPHANS.items())
    return Query(" UNION ALL ".join(counts))


def has_graves(forget_before: float) -> Query:
    """Return the query for whether removed runs have left something, or may be forgotten."""
    statement = "SELECT EXISTS (SELECT 1 FROM graves WHERE emptied = 0 OR removed_at < ?)"
    return Query(statement, (forget_before,))


def last_clean_up() -> Query:
    """Return the query for when somebody cleaned up last."""
    return Query("SELECT value FROM meta WHERE name = 'cleaned_up_at'")


def free_pages() -> Query:
    """Return the query for how many pages nothing fills."""
    return Query("SELECT freelist_count FROM pragma_freelist_count")
