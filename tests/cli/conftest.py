"""What the tests of the command line share: a command of one's own, and a store with runs in it."""

import asyncio
from pathlib import Path

import pytest

from cli.calling import Tidegate
from cli.sample import Sample, fill
from tidegate.clock import SystemClock
from tidegate.store.opening import open_store


@pytest.fixture
def tidegate(tmp_path: Path) -> Tidegate:
    """Return the command, with an empty store."""
    command = Tidegate(tmp_path)
    asyncio.run(make_store(command.store))
    return command


async def make_store(url: str) -> None:
    """Make an empty store: looking into one that is not there does not."""
    await (await open_store(url, clock=SystemClock())).close()


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Sample:
    """Return a store with a run of every kind. Only for reading: all tests share it."""
    folder = tmp_path_factory.mktemp("sample")
    return asyncio.run(fill(Tidegate(folder)))
