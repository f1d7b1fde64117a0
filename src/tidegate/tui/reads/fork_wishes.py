"""What an operator wishes of a fork with a key: what is to run again, and what is to be changed first."""

from collections.abc import Collection, Iterator
from dataclasses import replace
from itertools import islice

from tidegate.errors import RunNotFound
from tidegate.history.block_types import input_of_call
from tidegate.history.paths import Path, path_text
from tidegate.history.points import Point
from tidegate.model.ids import BlockId, block_of
from tidegate.model.state import BlockStatus, RunState
from tidegate.tui.nouns.fork_wish import ForkWish
from tidegate.tui.session import Session

__all__ = [
    "before_block",
    "before_question",
    "editable",
    "known_paths",
    "known_places",
    "read_before_block",
    "rerun_of",
]

_MOST = 5_000
"""Paths, and places, that a field can complete."""


def before_block(state: RunState, place: BlockId) -> ForkWish:
    """Return the wish to fork a run as it is now, with a block run again and an input of it changed."""
    path = _first_given(state, place)
    return ForkWish(Point(state.run_id, state.head), path, (_by_itself(place),), is_editing=bool(path))


async def read_before_block(session: Session, state: RunState, place: BlockId) -> ForkWish:
    """Return the same; of a run that does the work of a block above, in a fork of the run on top.

    A fork of that run alone would belong to nobody. It is what is left where the run on top, as it is now, does not
    lead to this one: it is gone, its block has another run by now, or an iteration began it.
    """
    above, way = state, ""
    while (parent := above.parent) is not None:
        try:
            caller = await session.history.state(parent.run_id)
        except RunNotFound:
            return before_block(state, place)
        child = caller.block(parent.block).child
        is_its = child is not None and child.run_id == above.run_id
        if not is_its or _by_itself(parent.block) != parent.block:
            return before_block(state, place)
        above, way = caller, f"{parent.block}/{way}"
    return _from_above(before_block(state, place), above, way)


def _from_above(wish: ForkWish, above: RunState, way: str) -> ForkWish:
    """Return a wish as one for the run on top, in which *way* leads to that whose wish it is."""
    edits: Path = ()
    match wish.edits:
        case (section, str(place), *rest):
            edits = (section, f"{way}{place}", *rest)
    blocks = tuple(BlockId(f"{way}{place}") for place in wish.blocks)
    return replace(wish, point=Point(above.run_id, above.head), edits=edits, blocks=blocks)


def _by_itself(place: BlockId) -> BlockId:
    """Return what runs again where a place shall: an item does by itself, an iteration with all of its block."""
    return block_of(place) if "#" in place else place


def before_question(state: RunState, place: BlockId) -> ForkWish:
    """Return the wish to change what a question is asked about, in a fork of a run as it is now.

    That is what the nearest block gave that it follows; where none gave anything, an input of the run.
    """
    followed = [wait.block for wait in state.definition_of(place).depends_on]
    ended = [block for block in followed if state.block(block).status.has_ended]
    paths = [_first_of(state, block) for block in ended]
    paths += [("inputs", name) for name in state.inputs]
    path = next(filter(None, paths), ())
    return ForkWish(Point(state.run_id, state.head), path, is_editing=True)


# -- what a place of the tree means -----------------------------------------------------------


def _editable_paths(state: RunState) -> Iterator[Path]:
    yield from (("inputs", name) for name in state.inputs)
    yield from (("state", name) for name in state.variables)
    for block_id, definition in state.graph.blocks.items():
        block = state.block(block_id)
        if definition.interactive:
            parts = [block_id] if block.fan is None else state.parts_of(block_id)
            yield from (("blocks", place, "answer") for place in parts)
        else:
            yield from (("blocks", block_id, "outputs", name) for name in block.outputs)
        yield from _given_paths(state, block_id)


def known_paths(state: RunState) -> tuple[str, ...]:
    """Return what can be changed, as one types it; of a large run only the first ones."""
    return tuple(path_text(path) for path in islice(_editable_paths(state), _MOST))


def known_places(state: RunState) -> tuple[str, ...]:
    """Return what can run again, as one types it: blocks, their items, and the blocks of runs below."""
    return tuple(islice(_places(state), _MOST))


