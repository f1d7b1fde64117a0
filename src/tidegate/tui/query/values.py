"""What is written behind a field of a filter: lengths of time, days, and what each means now.

Nothing here is bound to an instant before it is asked: a monitor that stays open over midnight filters by the
new day.
"""

import math
import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Final

__all__ = ["ANY_TIME", "Span", "day_of", "length_of", "span_of"]

Span = Callable[[float], tuple[float, float]]
"""From now to the instants, in seconds since 1970 UTC, from which on and before which something lies."""

_UNITS: Final = {"s": 1.0, "m": 60.0, "h": 3_600.0, "d": 86_400.0, "w": 604_800.0}
_LENGTH = re.compile(r"(-?)((?:\d+(?:\.\d+)?[smhdw])+|0+)", re.ASCII | re.IGNORECASE)
_PART = re.compile(r"(\d+(?:\.\d+)?)([smhdw])", re.ASCII | re.IGNORECASE)

_YEARS: Final = range(1971, 3000)
"""In which every clock can say when a day begins."""


def ANY_TIME(now: float) -> tuple[float, float]:  # noqa: N802 - a constant that happens to be a function
    """Return all of time."""
    del now
    return -math.inf, math.inf


def length_of(text: str) -> float | None:
    """Return a length of time in seconds: ``90s 10m 2h 1d12h 2w``, or ``0``; None if *text* is none.

    A minus in front makes it negative: a deadline that lies one hour back is ``-1h`` away.
    """
    match = _LENGTH.fullmatch(text)
    if match is None:
        return None
    sign = -1 if match[1] else 1
    return sign * sum(float(number) * _UNITS[unit.lower()] for number, unit in _PART.findall(match[2]))


def day_of(text: str) -> Span | None:
    """Return the day that *text* names, where the terminal is: ``today``, ``yesterday``, ``2026-11-28``."""
    back = {"today": 0, "yesterday": 1}.get(text.casefold())
    if back is not None:
        return lambda now: _day(_today(now) - timedelta(days=back))
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return None
    return (lambda _: _day(day)) if day.year in _YEARS else None


def span_of(text: str) -> Span | None:
    """Return a day, or as much time as *text* says up to now; None if it is neither."""
    length = length_of(text)
    if length is not None:
        return lambda now: (now - length, math.inf)
    return day_of(text)


def _today(now: float) -> date:
    return datetime.fromtimestamp(now, UTC).astimezone().date()


def _day(day: date) -> tuple[float, float]:
    return _midnight(day), _midnight(day + timedelta(days=1))


def _midnight(day: date) -> float:
    # `astimezone` of a naive time takes it for the local one, summer time included.
    return datetime(day.year, day.month, day.day).astimezone().timestamp()
