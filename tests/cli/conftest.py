"""What the tests of the command line share: a command of one's own, and a store with runs in it."""

import asyncio
from pathlib import Path

import pytest

from cli.calling import Tidegate
from cli.sample import Sample, fill


@pytest.fixture
def tidegate(tmp_path: Path) -> Tidegate:
    """Return the command, with an empty store."""
    return Tidegate(tmp_path)


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Sample:
    """Return a store with a run of every kind. Only for reading: all tests share it."""
    folder = tmp_path_factory.mktemp("sample")
    return asyncio.run(fill(Tidegate(folder)))
