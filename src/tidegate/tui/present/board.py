"""The blocks of a run in their waves, side by side or below each other, with the parts that are unfolded."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.cells import cell_len

from tidegate.model.ids import BlockId, is_part
from tidegate.model.state import BlockState, BlockStatus, RunState
from tidegate.safe_text import safe_line
from tidegate.tui.lines import Column, Line, Piece, Tone, text_line
from tidegate.tui.present.parts import PartLists, part_name
from tidegate.tui.present.shared import heading
from tidegate.tui.present.standing import standing
from tidegate.tui.times import lasted

__all__ = ["BlockItem", "Folds", "Stacked", "Wave", "block_columns", "took", "waves"]

_AT_ONCE = 8
"""Parts up to which a block that has not ended well shows them unasked."""
_ROOMY = 40
"""Cells of a row from which on there is room for how far a place is, and for how long it took."""
_MOVING = (BlockStatus.RUNNING, BlockStatus.PAUSED)
"""Of places of which something else is shown with each second."""
_SIDE = 12
"""Cells of what stands beside a name, at most."""


@dataclass(frozen=True, slots=True)
class BlockItem:
    """A place in a wave: a block, or a part of one below it."""

    block: BlockId
    """Empty for what only says how many there are more."""
    name: str
    symbol: str
    word: str
    tone: Tone
    short: str
    """How far it is, in a few cells; empty where its sign says it all."""
    time: str
    said: str = ""
    """What was answered, or how it is special, where its sign does not say so."""
    is_part: bool = False

    @property
    def indented(self) -> str:
        """Its sign and its name."""
        return f"{'  ' if self.is_part else ''}{self.symbol} {self.name}"


@dataclass(frozen=True, slots=True)
class Wave:
    """A wave, with how far it is."""

    title: str
    tone: Tone
    blocks: tuple[BlockItem, ...]
    time: str = ""
    """How long it took, or takes so far, from the first of its blocks that began; empty before that."""


class Folds:
    """Which blocks are unfolded into their parts."""

    def __init__(self) -> None:
        self.words = ""
        """Only parts with all of these in their keys are shown."""
        self._chosen: dict[BlockId, bool] = {}
        self._lists = PartLists()
        self._known: dict[BlockId, tuple[BlockState, BlockItem]] = {}
        """Items of places that stand still: of ten thousand blocks few are made anew each time."""

    def toggle(self, state: RunState, block: BlockId) -> None:
        """Unfold a block, or fold it."""
        self._chosen[block] = not self.is_open(state, block)

    def open(self, block: BlockId) -> None:
        """Unfold a block."""
        self._chosen[block] = True

    def is_open(self, state: RunState, block: BlockId) -> bool:
        """Whether a block's parts are shown: as somebody chose, else a few of one that has not ended well."""
        seen = state.block(block)
        if seen.fan is None:
            return False
        size = len(seen.fan.keys) or seen.fan.iterations
        return self._chosen.get(block, size <= _AT_ONCE and seen.status is not BlockStatus.SUCCEEDED)

    def items(
        self, state: RunState, block: BlockId, cursor: BlockId | None, now: float
    ) -> Iterator[BlockItem]:
        """Yield the parts of a block that are shown."""
        if not self.is_open(state, block):
            return
        parts = self._lists.of(state, block, keep=cursor, words=self.words)
        if parts.hidden or (self.words and not parts.places):
            said = f"+{parts.hidden} more, / filters" if parts.hidden else f"none has '{self.words}'"
            yield BlockItem(BlockId(""), safe_line(said, 60), " ", "", Tone.DIM, "", "", is_part=True)
        for place in parts.places:
            yield self.item(state, place, now)

    def item(self, state: RunState, place: BlockId, now: float) -> BlockItem:
        """Return what is shown of a place."""
        block = state.block(place)
        known = self._known.get(place)
        if known is not None and known[0] is block:
            return known[1]
        item = _item(state, place, now)
        if block.fan is None and block.wake_at is None and block.status not in _MOVING:
            self._known[place] = (block, item)
        return item


def waves(
    state: RunState, now: float, folds: Folds | None = None, cursor: BlockId | None = None
) -> tuple[Wave, ...]:
    """Return the waves of a run in order."""
    folds = folds or Folds()
    definition = state.graph.definition
    return tuple(
        _wave(state, number, blocks, folds, cursor, now) for number, blocks in enumerate(definition.waves)
    )


