"""Putting the parts together: the one place that opens a store and makes an executor for it."""

import asyncio
import logging
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeVar

from tidegate.cli.call import call_of
from tidegate.cli.console import complain
from tidegate.cli.endings import DEBUG_VARIABLE
from tidegate.clock import SystemClock
from tidegate.engine.feed import Feed
from tidegate.errors import StoreNotFound
from tidegate.history.history import History
from tidegate.history.latencies import Latencies
from tidegate.history.shelf import Shelf
from tidegate.history.timed import timed
from tidegate.settings import DEFAULT_ORIGIN, Settings
from tidegate.store.opening import file_of, open_store, sameness_of, url_of
from tidegate.store.protocol import Store

if TYPE_CHECKING:
    from tidegate.engine.executor import Executor

__all__ = [
    "Reading",
    "Session",
    "open_existing",
    "open_onlooking",
    "open_reading",
    "open_session",
    "read_store",
    "run_attended",
    "run_with_session",
    "with_store",
]

T = TypeVar("T")

_STOPPING = 10.0
"""Seconds that an orderly stop may take: a command has two between TERM and KILL."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One open store, with what may be asked of it."""

    history: History
    feed: Feed
    url: str
    call: str
    """How to call us again for the same store, as a person would type it."""


@dataclass(frozen=True, slots=True)
class Session:
    """One open store, with what may be done to it and what may be asked of it."""

    executor: "Executor"
    history: History
    url: str
    operator: str
    call: str
    """How to call us again for the same store, as a person would type it."""
    shelf: Shelf
    store: Store
    """Closed with the session; for a room that builds on what is open."""
    latencies: Latencies = field(default_factory=Latencies)
    """How long the store took, as this process has seen it."""
    is_current: Callable[[], bool] = lambda: True
    """Whether what is open is still what is there under its name."""


@asynccontextmanager
async def _open_store(settings: Settings, *, reads_only: bool = False) -> AsyncIterator[Store]:
    store = await open_store(settings.store, clock=SystemClock(), reads_only=reads_only)
    try:
        yield store
    finally:
        await store.close()


@asynccontextmanager
async def open_session(
    settings: Settings, *, adopts: bool = False, cleans: bool = False
) -> AsyncIterator[Session]:
    """Open the store of *settings*; close everything in order afterwards.

    Args:
        settings: Which store, and who we are.
        adopts: Whether to take over runs whose process is gone.
        cleans: Whether to remove what is kept no longer when it is time, unless the settings say no.
    """
    # Imported here: commands that only read start without the engine.
    from tidegate.blocks.registry import all_blocks
    from tidegate.engine.executor import Executor

    async with _open_store(settings) as opened:
        clock, cleaning, latencies = SystemClock(), settings.cleaning, Latencies()
        store = timed(opened, clock, latencies)
        executor = Executor(
            store,
            clock,
            all_blocks(),
            adopts=adopts,
            max_checkpoint_size_mb=settings.max_checkpoint_size_mb,
            cleaning=replace(cleaning, auto_cleanup=cleans and cleaning.auto_cleanup),
        )
        executor.states.on_replayed = latencies.restores.add
        await executor.open()
        try:
            history, call = History(store, clock, executor.states), call_of(settings)
            shelf = Shelf(settings.workflow_folders)
            yield Session(
                executor,
                history,
                store.url,
                settings.operator,
                call,
                shelf,
                store,
                latencies,
                sameness_of(settings.store),
            )
        finally:
            await executor.close()


@asynccontextmanager
async def open_onlooking(settings: Settings) -> AsyncIterator[Session]:
    """Open the store of *settings* to look at it: nothing of it is touched, and its executor drives nothing.

    Raises:
        StoreNotFound: there is none where the settings say.
    """
    from tidegate.blocks.registry import all_blocks
    from tidegate.engine.executor import Executor

    async with _open_store(_existing(settings), reads_only=True) as store:
        clock = SystemClock()
        # Not opened: it holds no run, takes none over, and lets no deadline fire.
        executor = Executor(store, clock, all_blocks())
        shelf = Shelf(settings.workflow_folders)
        yield Session(
            executor,
            History(store, clock, executor.states),
            store.url,
            settings.operator,
            call_of(settings),
            shelf,
            store,
            is_current=sameness_of(settings.store),
        )


def run_with_session(
    settings: Settings,
    work: Callable[[Session], Awaitable[T]],
    *,
    creates: bool = False,
    adopts: bool = False,
) -> T:
    """Run *work* in a session of its own.

    Args:
        settings: Which store, and who we are.
        work: What to do in it.
        creates: Whether a store that is not there yet is made.
        adopts: Whether to take over runs whose process is gone, and to let overdue questions expire.

    INT, TERM and HUP stop it in order: what runs is stopped, that is recorded, and the run can be
    resumed.

    Raises:
        KeyboardInterrupt: a signal stopped it.
    """

    async def in_session() -> T:
        where = settings if creates else _existing(settings)
        # Of the commands, those that drive runs of their own, or of everybody: an answer has other business.
        async with open_session(where, adopts=adopts, cleans=creates or adopts) as session:
            return await work(session)

    return run_attended(in_session)


