"""The object that a program holds: an open store, and everything that may be done with its runs."""

import asyncio
import os
from collections.abc import Coroutine, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from tidegate.embedding.asking import Asking
from tidegate.embedding.definitions import complete_inputs, load_file, load_source
from tidegate.embedding.python_values import typed_answer
from tidegate.embedding.results import RunResult
from tidegate.embedding.targets import resumed_run
from tidegate.engine.executor import Executor
from tidegate.errors import InvalidAnswer, StoreUnavailable
from tidegate.history.history import History
from tidegate.model.answer import Answered, Reply
from tidegate.model.base import Json
from tidegate.model.catalog import Catalog
from tidegate.model.ids import BlockId, CheckpointId, PauseId, RunId
from tidegate.model.listing import PauseRow
from tidegate.model.state import PauseState
from tidegate.store.protocol import Store

if TYPE_CHECKING:
    from tidegate.engine.cleaning import CleanUp
    from tidegate.workflows.loader import Loaded

__all__ = ["Tidegate"]

T = TypeVar("T")


class Tidegate(Asking):
    """An open store, with an executor in the running event loop.

    `tidegate.open` makes one. Ids are whole ids: the beginning of one, which is unique today, may not be
    tomorrow. Where `by` is None, it is who the object was opened by. Every method may also raise
    `StoreUnavailable` or `CorruptStore`.

    A task that is cancelled while it waits here changes nothing about the run: what was begun is done to
    its end, and the run goes on until this object is closed.
    """

    def __init__(self, store: Store, executor: Executor, history: History, catalog: Catalog, by: str) -> None:
        super().__init__(store, history)
        self._executor = executor
        self._catalog = catalog
        self._by = by
        self._doing: set[asyncio.Task[Any]] = set()

    async def close(self) -> None:
        """Stop what runs here, record it, and let go of the store; `tidegate.open` does this by itself.

        It is done to its end, also if the task is cancelled meanwhile. Every run can be resumed.
        """
        if not self._closed:
            self._closed = True
            await _to_the_end(self._close())

    async def _close(self) -> None:
        try:
            # What is being begun is then driven, and stopped like everything else.
            if self._doing:
                await asyncio.wait(set(self._doing))
            await self._executor.close("its program closed Tidegate")
        finally:
            await self._store.close()

    async def do(self, work: Coroutine[Any, Any, T]) -> T:
        """Do *work* on this store to its end, whatever becomes of the caller; `close` waits for it.

        For rooms that ask the executor for what has no method here. Cut off between its lease and its driver,
        a run would wait for nobody until that lease has run out.

        Raises:
            StoreUnavailable: this object was closed; nothing was begun.
        """
        if self._closed:
            work.close()
            raise StoreUnavailable(self.url, "it has been closed")
        task = asyncio.create_task(work)
        self._doing.add(task)
        task.add_done_callback(self._doing.discard)
        return await asyncio.shield(task)

    # -- workflows ----------------------------------------------------------------------------

    def load(self, path: str | os.PathLike[str]) -> "Loaded":
        """Return the workflow in a file, with those that it calls. Its commands run in the file's folder.

        Raises:
            DefinitionError: it cannot be read, or has faults; all of them are named.
        """
        return load_file(path, self._catalog)

    def workflow(
        self,
        source: Mapping[str, Any] | str,
        *,
        children: Mapping[str, "Loaded"] | None = None,
        working_dir: str | os.PathLike[str] = ".",
    ) -> "Loaded":
        """Return a workflow that is in no file.

        Args:
            source: What a workflow file holds: as Python data (a text in it stays one: "NO", "1.10"), or as YAML.
            children: The workflows that its blocks call, by the name they call them by.
            working_dir: Where its commands run.

        Raises:
            DefinitionError: it has faults; all of them are named.
        """
        return load_source(source, self._catalog, children=children or {}, working_dir=working_dir)

    # -- running ------------------------------------------------------------------------------

    async def execute_workflow(
        self,
        workflow: "Loaded | str | os.PathLike[str]",
        inputs: Mapping[str, Json] | None = None,
        *,
        by: str | None = None,
    ) -> RunResult:
        """Start a run and return once nothing of it moves: it has ended, or waits for people.

        Args:
            workflow: From `load` or `workflow`; a text or path is a workflow file.
            inputs: By name; a text is never read as another type.
            by: Who starts it.

        Raises:
            DefinitionError, InputsError: nothing was started.
        """
        return await self.wait(await self.start(workflow, inputs, by=by))

    async def start(
        self,
        workflow: "Loaded | str | os.PathLike[str]",
        inputs: Mapping[str, Json] | None = None,
        *,
        by: str | None = None,
    ) -> RunId:
        """Start a run as `execute_workflow` does; return its id as soon as it is durable.

        Raises:
            DefinitionError, InputsError: nothing was started.
        """
        if isinstance(workflow, str | os.PathLike):
            workflow = await asyncio.to_thread(self.load, workflow)
        values = complete_inputs(workflow.definition, inputs or {})
        starting = self._executor.start(
            workflow.definition, values, by=by or self._by, source=workflow.source
        )
        return await self.do(starting)

    async def wait(self, run_id: str) -> RunResult:
        """Return once nothing of a run moves any more, whoever drives it.

        Raises:
            RunNotFound: there is no such run.
        """
        await self._executor.settle(RunId(run_id))
        return await self.get_run(run_id)

    async def resume_workflow(
        self, target: str, answer: Json = None, *, comment: str = "", by: str | None = None
    ) -> RunResult:
        """Go on with a run, and return once nothing of it moves any more.

        Args:
            target: A run; a checkpoint, which must be its run's newest; or a pause. With a pause the result
                is that of the run on top, which somebody has started.
            answer: The answer to that pause, or to the only open one of the run and of the runs below it;
                see `answer`. None: no answer; what was interrupted goes on, what failed is tried again, and
                a run that waits for people goes on waiting.
            comment: Kept with the answer.
            by: Who lets it go on.

        Raises:
            RunNotFound, CheckpointNotFound, PauseNotFound: there is none.
            NotResumable: the run has gone on since that checkpoint, or was rejected or cancelled.
            RunFinished: it succeeded.
            LeaseHeld: another living process drives it.
            WhichPause: several questions are open; name one.
            InvalidAnswer, AlreadyAnswered, PauseClosed: as `answer` raises them.
        """
        run_id, pause_id = await resumed_run(self._store, target, is_answered=answer is not None)
        if answer is None:
            await self.do(self._executor.resume(run_id, by=by or self._by))
        else:
            pause = await self._history.find_pause(pause_id or run_id)
            await self.answer(pause.pause_id, answer, comment=comment, by=by)
        return await self.wait(run_id)

    async def answer(
        self, pause_id: str, value: Json, *, comment: str = "", by: str | None = None, drive: bool = True
    ) -> Answered:
        """Answer an open question; return once the answer is durable. `wait` for what comes of it.

        Args:
            pause_id: Which.
            value: True or False; the text of a choice, or a list of several; a text, number or None; what
                JSON says; the fields of a form by name; for a block that was cut off `{"action": "rerun"}`
                (`done`, with `"outputs"`, `skip`, `fail`). A text is read as if it were typed, so "yes" is
                True; only where JSON is asked for it is the value.
            comment: Kept with the answer.
            by: Who answers.
            drive: Whether the run goes on here, if nobody else drives it.

        Raises:
            PauseNotFound: there is no such question.
            InvalidAnswer: it breaks a rule of the question, which stays open.
            AlreadyAnswered: somebody else was faster, with something else. The same again is success.
            PauseClosed: the question has expired, or its run was cancelled.
        """
        pause = await self._store.pause(PauseId(pause_id))
        reply = Reply(raw=_raw(pause, value), by=by or self._by, via="api", comment=comment)
        return await self.do(self._executor.answer(pause.pause_id, reply, drive=drive))

    # -- turning its course -------------------------------------------------------------------
    # Each returns once the wish is durable; `wait` for what comes of it.

    async def cancel(
        self, run_id: str, *, reason: str = "", force: bool = False, by: str | None = None
    ) -> None:
        """Stop what runs in a run and below it, and close its questions; blocks that run `always` still do.

        Args:
            run_id: Which run.
            reason: Why; kept with the run.
            force: Whether blocks that run `always` are given up, too.
            by: Who cancels.

        Raises:
            RunNotFound, RunFinished: there is no such run, or it has ended.
        """
        await self.do(self._executor.cancel(RunId(run_id), by=by or self._by, reason=reason, force=force))

    async def pause(self, run_id: str, *, reason: str = "", by: str | None = None) -> None:
        """Let nothing new start in a run and below it; what is at work goes on to its end.

        Raises:
            RunNotFound, RunFinished: there is no such run, or it has ended.
        """
        await self.do(self._executor.pause(RunId(run_id), by=by or self._by, reason=reason))

    async def unpause(self, run_id: str, *, by: str | None = None) -> None:
        """Let a run that somebody has paused go on.

        Raises:
            RunNotFound, RunFinished: there is no such run, or it has ended.
        """
        await self.do(self._executor.unpause(RunId(run_id), by=by or self._by))

    async def retry(self, run_id: str, block: str | None = None, *, by: str | None = None) -> None:
        """Try a failed block, or one failed item of it (`deploy[red]`), again; None: all that failed.

        Raises:
            RunNotFound, BlockNotFound: there is no such run or block.
            NotResumable: it has not failed, or something downstream of it is at work.
        """
        place = BlockId(block) if block is not None else None
        await self.do(self._executor.retry(RunId(run_id), place, by=by or self._by))

    async def rerun(self, run_id: str, block: str, *, by: str | None = None, feedback: str = "") -> None:
        """Run a block that has ended again, and everything downstream, as if for the first time.

        What is to be other this time, *feedback*, they read as `${run.feedback}`.

        Raises:
            RunNotFound, BlockNotFound: there is no such run or block.
            NotResumable: it has not ended, or something downstream of it is at work.
        """
        again = self._executor.rerun(RunId(run_id), BlockId(block), by=by or self._by, feedback=feedback)
        await self.do(again)

    async def skip(self, run_id: str, block: str, *, reason: str, by: str | None = None) -> None:
        """Decide that a block, or one item of it, will not run: one that failed, or has not begun.

        Raises:
            RunNotFound, BlockNotFound: there is no such run or block.
            RunFinished: the run has ended, and not because this block failed.
            NotResumable: the block is at work, or has ended well.
        """
        await self.do(self._executor.skip(RunId(run_id), BlockId(block), by=by or self._by, reason=reason))

    async def delete_checkpoint(
        self, checkpoint_id: str, *, cancel: bool = False, by: str | None = None
    ) -> None:
        """Take a checkpoint off the list; the history of its run stays as it is.

        Args:
            checkpoint_id: Which.
            cancel: Whether the run of an open question is cancelled for it; this returns once that run has ended.
            by: Who cancels.

        Raises:
            CheckpointNotFound: there is none.
            CheckpointInUse: it is that of an open question, and nothing is to be cancelled.
            CheckpointPinned: somebody wants it kept.
        """
        who = (by or self._by) if cancel else None
        await self.do(self._executor.delete_checkpoint(CheckpointId(checkpoint_id), cancel_by=who))

    async def pin_checkpoint(self, checkpoint_id: str, *, pinned: bool = True) -> None:
        """Keep a checkpoint, and with it its run, whatever its age; or, with False, no longer.

        Raises:
            CheckpointNotFound: there is none.
        """
        await self.do(self._executor.pin(CheckpointId(checkpoint_id), pinned=pinned))

    # -- removing -----------------------------------------------------------------------------

    async def delete_run(
        self, run_id: str, *, pinned: bool = False, by: str | None = None
    ) -> tuple[str, ...]:
        """Remove a run that has ended, for good, with the runs that its blocks have started; return their ids.

        Args:
            run_id: Which run; not one that another run's block has started.
            pinned: Whether it goes even if a checkpoint of it is pinned.
            by: Who removes it, as it is remembered.

        Raises:
            RunNotFound: there is no such run.
            RunInUse: it, or one below it, has not ended; it is pinned; or it is a part of another run.
        """
        return await self.do(self._executor.remove_run(RunId(run_id), despite_pins=pinned, by=by or self._by))

    async def clean_up(
        self, *, dry_run: bool = False, workflow: str | None = None, by: str | None = None
    ) -> "CleanUp":
        """Remove the finished runs that are kept no longer, as their workflow's file or the settings say.

        Args:
            dry_run: Only say what would go.
            workflow: Only runs of this one; None: of all.
            by: Who removes them, as it is remembered.

        Returns:
            `going` and `staying`: for each run on top `run` (with its `run_id`), `bytes`, and `why`.
        """
        return await self.do(self._executor.clean_up(dry_run=dry_run, workflow=workflow, by=by or self._by))


def _raw(pause: PauseRow, value: Json) -> str:
    """Return what a person would have typed.

    Raises:
        InvalidAnswer: no text stands for the value, and the question is open.
    """
    try:
        return typed_answer(pause.prompt, value)
    except InvalidAnswer:
        if pause.state is PauseState.OPEN:
            raise
        # Whoever comes too late is told that, and not what is wrong with the answer.
        return str(value)


async def _to_the_end(work: Coroutine[Any, Any, None]) -> None:
    """Do *work* to its end, also if the task is cancelled meanwhile; that counts afterwards."""
    task = asyncio.create_task(work)
    cancelled = False
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError:
            cancelled = True
    task.result()
    if cancelled:
        raise asyncio.CancelledError
