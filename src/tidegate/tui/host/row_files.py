"""Rows of a list as a file: one JSON document a line, or comma-separated values. No file is ever replaced."""

import csv
import io
import os
from collections.abc import Sequence
from pathlib import Path

import msgspec

from tidegate.model.base import Json, JsonObject
from tidegate.safe_text import safe_line

__all__ = ["export", "export_problem"]

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet takes for the beginning of a formula."""


_LISTS = (".jsonl", ".csv")


def export_problem(name: str, endings: Sequence[str] = _LISTS) -> str:
    """Return why no file of this name can be written, as a sentence that is safe to draw; empty: it can.

    Args:
        name: As somebody typed it.
        endings: One of which it must have, in small letters.
    """
    if not name:
        return "A file needs a name."
    if safe_line(name) != name:
        return "That is no name of a file: it holds control or invisible characters."
    path = Path(name).expanduser()
    if path.suffix.lower() not in endings:
        return f"The name ends in {' or '.join(endings)}."
    return _place_problem(path, safe_line(name, 80))


def _place_problem(path: Path, name: str) -> str:
    try:
        if path.exists():
            return f"{name} is there already, and is not replaced: take another name."
        return "" if path.parent.is_dir() else f"There is no folder {safe_line(str(path.parent), 80)}."
    except OSError as error:
        return f"That is no name of a file: {safe_line(str(error), 80)}"


def export(path: Path, documents: Sequence[JsonObject]) -> Path:
    """Write documents to a new file that only its owner reads; return where it is.

    Raises:
        OSError: it is there already, or cannot be written.
    """
    path = path.expanduser()
    text = _csv(documents) if path.suffix.lower() == ".csv" else _lines(documents)
    number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(number, "wb") as file:
        file.write(text)
    return path.absolute()


def _lines(documents: Sequence[JsonObject]) -> bytes:
    return b"".join(msgspec.json.encode(document) + b"\n" for document in documents)


def _csv(documents: Sequence[JsonObject]) -> bytes:
    names = list(dict.fromkeys(name for document in documents for name in document))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([[_cell(document.get(name)) for name in names] for document in documents])
    return text.getvalue().encode()


def _cell(value: Json) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        return msgspec.json.encode(value).decode()
    # What a person or a command wrote is text, and no spreadsheet may take it for more.
    return f"'{value}" if value.startswith(_FORMULA) else value
