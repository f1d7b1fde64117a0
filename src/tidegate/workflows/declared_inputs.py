"""The `inputs` section of a workflow file: what a run of it takes."""

import math
from dataclasses import dataclass
from typing import TypeAlias

from tidegate.model.base import Json
from tidegate.model.workflow import InputDefinition, InputType
from tidegate.workflows.document import InputDocument
from tidegate.workflows.fields import identifier
from tidegate.workflows.nearest import did_you_mean
from tidegate.workflows.shape import Problem, read_shape
from tidegate.workflows.yaml_nodes import BadValue, Path, Plain, as_text, as_value

__all__ = ["has_type", "read_inputs", "type_name"]

_ALIASES = {"str": "string", "int": "integer", "float": "number", "bool": "boolean", "choice": "string"}
_NOUNS = {
    InputType.STRING: "text",
    InputType.INTEGER: "a whole number",
    InputType.NUMBER: "a number",
    InputType.BOOLEAN: "true or false",
    InputType.LIST: "a list",
    InputType.MAP: "a mapping",
}
_Result: TypeAlias = "tuple[InputDefinition | None, tuple[Problem, ...]]"


def type_name(kind: InputType) -> str:
    """Return what a value of *kind* is, with its article."""
    return _NOUNS[kind]


_LARGEST = 2**63


def has_type(value: Json, kind: InputType) -> bool:
    """Return whether *value* is of *kind*. A truth value is no number, and 3.0 is no whole one."""
    match kind:
        case InputType.STRING:
            return isinstance(value, str)
        case InputType.BOOLEAN:
            return isinstance(value, bool)
        case InputType.INTEGER | InputType.NUMBER:
            return _is_number(value, whole=kind is InputType.INTEGER)
        case InputType.LIST:
            return isinstance(value, list)
        case InputType.MAP:
            return isinstance(value, dict)


def _is_number(value: Json, *, whole: bool) -> bool:
    if isinstance(value, int) and not isinstance(value, bool):
        return -_LARGEST <= value < _LARGEST
    return not whole and isinstance(value, float) and math.isfinite(value)


def read_inputs(section: dict[str, object]) -> tuple[tuple[InputDefinition, ...], tuple[Problem, ...]]:
    """Read the section; an input that is wrong is reported and kept by its name, so that it stays known."""
    definitions: list[InputDefinition] = []
    problems: list[Problem] = []
    for name, data in section.items():
        definition, found = _read_input(name, data)
        problems.extend(found)
        definitions.append(definition or InputDefinition(name=name, required=True))
    return tuple(definitions), tuple(problems)


def _read_input(name: str, data: object) -> _Result:
    at: Path = ("inputs", name)
    try:
        identifier(name)
    except BadValue as error:
        return None, (Problem(at, f"input name: {error}", key=True),)
    long = {"type": data} if isinstance(data, str | Plain) else data
    read = read_shape(InputDocument, long, at)
    if read.shape is None:
        return None, read.problems
    definition, problems = _Declaration(name, read.shape, at).define()
    return (definition if not read.problems else None), (*read.problems, *problems)


@dataclass(frozen=True, slots=True)
class _Declaration:
    name: str
    shape: InputDocument
    at: Path

    def define(self) -> _Result:
        try:
            kind = self._kind()
            choices = self._choices(kind)
            default = self._default(kind, choices)
            required = self._required()
        except BadValue as error:
            return None, (Problem(self.at + error.path, f"input '{self.name}': {error}"),)
        definition = InputDefinition(
            name=self.name,
            type=kind,
            required=required,
            default=default,
            choices=choices,
            description=self.shape.description,
        )
        return definition, ()

    def _kind(self) -> InputType:
        word = _ALIASES.get(self.shape.type, self.shape.type)
        known = [*(str(kind) for kind in InputType), "choice"]
        if word not in known:
            hint = did_you_mean(self.shape.type, [*known, *_ALIASES])
            raise BadValue(
                f"'{self.shape.type}' is no type: choose one of {', '.join(known)}{hint}", ("type",)
            )
        if self.shape.type == "choice" and self.shape.choices is None:
            raise BadValue("a choice needs its choices", ("type",))
        return InputType(word)

    def _choices(self, kind: InputType) -> tuple[Json, ...]:
        if self.shape.choices is None:
            return ()
        if not self.shape.choices:
            raise BadValue("the list of choices is empty", ("choices",))
        values = tuple(
            _typed(data, kind, ("choices", index), "the choice")
            for index, data in enumerate(self.shape.choices)
        )
        for index, value in enumerate(values):
            if value in values[:index]:
                raise BadValue(f"the choice {value!r} stands twice", ("choices", index))
        return values

    def _default(self, kind: InputType, choices: tuple[Json, ...]) -> Json:
        raw = self.shape.default
        if not self._has_default():
            return None
        value = _typed(raw, kind, ("default",), "the default")
        if choices and value not in choices:
            words = [str(choice) for choice in choices]
            hint = did_you_mean(str(value), words)
            raise BadValue(
                f"the default {value!r} is not among its choices: {', '.join(words)}{hint}", ("default",)
            )
        return value

    def _has_default(self) -> bool:
        raw = self.shape.default
        return raw is not None and not (isinstance(raw, Plain) and raw.value is None)

    def _required(self) -> bool:
        if self.shape.required and self._has_default():
            raise BadValue("it is required and has a default: remove one of the two", ("required",))
        if self.shape.required is not None:
            return self.shape.required
        return "default" not in self.shape.model_fields_set


def _typed(data: object, kind: InputType, path: Path, what: str) -> Json:
    try:
        value = _of_kind(data, kind)
    except BadValue as error:
        raise BadValue(f"{what}: {error}", path + error.path) from None
    if not has_type(value, kind):
        shown = f"'{value}'" if isinstance(value, str) else value
        raise BadValue(f"{what} {shown} is not {_NOUNS[kind]}, but its type is {kind}", path)
    return value


def _of_kind(data: object, kind: InputType) -> Json:
    if kind is InputType.STRING:
        return as_text(data)
    # A number is taken as a number here, however it was written: 1.10 is 1.1 where a number is declared.
    if kind in {InputType.INTEGER, InputType.NUMBER} and isinstance(data, Plain):
        return data.value
    return as_value(data)
