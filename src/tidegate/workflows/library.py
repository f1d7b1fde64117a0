"""A folder of workflow files. A bad file never hides a good one."""

from pathlib import Path

from tidegate.errors import DefinitionError
from tidegate.model.catalog import Catalog
from tidegate.workflows.loader import Loaded, load_workflow

__all__ = ["find_workflows", "load_folder"]

_SUFFIXES = frozenset({".yaml", ".yml"})


def find_workflows(folder: Path) -> tuple[Path, ...]:
    """Return what is called like a workflow file in *folder*, by name; nothing if it cannot be listed.

    Things that only have such a name (a folder, a broken link) are among them: loading says what
    is wrong with them, which silence would not.
    """
    try:
        entries = sorted(folder.iterdir())
    except OSError:
        return ()
    return tuple(path for path in entries if path.suffix in _SUFFIXES and not path.name.startswith("."))


def load_folder(folder: Path, catalog: Catalog) -> tuple[Loaded | DefinitionError, ...]:
    """Return every workflow of *folder*, or why it cannot be loaded, by name."""
    return tuple(_load(path, catalog) for path in find_workflows(folder))


def _load(path: Path, catalog: Catalog) -> Loaded | DefinitionError:
    try:
        return load_workflow(path, catalog)
    except DefinitionError as error:
        return error
