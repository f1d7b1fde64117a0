"""How a commit of somebody else is noticed."""

import asyncio
import sqlite3
from pathlib import Path

import pytest

from store.builders import PATIENCE
from tidegate.store.changes import ChangeSignal, FilesWatch, Watch
from tidegate.store.inotify import open_inotify
from tidegate.store.sqlite.connections import connect
from tidegate.store.sqlite.probe import DataVersion


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A database in WAL mode."""
    path = tmp_path / "x.db"
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("CREATE TABLE numbers (n)")
    connection.close()
    return path


def watch_of(kind: str, directory: Path) -> Watch | None:
    """Return a watch of a kind, as far as there is one here."""
    if kind == "inotify":
        return open_inotify(directory) or pytest.skip("there is no inotify here")
    return FilesWatch(directory) if kind == "files" else None


@pytest.mark.parametrize("kind", ["inotify", "files", "poll"])
async def test_a_commit_of_somebody_else_is_noticed(path: Path, kind: str) -> None:
    """Through the kernel, through watchfiles, or by looking once a second."""
    signal = ChangeSignal(DataVersion(connect(f"file:{path}?mode=ro")), watch_of(kind, path.parent))
    writer = sqlite3.connect(path, isolation_level=None)

    for number in range(3):
        waiting = asyncio.create_task(signal.after(signal.look()))
        await asyncio.sleep(0)
        writer.execute("INSERT INTO numbers VALUES (?)", (number,))
        async with asyncio.timeout(PATIENCE):
            await waiting

    writer.close()
    await signal.close()


async def test_a_commit_between_looking_and_waiting_is_not_missed(path: Path) -> None:
    """Whoever looked before it need not wait."""
    signal = ChangeSignal(DataVersion(connect(f"file:{path}?mode=ro")), open_inotify(path.parent))
    count = signal.look()
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute("INSERT INTO numbers VALUES (1)")
    writer.close()

    async with asyncio.timeout(PATIENCE):
        await signal.after(count)
    await signal.close()


async def test_our_own_commits_are_told_without_looking() -> None:
    """Where nobody else can write there is nothing to look at."""
    signal = ChangeSignal()
    waiting = [asyncio.create_task(signal.after(signal.look())) for _ in range(2)]
    await asyncio.sleep(0)

    signal.committed()

    async with asyncio.timeout(PATIENCE):
        await asyncio.gather(*waiting)
    await signal.close()


async def test_who_stops_waiting_leaves_nothing_behind(path: Path) -> None:
    """Cancelled or closed: no timer, no reader, no task."""
    signal = ChangeSignal(DataVersion(connect(f"file:{path}?mode=ro")), FilesWatch(path.parent))
    waiting = asyncio.create_task(signal.after(signal.look()))
    await asyncio.sleep(0)

    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    await signal.close()

    assert asyncio.all_tasks() == {asyncio.current_task()}
