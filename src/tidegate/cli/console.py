"""Writing to the terminal. Every foreign string passes the sanitiser here."""

import sys
import unicodedata
from collections.abc import Sequence

import msgspec

from tidegate.model.base import Json
from tidegate.safe_text import safe_line, safe_lines

__all__ = ["complain", "emit_json", "say", "table"]


def say(text: str = "") -> None:
    """Write text to standard output, line by line, safe."""
    _write(sys.stdout, text)


def complain(text: str) -> None:
    """Write text to standard error, line by line, safe."""
    _write(sys.stderr, text)


def _write(stream: "object", text: str) -> None:
    lines = safe_lines(text) or [""]
    # A terminal without UTF-8 gets a replacement instead of an encoding error.
    encoding = getattr(stream, "encoding", None) or "utf-8"
    for line in lines:
        print(line.encode(encoding, "replace").decode(encoding), file=stream)  # type: ignore[call-overload]


def emit_json(document: Json) -> None:
    """Write one JSON document to standard output."""
    sys.stdout.write(msgspec.json.format(msgspec.json.encode(document), indent=2).decode() + "\n")
    sys.stdout.flush()


def table(headings: Sequence[str], rows: Sequence[Sequence[str]], *, last_limit: int = 60) -> None:
    """Write rows in columns; the last one is cut, the others are as wide as they need to be."""
    cells = [[safe_line(cell, limit=last_limit) for cell in row] for row in [headings, *rows]]
    widths = [max(_width(row[column]) for row in cells) for column in range(len(headings))]
    for row in cells:
        padded = [cell + " " * (width - _width(cell)) for cell, width in zip(row, widths, strict=True)]
        say("  ".join(padded).rstrip())


def _width(text: str) -> int:
    """Return the cells that *text* takes: wide characters take two, combining ones none."""
    return sum(_cells(character) for character in text)


def _cells(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
