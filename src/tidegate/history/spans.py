"""How long and how large, as people say it."""

import math

__all__ = ["size", "span"]

_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400
_SHORT = 120
"""Seconds up to which nobody thinks in minutes."""
_UNITS = ("B", "kB", "MB", "GB", "TB")
_STEP = 1000


def size(count: int) -> str:
    """Return a number of bytes in a unit that a person reads: `999 B`, `1.5 kB`, `20.0 GB`."""
    amount, unit = float(count), 0
    while amount >= _STEP and unit < len(_UNITS) - 1:
        amount, unit = amount / _STEP, unit + 1
    return f"{count} B" if not unit else f"{amount:.1f} {_UNITS[unit]}"


def span(seconds: float) -> str:
    """Return a time in its one or two largest units: `0.3 s`, `4 s`, `3 min`, `2 h 5 min`, `3 d 4 h`."""
    if 0 < seconds < 1:
        return f"{max(seconds, 0.1):.1f} s"
    left = max(0, math.ceil(seconds))
    if left < _SHORT:
        return f"{left} s"
    if left < _HOUR:
        return f"{left // _MINUTE} min"
    if left < _DAY:
        return _two(left, _HOUR, "h", _MINUTE, "min")
    return _two(left, _DAY, "d", _HOUR, "h")


def _two(left: int, large: int, name: str, small: int, small_name: str) -> str:
    rest = left % large // small
    return f"{left // large} {name}" + (f" {rest} {small_name}" if rest else "")
