"""What is read: filters as queries."""

# ruff: noqa: S608  # what is joined here are constants; values are always bound

from collections.abc import Sequence

from tidegate.model.ids import BlockId, CheckpointId, PauseId, RunId
from tidegate.model.listing import CheckpointFilter, Cursor, PauseFilter, RunFilter
from tidegate.store.sqlite.output import OUTPUT_COLUMNS
from tidegate.store.sqlite.readers import Query
from tidegate.store.sqlite.rows import (
    CHECKPOINT_COLUMNS,
    ENDED,
    EVENT_COLUMNS,
    PAUSE_COLUMNS,
    RUN_COLUMNS,
    encode,
)

__all__ = [
    "checkpoint_by_id",
    "checkpoints",
    "counts",
    "definition_by_hash",
    "definition_source",
    "events",
    "ids_with_prefix",
    "integrity",
    "newest_change",
    "output_after",
    "output_at_end",
    "pause_by_id",
    "pauses",
    "run_by_id",
    "runs",
    "runs_changed",
    "secret_of",
    "values_by_hash",
]

_LAST_SEQ = 2**32 - 1
_LAST_CHARACTER = "\U0010ffff"

_BELOW = "(SELECT run_no FROM runs WHERE run_id = ? UNION ALL SELECT run_no FROM runs WHERE root = ?)"
_OLDER = "(r.created_at, r.run_no) < (SELECT created_at, run_no FROM runs WHERE run_id = ?)"
_BEHIND = (
    "(p.deadline IS NULL, coalesce(p.deadline, 0), p.opened_at, p.rowid)"
    " > (SELECT deadline IS NULL, coalesce(deadline, 0), opened_at, rowid FROM pauses WHERE pause_id = ?)"
)
_NEWEST_FIRST = " ORDER BY r.created_at DESC, r.run_no DESC LIMIT ?"
_LAST_CHANGED_FIRST = " ORDER BY r.change_no DESC LIMIT ?"
_IN_ORDER = " ORDER BY p.deadline IS NULL, p.deadline, p.opened_at, p.rowid LIMIT ?"
_LAST_CLOSED_FIRST = " ORDER BY p.closed_at DESC, p.rowid DESC LIMIT ?"
# A block, its items and its iterations: the character that follows each bracket ends what begins with it.
_AT_BLOCK = (
    "({0}.block = ? OR ({0}.block >= ? || '[' AND {0}.block < ? || char(92))"
    " OR ({0}.block >= ? || '#' AND {0}.block < ? || '$'))"
)
# A summary that is damaged must not keep the others from being listed.
_STATUS_THEN = (
    "CASE WHEN json_valid(CAST(decrypted(c.summary) AS TEXT))"
    " THEN json_extract(CAST(decrypted(c.summary) AS TEXT), '$.status') END"
)
_UNFINISHED = f"r.status NOT IN {ENDED}"
"""Word for word what the index `runs_unfinished` says, or it is not used."""

_LEFT = "(r.owner <> '' OR r.status IN ('queued', 'running'))"

_RUN_WIDTH = RUN_COLUMNS.count(",") + 1

_RUNS = f"SELECT {RUN_COLUMNS} FROM runs r"
_PAUSES = f"SELECT {PAUSE_COLUMNS} FROM pauses p JOIN runs r USING (run_no)"
_CHECKPOINTS = (
    f"SELECT {CHECKPOINT_COLUMNS} FROM checkpoints c JOIN runs r USING (run_no)"
    " LEFT JOIN pauses p ON p.pause_id = c.checkpoint_id"
)
_OUTPUT = (
    f"SELECT {OUTPUT_COLUMNS} FROM output o JOIN runs r USING (run_no)"
    " WHERE r.run_id = ? AND o.block = ? AND o.attempt = ?"
)


