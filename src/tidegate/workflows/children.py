"""Workflow files that call each other: where a called one lies, and that no call comes back.

One object per load reads each file once, however often it is called.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from tidegate.errors import DefinitionError
from tidegate.model.workflow import WorkflowDefinition
from tidegate.workflows.calls import Children, NotCallable
from tidegate.workflows.nearest import did_you_mean, listed
from tidegate.workflows.yaml_nodes import MapNode, TextNode
from tidegate.workflows.yaml_text import MAX_BYTES, read_yaml

__all__ = ["MAX_DEPTH", "Files", "workflow_files", "written_name"]

MAX_DEPTH = 10
"""Workflows that may be called from within each other, the first included."""
_SUFFIXES = frozenset({".yaml", ".yml"})


class _ReadFile(Protocol):
    def __call__(self, path: Path, children: Children) -> WorkflowDefinition:
        """Return the workflow of a file; DefinitionError if it has faults."""
        ...


def workflow_files(folder: Path) -> tuple[Path, ...]:
    """Return what is called like a workflow file in *folder*, by name; nothing if it cannot be listed."""
    try:
        entries = sorted(folder.iterdir())
    except OSError:
        return ()
    return tuple(path for path in entries if path.suffix in _SUFFIXES and not path.name.startswith("."))


def written_name(path: Path) -> str | None:
    """Return the `name` that stands in a workflow file, if it can be read so far."""
    try:
        if not path.is_file() or path.stat().st_size > MAX_BYTES:
            return None
        root, _ = read_yaml(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError):
        return None
    entry = root.entries.get("name") if isinstance(root, MapNode) else None
    return entry.value.text if entry and isinstance(entry.value, TextNode) else None


@dataclass(slots=True)
class Files:
    """The files that one load has come to."""

    read: _ReadFile
    _done: dict[Path, WorkflowDefinition | DefinitionError] = field(default_factory=dict)
    _names: dict[Path, dict[str, list[Path]]] = field(default_factory=dict)
    """By folder: its files by the name that stands in them."""

    def called_from(self, path: Path, callers: tuple[Path, ...] = ()) -> Children:
        """Return what finds the workflows that the file at *path* calls.

        Args:
            path: The calling file.
            callers: The files from which it is called itself, resolved, the first one first.
        """

        def find(name: str) -> WorkflowDefinition:
            return self._call(self._find(name, path.parent), (*callers, path.resolve()))

        return find

    def _call(self, path: Path, chain: tuple[Path, ...]) -> WorkflowDefinition:
        resolved = path.resolve()
        if resolved in chain:
            shown = " -> ".join(caller.stem for caller in (*chain[chain.index(resolved) :], resolved))
            raise NotCallable(
                f"a workflow cannot call itself: {shown}; what is to be repeated is written with loop"
            )
        if len(chain) >= MAX_DEPTH:
            raise NotCallable(_too_deep(chain, resolved))
        if resolved not in self._done:
            self._done[resolved] = self._read(path, chain)
        found = self._done[resolved]
        if isinstance(found, DefinitionError):
            raise found
        if len(chain) + _height(found) > MAX_DEPTH:
            raise NotCallable(_too_deep(chain, resolved))
        return found

    def _read(self, path: Path, chain: tuple[Path, ...]) -> WorkflowDefinition | DefinitionError:
        try:
            return self.read(path, self.called_from(path, chain))
        except DefinitionError as error:
            return error

    def _find(self, name: str, folder: Path) -> Path:
        if "/" in name or Path(name).suffix in _SUFFIXES:
            return self._at(folder / name, name)
        beside = [path for suffix in (".yaml", ".yml") if (path := folder / f"{name}{suffix}").is_file()]
        found = beside or self._named(folder).get(name, [])
        if len(found) > 1:
            files = " and ".join(path.name for path in found[:2])
            raise NotCallable(f"two files are called '{name}': {files}; name the one that is meant")
        if not found:
            raise NotCallable(f"there is no workflow '{name}' in {folder}{self._hint(name, folder)}")
        return found[0]

    def _at(self, path: Path, name: str) -> Path:
        try:
            is_there = path.is_file()
        except (OSError, ValueError):
            is_there = False
        if not is_there:
            hint = did_you_mean(path.name, [other.name for other in workflow_files(path.parent)])
            raise NotCallable(f"there is no file '{name}' (seen from this file's folder){hint}")
        # The folder is part of what a definition is: one folder, one spelling.
        return path.parent.resolve() / path.name if ".." in path.parts else path

    def _named(self, folder: Path) -> dict[str, list[Path]]:
        if folder not in self._names:
            names: dict[str, list[Path]] = {}
            for path in workflow_files(folder):
                name = written_name(path)
                if name is not None:
                    names.setdefault(name, []).append(path)
            self._names[folder] = names
        return self._names[folder]

    def _hint(self, name: str, folder: Path) -> str:
        known = sorted({*self._named(folder), *(path.stem for path in workflow_files(folder))})
        return did_you_mean(name, known) or (f"; there is {listed(known)}" if known else "")


def _too_deep(chain: tuple[Path, ...], called: Path) -> str:
    shown = " -> ".join(caller.stem for caller in (*chain, called))
    return f"workflows call each other more than {MAX_DEPTH} deep: {shown}"


def _height(definition: WorkflowDefinition) -> int:
    # A file that was read before, under fewer callers, may itself call further than is left here.
    return 1 + max((_height(child) for child in definition.children.values()), default=0)
