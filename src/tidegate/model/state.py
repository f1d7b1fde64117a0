"""Where a run stands: the fold of its journal.

`apply` is the one place where state changes, and it is pure: it returns a new state that shares
all unchanged parts with the old one. Every prefix of a journal folds to a valid state. Applying
an event looks at the block it names and that block's neighbours, never at the whole workflow,
so event 10,000 costs what event 10 costs.
"""

from collections.abc import Iterable, Iterator

from immutables import Map

from tidegate.model.base import JsonObject, Noun
from tidegate.model.block_state import (
    ENDED,
    BlockState,
    BlockStatus,
    Child,
    Fan,
    Pause,
    PauseState,
    Progress,
)
from tidegate.model.events import CancelRequested, Origin, Parent, RunFinished, RunHeld, RunStatus
from tidegate.model.fifo import Fifo
from tidegate.model.fork_events import KeptAnswer
from tidegate.model.ids import BlockId, PauseId, RunId, Seq, block_of, is_part, item_place, iteration_place
from tidegate.model.policy import OnFailure
from tidegate.model.question import Assignment, SentBack
from tidegate.model.value import Value
from tidegate.model.workflow import BlockDefinition, Graph, Schedule

__all__ = [
    "BlockState",
    "BlockStatus",
    "Child",
    "Fan",
    "Pause",
    "PauseState",
    "Progress",
    "RunState",
    "RunSummary",
    "new_state",
]


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
    """Blocks that have failed, those that the workflow tolerates left out."""
    running: int = 0
    """Attempts at work; for a held run those that are still to drain."""
    pauses: int = 0
    """Open ones, in the runs that its blocks started too."""
    cancelling: bool = False
    held: bool = False
    """Whether a person has paused the run: nothing new starts."""
    reason: str = ""
    """Why it stands where it stands, bounded: the first failure."""
    idle_seconds: float = 0.0
    """How long it had ended, in all, before somebody let it go on; 0 also where that was not counted yet."""

    @property
    def progress_percentage(self) -> float:
        """Ended blocks of all blocks, 0 to 100."""
        return round(100 * self.completed / self.blocks, 1) if self.blocks else 100.0


_PENDING = BlockState()
_CAME_TO_ITS_END = ENDED - {BlockStatus.CANCELLED}


