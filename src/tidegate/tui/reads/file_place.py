"""Where a block stands in the file of its workflow, as that file is now; else as the run was started with it."""

import asyncio
from dataclasses import dataclass
from pathlib import Path

from tidegate.errors import TidegateError
from tidegate.history.shelf import path_of, read_file
from tidegate.model.ids import BlockId, RunId, block_of
from tidegate.model.workflow import WorkflowDefinition
from tidegate.tui.session import Session

__all__ = ["FilePlace", "read_file_place"]


@dataclass(frozen=True, slots=True)
class FilePlace:
    """A line of a workflow's file."""

    path: Path
    line: int
    """1-based."""
    text: str | None = None
    """What the file held when the run was started; None: the file is there."""


async def read_file_place(session: Session, run_id: RunId, place: BlockId | None) -> FilePlace:
    """Return where a block stands; without one, or if the file has none of that name any more, its first line.

    Raises:
        RunNotFound: there is no such run.
        TidegateError: its workflow came from no file, or nobody knows any more what that held.
    """
    pinned = (await session.history.state(run_id)).graph.definition
    path = path_of(pinned)
    if path is None:
        raise TidegateError("the workflow of this run came from no file")
    if await asyncio.to_thread(path.is_file):
        file = await read_file(path)
        # A file with faults has no blocks: the line of the text that the run was started with is the best guess.
        return FilePlace(path, _line(file.definition or pinned, place))
    text = await session.history.definition_source(run_id)
    if not text:
        raise TidegateError(f"{path} is gone, and what it held was not kept")
    return FilePlace(path, _line(pinned, place), text)


def _line(definition: WorkflowDefinition, place: BlockId | None) -> int:
    wanted = block_of(place) if place is not None else ""
    return next((block.line for block in definition.blocks if block.id == wanted), 0) or 1
