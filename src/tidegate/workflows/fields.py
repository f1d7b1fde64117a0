"""The kinds of values that a workflow file has in its places.

Each takes what the YAML reader gives and returns what the rest works with, or raises
`BadValue` with a sentence that goes after the name of the place.
"""

import re
from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import Annotated, Any, TypeVar

from pydantic import BeforeValidator

from tidegate.model.policy import CheckpointKind, FailureKind, OnFailure, OnRunFailure
from tidegate.model.workflow import Effect, OnInterrupt, Outcome, Schedule
from tidegate.workflows.nearest import did_you_mean
from tidegate.workflows.quantities import delay, is_number, seconds, whole
from tidegate.workflows.yaml_nodes import BadValue, Plain, as_text, as_value

__all__ = [
    "IDENTIFIER",
    "MAX_NAME",
    "MOST_CODE",
    "NAME",
    "RESERVED",
    "Boolean",
    "Delay",
    "EffectField",
    "Expression",
    "Identifier",
    "NameField",
    "OnFailureField",
    "OnInterruptField",
    "OutcomeList",
    "OutputName",
    "Parallel",
    "Raw",
    "RunFailureField",
    "ScheduleField",
    "Seconds",
    "Text",
    "Value",
    "ValueMap",
    "mark_list",
    "retry_causes",
]

RESERVED = frozenset(
    {
        "inputs",
        "blocks",
        "run",
        "workflow",
        "secrets",
        "item",
        "index",
        "state",
        "true",
        "false",
        "null",
        "in",
    }
)
"""Names that mean something in references and expressions, so nothing else may be called so."""

NAME = re.compile(r"[A-Za-z0-9_-]+")
"""What a workflow may be called, all of it."""
IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
"""What a block, an input or an output may be called, all of it."""
MAX_NAME = 200
"""Characters of either."""
MOST_CODE = 255
"""The largest exit code that a command can have."""
_Enum = TypeVar("_Enum", bound=StrEnum)


def _short(text: str) -> str:
    if len(text) > MAX_NAME:
        raise BadValue(f"has {len(text)} characters, at most {MAX_NAME} are taken")
    return text


def _name(data: object) -> str:
    text = _short(as_text(data))
    if not NAME.fullmatch(text):
        raise BadValue(f"'{text}' may have letters, digits, - and _ only")
    return text


def identifier(data: object) -> str:
    """Return the id of a block or the name of an input.

    Raises:
        BadValue: it breaks the one rule that both share.
    """
    text = _short(as_text(data))
    if text in RESERVED:
        raise BadValue(f"'{text}' is reserved: it has a meaning of its own in references")
    if not IDENTIFIER.fullmatch(text):
        dot = ": a dot separates a block from its output" if "." in text else ""
        raise BadValue(
            f"'{text}' must start with a letter or _, and may have letters, digits, - and _ only{dot}"
        )
    return text


def _output_name(data: object) -> str:
    text = _short(as_text(data))
    if text == "status":
        raise BadValue("'status' is what every block has already: choose another name")
    if not IDENTIFIER.fullmatch(text):
        raise BadValue(f"'{text}' must start with a letter or _, and may have letters, digits, - and _ only")
    return text


def _boolean(data: object) -> bool:
    if isinstance(data, Plain) and isinstance(data.value, bool):
        return data.value
    raise BadValue("expected true or false, without quotes")


def _expression(data: object) -> str:
    if isinstance(data, Plain) and isinstance(data.value, bool):
        return "true" if data.value else "false"
    return as_text(data)


def one_of(enum: type[_Enum], members: Iterable[_Enum]) -> Callable[[object], _Enum]:
    """Return a reader of one word out of *members*."""
    words = [str(member) for member in members]

    def read(data: object) -> _Enum:
        text = as_text(data)
        if text not in words:
            raise BadValue(f"'{text}' is not one of {', '.join(words)}{did_you_mean(text, words)}")
        return enum(text)

    return read


_Item = TypeVar("_Item")


def _each(data: object, read: Callable[[object], _Item]) -> list[_Item]:
    """Read every entry of a list, or the one value that stands for a list of one."""
    found: list[_Item] = []
    for index, item in enumerate(data if isinstance(data, list) else [data]):
        try:
            found.append(read(item))
        except BadValue as error:
            raise BadValue(error.message, (index,) if isinstance(data, list) else ()) from None
    return list(dict.fromkeys(found))


def _outcomes(data: object) -> list[Outcome]:
    if data == []:
        raise BadValue("names no outcome: remove it for the default rule")
    return _each(data, one_of(Outcome, Outcome))


def mark_list(data: object) -> list[CheckpointKind]:
    """Return the kinds of checkpoints that a list names; an empty one leaves those of pauses."""
    return _each(data, one_of(CheckpointKind, CheckpointKind))


_CODES = whole(1, MOST_CODE)


def _retry_cause(data: object) -> int | FailureKind:
    if is_number(data):
        return _CODES(data)
    return one_of(FailureKind, FailureKind)(data)


def retry_causes(data: object) -> list[int | FailureKind]:
    """Return the exit codes and kinds of failure that a list names."""
    if data == []:
        raise BadValue("names no cause: remove it for every cause that may pass by itself")
    return _each(data, _retry_cause)


Text = Annotated[str, BeforeValidator(as_text)]
NameField = Annotated[str, BeforeValidator(_name)]
Identifier = Annotated[str, BeforeValidator(identifier)]
OutputName = Annotated[str, BeforeValidator(_output_name)]
Boolean = Annotated[bool, BeforeValidator(_boolean)]
Parallel = Annotated[int, BeforeValidator(whole(1, 1000))]
Delay = Annotated[float, BeforeValidator(delay)]
Seconds = Annotated[float, BeforeValidator(seconds)]
Expression = Annotated[str, BeforeValidator(_expression)]
ScheduleField = Annotated[Schedule, BeforeValidator(one_of(Schedule, Schedule))]
OnFailureField = Annotated[OnFailure, BeforeValidator(one_of(OnFailure, OnFailure))]
RunFailureField = Annotated[OnRunFailure, BeforeValidator(one_of(OnRunFailure, OnRunFailure))]
EffectField = Annotated[Effect, BeforeValidator(one_of(Effect, Effect))]
OnInterruptField = Annotated[
    OnInterrupt,
    BeforeValidator(
        one_of(OnInterrupt, [member for member in OnInterrupt if member is not OnInterrupt.AUTO])
    ),
]
OutcomeList = Annotated[list[Outcome], BeforeValidator(_outcomes)]
Value = Annotated[Any, BeforeValidator(as_value)]
ValueMap = dict[str, Value]
Raw = Any
"""Read later, when its type is known."""
