"""From the URL of a damaged store to what is left of it."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from tidegate.errors import StoreNotFound
from tidegate.store.keys import Keys
from tidegate.store.opening import WrongStore, file_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from tidegate.store.wreck import Wreck

__all__ = ["open_wreck"]


@asynccontextmanager
async def open_wreck(url: str, scratch: Path, *, keys: Keys | None = None) -> AsyncIterator[Wreck]:
    """Read what is left of the store at *url*.

    Args:
        url: As `open_store` takes it.
        scratch: A file for what was found, made and removed here; it takes as much room as the store.
        keys: What opens it if it is encrypted; None: those that the environment names.

    Raises:
        StoreNotFound: there is nothing.
        StoreLocked: it is encrypted and no key of it was given, or the other way round.
        WrongStore: it is of a kind that has no ruins.
        StoreUnavailable: it cannot be read at all.
    """
    # Here: whoever sees only the contract loads no SQLite.
    from tidegate.store.sqlite.wreck import open_sqlite_wreck

    path = file_of(url)
    if path is None or path.is_dir():
        raise WrongStore(url, "only a store in a SQLite file can be repaired", "See docs/stores.md")
    if not path.exists():
        raise StoreNotFound(url)
    async with open_sqlite_wreck(
        path.resolve(), scratch, Keys.from_environment() if keys is None else keys
    ) as wreck:
        yield wreck
