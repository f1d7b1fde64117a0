"""How many callers share one transaction, and what one bad job does to the others."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tidegate.errors import CorruptStore, StoreUnavailable
from tidegate.store.sqlite.connections import connect
from tidegate.store.sqlite.writer import Job, Writer


class _Counted:
    """A writer on a table of numbers, and its commits."""

    def __init__(self, path: Path) -> None:
        sqlite3.connect(path).close()
        connection = connect(f"file:{path}?mode=rwc")
        connection.execute("CREATE TABLE numbers (n INTEGER UNIQUE)")
        self.commits = 0
        self.path = path
        self.writer = Writer(connection, "sqlite:///test", self._count)

    def _count(self) -> None:
        self.commits += 1

    async def numbers(self) -> list[int]:
        """Close the writer; return what is in the table."""
        await self.writer.close()
        connection = connect(f"file:{self.path}?mode=ro")
        found = [row[0] for row in connection.execute("SELECT n FROM numbers ORDER BY n")]
        connection.close()
        return found


def adding(*numbers: int) -> Job[int]:
    """Return a job that adds numbers one by one, and gives the last."""

    def add(connection: sqlite3.Connection) -> int:
        for number in numbers:
            connection.execute("INSERT INTO numbers VALUES (?)", (number,))
        return numbers[-1]

    return add


def failing(*numbers: int) -> Job[None]:
    """Return a job that adds numbers and then has a bug."""

    def fail(connection: sqlite3.Connection) -> None:
        for number in numbers:
            connection.execute("INSERT INTO numbers VALUES (?)", (number,))
        raise ZeroDivisionError

    return fail


@pytest.fixture
async def counted(tmp_path: Path) -> AsyncIterator[_Counted]:
    """A writer that counts."""
    made = _Counted(tmp_path / "numbers.db")
    yield made
    await made.writer.close()


async def test_those_who_wait_share_a_transaction(counted: _Counted) -> None:
    """A hundred callers at once pay for a few commits, and each gets its own result."""
    results = await asyncio.gather(*(counted.writer.run(adding(n)) for n in range(100)))

    assert results == list(range(100))
    assert counted.commits <= 5
    assert await counted.numbers() == list(range(100))


async def test_a_caller_alone_does_not_wait_for_company(counted: _Counted) -> None:
    """One after the other, each has a commit of its own."""
    for number in range(5):
        await counted.writer.run(adding(number))

    assert counted.commits == 5
    await counted.writer.close()


async def test_only_the_guilty_job_fails(counted: _Counted) -> None:
    """Whatever it wrote before it failed is gone; whatever the others wrote is there."""
    jobs = [counted.writer.run(adding(n)) for n in range(10)]
    jobs.insert(5, counted.writer.run(adding(50, 3)))
    jobs.insert(5, counted.writer.run(adding(60, 60)))

    outcomes = await asyncio.gather(*jobs, return_exceptions=True)

    failed = [number for number, outcome in enumerate(outcomes) if isinstance(outcome, Exception)]
    assert failed == [5, 6]
    assert await counted.numbers() == list(range(10))


async def test_a_bug_in_a_job_reaches_its_caller_only(counted: _Counted) -> None:
    """And the thread goes on."""
    outcomes = await asyncio.gather(
        counted.writer.run(adding(1)),
        counted.writer.run(failing()),
        counted.writer.run(failing(7, 8)),
        counted.writer.run(adding(2)),
        return_exceptions=True,
    )

    assert [type(outcome) for outcome in outcomes] == [int, ZeroDivisionError, ZeroDivisionError, int]
    assert await counted.numbers() == [1, 2]


async def test_a_lock_that_is_not_given_back_is_named(counted: _Counted) -> None:
    """Everybody who waited hears of it, once the time is up, and nobody twice."""
    # So that the test need not wait as long as a person would.
    await counted.writer.run(lambda connection: connection.execute("PRAGMA busy_timeout = 20").close())
    other = connect(f"file:{counted.path}?mode=rw")
    other.execute("BEGIN IMMEDIATE")
    outcomes = await asyncio.gather(
        *(counted.writer.run(adding(n)) for n in range(3)), return_exceptions=True
    )

    assert [type(outcome) for outcome in outcomes] == [StoreUnavailable] * 3
    assert "another process has kept it locked" in str(outcomes[0])
    other.execute("ROLLBACK")
    other.close()
    assert await counted.writer.run(adding(9)) == 9
    assert await counted.numbers() == [9]


async def test_a_full_disk_is_named_and_spoils_nothing(counted: _Counted) -> None:
    """What fits goes in; when there is room again, all is well."""

    def limit(pages: int) -> Job[None]:
        return lambda connection: connection.execute(f"PRAGMA max_page_count = {pages}").fetchone()

    def fill(connection: sqlite3.Connection) -> None:
        connection.execute("CREATE TABLE large (data BLOB)")
        connection.execute("INSERT INTO large VALUES (zeroblob(1000000))")

    await counted.writer.run(limit(20))
    with pytest.raises(StoreUnavailable, match=r"database or disk is full\. Free some space"):
        await counted.writer.run(fill)
    await counted.writer.run(adding(1))
    await counted.writer.run(limit(10_000))
    await counted.writer.run(fill)

    assert await counted.numbers() == [1]


async def test_a_damaged_file_is_written_no_more(counted: _Counted) -> None:
    """Once damage has been met, nobody gets to make it worse."""

    def damage(connection: sqlite3.Connection) -> None:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("UPDATE sqlite_schema SET rootpage = 9999")

    await counted.writer.run(damage)
    await counted.writer.run(lambda connection: connection.execute("PRAGMA writable_schema = RESET").close())
    commits = counted.commits

    for number in range(3):
        with pytest.raises(CorruptStore, match="the file is damaged"):
            await counted.writer.run(adding(number))
    # The second and the third did not even get to the file.
    assert counted.commits == commits + 1