class _Conditions:
    """Collects what must hold; what was not asked for is left out, so that indexes stay usable."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self.values: list[object] = []

    def add(self, text: str, value: object) -> None:
        """Add *text* with its one value, which may stand in it several times, unless that is None."""
        if value is not None:
            self._texts.append(text)
            self.values += [value] * text.count("?")

    def add_if(self, condition: bool, text: str) -> None:
        """Add *text*, which has no value, if *condition* holds."""
        if condition:
            self._texts.append(text)

    def add_any_of(self, column: str, names: Sequence[str]) -> None:
        """Add that *column* is one of *names*, unless there are none."""
        if names:
            self.add(f"{column} IN (SELECT value FROM json_each(?))", encode(list(names)).decode())

    def query(self, select: str, rest: str, *more: object) -> Query:
        """Return the whole statement; *more* are the values in *rest*."""
        where = " WHERE " + " AND ".join(self._texts) if self._texts else ""
        return Query(select + where + rest, [*self.values, *more])


def events(run_id: RunId, after: int, upto: int | None) -> Query:
    """Return the query for a part of a journal, from the event *after* itself on.

    Last in each row are the journal's head, the head's link, and the run and the event that it goes on from;
    a run that has no events of its own there gives one row of those alone.
    """
    last = _LAST_SEQ if upto is None else min(upto, _LAST_SEQ)
    return Query(
        f"SELECT {EVENT_COLUMNS}, r.head, r.link, r.origin, r.origin_seq FROM runs r LEFT JOIN events e"
        " ON e.id >= (r.run_no << 32) + ? AND e.id <= (r.run_no << 32) + ?"
        " WHERE r.run_id = ? ORDER BY e.id",
        (min(max(after, 0), _LAST_SEQ), max(last, 0), run_id),
    )


def definition_source(definition_hash: str) -> Query:
    """Return the query for the text of a kept definition's file."""
    return Query("SELECT decrypted(source) FROM definitions WHERE hash = ?", (definition_hash,))


def definition_by_hash(definition_hash: str) -> Query:
    """Return the query for a kept definition."""
    return Query("SELECT decrypted(body) FROM definitions WHERE hash = ?", (definition_hash,))


def values_by_hash(digests: Sequence[bytes]) -> Query:
    """Return the query for stored values."""
    marks = ", ".join("?" * len(digests))
    return Query(
        f"SELECT sha256, codec, decrypted(CAST(data AS BLOB)) FROM vals WHERE sha256 IN ({marks})", digests
    )


def values_there(digests: Sequence[bytes]) -> Query:
    """Return the query for which of these values there are; it looks at an index only."""
    marks = ", ".join("?" * len(digests))
    return Query(f"SELECT sha256 FROM vals WHERE sha256 IN ({marks})", digests)


def output_after(run_id: RunId, block: BlockId, attempt: int, after: int, limit: int) -> Query:
    """Return the query for chunks that follow one."""
    statement = _OUTPUT + " AND o.n > ? ORDER BY o.n LIMIT ?"
    return Query(statement, (run_id, block, attempt, after, limit))


def output_at_end(run_id: RunId, block: BlockId, attempt: int, limit: int) -> Query:
    """Return the query for the last chunks, the very last first."""
    return Query(_OUTPUT + " ORDER BY o.n DESC LIMIT ?", (run_id, block, attempt, limit))


def run_by_id(run_id: RunId) -> Query:
    """Return the query for one run."""
    return Query(_RUNS + " WHERE r.run_id = ?", (run_id,))


def runs(wanted: RunFilter) -> Query:
    """Return the query for runs, newest first."""
    conditions = _Conditions()
    conditions.add("r.workflow = ?", wanted.workflow)
    conditions.add("r.created_at < ?", wanted.before)
    conditions.add(_OLDER, wanted.older_than)
    conditions.add("r.parent = ?", wanted.parent)
    conditions.add("r.origin = ?", wanted.origin)
    conditions.add(f"r.run_no IN {_BELOW}", wanted.root)
    _add_statuses(conditions, wanted)
    conditions.add_any_of("r.run_id", wanted.ids)
    order = _LAST_CHANGED_FIRST if wanted.last_changed_first else _NEWEST_FIRST
    return conditions.query(_RUNS, order, wanted.limit)


def _add_statuses(conditions: _Conditions, wanted: RunFilter) -> None:
    unfinished = bool(wanted.statuses) and not any(status.is_terminal for status in wanted.statuses)
    conditions.add_if(unfinished, _UNFINISHED)
    # The plus keeps SQLite from the index of all runs on top where that of the few unfinished ones serves.
    conditions.add_if(wanted.top_only, "+r.parent IS NULL" if unfinished else "r.parent IS NULL")
    conditions.add_any_of("r.status", wanted.statuses)
    conditions.add_if(wanted.left_only, _LEFT)


def counts() -> Query:
    """Return the query for how many runs have each status, and for the open pauses, which have prompts."""
    return Query(
        "SELECT status, runs, NULL, NULL FROM run_counts WHERE runs > 0"
        " UNION ALL SELECT pause_id, deadline, decrypted(prompt), decrypted(assigned) FROM pauses WHERE state = 0"
    )


