"""What an operator wants of a fork, and what it will do: read from the engine before anybody is asked."""

from tidegate.engine.forks.preview import ForkPreview
from tidegate.errors import DefinitionError, Fault, TidegateError
from tidegate.history.definition_tree import definition_tree
from tidegate.history.diff import changes_between
from tidegate.history.paths import Path
from tidegate.history.points import Point
from tidegate.history.shelf import path_of, read_file
from tidegate.model.ids import RunId
from tidegate.model.state import RunState
from tidegate.tui.nouns.fork_draft import FileNow, ForkDraft
from tidegate.tui.nouns.fork_ground import Ground, Present, shown_inside
from tidegate.tui.reads.fork_wishes import known_paths, known_places
from tidegate.tui.session import Session

_MOST_BYTES = 4_000_000
"""Of a large value that is read for what stands inside of it."""

__all__ = [
    "make_fork",
    "read_file_now",
    "read_fork",
    "read_further",
    "read_ground",
]


class NoFile(TidegateError):
    """There is no file that a fork could go on with."""


class BadFile(DefinitionError):
    """A fork does not go on with a file that has faults."""

    def __init__(self, file: str, faults: tuple[Fault, ...]) -> None:
        super().__init__(file, faults)
        more = f" (and {len(faults) - 1} more; 4 shows them)" if len(faults) > 1 else ""
        self.args = (f"the fork cannot go on with the file as it is: {faults[0].describe(file)}{more}",)


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