class RunState(Noun):
    """A run at one position of its journal.

    A *place* is where an attempt can be made: a block, an item of it, or an iteration (`BlockId`).
    """

    run_id: RunId
    graph: Graph
    head: Seq = Seq(0)
    """Of the newest event applied."""
    by: str = ""
    inputs: JsonObject = {}
    parent: Parent | None = None
    origin: Origin | None = None
    """The point of another run that it goes on from, if it is a fork."""
    forked_from: Origin | None = None
    """The same, also of a fork that was imported, and has the events up to there in its own journal."""
    inherited: Map[BlockId, int] = Map()
    """How many attempts were made in that one, by place; a fork counts on from there."""
    started_at: float = 0.0
    updated_at: float = 0.0
    machine_seconds: float = 0.0
    """How long it has worked, waiting for people left out; counted only if the workflow has a timeout."""
    idle_seconds: float = 0.0
    """How long it had ended, in all, before somebody let it go on: time in which it neither worked nor waited."""
    touched: Map[BlockId, BlockState] = Map()
    """Places that are not simply pending."""
    variables: Map[str, Value] = Map()
    """The run's own state, as its blocks have set it."""
    sent_back: Map[BlockId, SentBack] = Map()
    """What a person said when blocks were run again, by block."""
    called_with: SentBack | None = None
    """The same of the block that started this run: it holds for all blocks in it of which nothing else was said."""
    assignments: Map[BlockId, Assignment] = Map()
    """Whose the question of a place is, once a person has said so: that of the next one there, too."""
    given: Map[BlockId, JsonObject] = Map()
    """Inputs of blocks that a person has replaced, by block."""
    kept: Map[BlockId, tuple[KeptAnswer, ...]] = Map()
    """Answers of the run that it goes on from, for questions that are still to be asked again, by place."""
    keep_answers: bool = False
    """Whether answers count again in runs that go on for its blocks, too."""
    tally: Map[BlockStatus, int] = Map()
    """How many blocks have each status, pending ones left out."""
    tolerated: int = 0
    """How many failed blocks the workflow tolerates."""
    active: int = 0
    """How many places are at work."""
    limbo: int = 0
    """How many places are interrupted."""
    timers: Map[BlockId, float] = Map()
    """Places that go on by themselves, and when. Seconds since 1970 UTC."""
    children: Map[BlockId, RunId] = Map()
    """Places whose work is another run that has not ended, as far as this one knows."""
    asleep: int = 0
    """How many of these only wait for people."""
    child_pauses: int = 0
    """How many questions are open in them."""
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
    """Places that may be considered, in order."""
    asking: Fifo[BlockId] = Fifo()
    """The same for places that ask a person: they need no slot, so they never wait for one."""
    attention: Fifo[BlockId] = Fifo()
    """Places the driver must decide about: answered, expired, interrupted, or all of its parts have ended."""
    cancel: CancelRequested | None = None
    timed_out: bool = False
    held: RunHeld | None = None
    resumed_by: str = ""
    """Who has let it go on last, or run a part of it again."""
    interrupted: str = ""
    """Why a person's stop left it where it is; empty while it may go on."""
    finished: RunFinished | None = None
    first_failure: str = ""

    def block(self, place: BlockId) -> BlockState:
        """Return the state of one place."""
        return self.touched.get(place, _PENDING)

    def definition_of(self, place: BlockId) -> BlockDefinition:
        """Return the block that *place* is, or is a part of."""
        return self.graph.blocks.get(place) or self.graph.blocks[block_of(place)]

    def said_to(self, place: BlockId) -> SentBack | None:
        """Return what was said when the block of a place was last run again."""
        return self.sent_back.get(block_of(place), self.called_with)

    def fan_of(self, place: BlockId) -> Fan | None:
        """Return the parts of a place's block, if it runs in parts and they are known."""
        return self.block(block_of(place)).fan

    def parts_of(self, block: BlockId) -> Iterator[BlockId]:
        """Yield the places of a block's items, or of its iterations so far, in their order."""
        fan = self.block(block).fan
        if fan is None:
            return
        if fan.iterations:
            yield from (iteration_place(block, number) for number in range(1, fan.iterations + 1))
        yield from (item_place(block, key) for key in fan.keys)

    def count(self, *statuses: BlockStatus) -> int:
        """Return how many blocks have one of *statuses* (not for pending)."""
        return sum([self.tally.get(status, 0) for status in statuses])

    def blocks_left(self, wave: int) -> int:
        """Return how many blocks of *wave* have not ended."""
        return self.left.get(wave, len(self.graph.definition.waves[wave]))

    @property
    def total_waves(self) -> int:
        """How many waves the workflow has."""
        return len(self.graph.definition.waves)

    @property
    def is_stopping(self) -> bool:
        """Whether it is on its way to an early end: what may still start runs `always`."""
        return self.cancel is not None or self.timed_out

    @property
    def failed(self) -> int:
        """How many blocks have failed without being tolerated."""
        return self.count(BlockStatus.FAILED) - self.tolerated

    @property
    def status(self) -> RunStatus:
        """The one place where a run's status is derived."""
        if self.finished is not None:
            return self.finished.status
        if self.interrupted:
            return RunStatus.INTERRUPTED
        if self.active:
            return RunStatus.RUNNING
        return self._status_at_rest()

    def _status_at_rest(self) -> RunStatus:
        # Before what was cut off: a paused run decides about that only once a person lets it go on.
        if self.held is not None and not self.is_stopping:
            return RunStatus.PAUSED
        if self.limbo:
            return RunStatus.INTERRUPTED
        if self.wave < 0:
            return RunStatus.QUEUED
        if self.attention or self.work or self.asking or self.timers or self.is_stopping:
            return RunStatus.RUNNING
        return RunStatus.PAUSED if self.open_pauses or self.asleep else RunStatus.RUNNING

    def summarise(self) -> RunSummary:
        """Return what a list shows of the run."""
        return RunSummary(
            status=self.status,
            wave=max(self.wave, 0),
            total_waves=self.total_waves,
            blocks=len(self.graph.blocks),
            completed=self.count(*_CAME_TO_ITS_END),
            failed=self.failed,
            running=self.active,
            pauses=len(self.open_pauses) + self.child_pauses,
            cancelling=self.cancel is not None and self.finished is None,
            held=self.held is not None and self.finished is None,
            reason=self._reason()[:300],
            idle_seconds=self.idle_seconds,
        )

    def _reason(self) -> str:
        if self.finished is not None and self.finished.reason:
            return self.finished.reason
        return self.first_failure or self.interrupted

    # -- what `apply` is made of: each returns a new state -------------------------------------

    def with_block(self, place: BlockId, block: BlockState) -> "RunState":
        """Replace one place, and keep everything that is counted from places."""
        before = self.block(place)
        part = is_part(place)
        counted = {} if part else self._tallied(place, before.status, block.status)
        books = self._books(place, before, block)
        state = self.evolve(touched=self.touched.set(place, block), **books, **counted)
        if not block.status.has_ended or before.status.has_ended:
            return state
        if part:
            return state._count_part(place, block)  # noqa: SLF001 - its own class
        if self.graph.definition.schedule is Schedule.EAGER:
            return state._release_dependants(place)  # noqa: SLF001 - its own class
        return state

    def _books(self, place: BlockId, before: BlockState, after: BlockState) -> dict[str, object]:
        """Return what changes of what is counted over all places."""
        books: dict[str, object] = {}
        if before.is_at_work != after.is_at_work:
            books["active"] = self.active + after.is_at_work - before.is_at_work
        was, now = before.status is BlockStatus.INTERRUPTED, after.status is BlockStatus.INTERRUPTED
        if was != now:
            books["limbo"] = self.limbo + now - was
        if before.wake_at != after.wake_at:
            books["timers"] = _put(self.timers, place, after.wake_at)
        if before.child is not None or after.child is not None:
            self._note_child(books, place, before, after)
        return books

    def _note_child(
        self, books: dict[str, object], place: BlockId, before: BlockState, after: BlockState
    ) -> None:
        if before.live_child != after.live_child:
            books["children"] = _put(self.children, place, after.live_child)
        if before.is_asleep != after.is_asleep:
            books["asleep"] = self.asleep + after.is_asleep - before.is_asleep
        if before.child_pauses != after.child_pauses:
            books["child_pauses"] = self.child_pauses + after.child_pauses - before.child_pauses

    def _tallied(self, block_id: BlockId, before: BlockStatus, after: BlockStatus) -> dict[str, object]:
        """Return what changes of what is counted over all blocks."""
        if before is after:
            return {}
        changes: dict[str, object] = {"tally": _moved(self.tally, before, after)}
        failed = (after is BlockStatus.FAILED) - (before is BlockStatus.FAILED)
        if failed and self.graph.blocks[block_id].on_failure is OnFailure.CONTINUE:
            changes["tolerated"] = self.tolerated + failed
        if after.has_ended and not before.has_ended:
            wave = self.graph.wave_of[block_id]
            changes["left"] = self.left.set(wave, self.blocks_left(wave) - 1)
        return changes

    def _release_dependants(self, block_id: BlockId) -> "RunState":
        unmet, free = self.unmet, []
        for dependant in self.graph.dependants[block_id]:
            waits = unmet.get(dependant, len(self.graph.blocks[dependant].depends_on)) - 1
            unmet = unmet.set(dependant, waits)
            if waits == 0:
                free.append(dependant)
        return self.evolve(unmet=unmet).enqueue(free)

    def _count_part(self, place: BlockId, part: BlockState) -> "RunState":
        """Note that a part has ended: the next one may be considered, or its block is to be decided."""
        block_id = block_of(place)
        block = self.block(block_id)
        if block.fan is None:
            return self
        lost = part.status in (BlockStatus.FAILED, BlockStatus.REJECTED)
        fan = block.fan.evolve(left=block.fan.left - 1, lost=block.fan.lost + lost)
        rule = self.graph.blocks[block_id].for_each
        if rule is not None and rule.fail_fast and fan.lost:
            fan = fan.evolve(left=fan.left - len(fan.waiting), waiting=Fifo())
        following = [fan.waiting.first] if fan.waiting else []
        for key in following:
            fan = fan.evolve(waiting=fan.waiting.remove(key))
        state = self.evolve(touched=self.touched.set(block_id, block.evolve(fan=fan)))
        if not fan.left:
            return state.evolve(attention=state.attention.push([block_id]))
        return state.enqueue(item_place(block_id, key) for key in following)

    def enqueue(self, places: Iterable[BlockId]) -> "RunState":
        """Let the pending ones of *places* be considered, in their order; one that has a timer waits for that."""
        people: list[BlockId] = []
        machine: list[BlockId] = []
        for place in places:
            block = self.block(place)
            if block.status is BlockStatus.PENDING and block.wake_at is None:
                (people if self.definition_of(place).interactive else machine).append(place)
        if not people:  # Most of the time.
            return self.evolve(work=self.work.push(machine)) if machine else self
        return self.evolve(work=self.work.push(machine), asking=self.asking.push(people))

    def dequeue(self, place: BlockId) -> "RunState":
        """Take a place from wherever it waits to be considered or decided about."""
        queues = {"work": self.work, "asking": self.asking, "attention": self.attention}
        left = {name: queue.remove(place) for name, queue in queues.items() if place in queue}
        return self.evolve(**left) if left else self

    def with_pause(self, pause: Pause) -> "RunState":
        """Add or replace a pause."""
        if pause.is_open:
            still_open = self.open_pauses.push([pause.pause_id])
        else:
            still_open = self.open_pauses.remove(pause.pause_id)
        return self.evolve(pauses=self.pauses.set(pause.pause_id, pause), open_pauses=still_open)


def _put(entries: Map[BlockId, object], place: BlockId, value: object) -> Map[BlockId, object]:
    if value is not None:
        return entries.set(place, value)
    return entries.delete(place) if place in entries else entries


def _moved(tally: Map[BlockStatus, int], before: BlockStatus, after: BlockStatus) -> Map[BlockStatus, int]:
    if before is not BlockStatus.PENDING:
        tally = tally.set(before, tally[before] - 1)
    if after is not BlockStatus.PENDING:
        tally = tally.set(after, tally.get(after, 0) + 1)
    return tally


def new_state(run_id: RunId, graph: Graph) -> RunState:
    """Return the state before the first event."""
    return RunState(run_id=run_id, graph=graph)
