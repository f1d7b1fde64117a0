"""The only way down: everything that may be done to a run.

The monitor, the command line and every other way in use this class and nothing below it, so no
behaviour exists in one of them only. It belongs to one event loop.
"""

from collections.abc import Awaitable, Callable, Mapping
from functools import partial

from tidegate.blocks.base import Block
from tidegate.clock import Clock
from tidegate.engine.above import current_row, reopen_above
from tidegate.engine.calls import new_run
from tidegate.engine.cleaning import Cleaner
from tidegate.engine.drivers import Drivers
from tidegate.engine.feed import Feed
from tidegate.engine.forks.fork import Fork, ForkRequest, asked_fork, new_fork
from tidegate.engine.forks.preview import ForkPreview
from tidegate.engine.forks.previewing import preview_of
from tidegate.engine.keeper import Keeper
from tidegate.engine.outlook import foresee
from tidegate.engine.parts import Parts
from tidegate.engine.resume import Standing, rerun_blocks, resumed_blocks, retried_blocks
from tidegate.engine.sending_back import send_back
from tidegate.engine.turns import hold, release, request_cancel, request_resume, request_skip
from tidegate.engine.unlisting import unlist
from tidegate.engine.upkeep import Upkeep
from tidegate.engine.values import MB
from tidegate.engine.votes import assign, give_answer
from tidegate.errors import PauseClosed
from tidegate.model.answer import Answered, Reply
from tidegate.model.base import JsonObject
from tidegate.model.events import RunStatus
from tidegate.model.ids import BlockId, CheckpointId, PauseId, RunId, new_run_id
from tidegate.model.listing import Cursor, RunRow
from tidegate.model.outlook import Outlook, Supposed
from tidegate.model.workflow import WorkflowDefinition
from tidegate.settings import DEFAULT_MAX_MB, Cleaning
from tidegate.store.owner import current_owner, has_living_owner
from tidegate.store.protocol import Store
from tidegate.store.replay import States, first_state

__all__ = ["Executor"]


