"""Where a run stands: the fold of its journal.

`apply` is the one place where state changes, and it is pure: it returns a new state that shares
all unchanged parts with the old one. Every prefix of a journal folds to a valid state. Applying
an event looks at the block it names and that block's neighbours, never at the whole workflow,
so event 10,000 costs what event 10 costs.
"""

from collections.abc import Iterable
from enum import IntEnum, StrEnum

from immutables import Map

from tidegate.model.base import JsonObject, Noun
from tidegate.model.events import CancelRequested, Failure, RunFinished, RunStatus
from tidegate.model.fifo import Fifo
from tidegate.model.ids import BlockId, PauseId, RunId, Seq
from tidegate.model.prompt import Answer, Prompt
from tidegate.model.value import Value
from tidegate.model.workflow import Graph, Schedule

__all__ = ["BlockState", "BlockStatus", "Pause", "PauseState", "RunState", "RunSummary", "new_state"]


class BlockStatus(StrEnum):
    """Where a block stands."""

    PENDING = "pending"
    RUNNING = "running"
    PAUSED = "paused"
    """It asks a person, or was answered and its driver has not seen it yet."""
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    SKIPPED = "skipped"
    REJECTED = "rejected"
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"
    """It was running when its process died."""

    @property
    def has_ended(self) -> bool:
        """Whether its dependants may be decided."""
        return self in _ENDED


_ENDED = frozenset(
    {
        BlockStatus.SUCCEEDED,
        BlockStatus.FAILED,
        BlockStatus.SKIPPED,
        BlockStatus.REJECTED,
        BlockStatus.CANCELLED,
    }
)


class PauseState(IntEnum):
    """Where a pause stands."""

    OPEN = 0
    ANSWERED = 1
    EXPIRED = 2
    CLOSED = 3
    """Its run ended, or was planned again, before anybody answered."""


class BlockState(Noun):
    """One block of a run."""

    status: BlockStatus = BlockStatus.PENDING
    attempt: int = 0
    """The newest; 0: it was never started."""
    key: str = ""
    """Its idempotency key; empty before the first attempt and after an explicit re-run."""
    summary: str = ""
    """What it is running, for people."""
    started_at: float | None = None
    """Of the newest attempt. Seconds since 1970 UTC."""
    ended_at: float | None = None
    outputs: dict[str, Value] = {}
    failure: Failure | None = None
    reason: str = ""
    """Why it was skipped, cancelled or interrupted."""
    pause_id: PauseId | None = None
    """Its newest pause."""


class Pause(Noun):
    """A question, and what became of it."""

    pause_id: PauseId
    block: BlockId
    attempt: int
    prompt: Prompt
    opened_at: float
    opened_seq: Seq
    deadline: float | None = None
    state: PauseState = PauseState.OPEN
    closed_at: float | None = None
    answer: Answer | None = None
    refusals: int = 0

    @property
    def is_open(self) -> bool:
        """Whether it takes an answer."""
        return self.state is PauseState.OPEN


class RunSummary(Noun):
    """What a list shows of a run, as of one position of its journal."""

    status: RunStatus
    wave: int = 0
    """0-based index of the wave it is in; `total_waves` when all are done."""
    total_waves: int = 0
    blocks: int = 0
    completed: int = 0
    """Blocks that have ended; a cancelled one never came to its end."""
    failed: int = 0
    running: int = 0
    pauses: int = 0
    """Open ones."""
    cancelling: bool = False
    reason: str = ""
    """Why it stands where it stands, bounded: the first failure."""

    @property
    def progress_percentage(self) -> float:
        """Ended blocks of all blocks, 0 to 100."""
        return round(100 * self.completed / self.blocks, 1) if self.blocks else 100.0


_PENDING = BlockState()


