"""Seeing to it that runs which should move are driven, here or elsewhere.

A run is driven from its top: the driver of a parent looks after the runs that its blocks have
started, so whoever wants one of those to move sees to the run at the top.
"""

import asyncio
import contextlib
import itertools
import logging
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

from tidegate.engine.cleaning import Cleaner
from tidegate.engine.clock_watch import watch_clock
from tidegate.engine.drivers import Drivers
from tidegate.engine.feed import Feed
from tidegate.engine.parts import Parts
from tidegate.engine.votes import expire
from tidegate.errors import CorruptStore, LeaseHeld, RunFinished, RunNotFound, TidegateError
from tidegate.model.events import UNFINISHED, RunStatus
from tidegate.model.ids import RunId
from tidegate.model.listing import Cursor, PauseFilter, PauseRow, RunFilter, RunRow
from tidegate.store.owner import has_living_owner

__all__ = ["Keeper"]

log = logging.getLogger(__name__)
T = TypeVar("T")

_WATCH_SECONDS = 0.05
_HOUSEKEEPING_SECONDS = 0.5
_ROUNDS_BETWEEN_ADOPTIONS = 6
_MANY = 10_000
_LOGGED = 100


class Keeper:
    """Wakes drivers, adopts what was left behind, lets overdue questions expire."""

    def __init__(self, parts: Parts, drivers: Drivers, feed: Feed, cleaner: Cleaner, *, adopts: bool) -> None:
        self._parts = parts
        self._drivers = drivers
        self._feed = feed
        self._cleaner = cleaner
        self.adopts = adopts
        """Whether runs that were left behind are taken over unasked."""
        self._tasks: list[asyncio.Task[None]] = []
        self._since = Cursor(0)
        """Up to where changes of the store have been seen."""
        self._logged: list[str] = []
        """What was said last: a fault that stays is met twice a second."""

    async def begin(self) -> None:
        """Keep leases, watch the store and keep it small from now on; adopt, if that is wanted."""
        # What has changed before concerns nobody: nothing is driven yet, and what is to be adopted is looked for.
        self._since = await self._quietly(self._feed.now()) or self._since
        self._background(self._drivers.keep_leases())
        self._background(self._watch())
        self._background(watch_clock(self._parts.clock))
        self._background(self._cleaner.keep_clean())
        if self.adopts:
            self._background(self._keep_house())

    def _background(self, work: Coroutine[Any, Any, None]) -> None:
        self._tasks.append(asyncio.create_task(work))

    async def end(self) -> None:
        """Leave everything as it is from now on."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks.clear()

    # -- one run ------------------------------------------------------------------------------

    async def top_of(self, row: RunRow) -> RunRow:
        """Return the run to be driven so that *row*'s moves: the one at its top, unless that has ended."""
        if row.root is None:
            return row
        with contextlib.suppress(RunNotFound):
            root = await self._parts.store.run(row.root)
            if not root.summary.status.is_terminal:
                return root
        return row

    async def throughout(self, run_id: RunId, turn: Callable[[RunId], Awaitable[None]]) -> None:
        """Do something to a run, and to the unfinished ones below it."""
        await turn(run_id)
        for row in await self._below(run_id):
            with contextlib.suppress(RunFinished):
                await turn(row.run_id)

    async def _below(self, run_id: RunId) -> list[RunRow]:
        """Return the unfinished runs below a run, nearest first."""
        row = await self._parts.store.run(run_id)
        rows = await self._parts.store.runs(RunFilter(root=row.root or run_id, limit=_MANY))
        prefix = f"{row.path}/" if row.path else ""
        below = [one for one in rows if one.path.startswith(prefix) and one.path != row.path]
        unfinished = [one for one in below if not one.summary.status.is_terminal]
        return sorted(unfinished, key=lambda one: one.path.count("/"))

    async def move_on(self, run_id: RunId) -> None:
        """See that somebody drives the run: our own driver, somebody else's, or a new one."""
        self._drivers.wake(run_id)
        row = await self._parts.store.run(run_id)
        # Even if it is driven here: those above may have left when it last came to rest.
        if await self._tell_above(row):
            return
        top = await self.top_of(row)
        if not top.summary.status.is_terminal:
            with contextlib.suppress(LeaseHeld):
                await self._drivers.drive(top)

    async def _tell_above(self, row: RunRow) -> bool:
        """Wake the driver of the nearest run above that is driven here; it sees to all below it.

        Returns: whether there is one.
        """
        while row.parent is not None:
            if row.parent in self._drivers:
                self._drivers.wake_parent(row.parent, row.run_id)
                return True
            row = await self._parts.store.run(row.parent)
        return False

    # -- all runs -----------------------------------------------------------------------------

    async def adopt(self) -> tuple[RunId, ...]:
        """Drive the runs that should move and have no living owner; return them.

        A run that a person stopped stays where it is until a person resumes it.
        """
        # Not all that wait: of thousands of questions nobody holds a run, and this is asked for ever.
        left = RunFilter(statuses=UNFINISHED, left_only=True, limit=_MANY)
        rows = await self._parts.store.runs(left)
        return tuple([row.run_id for row in rows if await self._quietly(self._adopt_one(row), row.run_id)])

    async def _adopt_one(self, row: RunRow) -> bool:
        now = self._parts.clock.now()
        is_ours = row.run_id in self._drivers or row.run_id in self._drivers.troubles
        if is_ours or has_living_owner(row, now) or not _should_move(row):
            return False
        if await self._tell_above(row):
            return False
        top = await self.top_of(row)
        with contextlib.suppress(LeaseHeld):
            await self._drivers.drive(top)
            return True
        return False

    async def expire_due(self, run_id: RunId | None = None) -> None:
        """Let questions expire whose deadline has passed, of one run and those below it, or of all."""
        due = PauseFilter(root=run_id, due_by=self._parts.clock.now())
        for row in await self._parts.store.pauses(due):
            await self._expire_one(row)

    async def _expire_one(self, row: PauseRow) -> None:
        expired = await expire(self._parts, row.pause_id)
        if expired is not None:
            await self.move_on(expired)

    async def _expire_overdue(self) -> None:
        """Let overdue questions of all runs expire; one damaged run keeps no other from that."""
        for row in await self._parts.store.pauses(PauseFilter(due_by=self._parts.clock.now())):
            if row.run_id not in self._drivers.troubles:
                await self._quietly(self._expire_one(row), row.run_id)

    async def _watch(self) -> None:
        """Wake drivers when others append to their runs; adopt what was left behind."""
        while True:
            await self._quietly(self._follow())
            # The store could not be read: that may pass, and everybody waits for being woken.
            await asyncio.sleep(_HOUSEKEEPING_SECONDS)

    async def _follow(self) -> None:
        async for changes in self._feed.follow(self._since):
            self._since = changes.cursor
            for row in changes.runs:
                self._drivers.wake(row.run_id, row.head)
                # Nobody drives a run that has no owner: whoever is nearest above has to see to it.
                if not row.owner or (row.parent is not None and row.parent in self._drivers):
                    await self._quietly(self._tell_above(row), row.run_id)
                if self.adopts:
                    await self._quietly(self._adopt_one(row), row.run_id)
            # Our own drivers commit hundreds of times a second; what others do may wait this long.
            await asyncio.sleep(_WATCH_SECONDS)

    async def _keep_house(self) -> None:
        """Let overdue pauses expire, and adopt what was left behind: neither shows as a change."""
        for round_number in itertools.count():
            await self._quietly(self._expire_overdue())
            if round_number % _ROUNDS_BETWEEN_ADOPTIONS == 0:
                await self._quietly(self.adopt())
            await asyncio.sleep(_HOUSEKEEPING_SECONDS)

    async def _quietly(self, work: Coroutine[Any, Any, T], run_id: RunId | None = None) -> T | None:
        """Do background work; what goes wrong is logged once, and tried again at the next occasion.

        A damaged run is not tried again: that changes nothing, and costs reading it to where the damage is.
        """
        try:
            return await work
        except TidegateError as error:
            if isinstance(error, CorruptStore) and run_id is not None:
                self._drivers.give_up(run_id, str(error))
            if str(error) not in self._logged:
                log.warning("%s", error)
            self._logged = [*self._logged[-_LOGGED:], str(error)]
            return None


def _should_move(row: RunRow) -> bool:
    """Whether a run that nobody drives should be driven.

    One that was stopped by a person, or waits for people, gave its lease back; one whose process
    died could not.
    """
    if row.summary.status in (RunStatus.INTERRUPTED, RunStatus.PAUSED):
        return bool(row.owner)
    return row.summary.status in (RunStatus.QUEUED, RunStatus.RUNNING)
