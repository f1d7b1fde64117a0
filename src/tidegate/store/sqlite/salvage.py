"""Gathering what is left of a damaged database into a scratch one.

Each table is read through SQLite as far as that goes. Where it does not go to the end, the file's pages
are read one by one, and rows are known by their shape. Nothing is judged here: whether a row is what was
written is decided by its hash, by whoever reads the scratch database (`tidegate.store.sqlite.wreck`).
"""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

from tidegate.store.sqlite.connections import connect, file_uri
from tidegate.store.sqlite.envelopes import ENVELOPE
from tidegate.store.sqlite.pages import Cell, Pages

__all__ = ["salvage"]

_Row: TypeAlias = tuple[Any, ...]

_SCRATCH: Final = """
    CREATE TABLE runs (
        run_no INTEGER PRIMARY KEY, run_id, head, epoch, owner, lease_until, origin, origin_seq
    );
    CREATE TABLE names (run_no, run_id, PRIMARY KEY (run_no, run_id)) WITHOUT ROWID;
    CREATE TABLE events (id INTEGER PRIMARY KEY, at, codec, body, seal);
    CREATE TABLE definitions (hash PRIMARY KEY, body, source) WITHOUT ROWID;
    CREATE TABLE vals (sha256 PRIMARY KEY, codec, data);
    CREATE TABLE output (
        run_no, block, attempt, n, stream, start, at, codec, data, crc, PRIMARY KEY (run_no, block, attempt, n)
    );
    CREATE TABLE marks (
        checkpoint_id PRIMARY KEY, run_no, seq, created_at, label, metadata, pinned, placed, new_label
    );
    CREATE TABLE envelopes (text PRIMARY KEY);
    CREATE TABLE torn (name PRIMARY KEY);
"""
_DIGEST, _LINK, _HASH = 32, 16, 64
"""Lengths of a value's name and of a link in bytes, and of a definition's hash in characters."""


class _Table(NamedTuple):
    """Where rows come from, and what they look like."""

    name: str
    """In the scratch database."""
    read: str
    """The statement that reads all of them from a sound database of today's schema."""
    keep: str
    shape: Callable[[Cell], _Row | None]
    """Returns what is kept of a cell, if it is one of this table's rows."""
    types: tuple[type | tuple[type, ...], ...]


_NUMBER = (int, float)


def salvage(path: Path, scratch: Path) -> None:
    """Gather what is left of the database at *path* in a new database at *scratch*.

    The files of the database are opened for reading only, and left as they are.

    Raises:
        OSError: they cannot be read at all.
        sqlite3.Error: the scratch database cannot be written.
    """
    with ExitStack() as opened:
        # Before the connection and until after it: to close a second handle of the file would drop its locks.
        file = opened.enter_context(path.open("rb"))
        into = opened.enter_context(closing(connect(file_uri(scratch, "rwc"))))
        into.execute("PRAGMA journal_mode = OFF")
        into.execute("PRAGMA synchronous = OFF")
        into.executescript(_SCRATCH)
        into.execute("BEGIN")
        torn = _read_tables(path, into)
        if torn:
            into.executemany("INSERT INTO torn VALUES (?)", [(table.name,) for table in torn])
            _carve(Pages(file, _log_of(path)), into, torn)
        into.execute("COMMIT")


def _log_of(path: Path) -> bytes:
    with suppress(FileNotFoundError):
        return path.with_name(path.name + "-wal").read_bytes()
    return b""


# -- through SQLite ---------------------------------------------------------------------------


def _read_tables(path: Path, into: sqlite3.Connection) -> list[_Table]:
    """Copy what SQLite can read; return the tables that it cannot read to their ends."""
    try:
        with closing(connect(_uri(path))) as connection:
            connection.text_factory = lambda text: text.decode("utf-8", "replace")
            connection.execute("BEGIN")  # All of it as of one moment.
            _read_names(connection, into)
            (schema,) = connection.execute("PRAGMA user_version").fetchone()
            return [table for table in _TABLES if not _is_read(connection, into, table, schema)]
    except sqlite3.Error:
        return list(_TABLES)


