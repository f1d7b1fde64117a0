"""Opening a file, or a text of a field, in the operator's own editor, while the terminal is lent to it."""

import os
import shlex
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from textual.app import SuspendNotSupported

from tidegate.errors import TidegateError
from tidegate.model.raw_answer import MAX_ANSWER_CHARACTERS
from tidegate.tui.guarded import GuardedApp

__all__ = ["edit", "editor_command", "show_copy", "write"]

_COLON = {"hx", "helix", "subl", "zed", "micro"}
"""Editors that take the line behind the file, with a colon."""
_GOTO = {"code", "codium", "cursor"}
_WAITS = {"subl", "zed"}
"""Editors that end at once, unless they are told to wait until the file is closed."""
_NO_NAME = "no editor is named: set EDITOR, such as EDITOR=vim"
_NO_TERMINAL = "no editor can be opened in this terminal"
_MOST_BYTES = 4 * MAX_ANSWER_CHARACTERS
"""Of a file: what is longer in UTF-8 has more characters than any answer may have."""


class NoEditor(TidegateError):
    """There is no editor that could be opened here."""


class NothingWritten(TidegateError):
    """The editor has left nothing that a field could take."""


def editor_command(path: Path, line: int, environ: Mapping[str, str] = os.environ) -> list[str]:
    """Return the command that opens a file at a line in the editor that the environment names.

    Raises:
        NoEditor: it names none.
    """
    words = _editor(environ)
    if not words:
        raise NoEditor(f"{_NO_NAME}. The place is {path}:{line}")
    name = Path(words[0]).name
    if name in _GOTO:
        return [*words, "--wait", "--goto", f"{path}:{line}"]
    words = [*words, "--wait"] if name in _WAITS else words
    return [*words, f"{path}:{line}"] if name in _COLON else [*words, f"+{line}", str(path)]


def edit(app: GuardedApp, path: Path, line: int) -> None:
    """Open a file in the editor, and come back when that has ended. The engine goes on meanwhile.

    Raises:
        NoEditor: there is none, it does not start, or this is no terminal that could be lent.
    """
    try:
        _run(app, editor_command(path.absolute(), line))
    except SuspendNotSupported:
        raise NoEditor(f"{_NO_TERMINAL}. The place is {path}:{line}") from None


def _editor(environ: Mapping[str, str]) -> list[str]:
    """Return the words of the editor that the environment names; none if it names none.

    Raises:
        NoEditor: a quote in it is not closed.
    """
    try:
        return shlex.split(environ.get("VISUAL") or environ.get("EDITOR") or "")
    except ValueError as error:
        raise NoEditor(f"EDITOR is no command: {error}") from None


def _run(app: GuardedApp, command: list[str]) -> int:
    """Run an editor, and return with what it has ended.

    Raises:
        NoEditor: it does not start.
        SuspendNotSupported: this is no terminal that could be lent.
    """
    with app.lend_terminal():
        # Caught in here: what passes through there would keep the toolkit from taking the terminal back.
        try:
            return subprocess.run(command, check=False).returncode
        except OSError as error:
            why = error.strerror
    raise NoEditor(f"{command[0]} does not start: {why}. Is EDITOR right?")


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


def write(app: GuardedApp, text: str, suffix: str) -> str:
    """Let a text be written in the editor; return what was saved, without one line break at its end.

    It is in a file of its own, in a folder of its own, which nobody else may read, and which goes with the editor.

    Raises:
        NoEditor: as `edit` does.
        NothingWritten: the editor has failed, or what it has left is no text, or no answer.
    """
    if not _editor(os.environ):
        raise NoEditor(_NO_NAME)
    with _private_folder() as folder:
        path = Path(folder) / f"text{suffix}"
        _put(path, text)
        try:
            code = _run(app, editor_command(path, 1))
        except SuspendNotSupported:
            raise NoEditor(_NO_TERMINAL) from None
        if code:
            how = f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
            raise NothingWritten(f"the editor {how}: nothing of it was taken")
        written = _written(path)
    # What was not touched is not touched here either, whatever it ends with.
    return text if written == text else written.removesuffix("\n").removesuffix("\r")


def _private_folder() -> "tempfile.TemporaryDirectory[str]":
    try:
        return tempfile.TemporaryDirectory(prefix="tidegate-", ignore_cleanup_errors=True)
    except OSError as error:
        raise NothingWritten(f"there is no place for a file to edit: {error.strerror}") from None


def _put(path: Path, text: str) -> None:
    """Write a new file that is for us only from its first moment on, whatever the umask is."""
    try:
        descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
            file.write(text)
    except OSError as error:
        raise NothingWritten(f"there is no place for a file to edit: {error.strerror}") from None


def _written(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
    except OSError:
        raise NothingWritten("the editor has left no file: the field is as it was") from None
    if len(data) > _MOST_BYTES:
        raise NothingWritten(
            f"what was saved has more than {MAX_ANSWER_CHARACTERS:,} characters, the most that are taken"
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise NothingWritten("what was saved is not UTF-8: the field is as it was") from None
