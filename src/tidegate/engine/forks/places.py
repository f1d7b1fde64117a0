"""Which places begin again in a fork, and for which of them a run below goes on."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tidegate.engine.forks.edit_rules import place_of, why_unknown
from tidegate.engine.forks.edited import InvalidEdit
from tidegate.engine.resume import downstream_of, with_parts
from tidegate.errors import BlockNotFound
from tidegate.model.ids import BlockId, block_of, is_part
from tidegate.model.lineage import Edit
from tidegate.model.policy import OnFailure
from tidegate.model.state import BlockStatus, RunState

__all__ = ["Inner", "Named", "Places", "edits_apart", "named_places", "places_again"]


class Inner(NamedTuple):
    """What somebody wants of a run below."""

    again: tuple[BlockId, ...] = ()
    """What is to run again, as that run names it."""
    edits: tuple[Edit, ...] = ()
    """What is to be other; of the same value the last one counts."""

    def then(self, more: "Inner") -> "Inner":
        """Return this, and *more* after it."""
        return Inner((*self.again, *more.again), (*self.edits, *more.edits))


class Named(NamedTuple):
    """What somebody names: what is to run again, and what is to be other in runs below."""

    own: tuple[BlockId, ...]
    """Places of the run itself that are to run again."""
    below: dict[BlockId, Inner]
    """By the place whose work such a run does; it is to begin again, and its run to go on."""


class Places(NamedTuple):
    """What is not as it was in a fork."""

    again: tuple[BlockId, ...]
    """What begins again, each with everything downstream."""
    going_on: tuple[BlockId, ...]
    """Those of them whose run below goes on from where it was."""

    def untouched(self, places: Iterable[BlockId]) -> Iterator[BlockId]:
        """Yield those of *places* that do not begin again, neither alone nor with all of their block."""
        again = frozenset(self.again)
        whole = again - {block_of(place) for place in again if is_part(place)}
        yield from (place for place in places if place not in again and block_of(place) not in whole)


def edits_apart(state: RunState, edits: Iterable[Edit]) -> tuple[list[Edit], list[Edit]]:
    """Return the edits of the run itself, and those of runs below."""
    own: list[Edit] = []
    below: list[Edit] = []
    for edit in edits:
        (below if _is_below(state, edit) else own).append(edit)
    return own, below


def _is_below(state: RunState, edit: Edit) -> bool:
    match edit.path:
        case ("blocks", str(name), *_):
            return place_of(state, BlockId(name)) not in (None, name)
        case _:
            return False


def named_places(state: RunState, names: Iterable[BlockId], edits: Iterable[Edit]) -> Named:
    """Return what somebody names.

    Args:
        state: Of the other run, at the point.
        names: What is to run again.
        edits: What is to be other in runs below.

    Raises:
        BlockNotFound: the run has no such block.
        InvalidEdit: there is such a block, but it cannot begin again by itself.
    """
    own: list[BlockId] = []
    below: dict[BlockId, Inner] = {}
    for name in names:
        place = _above(state, name)
        if place == name:
            own.append(name)
        else:
            below[place] = below.get(place, Inner()).then(Inner(again=(_inside(place, name),)))
    # Whoever names the call itself wants all of it again.
    below = {place: inner for place, inner in below.items() if place not in own}
    for edit in edits:
        place, changed = _edit_inside(state, edit)
        if place in own:
            problem = f"all of '{place}' begins again: change what it is given, or answer what it asks then"
            raise InvalidEdit(edit.path, problem)
        below[place] = below.get(place, Inner()).then(Inner(edits=(changed,)))
    return Named(tuple(own), below)


def _edit_inside(state: RunState, edit: Edit) -> tuple[BlockId, Edit]:
    """Return of an edit below the place that called the run, and the edit as that run names it."""
    section, name, *path = edit.path
    whole = BlockId(str(name))
    place = _above(state, whole)
    return place, edit.evolve(path=(section, _inside(place, whole), *path))


def _inside(place: BlockId, name: BlockId) -> BlockId:
    return BlockId(name[len(place) + 1 :])


def _above(state: RunState, name: BlockId) -> BlockId:
    """Return the place that a name stands for in *state*."""
    place = place_of(state, name)
    if place is None:
        raise BlockNotFound(state.run_id, name, tuple(state.graph.blocks))
    if "#" in place:
        problem = f"an iteration reads what the one before gave: let all of '{block_of(place)}' run again"
        raise InvalidEdit(("blocks", name), problem)
    if why := why_unknown(state, name):
        raise InvalidEdit(("blocks", name), why)
    return place


def places_again(state: RunState, named: Named) -> Places:
    """Return what begins again in a fork from *state*.

    That is what is named, what had failed or was cancelled, and what had begun, each with everything downstream. The
    run of a place goes on where a block of it is named, and where the place had not ended well and nobody names it.
    """
    wanted = [*named.own, *named.below]
    downstream = downstream_of(state, map(block_of, wanted))
    anew = {*(place for place in named.own if not is_part(place)), *downstream}
    here = dict.fromkeys(place for place in wanted if place in anew or block_of(place) not in anew)
    partly = {block_of(place) for place in here if is_part(place)}
    left = [block for block in state.graph.blocks if block not in anew and block not in named.below]
    retried = dict.fromkeys(
        with_parts(state, [block for block in left if block in partly or _is_lost(state, block)])
    )
    cut_off, with_those = [], []
    for block in left:
        if block in partly or block not in retried:
            places = [place for place in _cut_off(state, block) if place not in here]
            cut_off += places
            with_those += [*([block] if places else []), *places]
    after_those = downstream_of(state, map(block_of, cut_off))
    again = dict.fromkeys([*here, *downstream, *retried, *with_those, *after_those])
    going_on = [*named.below, *cut_off, *_lost(state, retried)]
    return Places(tuple(again), tuple(place for place in going_on if place not in named.own))


def _lost(state: RunState, places: Iterable[BlockId]) -> Iterator[BlockId]:
    """Yield those that had ended, and not well: their work is done as far as the run below them had come."""
    for place in places:
        status = state.block(place).status
        if status.has_ended and status not in (BlockStatus.SUCCEEDED, BlockStatus.SKIPPED):
            yield place


def _is_lost(state: RunState, block: BlockId) -> bool:
    status = state.block(block).status
    if status is BlockStatus.FAILED:
        return state.graph.blocks[block].on_failure is not OnFailure.CONTINUE
    return status is BlockStatus.CANCELLED


def _cut_off(state: RunState, block: BlockId) -> Iterator[BlockId]:
    """Yield the places of a block that had begun, and had neither ended nor got their answer."""
    places = (block,) if state.block(block).fan is None else state.parts_of(block)
    yield from (place for place in places if _has_begun(state, place))


def _has_begun(state: RunState, place: BlockId) -> bool:
    match state.block(place).status:
        case BlockStatus.RUNNING | BlockStatus.INTERRUPTED:
            return True
        case BlockStatus.PAUSED:
            return place not in state.attention
        case BlockStatus.PENDING:
            return state.block(place).wake_at is not None
        case _:
            return False
