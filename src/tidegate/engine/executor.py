"""The only way down: everything that may be done to a run.

The monitor, the command line and every other way in use this class and nothing below it, so no
behaviour exists in one of them only. It belongs to one event loop.
"""

import asyncio
import contextlib
import itertools
import logging
from collections.abc import Coroutine, Mapping
from typing import Any

from tidegate.blocks.base import Block
from tidegate.clock import Clock
from tidegate.engine.drivers import Drivers
from tidegate.engine.feed import Feed
from tidegate.engine.parts import Parts
from tidegate.engine.resume import resumed_blocks
from tidegate.engine.votes import expire, give_answer, request_cancel
from tidegate.errors import LeaseHeld, TidegateError
from tidegate.model.answer import Answered, Reply
from tidegate.model.base import JsonObject
from tidegate.model.events import JournalEvent, RunResumed, RunStarted, RunStatus
from tidegate.model.ids import PauseId, RunId, new_run_id
from tidegate.model.listing import PauseFilter, RunFilter, RunRow
from tidegate.model.state import new_state
from tidegate.model.workflow import Graph, WorkflowDefinition, definition_hash
from tidegate.store.owner import current_owner, has_living_owner
from tidegate.store.protocol import NewRun, Store
from tidegate.store.replay import replay

__all__ = ["Executor"]

log = logging.getLogger(__name__)

_WATCH_SECONDS = 0.02
_HOUSEKEEPING_SECONDS = 0.5
_ROUNDS_BETWEEN_ADOPTIONS = 6


