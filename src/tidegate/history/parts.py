"""What there is to tell of a block and of its parts: bounded, whatever the number of items.

Those that need somebody come first; of the others there are as many as was asked for, and counts.
"""

import heapq
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from tidegate.clock import iso
from tidegate.history.spans import span
from tidegate.model.base import Json, JsonObject
from tidegate.model.ids import BlockId, block_of, is_part
from tidegate.model.state import BlockState, BlockStatus, RunState

__all__ = ["SHOWN", "Parts", "note_of", "parts_of", "place_json", "places_of"]

SHOWN = 20
"""Parts of one block that are shown, unless somebody asks for more."""

_FIRST = (
    BlockStatus.FAILED,
    BlockStatus.REJECTED,
    BlockStatus.INTERRUPTED,
    BlockStatus.PAUSED,
    BlockStatus.RUNNING,
)


@dataclass(frozen=True, slots=True)
class Parts:
    """The items of a block, or its iterations."""

    is_loop: bool
    total: int
    """Of a loop: so far."""
    counts: Mapping[BlockStatus, int]
    shown: tuple[BlockId, ...]
    """Failed ones first, then those that wait for people, then those at work, then in their order; of a
    loop the newest first."""

    @property
    def ended(self) -> int:
        """How many have ended."""
        return sum(count for status, count in self.counts.items() if status.has_ended)

    @property
    def hidden(self) -> int:
        """How many are not among `shown`."""
        return self.total - len(self.shown)

    @property
    def text(self) -> str:
        """How they stand, in words."""
        words = ", ".join(f"{count:,} {status.value}" for status, count in self.counts.items() if count)
        if self.is_loop:
            return f"iteration {self.total:,}"
        return f"{self.ended:,} of {self.total:,} items done" + (f": {words}" if words else "")


def parts_of(state: RunState, block: BlockId, *, limit: int = SHOWN) -> Parts | None:
    """Return the parts of a block; None for one that does not run in parts, or has not begun to."""
    fan = state.block(block).fan
    if fan is None:
        return None
    is_loop = fan.iterations > 0
    places = list(state.parts_of(block))
    if is_loop:
        places.reverse()
    found = Counter(state.block(place).status for place in places)
    shown = heapq.nsmallest(limit, range(len(places)), key=lambda at: (_rank(state.block(places[at])), at))
    return Parts(
        is_loop=is_loop,
        total=len(places),
        counts={status: found[status] for status in BlockStatus if status in found},
        shown=tuple(places[at] for at in shown),
    )


def _rank(part: BlockState) -> int:
    if part.status in _FIRST:
        return _FIRST.index(part.status)
    return len(_FIRST) + (part.wake_at is None)


def places_of(state: RunState, word: str | None = None) -> tuple[BlockId, ...]:
    """Return all places of a run in the order of the file, or those of one block, item or iteration.

    Args:
        state: The run.
        word: A block, an item (`deploy[red]`) or an iteration (`poll#2`). None: everything.

    Returns:
        The places; empty if the run has no such place.
    """
    if word is not None and is_part(BlockId(word)):
        block = block_of(BlockId(word))
        known = block in state.graph.blocks and BlockId(word) in set(state.parts_of(block))
        return (BlockId(word),) if known else ()
    blocks = [block for block in state.graph.blocks if word in (None, block)]
    return tuple(place for block in blocks for place in (block, *state.parts_of(block)))


def note_of(state: RunState, place: BlockId, now: float) -> str:
    """Return what there is to say of a place beside its status, in a few words."""
    block = state.block(place)
    parts = parts_of(state, place, limit=0)
    why = block.failure.message if block.failure is not None else block.reason
    words = [
        parts.text if parts is not None and not block.status.has_ended else "",
        _attempt(state, place, now),
        _progress(block),
        f"run {block.child.run_id} of {block.child.workflow}" if block.child is not None else "",
        f"({why})" if why else "",
    ]
    return "  ".join(word for word in words if word)


def _attempt(state: RunState, place: BlockId, now: float) -> str:
    """Return which attempt a place is at, and when it goes on by itself."""
    block = state.block(place)
    policy = state.definition_of(place).retry
    if block.wake_at is not None:
        when = "in " + span(block.wake_at - now) if block.wake_at > now else "now"
        if block.status is BlockStatus.RUNNING:
            return f"goes on {when}"
        if policy is None or not block.failures:
            return when
        return f"attempt {block.failures + 1} of {policy.max_attempts} {when}"
    # While it stands where it failed, or once a person has marked it as done, there was no attempt after that.
    tries = min(block.attempt, block.failures + (block.failure is None))
    if policy is not None and block.failures and block.fan is None and tries <= policy.max_attempts:
        return f"attempt {tries} of {policy.max_attempts}"
    return f"attempt {block.attempt}" if block.attempt > 1 else ""


def _progress(block: BlockState) -> str:
    if block.progress is None or block.status is not BlockStatus.RUNNING:
        return ""
    return f"{block.progress.fraction:.0%} {block.progress.message}".rstrip()


def place_json(state: RunState, place: BlockId, *, limit: int = SHOWN) -> JsonObject:
    """Return a block, an item or an iteration with the field names that `runs show --json` has."""
    block = state.block(place)
    found: JsonObject = {
        "block": place,
        "type": state.definition_of(place).type,
        "wave": state.graph.wave_of[block_of(place)],
        "status": block.status.value,
        "attempt": block.attempt,
        "failures": block.failures,
        "started_at": block.started_at,
        "ended_at": block.ended_at,
        "reason": block.failure.message if block.failure else block.reason,
        "goes_on_at": block.wake_at,
        "goes_on_at_iso": iso(block.wake_at) if block.wake_at is not None else None,
        "child_run_id": block.child.run_id if block.child is not None else None,
        "progress": _progress_json(block),
    }
    parts = parts_of(state, place, limit=limit)
    if parts is None:
        return found
    return {**found, ("iterations" if parts.is_loop else "items"): _parts_json(state, parts)}


def _progress_json(block: BlockState) -> Json:
    if block.progress is None:
        return None
    return {"fraction": block.progress.fraction, "message": block.progress.message}


def _parts_json(state: RunState, parts: Parts) -> JsonObject:
    return {
        "total": parts.total,
        "counts": {status.value: count for status, count in parts.counts.items()},
        "shown": [place_json(state, place) for place in parts.shown],
    }
