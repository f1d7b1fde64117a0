"""Which places of a run are planned again when a person lets it go on, or runs a block again."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from tidegate.errors import BlockNotFound, NotResumable, RunFinished
from tidegate.model.events import RunStatus
from tidegate.model.ids import BlockId, block_of, is_part
from tidegate.model.state import BlockStatus, RunState

__all__ = [
    "Standing",
    "downstream_of",
    "rerun_blocks",
    "resumed_blocks",
    "retried_blocks",
    "standing_of",
    "with_parts",
]

_AGAIN = frozenset({BlockStatus.FAILED, BlockStatus.CANCELLED})


def resumed_blocks(state: RunState) -> tuple[BlockId, ...]:
    """Return what failed in a finished run, and everything downstream of it, in the order of the file.

    Raises:
        RunFinished: it succeeded.
        NotResumable: it was rejected or cancelled: a person ended it.
    """
    if state.status is RunStatus.SUCCEEDED:
        raise RunFinished(state.run_id, state.status)
    if state.status is not RunStatus.FAILED:
        raise NotResumable(
            f"run {state.run_id}",
            f"it was {state.status}, and a person meant that",
            f"Start it again with `tidegate run {state.graph.definition.name}`, or run one block again",
        )
    again = [block_id for block_id, block in state.touched.items() if block.status in _AGAIN]
    return with_parts(state, [block_id for block_id in again if not is_part(block_id)])


def retried_blocks(state: RunState, place: BlockId | None) -> tuple[BlockId, ...]:
    """Return a failed block, or one failed item of it, and everything downstream; all failed ones for None.

    Raises:
        BlockNotFound: there is no such block.
        NotResumable: it has not failed, or something downstream of it runs now.
    """
    if place is None:
        failed = [block_id for block_id in state.graph.blocks if state.block(block_id).status in _AGAIN]
        if not failed:
            advice = "It waits for an answer" if state.open_pauses else "Look at `tidegate runs show`"
            raise NotResumable(f"run {state.run_id}", "nothing in it has failed", advice)
        return _checked(state, with_parts(state, failed))
    _must_exist(state, place)
    status = state.block(place).status
    # A gate that nobody answered in time, or that was answered with no, may be asked again, too.
    if status not in (*_AGAIN, BlockStatus.REJECTED):
        raise NotResumable(
            f"block '{place}'", f"it is {status}", "To run it again all the same, rerun from it"
        )
    if is_part(place):
        block = block_of(place)
        if not state.block(block).status.has_ended:
            raise NotResumable(
                f"block '{place}'", f"'{block}' still runs", "Wait until all its items have ended"
            )
        return _checked(state, (block, place, *downstream_of(state, [block])))
    return _checked(state, with_parts(state, [place]))


class Standing(NamedTuple):
    """How a place stood when somebody decided about it."""

    attempt: int
    status: BlockStatus


def standing_of(state: RunState, places: Iterable[BlockId]) -> dict[BlockId, Standing]:
    """Return how each of *places* stands."""
    return {place: Standing(state.block(place).attempt, state.block(place).status) for place in places}


def rerun_blocks(
    state: RunState, place: BlockId, seen: Mapping[BlockId, Standing] | None = None
) -> tuple[BlockId, ...]:
    """Return a block that has ended, and everything downstream of it.

    Args:
        state: Of the run.
        place: Which block.
        seen: How these stood when it was decided; None: they may stand otherwise.

    Raises:
        BlockNotFound: there is no such block.
        NotResumable: it has not ended, something downstream of it runs now, or has moved since it was *seen*.
    """
    _must_exist(state, place)
    if is_part(place):
        raise NotResumable(f"block '{place}'", "it is a part of a block", f"Rerun from '{block_of(place)}'")
    if not state.block(place).status.has_ended:
        raise NotResumable(f"block '{place}'", "it has not ended yet", "Wait, or cancel the run")
    again = _checked(state, (place, *downstream_of(state, [place])))
    moved = (
        [] if seen is None else [it for it, was in standing_of(state, again).items() if seen.get(it) != was]
    )
    if moved:
        now = f"it is {state.block(moved[0]).status} by now, and would be done again"
        raise NotResumable(f"block '{moved[0]}'", now, "Look again at what would happen, then decide anew")
    return again


def _must_exist(state: RunState, place: BlockId) -> None:
    block = block_of(place)
    if block not in state.graph.blocks or (is_part(place) and place not in set(state.parts_of(block))):
        raise BlockNotFound(state.run_id, place, tuple(state.graph.blocks))


def _checked(state: RunState, places: tuple[BlockId, ...]) -> tuple[BlockId, ...]:
    for place in places:
        for one in (place, *state.parts_of(place)):
            if one in state.children:
                asleep = state.block(one).is_asleep
                why = "its run waits for people" if asleep else "its run is at work"
                raise NotResumable(f"block '{one}'", why, "Answer there, or wait until it has ended")
            if state.block(one).is_at_work and state.block(one).fan is None:
                raise NotResumable(f"block '{one}'", "it runs now", "Wait until it has ended")
    return places


def with_parts(state: RunState, blocks: list[BlockId]) -> tuple[BlockId, ...]:
    """Return *blocks*, those of their parts that did not end well, and everything downstream."""
    everything = [*blocks, *downstream_of(state, blocks)]
    lost = [part for block in blocks for part in state.parts_of(block) if _is_lost(state, block, part)]
    return (*everything, *lost)


def _is_lost(state: RunState, block: BlockId, part: BlockId) -> bool:
    """Whether a part is to run again with its block. A "no" stays, unless "no" is all that went wrong."""
    status = state.block(part).status
    if status is BlockStatus.REJECTED:
        return state.block(block).status is BlockStatus.REJECTED
    return status in _AGAIN


def downstream_of(state: RunState, blocks: Iterable[BlockId]) -> tuple[BlockId, ...]:
    """Return everything downstream of *blocks*, without themselves, in the order of the file."""
    first = set(blocks)
    found, frontier = set(first), list(first)
    while frontier:
        for dependant in state.graph.dependants[frontier.pop()]:
            if dependant not in found:
                found.add(dependant)
                frontier.append(dependant)
    return tuple(block_id for block_id in state.graph.blocks if block_id in found - first)
