"""The kinds of values that a workflow file has in its places.

Each takes what the YAML reader gives and returns what the rest works with, or raises
`BadValue` with a sentence that goes after the name of the place.
"""

import math
import re
from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import Annotated, Any, TypeVar

from pydantic import BeforeValidator

from tidegate.model.workflow import Effect, OnInterrupt, Outcome, Schedule
from tidegate.workflows.nearest import did_you_mean
from tidegate.workflows.yaml_nodes import BadValue, Plain, as_text, as_value

__all__ = [
    "RESERVED",
    "Boolean",
    "EffectField",
    "Expression",
    "Identifier",
    "NameField",
    "OnInterruptField",
    "OutcomeList",
    "OutputName",
    "Parallel",
    "Raw",
    "ScheduleField",
    "Seconds",
    "Text",
    "ValueMap",
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

_NAME = re.compile(r"[A-Za-z0-9_-]+")
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_DURATION = re.compile(r"(?:[0-9]+(?:\.[0-9]+)?(?:ms|s|m|h|d))+")
_AMOUNT = re.compile(r"([0-9]+(?:\.[0-9]+)?)(ms|s|m|h|d)")
_UNIT_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_MAX_SECONDS = 3650 * 86400.0
_MAX_NAME = 200
_Enum = TypeVar("_Enum", bound=StrEnum)


def _short(text: str) -> str:
    if len(text) > _MAX_NAME:
        raise BadValue(f"has {len(text)} characters, at most {_MAX_NAME} are taken")
    return text


def _name(data: object) -> str:
    text = _short(as_text(data))
    if not _NAME.fullmatch(text):
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
    if not _IDENTIFIER.fullmatch(text):
        dot = ": a dot separates a block from its output" if "." in text else ""
        raise BadValue(
            f"'{text}' must start with a letter or _, and may have letters, digits, - and _ only{dot}"
        )
    return text


def _output_name(data: object) -> str:
    text = _short(as_text(data))
    if text == "status":
        raise BadValue("'status' is what every block has already: choose another name")
    if not _IDENTIFIER.fullmatch(text):
        raise BadValue(f"'{text}' must start with a letter or _, and may have letters, digits, - and _ only")
    return text


def _boolean(data: object) -> bool:
    if isinstance(data, Plain) and isinstance(data.value, bool):
        return data.value
    raise BadValue("expected true or false, without quotes")


def _parallel(data: object) -> int:
    value = data.value if isinstance(data, Plain) else None
    if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= 1000:  # noqa: PLR2004
        return value
    raise BadValue("expected a whole number from 1 to 1000")


def _seconds(data: object) -> float:
    text = as_text(data).strip()
    if _DURATION.fullmatch(text):
        seconds = sum(float(amount) * _UNIT_SECONDS[unit] for amount, unit in _AMOUNT.findall(text))
    else:
        seconds = _number(text)
    if not 0 < seconds <= _MAX_SECONDS:
        raise BadValue(f"'{text}' must be more than 0 and at most 3650d")
    return seconds


def _number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if math.isnan(number):
        raise BadValue(f"'{text}' is no time: write seconds, or like 90s, 5m, 2h, 1h30m, 200ms, 1d")
    return number


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


def _outcomes(data: object) -> list[Outcome]:
    read = one_of(Outcome, Outcome)
    items = data if isinstance(data, list) else [data]
    if not items:
        raise BadValue("names no outcome: remove it for the default rule")
    found: list[Outcome] = []
    for index, item in enumerate(items):
        try:
            found.append(read(item))
        except BadValue as error:
            raise BadValue(error.message, (index,) if isinstance(data, list) else ()) from None
    return list(dict.fromkeys(found))


Text = Annotated[str, BeforeValidator(as_text)]
NameField = Annotated[str, BeforeValidator(_name)]
Identifier = Annotated[str, BeforeValidator(identifier)]
OutputName = Annotated[str, BeforeValidator(_output_name)]
Boolean = Annotated[bool, BeforeValidator(_boolean)]
Parallel = Annotated[int, BeforeValidator(_parallel)]
Seconds = Annotated[float, BeforeValidator(_seconds)]
Expression = Annotated[str, BeforeValidator(_expression)]
ScheduleField = Annotated[Schedule, BeforeValidator(one_of(Schedule, Schedule))]
EffectField = Annotated[Effect, BeforeValidator(one_of(Effect, Effect))]
OnInterruptField = Annotated[
    OnInterrupt,
    BeforeValidator(
        one_of(OnInterrupt, [member for member in OnInterrupt if member is not OnInterrupt.AUTO])
    ),
]
OutcomeList = Annotated[list[Outcome], BeforeValidator(_outcomes)]
ValueMap = dict[str, Annotated[Any, BeforeValidator(as_value)]]
Raw = Any
"""Read later, when its type is known."""
