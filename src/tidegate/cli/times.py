"""Times as people say them."""

from tidegate.clock import SystemClock

__all__ = ["age"]

_UNITS = (("d", 86_400), ("h", 3_600), ("m", 60))


def age(at: float) -> str:
    """Return how long ago *at* (seconds since 1970 UTC) was, in its two largest units."""
    left = max(0, int(SystemClock().now() - at))
    parts = []
    for unit, seconds in _UNITS:
        if left >= seconds:
            parts.append(f"{left // seconds}{unit}")
            left %= seconds
    return " ".join(parts[:2]) or f"{left}s"
