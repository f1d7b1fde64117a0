"""What ReadFile and WriteFile take."""

import codecs
import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated

from pydantic import BeforeValidator

from tidegate.blocks.checks import Flag, Inputs, Text, describe, word_of, written, wrong
from tidegate.blocks.input_docs import Kind
from tidegate.blocks.input_types import ByteCount, PathText
from tidegate.model.base import Json
from tidegate.model.workflow import Effect

__all__ = ["FileParse", "ReadFileInputs", "WriteFileInputs", "WriteMode", "effect_of_mode"]

_MIB = 1024 * 1024
_OCTAL = re.compile(r"(?:0o?)?([0-7]{3})")


class FileParse(StrEnum):
    """What is made of a file."""

    TEXT = "text"
    JSON = "json"
    YAML = "yaml"
    LINES = "lines"


class WriteMode(StrEnum):
    """What becomes of what is there already."""

    OVERWRITE = "overwrite"
    CREATE = "create"
    APPEND = "append"


def effect_of_mode(inputs: Mapping[str, Json]) -> Effect:
    """Return what writing twice would do; a mode that only a run shows may be any."""
    is_same = inputs.get("mode", WriteMode.OVERWRITE) == WriteMode.OVERWRITE
    return Effect.IDEMPOTENT if is_same else Effect.ONCE


def _encoding(value: object) -> object:
    try:
        # Some codecs make no text: `hex`, `zip`.
        "".encode(str(value)).decode(str(value))
        return codecs.lookup(str(value)).name
    except (LookupError, ValueError):
        raise wrong(f"must be an encoding like utf-8 or latin-1, not {describe(value)}") from None


def _permissions(value: object) -> object:
    match = _OCTAL.fullmatch(written(value)) if isinstance(value, str | int) else None
    if match is None:
        raise wrong(f"must be octal, like '0644', not {describe(value)}")
    return int(match[1], 8)


class ReadFileInputs(Inputs):
    """Which file, and what to make of it."""

    path: PathText
    """The file, relative to the workflow's folder; `~` is not expanded."""
    encoding: Annotated[str, BeforeValidator(_encoding)] = "utf-8"
    """How its bytes are text."""
    parse: Annotated[FileParse, word_of(FileParse)] = FileParse.TEXT
    """What `result` is."""
    max_bytes: ByteCount = 4 * _MIB
    """A larger file is a failure."""
    if_missing: Annotated[Json, Kind("any value")] = None
    """What `result` is when there is no such file; without it, that is a failure."""


class WriteFileInputs(Inputs):
    """Which file, and what to write into it."""

    path: PathText
    """The file, relative to the workflow's folder; `~` is not expanded. A symbolic link stays, its target is written."""
    content: Text
    """The text, written as UTF-8 without a newline of its own."""
    mode: Annotated[WriteMode, word_of(WriteMode)] = WriteMode.OVERWRITE
    """`create` fails if the file exists; `append` adds to its end."""
    permissions: Annotated[int | None, BeforeValidator(_permissions), Kind("octal text")] = None
    """Like '0600'. Default: those it has, or the usual ones of a new file."""
    make_parents: Flag = False
    """Whether missing folders above it are made."""
