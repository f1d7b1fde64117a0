"""The schema: which versions there are, and that a store is always at one of them."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from tidegate.store.sqlite.connections import connect
from tidegate.store.sqlite.migrate import APPLICATION_ID, Migration, known_migrations, migrate, version_of

STEPS = (
    Migration(1, "CREATE TABLE one (a);\nINSERT INTO one VALUES ('x; y');\n"),
    Migration(2, "-- A comment; with a semicolon\nALTER TABLE one ADD COLUMN b;\nCREATE TABLE two (c);\n"),
)


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """A connection to an empty database."""
    opened = connect(f"file:{tmp_path}/x.db?mode=rwc")
    yield opened
    opened.close()


def tables(connection: sqlite3.Connection) -> set[str]:
    """Return the names of the tables."""
    return {row[0] for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}


def test_the_steps_that_ship_are_numbered_without_gaps() -> None:
    """From 1, each once."""
    assert [step.version for step in known_migrations()] == list(range(1, len(known_migrations()) + 1))


def test_only_what_is_missing_is_done(connection: sqlite3.Connection) -> None:
    """Step by step or at once, and twice changes nothing."""
    migrate(connection, STEPS[:1])
    migrate(connection, STEPS)
    migrate(connection, STEPS)

    assert tables(connection) == {"one", "two"}
    assert connection.execute("SELECT a, b FROM one").fetchall() == [("x; y", None)]
    assert version_of(connection, "x", 2) == 2
    assert connection.execute("PRAGMA application_id").fetchone()[0] == APPLICATION_ID


def test_a_step_that_fails_leaves_the_version_before(connection: sqlite3.Connection) -> None:
    """Nothing of it is there, and the next try starts where this one did."""
    migrate(connection, STEPS[:1])
    broken = Migration(2, "CREATE TABLE two (c);\nCREATE TABLE one (again);\n")

    with pytest.raises(sqlite3.OperationalError):
        migrate(connection, (*STEPS[:1], broken))
    assert tables(connection) == {"one"}
    assert version_of(connection, "x", 2) == 1

    migrate(connection, STEPS)
    assert version_of(connection, "x", 2) == 2
