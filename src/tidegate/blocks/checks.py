"""From a block's inputs, as a pydantic model, to sentences for the person who wrote the file.

Owns how inputs are read. One model serves twice: before the run it finds what is wrong with the
literal values of a file, and when the block starts it reads the rendered ones. A value that holds a
reference is unknown before the run, so it is not checked then; neither is any rule that spans
several inputs while one of them is unknown.

Text from a reference may stand where a number or true/false is expected (an answer is always text),
but only when it is written as one: nothing is guessed.
"""

import difflib
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, ClassVar, TypeAlias, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError, ValidationInfo
from pydantic_core import ErrorDetails, PydanticCustomError

from tidegate.errors import InputsError
from tidegate.model.base import Json
from tidegate.model.catalog import InputCheck, InputProblem, InputSpec
from tidegate.model.typed_text import as_json

__all__ = [
    "Flag",
    "Inputs",
    "MaybeNumber",
    "MaybeText",
    "MaybeWhole",
    "Text",
    "as_rendered",
    "describe",
    "input_check",
    "parse_inputs",
    "word_of",
    "written",
    "wrong",
]

_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?", re.ASCII)
_RENDERED = "rendered"
"""The context in which values of a run are read; those of a file have none."""
_SHOWN = 60
"""Characters of a wrong value that a message repeats."""

_SENTENCES = {
    "missing": "is required",
    # Strangers are told before; what pydantic still finds is a second spelling of one input.
    "extra_forbidden": "is another spelling of an input that is given too",
    "list_type": "must be a list, not {input}",
    "tuple_type": "must be a list, not {input}",
    "dict_type": "must be a mapping, not {input}",
}
"""What to say for pydantic's own errors; everything else is raised by the readers below."""


class Inputs(BaseModel):
    """The inputs of one block type. A subclass is named after its type: `ShellInputs`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    later: ClassVar[frozenset[str]] = frozenset()
    """Inputs that the vocabulary has and this version does not do yet."""

    def conflicts(self) -> Iterator[InputProblem]:
        """Yield what is wrong between inputs that are each fine by themselves."""
        return iter(())


_Model = TypeVar("_Model", bound=Inputs)


# -- reading one value ------------------------------------------------------------------------


def wrong(message: str) -> PydanticCustomError:
    """Return the error a reader raises; its text follows the input's name in a sentence."""
    # Through the context: a brace in the message would be taken for a placeholder.
    return PydanticCustomError("tidegate", "{message}", {"message": message})


def describe(value: object) -> str:
    """Return a wrong value as a message shows it, bounded."""
    match value:
        case None:
            return "empty"
        case str():
            return repr(value if len(value) <= _SHOWN else value[: _SHOWN - 3] + "...")
        case list() | tuple():
            return "a list"
        case Mapping():
            return "a mapping"
        case _:
            return written(value)[:_SHOWN]


def written(value: object) -> str:
    """Return a plain value as YAML and JSON write it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def as_rendered(value: object, info: ValidationInfo) -> object:
    """Return a list or a mapping that a reference gave as JSON, as it stands inside a longer text, too.

    In a file a list is no text: there somebody has mistaken one input for another.
    """
    return as_json(value) if info.context == _RENDERED and isinstance(value, list | dict) else value


def _text(value: object, info: ValidationInfo) -> object:
    value = as_rendered(value, info)
    if isinstance(value, bool | int | float):
        return written(value)
    if not isinstance(value, str):
        raise wrong(f"must be text, not {describe(value)}")
    return value


def _flag(value: object) -> object:
    if isinstance(value, bool):
        return value
    if value in ("true", "false"):
        return value == "true"
    raise wrong(f"must be true or false, not {describe(value)}")


def _number(value: object) -> object:
    number = float(value) if isinstance(value, str) and _NUMBER.fullmatch(value) else value
    if isinstance(number, bool) or not isinstance(number, int | float) or not math.isfinite(number):
        raise wrong(f"must be a number, not {describe(value)}")
    return number


def _whole(value: object) -> object:
    number = _number(value)
    if not isinstance(number, int | float) or number != int(number):
        raise wrong(f"must be a whole number, not {describe(value)}")
    return int(number)


def _maybe(read: Callable[[object], object]) -> Callable[[object], object]:
    return lambda value: None if value is None else read(value)


Text: TypeAlias = Annotated[str, BeforeValidator(_text)]
Flag: TypeAlias = Annotated[bool, BeforeValidator(_flag)]
MaybeText: TypeAlias = Annotated[
    str | None, BeforeValidator(lambda value, info: None if value is None else _text(value, info))
]
MaybeNumber: TypeAlias = Annotated[float | None, BeforeValidator(_maybe(_number))]
MaybeWhole: TypeAlias = Annotated[int | None, BeforeValidator(_maybe(_whole))]


def word_of(words: type[StrEnum], *, later: frozenset[str] = frozenset()) -> BeforeValidator:
    """Return the reader of an input that is one word of a closed list.

    Args:
        words: The list.
        later: Words that the vocabulary has and this version does not do yet.
    """
    allowed = ", ".join(words)

    def read(value: object) -> object:
        if isinstance(value, str) and value in later:
            raise wrong(f"{value!r} is not supported by this version yet: use one of {allowed}")
        if not isinstance(value, str) or value not in set(words):
            raise wrong(f"must be one of {allowed}, not {describe(value)}")
        return words(value)

    return BeforeValidator(read)


# -- reading all of them ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _ModelCheck:
    """The check of a workflow file's inputs against a model, which also tells what the model takes."""

    model: type[Inputs]

    def __call__(self, inputs: Mapping[str, Json], holds: Callable[[Json], bool]) -> tuple[InputProblem, ...]:
        """Return what is wrong with *inputs*, as written."""
        unknown = {name for name, value in inputs.items() if _holds(value, holds)}
        known = {name: value for name, value in inputs.items() if name not in unknown}
        parsed, problems = _read(self.model, known, given=inputs)
        if parsed is not None and not unknown:
            return tuple(parsed.conflicts())
        return problems

    def inputs(self) -> tuple[InputSpec, ...]:
        """Return the inputs for a person."""
        from tidegate.blocks.input_docs import input_specs

        return input_specs(self.model)