def runs_changed(since: Cursor) -> Query:
    """Return the query for what has changed, in order: each row ends with a removed run's id, and a number.

    A row without a run's columns is that of a removed run; one without that, too, says only how far numbers
    have come: a removal that nobody knows any more has had one.
    """
    changed = f"SELECT {RUN_COLUMNS}, NULL, r.change_no AS change_no FROM runs r WHERE r.change_no > ?"
    nothing = ", ".join(["NULL"] * _RUN_WIDTH)
    gone = (
        f"SELECT {nothing}, g.run_id, g.change_no FROM graves g WHERE g.change_no > ?"
        " AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.run_id = g.run_id)"
    )
    floor = f"SELECT {nothing}, NULL, value FROM meta WHERE name = 'change_floor' AND value > ?"
    return Query(f"{changed} UNION ALL {gone} UNION ALL {floor} ORDER BY change_no", (since,) * 3)


def newest_change() -> Query:
    """Return the query for the number of the newest change."""
    return Query(
        "SELECT max(coalesce((SELECT max(change_no) FROM runs), 0), value)"
        " FROM meta WHERE name = 'change_floor'"
    )


def pause_by_id(pause_id: PauseId) -> Query:
    """Return the query for one pause."""
    return Query(_PAUSES + " WHERE p.pause_id = ?", (pause_id,))


def pauses(wanted: PauseFilter) -> Query:
    """Return the query for pauses, those that are due first first."""
    conditions = _Conditions()
    conditions.add_if(wanted.open_only, "p.state = 0")
    conditions.add("r.run_id = ?", wanted.run_id)
    conditions.add(f"p.run_no IN {_BELOW}", wanted.root)
    # The plus, as above: those that were closed last stand in the order of their index, and a page of them is enough.
    conditions.add("r.workflow = ?" if wanted.closed_since is None else "+r.workflow = ?", wanted.workflow)
    conditions.add(_AT_BLOCK.format("p"), wanted.block)
    conditions.add("p.deadline <= ?", wanted.due_by)
    conditions.add("p.state <> 0 AND p.closed_at >= ?", wanted.closed_since)
    conditions.add(_BEHIND, wanted.behind)
    order = _IN_ORDER if wanted.closed_since is None else _LAST_CLOSED_FIRST
    return conditions.query(_PAUSES, order, wanted.limit)


def secret_of(pause_id: PauseId) -> Query:
    """Return the query for an answer that no history shows."""
    return Query("SELECT decrypted(data) FROM secrets WHERE pause_id = ?", (pause_id,))


def checkpoint_by_id(checkpoint_id: CheckpointId) -> Query:
    """Return the query for one checkpoint."""
    return Query(_CHECKPOINTS + " WHERE c.checkpoint_id = ?", (checkpoint_id,))


def checkpoints(wanted: CheckpointFilter) -> Query:
    """Return the query for checkpoints, newest first."""
    conditions = _Conditions()
    conditions.add("r.run_id = ?", wanted.run_id)
    conditions.add("r.workflow = ?", wanted.workflow)
    conditions.add_any_of("c.kind", wanted.kinds)
    conditions.add_if(wanted.open_pauses_only, "p.state = 0")
    conditions.add(_AT_BLOCK.format("c"), wanted.block)
    conditions.add_any_of(_STATUS_THEN, wanted.statuses)
    conditions.add("c.created_at >= ?", wanted.since)
    conditions.add("c.created_at < ?", wanted.before)
    conditions.add("c.no < (SELECT no FROM checkpoints WHERE checkpoint_id = ?)", wanted.older_than)
    return conditions.query(_CHECKPOINTS, " ORDER BY c.no DESC LIMIT ?", wanted.limit)


def ids_with_prefix(prefix: str, limit: int) -> Query:
    """Return the query for ids that start with *prefix*, in order: an exact one is the smallest.

    Ranges, not LIKE: a prefix may hold ``%`` and ``_``, and a range uses the index.
    """
    parts = (("run_id", "runs"), ("pause_id", "pauses"), ("checkpoint_id", "checkpoints"))
    found = " UNION ".join(
        f"SELECT * FROM (SELECT {column} AS id FROM {table}"
        f" WHERE {column} >= ? AND {column} < ? ORDER BY {column} LIMIT ?)"
        for column, table in parts
    )
    # Not ?1 ?2 ?3, given once: Python 3.12 takes numbered placeholders for named ones, and warns.
    span = (prefix, prefix + _LAST_CHARACTER, limit)
    return Query(found + " ORDER BY id LIMIT ?", (*span * len(parts), limit))


def integrity() -> Query:
    """Return the query for what is damaged in the file's structure; ``ok`` if nothing is."""
    return Query("PRAGMA integrity_check(20)")
