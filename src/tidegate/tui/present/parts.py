"""The parts of a block that runs in parts: which of ten thousand are worth a row.

A person looks for what failed and what waits; these come first, then what is at work, and what
ended well comes last. All parts are looked at once per position of the journal, not per repaint.
"""

from dataclasses import dataclass

from tidegate.model.ids import BlockId, RunId, Seq, block_of, is_part
from tidegate.model.state import BlockState, BlockStatus, RunState

__all__ = ["MOST", "PartLists", "Parts", "all_wait", "is_known", "part_name"]

MOST = 100
"""Parts of a block that are shown; of more it is said how many there are."""
_WAITS = 2
_RANK = {
    BlockStatus.FAILED: 0,
    BlockStatus.REJECTED: 0,
    BlockStatus.INTERRUPTED: 1,
    BlockStatus.PAUSED: 1,
    BlockStatus.RUNNING: 3,
    BlockStatus.PENDING: 4,
    BlockStatus.CANCELLED: 5,
    BlockStatus.SKIPPED: 5,
    BlockStatus.SUCCEEDED: 6,
}


@dataclass(frozen=True, slots=True)
class Parts:
    """Those of a block's parts that are shown, and how many are not."""

    places: tuple[BlockId, ...] = ()
    hidden: int = 0
    matching: int = 0
    """How many there are with the words that were looked for."""


class PartLists:
    """Remembers what it found until the run has moved."""

    def __init__(self) -> None:
        self._found: dict[BlockId, tuple[tuple[RunId, Seq, str], list[BlockId]]] = {}

    def of(self, state: RunState, block: BlockId, *, keep: BlockId | None = None, words: str = "") -> Parts:
        """Return the parts of *block* that are shown.

        Args:
            state: Where the run stands.
            block: One that runs in parts.
            keep: A part that is shown in any case: the one the cursor is on.
            words: Only parts whose key holds all of these.
        """
        key = (state.run_id, state.head, words)
        known = self._found.get(block)
        if known is None or known[0] != key:
            known = self._found[block] = (key, _in_order(state, block, words))
        everything = known[1]
        places = everything[:MOST]
        if keep is not None and block_of(keep) == block and is_part(keep) and keep not in places:
            places = [*places, keep]
        return Parts(tuple(places), max(0, len(everything) - len(places)), len(everything))


def _in_order(state: RunState, block: BlockId, words: str) -> list[BlockId]:
    wanted = words.casefold().split()
    ranked: list[list[BlockId]] = [[] for _ in range(7)]
    fan = state.block(block).fan
    places = state.parts_of(block)
    # Of a loop the newest iteration comes first.
    for place in reversed(list(places)) if fan is not None and fan.iterations else places:
        if wanted and not all(word in place.casefold() for word in wanted):
            continue
        ranked[_rank(state.block(place))].append(place)
    return [place for rank in ranked for place in rank]


def _rank(part: BlockState) -> int:
    if part.status is BlockStatus.PENDING and part.failures:
        return _WAITS
    return _RANK[part.status]


def all_wait(state: RunState, block: BlockId) -> bool:
    """Return whether all parts of *block* that have begun and not ended wait for people."""
    fan = state.block(block).fan
    if fan is None:
        return False
    begun = fan.left - len(fan.waiting)
    if not begun or begun > len(state.open_pauses) + state.asleep:
        return False
    asking = {state.pauses[pause].block for pause in state.open_pauses}
    asleep = {place for place in state.children if state.block(place).is_asleep}
    return sum(block_of(place) == block for place in asking | asleep) == begun


def is_known(state: RunState, place: BlockId) -> bool:
    """Return whether a run has this place."""
    block = block_of(place)
    if block not in state.graph.blocks or not is_part(place):
        return place in state.graph.blocks
    fan = state.block(block).fan
    if fan is None:
        return False
    name = part_name(place)
    if name.startswith("#"):
        return name[1:].isdigit() and 0 < int(name[1:]) <= fan.iterations
    return name in fan.positions


def part_name(place: BlockId) -> str:
    """Return what tells a part from the others of its block: an item's key, or ``#2``."""
    rest = place[len(block_of(place)) :]
    return rest[1:-1] if rest.startswith("[") else rest
