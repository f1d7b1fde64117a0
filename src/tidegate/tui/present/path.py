"""What a run has waited for longest, and how long the rest of it will take."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from tidegate.history.spans import span
from tidegate.history.usual import Usual
from tidegate.model.ids import BlockId
from tidegate.model.state import BlockState, BlockStatus, RunState
from tidegate.model.workflow import Schedule
from tidegate.tui.present.shared import counted

__all__ = ["CriticalPath", "Left", "critical_path", "time_left"]

_AT_WORK = (BlockStatus.RUNNING, BlockStatus.PAUSED, BlockStatus.INTERRUPTED)


def critical_path(state: RunState) -> tuple[BlockId, ...]:
    """Return the blocks that a run has waited for longest, from the first to the one that ends it, or goes on.

    Each of them began when the one before it had ended. Where waves wait for each other, that may be any
    block of the wave before.
    """
    last_of, last = _last_ones(state)
    if last is None:
        return ()
    path = [last]
    if state.graph.definition.schedule is not Schedule.WAVES:
        last_of = {}
    while (before := _before(state, path[-1], last_of)) is not None:
        path.append(before)
    # What was done before a run was forked, this one has not waited for.
    return tuple(
        block for block in reversed(path) if (state.block(block).started_at or 0.0) >= state.started_at
    )


def _ended(block: BlockState) -> float | None:
    """Return when a block that has begun ended; later than all others for one that goes on; None for the rest."""
    if block.started_at is None or (
        block.status is BlockStatus.PENDING and not block.failures
    ):  # To be run again: its times are those of before.
        return None
    if block.ended_at is not None and block.status not in _AT_WORK:
        return block.ended_at
    return float("inf")


def _rank(block: BlockState) -> tuple[float, float]:
    """Order blocks by when they ended; of those that go on the one that has begun first is the last."""
    return _ended(block) or 0.0, -(block.started_at or 0.0)


def _last_ones(state: RunState) -> tuple[Mapping[int, BlockId], BlockId | None]:
    """Return the block of each wave that ended last, and the one of all; in one pass: there may be ten thousand."""
    best: dict[int, tuple[tuple[float, float], BlockId]] = {}
    touched, wave_of = state.touched, state.graph.wave_of
    for name in state.graph.blocks:
        block = touched.get(name)
        if block is None or block.started_at is None or (ended := _ended(block)) is None:
            continue
        rank, wave = (ended, -block.started_at), wave_of[name]
        if wave not in best or rank > best[wave][0]:
            best[wave] = rank, name
    last = max(best.values(), key=lambda found: found[0], default=None)
    return {wave: name for wave, (_, name) in best.items()}, None if last is None else last[1]


def _before(state: RunState, block: BlockId, last_of: Mapping[int, BlockId]) -> BlockId | None:
    started = state.block(block).started_at or 0.0
    candidates = {*_dependencies(state, block), *_earlier(state, block, last_of)}
    ended = [other for other in candidates if (_ended(state.block(other)) or float("inf")) <= started + 1e-6]
    return max(ended, key=lambda other: (*_rank(state.block(other)), other), default=None)


def _earlier(state: RunState, block: BlockId, last_of: Mapping[int, BlockId]) -> Iterator[BlockId]:
    """Yield the block that ended last in the nearest wave before in which any has begun."""
    for wave in range(state.graph.wave_of[block] - 1, -1, -1):
        if wave in last_of:
            yield last_of[wave]
            return


def _dependencies(state: RunState, block: BlockId) -> Iterator[BlockId]:
    """Yield what a block depends on; for one that was skipped what that one depends on."""
    waits, seen = [wait.block for wait in state.graph.blocks[block].depends_on], set[BlockId]()
    while waits:
        other = waits.pop()
        if other in seen:
            continue
        seen.add(other)
        if _ended(state.block(other)) is not None:
            yield other
        else:
            waits += [wait.block for wait in state.graph.blocks[other].depends_on]


class CriticalPath:
    """Remembers the path until the run has moved."""

    def __init__(self) -> None:
        self._known: tuple[tuple[str, int], tuple[BlockId, ...]] | None = None

    def of(self, state: RunState) -> tuple[BlockId, ...]:
        """Return the critical path of a run."""
        key = (state.run_id, state.head)
        if self._known is None or self._known[0] != key:
            self._known = (key, critical_path(state))
        return self._known[1]


# -- what is left -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Left:
    """How long the rest of a run will take."""

    seconds: float
    answers: int
    """How many answers of people it takes, which may take any time."""
    overdue: bool = False
    """Whether something takes longer than usual, and nothing else is left."""

    @property
    def words(self) -> str:
        """It, for a line: `about 4 min left, not counting 1 answer`."""
        people = f", not counting {counted(self.answers, 'answer')}" if self.answers else ""
        if self.seconds >= 1:
            return f"about {span(self.seconds)} left{people}"
        return f"longer than usual{people}" if self.overdue else ""


def time_left(state: RunState, usual: Mapping[BlockId, Usual], now: float) -> Left | None:
    """Return how long the rest of a run will take, if its blocks take as long as usual.

    Args:
        state: Where the run stands.
        usual: How long its blocks usually work.
        now: Seconds since 1970 UTC.

    Returns:
        None: it has ended, or a person has paused it, or too little of what is left has ever been done.
    """
    if not usual or state.finished is not None or state.held is not None or state.is_stopping:
        return None
    blocks = state.graph.blocks
    left = [block for block in blocks if not state.block(block).status.has_ended]
    machine = [block for block in left if not blocks[block].interactive]
    known = [block for block in machine if block in usual]
    if not known or 2 * len(known) < len(machine):
        return None

    def needs(block: BlockId) -> float:
        if block not in usual or blocks[block].interactive:
            return 0.0
        return max(0.0, usual[block].seconds - _worked(state.block(block), now))

    seconds = _longest(state, left, needs)
    late = any(state.block(block).is_at_work and not needs(block) for block in known)
    return Left(seconds, len(left) - len(machine) + state.child_pauses, overdue=late)


def _worked(block: BlockState, now: float) -> float:
    """Return how long a block has worked: no longer than since its newest attempt began."""
    if block.started_at is None or block.status is BlockStatus.PENDING:
        return 0.0
    return max(0.0, (block.ended_at or now) - block.started_at)


def _longest(state: RunState, left: list[BlockId], needs: Callable[[BlockId], float]) -> float:
    """Return the longest way through what is left; where waves wait for each other, that of wave after wave."""
    if state.graph.definition.schedule is Schedule.WAVES:
        waves: dict[int, float] = {}
        for block in left:
            wave = state.graph.wave_of[block]
            waves[wave] = max(waves.get(wave, 0.0), needs(block))
        return sum(waves.values())
    ends: dict[BlockId, float] = {}
    # A block stands in a later wave than all that it depends on.
    for block in sorted(left, key=state.graph.wave_of.__getitem__):
        before = (ends.get(wait.block, 0.0) for wait in state.graph.blocks[block].depends_on)
        ends[block] = max(before, default=0.0) + needs(block)
    return max(ends.values(), default=0.0)
