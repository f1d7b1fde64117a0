"""The workflow files that a run can be started from: of every folder that is looked in, as they are now.

Owns which files are shown to somebody who wants to start one. The working directory may hold any YAML: what
has faults there and never says `blocks` is no workflow, and nobody wants to read what is wrong with it.
"""

import asyncio
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tidegate.errors import DefinitionError, Fault, InputsError
from tidegate.model.base import Json, JsonObject
from tidegate.model.workflow import InputDefinition, WorkflowDefinition

if TYPE_CHECKING:
    from tidegate.workflows.library import Entry, Library

__all__ = ["Shelf", "WorkflowFile", "input_problem", "path_of", "read_file", "read_inputs"]

_BLOCKS = re.compile(rb"\bblocks\b[\"']?\s*:")
_HEAD = 1_000_000
"""Bytes of a file that are looked at for what makes it a workflow."""


@dataclass(frozen=True, slots=True)
class WorkflowFile:
    """One workflow file."""

    path: Path
    name: str
    """The workflow's name, or the file's while it has none."""
    definition: WorkflowDefinition | None
    """What the newest sound text says; None: none was sound since somebody looks."""
    source: str
    """That text."""
    faults: tuple[Fault, ...]
    """What is wrong with the newest text; as long as there are any, nothing can be started from it."""

    @property
    def is_sound(self) -> bool:
        """Whether a run can be started from it."""
        return self.definition is not None and not self.faults


class Shelf:
    """The workflow files of some folders."""

    def __init__(self, folders: Iterable[Path] = ()) -> None:
        """Make it; nothing is read before `refresh` or `watch`.

        Args:
            folders: Where to look, in this order; one that is not there is looked for again.
        """
        named: dict[Path, Path] = {}
        for folder in folders:
            named.setdefault(folder.resolve(), folder)
        self.folders = tuple(named.values())
        """Each once, however often it was named."""
        self.files: tuple[WorkflowFile, ...] = ()
        """Every workflow file as it was read last; nothing before that."""
        self.is_read = False
        self._libraries: tuple[Library, ...] | None = None
        self._opening = asyncio.Lock()

    async def refresh(self) -> tuple[WorkflowFile, ...]:
        """Read what has changed; return every workflow file."""
        libraries = await self._open()
        await asyncio.to_thread(lambda: [library.refresh() for library in libraries])
        return await self._take(libraries)

    async def watch(self, changed: Callable[[], None]) -> None:
        """Keep up with the folders until cancelled.

        Args:
            changed: Called after each change, and once for each folder at the start.
        """
        told = asyncio.Event()
        libraries = await self._open()
        async with asyncio.TaskGroup() as group:
            for library in libraries:
                group.create_task(library.watch(lambda _: told.set()))
            while True:
                await told.wait()
                told.clear()
                await self._take(libraries)
                changed()

    async def _open(self) -> "tuple[Library, ...]":
        async with self._opening:
            if self._libraries is None:
                self._libraries = await asyncio.to_thread(_libraries, self.folders)
        return self._libraries

    async def _take(self, libraries: "tuple[Library, ...]") -> tuple[WorkflowFile, ...]:
        entries = [(library.folder, entry) for library in libraries for entry in library.entries()]
        self.files = await asyncio.to_thread(
            lambda: tuple(_file(entry) for folder, entry in entries if _is_workflow(folder, entry))
        )
        self.is_read = True
        return self.files


def _libraries(folders: tuple[Path, ...]) -> "tuple[Library, ...]":
    # Here: with it comes everything that reads a workflow file.
    from tidegate.blocks.registry import catalog
    from tidegate.workflows.library import Library

    return tuple(Library(folder, catalog()) for folder in folders)


def path_of(definition: WorkflowDefinition) -> Path | None:
    """Return the file that a definition was read from; None: it came from none."""
    # Its path was perhaps given from another folder than this process is in; its own folder is absolute.
    return (
        Path(definition.working_dir) / Path(definition.source_path).name if definition.source_path else None
    )


async def read_file(path: Path) -> WorkflowFile:
    """Return a workflow file as it is at this moment."""
    return await asyncio.to_thread(lambda: _read(path))


def _read(path: Path) -> WorkflowFile:
    from tidegate.blocks.registry import catalog
    from tidegate.workflows.loader import load_workflow

    try:
        loaded = load_workflow(path, catalog())
    except DefinitionError as error:
        return WorkflowFile(path, path.name, None, "", error.faults)
    return WorkflowFile(path, loaded.definition.name, loaded.definition, loaded.source, ())


def _file(entry: "Entry") -> WorkflowFile:
    return WorkflowFile(
        path=entry.path,
        name=entry.name if entry.loaded else entry.path.name,
        definition=entry.loaded.definition if entry.loaded else None,
        source=entry.loaded.source if entry.loaded else "",
        faults=entry.error.faults if entry.error else (),
    )


def _is_workflow(folder: Path, entry: "Entry") -> bool:
    if entry.loaded is not None or folder != Path():
        return True
    try:
        if not entry.path.is_file():
            return False
        with entry.path.open("rb") as file:
            return _BLOCKS.search(file.read(_HEAD)) is not None
    except OSError:
        return True  # that it cannot be read is what somebody has to know


def read_inputs(definition: WorkflowDefinition, given: Mapping[str, Json]) -> JsonObject:
    """Return the inputs of a run: every declared one, with defaults filled in.

    Args:
        definition: The workflow.
        given: By name, what was typed or chosen; a text stands for a value of the declared type.

    Raises:
        InputsError: names everything that is unknown, missing or of the wrong type.
    """
    from tidegate.workflows.run_inputs import validate_inputs

    return validate_inputs(definition, given, from_text=True)


def input_problem(definition: WorkflowDefinition, declared: InputDefinition, given: Json) -> str:
    """Return why *given* is no value of one input, or an empty text; null: it was left out."""
    alone = definition.evolve(inputs=(declared,))
    try:
        read_inputs(alone, {} if given is None else {declared.name: given})
    except InputsError as error:
        return error.problem
    return ""
