"""Instants and durations as people read them, short enough for a column.

What is said of the time until or since something is said with a word on when it becomes another text (`lasting`).
"""

from datetime import UTC, datetime

from tidegate.tui.lasting import changes_at, changes_in

__all__ = ["ago", "clock_time", "due", "lasted", "past", "soon"]

_MINUTE, _HOUR, _DAY = 60, 3600, 86_400
_UNITS = ((_DAY, "d"), (_HOUR, "h"))


def ago(seconds: float) -> str:
    """Return how long ago something was, in its largest unit or two: ``now 42s 7m 3h20m 2d4h``."""
    changes_in(1 - seconds if seconds < 1 else -seconds % _step(seconds))
    return _length(seconds)


def _left(seconds: float) -> str:
    """Return how much is left of a time, in the same units."""
    changes_in(seconds % _step(seconds))
    return _length(seconds)


def _step(seconds: float) -> int:
    """Return the smallest unit in which such a length of time is told, in seconds."""
    return 1 if seconds < _MINUTE else _MINUTE if seconds < _DAY else _HOUR


def _length(seconds: float) -> str:
    whole = max(0, int(seconds))
    if whole < _MINUTE:
        return f"{whole}s" if whole else "now"
    if whole < _HOUR:
        return f"{whole // _MINUTE}m"
    if whole < _DAY:
        return _pair(whole // _HOUR, "h", whole % _HOUR // _MINUTE, "m")
    return _pair(whole // _DAY, "d", whole % _DAY // _HOUR, "h")


def past(seconds: float) -> str:
    """Return how long ago something was, for a sentence: ``just now``, ``42s ago``."""
    said = ago(seconds)
    return f"{said} ago" if seconds >= 1 else "just now"


def soon(seconds: float) -> str:
    """Return when something happens by itself: ``in 4 s``, ``in 2m``, ``in 3h20m``, ``now``."""
    # What is left of a second counts as one: it is not yet now.
    whole = -int(-seconds // 1)
    if whole <= 0:
        return "now"
    changes_in(seconds % 1)
    return f"in {whole} s" if whole < _MINUTE else f"in {_length(whole)}"


def _pair(large: int, large_unit: str, small: int, small_unit: str) -> str:
    return f"{large}{large_unit}{small}{small_unit}" if small else f"{large}{large_unit}"


def lasted(seconds: float, *, goes_on: bool = False) -> str:
    """Return a duration to the second, or to the tenth if it is short: ``0.4s 0:12 1:02:03``.

    Args:
        seconds: How long.
        goes_on: Whether it gets longer by itself.
    """
    seconds = max(0.0, seconds)
    if goes_on:
        changes_in(0.0 if seconds < 1 else -seconds % 1)
    if seconds < 1:
        return f"{seconds:.1f}s"
    minutes, rest = divmod(int(seconds), _MINUTE)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def due(deadline: float | None, now: float) -> str:
    """Return how long a pause stays open: ``in 7m``, ``4m late``, or ``no limit``."""
    if deadline is None:
        return "no limit"
    changes_at(deadline)
    if 0 < deadline - now < 1:
        return "now"
    return f"in {_left(deadline - now)}" if deadline > now else f"{_coarse(now - deadline)} late"


def _coarse(seconds: float) -> str:
    """Return only the largest unit: how late something is matters less than that it is."""
    for unit, name in _UNITS:
        if seconds >= unit:
            changes_in(-seconds % unit)
            return f"{int(seconds // unit)}{name}"
    return ago(seconds)


def clock_time(at: float, now: float) -> str:
    """Return the time of day where the terminal is; with the date if that was not in the last day."""
    local = datetime.fromtimestamp(at, UTC).astimezone()
    changes_at(at - _DAY)
    changes_at(at + _DAY)
    return f"{local:%H:%M:%S}" if abs(now - at) < _DAY else f"{local:%Y-%m-%d %H:%M}"
