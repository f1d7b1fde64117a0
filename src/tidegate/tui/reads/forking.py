"""What an operator wants of a fork, and what it will do: read from the engine before anybody is asked."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice

import msgspec

from tidegate.engine.edits import Edit
from tidegate.engine.fork import ForkRequest
from tidegate.engine.fork_preview import ForkPreview
from tidegate.history.changes import Change
from tidegate.history.document import Missing, Node, document, pick
from tidegate.history.paths import Path, parse_path, path_text
from tidegate.history.points import Point
from tidegate.model.events import Origin
from tidegate.model.ids import BlockId, RunId, block_of
from tidegate.model.state import BlockStatus, RunState
from tidegate.model.value import Inline, Stored
from tidegate.tui.session import Session

_MOST_PATHS = 5_000

__all__ = [
    "ForkDraft",
    "ForkWish",
    "Ground",
    "before_block",
    "editable",
    "make_fork",
    "read_fork",
    "read_ground",
    "rerun_of",
    "value_at",
]


@dataclass(frozen=True, slots=True)
class ForkWish:
    """What the operator has asked for with a key."""

    point: Point
    edits: Path = ()
    """What is to be changed first; empty: nothing yet."""
    blocks: tuple[BlockId, ...] = ()
    """What is to run again."""
    is_editing: bool = False
    """Whether the dialog begins with what is to be changed."""


@dataclass(frozen=True, slots=True)
class ForkDraft:
    """What the dialog has made of it so far."""

    point: Point
    edits: tuple[Edit, ...] = ()
    blocks: tuple[BlockId, ...] = ()
    keeps_answers: bool = False

    @property
    def request(self) -> ForkRequest:
        """It, as the engine takes it."""
        origin = Origin(run_id=self.point.run_id, seq=self.point.seq)
        return ForkRequest(origin, self.edits, self.blocks, keep_answers=self.keeps_answers)

    def with_edit(self, edit: Edit) -> "ForkDraft":
        """Return it with one more change; a second one of the same value takes the place of the first."""
        others = tuple(other for other in self.edits if other.path != edit.path)
        return replace(self, edits=(*others, edit))


@dataclass(frozen=True, slots=True)
class Ground:
    """The state that a fork goes on from: what stands where, and what can be changed."""

    state: RunState
    paths: tuple[str, ...]
    """What can be changed, as one types it; of a large run only the first ones."""
    blocks: tuple[str, ...]
    has_other_file: bool = False
    """Whether the workflow's file is another one by now."""
    differences: tuple[Change, ...] = ()
    """In what: on the left what the run is pinned to. None if the file has faults."""

    def value_at(self, path: str) -> str:
        """Return what stands at a path, as one types it; empty if it is none, or not known here."""
        try:
            return value_at(self.state, parse_path(path))
        except ValueError:
            return ""

    def hidden_at(self, path: str) -> int:
        """Return how many bytes of the value at a path are too many to be shown; 0: it is there whole, or nowhere."""
        try:
            found = _found_at(self.state, parse_path(path))
        except ValueError:
            return 0
        return found.size if isinstance(found, Stored) else 0


async def read_ground(session: Session, point: Point) -> Ground:
    """Return what a fork goes on from.

    Raises:
        RunNotFound, PointNotFound: there is no such run or event.
    """
    state = await (await session.history.walk(point.run_id)).state(point.seq)
    paths = tuple(path_text(path) for path in islice(_editable_paths(state), _MOST_PATHS))
    change, differences = await session.history.definition_changes(point.run_id)
    return Ground(
        state,
        paths,
        tuple(islice(state.graph.blocks, _MOST_PATHS)),
        has_other_file=change in ("changed", "broken"),
        differences=differences,
    )


async def read_fork(session: Session, draft: ForkDraft) -> ForkPreview:
    """Return what a fork would do. Nothing is written.

    Raises:
        RunNotFound, CheckpointNotFound, BlockNotFound: there is no such run, point or block.
        InvalidEdit: something cannot be changed, or not to this.
    """
    return await session.executor.preview_fork(draft.request)


async def make_fork(session: Session, draft: ForkDraft) -> RunId:
    """Make it, and let it run; return which run it is.

    Raises: as `read_fork` does.
    """
    return await session.executor.fork(draft.request, by=session.operator)


def before_block(state: RunState, place: BlockId) -> ForkWish:
    """Return the wish to fork a run as it is now, with a block run again and an input of it changed."""
    block = block_of(place)
    inputs = list(state.definition_of(place).inputs)
    path = ("blocks", block, "inputs", inputs[0]) if inputs else ()
    return ForkWish(Point(state.run_id, state.head), path, (block,), is_editing=bool(path))


# -- what a place of the tree means -----------------------------------------------------------


def _editable_paths(state: RunState) -> Iterator[Path]:
    yield from (("inputs", name) for name in state.inputs)
    yield from (("state", name) for name in state.variables)
    for block_id, definition in state.graph.blocks.items():
        block = state.block(block_id)
        yield from (("blocks", block_id, "outputs", name) for name in block.outputs)
        yield from (("blocks", block_id, "inputs", name) for name in definition.inputs)


def editable(state: RunState, path: Path) -> Path:
    """Return what can be changed in a fork, nearest to a place of the tree; empty: nothing near.

    An input, a variable or an output stands for itself; of a block that has not ended, its first input.
    """
    match path:
        case ("inputs" | "state", _, *_):
            return path
        case ("blocks", _, "outputs", _, *_):
            return path
        case ("blocks", str(place), *_):
            return _first_of(state, BlockId(place))
        case _:
            return ()


def _first_of(state: RunState, place: BlockId) -> Path:
    block = state.block(place)
    wanted = block.status.has_ended and block.status is not BlockStatus.FAILED
    outputs = list(block.outputs)
    if wanted and outputs:
        return ("blocks", place, "outputs", outputs[0])
    inputs = list(state.definition_of(place).inputs)
    return ("blocks", block_of(place), "inputs", inputs[0]) if inputs else ()


def value_at(state: RunState, path: Path) -> str:
    """Return what stands at a place that can be changed, as one types it; empty if it is not known here."""
    found = _found_at(state, path)
    if isinstance(found, Inline):
        found = found.value
    if isinstance(found, Missing | Stored):
        return ""
    return found if isinstance(found, str) else msgspec.json.encode(found, enc_hook=dict).decode()


def _found_at(state: RunState, path: Path) -> Node | Missing:
    match path:
        case ("blocks", str(block), "inputs", str(name), *inner):
            given = state.given.get(BlockId(block), {})
            node = given.get(name, state.definition_of(BlockId(block)).inputs.get(name, ""))
            return pick(node, tuple(inner))
        case _:
            return pick(document(state), path)


def rerun_of(state: RunState, path: Path) -> tuple[BlockId, ...]:
    """Return what runs again: the block that a place of the tree is in, else all that the wave has done."""
    match path:
        case ("blocks", str(place), *_):
            return (BlockId(place),)
        case _:
            wave = max(0, min(state.wave, state.total_waves - 1))
            blocks = state.graph.definition.waves[wave] if state.total_waves else ()
            return tuple(block for block in blocks if state.block(block).status.has_ended)
