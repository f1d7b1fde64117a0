"""What the samples of one run of the benchmark say: medians, ratios pair by pair, growth. Pure."""

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = [
    "Figures",
    "Quantity",
    "Sample",
    "cpu_ms",
    "growth",
    "kb_per_step",
    "megabytes",
    "memory_mb",
    "rate",
    "resume_ms",
]

Quantity = Callable[[Mapping[str, Any]], float | None]
"""Takes what a driver has printed; None where it says nothing of it."""

_MANY_WINDOWS = 20
_TOGETHER = 10


@dataclass(frozen=True, slots=True)
class Sample:
    """One repetition of one workload by one contestant."""

    contestant: str
    workload: str
    repetition: int
    found: Mapping[str, Any] | None
    """What the driver printed; None: it failed."""
    error: str = ""


def rate(found: Mapping[str, Any]) -> float:
    """Return steps per second."""
    return float(found["steps"] / found["seconds"])


def cpu_ms(found: Mapping[str, Any]) -> float:
    """Return milliseconds of processor per step, of all threads."""
    return float(found["cpu_seconds"] / found["steps"] * 1000)


def megabytes(found: Mapping[str, Any]) -> float:
    """Return what is on disk afterwards, in millions of bytes."""
    return float(found["bytes"] / 1e6)


def memory_mb(found: Mapping[str, Any]) -> float:
    """Return the most memory that the process had resident, in MiB."""
    return float(found["max_rss_kb"] / 1024)


def resume_ms(found: Mapping[str, Any]) -> float:
    """Return the milliseconds from opening to the first step that had not ended before."""
    return float(found["first_step_seconds"] * 1000)


def growth(name: str) -> Quantity:
    """Return how many times as much the last steps cost as the first ones.

    One hundred steps against another; where there are thousands, the median of ten hundreds, since a
    single hundred takes only as long as one hiccup of the machine.

    Args:
        name: ``wall``, ``cpu`` or ``written``.
    """

    def measured(found: Mapping[str, Any]) -> float | None:
        costs = [window[name] for window in found["windows"]]
        # One hundred by itself says nothing of growth.
        if not costs[1:] or not costs[0]:
            return None
        together = _TOGETHER if len(costs) >= _MANY_WINDOWS else 1
        return float(statistics.median(costs[-together:]) / statistics.median(costs[:together]))

    return measured


def kb_per_step(found: Mapping[str, Any]) -> float | None:
    """Return by how many KiB the resident memory grows with each step."""
    windows = found["windows"]
    return sum(window["memory"] for window in windows) / (100 * len(windows)) if windows else None


class Figures:
    """Everything that was measured in one run of the benchmark."""

    def __init__(
        self,
        samples: Sequence[Sample],
        counts: Mapping[str, Mapping[str, Any]],
        latency: Sequence[Mapping[str, Any]],
    ) -> None:
        """Hold what was measured.

        Args:
            samples: Every repetition.
            counts: System calls, by ``contestant workload``.
            latency: Percentiles of commits, one for each number of appenders.
        """
        self.samples = tuple(samples)
        self.counts = counts
        self.latency = tuple(latency)
        self._found = {
            (one.contestant, one.workload, one.repetition): one.found
            for one in samples
            if one.found is not None
        }

    @property
    def contestants(self) -> tuple[str, ...]:
        """Who was measured, in the order in which they came."""
        return tuple(dict.fromkeys(one.contestant for one in self.samples))

    def values(self, contestant: str, workload: str, quantity: Quantity) -> list[float]:
        """Return a quantity of each repetition that succeeded."""
        found = (one for key, one in self._found.items() if key[:2] == (contestant, workload))
        return [value for one in found if (value := quantity(one)) is not None]

    def median(self, contestant: str, workload: str, quantity: Quantity) -> float | None:
        """Return the median over the repetitions; None if there is none."""
        values = self.values(contestant, workload, quantity)
        return statistics.median(values) if values else None

    def times(self, workload: str, contestant: str, other: str, quantity: Quantity = rate) -> float | None:
        """Return how many times as much *contestant* has as *other*: the median over pairs of repetitions.

        In pairs, since the machine may be half as fast in the next repetition, for both of them.
        """
        ratios = []
        for (name, load, repetition), found in self._found.items():
            beside = self._found.get((other, workload, repetition))
            if (name, load) == (contestant, workload) and beside is not None:
                ratios.append((quantity(found), quantity(beside)))
        usable = [one / two for one, two in ratios if one is not None and two]
        return statistics.median(usable) if usable else None

    def count(self, contestant: str, workload: str, name: str) -> float | None:
        """Return how many system calls of a kind there were in all; None: not counted."""
        counted = self.counts.get(f"{contestant} {workload}")
        return None if counted is None else float(counted[name])

    def per_step(self, contestant: str, workload: str, name: str) -> float | None:
        """Return how many system calls of a kind there were for each step; None: not counted."""
        counted = self.counts.get(f"{contestant} {workload}")
        return None if counted is None else float(counted[name] / counted["steps"])