def input_check(model: type[Inputs]) -> InputCheck:
    """Return the check of a workflow file's inputs against *model*."""
    return _ModelCheck(model)


def parse_inputs(model: type[_Model], inputs: Mapping[str, Json]) -> _Model:
    """Return rendered inputs as *model*.

    Raises:
        InputsError: they are not what the block takes; names the block's type.
    """
    parsed, problems = _read(model, inputs, given=inputs, context=_RENDERED)
    problems = problems if parsed is None else tuple(parsed.conflicts())
    if parsed is None or problems:
        name = model.__name__.removesuffix("Inputs")
        raise InputsError(name, tuple(problem.message for problem in problems))
    return parsed


def _holds(value: Json, holds: Callable[[Json], bool]) -> bool:
    if holds(value):
        return True
    if isinstance(value, dict):
        return any(_holds(item, holds) for item in (*value.keys(), *value.values()))
    return isinstance(value, list) and any(_holds(item, holds) for item in value)


def _read(
    model: type[_Model], known: Mapping[str, Json], *, given: Mapping[str, Json], context: str = ""
) -> tuple[_Model | None, tuple[InputProblem, ...]]:
    """Read the *known* ones; a field whose value is given but unknown is not missing."""
    unread = {field for name in given.keys() - known.keys() if (field := _field_of(model, name))}
    strangers = tuple(_stranger(model, name) for name in given if _field_of(model, name) is None)
    try:
        found_here = {name: known[name] for name in known if _field_of(model, name)}
        parsed = model.model_validate(found_here, context=context)
    except ValidationError as error:
        details = error.errors(include_url=False)
        found = tuple(_problem(detail) for detail in details if not _is_unread(model, detail, unread))
        return None, found + strangers
    return (None if strangers else parsed), strangers


def _is_unread(model: type[Inputs], detail: ErrorDetails, unread: set[str]) -> bool:
    return detail["type"] == "missing" and _field_of(model, str(detail["loc"][0])) in unread


def _names(model: type[Inputs]) -> dict[str, str]:
    """Return the field of every name that a file may use."""
    names: dict[str, str] = {}
    for field, info in model.model_fields.items():
        alias = info.validation_alias
        choices = getattr(alias, "choices", None) or [alias or field]
        names |= {str(choice): field for choice in choices}
    return names


def _field_of(model: type[Inputs], name: str) -> str | None:
    return _names(model).get(name)


def _stranger(model: type[Inputs], name: str) -> InputProblem:
    if name in model.later:
        return InputProblem((name,), f"'{name}' is not supported by this version yet")
    near = difflib.get_close_matches(name, _names(model), n=1)
    advice = f"did you mean '{near[0]}'?" if near else "it takes " + ", ".join(_listed(model))
    return InputProblem((name,), f"unknown input '{name}' ({advice})")


def _listed(model: type[Inputs]) -> list[str]:
    """Return one name per field."""
    return list({field: name for name, field in reversed(_names(model).items())}.values())[::-1]


def _problem(detail: ErrorDetails) -> InputProblem:
    path = tuple(step for step in detail["loc"] if step != "[key]")
    message = f"'{_dotted(path)}' {_sentence(detail)}"
    return InputProblem(() if detail["type"] == "missing" else path, message)


def _sentence(detail: ErrorDetails) -> str:
    if detail["type"] == "tidegate":
        return detail["msg"]
    sentence = _SENTENCES.get(detail["type"])
    if sentence is None:
        return "is wrong: " + detail["msg"]
    return sentence.replace("{input}", describe(detail["input"]))


def _dotted(path: Sequence[str | int]) -> str:
    head, *rest = path
    return str(head) + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in rest)
