"""What an operator wants of a fork, and what it will do: read from the engine before anybody is asked."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice

from tidegate.engine.edits import Edit
from tidegate.engine.fork import ForkRequest
from tidegate.engine.fork_preview import ForkPreview
from tidegate.errors import DefinitionError, Fault, TidegateError
from tidegate.history.changes import Change
from tidegate.history.definition_tree import definition_tree
from tidegate.history.diff import changes_between
from tidegate.history.paths import Path, path_text
from tidegate.history.points import Point
from tidegate.model.events import Origin, RunStatus
from tidegate.model.ids import BlockId, RunId, block_of
from tidegate.model.state import BlockStatus, RunState
from tidegate.model.workflow import WorkflowDefinition
from tidegate.tui.reads.fork_ground import Ground, Present, shown_inside
from tidegate.tui.session import Session

_MOST_PATHS = 5_000
_MOST_BYTES = 4_000_000
"""Of a large value that is read for what stands inside of it."""

__all__ = [
    "FileNow",
    "ForkDraft",
    "ForkWish",
    "before_block",
    "before_question",
    "editable",
    "make_fork",
    "read_file_now",
    "read_fork",
    "read_ground",
    "read_inside",
    "read_status",
    "rerun_of",
]


@dataclass(frozen=True, slots=True)
class ForkWish:
    """What the operator has asked for with a key."""

    point: Point
    edits: Path = ()
    """What is to be changed first, or the place where somebody was; empty: nothing yet."""
    blocks: tuple[BlockId, ...] = ()
    """What is to run again."""
    is_editing: bool = False
    """Whether the dialog begins with what is to be changed."""


@dataclass(frozen=True, slots=True)
class FileNow:
    """What the workflow's file says now."""

    path: str
    """As one names it on the command line."""
    definition: WorkflowDefinition
    source: str
    """Its text."""
    differences: tuple[Change, ...]
    """On the left what the fork would keep without it."""


class NoFile(TidegateError):
    """There is no file that a fork could go on with."""


class BadFile(DefinitionError):
    """A fork does not go on with a file that has faults."""

    def __init__(self, file: str, faults: tuple[Fault, ...]) -> None:
        super().__init__(file, faults)
        more = f" (and {len(faults) - 1} more; 4 shows them)" if len(faults) > 1 else ""
        self.args = (f"the fork cannot go on with the file as it is: {faults[0].describe(file)}{more}",)


@dataclass(frozen=True, slots=True)
class ForkDraft:
    """What the dialog has made of it so far."""

    point: Point
    edits: tuple[Edit, ...] = ()
    blocks: tuple[BlockId, ...] = ()
    keeps_answers: bool = False
    file: FileNow | None = None
    """What it goes on with, if not with what the other run has."""

    @property
    def workflow(self) -> WorkflowDefinition | None:
        """The definition that it goes on with, if not with that of the other run."""
        return self.file.definition if self.file is not None else None

    @property
    def request(self) -> ForkRequest:
        """It, as the engine takes it."""
        origin = Origin(run_id=self.point.run_id, seq=self.point.seq)
        source = self.file.source if self.file is not None else ""
        return ForkRequest(origin, self.edits, self.blocks, self.workflow, source, self.keeps_answers)

    def with_edit(self, edit: Edit) -> "ForkDraft":
        """Return it with one more change; a second one of the same value takes the place of the first."""
        others = tuple(other for other in self.edits if other.path != edit.path)
        return replace(self, edits=(*others, edit))


async def read_ground(session: Session, point: Point) -> Ground:
    """Return what a fork goes on from.

    Raises:
        RunNotFound, PointNotFound: there is no such run or event.
    """
    state = await (await session.history.walk(point.run_id)).state(point.seq)
    change, differences = await session.history.definition_changes(point.run_id)
    caller = (state.parent.run_id, state.parent.block) if state.parent is not None else None
    return Ground(
        state,
        *_known(state),
        has_other_file=change in ("changed", "broken"),
        differences=differences,
        status=await read_status(session, point),
        caller=caller,
    )


async def read_status(session: Session, point: Point) -> RunStatus:
    """Return where the run of a point stands by now.

    Raises:
        RunNotFound: there is no such run.
    """
    return (await session.history.run_view(point.run_id)).status


def _known(state: RunState) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the paths and the blocks that a field can complete."""
    paths = tuple(path_text(path) for path in islice(_editable_paths(state), _MOST_PATHS))
    return paths, tuple(islice(state.graph.blocks, _MOST_PATHS))


async def read_inside(session: Session, present: Present) -> Present:
    """Return what stands inside of a large value; too large a one is not read."""
    large = present.large
    if large is None or large.size > _MOST_BYTES:
        return Present(hidden=large.size if large is not None else 0)
    found = await session.history.outputs({"value": large})
    return shown_inside(found["value"], present.inner)


async def read_file_now(state: RunState) -> FileNow:
    """Return what the file of a run's workflow says now.

    Raises:
        NoFile: there is none.
        BadFile: it has faults; the message says where.
    """
    from tidegate.history.shelf import path_of, read_file

    pinned = state.graph.definition
    path = path_of(pinned)
    if path is None or not path.exists():
        why = f"its file {path} is gone" if path is not None else "it came from no file"
        raise NoFile(f"there is no file to go on with: {why}")
    file = await read_file(path)
    if file.definition is None or file.faults:
        raise BadFile(path.name, file.faults)
    differences = tuple(changes_between(definition_tree(pinned), definition_tree(file.definition)))
    return FileNow(str(path), file.definition, file.source, differences)


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
        yield from (("blocks", block_id, "inputs", name) for name in definition.inputs)


def editable(state: RunState, path: Path) -> Path:
    """Return what can be changed in a fork, nearest to a place of the tree; else the place itself.

    An input, a variable or an output stands for itself, and for what a question gave, or a question, its answer;
    of a block that has not ended, its first input.
    """
    match path:
        case ("pauses", str(name), *_):
            # A second question of a place has a number after its name.
            places = [BlockId(it) for it in (name, name.rpartition(":")[0])]
            return next((_answer_of(place) for place in places if _asks(state, place)), path)
        case ("blocks", str(place), "outputs", _, *_):
            return _answer_of(BlockId(place)) if _asks(state, BlockId(place)) else path
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
    outputs = list(block.outputs)
    if wanted and outputs and _asks(state, place):
        return _answer_of(place)
    if wanted and outputs:
        return ("blocks", place, "outputs", outputs[0])
    inputs = list(state.definition_of(place).inputs)
    return ("blocks", block_of(place), "inputs", inputs[0]) if inputs else ()


def rerun_of(state: RunState, path: Path) -> tuple[BlockId, ...]:
    """Return what runs again: the block that a place of the tree is in, else all that the wave has done."""
    match path:
        case ("blocks", str(place), *_):
            return (BlockId(place),)
        case _:
            wave = max(0, min(state.wave, state.total_waves - 1))
            blocks = state.graph.definition.waves[wave] if state.total_waves else ()
            return tuple(block for block in blocks if state.block(block).status.has_ended)