def _wave(
    state: RunState,
    number: int,
    blocks: tuple[BlockId, ...],
    folds: Folds,
    cursor: BlockId | None,
    now: float,
) -> Wave:
    ended = len(blocks) - state.blocks_left(number)
    tone = Tone.STRONG if number == state.wave and state.finished is None else Tone.HEADING
    items: list[BlockItem] = []
    for block in blocks:
        items.append(folds.item(state, block, now))
        if state.block(block).fan is not None:
            items += folds.items(state, block, cursor, now)
    time = _took_all(state, blocks, now) if number <= state.wave or ended else ""
    return Wave(f"Wave {number + 1}  {ended}/{len(blocks)}", tone, tuple(items), time)


def _took_all(state: RunState, places: tuple[BlockId, ...], now: float) -> str:
    """Return how long some blocks took together, those that people were asked at included."""
    begun, end, is_moving = math.inf, 0.0, False
    for place in places:
        block = state.block(place)
        if block.started_at is not None and block.status is not BlockStatus.PENDING:
            begun = min(begun, block.started_at)
            end = max(end, block.ended_at or 0.0)
            is_moving |= block.status in _MOVING
    if is_moving and state.finished is None:
        end = now
    return lasted(end - begun) if end >= begun else ""


def _item(state: RunState, place: BlockId, now: float) -> BlockItem:
    block, where = state.block(place), standing(state, place, now)
    return BlockItem(
        block=place,
        name=safe_line(part_name(place) if is_part(place) else place, 100),
        symbol=where.sign.symbol,
        word=where.sign.word,
        tone=where.sign.tone,
        short=where.short,
        time=took(state, block, now),
        said=_said(state, place, block),
        is_part=is_part(place),
    )


def _said(state: RunState, place: BlockId, block: BlockState) -> str:
    """Return "no" for a gate that was rejected and has succeeded, as its workflow wants; else that it runs always."""
    if block.status is BlockStatus.SUCCEEDED and block.pause_id is not None:
        answer = state.pauses[block.pause_id].answer
        if answer is not None and answer.value is False:
            return "no"
    return "always" if state.definition_of(place).always and not is_part(place) else ""


def took(state: RunState, block: BlockState, now: float) -> str:
    """Return how long a place took, or takes so far; empty if it has not begun, or begins again."""
    if block.started_at is None or block.status is BlockStatus.PENDING:
        return ""
    if block.ended_at is not None:
        return lasted(block.ended_at - block.started_at)
    if block.status in (BlockStatus.RUNNING, BlockStatus.PAUSED) and state.finished is None:
        return lasted(now - block.started_at)
    return ""


# -- below each other -------------------------------------------------------------------------


class Stacked:
    """The waves below each other; the lines of items that are the same stay."""

    def __init__(self) -> None:
        self._known: dict[BlockId, tuple[BlockItem, bool, Line]] = {}

    def lines(self, all_waves: tuple[Wave, ...], room: int) -> Iterator[Line]:
        """Yield them, in rows of *room* cells."""
        is_narrow = room < _ROOMY
        for wave in all_waves:
            yield heading(wave.title, note=wave.time)
            above = ""
            for item in wave.blocks:
                if item.block:
                    above = item.block
                    yield self._line(item, is_narrow=is_narrow)
                else:
                    yield text_line(f"    {item.name}", Tone.DIM, key=f"more:{above}")

    def _line(self, item: BlockItem, *, is_narrow: bool) -> Line:
        known = self._known.get(item.block)
        if known is not None and known[0] is item and known[1] is is_narrow:
            return known[2]
        line = _stacked_line(item, is_narrow=is_narrow)
        self._known[item.block] = (item, is_narrow, line)
        return line


def _stacked_line(item: BlockItem, *, is_narrow: bool) -> Line:
    pieces = (
        Piece(item.indented, item.tone),
        Piece(item.word, item.tone),
        Piece(item.short, item.tone),
        # Where there is no room for both, how far it is counts for more than how long it took.
        Piece(item.short or item.time if is_narrow else item.time, item.tone if item.short else Tone.DIM),
    )
    return Line(item.block, pieces, columns=True)


def block_columns(lines: Sequence[Line], room: int) -> tuple[Column, ...]:
    """Return the columns of the waves below each other; what stands beside names takes what it needs."""
    is_narrow = room < _ROOMY
    side = min(_SIDE, max((cell_len(line.pieces[2].text) for line in lines if line.columns), default=0))
    return (
        Column("BLOCK", weight=1),
        Column("STATUS", 11, since=48),
        Column("", side, is_shown=bool(side) and not is_narrow),
        Column("TIME", max(7, side) if is_narrow else 7, right=True),
    )