class Executor:
    """Starts runs, answers pauses, cancels, resumes; drives what this process has claimed."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        blocks: Mapping[str, Block],
        *,
        adopts: bool = False,
        lease_seconds: float = 30.0,
    ) -> None:
        """Make an executor; `open` it before use.

        Args:
            store: Where everything is kept. The caller closes it, after the executor.
            clock: The time.
            blocks: Every block type, by its name.
            adopts: Whether to take over runs whose process is gone, now and later, and to let
                overdue pauses expire. For processes that stay, such as the monitor.
            lease_seconds: How long a run stays ours without a sign of life.
        """
        self._parts = Parts(store, clock, blocks, owner=str(current_owner()), lease_seconds=lease_seconds)
        self._adopts = adopts
        self._drivers = Drivers(self._parts)
        self._tasks: list[asyncio.Task[None]] = []
        self.feed = Feed(store)

    async def open(self) -> None:
        """Begin to keep leases, to watch the store, and, if it adopts, to adopt."""
        self._background(self._drivers.keep_leases())
        self._background(self._watch())
        if self._adopts:
            self._background(self._keep_house())

    def _background(self, work: Coroutine[Any, Any, None]) -> None:
        self._tasks.append(asyncio.create_task(work))

    async def close(self, reason: str = "Tidegate was closed") -> None:
        """Stop what runs, record it, give all leases back. Every run can be resumed afterwards."""
        # The watchers first: they would adopt again what is given back here.
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks.clear()
        await self._drivers.stop(reason)

    @property
    def troubles(self) -> dict[RunId, str]:
        """Why runs are held, by run: the store cannot be written. Empty when all is well."""
        return dict(self._drivers.troubles)

    @property
    def running(self) -> int:
        """How many blocks run in this process."""
        return self._drivers.running

    # -- what may be done to a run ------------------------------------------------------------

    async def start(
        self, definition: WorkflowDefinition, inputs: JsonObject, *, by: str, source: str = ""
    ) -> RunId:
        """Create a run and drive it. Returns once the run is durable, not when it has ended.

        Args:
            definition: A sound workflow; the run is pinned to it.
            inputs: Complete and typed, as `validate_inputs` returns them.
            by: Who starts it.
            source: The text of the workflow's file.
        """
        run_id, now = new_run_id(), self._parts.clock.now()
        started = RunStarted(
            workflow=definition.name, definition=definition_hash(definition), inputs=inputs, by=by
        )
        claim = await self._parts.store.create_run(
            NewRun(
                run_id=run_id,
                definition=definition,
                definition_hash=started.definition,
                source=source,
                at=now,
                events=(started,),
                summary=new_state(run_id, Graph(definition)).summarise(),
                owner=self._parts.owner,
                lease_until=now + self._parts.lease_seconds,
            )
        )
        self._drivers.launch(claim)
        return run_id

    async def answer(self, pause_id: PauseId, reply: Reply, *, drive: bool = True) -> Answered:
        """Answer an open pause, and let its run go on. Returns once the answer is durable.

        Args:
            pause_id: Which pause.
            reply: What was said.
            drive: Whether to drive the run from here if nobody else does.

        Raises:
            PauseNotFound, InvalidAnswer, AlreadyAnswered, PauseClosed: see `give_answer`.
        """
        answered = await give_answer(self._parts, pause_id, reply)
        if drive:
            await self._move_on(answered.run_id)
        return answered

    async def cancel(self, run_id: RunId, *, by: str, reason: str = "") -> None:
        """Cancel a run: stop what runs, close its pauses. Returns once the wish is durable.

        Raises:
            RunNotFound: there is no such run.
            RunFinished: it has ended already.
        """
        await request_cancel(self._parts, run_id, by, reason)
        await self._move_on(run_id)

    async def resume(self, run_id: RunId, *, by: str) -> None:
        """Go on with an interrupted run, or with a failed one: what failed is planned again.

        In a paused run, questions whose deadline has passed expire now.

        Raises:
            RunNotFound: there is no such run.
            RunFinished: it succeeded; there is nothing to go on with.
            NotResumable: it was rejected or cancelled.
            LeaseHeld: a living process drives it.
        """
        state = await replay(self._parts.store, run_id)
        first: tuple[JournalEvent, ...] = ()
        if state.finished is not None:
            first = (RunResumed(blocks=resumed_blocks(state), by=by),)
        elif state.status is RunStatus.PAUSED:
            await self._expire_due(run_id)
            return
        await self._claim_and_drive(await self._parts.store.run(run_id), first)

    async def settle(self, run_id: RunId) -> RunRow:
        """Return once nothing of the run moves any more: it ended, waits for people, or has no owner."""
        cursor = await self.feed.now()
        while True:
            await self._drivers.finish(run_id)
            row = await self._parts.store.run(run_id)
            if run_id not in self._drivers and not has_living_owner(row, self._parts.clock.now()):
                return row
            # Not for ever: the death of an owner changes nothing in the store.
            cursor = await self.feed.wait(cursor, within=1.0)

    # -- driving ------------------------------------------------------------------------------

    async def _move_on(self, run_id: RunId) -> None:
        """See that somebody drives the run: our own driver, somebody else's, or a new one."""
        if run_id in self._drivers:
            self._drivers.wake(run_id)
            return
        row = await self._parts.store.run(run_id)
        if not row.summary.status.is_terminal:
            with contextlib.suppress(LeaseHeld):
                await self._claim_and_drive(row)

    async def _claim_and_drive(self, row: RunRow, first: tuple[JournalEvent, ...] = ()) -> None:
        now = self._parts.clock.now()
        over = row.epoch if row.owner and not has_living_owner(row, now) else None
        claim = await self._parts.store.claim(
            row.run_id, owner=self._parts.owner, now=now, until=now + self._parts.lease_seconds, over=over
        )
        self._drivers.launch(claim, first)

    async def adopt(self) -> tuple[RunId, ...]:
        """Drive the runs that should move and have no living owner; return them.

        A run that a person stopped stays where it is until a person resumes it.
        """
        unfinished = RunFilter(
            statuses=(RunStatus.QUEUED, RunStatus.RUNNING, RunStatus.INTERRUPTED), limit=10_000
        )
        rows = await self._parts.store.runs(unfinished)
        return tuple([row.run_id for row in rows if await self._adopt_one(row)])

    async def _adopt_one(self, row: RunRow) -> bool:
        now = self._parts.clock.now()
        is_ours = row.run_id in self._drivers or row.run_id in self.troubles
        if is_ours or has_living_owner(row, now) or not _should_move(row):
            return False
        with contextlib.suppress(LeaseHeld):
            await self._claim_and_drive(row)
            return True
        return False

    # -- background ---------------------------------------------------------------------------

    async def _watch(self) -> None:
        """Wake drivers when others append to their runs; adopt what was left behind."""
        async for changes in self.feed.follow():
            for row in changes.runs:
                self._drivers.wake(row.run_id, row.head)
                if self._adopts:
                    await self._quietly(self._adopt_one(row))
            # Our own drivers commit hundreds of times a second; what others do may wait this long.
            await asyncio.sleep(_WATCH_SECONDS)

    async def _keep_house(self) -> None:
        """Let overdue pauses expire, and adopt what was left behind: neither shows as a change."""
        for round_number in itertools.count():
            await self._quietly(self._expire_due())
            if round_number % _ROUNDS_BETWEEN_ADOPTIONS == 0:
                await self._quietly(self.adopt())
            await asyncio.sleep(_HOUSEKEEPING_SECONDS)

    async def _expire_due(self, run_id: RunId | None = None) -> None:
        due = PauseFilter(run_id=run_id, due_by=self._parts.clock.now())
        for row in await self._parts.store.pauses(due):
            run_id = await expire(self._parts, row.pause_id)
            if run_id is not None:
                await self._move_on(run_id)

    @staticmethod
    async def _quietly(work: Coroutine[Any, Any, object]) -> None:
        """Do background work; what goes wrong is logged and tried again at the next occasion."""
        try:
            await work
        except TidegateError as error:
            log.warning("%s", error)


def _should_move(row: RunRow) -> bool:
    """Whether a run that nobody drives should be driven.

    One that was stopped by a person gave its lease back; one whose process died could not.
    """
    if row.summary.status is RunStatus.INTERRUPTED:
        return bool(row.owner)
    return row.summary.status in (RunStatus.QUEUED, RunStatus.RUNNING)
