"""How long: a time as a person writes it."""

import math
import re

__all__ = ["MAX_SECONDS", "parse_duration"]

MAX_SECONDS = 3650 * 86400.0
"""Ten years: what is longer is a slip."""

_DURATION = re.compile(r"(?:[0-9]+(?:\.[0-9]+)?(?:ms|s|m|h|d))+")
_AMOUNT = re.compile(r"([0-9]+(?:\.[0-9]+)?)(ms|s|m|h|d)")
_UNIT_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


def parse_duration(text: str, *, zero: bool = False) -> float:
    """Return the seconds that *text* means: a number of seconds, or like 90s, 5m, 2h, 1h30m, 200ms, 1d.

    Args:
        text: As written; blanks around it do not count.
        zero: Whether no time at all is a time.

    Raises:
        ValueError: it is no time, negative, or more than ten years. Says what would be right.
    """
    text = text.strip()
    if _DURATION.fullmatch(text):
        seconds = sum(float(amount) * _UNIT_SECONDS[unit] for amount, unit in _AMOUNT.findall(text))
    else:
        seconds = _number(text)
    if not (0 < seconds <= MAX_SECONDS or (zero and seconds == 0)):
        least = "at least 0" if zero else "more than 0"
        raise ValueError(f"'{text}' must be {least} and at most 3650d")
    return seconds


def _number(text: str) -> float:
    try:
        # Python would also take 1_000 and the digits of every script.
        number = float(text) if text.isascii() and "_" not in text else math.nan
    except ValueError:
        number = math.nan
    if math.isnan(number):
        raise ValueError(f"'{text}' is no time: write seconds, or like 90s, 5m, 2h, 1h30m, 200ms, 1d")
    return number
