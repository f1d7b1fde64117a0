"""Opening a file in the operator's own editor, while the terminal is lent to it."""

import os
import shlex
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from textual.app import SuspendNotSupported

from tidegate.errors import TidegateError
from tidegate.tui.guarded import GuardedApp

__all__ = ["edit", "editor_command", "show_copy"]

_COLON = {"hx", "helix", "subl", "zed", "micro"}
"""Editors that take the line behind the file, with a colon."""
_GOTO = {"code", "codium", "cursor"}


class NoEditor(TidegateError):
    """There is no editor that could be opened here."""


def editor_command(path: Path, line: int, environ: Mapping[str, str] = os.environ) -> list[str]:
    """Return the command that opens a file at a line in the editor that the environment names.

    Raises:
        NoEditor: it names none.
    """
    words = shlex.split(environ.get("VISUAL") or environ.get("EDITOR") or "")
    if not words:
        raise NoEditor(f"no editor is named: set EDITOR, such as EDITOR=vim. The place is {path}:{line}")
    name = Path(words[0]).name
    if name in _GOTO:
        return [*words, "--wait", "--goto", f"{path}:{line}"]
    return [*words, f"{path}:{line}"] if name in _COLON else [*words, f"+{line}", str(path)]


def edit(app: GuardedApp, path: Path, line: int) -> None:
    """Open a file in the editor, and come back when that has ended. The engine goes on meanwhile.

    Raises:
        NoEditor: there is none, it does not start, or this is no terminal that could be lent.
    """
    command = editor_command(path.absolute(), line)
    try:
        with app.lend_terminal():
            subprocess.run(command, check=False)
    except SuspendNotSupported:
        raise NoEditor(f"no editor can be opened in this terminal. The place is {path}:{line}") from None
    except OSError as error:
        raise NoEditor(f"{command[0]} does not start: {error.strerror}. Is EDITOR right?") from None


def show_copy(app: GuardedApp, path: Path, line: int, text: str) -> None:
    """Open what a file held that is gone: a copy that is not to be written, and goes with the editor.

    Raises:
        NoEditor: as `edit` does.
    """
    # Before there is a copy: what is told about it names a file that somebody knows.
    editor_command(path, line)
    with tempfile.TemporaryDirectory(prefix="tidegate-") as folder:
        copy = Path(folder) / path.name
        copy.write_text(text, encoding="utf-8")
        copy.chmod(0o400)
        edit(app, copy, line)
