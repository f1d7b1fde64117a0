"""A folder of workflow files, kept up to date. A bad file never hides a good one.

Owns the definitions that can be started. What a run has pinned is its own: `definition_changed`
only tells how the file differs from it by now.
"""

import asyncio
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from tidegate.errors import DefinitionError, Fault
from tidegate.model.catalog import Catalog
from tidegate.model.workflow import WorkflowDefinition, definition_hash
from tidegate.workflows.children import workflow_files
from tidegate.workflows.loader import Loaded, load_workflow
from tidegate.workflows.yaml_nodes import place_at
from tidegate.workflows.yaml_text import MAX_BYTES, read_yaml

__all__ = ["DefinitionChange", "Entry", "Library", "definition_changed", "definition_now", "find_workflows"]

find_workflows = workflow_files

_DEBOUNCE = 100
"""Milliseconds: an editor saves in several steps."""
_POLL = 2_000
"""Milliseconds: where no event comes (a network file system, a called file elsewhere), looking finds it."""
_STEP = 200
"""Milliseconds between two looks for what is reported."""
_AWAY = 1.0
"""Seconds between looks for a folder that is not there."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One file of a library."""

    path: Path
    name: str
    """The workflow's name, or the file's while it has none."""
    loaded: Loaded | None
    """The last text that was sound; None if there was none since the library looks."""
    error: DefinitionError | None
    """What is wrong with the newest text."""

    @property
    def stale(self) -> bool:
        """Whether what is loaded is older than the file, because the newest text has faults."""
        return self.loaded is not None and self.error is not None


@dataclass(frozen=True, slots=True)
class _Found:
    """A file as it was read."""

    result: Loaded | DefinitionError
    seen: tuple[object, ...]
    """What told its state then, and that of the files that it calls."""


@dataclass(slots=True)
class Library:
    """The workflows of a folder."""

    folder: Path
    catalog: Catalog
    _entries: dict[Path, Entry] = field(default_factory=dict)
    _found: dict[Path, _Found] = field(default_factory=dict)

    def entries(self) -> tuple[Entry, ...]:
        """Return what was read last, by file name; nothing before the first `refresh`."""
        return tuple(self._entries.values())

    def refresh(self) -> tuple[Path, ...]:
        """Read what has changed and return the files that are new, gone, or other than before."""
        found = {path: self._read(path) for path in workflow_files(self.folder)}
        return self._take(found)

    async def watch(self, changed: Callable[[tuple[Path, ...]], None]) -> None:
        """Keep up with the folder until cancelled.

        Args:
            changed: Called after each change with the files that are new, gone, or other than before;
                once at the start, too. A folder that is not there is waited for.
        """
        first = True
        while True:
            paths = await self._refresh()
            if paths or first:
                changed(paths)
            first = False
            if os.path.isdir(self.folder):  # noqa: ASYNC240, PTH112  # a folder that may not be searched is none
                await self._follow(changed)
            else:
                await asyncio.sleep(_AWAY)

    async def _follow(self, changed: Callable[[tuple[Path, ...]], None]) -> None:
        # Imported here: who lists a folder once need not wait for it.
        from watchfiles import awatch

        events = awatch(
            self.folder,
            watch_filter=None,
            recursive=False,
            debounce=_DEBOUNCE,
            # It looks at itself as often as this, also when nothing happens: each look costs, and nobody waits for files.
            step=_STEP,
            rust_timeout=_POLL,
            yield_on_timeout=True,
        )
        try:
            async for _ in events:
                paths = await self._refresh()
                if paths:
                    changed(paths)
                if not os.path.isdir(self.folder):  # noqa: ASYNC240, PTH112
                    return
        except OSError:
            # It went away in between, or the system watches no more files: then it is looked at now and then.
            await asyncio.sleep(_AWAY)

    async def _refresh(self) -> tuple[Path, ...]:
        # Read in a thread, taken in the loop: who asks for entries never sees half of a change.
        found = await asyncio.to_thread(
            lambda: {path: self._read(path) for path in workflow_files(self.folder)}
        )
        return self._take(found)

    def _read(self, path: Path) -> _Found:
        known = self._found.get(path)
        result = known.result if known else None
        if known and known.seen and known.seen == _seen(result, path):
            return known
        # Looked at before it is read: a change in between is then seen as one the next time.
        before = _state(path)
        try:
            loaded = load_workflow(path, self.catalog)
        except DefinitionError as error:
            # What calls another file may be wrong because of that one: it is read again each time.
            return _Found(error, () if self._may_call(path) else (before,))
        return _Found(loaded, (before, *_seen(loaded, path)[1:]))

    def _may_call(self, path: Path) -> bool:
        """Return whether a file with faults may call others."""
        callers = [name.encode() for name, spec in self.catalog.items() if spec.calls is not None]
        try:
            text = path.read_bytes()[:MAX_BYTES] if path.is_file() else b""
        except OSError:
            return True  # perhaps it can be read the next time
        return any(name in text for name in callers)

    def _take(self, found: dict[Path, _Found]) -> tuple[Path, ...]:
        before, self._found = self._entries, found
        twice = dict(_twice(found))
        self._entries = {
            path: _entry(path, twice.get(path, read.result), before.get(path)) for path, read in found.items()
        }
        paths = sorted(before.keys() | found.keys())
        return tuple(path for path in paths if _differ(before.get(path), self._entries.get(path)))


