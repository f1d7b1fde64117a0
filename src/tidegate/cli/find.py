"""Which workflow a word on the command line means: a file, or a name."""

from pathlib import Path
from typing import TYPE_CHECKING

from tidegate.assets import asset_dir
from tidegate.errors import DefinitionError, Fault
from tidegate.settings import Settings

if TYPE_CHECKING:
    from tidegate.workflows.loader import Loaded

__all__ = ["UnknownWorkflow", "find_workflow", "load_file", "load_named"]


class UnknownWorkflow(DefinitionError):
    """A word names neither a file nor a workflow."""

    def __init__(self, word: str, looked: str, hint: str) -> None:
        message = f"no file '{word}', and no workflow of that name in {looked}{hint}"
        super().__init__(word, (Fault(message),))
        # Without a line and a column: there is no file that would have them.
        self.args = (message,)


def load_named(settings: Settings, word: str) -> "Loaded":
    """Return the workflow that *word* means.

    Raises:
        DefinitionError: there is none, or it has faults.
    """
    return load_file(find_workflow(settings, word))


def load_file(path: Path) -> "Loaded":
    """Return the workflow in a file.

    Raises:
        DefinitionError: it has faults.
    """
    # Imported here: reading YAML costs a third of a second that `tidegate inbox` need not wait for.
    from tidegate.blocks.registry import catalog
    from tidegate.workflows.loader import load_workflow

    return load_workflow(path, catalog())


def find_workflow(settings: Settings, word: str) -> Path:
    """Return the file that *word* means: that file, or `word.yaml` in one of the workflow folders.

    Raises:
        UnknownWorkflow: there is none.
    """
    from tidegate.workflows.library import find_workflows
    from tidegate.workflows.nearest import did_you_mean

    path = Path(word)
    if path.suffix in (".yaml", ".yml") or "/" in word or path.is_file():
        return path
    known = {file.stem: file for folder in reversed(_folders(settings)) for file in find_workflows(folder)}
    if word in known:
        return known[word]
    looked = ", ".join(str(folder.absolute()) for folder in _folders(settings))
    raise UnknownWorkflow(word, looked, did_you_mean(word, known))


def _folders(settings: Settings) -> tuple[Path, ...]:
    return (
        *(folder for folder in settings.workflow_folders if folder.is_dir()),
        asset_dir("sample_workflows"),
    )
