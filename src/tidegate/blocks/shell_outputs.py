"""What the end of a command makes of its block: pure."""

import re
import signal
from dataclasses import dataclass
from typing import assert_never

import msgspec

from tidegate.blocks.base import Completed, Failed, Result
from tidegate.blocks.capture import Capture
from tidegate.blocks.shell_inputs import Parse, ShellInputs
from tidegate.model.base import Json, JsonObject
from tidegate.model.events import Failure
from tidegate.model.policy import FailureKind
from tidegate.safe_text import strip_colours

__all__ = ["Ending", "cause_of", "last_line", "result_of"]

_LAST_LINE = 200
"""Characters."""
_HINTS = {126: "found, but it cannot be executed", 127: "command not found"}


@dataclass(frozen=True, slots=True)
class Ending:
    """How a command ended."""

    code: int
    """Its exit code, or minus the number of the signal that killed it."""
    stdout: Capture
    stderr: Capture
    duration: float
    """Seconds, monotonic."""


class _Unparsable(Exception):
    """Standard output is not what `parse` says."""


def result_of(ending: Ending, wanted: ShellInputs) -> Result:
    """Return what *ending* makes of the block.

    `continue-on-error` covers every end of a command that was started, also one by a signal.
    """
    outputs = _outputs(ending)
    if ending.code != 0 and not wanted.continue_on_error:
        return Failed(_failure(ending.code, outputs), outputs)
    if wanted.parse is None:
        return Completed(outputs)
    try:
        return Completed(outputs | {"result": _parsed(ending.stdout, wanted.parse)})
    except _Unparsable as error:
        if ending.code != 0:
            # It failed and that was said to be all right; then it need not have written its document.
            return Completed(outputs | {"result": None})
        return Failed(Failure(kind=FailureKind.OUTPUTS, message=str(error), exit_code=0), outputs)


def _outputs(ending: Ending) -> JsonObject:
    return {
        "exit_code": ending.code,
        "stdout": ending.stdout.text(),
        "stderr": ending.stderr.text(),
        "success": ending.code == 0,
        "duration_s": round(ending.duration, 3),
    }


# -- failures ---------------------------------------------------------------------------------


def _failure(code: int, outputs: JsonObject) -> Failure:
    last = last_line(str(outputs["stderr"]))
    kind = FailureKind.SIGNAL if code < 0 else FailureKind.EXIT
    return Failure(kind=kind, message=cause_of(code) + (f": {last}" if last else ""), exit_code=code)


def cause_of(code: int) -> str:
    """Return in words how a program ended: with an exit code, or by a signal (a negative number)."""
    if code < 0:
        return f"killed by signal {-code}{_signal_name(-code)}"
    hint = _HINTS.get(code, "")
    return f"exit code {code}" + (f" ({hint})" if hint else "")


def _signal_name(number: int) -> str:
    try:
        return f" ({signal.Signals(number).name})"
    except ValueError:
        return ""


def last_line(stderr: str) -> str:
    """Return the last line with something on it: that is what a person looks for first."""
    for line in reversed(re.split(r"[\r\n]", strip_colours(stderr))):
        if line.strip():
            return line.strip() if len(line.strip()) <= _LAST_LINE else line.strip()[: _LAST_LINE - 3] + "..."
    return ""


# -- parsing ----------------------------------------------------------------------------------


def _parsed(stdout: Capture, how: Parse) -> Json:
    if stdout.left_out:
        raise _Unparsable(f"stdout is too long to be parsed: {stdout.left_out} bytes of it were not kept")
    match how:
        case Parse.LINES:
            return [line.removesuffix("\r") for line in stdout.text().split("\n")] if stdout.text() else []
        case Parse.JSON:
            return _json(stdout.text())
        case _:
            assert_never(how)


def _json(text: str) -> Json:
    if not text.strip():
        raise _Unparsable("stdout is empty, but 'parse: json' expects a JSON document")
    try:
        value: Json = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError) as error:
        raise _Unparsable(f"stdout is no JSON document: {error}") from error
    return value
