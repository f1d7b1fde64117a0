"""Numbers and times, as a workflow file writes them.

Each reader takes what the YAML reader gives, or raises `BadValue` with a sentence that goes after the
name of the place.
"""

import math
import re
from collections.abc import Callable

from tidegate.workflows.yaml_nodes import BadValue, Plain, as_text

__all__ = ["delay", "fraction", "is_number", "number", "seconds", "whole"]

_DURATION = re.compile(r"(?:[0-9]+(?:\.[0-9]+)?(?:ms|s|m|h|d))+")
_AMOUNT = re.compile(r"([0-9]+(?:\.[0-9]+)?)(ms|s|m|h|d)")
_UNIT_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_MAX_SECONDS = 3650 * 86400.0


def is_number(data: object) -> bool:
    """Return whether *data* is an unquoted number."""
    return _plain_number(data) is not None


def _plain_number(data: object) -> int | float | None:
    value = data.value if isinstance(data, Plain) else None
    return None if isinstance(value, bool) else value


def _unquoted(data: object) -> str:
    return ", without quotes" if isinstance(data, str) else ""


def whole(least: int, most: int) -> Callable[[object], int]:
    """Return a reader of a whole number from *least* to *most*."""

    def read(data: object) -> int:
        value = _plain_number(data)
        if isinstance(value, int) and least <= value <= most:
            return value
        raise BadValue(f"expected a whole number from {least} to {most}{_unquoted(data)}")

    return read


def number(least: float, most: float) -> Callable[[object], float]:
    """Return a reader of a number from *least* to *most*."""

    def read(data: object) -> float:
        value = _plain_number(data)
        if value is not None and least <= value <= most:
            return float(value)
        raise BadValue(f"expected a number from {least} to {most}{_unquoted(data)}")

    return read


fraction = number(0, 1)
"""Reads a part of a whole."""


def _duration(text: str) -> float:
    if _DURATION.fullmatch(text):
        return sum(float(amount) * _UNIT_SECONDS[unit] for amount, unit in _AMOUNT.findall(text))
    return _time(text)


def seconds(data: object) -> float:
    """Return a time of more than 0, in seconds.

    Raises:
        BadValue: it is none.
    """
    text = as_text(data).strip()
    found = _duration(text)
    if not 0 < found <= _MAX_SECONDS:
        raise BadValue(f"'{text}' must be more than 0 and at most 3650d")
    return found


def delay(data: object) -> float:
    """Return a time that may be 0, in seconds.

    Raises:
        BadValue: it is none.
    """
    text = as_text(data).strip()
    found = _duration(text)
    if not 0 <= found <= _MAX_SECONDS:
        raise BadValue(f"'{text}' must be at least 0 and at most 3650d")
    return found


def _time(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if math.isnan(number):
        raise BadValue(f"'{text}' is no time: write seconds, or like 90s, 5m, 2h, 1h30m, 200ms, 1d")
    return number
