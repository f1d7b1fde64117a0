"""What commands printed: the job that keeps chunks and forgets others."""

import sqlite3
from collections.abc import Sequence

from tidegate.errors import RunNotFound
from tidegate.model.ids import BlockId, RunId
from tidegate.model.listing import OutputChunk
from tidegate.store import statements as sql
from tidegate.store.rows import pack

__all__ = ["write_output"]


def write_output(
    connection: sqlite3.Connection,
    place: tuple[RunId, BlockId, int],
    chunks: Sequence[OutputChunk],
    drop: range | None,
) -> None:
    """Add chunks of one attempt, and forget those whose `n` is in *drop*.

    Raises:
        RunNotFound: there is no such run.
    """
    run_id, block, attempt = place
    run = connection.execute(sql.FIND_RUN, (run_id,)).fetchone()
    if run is None:
        raise RunNotFound(run_id)
    key = (run[0], block, attempt)
    if drop:
        connection.execute(sql.DROP_OUTPUT, (*key, drop.start, drop.stop))
    connection.executemany(
        sql.ADD_OUTPUT,
        [(*key, chunk.n, chunk.stream, chunk.offset, *pack(chunk.data)) for chunk in chunks],
    )
