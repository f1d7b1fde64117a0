"""Which workflow a word on the command line means: a file, or a name."""

from pathlib import Path

from tidegate.assets import asset_dir
from tidegate.blocks.registry import catalog
from tidegate.errors import DefinitionError, Fault
from tidegate.settings import Settings
from tidegate.workflows.library import find_workflows
from tidegate.workflows.loader import Loaded, load_workflow
from tidegate.workflows.nearest import did_you_mean

__all__ = ["find_workflow", "load_named"]


def load_named(settings: Settings, word: str) -> Loaded:
    """Return the workflow that *word* means.

    Raises:
        DefinitionError: there is none, or it has faults.
    """
    return load_workflow(find_workflow(settings, word), catalog())


def find_workflow(settings: Settings, word: str) -> Path:
    """Return the file that *word* means: that file, or `word.yaml` in one of the workflow folders.

    Raises:
        DefinitionError: there is none.
    """
    path = Path(word)
    if path.suffix in (".yaml", ".yml") or "/" in word or path.is_file():
        return path
    known = {file.stem: file for folder in reversed(_folders(settings)) for file in find_workflows(folder)}
    if word in known:
        return known[word]
    looked = ", ".join(str(folder.absolute()) for folder in _folders(settings))
    raise DefinitionError(
        word, (Fault(f"no such file, and no workflow of that name in {looked}{did_you_mean(word, known)}"),)
    )


def _folders(settings: Settings) -> tuple[Path, ...]:
    return (
        *(folder for folder in settings.workflow_folders if folder.is_dir()),
        asset_dir("sample_workflows"),
    )
