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
from pathlib import Path
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
    KeptRun,
    MarkedRun,
    OutputChunk,
    PauseFilter,
    PauseRow,
    RunFilter,
    RunRow,
)
from tidegate.model.workflow import WorkflowDefinition
from tidegate.store.accounts import Accounts
from tidegate.store.orders import Append, Claim, NewRun, PlaceMark
from tidegate.store.typed_secrets import TypedSecrets

__all__ = ["Append", "Claim", "NewRun", "PlaceMark", "Store"]


class Store(TypedSecrets, Accounts, Protocol):
    """One contract for every store."""

    @property
    def url(self) -> str:
        """Where it is, as `open_store` takes it."""
        ...

    @property
    def damage(self) -> str:
        """What of it was found to be damaged since it was opened, for people; empty: nothing so far.

        Lists leave out, or name, what they cannot read; here is why they are short of it.
        """
        ...

    async def faults(self) -> tuple[str, ...]:
        """Look at the store as a whole; return what is damaged in it, beyond single runs. May take long."""
        ...

    async def close(self) -> None:
        """Finish what was acknowledged or is waiting, then let go of everything."""
        ...

    # -- journals -----------------------------------------------------------------------------

    async def create_run(self, run: NewRun) -> Claim:
        """Create a run with its first events, and keep its definition.

        A fork has the events of the run that it goes on from, up to that point, and then its own.

        Raises:
            RunNotFound: the run whose block starts it, or that it goes on from, is not there.
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
        """Return the events with ``after < seq <= upto``, in order; empty for an unknown run.

        Of a fork those before its first own one are the other run's, as that one has them.
        """
        ...

    async def definition(self, definition_hash: str) -> WorkflowDefinition:
        """Return a kept definition.

        Raises:
            CorruptStore: it is not there, though a run needs it.
        """
        ...

    async def definition_source(self, definition_hash: str) -> str:
        """Return the text of the file that a kept definition was read from first; empty: there is none."""
        ...

    async def values(self, hashes: Sequence[str]) -> Mapping[str, bytes]:
        """Return the JSON of stored values by SHA-256.

        Raises:
            CorruptStore: one is missing, or is not what its hash says.
        """
        ...

    async def missing_values(self, hashes: Sequence[str]) -> frozenset[str]:
        """Return which stored values are not there. None is read: whether those that are there are damaged is not told."""
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
        """Return up to *limit* chunks with ``n > after``, in order; one that is damaged says so, and has no bytes."""
        ...

    async def last_output(
        self, run_id: RunId, block: BlockId, attempt: int, *, limit: int = 4
    ) -> tuple[OutputChunk, ...]:
        """Return the last chunks, in order; damaged ones as above."""
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
        """Return runs, newest first unless the filter asks for another order."""
        ...

    async def pauses(self, query: PauseFilter = ...) -> tuple[PauseRow, ...]:
        """Return pauses: those with a deadline first, earliest first, then oldest first.

        What was asked for by when it was closed comes in that order, the last one first, and has no pages.
        """
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
            CheckpointPinned: somebody wants it kept.
            StoreUnavailable: the store cannot be written now.
        """
        ...

    async def matching(self, prefix: str, *, limit: int = 6) -> tuple[str, ...]:
        """Return ids of runs, pauses and checkpoints that start with *prefix*, an exact one first."""
        ...

    async def counts(self) -> Counts:
        """Return which pauses are open and how many runs have each status, all of one moment.

        It costs the same however many runs there are, and two microseconds for each open pause.
        """
        ...

    # -- changes ------------------------------------------------------------------------------

    async def changes(self, since: Cursor) -> Changes:
        """Return what changed after *since*, and which runs were removed; 0 is before everything.

        Removals are told for a week at least; who looks less often has to read the lists again.
        """
        ...

    async def newest_cursor(self) -> Cursor:
        """Return the position after everything that has changed so far."""
        ...

    async def wait_for_change(self, since: Cursor) -> None:
        """Return once `changes(since)` may have something, whoever wrote it; may return early."""
        ...

    # -- retention ----------------------------------------------------------------------------

    async def pin(self, checkpoint_id: CheckpointId, *, pinned: bool = True) -> None:
        """Keep a checkpoint, and with it its run, until somebody says otherwise; or no longer.

        Raises:
            CheckpointNotFound: there is none.
            StoreUnavailable: the store cannot be written now.
        """
        ...

    async def label_mark(self, checkpoint_id: CheckpointId, label: str | None) -> None:
        """Call a checkpoint *label*; None: only what its journal calls it, and nothing if a person placed it.

        Raises:
            CheckpointNotFound: there is none.
            StoreUnavailable: the store cannot be written now.
        """
        ...

    async def place_mark(self, mark: PlaceMark) -> None:
        """Add a checkpoint at a point of a run, whether that has ended or is driven now. Its journal stays as it is.

        Raises:
            RunNotFound: there is no such run.
            JournalConflict: it has no such event.
            StoreUnavailable: the store cannot be written now.
        """
        ...

    async def trim_marks(self, run_id: RunId, *, keep: int, pauses: bool = False) -> int:
        """Take a run's oldest checkpoints off the list; return how many.

        Args:
            run_id: Which run, in whatever status.
            keep: How many stay, at least 1. One that is pinned, or that a person has placed or labelled, and
                that of an open pause, always stay and do not count.
            pauses: Whether those of closed pauses count, and may go, too.

        Raises:
            RunNotFound: there is no such run.
            StoreUnavailable: the store cannot be written now.
        """
        ...

    async def remove_run(
        self,
        run_id: RunId,
        *,
        at: float,
        despite_pins: bool = False,
        ended_by: float | None = None,
        by: str = "",
        why: str = "",
    ) -> tuple[RunId, ...]:
        """Remove a run that has ended, with everything below it; return what was removed, itself first.

        When this returns, nobody finds the run any more, and the feed tells that it is gone. What it leaves
        goes with `empty_graves`: whoever removes runs calls that until nothing is left, and so does
        whoever opens a store in which somebody else did not live to.

        Args:
            run_id: A run on top.
            at: Now.
            despite_pins: Whether it goes even if a checkpoint of it is pinned.
            ended_by: Only if nothing of it has moved after this instant.
            by: Who wants it gone, as `removals` tells it.
            why: For what reason.

        Raises:
            RunNotFound: there is no such run.
            RunInUse: it, or one below it, has not ended, is pinned, has a fork elsewhere, or has moved after
                *ended_by*; or it is itself below another one.
            StoreUnavailable: the store cannot be written now.
        """
        ...

    async def empty_graves(self, *, forget_before: float = ...) -> bool:
        """Delete a slice of what removed runs have left; return whether there is more.

        A slice is a transaction that keeps nobody waiting; between two of them others should get their turn.

        Args:
            forget_before: Removals before this instant, of which nothing is left, are forgotten: the feed no
                longer tells of them.

        Raises:
            StoreUnavailable: the store cannot be written now.
        """
        ...

    async def give_back(self) -> int:
        """Give a slice of the space that nothing fills back to the system; return its bytes, 0 when done.

        Raises:
            StoreUnavailable: the store cannot be written now.
        """
        ...

    async def claim_clean_up(self, *, now: float, interval: float) -> bool:
        """Return whether the caller is to clean up now: nobody has in the last *interval* seconds.

        Raises:
            StoreUnavailable: the store cannot be written now.
        """
        ...

    async def kept_runs(self, workflow: str | None = None) -> tuple[KeptRun, ...]:
        """Return the runs on top, of one workflow or of all, those that were created last first."""
        ...

    async def marked_runs(self, *, more_than: int, pauses: bool = False) -> tuple[MarkedRun, ...]:
        """Return the runs with more than so many checkpoints that `trim_marks` may take off the list."""
        ...

    async def sizes(self, run_ids: Sequence[RunId]) -> Mapping[RunId, int]:
        """Return the bytes that runs take, each with everything below it, by its id.

        Counted are events, output, and of each value the run's share: one that two runs use is half each
        one's. What is unknown is left out.
        """
        ...

    # -- the whole of it ----------------------------------------------------------------------

    async def copy_to(self, place: Path) -> None:
        """Write the whole store, as of one moment, to *place*, where nothing is yet. Others go on writing.

        What is there then is a store of the same kind, durable, and readable by its owner only.

        Raises:
            StoreUnavailable: it is in memory, or cannot be read now, or *place* cannot be written.
            CorruptStore: it is damaged.
        """
        ...
