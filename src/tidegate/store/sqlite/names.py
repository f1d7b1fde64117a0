"""Names in a database file, for somebody who is typing one: quick, and without a trace.

Nothing is opened for good, brought up to date or waited for. Whatever is wrong with the file is told by
the command that uses it, later.
"""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

__all__ = ["names_in"]

_PATIENCE = 0.05
"""Seconds that a lock is waited for."""
_LAST: Final = "\U0010ffff"
_QUERIES: Final = {
    "run": (
        "SELECT run_id, workflow || ', ' || status FROM runs"
        " WHERE run_id >= ? AND run_id < ? {newest} LIMIT ?"
    ),
    "pause": (
        "SELECT p.pause_id, r.workflow || ', ' || p.block FROM pauses p JOIN runs r USING (run_no)"
        " WHERE p.state = 0 AND p.pause_id >= ? AND p.pause_id < ? LIMIT ?"
    ),
    "checkpoint": (
        "SELECT c.checkpoint_id, r.workflow || ', ' || c.kind || ' ' || coalesce(c.new_label, c.label)"
        " FROM checkpoints c JOIN runs r USING (run_no) WHERE c.checkpoint_id >= ? AND c.checkpoint_id < ?"
        " {newest} LIMIT ?"
    ),
    "workflow": (
        "SELECT DISTINCT workflow, '' FROM"
        " (SELECT workflow FROM runs WHERE workflow >= ? AND workflow < ? ORDER BY run_no DESC LIMIT 1000) LIMIT ?"
    ),
}
"""By kind: each gives names that begin like what was typed, with what tells them apart."""


def names_in(path: Path, kind: str, prefix: str, limit: int) -> list[tuple[str, str]]:
    """Return names of a kind that begin with *prefix*, with a few words on each; without one the newest first.

    Raises:
        sqlite3.Error: there is no such file, or it cannot be read now.
    """
    # Without a log nobody has it open: then SQLite need not make one to read it.
    has_log = path.with_name(f"{path.name}-wal").exists()
    # Its own URI: what other connections need would take longer to load than the question to answer.
    uri = f"{path.absolute().as_uri()}?mode=ro{'' if has_log else '&immutable=1'}"
    statement, number = _QUERIES[kind], "c.no" if kind == "checkpoint" else "run_no"
    # With a beginning the index of names serves, and what it finds need not be sorted.
    statement = statement.format(newest="" if prefix else f"ORDER BY {number} DESC")
    with closing(sqlite3.connect(uri, uri=True, timeout=_PATIENCE)) as connection:
        return connection.execute(statement, (prefix, prefix + _LAST, limit)).fetchall()
