"""What may be meant by a word that somebody has begun to type.

It is asked at every press of a key, and so it must be quick. It never fails, and never makes a store: where it
knows nothing it proposes nothing.
"""

import os
import re
from collections.abc import Iterator, Sequence

import click
from click.shell_completion import CompletionItem

from tidegate.safe_text import safe_line
from tidegate.settings import Settings, load_settings

__all__ = ["COMPLETION_VARIABLE", "complete", "proposals"]

COMPLETION_VARIABLE = "_TIDEGATE_COMPLETE"
"""Set by the script of a shell when it asks."""
_MOST = 50
_OF_STORE = ("run", "pause", "checkpoint", "workflow")
_ENDINGS = (".yaml", ".yml")
_PLAIN = re.compile(r"[\w.:@%+=,/-]*")
"""What a shell may put into a command line: it does so without quotes, and `$(...)` in the name of a file would run."""
_HELP = 80


def complete(group: click.Group, instruction: str) -> int:
    """Answer the script of a shell; return an exit code."""
    from click.shell_completion import shell_complete

    try:
        return shell_complete(group, {}, "tidegate", COMPLETION_VARIABLE, instruction)
    except Exception:  # noqa: BLE001  # a message would stand in the middle of what somebody types
        return 1


def proposals(context: click.Context, kinds: Sequence[str], begun: str) -> list[CompletionItem]:
    """Return what a word may become.

    Args:
        context: Of the command, as far as it is typed.
        kinds: What the word may name: `run pause checkpoint workflow known file type`.
        begun: Its beginning.
    """
    try:
        settings = context.find_object(Settings) or load_settings()
        # Files first: with them a shell begins a new list.
        found = [item for kind in sorted(kinds, key=_is_no_file) for item in _of_kind(settings, kind, begun)]
        return [item for item in found if _PLAIN.fullmatch(item.value) or item.type == "file"]
    except Exception:  # noqa: BLE001  # see above
        return []


def _is_no_file(kind: str) -> bool:
    return kind != "file"


def _of_kind(settings: Settings, kind: str, begun: str) -> Iterator[CompletionItem]:
    if kind == "file":
        yield CompletionItem(begun, type="file")
    elif kind == "known":
        yield from map(CompletionItem, _known(settings, begun))
    elif kind == "type":
        from tidegate.blocks.registry import catalog

        yield from (CompletionItem(name) for name in catalog() if name.startswith(begun))
    elif kind in _OF_STORE:
        yield from _in_store(settings, kind, begun)


def _known(settings: Settings, begun: str) -> list[str]:
    """Return the names of workflows in the folders where they are looked for."""
    found: dict[str, None] = {}
    for folder in settings.workflow_folders:
        if folder.is_dir():
            names = sorted(entry.name for entry in os.scandir(folder) if entry.name.endswith(_ENDINGS))
            found |= dict.fromkeys(name.rpartition(".")[0] for name in names if name.startswith(begun))
    return list(found)[:_MOST]


def _in_store(settings: Settings, kind: str, begun: str) -> Iterator[CompletionItem]:
    from tidegate.store.opening import file_of

    path = file_of(settings.store)
    # A directory would have to be read from its first record on.
    if path is None or not path.is_file():
        return
    from tidegate.store.sqlite.names import names_in

    for name, words in names_in(path, kind, begun, _MOST):
        yield CompletionItem(name, help=safe_line(words.strip(), _HELP) or None)
