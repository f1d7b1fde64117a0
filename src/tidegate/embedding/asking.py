"""What a program may ask of an open store, without changing anything in it."""

from collections.abc import AsyncIterator, Iterable

from tidegate.embedding.results import BlockOutput, RunInfo, RunResult, block_output, run_info, run_result
from tidegate.embedding.targets import listed_runs
from tidegate.engine.feed import Feed
from tidegate.errors import StoreUnavailable
from tidegate.history.history import History
from tidegate.model.checkpoint import CheckpointMetadata, CheckpointState
from tidegate.model.events import RunStatus
from tidegate.model.ids import CheckpointId, RunId
from tidegate.model.listing import CheckpointFilter, Cursor, PauseRow
from tidegate.store.protocol import Store

__all__ = ["Asking"]

_LOOK_AGAIN = 1.0
"""Seconds after which a follower looks whether the store has been closed."""


class Asking:
    """The reading half of `Tidegate`."""

    def __init__(self, store: Store, history: History) -> None:
        self._store = store
        self._history = history
        self._closed = False

    @property
    def url(self) -> str:
        """Where the store is, as `tidegate --store` takes it."""
        return self._store.url

    async def get_run(self, run_id: str) -> RunResult:
        """Return where a run stands now.

        Raises:
            RunNotFound: there is no such run.
        """
        return await run_result(self._history, RunId(run_id))

    async def list_runs(
        self, workflow: str | None = None, *, statuses: Iterable[RunStatus] = (), limit: int = 200
    ) -> tuple[RunInfo, ...]:
        """Return at most *limit* runs, newest first, those of one workflow or with certain statuses only."""
        return await listed_runs(self._history, workflow, frozenset(statuses), limit)

    async def list_pauses(self, run_id: str | None = None) -> tuple[PauseRow, ...]:
        """Return the open questions, of one run and the runs below it or of all: deadlines first, then the oldest.

        Raises:
            RunNotFound: there is no such run.
        """
        return await self._history.inbox(RunId(run_id) if run_id is not None else None)

    async def list_checkpoints(
        self, workflow: str | None = None, *, run_id: str | None = None, limit: int = 500
    ) -> tuple[CheckpointMetadata, ...]:
        """Return at most *limit* checkpoints, newest first, those of one workflow or run only."""
        of_run = RunId(run_id) if run_id is not None else None
        query = CheckpointFilter(workflow=workflow, run_id=of_run, limit=limit)
        return await self._history.checkpoints(query)

    async def load_checkpoint(self, checkpoint_id: str) -> CheckpointState:
        """Return everything a run was at a checkpoint, folded from its journal.

        Raises:
            CheckpointNotFound: there is none.
        """
        return await self._history.checkpoint(CheckpointId(checkpoint_id))

    async def output(self, run_id: str, block: str, *, attempt: int | None = None) -> BlockOutput:
        """Return what a block, or one item of it, has written so far; in its newest attempt for None.

        Raises:
            RunNotFound, BlockNotFound: there is no such run or block.
        """
        return await block_output(self._history, RunId(run_id), block, attempt)

    async def changes(self, *, backlog: bool = False) -> AsyncIterator[RunInfo]:
        """Yield runs as they change from now (the first `await`) on, whoever changes them, until this object is closed.

        Each is yielded as it is now: of several changes in a short time only the last is seen. That the
        process of a run has died is no change.

        Args:
            backlog: Whether every run that is there already comes first, the one that changed last last.
        """
        feed = Feed(self._store)
        cursor = Cursor(0) if backlog else await feed.now()
        try:
            while not self._closed:
                changed = await self._store.changes(cursor)
                for row in changed.runs:
                    yield run_info(self._history.seen(row))
                cursor = changed.cursor
                await feed.wait(cursor, within=_LOOK_AGAIN)
        except StoreUnavailable:
            if not self._closed:
                raise