class RunState(Noun):
    """A run at one position of its journal."""

    run_id: RunId
    graph: Graph
    head: Seq = Seq(0)
    """Of the newest event applied."""
    by: str = ""
    inputs: JsonObject = {}
    started_at: float = 0.0
    updated_at: float = 0.0
    touched: Map[BlockId, BlockState] = Map()
    """Blocks that are not simply pending."""
    tally: Map[BlockStatus, int] = Map()
    """How many blocks have each status, pending ones left out."""
    pauses: Map[PauseId, Pause] = Map()
    """All of them, open and closed."""
    open_pauses: Fifo[PauseId] = Fifo()
    """In the order they opened."""
    wave: int = -1
    """The wave that runs; -1 before the first has started."""
    left: Map[int, int] = Map()
    """How many blocks of a wave have not ended, for waves where some have."""
    unmet: Map[BlockId, int] = Map()
    """How many dependencies of a block have not ended, for blocks where some have (`eager` only)."""
    work: Fifo[BlockId] = Fifo()
    """Blocks that may be considered, in order."""
    asking: Fifo[BlockId] = Fifo()
    """The same for blocks that ask a person: they need no slot, so they never wait for one."""
    attention: Fifo[BlockId] = Fifo()
    """Blocks the driver must decide about: answered, expired, or interrupted."""
    cancel: CancelRequested | None = None
    interrupted: str = ""
    """Why a person's stop left it where it is; empty while it may go on."""
    finished: RunFinished | None = None
    first_failure: str = ""

    def block(self, block_id: BlockId) -> BlockState:
        """Return one block's state."""
        return self.touched.get(block_id, _PENDING)

    def count(self, *statuses: BlockStatus) -> int:
        """Return how many blocks have one of *statuses* (not for pending)."""
        return sum(self.tally.get(status, 0) for status in statuses)

    def blocks_left(self, wave: int) -> int:
        """Return how many blocks of *wave* have not ended."""
        return self.left.get(wave, len(self.graph.definition.waves[wave]))

    @property
    def total_waves(self) -> int:
        """How many waves the workflow has."""
        return len(self.graph.definition.waves)

    @property
    def status(self) -> RunStatus:
        """Where the run stands, derived from its blocks."""
        if self.finished is not None:
            return self.finished.status
        if self.count(BlockStatus.RUNNING):
            return RunStatus.RUNNING
        if self.interrupted or self.count(BlockStatus.INTERRUPTED):
            return RunStatus.INTERRUPTED
        if self.wave < 0:
            return RunStatus.QUEUED
        if self.attention or self.work or self.asking or self.cancel:
            return RunStatus.RUNNING
        return RunStatus.PAUSED if self.open_pauses else RunStatus.RUNNING

    def summarise(self) -> RunSummary:
        """Return what a list shows of the run."""
        return RunSummary(
            status=self.status,
            wave=max(self.wave, 0),
            total_waves=self.total_waves,
            blocks=len(self.graph.blocks),
            completed=self.count(*_ENDED) - self.count(BlockStatus.CANCELLED),
            failed=self.count(BlockStatus.FAILED),
            running=self.count(BlockStatus.RUNNING),
            pauses=len(self.open_pauses),
            cancelling=self.cancel is not None and self.finished is None,
            reason=self._reason()[:300],
        )

    def _reason(self) -> str:
        if self.finished is not None and self.finished.reason:
            return self.finished.reason
        return self.first_failure or self.interrupted

    # -- what `apply` is made of: each returns a new state -------------------------------------

    def with_block(self, block_id: BlockId, block: BlockState) -> "RunState":
        """Replace one block, and keep everything that is counted from blocks."""
        before = self.block(block_id).status
        state = self.evolve(
            touched=self.touched.set(block_id, block), tally=_moved(self.tally, before, block.status)
        )
        if block.status.has_ended and not before.has_ended:
            state = state._count_end(block_id)  # noqa: SLF001 - its own class
        return state

    def _count_end(self, block_id: BlockId) -> "RunState":
        wave = self.graph.wave_of[block_id]
        state = self.evolve(left=self.left.set(wave, self.blocks_left(wave) - 1))
        if self.graph.definition.schedule is Schedule.EAGER:
            state = state._release_dependants(block_id)  # noqa: SLF001 - its own class
        return state

    def _release_dependants(self, block_id: BlockId) -> "RunState":
        unmet, free = self.unmet, []
        for dependant in self.graph.dependants[block_id]:
            waits = unmet.get(dependant, len(self.graph.blocks[dependant].depends_on)) - 1
            unmet = unmet.set(dependant, waits)
            if waits == 0:
                free.append(dependant)
        return self.evolve(unmet=unmet).enqueue(free)

    def enqueue(self, blocks: Iterable[BlockId]) -> "RunState":
        """Let the pending ones of *blocks* be considered, in their order."""
        pending = [block for block in blocks if self.block(block).status is BlockStatus.PENDING]
        people = [block for block in pending if self.graph.blocks[block].interactive]
        machine = [block for block in pending if not self.graph.blocks[block].interactive]
        return self.evolve(work=self.work.push(machine), asking=self.asking.push(people))

    def dequeue(self, block_id: BlockId) -> "RunState":
        """Take a block from wherever it waits to be considered or decided about."""
        return self.evolve(
            work=self.work.remove(block_id),
            asking=self.asking.remove(block_id),
            attention=self.attention.remove(block_id),
        )

    def with_pause(self, pause: Pause) -> "RunState":
        """Add or replace a pause."""
        still_open = self.open_pauses.remove(pause.pause_id)
        if pause.is_open:
            known = pause.pause_id in self.pauses and self.pauses[pause.pause_id].is_open
            still_open = self.open_pauses if known else still_open.push([pause.pause_id])
        return self.evolve(pauses=self.pauses.set(pause.pause_id, pause), open_pauses=still_open)


def _moved(tally: Map[BlockStatus, int], before: BlockStatus, after: BlockStatus) -> Map[BlockStatus, int]:
    if before is after:
        return tally
    if before is not BlockStatus.PENDING:
        tally = tally.set(before, tally[before] - 1)
    if after is not BlockStatus.PENDING:
        tally = tally.set(after, tally.get(after, 0) + 1)
    return tally


def new_state(run_id: RunId, graph: Graph) -> RunState:
    """Return the state before the first event."""
    return RunState(run_id=run_id, graph=graph)
