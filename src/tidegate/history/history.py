"""Everything that can be asked about runs, without changing any of them."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from tidegate.clock import Clock
from tidegate.errors import (
    BlockNotFound,
    PauseNotFound,
    RunNotFound,
    WhichPause,
)
from tidegate.history.definition_tree import definition_tree
from tidegate.history.diff import changes_between
from tidegate.history.finding import find_checkpoint, find_id, find_run, kind_of
from tidegate.history.past import Past
from tidegate.history.trees import Tree, tree_of
from tidegate.history.usual import Usual, UsualTimes
from tidegate.history.verdict import Verdict
from tidegate.history.verify import verify, verify_run
from tidegate.history.views import RunView, checkpoint_metadata, where
from tidegate.history.whole import WholeStore
from tidegate.model.checkpoint import CheckpointMetadata
from tidegate.model.events import RunStatus
from tidegate.model.ids import BlockId, CheckpointId, PauseId, RunId, block_of
from tidegate.model.listing import (
    CheckpointFilter,
    Counts,
    OutputChunk,
    PauseFilter,
    PauseRow,
    RunFilter,
    RunRow,
)
from tidegate.model.state import PauseState
from tidegate.store.owner import has_living_owner, status_now
from tidegate.store.protocol import Store
from tidegate.store.replay import States

if TYPE_CHECKING:
    from pathlib import Path

    from tidegate.history.changes import Change
    from tidegate.model.workflow import WorkflowDefinition
    from tidegate.workflows.library import DefinitionChange

__all__ = ["History"]

_MANY = 100_000
"""More runs than any tree has."""

_NOTICES = {
    "changed": "the file has changed since the run started: the run keeps what it was started with",
    "missing": "the file is gone: the run keeps what it was started with",
    "broken": "the file has faults by now: the run keeps what it was started with",
}


class History(WholeStore, Past):
    """Reads one store."""

    def __init__(self, store: Store, clock: Clock, states: States | None = None) -> None:
        """Read *store*; *states* may be shared with an executor on the same store."""
        super().__init__(store, states or States(store))
        self._clock = clock
        self._usual = UsualTimes(store)

    async def write_export(self, run_id: RunId, place: "Path", *, program: str = "") -> int:
        """Write a run as it is now, with every run below it, as one portable file; return its bytes.

        Args:
            run_id: The run, by its whole id.
            place: The file, which must not be there; the end of its name says how it is packed.
            program: The version of the program, for people.

        Raises:
            FileThere: it is there already.
            RunNotFound: there is no such run.
            NotExportable: it is a part of another run.
            CorruptStore: something of it is damaged, or missing.
            OSError: it cannot be written; nothing of it was.
        """
        from tidegate.history.export import prepare_export
        from tidegate.history.export_files import write_whole

        point = await self.find_point(run_id)
        made = await prepare_export(self._store, point, self._clock, program=program)
        return await write_whole(made.whole(), place)

    # -- lists --------------------------------------------------------------------------------

    async def runs(self, query: RunFilter | None = None) -> tuple[RunView, ...]:
        """Return runs, newest first."""
        return tuple(self.seen(row) for row in await self._store.runs(query or RunFilter()))

    def seen(self, row: RunRow) -> RunView:
        """Return a run's row as it stands now."""
        return RunView(row, status_now(row, self._clock.now()))

    async def run_view(self, run_id: RunId) -> RunView:
        """Return one run as a list shows it.

        Raises:
            RunNotFound: there is no such run.
        """
        return self.seen(await self._store.run(run_id))

    async def counts(self) -> Counts:
        """Return which pauses are open, and how many runs have each status, as journalled."""
        return await self._store.counts()

    async def running(self) -> int:
        """Return how many runs on top somebody drives now: of one whose process is gone only the journal says so."""
        now, vitals = self._clock.now(), await self._store.vitals()
        said = [run for run in vitals.leased if run.is_top and run.status is RunStatus.RUNNING]
        # Each process is looked for once, however many runs it drives: this is asked four times a second.
        newest = {run.owner: run for run in sorted(said, key=lambda run: run.lease_until)}
        living = {owner for owner, run in newest.items() if has_living_owner(run, now)}
        return sum(run.owner in living and run.lease_until > now for run in said)

    async def usual(self, workflow: str) -> Mapping[BlockId, Usual]:
        """Return how long the blocks of a workflow usually work; those that never succeeded are missing."""
        return await self._usual.of(workflow)

    async def tree(self, run_id: RunId) -> Tree:
        """Return a run with every run below it.

        Raises:
            RunNotFound: there is no such run.
        """
        row = await self._store.run(run_id)
        rows = await self._store.runs(RunFilter(root=row.root or run_id, limit=_MANY))
        return tree_of(self.seen(row), [self.seen(below) for below in rows])

    async def find_place(self, run_id: RunId, path: str) -> tuple[RunId, BlockId]:
        """Return the run and the place in it that a path means, which may lead through runs below: `a[x]/gate`.

        Of runs that a block has started one after the other, the newest is meant. Whether the place is
        there is not looked at.

        Raises:
            RunNotFound: there is no such run.
        """
        above = (await self._store.run(run_id)).path
        found, rest = run_id, path
        for branch in (await self.tree(run_id)).below():
            row = branch.view.row
            leads_to = f"{row.path.removeprefix(f'{above}/' if above else '')}/"
            # The longest path that fits; of equally long ones the last, which is the newest run.
            if path.startswith(leads_to) and len(path) - len(leads_to) <= len(rest):
                found, rest = row.run_id, path[len(leads_to) :]
        return found, BlockId(rest)

    async def inbox(self, run_id: RunId | None = None) -> tuple[PauseRow, ...]:
        """Return the open pauses of all runs, or of one and everything below it; deadlines first, then age.

        Raises:
            RunNotFound: there is no such run.
        """
        return await self._pauses(run_id, open_only=True)

    async def most_urgent(self) -> PauseRow | None:
        """Return the open pause that stands first in the inbox; None: nothing waits."""
        return next(iter(await self._store.pauses(PauseFilter(limit=1))), None)

    async def _pauses(self, run_id: RunId | None, *, open_only: bool) -> tuple[PauseRow, ...]:
        if run_id is None:
            return await self._store.pauses(PauseFilter(open_only=open_only))
        row = await self._store.run(run_id)
        rows = await self._store.pauses(PauseFilter(root=row.root or run_id, open_only=open_only))
        if row.root is None or not rows:
            return rows
        below = (await self.tree(run_id)).ids
        return tuple(pause for pause in rows if pause.run_id in below)

    async def answered(self, limit: int = 20) -> tuple[PauseRow, ...]:
        """Return pauses that are closed, newest first."""
        return await self._store.pauses(PauseFilter(open_only=False, closed_since=0.0, limit=limit))

    async def asked_before(self, workflow: str, block: BlockId, limit: int = 20) -> tuple[PauseRow, ...]:
        """Return the closed pauses that a block, or a part of it, has asked in runs of a workflow; newest first."""
        query = PauseFilter(
            workflow=workflow, block=block_of(block), open_only=False, closed_since=0.0, limit=limit
        )
        return await self._store.pauses(query)

    async def checkpoints(self, query: CheckpointFilter | None = None) -> tuple[CheckpointMetadata, ...]:
        """Return checkpoints, newest first."""
        return tuple(
            checkpoint_metadata(row) for row in await self._store.checkpoints(query or CheckpointFilter())
        )

    # -- whether it is sound ------------------------------------------------------------------

    def verify(self) -> AsyncIterator[Verdict]:
        """Yield a verdict on every run, newest first: whether what is kept of it is what was written."""
        return verify(self._store)

    async def verify_run(self, run_id: RunId) -> Verdict:
        """Return a verdict on one run.

        Raises:
            RunNotFound: there is no such run.
        """
        verdict = await verify_run(self._store, run_id)
        if verdict is None:
            raise RunNotFound(run_id)
        return verdict

    async def faults(self) -> tuple[str, ...]:
        """Return what is damaged in the store as a whole, beyond single runs."""
        faults = await self._store.faults()
        if faults:  # Then counting what belongs together says nothing more.
            return faults
        return tuple(
            f"{count:,} {kind} without what they belong to"
            for kind, count in (await self._store.orphans()).items()
        )

    # -- one run ------------------------------------------------------------------------------

    async def definition_change(self, run_id: RunId) -> "DefinitionChange":
        """Return how the file of a run's workflow differs by now from what the run is pinned to.

        Raises:
            RunNotFound: there is no such run.
        """
        return (await self._definition_now(run_id))[0]

    async def definition_changes(self, run_id: RunId) -> "tuple[DefinitionChange, tuple[Change, ...]]":
        """Return the same with every difference: on the left what the run is pinned to.

        Raises:
            RunNotFound: there is no such run.
        """
        from tidegate.workflows.library import DefinitionChange

        change, pinned, now = await self._definition_now(run_id)
        if change is not DefinitionChange.CHANGED:
            return change, ()

        def differences() -> "tuple[Change, ...]":
            return tuple(changes_between(definition_tree(pinned), definition_tree(now)))

        return change, await asyncio.to_thread(differences)

    async def _definition_now(
        self, run_id: RunId
    ) -> "tuple[DefinitionChange, WorkflowDefinition, WorkflowDefinition]":
        """Return the change, what the run is pinned to, and what its file says now."""
        # Here: with it comes everything that reads a workflow file.
        from tidegate.blocks.registry import catalog
        from tidegate.workflows.library import definition_now

        pinned = await self.definition((await self._store.run(run_id)).definition)
        change, now = await asyncio.to_thread(lambda: definition_now(pinned, catalog()))
        return change, pinned, now

    async def definition_notice(self, run_id: RunId) -> str:
        """Return what somebody should know of the file of an unfinished run; empty: nothing.

        Raises:
            RunNotFound: there is no such run.
        """
        if (await self._store.run(run_id)).summary.status.is_terminal:
            return ""
        return _NOTICES.get(await self.definition_change(run_id), "")

    async def definition_source(self, run_id: RunId) -> str:
        """Return the text of the workflow that a run is pinned to; empty: it came from no file.

        Raises:
            RunNotFound: there is no such run.
        """
        return await self._store.definition_source((await self._store.run(run_id)).definition)

    async def output(
        self, run_id: RunId, block: BlockId, attempt: int, *, after: int = -1, limit: int = 64
    ) -> tuple[OutputChunk, ...]:
        """Return what a block wrote, in chunks with ``n > after``."""
        writer = await self._writer(run_id, block, attempt)
        return await self._store.read_output(writer, block, attempt, after=after, limit=limit)

    async def last_output(
        self, run_id: RunId, block: BlockId, attempt: int, *, limit: int = 4
    ) -> tuple[OutputChunk, ...]:
        """Return the last chunks that a block wrote."""
        writer = await self._writer(run_id, block, attempt)
        return await self._store.last_output(writer, block, attempt, limit=limit)

    async def _writer(self, run_id: RunId, block: BlockId, attempt: int) -> RunId:
        """Return the run in which an attempt was made: of a fork that may be one that it goes on from."""
        with suppress(RunNotFound):  # Then it wrote nothing that is still there.
            while (await self._store.run(run_id)).origin is not None:
                state = await self._states.newest(run_id)
                if state.origin is None or attempt > state.inherited.get(block, 0):
                    break
                run_id = state.origin.run_id
        return run_id

    # -- ids ----------------------------------------------------------------------------------

    async def find_run(self, prefix: str) -> RunId:
        """Return the run that *prefix* names; also by the id of one of its pauses or checkpoints.

        Raises:
            RunNotFound: none.
            AmbiguousId: more than one.
        """
        return await find_run(self._store, prefix)

    async def find_pause(self, prefix: str, block: str | None = None) -> PauseRow:
        """Return the pause that *prefix* names, or the only open one of the run it names and of those below.

        Of a run with nothing open that is the pause that was answered last.

        Args:
            prefix: The beginning of an id of a pause or a run.
            block: Where in the run: a block (`gate`), an item (`gate[red]`), or a path through the runs
                that it started (`deploy[red]/gate`). None: anywhere.

        Raises:
            PauseNotFound: none.
            WhichPause: several are open there.
            BlockNotFound: the run has no such block.
            AmbiguousId: the prefix names more than one thing.
        """
        found = await find_id(self._store, prefix, ("run", "pause"))
        if found is None:
            raise PauseNotFound(prefix)
        if kind_of(found) == "pause" and block is None:
            return await self._explained(await self._store.pause(PauseId(found)))
        run_id = await self.find_run(found)
        rows = await self._pauses(run_id, open_only=True)
        if block is not None:
            rows = await self._at(run_id, rows, block)
        if len(rows) > 1:
            raise WhichPause(run_id, tuple(f"{row.pause_id} ({where(row)})" for row in rows))
        return rows[0] if rows else await self._last_answered(run_id)

    async def _explained(self, row: PauseRow) -> PauseRow:
        if row.state is not PauseState.CLOSED:
            return row
        return row.evolve(because=(await self.state(row.run_id)).pauses[row.pause_id].because)

    async def _at(self, run_id: RunId, rows: tuple[PauseRow, ...], block: str) -> tuple[PauseRow, ...]:
        """Return those of *rows* that are open at a block; an exact match leaves all others out."""
        above = (await self._store.run(run_id)).path
        exact = [row for row in rows if block in (row.block, where(row, above), where(row))]
        found = exact or [row for row in rows if _is_within(row, above, block)]
        if found:
            return tuple(found)
        known = (await self.state(run_id)).graph.blocks
        if block_of(BlockId(block.partition("/")[0])) not in known:
            raise BlockNotFound(run_id, block, tuple(known))
        raise PauseNotFound(run_id, f"run {run_id} has no open pause at block '{block}'")

    async def _last_answered(self, run_id: RunId) -> PauseRow:
        """Return the pause that was decided last: who answers it once more is told by whom, or by what."""
        decided = [
            row
            for row in await self._pauses(run_id, open_only=False)
            if row.state in (PauseState.ANSWERED, PauseState.EXPIRED)
        ]
        if not decided:
            status = (await self.run_view(run_id)).status
            raise PauseNotFound(run_id, f"run {run_id} has no open pause: it is {status}")
        return max(decided, key=lambda row: row.closed_at or 0.0)

    async def find_checkpoint(self, prefix: str) -> CheckpointId:
        """Return the checkpoint that *prefix* names.

        Raises:
            CheckpointNotFound: none.
            AmbiguousId: more than one.
        """
        return await find_checkpoint(self._store, prefix)


def _is_within(row: PauseRow, above: str, block: str) -> bool:
    """Whether a pause is that of an item of *block*, or of a run which that block started."""
    place = where(row, above)
    return block_of(BlockId(place)) == block or place.startswith((f"{block}/", f"{block}[", f"{block}#"))
