"""Lines of a list that are made when somebody looks at them.

A list of thousands of rows is made anew every second, for the ages in it; a terminal shows thirty.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from enum import IntEnum
from itertools import accumulate
from typing import overload

from tidegate.tui.lines import Line

__all__ = ["Rows", "Standing"]


class Standing(IntEnum):
    """What a line is to a cursor."""

    HEADING = 0
    """No cursor stops at it."""
    PASSIVE = 1
    """A cursor stops at it only when it is led there."""
    INVITING = 2


class Rows(Sequence[Line]):
    """Lines of which only keys and standing are known before they are drawn."""

    def __init__(
        self, keys: Sequence[str], make: Callable[[int], Line], standings: Sequence[Standing] | None = None
    ) -> None:
        """Make them.

        Args:
            keys: Of all lines, from the first to the last. The same object again: the same lines are
                selectable as the last time.
            make: Returns the line of an index. What it returns is kept.
            standings: Of all lines; None: they are all inviting.
        """
        self.keys = keys
        self._make = make
        self._standings = standings
        self._made: dict[int, Line] = {}
        self._before: list[int] | None = None
        """How many are inviting before each; counted when it is first asked for."""

    @classmethod
    def of(cls, lines: Sequence[Line]) -> "Rows":
        """Return lines that there are already."""
        if isinstance(lines, Rows):
            return lines
        return cls([line.key for line in lines], lines.__getitem__, [_standing(line) for line in lines])

    @classmethod
    def joined(cls, parts: Iterable["Rows"]) -> "Rows":
        """Return several lists, one below the other."""
        parts = [part for part in parts if part]
        if len(parts) == 1:
            return parts[0]
        ends = list(accumulate(map(len, parts)))

        def make(index: int) -> Line:
            part = parts[number := bisect_right(ends, index)]
            # Made, not taken: what the part has made once may be what was true then.
            return part._make(index - ends[number] + len(part))

        standings = [part.standing(at) for part in parts for at in range(len(part))]
        return cls([key for part in parts for key in part.keys], make, standings)

    def anew(self) -> "Rows":
        """Return the same rows, whose lines are made again when somebody looks at them."""
        again = Rows(self.keys, self._make, self._standings)
        again._before = self._before
        return again

    def standing(self, index: int) -> Standing:
        """Return what a line is to a cursor, without making it."""
        return self._standings[index] if self._standings is not None else Standing.INVITING

    def is_selectable(self, index: int) -> bool:
        """Whether a cursor may stop at a line."""
        return self.standing(index) is not Standing.HEADING

    def is_inviting(self, index: int) -> bool:
        """Whether a cursor stops at a line by itself."""
        return self.standing(index) is Standing.INVITING

    @property
    def inviting(self) -> int:
        """How many lines are inviting."""
        return self.inviting_before(len(self))

    def inviting_before(self, index: int) -> int:
        """Return how many lines before an index are inviting."""
        if self._standings is None:
            return index
        if self._before is None:
            inviting = (standing is Standing.INVITING for standing in self._standings)
            self._before = list(accumulate(inviting, initial=0))
        return self._before[min(index, len(self))]

    def selectable_keys(self) -> dict[str, int]:
        """Return where each line is that a cursor may stop at."""
        if self._standings is None:
            return dict(zip(self.keys, range(len(self)), strict=True))
        return {key: index for index, key in enumerate(self.keys) if self._standings[index]}

    def __len__(self) -> int:
        return len(self.keys)

    @overload
    def __getitem__(self, index: int) -> Line: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Line, ...]: ...

    def __getitem__(self, index: int | slice) -> Line | tuple[Line, ...]:
        if isinstance(index, slice):
            return tuple(self[at] for at in range(*index.indices(len(self))))
        if index < 0:
            index += len(self)
        if not 0 <= index < len(self):
            raise IndexError(index)
        line = self._made.get(index)
        if line is None:
            line = self._made[index] = self._make(index)
        return line

    def sample(self, number: int) -> tuple[Line, ...]:
        """Return some lines of the beginning and of the end: enough to see how wide columns are."""
        return tuple(self[at] for at in self.ends(number))

    def ends(self, number: int) -> Sequence[int]:
        """Return where so many lines of the beginning, and of the end, are; of fewer, where all are."""
        if len(self) <= 2 * number:
            return range(len(self))
        return (*range(number), *range(len(self) - number, len(self)))


def _standing(line: Line) -> Standing:
    if not line.selectable:
        return Standing.HEADING
    return Standing.PASSIVE if line.passive else Standing.INVITING
