"""Which known name somebody probably meant."""

import difflib
from collections.abc import Iterable, Sequence
from itertools import islice

__all__ = ["did_you_mean", "listed", "named", "nearest"]

_MANY = 500
"""From here on similarity is not measured against every name: it costs 20 microseconds each."""
_SHIFT = 2
_LISTED = 10


def _bare(name: str) -> str:
    return name.casefold().replace("-", "").replace("_", "").replace(" ", "")


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the known name that *word* probably is, if one is close."""
    names = sorted(known)
    same = [name for name in names if _bare(name) == _bare(word)]
    if same:
        return same[0]
    if len(names) > _MANY:
        alike = (name for name in names if name[:1] == word[:1] and abs(len(name) - len(word)) <= _SHIFT)
        names = list(islice(alike, _MANY // 5))
    close = difflib.get_close_matches(word, names, n=1, cutoff=0.6)
    return close[0] if close else None


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return `` (did you mean 'x'?)``, or nothing when no known name is close."""
    name = nearest(word, known)
    return f" (did you mean '{name}'?)" if name else ""


def listed(names: Iterable[str]) -> str:
    """Return names for a sentence: the first ten, comma-separated."""
    shown = list(names)
    return ", ".join(shown[:_LISTED]) + (", ..." if len(shown) > _LISTED else "")


def named(names: Sequence[str], most: int = 8) -> str:
    """Return names for a sentence: the first of them, and of more how many there are."""
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
