"""Opening a store for a program."""

import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace

from tidegate.blocks.base import Block
from tidegate.clock import SystemClock
from tidegate.embedding.block_types import catalog_with, types_with
from tidegate.embedding.tidegate import Tidegate
from tidegate.engine.executor import Executor
from tidegate.history.history import History
from tidegate.settings import Settings, load_settings
from tidegate.store.opening import open_store
from tidegate.store.protocol import Store

__all__ = ["open_tidegate"]


@asynccontextmanager
async def open_tidegate(
    store: str | os.PathLike[str] | None = None,
    *,
    by: str | None = None,
    blocks: Mapping[str, Block] | None = None,
    adopts: bool = False,
) -> AsyncIterator[Tidegate]:
    """Open a store with an executor in the running event loop; use it with `async with`.

    When it is closed, what runs here is stopped, that is recorded, and every run can be resumed. A blocked
    event loop blocks the runs, too: after 30 seconds somebody else may take them over.

    Args:
        store: ``sqlite:///absolute/path``, a path, ``file:///absolute/path`` for a directory of files that
            people can read, or ``memory://`` for one that is gone when it is closed; it is created if it is
            not there. None: that of the command line (`TIDEGATE_STORE`, or the user's
            data directory).
        by: Who starts, answers and cancels, as the journal names them; None: `TIDEGATE_OPERATOR`, or the
            user's name.
        blocks: The program's own block types by name, one instance each.
        adopts: Whether to drive runs whose process is gone, to let overdue questions expire, and to remove
            finished runs that are kept no longer (unless `TIDEGATE_AUTO_CLEANUP` says no): for programs that
            stay.

    Raises:
        StoreUnavailable: *store* names no store, or one that cannot be opened now.
        CorruptStore: the file is damaged, or is no Tidegate store.
        SchemaTooNew: a newer Tidegate wrote it.
        SettingsError: a variable of the environment says what nobody can mean.
        TypeError: one of *blocks* is no instance of a block class.
        ValueError: one has the name of a type that comes with Tidegate, or a `spec` of another name.
    """
    settings = load_settings(store=os.fspath(store) if store is not None else None)
    own = blocks or {}
    types, clock = types_with(own), SystemClock()
    opened = await open_store(settings.store, clock=clock)
    executor = _executor(settings, opened, types, adopts=adopts)
    history = History(opened, clock, executor.states)
    gate = Tidegate(opened, executor, history, catalog_with(own), by or settings.operator)
    try:
        await executor.open()
        yield gate
    finally:
        await gate.close()


def _executor(settings: Settings, store: Store, types: Mapping[str, Block], *, adopts: bool) -> Executor:
    cleaning = settings.cleaning
    return Executor(
        store,
        SystemClock(),
        types,
        adopts=adopts,
        max_checkpoint_size_mb=settings.max_checkpoint_size_mb,
        cleaning=replace(cleaning, auto_cleanup=adopts and cleaning.auto_cleanup),
    )