def _entry(path: Path, result: Loaded | DefinitionError, before: Entry | None) -> Entry:
    if isinstance(result, Loaded):
        return Entry(path, result.definition.name, result, None)
    kept = before.loaded if before else None
    return Entry(path, kept.definition.name if kept else path.stem, kept, result)


def _differ(before: Entry | None, now: Entry | None) -> bool:
    if before is None or now is None:
        return True
    faults = [entry.error.faults if entry.error else () for entry in (before, now)]
    return before.loaded is not now.loaded or faults[0] != faults[1]


def _twice(found: dict[Path, _Found]) -> Iterator[tuple[Path, DefinitionError]]:
    """Yield a fault for each file whose workflow is called like that of another one."""
    by_name: dict[str, list[Loaded]] = {}
    paths: dict[int, Path] = {}
    for path, read in found.items():
        if isinstance(read.result, Loaded):
            by_name.setdefault(read.result.definition.name, []).append(read.result)
            paths[id(read.result)] = path
    for name, same in by_name.items():
        for one in same if len(same) > 1 else ():
            others = ", ".join(paths[id(other)].name for other in same if other is not one)
            message = f"'{name}' is the name of another workflow of this folder, too ({others}): rename one"
            yield paths[id(one)], _at_name(one, paths[id(one)], message)


def _at_name(loaded: Loaded, path: Path, message: str) -> DefinitionError:
    root, _ = read_yaml(loaded.source)
    place = place_at(root, ("name",)) if root else None
    fault = Fault(message, place.line, place.column) if place else Fault(message)
    return DefinitionError(str(path), (fault,))


def _state(path: Path) -> object:
    try:
        stat = path.stat()
    except OSError:
        return None
    return stat.st_mtime_ns, stat.st_ctime_ns, stat.st_size, stat.st_ino


def _seen(loaded: Loaded | DefinitionError | None, path: Path) -> tuple[object, ...]:
    """Return what tells whether a file, or one that it calls, is still as it was read."""
    if not isinstance(loaded, Loaded):
        return (_state(path),)
    called = sorted({_file_of(child) for child in _below(loaded.definition)})
    return (_state(path), *((str(file), _state(file)) for file in called))


def _below(definition: WorkflowDefinition) -> Iterable[WorkflowDefinition]:
    for child in definition.children.values():
        yield child
        yield from _below(child)


def _file_of(definition: WorkflowDefinition) -> Path:
    # The path was perhaps given from another folder than this process is in; its own folder is absolute.
    return Path(definition.working_dir) / Path(definition.source_path).name


class DefinitionChange(StrEnum):
    """How a file differs from the definition that a run has pinned."""

    SAME = "same"
    """What the run does is what the file says; descriptions and comments may differ."""
    CHANGED = "changed"
    MISSING = "missing"
    """There is no file any more."""
    BROKEN = "broken"
    """The file has faults."""


def definition_changed(definition: WorkflowDefinition, catalog: Catalog) -> DefinitionChange:
    """Return how the file of *definition* differs from it now; one that came from no file stays the same."""
    return definition_now(definition, catalog)[0]


def definition_now(
    definition: WorkflowDefinition, catalog: Catalog
) -> tuple[DefinitionChange, WorkflowDefinition]:
    """Return how the file of *definition* differs from it now, and what it says; if it says nothing, *definition*."""
    if not definition.source_path:
        return DefinitionChange.SAME, definition
    path = _file_of(definition)
    if not path.exists():
        return DefinitionChange.MISSING, definition
    try:
        now = load_workflow(path, catalog).definition
    except DefinitionError:
        return DefinitionChange.BROKEN, definition
    same = definition_hash(_bare(now)) == definition_hash(_bare(definition))
    return DefinitionChange.SAME if same else DefinitionChange.CHANGED, now


def _bare(definition: WorkflowDefinition) -> WorkflowDefinition:
    """Return *definition* without what is for people only."""
    return definition.evolve(
        description="",
        inputs=tuple(declared.evolve(description="") for declared in definition.inputs),
        blocks=tuple(block.evolve(description="") for block in definition.blocks),
        children={name: _bare(child) for name, child in definition.children.items()},
    )
