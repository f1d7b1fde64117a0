"""Metrics over HTTP: of a store, and of the process that drives its runs."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tidegate.cli.console import complain
from tidegate.cli.wiring import Session, open_existing, run_attended
from tidegate.clock import SystemClock
from tidegate.errors import StoreError
from tidegate.history.exposition import exposition, process_exposition
from tidegate.server.metrics import Address, Seldom, serving
from tidegate.settings import Settings

__all__ = ["serve_store", "with_metrics"]


def serve_store(settings: Settings, where: tuple[str, int], workflow: str | None) -> None:
    """Serve what a store holds, until a signal comes. The store is opened for each page, and only looked at.

    Raises:
        KeyboardInterrupt: a signal came.
        SettingsError: nothing can listen there.
    """

    async def page() -> str:
        async with open_existing(settings) as reading:
            return exposition(await reading.history.totals(workflow))

    async def serve() -> None:
        address = Address(*where)
        async with serving(address, Seldom(page, SystemClock()), called="--serve") as url:
            _tell(address, url)
            await asyncio.Event().wait()

    run_attended(serve)


@asynccontextmanager
async def with_metrics(session: Session, where: tuple[str, int] | None) -> AsyncIterator[None]:
    """Serve, while inside, what the store of a session holds and how it has behaved; None: nothing.

    Raises:
        SettingsError: nothing can listen there.
    """
    if where is None:
        yield
        return

    async def counted() -> str:
        return exposition(await session.history.totals())

    address, store = Address(*where), Seldom(counted, SystemClock())
    async with serving(address, lambda: _page(session, store), called="--metrics") as url:
        _tell(address, url)
        yield


async def _page(session: Session, counted: Seldom) -> str:
    try:
        store = await counted()
    except StoreError:
        # What the process has seen is worth most just then.
        store = ""
    executor = session.executor
    process = process_exposition(
        session.latencies, running=executor.running, held=len(executor.troubles), readable=bool(store)
    )
    return "\n".join(part for part in (process, store) if part)


def _tell(address: Address, url: str) -> None:
    complain(f"tidegate: metrics at {url}")
    if not address.is_local:
        complain(
            "tidegate: whoever can reach that address can read the names of workflows, and how many runs"
        )
