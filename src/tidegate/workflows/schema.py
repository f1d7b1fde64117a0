"""The JSON Schema of workflow files: editors complete and check with it while somebody writes.

It is generated from the models that the loader reads files with, and from what block types tell of their
inputs. It is no second loader: what spans several places (who depends on whom, what a reference names) only
`tidegate validate` sees. What loads must pass it; of what does not load it refuses what it can see.
"""

import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, cast

from pydantic import AliasChoices
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue, models_json_schema
from pydantic_core import core_schema

from tidegate.model.base import Json, JsonObject
from tidegate.model.catalog import BlockSpec, Catalog, InputSpec
from tidegate.model.policy import CheckpointKind, FailureKind
from tidegate.model.workflow import InputType, Outcome
from tidegate.workflows.declared_secrets import VARIABLE, SecretDocument
from tidegate.workflows.document import BlockDocument, InputDocument, WorkflowDocument
from tidegate.workflows.fields import IDENTIFIER, MAX_NAME, MOST_CODE, NAME, RESERVED
from tidegate.workflows.schema_words import DESCRIPTIONS, TITLE
from tidegate.workflows.shape import Document

__all__ = ["SCHEMA_MARK", "workflow_schema"]

SCHEMA_MARK = "Made by `tidegate schema`; made anew by `tidegate init`."
"""Stands in the schema, so that a file of it is known as one."""

# The dialect that editors know best.
_DIALECT = "http://json-schema.org/draft-07/schema#"
_TEXT: Final[JsonObject] = {"type": ["string", "number"]}
_TIME_PATTERN = r"^\s*(([0-9]+(\.[0-9]+)?(ms|s|m|h|d))+|[0-9]+(\.[0-9]+)?)\s*$"
_REFERENCE: Final[JsonObject] = {"type": "string", "pattern": r"\$\{"}
_TYPES = (*InputType, "choice", "str", "int", "float", "bool")


def _time(least: str) -> JsonObject:
    return {"anyOf": [{"type": "number", least: 0}, {"type": "string", "pattern": _TIME_PATTERN}]}


def _some_of(*items: JsonObject) -> JsonObject:
    """Return what takes a list of *items*, or one that stands for a list of one."""
    return {"anyOf": [*items, {"type": "array", "items": {"anyOf": list(items)}}]}


def _words(words: Iterable[str]) -> JsonObject:
    return {"enum": [str(word) for word in words]}


_ID: Final[JsonObject] = {
    "type": "string",
    "pattern": f"^{IDENTIFIER.pattern}$",
    "maxLength": MAX_NAME,
    "not": _words(sorted(RESERVED)),
}
_VARIABLE: Final[JsonObject] = {"type": "string", "pattern": f"^{VARIABLE.pattern}$"}
_CODES: Final[JsonObject] = {"type": "integer", "minimum": 1, "maximum": MOST_CODE}
_READERS: Final[Mapping[str, JsonObject]] = {
    "as_text": _TEXT,
    "as_value": {},
    "_name": {**_TEXT, "pattern": f"^{NAME.pattern}$", "maxLength": MAX_NAME},
    "identifier": _ID,
    "_output_name": {**_ID, "not": _words(["status"])},
    "_boolean": {"type": "boolean"},
    "_expression": {"type": ["string", "boolean", "number"]},
    "seconds": _time("exclusiveMinimum"),
    "delay": _time("minimum"),
    "_outcomes": _some_of(_words(Outcome)),
    "mark_list": _some_of(_words(CheckpointKind)),
    "retry_causes": _some_of(_CODES, _words(FailureKind)),
    "_variable": _VARIABLE,
    "_constant": {**_TEXT, "not": _REFERENCE},
    "_program": {"type": "array", "minItems": 1, "items": {**_TEXT, "not": _REFERENCE}},
}
"""What the readers of single values take, by their names."""
_FOR_EACH_KEYS: Final = ("items", "key", "max_parallel", "fail_fast")
_SHORT_FORMS: Final[Mapping[str, list[JsonObject]]] = {
    "_retry": [],
    "_dependency": [_TEXT],
    "_dependencies": [_TEXT, {"$ref": "#/$defs/DependencyDocument"}],
    "_for_each": [
        {"type": ["string", "array"]},
        # A mapping is the long form if it has a key of that.
        {"type": "object", "not": {"anyOf": [{"required": [key]} for key in _FOR_EACH_KEYS]}},
    ],
    "_mark": [_TEXT],
    "long_form": [{"type": "array", "items": _VARIABLE, "uniqueItems": True}],
}
"""What the readers of sections take beside the section itself."""


