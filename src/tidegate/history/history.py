"""Everything that can be asked about runs, without changing any of them."""

from collections import OrderedDict

from tidegate.clock import Clock
from tidegate.errors import AmbiguousId, CheckpointNotFound, PauseNotFound, RunNotFound, WhichPause
from tidegate.history.views import RunView, checkpoint_metadata
from tidegate.model.base import JsonObject
from tidegate.model.checkpoint import CheckpointMetadata, CheckpointState
from tidegate.model.events import Record
from tidegate.model.ids import BlockId, CheckpointId, PauseId, RunId, Seq
from tidegate.model.listing import CheckpointFilter, OutputChunk, PauseFilter, PauseRow, RunFilter, RunRow
from tidegate.model.state import RunState
from tidegate.model.value import Value
from tidegate.model.workflow import WorkflowDefinition
from tidegate.store.owner import status_now
from tidegate.store.protocol import Store
from tidegate.store.replay import catch_up, replay
from tidegate.store.values import load_values

__all__ = ["History"]

_START = Seq(0)
_SHORTEST_PREFIX = 4
"""Characters of an id. What a slip of the finger may name must not be answered or cancelled."""
_KEPT_STATES = 16
"""How many runs' states are kept folded, so that following a run reads its new events only."""


class History:
    """Reads one store."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._states: OrderedDict[RunId, RunState] = OrderedDict()

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

    async def inbox(self, run_id: RunId | None = None) -> tuple[PauseRow, ...]:
        """Return the open pauses, those with a deadline first, then the oldest."""
        return await self._store.pauses(PauseFilter(run_id=run_id))

    async def answered(self, limit: int = 20) -> tuple[PauseRow, ...]:
        """Return pauses that are closed, newest first."""
        rows = await self._store.pauses(PauseFilter(open_only=False))
        closed = [row for row in rows if row.closed_at is not None]
        return tuple(sorted(closed, key=lambda row: -(row.closed_at or 0))[:limit])

    async def checkpoints(self, query: CheckpointFilter | None = None) -> tuple[CheckpointMetadata, ...]:
        """Return checkpoints, newest first."""
        return tuple(
            checkpoint_metadata(row) for row in await self._store.checkpoints(query or CheckpointFilter())
        )

    # -- one run ------------------------------------------------------------------------------

    async def state(self, run_id: RunId) -> RunState:
        """Return a run's newest state. Asked again, it reads only what was added since.

        Raises:
            RunNotFound: there is no such run.
        """
        known = self._states.pop(run_id, None)
        state = await (replay(self._store, run_id) if known is None else catch_up(self._store, known))
        self._states[run_id] = state
        while len(self._states) > _KEPT_STATES:
            self._states.popitem(last=False)
        return state

    async def events(self, run_id: RunId, *, after: Seq = _START) -> tuple[Record, ...]:
        """Return a run's journal, or what was added after an event."""
        return await self._store.read(run_id, after=after)

    async def definition(self, definition_hash: str) -> WorkflowDefinition:
        """Return the definition that runs are pinned to by its hash."""
        return await self._store.definition(definition_hash)

    async def outputs(self, values: dict[str, Value]) -> JsonObject:
        """Return a block's outputs as what they are."""
        return (await load_values(self._store, [values]))[0]

    async def output(
        self, run_id: RunId, block: BlockId, attempt: int, *, after: int = -1, limit: int = 64
    ) -> tuple[OutputChunk, ...]:
        """Return what a block wrote, in chunks with ``n > after``."""
        return await self._store.read_output(run_id, block, attempt, after=after, limit=limit)

    async def last_output(
        self, run_id: RunId, block: BlockId, attempt: int, *, limit: int = 4
    ) -> tuple[OutputChunk, ...]:
        """Return the last chunks that a block wrote."""
        return await self._store.last_output(run_id, block, attempt, limit=limit)

    async def checkpoint(self, checkpoint_id: CheckpointId) -> CheckpointState:
        """Return the state of a run at a checkpoint.

        Raises:
            CheckpointNotFound: there is none.
        """
        row = await self._store.checkpoint(checkpoint_id)
        state = await replay(self._store, row.run_id, upto=row.seq)
        blocks = [block_id for block_id in state.graph.blocks if state.block(block_id).status.has_ended]
        outputs = await load_values(self._store, [state.block(block_id).outputs for block_id in blocks])
        return CheckpointState(
            metadata=checkpoint_metadata(row), state=state, context=dict(zip(blocks, outputs, strict=True))
        )

    # -- ids ----------------------------------------------------------------------------------

    async def _one(self, prefix: str, kinds: tuple[str, ...]) -> str | None:
        """Return the one id that starts with *prefix* and is of one of *kinds* (prefixes themselves)."""
        if not prefix:  # It would name everything: `runs cancel "$UNSET"` must not find the only run.
            return None
        found = [name for name in await self._store.matching(prefix, limit=12) if _kind(name) in kinds]
        if prefix in found:
            return prefix
        if found and len(prefix.rpartition("_")[2]) < _SHORTEST_PREFIX:
            raise AmbiguousId(prefix, tuple(found))
        if len(found) > 1:
            raise AmbiguousId(prefix, tuple(found))
        return found[0] if found else None

    async def find_run(self, prefix: str) -> RunId:
        """Return the run that *prefix* names; also by the id of one of its pauses or checkpoints.

        Raises:
            RunNotFound: none.
            AmbiguousId: more than one.
        """
        found = await self._one(prefix, ("run", "pause", "chk"))
        if found is None:
            raise RunNotFound(prefix)
        if _kind(found) == "run":
            return RunId(found)
        if _kind(found) == "pause":
            return (await self._store.pause(PauseId(found))).run_id
        return (await self._store.checkpoint(CheckpointId(found))).run_id

    async def find_pause(self, prefix: str) -> PauseRow:
        """Return the pause that *prefix* names, or the only open one of the run it names.

        Of a run with nothing open that is the pause that was answered last.

        Raises:
            PauseNotFound: none.
            WhichPause: the run has several open pauses.
            AmbiguousId: the prefix names more than one thing.
        """
        found = await self._one(prefix, ("run", "pause"))
        if found is None:
            raise PauseNotFound(prefix)
        if _kind(found) == "pause":
            return await self._store.pause(PauseId(found))
        rows = await self._store.pauses(PauseFilter(run_id=RunId(found)))
        if len(rows) > 1:
            raise WhichPause(found, tuple(f"{row.pause_id} ({row.block})" for row in rows))
        return rows[0] if rows else await self._last_answered(RunId(found))

    async def _last_answered(self, run_id: RunId) -> PauseRow:
        """Return the pause that was answered last: who answers it once more is told by whom."""
        rows = await self._store.pauses(PauseFilter(run_id=run_id, open_only=False))
        answered = [row for row in rows if row.answer is not None]
        if not answered:
            status = (await self.run_view(run_id)).status
            raise PauseNotFound(run_id, f"run {run_id} has no open pause: it is {status}")
        return max(answered, key=lambda row: row.closed_at or 0.0)

    async def find_checkpoint(self, prefix: str) -> CheckpointId:
        """Return the checkpoint that *prefix* names.

        Raises:
            CheckpointNotFound: none.
            AmbiguousId: more than one.
        """
        found = await self._one(prefix, ("chk", "pause"))
        if found is None:
            raise CheckpointNotFound(prefix)
        return CheckpointId(found)


def _kind(name: str) -> str:
    head, underscore, _ = name.partition("_")
    return head if underscore else "run"