class Executor(Upkeep):
    """Starts runs, answers pauses, cancels, resumes; drives what this process has claimed."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        blocks: Mapping[str, Block],
        *,
        adopts: bool = False,
        lease_seconds: float = 30.0,
        max_checkpoint_size_mb: float = DEFAULT_MAX_MB,
        cleaning: Cleaning | None = None,
        run_id: Callable[[str], RunId] = lambda _: new_run_id(),
    ) -> None:
        """Make an executor; `open` it before use.

        Args:
            store: Where everything is kept. The caller closes it, after the executor.
            clock: The time.
            blocks: Every block type, by its name.
            adopts: Whether to take over runs whose process is gone, now and later, and to let
                overdue pauses expire. For processes that stay, such as the monitor.
            lease_seconds: How long a run stays ours without a sign of life.
            max_checkpoint_size_mb: What one block may leave in one checkpoint; more is the block's failure.
            cleaning: How long finished runs are kept where their workflow's file says nothing, and whether
                this process removes them by itself. None: the defaults, and it does not.
            run_id: What a new run is called; see `Parts`.
        """
        self.states = States(store)
        """Of the runs here; to be shared with who reads the same store."""
        self._parts = Parts(
            store,
            self.states,
            clock,
            blocks,
            owner=str(current_owner()),
            lease_seconds=lease_seconds,
            max_bytes=int(max_checkpoint_size_mb * MB),
            run_id=run_id,
        )
        self._drivers = Drivers(self._parts)
        self.feed = Feed(store)
        self._cleaner = Cleaner(store, clock, cleaning or Cleaning(auto_cleanup=False))
        self._keeper = Keeper(self._parts, self._drivers, self.feed, self._cleaner, adopts=adopts)

    async def open(self) -> None:
        """Begin to keep leases, to watch the store, and, if it adopts, to adopt."""
        await self._keeper.begin()

    async def close(self, reason: str = "Tidegate was closed") -> None:
        """Stop what runs, record it, give all leases back. Every run can be resumed afterwards."""
        # The keeper first: it would adopt again what is given back here.
        await self._keeper.end()
        await self._drivers.stop(reason)

    async def drain(self) -> bool:
        """Start nothing new here; return once what runs has ended, and its runs are left to other processes.

        Unlike after `close`, nothing of them is interrupted: whoever adopts goes on with them. False: `go_on`
        was called meanwhile.
        """
        return await self._drivers.drain()

    async def go_on(self) -> None:
        """Start again what may start here: whoever wanted to drain has changed their mind."""
        self._drivers.go_on()
        if self._keeper.adopts:
            await self._keeper.adopt()

    @property
    def troubles(self) -> dict[RunId, str]:
        """Why runs are held, by run: the store cannot be written. Empty when all is well."""
        return dict(self._drivers.troubles)

    @property
    def running(self) -> int:
        """How many blocks run in this process."""
        return self._drivers.running

    @property
    def at_work(self) -> tuple[str, ...]:
        """Which blocks run in this process, as `WORKFLOW / BLOCK`."""
        return self._drivers.at_work

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
        run = new_run(self._parts, self._parts.run_id(""), definition, inputs, by=by, source=source)
        self._drivers.launch(await self._parts.store.create_run(run), first_state(run))
        return run.run_id

    async def preview_fork(self, request: ForkRequest) -> ForkPreview:
        """Return what `fork` would do now. Nothing is written.

        Raises: as `fork` does.
        """
        return await preview_of(self._parts, await self._prepared(request, by=""))

    async def fork(self, request: ForkRequest, *, by: str) -> RunId:
        """Create a run that goes on from a point of another one, and drive it. The other one stays as it is.

        Returns once the run is durable, not when it has ended.

        Raises:
            RunNotFound, CheckpointNotFound, BlockNotFound: there is no such run, point or block.
            InvalidEdit: something cannot be changed, or not to this; among that what a secret is.
        """
        fork = await self._prepared(request, by=by)
        claim = await self._parts.store.create_run(new_fork(self._parts, fork))
        self._drivers.launch(claim)
        return claim.run_id

    async def _prepared(self, request: ForkRequest, *, by: str) -> Fork:
        return await asked_fork(self._parts, request, new_run_id(), by=by)

    async def answer(self, pause_id: PauseId, reply: Reply, *, drive: bool = True) -> Answered:
        """Answer an open pause, and let its run go on. Returns once the answer is durable.

        Args:
            pause_id: Which pause.
            reply: What was said.
            drive: Whether to drive the run from here if nobody else does.

        Raises:
            PauseNotFound, InvalidAnswer, AlreadyAnswered, PauseClosed: see `give_answer`.
        """
        try:
            answered = await give_answer(self._parts, pause_id, reply)
        except PauseClosed:
            # It may have expired by this very call: then its run goes on all the same.
            if drive:
                await self._keeper.move_on((await self._parts.store.pause(pause_id)).run_id)
            raise
        if drive:
            await self._keeper.move_on(answered.run_id)
        return answered

    async def assign(self, pause_id: PauseId, to: str, *, by: str, note: str = "") -> None:
        """Say whose business an open pause is; empty: anybody's. It keeps nobody from answering.

        Raises:
            PauseNotFound, InvalidAnswer, AlreadyAnswered, PauseClosed: see `votes.assign`.
        """
        await assign(self._parts, pause_id, to, by=by, note=note)

    async def foresee(self, pause_id: PauseId, raw: str | Supposed) -> Outlook:
        """Return what an answer, as typed or supposed, would lead to, as of now. Nothing is written.

        Raises:
            PauseNotFound, InvalidAnswer, PauseClosed: see `foresee`.
        """
        return await foresee(self._parts, pause_id, raw)

    async def cancel(self, run_id: RunId, *, by: str, reason: str = "", force: bool = False) -> None:
        """Cancel a run: stop what runs, close its pauses, then run what runs `always`.

        Returns once the wish is durable. Runs that its blocks started are cancelled with it.

        Args:
            run_id: Which run.
            by: Who cancels.
            reason: Why.
            force: Whether blocks that run `always` are given up, too.

        Raises:
            RunNotFound: there is no such run.
            RunFinished: it has ended already.
        """
        await request_cancel(self._parts, run_id, by, reason, force=force)
        await self._keeper.move_on(run_id)

    async def delete_checkpoint(self, checkpoint_id: CheckpointId, *, cancel_by: str | None = None) -> None:
        """Take a checkpoint off the list; the history of its run stays as it is.

        Args:
            checkpoint_id: Which.
            cancel_by: Who cancels the run of an open question, so that its checkpoint can go. None: nobody does.

        Raises:
            CheckpointNotFound, CheckpointInUse, CheckpointPinned: see `unlist`.
        """

        async def cancel(run_id: RunId) -> None:
            reason = f"its checkpoint {checkpoint_id} was deleted"
            await self.cancel(run_id, by=cancel_by or "", reason=reason)
            await self.settle(run_id)

        await unlist(self._parts.store, checkpoint_id, None if cancel_by is None else cancel)

    async def pause(self, run_id: RunId, *, by: str, reason: str = "") -> None:
        """Let nothing new start, in the run and in those below it; what runs goes on, deadlines stand still.

        Raises:
            RunNotFound: there is no such run.
            RunFinished: it has ended already.
        """
        await self._keeper.throughout(run_id, lambda each: hold(self._parts, each, by, reason))
        self._drivers.wake(run_id)

    async def unpause(self, run_id: RunId, *, by: str) -> None:
        """Let a run that a person has paused go on, with those below it.

        Raises:
            RunNotFound: there is no such run.
            RunFinished: it has ended already.
        """
        await self._keeper.throughout(run_id, lambda each: release(self._parts, each, by))
        await self._keeper.move_on(run_id)

    async def resume(self, run_id: RunId, *, by: str) -> None:
        """Go on with an interrupted run, or with a failed one: what failed is planned again.

        In a paused run, questions whose deadline has passed expire now. A run that another run's
        block has started takes that one along.

        Raises:
            RunNotFound: there is no such run.
            RunFinished: it succeeded; there is nothing to go on with.
            NotResumable: it was rejected or cancelled, or its block was run again as another run.
            LeaseHeld: a living process drives it.
        """
        row = await current_row(self._parts, run_id)
        if row.summary.status.is_terminal:
            await request_resume(self._parts, run_id, resumed_blocks, by=by)
            await reopen_above(self._parts, row, by)
            await self._keeper.move_on(run_id)
        elif row.summary.status is RunStatus.PAUSED:
            await self._keeper.expire_due(run_id)
            # Something below may have been answered by a process that did not live to move it on.
            await self._keeper.move_on(run_id)
        else:
            await self._drivers.drive(await self._keeper.top_of(row))

    async def retry(self, run_id: RunId, block: BlockId | None = None, *, by: str) -> None:
        """Plan a failed block again, and everything downstream; other pauses of the run stay as they are.

        Args:
            run_id: Which run; it may have ended, or go on.
            block: Which block, or which item of one (`deploy[red]`); None: all that failed.
            by: Who asks.

        Raises:
            RunNotFound, BlockNotFound: there is no such run or block.
            NotResumable: it has not failed, or something downstream of it runs now.
        """
        again = partial(retried_blocks, place=block)
        await self._reopen(run_id, by, partial(request_resume, self._parts, run_id, again, by=by))

    async def rerun(
        self,
        run_id: RunId,
        block: BlockId,
        *,
        by: str,
        feedback: str = "",
        seen: Mapping[BlockId, Standing] | None = None,
    ) -> None:
        """Run a block that has ended again, and everything downstream, as if for the first time.

        Args:
            run_id: Which run; it may have ended, or go on.
            block: From which block.
            by: Who asks.
            feedback: What is to be other this time: these blocks read it as `${run.feedback}`.
            seen: How what runs again stood when that was decided (`standing_of`). None: it may stand otherwise.

        Raises:
            RunNotFound, BlockNotFound: there is no such run or block.
            NotResumable: it has not ended, something downstream of it runs now, or it stands otherwise than *seen*.
            InvalidAnswer: *feedback* is too long, or no text.
        """
        how = partial(request_resume, by=by, fresh=True, feedback=feedback)
        again = partial(rerun_blocks, place=block, seen=seen)
        await self._reopen(run_id, by, partial(how, self._parts, run_id, again))

    async def send_back(
        self,
        pause_id: PauseId,
        block: BlockId,
        *,
        by: str,
        feedback: str,
        seen: Mapping[BlockId, Standing] | None = None,
    ) -> None:
        """Instead of an answer: rerun from a block that an open question follows; then it is asked anew.

        Raises:
            PauseNotFound, AlreadyAnswered, PauseClosed: there is no such question, or it is not open any more.
            BlockNotFound, NotResumable, InvalidAnswer: as `rerun` does.
        """
        row = await self._parts.store.pause(pause_id)
        wish = partial(send_back, self._parts, row, block, by=by, feedback=feedback, seen=seen)
        await self._reopen(row.run_id, by, wish)

    async def skip(self, run_id: RunId, block: BlockId, *, by: str, reason: str) -> None:
        """Decide that a block, or one item of it, will not run; what hangs on it is decided again.

        Raises:
            RunNotFound, BlockNotFound: there is no such run or block.
            RunFinished: the run has ended, and not because this block failed.
            NotResumable: the block runs now, or has ended well.
        """
        await self._reopen(
            run_id, by, partial(request_skip, self._parts, run_id, block, by=by, reason=reason)
        )

    async def _reopen(self, run_id: RunId, by: str, wish: Callable[[], Awaitable[None]]) -> None:
        """Wish something of a run, even of one that has ended; those above it go on with it."""
        row = await current_row(self._parts, run_id)
        await wish()
        await reopen_above(self._parts, row, by)
        await self._keeper.move_on(run_id)

    async def settle(self, run_id: RunId) -> RunRow:
        """Return once nothing of the run moves any more: it ended, waits for people, or has no owner.

        A run that another run's block has started is at rest when that one is.
        """
        top = (await self._keeper.top_of(await self._parts.store.run(run_id))).run_id
        cursor: Cursor | None = None
        while True:
            await self._drivers.finish(top)
            row = await self._parts.store.run(top)
            if not self._drivers.are_at(top) and not has_living_owner(row, self._parts.clock.now()):
                return row if run_id == top else await self._parts.store.run(run_id)
            # Looked at once more after the position is known: what happens then is a change that can be waited for.
            # Not for ever: the death of an owner changes nothing in the store.
            cursor = await (self.feed.now() if cursor is None else self.feed.wait(cursor, within=1.0))

    async def adopt(self) -> tuple[RunId, ...]:
        """Drive the runs that should move and have no living owner; return them.

        A run that a person stopped stays where it is until a person resumes it.
        """
        return await self._keeper.adopt()
