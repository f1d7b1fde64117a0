"""Where in a run a question is asked, also from inside the runs that its blocks started."""

import re
from collections.abc import Sequence

from tidegate.safe_text import safe_line

__all__ = ["inner_place", "part_words", "place_words"]

_PLACE = re.compile(r"(?:\[[^\]]*\]|[^/\[])+")
"""One place of a path; a key in brackets may hold a slash."""
_PART = re.compile(r"\[(?P<key>[^\]]*)\]|#(?P<number>[0-9]+)")
_LONG = 120


def place_words(path: str, block: str) -> str:
    """Return the way to a block: ``release / deploy[red] / approve``.

    Args:
        path: The places above it, from the top down, joined by `/`; empty at the top.
        block: Its place in its own run.
    """
    return " / ".join(_safe([*_places(path), block]))


def inner_place(path: str, block: str) -> str:
    """Return the same for a narrow column, the block first: ``approve in deploy[red]``."""
    return " in ".join(_safe([block, *_places(path)[-1:]]))


def part_words(path: str, block: str) -> str:
    """Return which items and iterations the way leads through: ``item red``; empty: none."""
    named = [
        f"item {part['key']}" if part["number"] is None else f"iteration {part['number']}"
        for place in [*_places(path), block]
        for part in _PART.finditer(place)
    ]
    return ", ".join(_safe(named))


def _places(path: str) -> list[str]:
    return _PLACE.findall(path)


def _safe(texts: Sequence[str]) -> list[str]:
    return [safe_line(text, _LONG) for text in texts]
