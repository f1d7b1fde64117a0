"""How long the store took, and how often it failed, as this process has seen it.

Kept in memory, and of one process: a journal says when something was written, not how long its writer
waited. Who wants to know asks the process that waits: `tidegate worker --metrics`.
"""

import logging
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Final

__all__ = ["BOUNDS", "SLOW", "Histogram", "Latencies"]

log = logging.getLogger(__name__)

BOUNDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Seconds up to which times are counted together; what takes longer is counted, too."""
SLOW: Final = 0.1
"""Seconds from which a save or a load is worth a line in the log."""


class Histogram:
    """Times, counted by how long they were."""

    def __init__(self) -> None:
        self._counts = [0] * (len(BOUNDS) + 1)
        self.total = 0.0
        """All of them together, in seconds."""

    def add(self, seconds: float) -> None:
        """Count one."""
        self._counts[bisect_left(BOUNDS, seconds)] += 1
        self.total += seconds

    @property
    def count(self) -> int:
        """How many there were."""
        return sum(self._counts)

    def up_to(self) -> Sequence[int]:
        """Return how many were no longer than each of `BOUNDS`, and last how many there were."""
        return tuple(accumulate(self._counts))


class Latencies:
    """What one process has seen of one store."""

    def __init__(self) -> None:
        self.saves: dict[str, Histogram] = {}
        """By what was asked of the store: until it was durable."""
        self.loads: dict[str, Histogram] = {}
        self.restores = Histogram()
        """How long it took to have the state of a run that was not in memory: its journal read, checked, folded."""
        self.errors: dict[tuple[str, str], int] = {}
        """How often, by what was asked of the store and the name of the error."""

    def saved(self, operation: str, seconds: float) -> None:
        """Count a save."""
        _add(self.saves, operation, seconds)

    def loaded(self, operation: str, seconds: float) -> None:
        """Count a load."""
        _add(self.loads, operation, seconds)

    def failed(self, operation: str, error: str) -> None:
        """Count what did not succeed."""
        self.errors[operation, error] = self.errors.get((operation, error), 0) + 1

    def failures(self) -> Iterator[tuple[str, str, int]]:
        """Yield what was asked of the store, the error's name, and how often."""
        for (operation, error), how_often in sorted(self.errors.items()):
            yield operation, error, how_often


def _add(histograms: dict[str, Histogram], operation: str, seconds: float) -> None:
    histograms.setdefault(operation, Histogram()).add(seconds)
    if seconds >= SLOW:
        log.info("the store took %.0f ms for one %s", seconds * 1_000, operation)
