"""What a run is given: `-i key=value`, and a file."""

import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from tidegate.errors import InputsError
from tidegate.model.base import Json, JsonObject
from tidegate.model.typed_text import as_json
from tidegate.model.workflow import InputDefinition, InputType, WorkflowDefinition
from tidegate.workflows.run_inputs import validate_inputs
from tidegate.workflows.yaml_nodes import BadValue, Data, Plain, as_value, to_data
from tidegate.workflows.yaml_text import MAX_BYTES, read_yaml

__all__ = ["read_inputs"]

_SHOWN = 5
"""Missing inputs of which it is shown how they are given."""
_EXAMPLES: Mapping[InputType, Json] = {
    InputType.STRING: "TEXT",
    InputType.INTEGER: 1,
    InputType.NUMBER: 1.5,
    InputType.BOOLEAN: True,
    InputType.LIST: ["a", "b"],
    InputType.MAP: {"key": 1},
}


def read_inputs(definition: WorkflowDefinition, given: Sequence[str], file: Path | None) -> JsonObject:
    """Return the complete, typed inputs of a run; `-i` wins over the file.

    Raises:
        InputsError: something is missing, unknown, or not of its type.
    """
    values = _read_file(definition.name, file) if file is not None else {}
    words = [_split(definition.name, word) for word in given]
    names = [name for name, _ in words]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise InputsError(definition.name, tuple(f"-i {name}=... is given twice" for name in twice))
    values.update(words)
    try:
        return validate_inputs(definition, values, from_text=True)
    except InputsError as error:
        missing = [it for it in definition.inputs if it.required and values.get(it.name) is None]
        if not missing:
            raise
        raise InputsError(definition.name, (*error.problems, _how_to_give(missing))) from None


def _how_to_give(missing: Sequence[InputDefinition]) -> str:
    """Return what may be typed, with values of the right types."""
    words = [f"-i {shlex.quote(f'{it.name}={_example(it)}')}" for it in missing[:_SHOWN]]
    return f"give them like this: {' '.join(words)}{' ...' if missing[_SHOWN:] else ''}"


def _example(declared: InputDefinition) -> str:
    value = declared.choices[0] if declared.choices else _EXAMPLES[declared.type]
    return value if isinstance(value, str) else as_json(value)


def _split(workflow: str, word: str) -> tuple[str, str]:
    name, equals, value = word.partition("=")
    if not equals or not name:
        raise InputsError(workflow, (f"-i {word!r}: write it as KEY=VALUE",))
    return name, value


def _read_file(workflow: str, file: Path) -> dict[str, Json]:
    """Read a YAML mapping, of which JSON is a part. A scalar stands for a value of its input's type."""
    try:
        text = _text(file)
    except (OSError, UnicodeDecodeError) as error:
        raise InputsError(workflow, (f"{file}: {error}",)) from error
    root, faults = read_yaml(text)
    if root is None or faults:
        raise InputsError(workflow, tuple(fault.describe(str(file)) for fault in faults))
    data = to_data(root)
    if not isinstance(data, dict):
        raise InputsError(workflow, (f"{file}: a mapping of input names to values is expected",))
    try:
        return {name: _plain(value) for name, value in data.items()}
    except BadValue as error:
        raise InputsError(workflow, (f"{file}: {error.message}",)) from error


def _text(file: Path) -> str:
    """Return what a file, or standard input, holds; of one that has no end, more than is taken."""
    if str(file) == "-":
        return sys.stdin.read(MAX_BYTES + 1)
    with file.open(encoding="utf-8") as opened:
        return opened.read(MAX_BYTES + 1)


def _plain(data: Data) -> Json:
    if isinstance(data, Plain):
        return None if data.value is None else data.text
    return as_value(data)
