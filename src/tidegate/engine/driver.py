"""The one task that drives a run.

It decides, commits, starts what was committed, and waits; nothing has an effect before its
intent is durable. Outcome, what follows from it and the next intents are one transaction. A
driver never assumes that its process started the run, and it leaves when the run waits for
people: a pause holds no task, no thread and no lease.
"""

import asyncio
import logging
from collections.abc import Mapping, Sequence

from tidegate.engine.attempt import Note
from tidegate.engine.attempts import Attempts
from tidegate.engine.children import Children, Fleet
from tidegate.engine.decide import decide
from tidegate.engine.draft import Draft
from tidegate.engine.leftovers import end_leftovers
from tidegate.engine.outcome import Outcome, what_follows
from tidegate.engine.parts import Parts
from tidegate.engine.timers import run_is_over_time, seconds_to_next
from tidegate.errors import CorruptStore, JournalConflict, StaleEpoch, StoreError
from tidegate.model.events import (
    AttemptInterrupted,
    JournalEvent,
    RunAdopted,
    RunInterrupted,
    RunStatus,
    RunTimedOut,
)
from tidegate.model.ids import BlockId, RunId
from tidegate.model.state import BlockStatus, RunState
from tidegate.store.owner import describe_owner
from tidegate.store.protocol import Claim
from tidegate.store.replay import catch_up

__all__ = ["Driver"]

log = logging.getLogger(__name__)

RETRY_SECONDS = (0.2, 0.5, 1.0, 2.0, 5.0)
"""How long to wait before a commit that the store could not take is tried again; the last repeats."""


