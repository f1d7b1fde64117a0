"""How the panes of a list share the body: as the styles say, or as somebody has made them larger and smaller.

What is kept is how many cells each had when it was set. In another terminal these are shares: whoever gave the list
two thirds has two thirds of whatever there is.
"""

from collections.abc import Sequence
from enum import StrEnum

from textual.widget import Widget

__all__ = ["LEAST", "Along", "arrange", "moved", "name_of"]


class Along(StrEnum):
    """In which direction panes follow each other."""

    ACROSS = "across"
    DOWN = "down"


LEAST = {Along.ACROSS: 30, Along.DOWN: 5}
"""Columns and rows that are left to any pane, its border included; the styles say the same for a smaller terminal."""
_STEP = {Along.ACROSS: 4, Along.DOWN: 1}
"""Columns and rows that one key gives and takes."""
_MOST = 10_000
"""Cells beyond which a number is none of ours."""


def name_of(panes: int, along: Along) -> str:
    """Return what sizes are kept under: those of two panes mean nothing where there are three."""
    return f"{panes} {along}"


def moved(sizes: Sequence[int], at: int, along: Along, *, larger: bool) -> tuple[int, ...]:
    """Return sizes of which one is larger or smaller, at the cost or to the good of its neighbour.

    Args:
        sizes: Cells of the panes, in their order; at least two.
        at: Which one.
        along: In which direction they follow each other.
        larger: Whether it gets larger. That, and what it leaves, ends where a pane would be of no use.
    """
    beside = [place for place in (at + 1, at - 1) if 0 <= place < len(sizes)]
    # Of the two that a pane in the middle has, the next one gives as long as it can.
    givers = [place for place in beside if sizes[place] > LEAST[along]] or beside
    gives, takes = (givers[0], at) if larger else (at, beside[0])
    step = max(0, min(_STEP[along], sizes[gives] - LEAST[along]))
    changes = {gives: -step, takes: step}
    return tuple(size + changes.get(place, 0) for place, size in enumerate(sizes))


def arrange(panes: Sequence[Widget], along: Along, sizes: Sequence[int] | None) -> None:
    """Give panes their shares; None: those that the styles give them. Sizes that are none count as None."""
    is_sound = sizes is not None and len(sizes) == len(panes) and all(0 < size < _MOST for size in sizes)
    for pane, size in zip(panes, sizes if sizes is not None and is_sound else [0] * len(panes), strict=True):
        share = f"{size}fr" if size else None
        pane.styles.width = share if along is Along.ACROSS else None
        pane.styles.height = share if along is Along.DOWN else None
