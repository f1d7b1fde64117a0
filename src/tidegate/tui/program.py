"""How commands are written that people copy, or read and type elsewhere: for the store that is open here."""

from typing import Any, Protocol, runtime_checkable

from textual.app import App

from tidegate.tui.present.exact import shell_word

__all__ = ["Named", "command_line"]

_PROGRAM = "tidegate"


@runtime_checkable
class Named(Protocol):
    """An app that knows how it was called."""

    program: str
    """How to call us again for the same store, as a person types it: the name alone where that store is the usual one."""


def command_line(app: App[Any], *words: str) -> str:
    """Return a command as one types it; each of *words* is one word of it, whatever it holds."""
    program = app.program if isinstance(app, Named) else _PROGRAM
    return " ".join([program, *map(shell_word, words)])