def _read_names(connection: sqlite3.Connection, into: sqlite3.Connection) -> None:
    """Copy what the index says of runs and their names: a run whose row is damaged has it there still."""
    statement = "SELECT run_no, run_id FROM runs INDEXED BY sqlite_autoindex_runs_1"
    with suppress(sqlite3.Error):
        into.executemany(_KEEP_NAME, connection.execute(statement).fetchall())


def _uri(path: Path) -> str:
    # A log that is there has to be read; without one nobody else is there either.
    has_log = path.with_name(path.name + "-wal").exists()
    return file_uri(path, "ro") + ("" if has_log else "&immutable=1")


def _is_read(connection: sqlite3.Connection, into: sqlite3.Connection, table: _Table, schema: int) -> bool:
    try:
        rows = connection.execute(_of_schema(table.read, schema))
    except sqlite3.Error:
        return False
    while True:
        try:
            some = rows.fetchmany(_AT_ONCE)
        except sqlite3.Error:
            return False
        if not some:
            return True
        # Not tried: that the scratch database is full must not look like damage.
        into.executemany(table.keep, [row for row in some if _is_shaped(row, table)])


_AT_ONCE: Final = 500
_SUMMED = 8
"""The schema from which on chunks of output have a checksum."""
_TIMED = 6
"""That from which on it is noted when a block wrote something."""
_PLACED = 5
"""That from which on a person can place checkpoints, and label them."""
_FORKED = 4
"""That from which on a run can go on from another one."""
_CHAINED = 3
"""That from which on events have a link, and checkpoints can be pinned."""


def _of_schema(statement: str, schema: int) -> str:
    if schema < _SUMMED:
        statement = statement.replace("data, crc", "data, NULL")
    if schema < _TIMED:
        statement = statement.replace("start, at,", "start, 0.0,")
    if schema < _PLACED:
        statement = statement.replace("placed, new_label", "0, NULL")
    if schema < _FORKED:
        statement = statement.replace("origin, origin_seq", "NULL, 0")
    if schema >= _CHAINED:
        return statement
    statement = statement.replace("link", "crc").replace("pinned", "0")
    if schema > 1:
        return statement
    return statement.replace("codec, body, crc", "0, body, crc").replace("metadata", "NULL")


def _is_shaped(row: Sequence[object], table: _Table) -> bool:
    return all(isinstance(value, kind) for value, kind in zip(row, table.types, strict=True))


# -- page by page -----------------------------------------------------------------------------


def _carve(pages: Pages, into: sqlite3.Connection, torn: Sequence[_Table]) -> None:
    for cell in pages.cells():
        for table in torn:
            row = table.shape(cell)
            if row is not None and _is_shaped(row, table):
                into.execute(table.keep, row)
        for run_no, run_id in _named(cell):
            into.execute(_KEEP_NAME, (run_no, run_id))


_KEEP_NAME: Final = "INSERT OR IGNORE INTO names VALUES (?, ?)"


def _named(cell: Cell) -> Iterator[tuple[int, str]]:
    """Yield what an index says of a run's number and name. Others look the same: a hash tells them apart."""
    rowid, row = cell
    match row:
        case (str() as name, int() as number) if rowid is None and "_" not in name:
            yield number, name
        case _:
            return


_ORIGIN: Final = 18
"""The place in a run's row of the run that it goes on from; the event follows."""


def _run(cell: Cell) -> _Row | None:
    match cell:
        case (int(), (None, str(), str(), str(), _, _, int(), str(), int(), str(), _, str(), bytes(), *_)):
            rowid, row = cell
            # Columns that were added later are not in rows that were written before.
            origin = tuple(row[_ORIGIN : _ORIGIN + 2]) if len(row) > _ORIGIN + 1 else (None, 0)
            return (rowid, row[1], row[6], row[8], row[9], row[10], *origin)
    return None


def _event(cell: Cell) -> _Row | None:
    match cell:
        case (
            int() as number,
            (None, int() | float() as at, int() as codec, bytes() as body, bytes() as link),
        ):
            return (number, float(at), codec, body, link) if len(link) in (0, _LINK) else None
        case (int() as number, (None, int() | float() as at, bytes() as body, int() as crc, *more)):
            return (number, float(at), more[0] if more else 0, body, crc)
    return None


