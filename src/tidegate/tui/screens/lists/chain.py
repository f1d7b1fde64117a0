"""Questions of one run, one after the other: where to go when the one that the cursor was on is closed."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from tidegate.model.ids import PauseId, RunId
from tidegate.model.listing import PauseRow

__all__ = ["Chain", "ordinal"]

_PROMPTLY = 3.0
"""Seconds within which the next question of a run belongs to the answer before it."""
_NEWS = 10.0
"""Seconds for which it is said that the next question is hidden."""


@dataclass(frozen=True, slots=True)
class _Left:
    """A question that the cursor was on when it was closed."""

    run_id: RunId
    """At the top."""
    at: float
    """By the monotonic clock."""
    stands: str | None = None
    """Where the cursor went; None: that is not yet decided."""


class Chain:
    """Says which question is the next one of the run whose question was just closed.

    Args:
        monotonic: Returns seconds, by the monotonic clock.
    """

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._left: _Left | None = None
        self._number = 1
        self._found_at = 0.0
        self._under = ""
        self.following: PauseId | None = None
        """The next question; None: there is none, or it is closed, too."""

    def leave(self, was: PauseRow) -> None:
        """Remember a question that was closed under the cursor."""
        self._number = self._number + 1 if was.pause_id == self.following else 1
        self.following = None
        self._left = _Left(was.root or was.run_id, self._monotonic())

    def look(self, waiting: Iterable[PauseRow], here: str) -> PauseId | None:
        """Return the question to go to now, once.

        It may be asked a moment later. By then nobody may have moved the cursor: it stands where it was put.

        Args:
            waiting: All open questions, the most urgent first.
            here: The row that the cursor is on.
        """
        rows, left = tuple(waiting), self._left
        if all(row.pause_id != self.following for row in rows):
            self.following = None
        if left is None:
            return None
        if self._monotonic() - left.at > _PROMPTLY or left.stands not in (None, here):
            self._left = None
            return None
        found = next((row.pause_id for row in rows if (row.root or row.run_id) == left.run_id), None)
        self._left = replace(left, stands=here) if found is None else None
        self.following = found
        self._found_at, self._under = self._monotonic(), ""
        return found

    def is_news(self, under: str) -> bool:
        """Return whether it is still news that the next question is hidden; if it is none any more, let it go.

        Args:
            under: The filter that hides it. Whoever takes another one looks for something else.
        """
        self._under = self._under or under
        if under != self._under or self._monotonic() - self._found_at > _NEWS:
            self.following = None
        return self.following is not None

    def position(self, pause_id: PauseId) -> str:
        """Return where a question stands among those of its run that were answered on end; empty: nowhere."""
        return f"{ordinal(self._number + 1)} in a row of this run" if pause_id == self.following else ""


def ordinal(number: int) -> str:
    """Return a number as the place in an order: ``2nd``."""
    is_teen = number % 100 in (11, 12, 13)
    return f"{number}{'th' if is_teen else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"
