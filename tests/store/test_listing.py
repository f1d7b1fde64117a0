"""That lists come from an index, in order: however many runs there are, a page costs the same."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest

from store.builders import RUN
from tidegate.model.events import RunStatus
from tidegate.model.ids import BlockId
from tidegate.model.listing import PauseFilter, RunFilter
from tidegate.store.sqlite import queries
from tidegate.store.sqlite.connections import connect, memory_uri
from tidegate.store.sqlite.migrate import known_migrations, migrate
from tidegate.store.sqlite.readers import Query

GOING_ON = (RunStatus.RUNNING, RunStatus.PAUSED)


@pytest.fixture
def connection() -> Iterator[sqlite3.Connection]:
    """A connection to an empty store."""
    with closing(connect(memory_uri("plans"))) as opened:
        migrate(opened, known_migrations())
        yield opened


@pytest.mark.parametrize(
    ("query", "index"),
    [
        (RunFilter(), "runs_by_age"),
        (RunFilter(top_only=True), "runs_on_top"),
        (RunFilter(top_only=True, older_than=RUN), "runs_on_top"),
        (RunFilter(top_only=True, statuses=(RunStatus.FAILED, *GOING_ON)), "runs_on_top"),
        (RunFilter(top_only=True, statuses=GOING_ON), "runs_unfinished"),
        (RunFilter(statuses=GOING_ON), "runs_unfinished"),
        (RunFilter(statuses=GOING_ON, left_only=True), "runs_unfinished"),
        (RunFilter(parent=RUN), "runs_of_parent"),
        (RunFilter(last_changed_first=True), "runs_by_change"),
    ],
)
def test_a_page_of_runs_is_read_from_one_index(
    connection: sqlite3.Connection, query: RunFilter, index: str
) -> None:
    """Which has the order of the list, too: nothing is sorted."""
    plan = _plan(connection, queries.runs(query))

    assert f"r USING INDEX {index}" in plan
    assert "TEMP B-TREE" not in plan


@pytest.mark.parametrize("query", [queries.runs(RunFilter(root=RUN)), queries.pauses(PauseFilter(root=RUN))])
def test_what_stands_below_a_run_is_found_from_it(connection: sqlite3.Connection, query: Query) -> None:
    """Without a look at what stands elsewhere."""
    plan = _plan(connection, query)

    assert "runs_below (root=?)" in plan
    assert "SCAN" not in plan


def test_earlier_answers_are_read_from_the_last_one_back(connection: sqlite3.Connection) -> None:
    """In the order of what was closed, until there are enough: nothing is sorted, however often it was asked."""
    query = PauseFilter(workflow="deploy", block=BlockId("ask"), open_only=False, closed_since=0.0, limit=20)

    plan = _plan(connection, queries.pauses(query))

    assert "p USING INDEX pauses_closed" in plan
    assert "r USING INTEGER PRIMARY KEY" in plan
    assert "TEMP B-TREE" not in plan


def test_counting_looks_at_no_run(connection: sqlite3.Connection) -> None:
    """Nor at a pause that is closed: the index of the open ones leads to those alone."""
    plan = _plan(connection, queries.counts())

    assert "SCAN run_counts" in plan
    assert "SEARCH pauses USING INDEX pauses_open" in plan


def _plan(connection: sqlite3.Connection, query: Query) -> str:
    rows = connection.execute("EXPLAIN QUERY PLAN " + query.statement, list(query.values))
    return "\n".join(row[-1] for row in rows)