def workflow_schema(catalog: Catalog) -> JsonObject:
    """Return the schema of workflow files, with the block types of *catalog*."""
    models: list[type[Document]] = [WorkflowDocument, BlockDocument, InputDocument, SecretDocument]
    _, generated = models_json_schema(
        [(model, "validation") for model in models], schema_generator=_Generator
    )
    definitions = cast("dict[str, Any]", generated["$defs"])
    for model in _documents(Document):
        if model.__name__ in definitions:
            _complete(model, definitions[model.__name__])
    root = definitions.pop("WorkflowDocument")
    _open_inputs(root, definitions["InputDocument"])
    _open_secrets(root, definitions["SecretDocument"])
    _add_types(definitions, catalog)
    root["properties"]["blocks"]["items"] = {"$ref": "#/$defs/BlockDocument"}
    head: JsonObject = {"$schema": _DIALECT, "$comment": SCHEMA_MARK, "title": TITLE}
    return {**head, **_tidy(root), "$defs": _tidy(definitions)}


class _Generator(GenerateJsonSchema):
    """Knows what the readers of fields take, where pydantic sees only what they return."""

    # A default that has no JSON form is left out, without a word.
    ignored_warning_kinds = {"skipped-choice", "non-serializable-default"}

    def field_title_should_be_set(self, schema: Any) -> bool:
        """Return False: a title that repeats the key says nothing."""
        return False

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        """Return what is taken where nothing need be written: that a key is there and empty is a fault."""
        return self.generate_inner(schema["schema"])

    def function_before_schema(self, schema: core_schema.BeforeValidatorFunctionSchema) -> JsonSchemaValue:
        """Return what a reader takes.

        Raises:
            KeyError: it is not known here; what it takes has to be added.
        """
        reader = cast("Callable[..., object]", schema["function"]["function"])
        name = reader.__name__
        if name in _READERS:
            return dict(_READERS[name])
        if name in _SHORT_FORMS:
            whole, short = self.generate_inner(schema["schema"]), _SHORT_FORMS[name]
            return {"anyOf": [*short, whole]} if short else whole
        return dict(_of_closure(reader))


def _of_closure(reader: Callable[..., object]) -> JsonObject:
    """Return what a reader takes that was made for its bounds, or for its words."""
    kind, known = reader.__qualname__.partition(".")[0], inspect.getclosurevars(reader).nonlocals
    if kind == "one_of":
        return _words(known["words"])
    types = {"whole": "integer", "number": "number"}
    return {"type": types[kind], "minimum": known["least"], "maximum": known["most"]}


def _documents(base: type[Document]) -> list[type[Document]]:
    return [found for model in base.__subclasses__() for found in (model, *_documents(model))]


def _complete(model: type[Document], definition: dict[str, Any]) -> None:
    """Add what people read, and the second spellings of keys; leave out what only the code knows."""
    properties, told = definition["properties"], DESCRIPTIONS[model.__name__]
    definition.pop("description", None)
    for said in properties.values():
        if said.get("default") in (None, "", []) or said["default"] not in said.get(
            "enum", [said["default"]]
        ):
            said.pop("default", None)
    for name, text in told.items():
        properties[name]["description"] = text
    for field in model.model_fields.values():
        if isinstance(field.validation_alias, AliasChoices):
            first, *others = (str(choice) for choice in field.validation_alias.choices)
            properties.update(dict.fromkeys(others, properties[first]))
            if field.is_required():
                definition["required"].remove(first)
                definition["anyOf"] = [{"required": [spelling]} for spelling in (first, *others)]


def _open_inputs(root: dict[str, Any], long: dict[str, Any]) -> None:
    """Say what the inputs of a workflow may be: a type alone, or all about it."""
    long["properties"]["type"].update(_words(_TYPES))
    section = root["properties"]["inputs"]
    declared = {"anyOf": [_words(_TYPES), {"$ref": "#/$defs/InputDocument"}]}
    section |= {"propertyNames": _ID, "additionalProperties": declared}


