"""How much work an expression may be, told from its text and its values before it runs.

Nothing can stop the expression language once it runs, and nothing else of the process moves meanwhile: no lease
is renewed, no key is taken. It copies the list that `map` or `filter` makes for each item that is added, so over n
items that is n squared; one inside the other over a thousand items takes minutes.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from tidegate.model.base import Json

__all__ = ["Shape", "too_much"]

_MOST_WORK = 50_000_000
"""Copied values; so many take some seconds."""
_STEP = 30
"""What a step of a comprehension costs, in copied values."""
_BYTES = 400
"""So many bytes of a text are copied in the time that one value takes."""
_MOST_BYTES = 256 * 1024 * 1024
"""Of a text that is put together."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What of an expression's text makes work."""

    nested: int = 0
    """How deep all, exists, map and the like stand inside each other; 0: there is none."""
    growing: int = 0
    """How deep the deepest `map` or `filter` stands; 0: there is none."""
    maps: bool = False
    inside: tuple[int, ...] = ()
    """Which of its references stand inside of them, and may be in each item that `map` makes."""
    sums: int = 0
    """How often something is added, in what is gone through and everywhere else."""
    sums_inside: int = 0
    """How often that is done for each item."""


@dataclass(slots=True)
class _Size:
    items: int = 1
    """Of the longest list or mapping."""
    inner: int = 1
    """Of the longest one that stands in another."""
    values: int = 0
    characters: int = 0

    def add(self, value: Json, depth: int = 0) -> "_Size":
        """Count a value, and what is in it."""
        self.values += 1
        if isinstance(value, str):
            self.characters += len(value)
        elif isinstance(value, list | dict):
            self.items = max(self.items, len(value))
            self.inner = max(self.inner, len(value)) if depth else self.inner
            for item in value.values() if isinstance(value, dict) else value:
                self.add(item, depth + 1)
        return self

    @property
    def weight(self) -> float:
        """As copied values."""
        return self.values + self.characters / _BYTES


def too_much(shape: Shape, values: Iterable[Json]) -> str:
    """Return why an expression would take too long over *values*, those of its references; empty: it does not."""
    if not (shape.nested or shape.sums):
        return ""
    read, whole = list(values), _Size()
    for value in read:
        whole.add(value)
    if (shape.sums + 1) * whole.characters > _MOST_BYTES:
        return f"the text that it puts together may have more than {_MOST_BYTES:,} bytes: let a command do it"
    if _work(shape, read, whole) <= _MOST_WORK:
        return ""
    words = (
        "map and filter, which copy what they have made for each item," if shape.growing else "all and exists"
    )
    depth = "one inside the other " if shape.nested > 1 else ""
    return (
        f"it would take too long: {words} {depth}over {whole.items:,} items; "
        "keep the list shorter, or let a command do it"
    )


def _work(shape: Shape, values: list[Json], whole: _Size) -> float:
    # Lists may be added to each other before they are gone through.
    joined = shape.sums - shape.sums_inside + 1
    outer = float(whole.items * joined)
    # What names nothing from outside goes through something of the item: `x.all(i, i.tags.exists(...))`.
    inner = outer if shape.inside else float(whole.inner * joined)
    steps = _STEP * outer * (inner if shape.nested > 1 else 1)
    if not shape.growing:
        return steps
    made = max(whole.weight / whole.items, 1.0)
    if shape.maps:
        made += sum(_Size().add(values[index]).weight for index in shape.inside)
        made *= shape.sums_inside + 1
    copied = outer * outer if shape.growing == 1 else outer * inner * (outer + inner)
    return max(steps, copied * made)
