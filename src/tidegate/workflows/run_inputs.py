"""What a run is started with, checked against what its workflow takes."""

import json
from collections.abc import Mapping

import msgspec

from tidegate.errors import InputsError
from tidegate.model.base import Json, JsonObject
from tidegate.model.codec import NotJson, plain
from tidegate.model.workflow import InputDefinition, InputType, WorkflowDefinition
from tidegate.workflows.declared_inputs import has_type, type_name
from tidegate.workflows.nearest import did_you_mean, listed

__all__ = ["MOST_BYTES", "unknown_input", "validate_inputs", "value_problem"]


MOST_BYTES = 16 * 1024 * 1024
"""Of all inputs of a run, as JSON: they are read each time that its state is."""


class _Refused(ValueError):
    """Why a value is not taken."""


def validate_inputs(
    definition: WorkflowDefinition, given: Mapping[str, Json], *, from_text: bool
) -> JsonObject:
    """Return the inputs of a run: every declared one, with defaults filled in.

    Args:
        definition: The workflow.
        given: What the caller gives, by name.
        from_text: Whether texts in it stand for values of the declared types, as on a command line.
            A string input keeps its text exactly either way: NO stays NO.

    Raises:
        InputsError: names everything that is unknown, missing or of the wrong type.
    """
    known = {declared.name for declared in definition.inputs}
    problems = [unknown_input(definition, name) for name in given if name not in known]
    inputs: JsonObject = {}
    for declared in definition.inputs:
        try:
            inputs[declared.name] = _value(declared, given, from_text=from_text)
        except _Refused as refusal:
            problems.append(str(refusal))
    if not problems and len(msgspec.json.encode(inputs)) > MOST_BYTES:
        problems.append(
            f"its inputs have more than {MOST_BYTES:,} bytes of JSON: pass the path of a file instead"
        )
    if problems:
        raise InputsError(definition.name, tuple(problems))
    return inputs


def unknown_input(definition: WorkflowDefinition, name: str) -> str:
    """Return that *definition* takes no input *name*, with what was probably meant, or an empty text."""
    known = [declared.name for declared in definition.inputs]
    if name in known:
        return ""
    takes = f"it takes {listed(known)}" if known else "it takes none"
    return f"there is no input '{name}'{did_you_mean(name, known) or f'; {takes}'}"


def value_problem(declared: InputDefinition, value: Json) -> str:
    """Return why *value* is no value of an input, or an empty text; null is the value of an optional one."""
    if value is None:
        return f"the input '{declared.name}' is missing{_purpose(declared)}" if declared.required else ""
    if isinstance(value, str) and any("\ud800" <= character <= "\udfff" for character in value):
        return f"the input '{declared.name}' is no valid text: it was not UTF-8"
    if not has_type(value, declared.type):
        return f"the input '{declared.name}' is {_shown(value)}, expected {type_name(declared.type)}"
    if declared.choices and value not in declared.choices:
        return _no_choice(declared, value)
    return _inside(declared, value)


def _inside(declared: InputDefinition, value: Json) -> str:
    """Return what of a list or a mapping no journal can hold: JSON on a command line may say NaN."""
    try:
        plain(value, f"inputs.{declared.name}")
    except NotJson as problem:
        return str(problem)
    return ""


def _value(declared: InputDefinition, given: Mapping[str, Json], *, from_text: bool) -> Json:
    value = given.get(declared.name)
    if from_text and isinstance(value, str):
        value = _from_text(declared, value)
    problem = value_problem(declared, value)
    if problem:
        raise _Refused(problem)
    # Of a subclass, which a program may give: its plain value.
    return declared.default if value is None else plain(value, f"inputs.{declared.name}")


def _purpose(declared: InputDefinition) -> str:
    return f" ({declared.description.strip()})" if declared.description.strip() else ""


def _no_choice(declared: InputDefinition, value: Json) -> str:
    words = [choice if isinstance(choice, str) else _shown(choice) for choice in declared.choices]
    hint = did_you_mean(value, words) if isinstance(value, str) else ""
    return f"the input '{declared.name}' is {_shown(value)}, expected one of {', '.join(words)}{hint}"


def _shown(value: Json) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:57] + "..."  # noqa: PLR2004


def _from_text(declared: InputDefinition, text: str) -> Json:
    if declared.type is InputType.STRING:
        return text
    try:
        value = _read(declared.type, text.strip())
    except (ValueError, RecursionError):
        value = text
    # A text that reads as something else is shown as it was typed.
    return value if has_type(value, declared.type) else text


def _read(kind: InputType, text: str) -> Json:
    if kind is InputType.BOOLEAN:
        return {"true": True, "false": False}.get(text, text)
    # Python reads Arabic digits as numbers; a person who types them is asked again.
    if kind in {InputType.INTEGER, InputType.NUMBER} and not text.isascii():
        return text
    value: Json = json.loads(text)
    return value
