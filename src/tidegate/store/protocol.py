"""What every store promises, whatever it keeps its bytes in.

A store owns the journals, and with each journal what can be listed without folding it: one
row per run, per pause and per checkpoint, written in the transaction of the events they come
from. It also keeps definitions, large values, output, and who may drive a run.

Rules that hold for every store and are tested by one suite (tests/store/test_conformance.py):

- `append` and `create_run` are whole transactions: all of it or nothing, and durable when they
  return. They are shielded: a caller that is cancelled while it waits changes nothing about that.
- Appends to one run are totally ordered by `seq`, without gaps, from 1.
- Readers never wait for the writer and never see half a transaction.
- No raw database error leaves a store: what goes wrong is one of `tidegate.errors`.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

from tidegate.model.events import Record
from tidegate.model.ids import BlockId, CheckpointId, PauseId, RunId, Seq
from tidegate.model.listing import (
    Changes,
    CheckpointFilter,
    CheckpointRow,
    Counts,
    Cursor,
    Epoch,
    OutputChunk,
    PauseFilter,
    PauseRow,
    RunFilter,
    RunRow,
)
from tidegate.model.workflow import WorkflowDefinition
from tidegate.store.orders import Append, Claim, NewRun

__all__ = ["Append", "Claim", "NewRun", "Store"]


class Store(Protocol):
    """One contract for every store."""

    @property
    def url(self) -> str:
        """Where it is, as `open_store` takes it."""
        ...

    async def close(self) -> None:
        """Finish what was acknowledged or is waiting, then let go of everything."""
        ...

    # -- journals -----------------------------------------------------------------------------

    async def create_run(self, run: NewRun) -> Claim:
        """Create a run with its first events, and keep its definition.

        Raises:
            StoreUnavailable: the store cannot be written now.
        """
        ...

    async def append(self, append: Append) -> Seq:
        """Add events; return the new head once they are durable.

        Rows of pauses and checkpoints follow from the events: `BlockPaused` opens a pause,
        `PauseAnswered` and `PauseExpired` close it, `CheckpointMarked` adds a checkpoint, and
        `RunFinished` closes the open pauses and, if it says so, drops the run's checkpoints.
        Pauses in `closed` are closed, and those in `deadlines` get them.

        Raises:
            RunNotFound: there is no such run.
            JournalConflict: the head is not `append.after`.
            StaleEpoch: the run has a newer epoch than `append.epoch`.
            StoreUnavailable: the store cannot be written now; nothing of it was.
        """
        ...

    async def read(self, run_id: RunId, *, after: Seq = ..., upto: Seq | None = None) -> tuple[Record, ...]:
        """Return the events with ``after < seq <= upto``, in order; empty for an unknown run."""
        ...

    async def definition(self, definition_hash: str) -> WorkflowDefinition:
        """Return a kept definition.

        Raises:
            CorruptStore: it is not there, though a run needs it.
        """
        ...

    async def values(self, hashes: Sequence[str]) -> Mapping[str, bytes]:
        """Return the JSON of stored values by SHA-256.

        Raises:
            CorruptStore: one is missing, or is not what its hash says.
        """
        ...

    # -- output -------------------------------------------------------------------------------

    async def write_output(
        self,
        run_id: RunId,
        block: BlockId,
        attempt: int,
        chunks: Sequence[OutputChunk],
        *,
        drop: range | None = None,
    ) -> None:
        """Add chunks, and forget those whose `n` is in *drop*. Durable no later than the next append."""
        ...

    async def read_output(
        self, run_id: RunId, block: BlockId, attempt: int, *, after: int = -1, limit: int = 64
    ) -> tuple[OutputChunk, ...]:
        """Return up to *limit* chunks with ``n > after``, in order."""
        ...

    async def last_output(
        self, run_id: RunId, block: BlockId, attempt: int, *, limit: int = 4
    ) -> tuple[OutputChunk, ...]:
        """Return the last chunks, in order."""
        ...

    # -- leases -------------------------------------------------------------------------------

    async def claim(
        self, run_id: RunId, *, owner: str, now: float, until: float, over: Epoch | None = None
    ) -> Claim:
        """Take the lease of a run under the next epoch.

        Succeeds if nobody holds it, if it expired before *now*, or if it is held under the epoch
        *over*: the caller has found that holder dead.

        Raises:
            RunNotFound: there is no such run.
            LeaseHeld: somebody holds it.
        """
        ...

    async def renew(self, epochs: Mapping[RunId, Epoch], *, until: float) -> frozenset[RunId]:
        """Extend leases; return the runs whose lease is lost (another epoch, or no such run)."""
        ...

    async def release(self, run_id: RunId, *, epoch: Epoch, head: Seq) -> bool:
        """Give the lease back if the head is still *head*.

        False: somebody appended meanwhile (or the epoch is over), and the holder must read on
        before it may leave. That closes the gap in which an answer could go unnoticed.
        """
        ...

    # -- listing ------------------------------------------------------------------------------

    async def run(self, run_id: RunId) -> RunRow:
        """Return one run's row.

        Raises:
            RunNotFound: there is no such run.
        """
        ...

    async def runs(self, query: RunFilter = ...) -> tuple[RunRow, ...]:
        """Return runs, newest first."""
        ...

    async def pauses(self, query: PauseFilter = ...) -> tuple[PauseRow, ...]:
        """Return pauses: those with a deadline first, earliest first, then oldest first."""
        ...

    async def pause(self, pause_id: PauseId) -> PauseRow:
        """Return one pause.

        Raises:
            PauseNotFound: there is none.
        """
        ...

    async def checkpoints(self, query: CheckpointFilter = ...) -> tuple[CheckpointRow, ...]:
        """Return checkpoints, newest first."""
        ...

    async def checkpoint(self, checkpoint_id: CheckpointId) -> CheckpointRow:
        """Return one checkpoint.

        Raises:
            CheckpointNotFound: there is none.
        """
        ...

    async def delete_mark(self, checkpoint_id: CheckpointId) -> None:
        """Take a checkpoint off the list. The journal it points into stays as it is.

        The feed tells of it as a change of its run.

        Raises:
            CheckpointNotFound: there is none.
            CheckpointInUse: it is that of a pause which is still open.
            StoreUnavailable: the store cannot be written now.
        """
        ...

    async def matching(self, prefix: str, *, limit: int = 6) -> tuple[str, ...]:
        """Return ids of runs, pauses and checkpoints that start with *prefix*, an exact one first."""
        ...

    async def counts(self) -> Counts:
        """Return how many pauses are open and how many runs have each status, all of one moment.

        It costs the same however many runs there are.
        """
        ...

    # -- changes ------------------------------------------------------------------------------

    async def changes(self, since: Cursor) -> Changes:
        """Return what changed after *since*; 0 is before everything."""
        ...

    async def newest_cursor(self) -> Cursor:
        """Return the position after everything that has changed so far."""
        ...

    async def wait_for_change(self, since: Cursor) -> None:
        """Return once `changes(since)` may have something, whoever wrote it; may return early."""
        ...
