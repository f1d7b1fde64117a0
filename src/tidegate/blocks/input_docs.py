"""What a block type takes, in words for a person who writes a workflow: read off its model of inputs."""

import ast
import inspect
import textwrap
import types
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from tidegate.model.base import Json
from tidegate.model.catalog import InputSpec

__all__ = ["Kind", "input_specs"]

_WORDS: dict[object, str] = {
    str: "text",
    bool: "true/false",
    int: "whole number",
    float: "number",
    dict: "mapping",
    list: "list",
    tuple: "list",
    frozenset: "list",
    type(None): "",
}


@dataclass(frozen=True, slots=True)
class Kind:
    """Stands in the annotation of an input that its Python type does not describe to a person."""

    words: str
    default: Json = None
    """How a file would write the default, where Python holds another form of it."""


def input_specs(model: type[BaseModel]) -> tuple[InputSpec, ...]:
    """Return the inputs of *model*: those that are required, then the others, each in its order.

    An input is described by its `Field(description=...)`, or else by the text under it in the source.
    """
    told = _texts_under_fields(model)
    specs = [_spec(name, field, told.get(name, "")) for name, field in model.model_fields.items()]
    return tuple(sorted(specs, key=lambda spec: not spec.required))


def _spec(name: str, field: FieldInfo, told: str) -> InputSpec:
    return InputSpec(
        name=_written_name(name, field),
        type=_kind(field),
        required=field.is_required(),
        default=_default(field),
        description=field.description or told,
    )


def _default(field: FieldInfo) -> Json:
    if field.is_required():
        return None
    noted = [item.default for item in field.metadata if isinstance(item, Kind) and item.default is not None]
    return noted[-1] if noted else _plain(field.get_default(call_default_factory=True))


def _written_name(name: str, field: FieldInfo) -> str:
    alias = field.validation_alias
    choices = getattr(alias, "choices", None) or [alias or name]
    return str(choices[0])


def _kind(field: FieldInfo) -> str:
    noted = [item.words for item in field.metadata if isinstance(item, Kind)]
    return noted[-1] if noted else _in_words(field.annotation)


def _in_words(annotation: Any) -> str:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        noted = [item.words for item in arguments[1:] if isinstance(item, Kind)]
        return noted[-1] if noted else _in_words(arguments[0])
    if origin in (Union, types.UnionType):
        return " or ".join(dict.fromkeys(words for one in arguments if (words := _in_words(one))))
    if isinstance(annotation, type) and issubclass(annotation, StrEnum):
        return " | ".join(annotation)
    return _WORDS.get(origin or annotation, "any value")


def _plain(value: Any) -> Json:
    """Return a default as a file would write it."""
    if isinstance(value, StrEnum):
        return value.value
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    if value is None or isinstance(value, str | bool | int | float | dict):
        return value
    return str(value)


# pydantic's own `use_attribute_docstrings` reads the source of every model when it is imported, which
# each start of the program would pay for; here only who asks does.
def _texts_under_fields(model: type[BaseModel]) -> dict[str, str]:
    texts: dict[str, str] = {}
    for class_ in reversed(model.__mro__):
        if issubclass(class_, BaseModel) and class_ is not BaseModel:
            texts |= _texts_in(class_)
    return texts


def _texts_in(class_: type) -> dict[str, str]:
    try:
        source = textwrap.dedent(inspect.getsource(class_))
    except (OSError, TypeError):
        return {}
    body = getattr(ast.parse(source).body[0], "body", [])
    texts: dict[str, str] = {}
    for field, after in pairwise(body):
        match field, after:
            case (
                ast.AnnAssign(target=ast.Name(id=name)),
                ast.Expr(value=ast.Constant(value=str(text))),
            ):
                texts[name] = " ".join(text.split())
            case _:
                pass
    return texts
