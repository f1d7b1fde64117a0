"""What an operator wants of a fork, and what it will do: read from the engine before anybody is asked."""

from dataclasses import dataclass, replace

from tidegate.engine.forks.edits import Edit
from tidegate.engine.forks.fork import ForkRequest
from tidegate.engine.forks.preview import ForkPreview
from tidegate.errors import DefinitionError, Fault, TidegateError
from tidegate.history.changes import Change
from tidegate.history.definition_tree import definition_tree
from tidegate.history.diff import changes_between
from tidegate.history.paths import Path
from tidegate.history.points import Point
from tidegate.history.shelf import path_of, read_file
from tidegate.model.events import Origin
from tidegate.model.ids import BlockId, RunId
from tidegate.model.state import RunState
from tidegate.model.workflow import WorkflowDefinition
from tidegate.tui.reads.fork_ground import Ground, Present, shown_inside
from tidegate.tui.reads.fork_wishes import known_paths, known_places
from tidegate.tui.session import Session

_MOST_BYTES = 4_000_000
"""Of a large value that is read for what stands inside of it."""

__all__ = [
    "FileNow",
    "ForkDraft",
    "make_fork",
    "read_file_now",
    "read_fork",
    "read_further",
    "read_ground",
]


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
    return Ground(
        state,
        known_paths(state),
        known_places(state),
        has_other_file=change in ("changed", "broken"),
        differences=differences,
    )


async def read_further(session: Session, point: Point, ground: Ground, path: Path) -> Present:
    """Return what stands at a path that leads into a run below, or into a large value; too large a one is not read.

    Raises:
        RunNotFound, PointNotFound: the run below is gone.
    """
    while (place := ground.above(path)) is not None:
        below = await session.history.point_below(point, place)
        if below is None:
            return Present()
        point, path = below, ("blocks", str(path[1])[len(place) + 1 :], *path[2:])
        ground = await read_ground(session, point)
    present = ground.present_at(path)
    if (large := present.large) is None or present.hidden:
        return present
    if large.size > _MOST_BYTES:
        return Present(hidden=large.size)
    found = await session.history.outputs({"value": large})
    return shown_inside(found["value"], present.inner)


async def read_file_now(state: RunState) -> FileNow:
    """Return what the file of a run's workflow says now.

    Raises:
        NoFile: there is none.
        BadFile: it has faults; the message says where.
    """
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
