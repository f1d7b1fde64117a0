"""What a program is told of a run: where it stands, what a list shows of it, what its blocks wrote."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tidegate.errors import BlockNotFound
from tidegate.history.history import History
from tidegate.history.parts import parts_of, places_of
from tidegate.history.views import RunView, pause_json
from tidegate.model.base import JsonObject
from tidegate.model.events import RunStatus
from tidegate.model.ids import BlockId, CheckpointId, RunId
from tidegate.model.listing import CheckpointFilter, OutputChunk, PauseRow, Stream
from tidegate.model.policy import FailureKind
from tidegate.model.state import BlockStatus, RunState

__all__ = ["BlockFailure", "BlockOutput", "RunInfo", "RunResult", "block_output", "run_info", "run_result"]


@dataclass(frozen=True, slots=True)
class BlockFailure:
    """A block that failed, or one item (`deploy[red]`) or iteration (`poll#2`) of it."""

    block: BlockId
    kind: FailureKind
    message: str
    """For a person: what happened, and what to do."""
    exit_code: int | None
    """Of its command, if that is why."""


@dataclass(frozen=True, slots=True)
class RunResult:
    """Where a run stands: at rest it has ended, or waits for people, or was interrupted."""

    run_id: RunId
    workflow: str
    status: RunStatus
    """`interrupted` also for a run whose process is gone."""
    outputs: JsonObject
    """The workflow's outputs by name, once it has ended."""
    pauses: tuple[PauseRow, ...]
    """The open questions of the run and of the runs below it: deadlines first, then the oldest."""
    failures: tuple[BlockFailure, ...]
    """In the order of the workflow; of a block with items also the first 20 items that failed."""
    checkpoint_id: CheckpointId | None
    """Its newest checkpoint."""
    reason: str
    """Why it stands where it stands, in a few words; may be empty."""
    held_by: str | None
    """Who has paused it, if somebody has: then nothing new starts, and there need be no question."""

    def as_json(self) -> JsonObject:
        """Return it with the field names that `tidegate run --json` has."""
        return {
            "run_id": self.run_id,
            "workflow": self.workflow,
            "status": self.status.value,
            "outputs": self.outputs,
            "pauses": [pause_json(pause) for pause in self.pauses],
            "failures": [
                {
                    "block": failure.block,
                    "kind": failure.kind.value,
                    "message": failure.message,
                    "exit_code": failure.exit_code,
                }
                for failure in self.failures
            ],
            "checkpoint_id": self.checkpoint_id,
            "reason": self.reason,
            "held_by": self.held_by,
        }


async def run_result(history: History, run_id: RunId) -> RunResult:
    """Return where a run stands now.

    Raises:
        RunNotFound: there is no such run.
    """
    view = await history.run_view(run_id)
    state = await history.state(run_id)
    newest = await history.checkpoints(CheckpointFilter(run_id=run_id, limit=1))
    return RunResult(
        run_id=run_id,
        workflow=view.row.workflow,
        status=view.status,
        outputs=state.finished.outputs if state.finished is not None else {},
        pauses=await history.inbox(run_id),
        failures=tuple(_failures(state)),
        checkpoint_id=CheckpointId(newest[0].checkpoint_id) if newest else None,
        reason=view.row.summary.reason,
        held_by=(state.held.by or "somebody") if state.held is not None else None,
    )


def _failures(state: RunState) -> Iterator[BlockFailure]:
    for block_id in state.graph.blocks:
        parts = parts_of(state, block_id)
        for place in (block_id, *(parts.shown if parts is not None else ())):
            block = state.block(place)
            if block.status is BlockStatus.FAILED and block.failure is not None:
                why = block.failure
                yield BlockFailure(place, why.kind, why.message, why.exit_code)


@dataclass(frozen=True, slots=True)
class RunInfo:
    """A run in a list: what can be told of it without reading its journal."""

    run_id: RunId
    workflow: str
    status: RunStatus
    """`interrupted` also for a run whose process is gone."""
    by: str
    """Who started it."""
    created_at: float
    """Seconds since 1970 UTC, as all times."""
    updated_at: float
    completed_blocks: int
    total_blocks: int
    open_pauses: int
    """In the runs that its blocks have started, too."""
    reason: str
    """Why it stands where it stands, in a few words; may be empty."""
    parent_run_id: RunId | None
    """The run whose block started it, if one did."""


def run_info(view: RunView) -> RunInfo:
    """Return what a list tells of a run."""
    row, summary = view.row, view.row.summary
    return RunInfo(
        run_id=row.run_id,
        workflow=row.workflow,
        status=view.status,
        by=row.by,
        created_at=row.created_at,
        updated_at=row.updated_at,
        completed_blocks=summary.completed,
        total_blocks=summary.blocks,
        open_pauses=summary.pauses,
        reason=summary.reason,
        parent_run_id=row.parent,
    )


@dataclass(frozen=True, slots=True)
class BlockOutput:
    """What one attempt at a block wrote, as it was written: make it safe before it reaches a terminal."""

    attempt: int
    """Counted from 1; 0: the block has not begun."""
    stdout: str
    """UTF-8, what is none replaced; where bytes are missing, or damaged, a line says so."""
    stderr: str
    missing: int
    """Bytes that were written and are not kept: of an attempt the first 4 MiB and the last 1 MiB are."""


async def block_output(history: History, run_id: RunId, block: str, attempt: int | None) -> BlockOutput:
    """Return what an attempt at a block has written so far; the newest attempt for None.

    Raises:
        RunNotFound, BlockNotFound: there is no such run or block.
    """
    state = await history.state(run_id)
    if block not in places_of(state, block):
        raise BlockNotFound(run_id, block, tuple(state.graph.blocks))
    place = BlockId(block)
    number = state.block(place).attempt if attempt is None else attempt
    chunks: list[OutputChunk] = []
    while new := await history.output(run_id, place, number, after=chunks[-1].n if chunks else -1):
        chunks += new
    stdout, lost = _text(chunk for chunk in chunks if chunk.stream is Stream.STDOUT)
    stderr, also_lost = _text(chunk for chunk in chunks if chunk.stream is Stream.STDERR)
    return BlockOutput(number, stdout, stderr, lost + also_lost)


def _text(chunks: Iterable[OutputChunk]) -> tuple[str, int]:
    """Return the text of one stream, and how many bytes are missing in it."""
    pieces: list[bytes] = []
    end = missing = 0
    was_damaged = False
    for chunk in chunks:
        if chunk.damage:
            pieces.append(f"\n{chunk.notice}\n".encode())
            was_damaged = True
            continue
        gap = chunk.offset - end
        if gap > 0:
            pieces.append(b"" if was_damaged else f"\n… {gap:,} bytes are not kept …\n".encode())
            missing += gap
        was_damaged = False
        pieces.append(chunk.data)
        end = chunk.offset + len(chunk.data)
    return b"".join(pieces).decode("utf-8", "replace"), missing