def _open_secrets(root: dict[str, Any], long: dict[str, Any]) -> None:
    """Say what the secrets of a workflow may be: names of variables, or where each is read."""
    long |= {"minProperties": 1, "maxProperties": 1}
    section = root["properties"]["secrets"]["anyOf"][-1]
    section |= {"propertyNames": _ID, "additionalProperties": {"$ref": "#/$defs/SecretDocument"}}


# -- block types ------------------------------------------------------------------------------


def _add_types(definitions: dict[str, Any], catalog: Catalog) -> None:
    """Let the inputs of a block be those of its type."""
    block = definitions["BlockDocument"]
    block["properties"]["type"].update({"type": "string", **_words(catalog)})
    block["allOf"] = [_if_type(name, spec) for name, spec in catalog.items() if spec.inputs()]
    for name, spec in catalog.items():
        if spec.inputs():
            definitions[f"inputs.{name}"] = _inputs_of(spec)


def _if_type(name: str, spec: BlockSpec) -> JsonObject:
    given: JsonObject = {"properties": {"inputs": {"$ref": f"#/$defs/inputs.{name}"}}}
    if any(entry.required for entry in spec.inputs()):
        given["required"] = ["inputs"]
    return {"if": {"properties": {"type": {"const": name}}, "required": ["type"]}, "then": given}


def _inputs_of(spec: BlockSpec) -> JsonObject:
    properties = {entry.name: _input(entry) for entry in spec.inputs()}
    # The second spelling of an input is that of Python.
    twins = {name.replace("-", "_"): told for name, told in properties.items() if "-" in name}
    required: list[Json] = [entry.name for entry in spec.inputs() if entry.required]
    return {
        "type": "object",
        "description": spec.description.strip(),
        "properties": {**properties, **twins},
        "required": required,
        "additionalProperties": False,
    }


def _input(entry: InputSpec) -> JsonObject:
    told: JsonObject = {"description": entry.description} if entry.description else {}
    if entry.default not in (None, "", [], {}):
        told["default"] = entry.default
    return {**_of_words(entry.type), **told}


_LOOSE_TEXT: Final[JsonObject] = {"type": ["string", "number", "boolean"]}
_MAPPING: Final[JsonObject] = {"anyOf": [{"type": "object"}, _REFERENCE]}
_LIST: Final[JsonObject] = {"anyOf": [{"type": "array"}, _REFERENCE]}
_OF_WORDS: Final[Mapping[str, JsonObject]] = {
    "text": _LOOSE_TEXT,
    "path": {"type": "string"},
    "name of a workflow": {"type": "string"},
    "text or list": {"type": ["string", "number", "boolean", "array"]},
    "true/false": {"anyOf": [{"type": "boolean"}, _REFERENCE]},
    "whole number": {"anyOf": [{"type": "integer"}, _REFERENCE]},
    "number": {"anyOf": [{"type": "number"}, _REFERENCE]},
    "number of bytes": {"anyOf": [{"type": "integer", "minimum": 1}, {"type": "string"}]},
    "duration": {"anyOf": [{"type": "number"}, {"type": "string", "pattern": _TIME_PATTERN}, _REFERENCE]},
    "mapping": _MAPPING,
    "list": _LIST,
    "list | mapping": {"anyOf": [{"type": ["array", "object"]}, _REFERENCE]},
    "number | date": _LOOSE_TEXT,
    "instant": {"type": "string"},
    "octal text": {"type": ["string", "number"]},
}
"""What inputs take, by how block types call it; whatever is called otherwise may be anything."""


def _of_words(words: str) -> JsonObject:
    if words in _OF_WORDS:
        return dict(_OF_WORDS[words])
    if re.fullmatch(r"[\w-]+( \| [\w-]+)+", words):
        return {"anyOf": [_words(words.split(" | ")), _REFERENCE]}
    return {}


# -- tidying ----------------------------------------------------------------------------------


def _tidy(schema: Any) -> Any:
    """Return a schema without titles of classes, in which no reference has neighbours: they would not count."""
    if isinstance(schema, list):
        return [_tidy(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    found = {key: _tidy(value) for key, value in schema.items() if not _is_title(key, value)}
    if "$ref" in found and len(found) > 1:
        return {"allOf": [{"$ref": found.pop("$ref")}], **found}
    return found


def _is_title(key: str, value: object) -> bool:
    return key == "title" and isinstance(value, str)
