"""The drivers of this process: which runs it drives, and keeping their leases."""

import asyncio
import contextlib
import logging
from collections.abc import Mapping

from tidegate.engine.children import have_moved
from tidegate.engine.driver import Driver
from tidegate.engine.parts import Parts
from tidegate.errors import StoreError, TidegateError
from tidegate.model.events import RunStatus
from tidegate.model.ids import RunId
from tidegate.model.listing import Epoch, RunRow
from tidegate.model.state import RunState
from tidegate.store.owner import has_living_owner
from tidegate.store.protocol import Claim

__all__ = ["Drivers"]

log = logging.getLogger(__name__)

_MIND_CHANGES = 0.2
"""Seconds between two looks at whether leaving is still wanted."""


_STUCK = (
    "nothing in it can go on, though it has not ended: that is a fault of tidegate. "
    "Fork it from an earlier point, or cancel it"
)


class Drivers:
    """At most one driver per run, each in a task of its own."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._drivers: dict[RunId, Driver] = {}
        self._tasks: dict[RunId, asyncio.Task[None]] = {}
        self._epochs: dict[RunId, Epoch] = {}
        """Under which epoch each of them drives."""
        self._leaving: dict[tuple[RunId, Epoch], asyncio.Task[None]] = {}
        """Tasks that drive no more, and look whether they left too early."""
        self._crashed: dict[RunId, str] = {}
        self._stopping = ""
        self._draining = False

    def __contains__(self, run_id: RunId) -> bool:
        return run_id in self._tasks

    def are_at(self, run_id: RunId) -> bool:
        """Whether this process drives the run, or has just left it and may come back."""
        return run_id in self._tasks or any(left == run_id for left, _ in self._leaving)

    @property
    def troubles(self) -> Mapping[RunId, str]:
        """Why runs are held, by run; empty when all is well."""
        held = {run_id: driver.trouble for run_id, driver in self._drivers.items() if driver.trouble}
        return {**self._crashed, **held}

    def give_up(self, run_id: RunId, why: str) -> None:
        """Note that a run cannot be driven, as its journal cannot be relied on."""
        self._crashed[run_id] = why

    @property
    def running(self) -> int:
        """How many blocks run in this process."""
        return sum(driver.running for driver in self._drivers.values())

    @property
    def at_work(self) -> tuple[str, ...]:
        """What runs in this process: workflow and block of each."""
        return tuple(
            f"{driver.state.graph.definition.name} / {place}"
            for driver in self._drivers.values()
            for place in driver.at_work
        )

    def wake(self, run_id: RunId, head: int | None = None) -> None:
        """Wake the driver of a run, unless it already knows the event at *head*."""
        driver = self._drivers.get(run_id)
        if driver is not None and (head is None or driver.state.head < head):
            driver.wake()

    def wake_parent(self, parent: RunId, child: RunId) -> None:
        """Wake the driver of a run whose child has changed."""
        driver = self._drivers.get(parent)
        if driver is not None:
            driver.wake(child)

    async def drive(self, row: RunRow) -> None:
        """Drive a run, unless it is driven here already.

        Raises:
            LeaseHeld: another living process drives it.
        """
        if row.run_id in self._tasks:
            self.wake(row.run_id)
            return
        if self._draining:
            return
        now = self._parts.clock.now()
        over = row.epoch if row.owner and not has_living_owner(row, now) else None
        self.launch(
            await self._parts.store.claim(
                row.run_id, owner=self._parts.owner, now=now, until=now + self._parts.lease_seconds, over=over
            )
        )

    def launch(self, claim: Claim, state: RunState | None = None) -> None:
        """Drive the claimed run in a task of its own; of two claims, only under the newer one.

        Args:
            claim: The run, and its epoch.
            state: Where it stands, if that is known; None: it is read.
        """
        # A process that stood still with a claim on its way may find its lease run out, and claim again.
        if claim.epoch < self._epochs.get(claim.run_id, 0):
            return
        if claim.run_id in self._drivers:
            self._drivers.pop(claim.run_id).fence()
        if claim.run_id in self._tasks:
            self._leaving[claim.run_id, self._epochs[claim.run_id]] = self._tasks[claim.run_id]
        self._crashed.pop(claim.run_id, None)
        self._epochs[claim.run_id] = claim.epoch
        task = asyncio.create_task(self._drive(claim, state), name=f"drive {claim.run_id}")
        self._tasks[claim.run_id] = task

    def _is_newest(self, claim: Claim) -> bool:
        return self._epochs.get(claim.run_id) == claim.epoch

    async def _drive(self, claim: Claim, state: RunState | None) -> None:
        try:
            state = state or await self._parts.states.newest(claim.run_id)
            driver = Driver(self._parts, claim, state, self)
            if self._is_newest(claim):
                self._drivers[claim.run_id] = driver
            else:
                driver.fence()
            if self._stopping:
                driver.stop(self._stopping)
            elif self._draining:
                driver.drain()
            state = await driver.drive()
            self._parts.states.keep(state)
        except Exception as error:
            # Whatever it is, it must not take the other runs along. The run shows as interrupted.
            log.exception("the driver of run %s ended", claim.run_id)
            self._crashed[claim.run_id] = str(error)
            await self._give_back(claim)
        finally:
            self._leave(claim)
        try:
            if state is not None and not (self._stopping or self._draining):
                await self._pass_on(state)
                await self._note_stuck(state)
        finally:
            del self._leaving[claim.run_id, claim.epoch]

    def _leave(self, claim: Claim) -> None:
        """Note that nobody drives under this claim any more."""
        if self._is_newest(claim):
            self._leaving[claim.run_id, claim.epoch] = self._tasks.pop(claim.run_id)
            self._drivers.pop(claim.run_id, None)
            del self._epochs[claim.run_id]

    async def _pass_on(self, state: RunState) -> None:
        """See to it that news reach the run above, and that news from below were not missed while leaving."""
        if state.parent is not None:
            self.wake_parent(state.parent.run_id, state.run_id)
        if state.finished is not None or not state.children:
            return
        with contextlib.suppress(TidegateError):
            if await have_moved(self._parts, state):
                await self.drive(await self._parts.store.run(state.run_id))

    async def _note_stuck(self, state: RunState) -> None:
        """Give up a run that was left though it should move: whoever takes it up again would leave it again at once."""
        if state.status is not RunStatus.RUNNING or state.run_id in self._tasks:
            return
        with contextlib.suppress(TidegateError):
            row = await self._parts.store.run(state.run_id)
            if row.head == state.head and not row.owner:
                self.give_up(state.run_id, _STUCK)

    async def _give_back(self, claim: Claim) -> None:
        with contextlib.suppress(TidegateError):
            head = (await self._parts.store.run(claim.run_id)).head
            await self._parts.store.release(claim.run_id, epoch=claim.epoch, head=head)

    async def finish(self, run_id: RunId) -> None:
        """Return once this process does not drive the run (any more)."""
        leaving = {task for (left, _), task in self._leaving.items() if left == run_id}
        if tasks := leaving | {task for task in [self._tasks.get(run_id)] if task is not None}:
            await asyncio.wait(tasks)

    async def drain(self) -> bool:
        """Start nothing new from now on, in any run; return when what runs has ended and all leases are given back.

        False: somebody has changed their mind meanwhile.
        """
        self._draining = True
        for driver in self._drivers.values():
            driver.drain()
        while self._draining and (tasks := {*self._tasks.values(), *self._leaving.values()}):
            await asyncio.wait(tasks, timeout=_MIND_CHANGES)
        return self._draining

    def go_on(self) -> None:
        """Start what may start again."""
        self._draining = False
        for driver in self._drivers.values():
            driver.drain(on=False)

    async def stop(self, reason: str) -> None:
        """Stop what runs, record it, give the leases back, and return when all have left."""
        self._stopping = reason
        for driver in self._drivers.values():
            driver.stop(reason)
        while tasks := {*self._tasks.values(), *self._leaving.values()}:
            await asyncio.wait(tasks)

    async def keep_leases(self) -> None:
        """Renew the leases for ever; a driver whose lease is lost is fenced."""
        while True:
            await asyncio.sleep(self._parts.lease_seconds / 3)
            epochs = {run_id: driver.claim.epoch for run_id, driver in self._drivers.items()}
            if not epochs:
                continue
            try:
                until = self._parts.clock.now() + self._parts.lease_seconds
                lost = await self._parts.store.renew(epochs, until=until)
            except StoreError as error:
                log.warning("leases could not be renewed: %s", error)
                continue
            for run_id in epochs.keys() & self._drivers.keys():
                if run_id in lost:
                    self._drivers[run_id].fence()
                else:
                    self._drivers[run_id].note_lease(until)
