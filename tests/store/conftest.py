"""Stores to test, and that nothing of them is left behind."""

import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from store.builders import Opened
from tidegate.clock import SystemClock
from tidegate.store import open_store
from tidegate.store.keys import new_key
from tidegate.store.protocol import Store

NOBODY = 65534


@pytest.fixture(params=["sqlite", "memory", "file", "encrypted"])
async def store(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Store]:
    """Every kind of store there is, empty."""
    urls = {
        "sqlite": f"sqlite://{tmp_path}/state/tidegate.db",
        "memory": "memory://",
        "file": f"file://{tmp_path}/state/history",
        "encrypted": f"sqlite://{tmp_path}/state/tidegate.db",
    }
    if request.param == "encrypted":
        monkeypatch.setenv("TIDEGATE_KEY", new_key())
    opened = await open_store(urls[request.param], clock=SystemClock())
    yield opened
    await opened.close()


@pytest.fixture
async def opened() -> AsyncIterator[Opened]:
    """What opens a store in a file, and closes it whatever becomes of the test."""
    stores: list[Store] = []

    async def open_at(path: Path) -> Store:
        stores.append(await open_store(f"sqlite://{path}", clock=SystemClock()))
        return stores[-1]

    yield open_at
    for store in stores:
        await store.close()


@pytest.fixture
def path_of_nobody() -> Iterator[Path]:
    """A place for a store, for somebody whom permissions stop: they do not stop root."""
    place = Path(tempfile.mkdtemp())
    owner = os.geteuid()
    if owner == 0:
        os.chown(place, NOBODY, -1)
        os.seteuid(NOBODY)
    state = place / "state"
    state.mkdir()
    yield state / "tidegate.db"
    os.seteuid(owner)
    shutil.rmtree(place)