def _definition(cell: Cell) -> _Row | None:
    match cell:
        case (None, (str() as name, str(), bytes() as body, str() | bytes() as source, _)) if (
            len(name) == _HASH
        ):
            return (name, body, source)
    return None


def _stored(cell: Cell) -> _Row | None:
    match cell:
        case (int(), (bytes() as digest, int() as codec, bytes() as data)) if len(digest) == _DIGEST:
            return (digest, codec, data)
    return None


def _chunk(cell: Cell) -> _Row | None:
    match cell:
        case (int(), (int(), str(), int(), int(), int(), int(), int(), bytes(), *more)):
            *where, codec, data = cell[1][:8]
            # Columns that were added later are not in rows that were written before.
            at, crc = [*more, *_LATER_OF_OUTPUT[len(more) :]][:2]
            return (*where, float(at) if isinstance(at, _NUMBER) else 0.0, codec, data, crc)
    return None


_LATER_OF_OUTPUT: Final[_Row] = (0.0, None)
"""What the columns `at` and `crc` are in a row that was written before them."""


def _envelope(cell: Cell) -> _Row | None:
    match cell:
        case (None, (str() as name, str() as text)) if name == ENVELOPE:
            return (text,)
    return None


_LATER_OF_MARKS: Final[_Row] = (None, 0, 0, None)
"""What the columns `metadata`, `pinned`, `placed` and `new_label` are in a row that was written before them."""


def _mark(cell: Cell) -> _Row | None:
    match cell:
        case (int(), (None, str(), int(), int(), str(), int() | float() as at, _, str(), bytes(), *more)):
            name, run_no, seq, label = (cell[1][column] for column in (1, 2, 3, 7))
            # Columns that were added later are not in rows that were written before.
            later = [*more, *_LATER_OF_MARKS[len(more) :]]
            return (name, run_no, seq, float(at), label, *later)
    return None


_TABLES: Final = (
    _Table(
        "runs",
        "SELECT run_no, run_id, head, epoch, owner, lease_until, origin, origin_seq FROM runs NOT INDEXED",
        "INSERT OR IGNORE INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        _run,
        (int, str, int, int, str, _NUMBER, (str, type(None)), int),
    ),
    _Table(
        "envelopes",
        f"SELECT value FROM meta WHERE name = '{ENVELOPE}'",  # noqa: S608  # a constant
        "INSERT OR IGNORE INTO envelopes VALUES (?)",
        _envelope,
        (str,),
    ),
    _Table(
        "events",
        "SELECT id, at, codec, body, link FROM events",
        "INSERT OR IGNORE INTO events VALUES (?, ?, ?, ?, ?)",
        _event,
        (int, float, int, bytes, (int, bytes)),
    ),
    _Table(
        "definitions",
        "SELECT hash, body, source FROM definitions",
        "INSERT OR IGNORE INTO definitions VALUES (?, ?, ?)",
        _definition,
        (str, bytes, (str, bytes)),
    ),
    _Table(
        "vals",
        "SELECT sha256, codec, data FROM vals NOT INDEXED",
        "INSERT OR IGNORE INTO vals VALUES (?, ?, ?)",
        _stored,
        (bytes, int, bytes),
    ),
    _Table(
        "output",
        "SELECT run_no, block, attempt, n, stream, start, at, codec, data, crc FROM output NOT INDEXED",
        "INSERT OR IGNORE INTO output VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        _chunk,
        # Whatever else there is: who reads it counts what is damaged.
        (int, str, int, int, *(object,) * 6),
    ),
    _Table(
        "marks",
        "SELECT checkpoint_id, run_no, seq, created_at, label, metadata, pinned, placed, new_label"
        " FROM checkpoints NOT INDEXED",
        "INSERT OR IGNORE INTO marks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        _mark,
        (str, int, int, _NUMBER, str, (bytes, type(None)), int, int, (str, type(None))),
    ),
)
