"""Which element of one list is which of another: a longest common subsequence, up to a size."""

from collections.abc import Iterator, Sequence
from typing import TypeVar

__all__ = ["align", "shared"]

T = TypeVar("T")

_MOST_CELLS = 250_000
"""Comparisons for one list, 50 ms; beyond, and it would be so for any two long lists, position decides."""

_Pair = tuple[int | None, int | None]


def align(left: Sequence[bytes], right: Sequence[bytes]) -> Iterator[_Pair]:
    """Yield which elements differ, as pairs of positions; those that are the same on both sides are left out.

    None on a side says that the element is on the other one only. What stands between the same two elements
    on both sides is paired from the left: it was changed. Exchanging the lists exchanges the pairs' sides.

    Args:
        left: What elements are compared by.
        right: The same of the other list.
    """
    first = shared(left, right)
    last = shared(left[first:][::-1], right[first:][::-1])
    before = left[first : len(left) - last]
    after = right[first : len(right) - last]
    if len(before) * len(after) > _MOST_CELLS:
        matches = [(at, at) for at in range(min(len(before), len(after))) if before[at] == after[at]]
    elif list(before) <= list(after):
        matches = _common(before, after)
    else:  # Of several alignments that are as good, the same one whichever list is the left one.
        matches = [(one, other) for other, one in _common(after, before)]
    at, to = 0, 0
    for one, other in [*matches, (len(before), len(after))]:
        for pair in _between(range(at, one), range(to, other)):
            yield _moved(pair, first)
        at, to = one + 1, other + 1


def _between(left: range, right: range) -> Iterator[_Pair]:
    both = min(len(left), len(right))
    yield from zip(left[:both], right[:both], strict=True)
    yield from ((one, None) for one in left[both:])
    yield from ((None, other) for other in right[both:])


def _moved(pair: _Pair, by: int) -> _Pair:
    one, other = pair
    return None if one is None else one + by, None if other is None else other + by


def shared(left: Sequence[T], right: Sequence[T]) -> int:
    """Return how many elements both begin with."""
    found = 0
    for one, other in zip(left, right, strict=False):
        if one != other:
            break
        found += 1
    return found


def _common(left: Sequence[bytes], right: Sequence[bytes]) -> list[tuple[int, int]]:
    """Return the positions of a longest common subsequence."""
    lengths = _lengths(left, right)
    found, one, other = [], 0, 0
    while one < len(left) and other < len(right):
        if left[one] == right[other]:
            found.append((one, other))
            one, other = one + 1, other + 1
        elif lengths[one + 1][other] >= lengths[one][other + 1]:
            one += 1
        else:
            other += 1
    return found


def _lengths(left: Sequence[bytes], right: Sequence[bytes]) -> list[list[int]]:
    """Return how long it is of what follows each pair of positions."""
    rows = [[0] * (len(right) + 1)]
    for element in reversed(left):
        below, row = rows[-1], [0] * (len(right) + 1)
        for at in range(len(right) - 1, -1, -1):
            row[at] = below[at + 1] + 1 if element == right[at] else max(below[at], row[at + 1])
        rows.append(row)
    return rows[::-1]