def _places(state: RunState) -> Iterator[str]:
    yield from state.graph.blocks
    parts = [part for block in state.graph.blocks for part in state.parts_of(block) if "#" not in part]
    yield from parts
    pinned = state.graph.definition.children
    for place in [*state.graph.blocks, *parts]:
        child = state.block(place).child
        if child is not None and child.workflow in pinned:
            yield from (f"{place}/{block.id}" for block in pinned[child.workflow].blocks)


def _given_paths(state: RunState, place: BlockId) -> Iterator[Path]:
    """Yield where that stands which a block is given, what people change most likely first.

    Of a block that runs another workflow that is what it passes to it, and last which workflow that is.
    """
    written, called = state.definition_of(place).inputs, input_of_call(state.definition_of(place).type)
    whole: Path = ("blocks", block_of(place), "inputs")
    for name, value in written.items():
        if called and isinstance(value, dict):
            yield from ((*whole, name, inner) for inner in value)
    yield from ((*whole, name) for name in sorted(written, key=lambda name: name == called))


def _first_given(state: RunState, place: BlockId) -> Path:
    """Return where the first thing stands that a block is given; empty: it is given nothing but a workflow to run."""
    called = input_of_call(state.definition_of(place).type)
    return next((path for path in _given_paths(state, place) if path[3:] != (called,)), ())


def editable(state: RunState, path: Path) -> Path:
    """Return what can be changed in a fork, nearest to a place of the tree; else the place itself.

    An input, a variable or an output stands for itself, and what a block was given for what it is to be given; for
    what a question gave, or a question, its answer; for a block the output that people want most, and of one that
    has not ended, its first input.
    """
    match path:
        case ("pauses", str(name), *_):
            # A second question of a place has a number after its name.
            places = [BlockId(it) for it in (name, name.rpartition(":")[0])]
            return next((_answer_of(place) for place in places if _asks(state, place)), path)
        case ("blocks", str(place), "outputs", _, *_):
            return _answer_of(BlockId(place)) if _asks(state, BlockId(place)) else path
        case ("blocks", str(place), "given", name, *inner):
            return ("blocks", block_of(BlockId(place)), "inputs", name, *inner)
        case ("blocks", str(place), *_):
            return _first_of(state, BlockId(place)) or path
        case _:
            return path


def _asks(state: RunState, place: BlockId) -> bool:
    """Whether a place asks somebody by itself, and not each of its items."""
    block = state.graph.blocks.get(block_of(place))
    return block is not None and block.interactive and state.block(place).fan is None


def _answer_of(place: BlockId) -> Path:
    return ("blocks", place, "answer")


def _first_of(state: RunState, place: BlockId) -> Path:
    block = state.block(place)
    wanted = block.status.has_ended and block.status is not BlockStatus.FAILED
    if _asks(state, place) and (block.status is BlockStatus.PAUSED or (wanted and block.outputs)):
        return _answer_of(place)
    if wanted and block.outputs:
        return ("blocks", place, "outputs", _telling(block.outputs, state.definition_of(place).outputs))
    return _first_given(state, place)


_GIVEN_FIRST = ("result", "stdout")
"""What a command gave: read as JSON if that was asked for, else as it was written."""
_SAID_LAST = ("stderr", "success", "duration_s", "duration", "exit_code")
"""Outputs that say how a block went, and not what it gave."""


def _telling(outputs: Collection[str], declared: Collection[str]) -> str:
    """Return the output that people change most likely: one that the workflow names, else one that says what it gave."""

    def rank(name: str) -> tuple[bool, bool, int]:
        place = _GIVEN_FIRST.index(name) if name in _GIVEN_FIRST else len(_GIVEN_FIRST)
        return name not in declared, name in _SAID_LAST, place

    return min(outputs, key=rank)


def rerun_of(state: RunState, path: Path) -> tuple[BlockId, ...]:
    """Return what runs again: the block that a place of the tree is in, else all that the wave has done."""
    match path:
        case ("blocks", str(place), *_):
            return (_by_itself(BlockId(place)),)
        case _:
            wave = max(0, min(state.wave, state.total_waves - 1))
            blocks = state.graph.definition.waves[wave] if state.total_waves else ()
            return tuple(block for block in blocks if state.block(block).status.has_ended)
