"""How a command ends that does not succeed: a sentence, an exit code, and with `--json` one document."""

import io
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from tidegate.cli.console import complain, emit_json
from tidegate.cli.exits import Exit, exit_of_error
from tidegate.errors import CorruptStore, DefinitionError, TidegateError
from tidegate.safe_text import safe_line

if TYPE_CHECKING:
    from tidegate.model.base import JsonObject

__all__ = ["DEBUG_VARIABLE", "ended_with", "leave_quietly"]

DEBUG_VARIABLE = "TIDEGATE_DEBUG"
"""Set, it lets an unexpected error through, with its traceback."""


def ended_with(error: BaseException, words: Sequence[str]) -> int:
    """Tell an error as a sentence on standard error; return the exit code.

    Args:
        error: What a command was left with.
        words: The command line. With `--json` among them the error is also one document on
            standard output, even if the words could not be understood.
    """
    kind, lines, code = _describe(error)
    try:
        if "--json" in words:
            told = {"type": kind, "message": "\n".join(map(safe_line, lines))}
            emit_json({"error": {**told, **_details(error)}})
        head, *rest = lines
        complain(head if _says_where(error) else f"tidegate: {head}", *rest)
    except (OSError, TidegateError):
        pass  # Nobody is there to be told; the exit code still says it.
    return code


def _describe(error: BaseException) -> tuple[str, Sequence[str], int]:
    """Return what kind of error it is, its lines, each with whatever is in it, and the exit code."""
    match error:
        case TidegateError():
            return type(error).__name__, error.lines or ("",), exit_of_error(error)
        case click.ClickException():
            return "UsageError", _usage(error), Exit.USAGE
        case KeyboardInterrupt() | click.Abort():
            return "Interrupted", [str(error) or "interrupted"], Exit.INTERRUPTED
        case OSError():
            _let_through_for_debugging(error)
            return type(error).__name__, [f"the system refuses: {error}"], Exit.FAILED
        case _:
            return _unexpected(error)


def _details(error: BaseException) -> "JsonObject":
    """Return what a script may want to know of an error, beyond its sentence."""
    if isinstance(error, CorruptStore) and error.run_id:
        good = {"last_good": error.last_good, "checkpoint_id": error.checkpoint_id}
        return {"damage": {"run_id": error.run_id, **good}}
    return {}


def _says_where(error: BaseException) -> bool:
    """Whether the message begins with a place already: the usage of a command, or ``file:line:column:``."""
    is_of_file = isinstance(error, DefinitionError) and str(error).startswith(f"{error.file}:")
    return is_of_file or isinstance(error, click.ClickException)


def _usage(error: click.ClickException) -> list[str]:
    text, context = io.StringIO(), getattr(error, "ctx", None)
    # Made safe before it is laid out: of what is said no line break is one of ours.
    click.UsageError(safe_line(error.format_message()), context).show(text)
    return text.getvalue().rstrip().split("\n")


def _unexpected(error: BaseException) -> tuple[str, Sequence[str], int]:
    _let_through_for_debugging(error)
    told = f"something unexpected went wrong: {type(error).__name__}: {error}"
    advice = f"This is a fault of Tidegate. {DEBUG_VARIABLE}=1 shows where."
    return type(error).__name__, [told, advice], Exit.FAILED


def _let_through_for_debugging(error: BaseException) -> None:
    if os.environ.get(DEBUG_VARIABLE):
        raise error


def leave_quietly() -> None:
    """Write out what is left; where nobody reads any more, throw it away.

    Otherwise the interpreter tries once more on its way out, fails, and says so.
    """
    for stream in (sys.stdout, sys.stderr):
        if stream is None or stream.closed:
            continue
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
