"""From a typed text to a value of one type, and back. Nothing is guessed.

Around everything but text, blanks are dropped. Only ASCII digits count.
"""

import json
import math
import re
from datetime import date
from typing import NoReturn

import msgspec

from tidegate.errors import InvalidAnswer
from tidegate.model.base import Json

__all__ = ["as_json", "read_boolean", "read_date", "read_json", "read_number"]

_NUMBER_CHARACTERS = 64
"""Longer is no number that a person types; converting it could take for ever."""
_DEPTH = 32
"""Lists and mappings inside each other: deeper is no answer, and deep enough breaks every reader."""

_YES = frozenset({"yes", "y", "true", "confirm", "approve", "approved", "ok"})
_NO = frozenset({"no", "n", "false", "deny", "denied", "reject", "rejected"})
_INTEGER = re.compile(r"[+-]?[0-9]+", re.ASCII)
_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?", re.ASCII)
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)


def read_boolean(raw: str) -> bool | None:
    """Return what a word for yes or no means; None: it is neither."""
    word = raw.strip().casefold()
    return True if word in _YES else False if word in _NO else None


def read_number(raw: str, *, whole: bool) -> int | float | None:
    """Return a number, a *whole* one as int; None: it is none, or no finite one."""
    word = raw.strip()
    if len(word) > _NUMBER_CHARACTERS or not (_INTEGER if whole else _NUMBER).fullmatch(word):
        return None
    number = int(word) if whole else float(word)
    return number if math.isfinite(number) else None


def read_date(raw: str) -> str | None:
    """Return a day of the calendar as YYYY-MM-DD; None: it is none."""
    word = raw.strip()
    try:
        return date.fromisoformat(word).isoformat() if _DATE.fullmatch(word) else None
    except ValueError:
        return None


def read_json(raw: str) -> Json:
    """Return the value of a JSON document.

    Raises:
        InvalidAnswer: it is none; has a key twice, which readers take in different ways; is nested more
            than 32 deep; or holds what is no text or no finite number.
    """
    if not raw.strip():
        raise InvalidAnswer("JSON is asked for; this is empty")
    try:
        value: Json = json.loads(
            raw,
            object_pairs_hook=_mapping,
            parse_constant=_no_number,
            parse_int=_json_integer,
            parse_float=_json_float,
        )
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise InvalidAnswer(f"this is no JSON: {error.msg} ({where})") from error
    except RecursionError as error:
        raise _too_deep() from error
    _check(value, _DEPTH)
    return value


def _mapping(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    value = dict(pairs)
    if len(value) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise InvalidAnswer(f"the JSON has the key {as_json(twice)} twice in one mapping")
    return value


def _no_number(word: str) -> NoReturn:
    raise InvalidAnswer(f"the JSON holds {word}, which is no number")


def _json_integer(word: str) -> int:
    if len(word) > _NUMBER_CHARACTERS:
        raise InvalidAnswer(f"the JSON holds a number of {len(word)} digits")
    return int(word)


def _json_float(word: str) -> float:
    number = float(word)
    if not math.isfinite(number):
        raise InvalidAnswer(f"the JSON holds the number {word[:_NUMBER_CHARACTERS]}, which is too large")
    return number


def _check(value: Json, depth: int) -> None:
    """Refuse what is too deep, and texts that no file could hold."""
    match value:
        case str():
            if "\0" in value or any("\ud800" <= character <= "\udfff" for character in value):
                raise InvalidAnswer("the JSON holds a NUL character or a lone surrogate, which is no text")
        case list() | dict() if depth == 0:
            raise _too_deep()
        case list():
            for item in value:
                _check(item, depth - 1)
        case dict():
            for item in (*value.keys(), *value.values()):
                _check(item, depth - 1)


def _too_deep() -> InvalidAnswer:
    return InvalidAnswer(f"the JSON is nested more than {_DEPTH} deep")


def as_json(value: Json) -> str:
    """Return a value as JSON on one line; what is no text in it is replaced."""
    try:
        return msgspec.json.encode(value).decode()
    except UnicodeEncodeError:
        return json.dumps(value)
