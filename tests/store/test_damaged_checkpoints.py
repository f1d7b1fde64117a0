"""Checkpoints of a damaged store: those that can be read are found, by whatever they are asked for."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from store.builders import NOW, RUN, Opened, adding, marked, new_run
from tidegate.model.events import RunStatus
from tidegate.model.ids import BlockId, RunId
from tidegate.model.listing import CheckpointFilter
from tidegate.model.policy import CheckpointKind
from tidegate.model.state import RunSummary

FILTERS = (
    CheckpointFilter(),
    CheckpointFilter(block=BlockId("gate")),
    CheckpointFilter(block=BlockId("gate[1]")),
    CheckpointFilter(statuses=(RunStatus.PAUSED,)),
    CheckpointFilter(since=NOW + 5, before=NOW + 15),
    CheckpointFilter(kinds=(CheckpointKind.EXPLICIT,), statuses=(RunStatus.RUNNING,), block=BlockId("gate")),
    CheckpointFilter(workflow="deploy", run_id=RunId(RUN), limit=3),
    CheckpointFilter(workflow="other"),
    CheckpointFilter(open_pauses_only=True),
)


@pytest.fixture
async def path(tmp_path: Path, opened: Opened) -> Path:
    """A store with a run of twenty checkpoints, closed."""
    store = await opened(tmp_path / "tidegate.db")
    await store.create_run(new_run())
    for number in range(20):
        kind = CheckpointKind.EXPLICIT if number % 3 else CheckpointKind.FAILURE
        place = ("gate", f"gate[{number % 4}]", "other", None)[number % 4]
        mark = marked(f"chk_{number}", kind).evolve(block=place)
        summary = RunSummary(status=RunStatus.PAUSED if number % 2 else RunStatus.RUNNING)
        await store.append(adding(mark, after=number + 1, at=NOW + number, summary=summary))
    await store.close()
    return tmp_path / "tidegate.db"


async def listed(path: Path, opened: Opened) -> list[list[str]]:
    """Return what each filter finds."""
    store = await opened(path)
    found = [[str(row.checkpoint_id) for row in await store.checkpoints(query)] for query in FILTERS]
    await store.close()
    return found


async def test_where_the_file_is_damaged_the_same_checkpoints_are_found(path: Path, opened: Opened) -> None:
    """Read piece by piece, and chosen by the same rules."""
    sound = await listed(path, opened)
    with closing(sqlite3.connect(path)) as connection:
        name = "sqlite_autoindex_checkpoints_1"
        (page,) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (name,)).fetchone()
        (other,) = connection.execute(
            "SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_pauses_1'"
        ).fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
    with path.open("r+b") as file:
        for number in (page, other):
            file.seek((number - 1) * size)
            file.write(b"\xff" * 32)

    assert [len(found) for found in sound] == [20, 10, 5, 10, 10, 3, 3, 0, 0]
    assert await listed(path, opened) == sound
    store = await opened(path)
    await store.checkpoints()
    assert "damaged" in store.damage


async def test_a_summary_that_cannot_be_read_hides_no_other_checkpoint(path: Path, opened: Opened) -> None:
    """Also where summaries are asked for."""
    sound = await listed(path, opened)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("UPDATE checkpoints SET summary = x'7b22' WHERE checkpoint_id = 'chk_7'")

    assert await listed(path, opened) == [
        [name for name in found if name != "chk_7"] for found in sound[:-3]
    ] + [[name for name in sound[-3] if name != "chk_7"], *sound[-2:]]
