"""Copies of whole stores: opening one to see whether it is sound, and knowing whose it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tidegate.store.keys import Keys

if TYPE_CHECKING:
    from pathlib import Path

    from tidegate.clock import Clock
    from tidegate.store.protocol import Store

__all__ = ["open_copy", "store_id_of"]


async def open_copy(place: Path, *, clock: Clock) -> Store:
    """Open a copy that nobody uses, to read it. A copy in one file stays as it is, to the last byte.

    Raises:
        StoreUnavailable: it cannot be read.
        StoreLocked: it is encrypted, and the environment names no key of it.
        CorruptStore: it is damaged, or none.
    """
    # Here: whoever sees only the contract loads no SQLite.
    if place.is_dir():  # noqa: ASYNC240  # one look at a file that is about to be opened
        from tidegate.store.directory.store import open_directory

        return await open_directory(place, clock)
    from tidegate.store.sqlite.sealed import open_sealed

    return await open_sealed(place, Keys.from_environment())


def store_id_of(place: Path) -> str | None:
    """Return the id that a store keeps through all its copies; None: there is no store, or none that can be read."""
    if place.is_dir():
        from tidegate.store.directory import identity
        from tidegate.store.directory.place import Place

        return identity.store_id_of(Place(place))
    from tidegate.store.sqlite.sealed import store_id_in

    return store_id_in(place)
