"""Where a block stands in the file of its workflow, as that file is now; else as the run was started with it."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tidegate.errors import TidegateError
from tidegate.history.rule_lines import rule_lines
from tidegate.history.shelf import path_of, read_file
from tidegate.model.ids import BlockId, RunId, block_of
from tidegate.model.workflow import WorkflowDefinition
from tidegate.safe_text import safe_line
from tidegate.tui.session import Session

__all__ = ["FilePlace", "read_file_place", "read_rule_places"]

_NAME = 60
"""Characters of a file's name."""


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


async def read_rule_places(session: Session, run_id: RunId, place: BlockId) -> Callable[[str], str]:
    """Return what says where the rule of a field stands, as ``deploy.yaml:31``, in the file as the run has it.

    It is asked with the field's id, empty for the only one. Where no line is known it says nothing.

    Raises:
        RunNotFound: there is no such run.
    """
    definition = (await session.history.state(run_id)).graph.definition
    path = path_of(definition)
    if path is None:
        return lambda _: ""
    source, line = await session.history.definition_source(run_id), _line_of(definition, place)
    # Not where keys are taken, nor where runs are driven: a file may be a megabyte.
    lines = await asyncio.to_thread(rule_lines, source, block_of(place), line)
    name = safe_line(path.name, _NAME)
    return lambda field: f"{name}:{lines.of(field)}" if lines.of(field) else ""


def _line(definition: WorkflowDefinition, place: BlockId | None) -> int:
    return (_line_of(definition, place) if place is not None else 0) or 1


def _line_of(definition: WorkflowDefinition, place: BlockId) -> int:
    """Return where a block stands; 0 if that is not known."""
    wanted = block_of(place)
    return next((block.line for block in definition.blocks if block.id == wanted), 0)
