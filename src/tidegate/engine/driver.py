"""The one task that drives a run.

It decides, commits, starts what was committed, and waits; nothing has an effect before its
intent is durable. Outcome, what follows from it and the next intents are one transaction. A
driver never assumes that its process started the run, and it leaves when the run waits for
people: a pause holds no task, no thread and no lease.
"""

import asyncio
import logging

from tidegate.blocks.base import Failed, WorkBlock
from tidegate.engine.attempt import Attempt, Outcome, failure, run_attempt
from tidegate.engine.decide import decide, who_cancelled
from tidegate.engine.draft import Draft, Launch
from tidegate.engine.leftovers import end_leftovers
from tidegate.engine.output import OutputSink
from tidegate.engine.parts import Parts
from tidegate.engine.view import View
from tidegate.errors import JournalConflict, StaleEpoch, StoreError
from tidegate.model.events import (
    AttemptCancelled,
    AttemptInterrupted,
    Failure,
    FailureKind,
    JournalEvent,
    RunAdopted,
    RunInterrupted,
    RunStatus,
)
from tidegate.model.ids import BlockId
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

    def __init__(self, parts: Parts, claim: Claim, state: RunState) -> None:
        self.claim = claim
        self.state = state
        self.trouble = ""
        """Why nothing can be committed at the moment; empty when all is well."""
        self._parts = parts
        self._running: dict[BlockId, asyncio.Task[Outcome]] = {}
        self._woken = asyncio.Event()
        self._stopping = ""
        self._fenced = False

    @property
    def running(self) -> int:
        """How many blocks run now."""
        return len(self._running)

    def wake(self) -> None:
        """Say that somebody else may have appended."""
        self._woken.set()

    def stop(self, reason: str) -> None:
        """Ask the driver to stop what runs, to record that, and to leave."""
        self._stopping = reason
        self._woken.set()

    def fence(self) -> None:
        """Say that the lease is lost: stop what runs, and write nothing more."""
        self._fenced = True
        self._woken.set()

    async def drive(self, first: tuple[JournalEvent, ...] = ()) -> RunState:
        """Drive; return the state at which the driver left.

        Args:
            first: Events to begin with, such as a person's wish to resume a failed run.
        """
        try:
            if self.state.cancel is not None:
                await self._end_leftovers()
            await self._commit([Outcome(event, {}) for event in (*self._take_over(), *first)])
            while not await self._may_leave():
                await self._wait()
                await self._advance()
        except StaleEpoch as error:
            log.warning("%s", error)
        finally:
            await self._kill_all()
        return self.state

    def _take_over(self) -> list[JournalEvent]:
        """Return what must be said of blocks that were running under an earlier driver."""
        previous = self.claim.previous_owner
        left_behind = [
            block_id for block_id, block in self.state.touched.items() if block.status is BlockStatus.RUNNING
        ]
        if not (previous or left_behind or self.state.interrupted):
            return []
        adopted = RunAdopted(owner=self._parts.owner, epoch=int(self.claim.epoch), previous=previous)
        reason = f"{describe_owner(previous)} ended"
        return [adopted, *(self._interrupted(block_id, reason) for block_id in sorted(left_behind))]

    def _interrupted(self, block_id: BlockId, reason: str) -> AttemptInterrupted:
        return AttemptInterrupted(block=block_id, attempt=self.state.block(block_id).attempt, reason=reason)

    async def _may_leave(self) -> bool:
        if self._fenced:
            return True
        if self._running:
            return False
        released = await self._parts.store.release(
            self.state.run_id, epoch=self.claim.epoch, head=self.state.head
        )
        if released or self.state.finished is not None:
            return True
        self._woken.set()  # Somebody appended in the last moment: read on before leaving.
        return False

    async def _wait(self) -> None:
        """Return when an attempt has ended, or when somebody woke the driver."""
        woken = asyncio.ensure_future(self._woken.wait())
        try:
            await asyncio.wait({woken, *self._running.values()}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            woken.cancel()

    async def _advance(self) -> None:
        if self._woken.is_set():
            self._woken.clear()
            self.state = await catch_up(self._parts.store, self.state)
        if self._fenced:
            return
        if self._stopping:
            await self._commit(await self._stop_all())
        elif self.state.cancel is not None:
            stopped = await self._stop_all()
            await self._end_leftovers()
            await self._commit(stopped)
        else:
            await self._commit(self._collect())

    async def _end_leftovers(self) -> None:
        """End what outlived an earlier process of a run that is being cancelled."""
        for block_id, block in self.state.touched.items():
            # Only these ran something and have no outcome; a block that asks a person runs nothing.
            may_have_left = block.status in (BlockStatus.INTERRUPTED, BlockStatus.PAUSED)
            if may_have_left and not self.state.graph.blocks[block_id].interactive:
                await end_leftovers(self.state.run_id, block_id, block.attempt)

    # -- attempts -----------------------------------------------------------------------------

    def _launch(self, launch: Launch) -> None:
        body = self._parts.blocks[launch.block.type]
        assert isinstance(body, WorkBlock)  # noqa: S101 - an interactive block is asked, never launched
        attempt = Attempt(
            run_id=self.state.run_id,
            block=launch.block,
            attempt=launch.intent.attempt,
            idempotency_key=launch.intent.key,
            working_dir=self.state.graph.definition.working_dir,
            ready=launch.ready,
            sink=OutputSink(self._parts.store, self.state.run_id, launch.block.id, launch.intent.attempt),
        )
        self._running[launch.block.id] = asyncio.create_task(
            run_attempt(View(self._parts, self.state), body, attempt),
            name=f"{self.state.run_id} {launch.block.id}",
        )

    def _collect(self) -> list[Outcome]:
        """Take the outcomes of the attempts that have ended."""
        ended = [block_id for block_id, task in self._running.items() if task.done()]
        return [self._outcome(block_id, self._running.pop(block_id)) for block_id in ended]

    async def _stop_all(self) -> list[Outcome]:
        """Stop every attempt; one that ended by itself just before keeps its own outcome."""
        await self._kill_all()
        stopped = [self._outcome(block_id, task) for block_id, task in self._running.items()]
        self._running.clear()
        return stopped

    async def _kill_all(self) -> None:
        for task in self._running.values():
            task.cancel()
        if self._running:
            await asyncio.wait(self._running.values())

    def _outcome(self, block_id: BlockId, task: asyncio.Task[Outcome]) -> Outcome:
        attempt = self.state.block(block_id).attempt
        if task.cancelled():
            if self.state.cancel is None:
                return Outcome(self._interrupted(block_id, self._stopping), {})
            reason = who_cancelled(self.state.cancel)
            return Outcome(AttemptCancelled(block=block_id, attempt=attempt, reason=reason), {})
        if (error := task.exception()) is not None:
            log.error("block %s of run %s", block_id, self.state.run_id, exc_info=error)
            why = Failure(kind=FailureKind.ERROR, message=f"its outcome could not be told: {error}")
            return failure(block_id, attempt, Failed(why))
        return task.result()

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
                self._woken.set()
                self.state = await catch_up(self._parts.store, self.state)
            except StaleEpoch:
                raise
            except StoreError as error:
                await self._hold(error, tries)
                tries += 1
            else:
                self._committed(draft)
                return

    async def _draft(self, outcomes: list[Outcome]) -> Draft:
        draft = Draft(self.state, self._parts.clock.now())
        for outcome in outcomes:
            draft.add(outcome.event, outcome.values)
        if not self._stopping:
            await decide(self._parts, draft)
        elif _can_be_interrupted(draft.state):  # What is pending waits for the next driver.
            draft.add(RunInterrupted(reason=self._stopping))
        return draft

    def _committed(self, draft: Draft) -> None:
        self.trouble = ""
        self.state = draft.state
        for launch in draft.launches:
            self._launch(launch)

    async def _hold(self, error: StoreError, tries: int) -> None:
        """Wait before the next try. What runs goes on; nothing new starts meanwhile."""
        self.trouble = str(error)
        log.error("run %s is held: %s", self.state.run_id, error)
        if self._stopping:
            self._fenced = True
            return
        await asyncio.sleep(RETRY_SECONDS[min(tries, len(RETRY_SECONDS) - 1)])


def _can_be_interrupted(state: RunState) -> bool:
    """Whether stopping its process interrupts the run: not if it has ended, or only waits for people."""
    return not (state.interrupted or state.status.is_terminal or state.status is RunStatus.PAUSED)
