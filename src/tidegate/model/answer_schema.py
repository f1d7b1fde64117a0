"""What an answer may be, as JSON Schema: for whoever answers by program."""

from typing import assert_never

from tidegate.model.base import Json, JsonObject
from tidegate.model.choice_prompt import ChoicePrompt
from tidegate.model.form_prompt import FormField, FormPrompt
from tidegate.model.input_prompt import InputKind, InputPrompt
from tidegate.model.prompt import ConfirmPrompt, Prompt
from tidegate.model.recovery import RecoveryAction, RecoveryPrompt
from tidegate.model.secret import LEAST

__all__ = ["response_schema"]

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_ONE_LINE = "^[^\\r\\n]*$"


def response_schema(prompt: Prompt) -> JsonObject:
    """Return the JSON Schema (2020-12) of the values that an answer to *prompt* may have."""
    return {"$schema": _DIALECT, "title": prompt.text, **_schema(prompt)}


def _schema(prompt: Prompt) -> JsonObject:
    match prompt:
        case ConfirmPrompt():
            return {"type": "boolean"}
        case ChoicePrompt():
            return _choice(prompt)
        case InputPrompt():
            return _input(prompt)
        case FormPrompt():
            return _form(prompt)
        case RecoveryPrompt():
            return _recovery(prompt)
        case _ as unreachable:
            assert_never(unreachable)


def _choice(prompt: ChoicePrompt) -> JsonObject:
    one: JsonObject = {"type": "string", "enum": list(prompt.choices)}
    if not prompt.multiple:
        return one
    return {
        "type": "array",
        "items": one,
        "uniqueItems": True,
        "minItems": prompt.min,
        "maxItems": prompt.most,
    }


def _input(prompt: InputPrompt) -> JsonObject:
    match prompt.input_type:
        case InputKind.STRING:
            return _text(prompt)
        case InputKind.INTEGER | InputKind.NUMBER | InputKind.BOOLEAN:
            schema = _known(type=prompt.input_type.value, minimum=prompt.min, maximum=prompt.max)
        case InputKind.DATE:
            schema = {"type": "string", "format": "date", "description": prompt.rule}
        case InputKind.JSON:
            return {}
        case InputKind.SECRET:
            return {"type": "string", "minLength": LEAST, "writeOnly": True, "description": prompt.rule}
    return schema if prompt.required or prompt.default is not None else {"anyOf": [schema, {"type": "null"}]}


def _text(prompt: InputPrompt) -> JsonObject:
    patterns: list[Json] = [] if prompt.multiline else [_ONE_LINE]
    if prompt.validation_pattern is not None:
        # An empty optional text is taken whatever the pattern.
        may_be_empty = not prompt.required and prompt.default is None
        patterns.append(f"^(?:{prompt.validation_pattern}){'?' if may_be_empty else ''}$")
    return _known(
        type="string",
        minLength=1 if prompt.required else None,
        maxLength=prompt.max_length,
        pattern=patterns[0] if len(patterns) == 1 else None,
        allOf=[{"pattern": pattern} for pattern in patterns] if len(patterns) > 1 else None,
    )


def _form(prompt: FormPrompt) -> JsonObject:
    return {
        "type": "object",
        "properties": {field.id: _field(field) for field in prompt.fields},
        "required": [field.id for field in prompt.fields if field.required],
        "additionalProperties": False,
    }


def _field(field: FormField) -> JsonObject:
    schema = _schema(field.prompt)
    may_be_null = not field.required and field.default_value is None
    if may_be_null and schema and "anyOf" not in schema:
        schema = {"anyOf": [schema, {"type": "null"}]}
    return {"title": field.label, **schema, **_known(default=field.default_value)}


def _recovery(prompt: RecoveryPrompt) -> JsonObject:
    outputs: JsonObject = {name: _output(kind) for name, kind in prompt.outputs.items()}
    return {
        "type": "object",
        "properties": {
            "action": {"type": "string", "enum": [action.value for action in RecoveryAction]},
            "outputs": {
                "type": "object",
                **({"properties": outputs, "additionalProperties": False} if outputs else {}),
            },
        },
        "required": ["action"],
        "additionalProperties": False,
    }


def _output(kind: str) -> JsonObject:
    types: dict[str, Json] = {"list": "array", "map": "object", "any": None}
    return _known(type=types.get(kind, kind))


def _known(**entries: Json) -> JsonObject:
    """Return the entries that have a value."""
    return {name: value for name, value in entries.items() if value is not None}
