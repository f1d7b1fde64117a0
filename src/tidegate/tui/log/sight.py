"""Which rows of a log are seen, and which of them hold what one looks for."""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from tidegate.tui.log.rows import Level, Row
from tidegate.tui.log.window import LogWindow

__all__ = ["Numbers", "Wanted", "spans_of"]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What of a log one wants to see. Case matters only where words have capital letters."""

    only: str = ""
    """Only lines with all of these words."""
    hide: str = ""
    """No lines with all of these words."""
    least: Level = Level.NONE
    """No lines of a lower level."""
    find: str = ""
    """Lines in which this stands, as it is typed, are marked."""

    @property
    def is_all(self) -> bool:
        """Whether every line is seen."""
        return not (self.only or self.hide or self.least)

    def shows(self, row: Row) -> bool:
        """Whether a line is seen. One that nobody wrote always is."""
        if row.stream is None:
            return True
        return (
            row.level >= self.least
            and (not self.only or has_words(row.text, self.only))
            and not (self.hide and has_words(row.text, self.hide))
        )

    def finds(self, row: Row) -> bool:
        """Whether a line is one that is looked for."""
        return bool(self.find) and self.find in (row.text if _asked(self.find).is_exact else row.text.lower())


def has_words(text: str, words: str) -> bool:
    """Return whether a line holds all of these words."""
    asked = _asked(words)
    text = text if asked.is_exact else text.lower()
    # Without a frame for each word: with each letter that is typed a hundred thousand lines are looked at.
    return all(map(text.__contains__, asked.words))


def spans_of(text: str, found: str) -> Iterator[tuple[int, int]]:
    """Yield where something stands in a line: from which character to which."""
    if not found:
        return
    text = text if _asked(found).is_exact else text.lower()
    at = text.find(found)
    while at >= 0:
        yield at, at + len(found)
        at = text.find(found, at + len(found))


class _Asked(NamedTuple):
    """What somebody typed."""

    words: tuple[str, ...]
    is_exact: bool
    """Whether case matters."""


@lru_cache(maxsize=16)
def _asked(text: str) -> _Asked:
    """Return what a text asks for, which is found out once and not for each line."""
    return _Asked(tuple(text.split()), text != text.lower())


class Numbers:
    """The numbers of those rows of a window that pass, kept while it moves: each row is looked at once."""

    def __init__(self, passes: Callable[[Row], bool] | None) -> None:
        """Make one; None: all pass."""
        self._passes = passes
        self._found: list[int] = []
        self._low = self._high = 0
        self._is_begun = False

    @property
    def found(self) -> Sequence[int]:
        """They, in order."""
        return range(self._low, self._high) if self._passes is None else self._found

    @property
    def seen(self) -> int:
        """How many rows it has looked at: those of the window, as it was last."""
        return self._high - self._low

    def sync(self, window: LogWindow) -> None:
        """Follow a window that has moved."""
        if not self._is_begun or window.end < self._low or window.base > self._high:
            self._is_begun = True
            self._found, self._low, self._high = [], window.base, window.base
        low, high = self._low, self._high
        self._low, self._high = window.base, window.end
        if self._passes is None:
            return
        before = [number for number in range(window.base, low) if self._passes(window.row(number))]
        kept = self._found[bisect_left(self._found, window.base) : bisect_left(self._found, window.end)]
        after = [
            number for number in range(max(high, window.base), window.end) if self._passes(window.row(number))
        ]
        if before or after or len(kept) != len(self._found):
            self._found = [*before, *kept, *after]

    def at(self, number: int) -> int:
        """Return the index of the first that is not before *number*."""
        return bisect_left(self.found, number)
