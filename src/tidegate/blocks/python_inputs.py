"""What a Python block takes."""

import re
from collections.abc import Mapping
from typing import Annotated

from pydantic import BeforeValidator, Field

from tidegate.blocks.checks import Inputs, MaybeText, describe, wrong
from tidegate.blocks.input_docs import Kind
from tidegate.blocks.input_types import JsonMapping
from tidegate.blocks.shell_inputs import Variables
from tidegate.model.base import Json

__all__ = ["PythonInputs", "call_summary"]

_WORD = r"[^\W\d]\w*"
_DOTTED = rf"{_WORD}(?:\.{_WORD})*"
_CALLABLE = re.compile(rf"{_DOTTED}(?::{_DOTTED}|\.{_WORD})")
_SUMMARY = 200
"""Characters."""
_ARGUMENT = 40


def _callable(value: object) -> object:
    if not isinstance(value, str) or not _CALLABLE.fullmatch(value):
        raise wrong(f"must be like package.module:function, not {describe(value)}")
    return value


def _interpreter(value: object) -> object:
    if value is not None and (not isinstance(value, str) or not value.strip() or "\0" in value):
        raise wrong(f"must be the name or the path of a Python, not {describe(value)}")
    return value


class PythonInputs(Inputs):
    """What to call, with what, and where."""

    target: Annotated[str, BeforeValidator(_callable)] = Field(validation_alias="callable")
    """The function, as `package.module:function`; the workflow's folder is the first place it is looked for in."""
    args: JsonMapping = {}
    """Its arguments, by name."""
    working_dir: MaybeText = None
    """Relative to the workflow's folder. It must exist; `~` is not expanded."""
    env: Annotated[Variables, Kind("mapping")] = {}
    """Further environment variables."""
    python: Annotated[str | None, BeforeValidator(_interpreter)] = None
    """The interpreter, 3.8 or newer: a name on the PATH, or a path from the workflow's folder. Default: the one that runs Tidegate."""


def call_summary(inputs: Mapping[str, Json]) -> str:
    """Return the call as one bounded line."""
    args = inputs.get("args")
    given = args if isinstance(args, dict) else {}
    shown = ", ".join(f"{name}={describe(value)[:_ARGUMENT]}" for name, value in given.items())
    line = " ".join(f"{inputs.get('callable', '')}({shown})".split())
    return line if len(line) <= _SUMMARY else line[: _SUMMARY - 3] + "..."
