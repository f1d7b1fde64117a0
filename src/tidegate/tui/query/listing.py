"""What a list can be searched and ordered by; each mode has one of these."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from tidegate.tui.query.fields import Field

__all__ = ["Listing", "Sort", "in_order"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Sort(Generic[T]):
    """One order of a list."""

    name: str
    """What decides, in a word."""
    key: Callable[[T, float], float | str] | None = None
    """What of a row is compared, now. None: the rows stay as they were listed."""
    falls: bool = False
    """Whether the largest comes first, where nobody has reversed it."""
    is_timed: bool = False
    """Whether time alone may change it: not of ages, which all grow alike."""


@dataclass(frozen=True, slots=True)
class Listing(Generic[T]):
    """One kind of list."""

    name: str
    """Names what is kept of it between two starts."""
    fields: tuple[Field[T], ...] = ()
    sorts: tuple[Sort[T], ...] = (Sort("as listed"),)
    """The first is the one that the list has by itself."""
    filters: Mapping[str, str] = field(default_factory=dict)
    """Filters that are there without anybody having saved them."""


def in_order(rows: Sequence[T], sort: Sort[T], now: float, *, is_reversed: bool = False) -> list[T]:
    """Return *rows* in an order. Rows that are equal in it keep the order in which they were listed."""
    key = sort.key
    if key is None:
        return list(reversed(rows)) if is_reversed else list(rows)
    return sorted(rows, key=lambda row: key(row, now), reverse=sort.falls is not is_reversed)
