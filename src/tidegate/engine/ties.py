"""Who waits for whom: which blocks hang on an answer, and which of them wait for somebody else as well.

Of every block that is still ahead it is told whether it follows the block that asks, however far behind it;
whether its wave begins only once that has ended; which other people decide about it too; and whether somebody is asked
once more before it.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from tidegate.model.effects import asks_somebody
from tidegate.model.ids import BlockId, block_of
from tidegate.model.state import BlockState, BlockStatus, RunState
from tidegate.model.workflow import BlockDefinition, Schedule

__all__ = ["Tie", "Ties", "has_begun"]

_NAMED = 5
"""Places of which it is kept that something waits for them; that it waits at all is never lost."""


@dataclass(frozen=True, slots=True)
class Tie:
    """What a block that is still ahead hangs on."""

    follows: bool
    """Whether it depends on the block that asks, or on what follows that."""
    by_wave: bool
    """Whether it does not, but its wave begins only once the block that asks has ended."""
    others: tuple[BlockId, ...]
    """What it waits for that other people decide."""
    after_question: bool
    """Whether it waits for a question that is asked for sure once this one is answered."""

    @property
    def is_due(self) -> bool:
        """Whether it begins because of the answer, sooner or later, unless others are waited for."""
        return self.follows or self.by_wave


class Ties:
    """Goes through a workflow in the order of its waves, so that what a block waits for is known before it."""

    def __init__(
        self,
        before: RunState,
        after: RunState,
        place: BlockId,
        others: Iterable[BlockId] = (),
        *,
        is_asked_first: bool = False,
    ) -> None:
        """Begin.

        Args:
            before: Where the run stood when it was asked.
            after: Where it stands after the answer.
            place: What asks.
            others: What that waits for itself that other people decide.
            is_asked_first: Whether somebody is asked once more before what asks has ended.
        """
        self._before, self._after, self._place = before, after, place
        self._following = {block_of(place)}
        self._waits: dict[BlockId, tuple[BlockId, ...]] = {}
        """Blocks that have not ended and wait for other people, and for what they do."""
        self._all: tuple[BlockId, ...] = ()
        self._asked: set[BlockId] = {block_of(place)} if is_asked_first else set()
        """Blocks that ask once more, for sure, and what waits for them."""
        self._inherited = tuple(others)
        self._wave = after.graph.wave_of[block_of(place)]
        self._has_waves = after.graph.definition.schedule is Schedule.WAVES
        self._earlier: tuple[BlockId, ...] = ()
        """What the waves wait for, together, that were gone through."""
        self._asks_earlier = False
        """Whether one of these waves asks once more."""

    @property
    def others(self) -> tuple[BlockId, ...]:
        """What the run waits for that other people decide, as far as it was gone through."""
        return self._all

    @property
    def asks(self) -> bool:
        """Whether somebody is asked once more, for sure, before the run ends, as far as it was gone through."""
        return bool(self._asked)

    def waits(self, block: BlockId) -> bool:
        """Whether a block that has not ended waits for other people."""
        return block in self._waits

    def pass_by(self, block: BlockDefinition) -> None:
        """Go past a block that has begun, or ended."""
        block_id = block.id
        if self._after.block(block_id) != self._before.block(block_id) and self._follows(block):
            self._following.add(block_id)
        mine = self._inherited if block_id == block_of(self._place) else ()
        self._note(block_id, _together([mine, tuple(islice(self._undecided(block), _NAMED))]))
        if block.interactive and any(self._is_open(place) for place in self._places(block_id)):
            self._asked.add(block_id)

    def of(self, block: BlockDefinition) -> Tie:
        """Return what a block hangs on that is still ahead."""
        follows, wave = self._follows(block), self._after.graph.wave_of[block.id]
        others = [self._waits.get(it.block, ()) for it in block.depends_on]
        by_wave = self._has_waves and wave > self._wave and not follows
        asks = self._asks_earlier or any(it.block in self._asked for it in block.depends_on)
        return Tie(follows, by_wave, _together([*others, self._earlier]), after_question=asks)

    def end_wave(self) -> None:
        """Go past the end of a wave: what comes then waits for all that this one waits for."""
        if self._has_waves:
            self._earlier, self._asks_earlier = self.others, self.asks

    def go_on(self, block: BlockDefinition, tie: Tie, *, is_skipped: bool, is_sure: bool) -> None:
        """Go past a block that is still ahead, knowing what becomes of it."""
        if tie.follows:
            self._following.add(block.id)
        if is_skipped:
            return
        if tie.after_question or (is_sure and block.interactive):
            self._asked.add(block.id)
        asks_others = not tie.is_due and self._asks(block)
        self._note(block.id, tie.others or ((block.id,) if asks_others else ()))

    def _note(self, block: BlockId, others: tuple[BlockId, ...]) -> None:
        if others:
            self._waits[block] = others
            self._all = _together([self._all, others])

    def _follows(self, block: BlockDefinition) -> bool:
        return any(it.block in self._following for it in block.depends_on)

    def _asks(self, block: BlockDefinition) -> bool:
        return asks_somebody(block, self._after.graph.definition)

    def _undecided(self, block: BlockDefinition) -> Iterator[BlockId]:
        """Yield the places of a block that has begun which wait for people, or may, but not by this answer."""
        state = self._after.block(block.id)
        if state.status.has_ended:
            return
        asks = self._asks(block)
        for place in self._places(block.id):
            now = self._after.block(place)
            if place == self._place or now.status.has_ended or has_begun(self._before.block(place), now):
                continue
            if asks or self._is_asking(now):
                yield place

    def _places(self, block: BlockId) -> Iterable[BlockId]:
        return [block] if self._after.block(block).fan is None else self._after.parts_of(block)

    def _is_open(self, place: BlockId) -> bool:
        pause_id = self._after.block(place).pause_id
        return pause_id is not None and self._after.pauses[pause_id].is_open

    def _is_asking(self, place: BlockState) -> bool:
        """Whether a place waits for people; what was answered, and is not settled, does not."""
        if place.status is not BlockStatus.PAUSED:
            return place.status is BlockStatus.INTERRUPTED
        return place.pause_id is None or self._after.pauses[place.pause_id].is_open or place.child is not None


def has_begun(before: BlockState, after: BlockState) -> bool:
    """Whether another attempt of a place has begun in between."""
    return after.attempt > before.attempt


def _together(found: Iterable[tuple[BlockId, ...]]) -> tuple[BlockId, ...]:
    return tuple(islice(dict.fromkeys(place for places in found for place in places), _NAMED))
