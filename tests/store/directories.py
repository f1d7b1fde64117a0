"""Directories of stores, for their tests: what is in them, and what somebody else may do to them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from store.builders import BLOCK, RUN, adding, chunk, hashed, marked, new_run, paused, wave
from tidegate.clock import SystemClock
from tidegate.store import open_store
from tidegate.store.directory.batch import Batch, text_of
from tidegate.store.protocol import Store

SMALL = hashed("a value that several runs have")


async def opened_at(place: Path) -> Store:
    """Open the store in the directory at *place*."""
    return await open_store(f"file://{place}", clock=SystemClock())


async def fill(place: Path) -> None:
    """Make a store with two runs, in eight records: journals, a value, output, a pause, a lease given back."""
    store = await opened_at(place)
    await store.create_run(new_run())
    await store.append(adding(wave(), paused(), marked(), values=dict([SMALL])))
    await store.write_output(RUN, BLOCK, 1, [chunk(0, b"one\n"), chunk(1, b"two\n")])
    await store.create_run(new_run("other"))
    for after in range(1, 5):
        await store.append(adding(wave(), after=after, run_id="other"))
    await store.close()


def content(place: Path) -> dict[str, bytes]:
    """Return every file below *place* that is history, with what it holds."""
    found = {str(path.relative_to(place)): path.read_bytes() for path in place.rglob("*") if path.is_file()}
    return {name: data for name, data in sorted(found.items()) if not name.startswith((".lock", "leases/"))}


def record(place: Path, number: int) -> Path:
    """Return where a record is."""
    return place / "records" / f"{number:08}.json"


def resealed(path: Path, change: Callable[[Any], None]) -> None:
    """Change a record, and give it the checksum that it must have then."""
    said = json.loads(path.read_text())
    change(said)
    batch = Batch(**{**said, "orders": tuple(said["orders"])})
    path.write_bytes(text_of(batch.sealed()))
