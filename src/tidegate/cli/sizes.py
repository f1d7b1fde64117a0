"""Sizes and spans of time as people read them."""

__all__ = ["shown_seconds", "shown_size"]

_UNITS = ("B", "kB", "MB", "GB", "TB")
_STEP = 1000
_TIMES = (("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1))
_MINUTE = 60


def shown_size(count: int) -> str:
    """Return bytes in a unit that a person reads."""
    size, unit = float(count), 0
    while size >= _STEP and unit < len(_UNITS) - 1:
        size, unit = size / _STEP, unit + 1
    return f"{count} B" if not unit else f"{size:.1f} {_UNITS[unit]}"


def shown_seconds(seconds: float) -> str:
    """Return a span of time in its two largest units; below a minute to a tenth of a second."""
    if seconds < _MINUTE:
        return f"{seconds:.1f}s"
    left, parts = int(seconds), []
    for unit, size in _TIMES:
        if left >= size:
            parts.append(f"{left // size}{unit}")
            left %= size
    return " ".join(parts[:2])