@asynccontextmanager
async def open_reading(settings: Settings, *, reads_only: bool) -> AsyncIterator[Reading]:
    """Open the store of *settings* to ask about it; if it *reads_only*, nothing of it is touched."""
    async with _open_store(settings, reads_only=reads_only) as store:
        yield Reading(History(store, SystemClock()), Feed(store), store.url, call_of(settings))


@asynccontextmanager
async def open_existing(settings: Settings) -> AsyncIterator[Reading]:
    """Open the store of *settings* to look at it, if there is one; nothing of it is touched.

    Raises:
        StoreNotFound: there is none where the settings say.
    """
    async with open_reading(_existing(settings), reads_only=True) as reading:
        yield reading


def read_store(settings: Settings, work: Callable[[Reading], Awaitable[T]], *, reads_only: bool = False) -> T:
    """Run *work* that only reads. To look does not create a store.

    Args:
        settings: Which store.
        work: What to ask of it.
        reads_only: Whether a store of an older version is refused instead of brought up to date.

    Raises:
        KeyboardInterrupt: a signal stopped it.
        StoreNotFound: there is none where the settings say.
    """

    async def in_store() -> T:
        async with open_reading(_existing(settings), reads_only=reads_only) as reading:
            done = await work(reading)
            if damage := reading.history.damage:  # What was shown may be short of something.
                complain(f"tidegate: {damage}")
            return done

    return run_attended(in_store)


def with_store(settings: Settings, work: Callable[[Store], Awaitable[T]], *, creates: bool = False) -> T:
    """Run *work* on the store itself: whole runs go into it, or out of it, and nobody drives them.

    Args:
        settings: Which store.
        work: What to do with it.
        creates: Whether a store that is not there yet is made.

    Raises:
        KeyboardInterrupt: a signal stopped it.
        StoreNotFound: there is none where the settings say, and none is to be made.
    """

    async def in_store() -> T:
        async with _open_store(settings if creates else _existing(settings)) as store:
            return await work(store)

    return run_attended(in_store)


def _existing(settings: Settings) -> Settings:
    """Return settings of a store that is there: an empty one if nothing was ever kept where it is by default."""
    path = file_of(settings.store)
    if path is None or path.exists():
        return settings
    if settings.store_origin == DEFAULT_ORIGIN:
        return replace(settings, store="memory://")
    raise StoreNotFound(url_of(settings.store))


def run_attended(work: Callable[[], Awaitable[T]]) -> T:
    """Run *work* to its end, or until a signal stops it; what is logged on the way is told in sentences.

    Raises:
        KeyboardInterrupt: a signal stopped it.
    """
    logging.basicConfig(handlers=[_Sentences()], force=True)
    # Of ourselves alone: other packages log what they are given, and that may be anybody's.
    logging.getLogger("tidegate").setLevel(
        logging.INFO if os.environ.get(DEBUG_VARIABLE) else logging.WARNING
    )
    return asyncio.run(_with_signals(work))


async def _with_signals(work: Callable[[], Awaitable[T]]) -> T:
    task = asyncio.ensure_future(work())
    stop = _Stop(task.cancel)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        # `nohup` has hung-up terminals ignored, and is to be obeyed.
        if number is not signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:
            asyncio.get_running_loop().add_signal_handler(number, stop)
    try:
        return await task
    except asyncio.CancelledError as error:
        raise KeyboardInterrupt from error


class _Stop:
    """Stops what runs at the first signal. Those that follow at once would cut off the recording of it."""

    def __init__(self, cancel: Callable[[], object]) -> None:
        self._cancel = cancel
        self._not_before = 0.0

    def __call__(self) -> None:
        """Take a signal: once more if what was stopped still has not ended."""
        now = asyncio.get_running_loop().time()
        if now >= self._not_before:
            self._not_before = now + _STOPPING
            self._cancel()


class _Sentences(logging.Handler):
    """Tells warnings of the engine as sentences; without a handler they would come with a traceback."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write one record to standard error."""
        text, trace = f"tidegate: {record.getMessage()}", list[str]()
        if record.exc_info and record.exc_info[1] is not None:
            error = record.exc_info[1]
            text += f": {type(error).__name__}: {error}"
            if os.environ.get(DEBUG_VARIABLE):
                trace = logging.Formatter().formatException(record.exc_info).splitlines()
        complain(text, *trace)
