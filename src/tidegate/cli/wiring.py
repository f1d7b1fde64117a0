"""Putting the parts together: the one place that opens a store and makes an executor for it."""

import asyncio
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TypeVar

from tidegate.blocks.registry import BUILTIN
from tidegate.clock import SystemClock
from tidegate.engine.executor import Executor
from tidegate.history.history import History
from tidegate.settings import Settings
from tidegate.store.opening import open_store

__all__ = ["Session", "open_session", "run_with_session"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Session:
    """One open store, with what may be done to it and what may be asked of it."""

    executor: Executor
    history: History
    url: str
    operator: str


@asynccontextmanager
async def open_session(settings: Settings, *, adopts: bool = False) -> AsyncIterator[Session]:
    """Open the store of *settings*; close everything in order afterwards.

    Args:
        settings: Which store, and who we are.
        adopts: Whether to take over runs whose process is gone.
    """
    clock = SystemClock()
    store = await open_store(settings.store, clock=clock)
    try:
        executor = Executor(store, clock, BUILTIN, adopts=adopts)
        await executor.open()
        try:
            yield Session(executor, History(store, clock), store.url, settings.operator)
        finally:
            await executor.close()
    finally:
        await store.close()


def run_with_session(settings: Settings, work: Callable[[Session], Awaitable[T]]) -> T:
    """Run *work* in a session of its own.

    INT, TERM and HUP stop it in order: what runs is stopped, that is recorded, and the run can be
    resumed.

    Raises:
        KeyboardInterrupt: a signal stopped it.
    """
    return asyncio.run(_with_signals(settings, work))


async def _with_signals(settings: Settings, work: Callable[[Session], Awaitable[T]]) -> T:
    task = asyncio.ensure_future(_work(settings, work))
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, task.cancel)
    try:
        return await task
    except asyncio.CancelledError as error:
        raise KeyboardInterrupt from error


async def _work(settings: Settings, work: Callable[[Session], Awaitable[T]]) -> T:
    async with open_session(settings) as session:
        return await work(session)