class Driver:
    """Drives one run under one epoch, until it has ended, waits for people, or is stopped."""

    def __init__(self, parts: Parts, claim: Claim, state: RunState, fleet: Fleet) -> None:
        self.claim = claim
        self.state = state
        self.trouble = ""
        """Why nothing can be committed at the moment; empty when all is well."""
        self._parts = parts
        self._held_until = (0.0, 0.0)
        """Until when nobody else can take the run: by the clock that others see, and by one that is never set."""
        self.note_lease(parts.clock.now() + parts.lease_seconds)
        self._news = asyncio.Event()
        """Set when there is something to do: somebody woke the driver, or an attempt has ended."""
        self._attempts = Attempts(parts, self._record, self._news.set)
        self._children = Children(parts, fleet)
        self._posted: list[tuple[Outcome, asyncio.Future[None]]] = []
        """What running blocks want to have recorded."""
        self._woken = False
        """Whether somebody else may have appended."""
        self._stopping = ""
        self._draining = False
        self._fenced = False
        self._has_swept = False
        self._planned_at = 0.0

    @property
    def running(self) -> int:
        """How many blocks run now."""
        return len(self._attempts)

    @property
    def at_work(self) -> tuple[BlockId, ...]:
        """Which places run now."""
        return self._attempts.places

    def wake(self, child: RunId | None = None) -> None:
        """Say that somebody else may have appended, to this run or to one that it has started."""
        if child is not None:
            self._children.note(child)
        self._read_on()

    def _read_on(self) -> None:
        self._woken = True
        self._news.set()

    def stop(self, reason: str) -> None:
        """Ask the driver to stop what runs, to record that, and to leave."""
        self._stopping = reason
        self._read_on()

    def drain(self, *, on: bool = True) -> None:
        """Ask the driver to start nothing new, and to leave once what runs has ended; or no longer."""
        self._draining = on
        self._read_on()

    def fence(self) -> None:
        """Say that the lease is lost: stop what runs, and write nothing more."""
        self._fenced = True
        self._read_on()

    def note_lease(self, until: float) -> None:
        """Say that the run is ours until then. Seconds since 1970 UTC, a lease's time from now."""
        self._held_until = (until, self._parts.clock.monotonic() + self._parts.lease_seconds)

    async def drive(self) -> RunState:
        """Drive; return the state at which the driver left."""
        try:
            self._read_on()
            await self._sweep(self._left_behind())
            await self._commit([Outcome(event) for event in self._take_over()])
            while not await self._may_leave():
                await self._wait()
                await self._advance()
        except StaleEpoch as error:
            log.warning("%s", error)
        finally:
            await self._attempts.kill()
            for _, posted in self._posted:
                posted.cancel()
        return self.state

    def _take_over(self) -> list[JournalEvent]:
        """Return what must be said of places that were at work under an earlier driver."""
        previous, left_behind = self.claim.previous_owner, self._left_behind()
        if not (previous or left_behind or self.state.interrupted):
            return []
        adopted = RunAdopted(owner=self._parts.owner, epoch=int(self.claim.epoch), previous=previous)
        reason = f"{describe_owner(previous)} ended"
        return [adopted, *(self._interrupted(place, reason) for place in sorted(left_behind))]

    def _left_behind(self) -> list[BlockId]:
        """Return the places at work when nothing runs here yet."""
        # What a child run does goes on by itself: its own journal says where it stands.
        return [
            place
            for place, block in self.state.touched.items()
            if block.is_at_work and place not in self.state.children
        ]

    def _interrupted(self, place: BlockId, reason: str) -> AttemptInterrupted:
        return AttemptInterrupted(block=place, attempt=self.state.block(place).attempt, reason=reason)

    async def _may_leave(self) -> bool:
        if self._fenced:
            return True
        if self._has_reason_to_stay():
            return False
        if await self._gives_back() or self.state.finished is not None:
            return True
        self._read_on()  # Somebody appended in the last moment: read on before leaving.
        return self._fenced

    async def _gives_back(self) -> bool:
        """Give the lease back; return whether that is done. Left with a lease, nobody else could go on."""
        try:
            return await self._parts.store.release(
                self.state.run_id, epoch=self.claim.epoch, head=self.state.head
            )
        except StaleEpoch:
            raise
        except StoreError as error:
            await self._hold(error, len(RETRY_SECONDS) // 2)
            return False

    def _has_reason_to_stay(self) -> bool:
        if self._attempts or self._posted or self._woken:
            return True
        if self._stopping or self._draining or self.state.finished is not None:
            return False
        # A child run that moves, and a timer, bring news by themselves.
        return self.state.active > 0 or (bool(self.state.timers) and self.state.held is None)

    async def _wait(self) -> None:
        """Return when an attempt has ended, a timer is due, or somebody woke the driver."""
        timeout = seconds_to_next(self.state, self._parts.clock.now(), self._planned_at)
        if timeout is None:  # Most of the time.
            await self._news.wait()
        else:
            await self._wait_at_most(timeout)
        self._news.clear()

    async def _wait_at_most(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._news.wait()
        except TimeoutError:
            self._children.forget()

    async def _advance(self) -> None:
        if self._woken:
            self._woken = False
            self.state = await catch_up(self._parts.store, self.state)
        if self._fenced:
            return
        posted, self._posted = self._posted, []
        outcomes = [outcome for outcome, _ in posted] + await self._ended()
        if not self._stopping:
            outcomes += await self._look_at_children()
        if run_is_over_time(self.state, self._parts.clock.now()):
            outcomes.append(Outcome(RunTimedOut()))
            self._read_on()
        await self._commit(outcomes)
        for _, durable in posted:
            _resolve(durable, fenced=self._fenced)

    async def _look_at_children(self) -> list[Outcome]:
        try:
            return await self._children.look(self.state)
        except StoreError as error:
            self._children.forget()
            self._read_on()
            await self._hold(error, 1)
            return []

    async def _ended(self) -> list[Outcome]:
        """Return the outcomes of attempts that have ended, or that must end now."""
        if self._stopping:
            return await self._attempts.stop(self.state, lambda _: True, self._stopping)
        if self.state.is_stopping:
            stopped = await self._attempts.stop(self.state, self._is_given_up, "")
            await self._sweep()
            return stopped + self._attempts.collect(self.state)
        return self._attempts.collect(self.state)

    def _is_given_up(self, place: BlockId) -> bool:
        forced = self.state.cancel is not None and self.state.cancel.force
        return forced or not self.state.definition_of(place).always

    async def _sweep(self, left_behind: Sequence[BlockId] = ()) -> None:
        """End, once, what outlived an earlier process of a run that is being stopped."""
        if self._has_swept or not self.state.is_stopping:
            return
        self._has_swept = True
        for place, block in self.state.touched.items():
            # Only these may have run something that nobody has seen the end of.
            if block.summary and (block.status is BlockStatus.CANCELLED or place in left_behind):
                await end_leftovers(self.state.run_id, place, block.attempt)

    async def _record(self, note: Note, values: Mapping[str, bytes]) -> None:
        """Append what a running block wants to have recorded; returns once it is durable."""
        durable: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._posted.append((Outcome(note, values), durable))
        self._news.set()
        await durable

    # -- committing ---------------------------------------------------------------------------

    async def _commit(self, outcomes: list[Outcome]) -> None:
        """Commit *outcomes* with all that follows from them, then start what that allows.

        If somebody else appended, everything is decided again on the newer state; if the store
        cannot write, nothing starts until it can.
        """
        tries = 0
        while not self._fenced:
            draft = await self._draft(outcomes)
            if not draft:
                return
            try:
                await self._parts.store.append(draft.as_append(self.claim.epoch))
            except JournalConflict:
                self._read_on()
                self.state = await catch_up(self._parts.store, self.state)
            except StaleEpoch:
                raise
            except StoreError as error:
                await self._hold(error, tries)
                tries += 1
            else:
                await self._committed(draft)
                return

    async def _draft(self, outcomes: list[Outcome]) -> Draft:
        draft = Draft(self.state, self._parts.clock.now())
        self._planned_at = draft.at
        for outcome in outcomes:
            if draft.state.finished is not None or _is_late(draft.state, outcome.event):
                continue
            draft.add_outcome(what_follows(draft.state, outcome, draft.at, self._parts.chance()))
        if not (self._stopping or self._draining):
            await decide(self._parts, draft)
        elif self._stopping and _can_be_interrupted(
            draft.state
        ):  # What is pending waits for the next driver.
            draft.add(RunInterrupted(reason=self._stopping))
        return draft

    async def _committed(self, draft: Draft) -> None:
        self.trouble = ""
        if draft.state.children != self.state.children:
            self._read_on()  # There are children to begin.
        self.state = draft.state
        if draft.launches and not await self._still_holds():
            self._fenced = True
            return
        for launch in draft.launches:
            self._attempts.launch(self.state, launch)

    async def _still_holds(self) -> bool:
        """Whether the run is ours now: a process that stood still since its commit may have lost it.

        Who took the run over has found the intents and dealt with them: nothing may start twice.
        """
        clock = self._parts.clock
        # Either may show that too much time has gone by: one can be set back, the other stops while a machine sleeps.
        holds = clock.now() < self._held_until[0] and clock.monotonic() < self._held_until[1]
        if self._fenced or holds:
            return not self._fenced
        until = clock.now() + self._parts.lease_seconds
        self.note_lease(until)
        try:
            lost = await self._parts.store.renew({self.state.run_id: self.claim.epoch}, until=until)
        except StoreError as error:
            log.warning("the lease of run %s could not be renewed: %s", self.state.run_id, error)
            return False
        return not lost

    async def _hold(self, error: StoreError, tries: int) -> None:
        """Wait before the next try. What runs goes on; nothing new starts meanwhile."""
        if isinstance(error, CorruptStore):  # Waiting mends nothing.
            raise error
        if self.trouble != str(error):
            log.error("run %s is held: %s", self.state.run_id, error)
        self.trouble = str(error)
        if self._stopping:
            self._fenced = True
            return
        await asyncio.sleep(RETRY_SECONDS[min(tries, len(RETRY_SECONDS) - 1)])


def _resolve(durable: "asyncio.Future[None]", *, fenced: bool) -> None:
    if durable.done():
        return
    if fenced:
        durable.cancel()
    else:
        durable.set_result(None)


def _is_late(state: RunState, event: JournalEvent) -> bool:
    """Whether a block wants something to be recorded that has ended, or was stopped, meanwhile."""
    if not isinstance(event, Note):
        return False
    block = state.block(event.block)
    return not block.is_at_work or block.attempt != event.attempt


def _can_be_interrupted(state: RunState) -> bool:
    """Whether stopping its process interrupts the run: not if it has ended, or only waits for people."""
    return not (state.interrupted or state.status.is_terminal or state.status is RunStatus.PAUSED)
