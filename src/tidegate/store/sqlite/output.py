"""What commands printed: the job that keeps chunks and forgets others."""

import sqlite3

from tidegate.errors import RunNotFound
from tidegate.store.orders import WriteOutput
from tidegate.store.sqlite import statements as sql
from tidegate.store.sqlite.rows import pack

__all__ = ["write_output"]


def write_output(connection: sqlite3.Connection, order: WriteOutput) -> None:
    """Add chunks of one attempt, and forget those that it may drop.

    Raises:
        RunNotFound: there is no such run.
    """
    run = connection.execute(sql.FIND_RUN, (order.run_id,)).fetchone()
    if run is None:
        raise RunNotFound(order.run_id)
    key = (run[0], order.block, order.attempt)
    if order.drop:
        connection.execute(sql.DROP_OUTPUT, (*key, *order.drop))
    connection.executemany(
        sql.ADD_OUTPUT,
        [(*key, chunk.n, chunk.stream, chunk.offset, chunk.at, *pack(chunk.data)) for chunk in order.chunks],
    )
