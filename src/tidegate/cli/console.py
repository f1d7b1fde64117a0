"""Writing to the terminal. Every foreign string passes the sanitiser here."""

import shutil
import sys
import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING, TextIO

from tidegate.errors import TidegateError
from tidegate.safe_text import safe_line, safe_lines

if TYPE_CHECKING:
    from tidegate.model.base import Json

__all__ = ["OutputLost", "complain", "emit_json", "say", "shown_value", "table"]

_NOTE = 200
"""Characters of a table's last column where no terminal says how wide it is."""
_LEAST_NOTE = 20
_ASTRAL = 0x10000
_CELL = 400


class OutputLost(TidegateError):
    """Standard output takes nothing any more: its disk is full."""


def say(text: str = "", *, hang: int = 0) -> None:
    """Write text to standard output, line by line, safe.

    Args:
        text: What to say.
        hang: Blanks before each line but the first: a text of others in it cannot look like a line of ours.

    Raises:
        BrokenPipeError: whoever read it has gone.
        OutputLost: it cannot be written for another reason.
    """
    _write(sys.stdout, ("\n" + " " * hang).join(safe_lines(text)) + "\n")


def complain(*lines: str) -> None:
    """Write lines to standard error, safe: whatever is in one of them, it begins no other."""
    _write(sys.stderr, "".join(f"{safe_line(line)}\n" for line in lines))


def emit_json(document: "Json") -> None:
    """Write one JSON document to standard output."""
    # Here: a third of the start-up time of commands that print text only.
    import msgspec

    text = msgspec.json.format(msgspec.json.encode(document), indent=2).decode()
    if not text.isascii():
        every = _encoding(sys.stdout).lower().replace("-", "") != "utf8"
        text = "".join(_in_json(character, always=every) for character in text)
    _write(sys.stdout, text + "\n")


def _in_json(character: str, *, always: bool) -> str:
    """Return a character as JSON may hold it; what is invisible or steers a terminal is escaped.

    JSON itself escapes the control characters below 32 and leaves 128 to 159, which some terminals
    obey as well. Outside of ASCII there are only characters of texts, so that an escape is right.
    """
    if character.isascii() or (character.isprintable() and not always):
        return character
    return f"\\u{ord(character):04x}" if ord(character) < _ASTRAL else _pair(character)


def _pair(character: str) -> str:
    """Return a character beyond 16 bits as JSON writes it: two escapes."""
    units = character.encode("utf-16-be")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in (0, 2))


def _write(stream: TextIO | None, text: str) -> None:
    if stream is None:  # It was closed before we started.
        return
    try:
        # A terminal without UTF-8 gets a replacement instead of an encoding error.
        encoding = _encoding(stream)
        stream.write(text.encode(encoding, "replace").decode(encoding))
        # Each line as it happens, also to a pipe: who follows a run with `tee` wants to see it.
        stream.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputLost(f"the output cannot be written: {error.strerror}") from error


def _encoding(stream: TextIO) -> str:
    return getattr(stream, "encoding", None) or "utf-8"


def shown_value(value: "Json") -> str:
    """Return a value as a person reads it: a text as it is, everything else as JSON."""
    if isinstance(value, str):
        return value
    import msgspec

    return msgspec.json.encode(value).decode()


def table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Write rows in columns. The last column gets what is left of the line; no other is cut in practice."""
    cells = [[safe_line(cell, limit=_CELL) for cell in row] for row in [headings, *rows]]
    columns = range(len(headings) - 1)
    widths = [max(_width(row[column]) for row in cells) for column in columns]
    left = _line_width() - sum(width + 2 for width in widths)
    say("\n".join(_row(row, widths, max(left, _LEAST_NOTE)) for row in cells))


def _row(cells: Sequence[str], widths: Sequence[int], left: int) -> str:
    padded = [cell + " " * (width - _width(cell)) for cell, width in zip(cells, widths, strict=False)]
    return "  ".join([*padded, _cut(cells[-1], left)]).rstrip()


def _line_width() -> int:
    """Return how long a line may be: as wide as the terminal, if the output goes to one."""
    is_terminal = sys.stdout is not None and sys.stdout.isatty()
    return shutil.get_terminal_size().columns if is_terminal else _NOTE


def _cut(text: str, width: int) -> str:
    if _width(text) <= width:
        return text
    while _width(text) >= width:
        text = text[:-1]
    return text + "…"


def _width(text: str) -> int:
    """Return the cells that *text* takes: wide characters take two, combining ones none."""
    return len(text) if text.isascii() else sum(_cells(character) for character in text)


def _cells(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
