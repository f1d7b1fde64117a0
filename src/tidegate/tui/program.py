"""How commands are written that people copy, or read and type elsewhere: for the store that is open here."""

from typing import Final

from tidegate.tui.present.exact import shell_word

__all__ = ["PROGRAM", "command_line"]

PROGRAM: Final = "tidegate"
"""How a person calls us where the store is the usual one."""


def command_line(program: str, *words: str) -> str:
    """Return a command as one types it.

    Args:
        program: How to call us again for the same store, as a person types it.
        words: Each is one word of the command, whatever it holds.
    """
    return " ".join([program, *map(shell_word, words)])
