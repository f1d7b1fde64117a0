"""The goals, and whether a run of the benchmark meets them. Pure.

A goal is a ratio within one run, or a count, because a shared machine may be twice as slow an hour
later. Where something was not measured a goal is neither met nor missed.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from drivers.protocol import WORKLOADS
from figures import Figures, cpu_ms, growth, kb_per_step, megabytes, memory_mb, rate, resume_ms

__all__ = ["SLOW_DISK_MS", "Goal", "Verdict", "disk_ms", "verdicts"]

US = "tidegate"
SLOW_DISK_MS = 0.5
"""From here on a commit costs everybody mostly the disk, and speeds in a row say little about software."""


@dataclass(frozen=True, slots=True)
class Goal:
    """One figure and its bound."""

    number: int
    text: str
    bound: float
    measure: Callable[[Figures], float | None]
    is_least: bool = False
    """Whether the bound is the least that is wanted; otherwise it is the most."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A goal and what was found."""

    goal: Goal
    found: float | None

    @property
    def word(self) -> str:
        """Return ``met``, ``missed``, or ``-`` if nothing was measured."""
        if self.found is None:
            return "-"
        is_met = self.found >= self.goal.bound if self.goal.is_least else self.found <= self.goal.bound
        return "met" if is_met else "missed"


def disk_ms(figures: Figures) -> float | None:
    """Return the milliseconds that a commit of one row takes on this disk, synced."""
    commits = figures.median("raw", "W1", rate)
    return 1000 / commits if commits else None


def verdicts(figures: Figures) -> list[Verdict]:
    """Return every goal with what was found."""
    return [Verdict(goal, goal.measure(figures)) for goal in _goals()]


def _goals() -> Iterator[Goal]:
    for number, workload, bounds in _SPEEDS:
        for other, least in bounds.items():
            yield Goal(
                number,
                f"{workload}: times as fast as {other}",
                least,
                _faster(workload, other),
                is_least=True,
            )
    yield Goal(1, "W1: steps/s, as a share of one-row commits/s", 0.4, _faster("W1", "raw"), is_least=True)
    yield Goal(
        2, "W2: rows/s (2 a step), as a share of rows/s by the hundred", 0.25, _rows_share, is_least=True
    )
    yield Goal(3, "W3: fsyncs of a wave", 4, lambda it: it.count(US, "W3", "fsyncs"))
    yield Goal(4, "W1: fsyncs a step", 1.05, lambda it: it.per_step(US, "W1", "fsyncs"))
    yield Goal(4, "W1: writes a step", 8, lambda it: it.per_step(US, "W1", "writes"))
    yield Goal(4, "W1: reads a step", 0.05, lambda it: it.per_step(US, "W1", "reads"))
    yield Goal(4, "W2: fsyncs of 1,000 steps", 30, _thousand_steps)
    yield Goal(5, "W1: CPU ms a step", 0.40, lambda it: it.median(US, "W1", cpu_ms))
    yield Goal(5, "W2: CPU ms a step", 0.12, lambda it: it.median(US, "W2", cpu_ms))
    for name in ("cpu", "written"):
        yield Goal(6, f"W10k: {name} of the last steps, times that of the first", 1.1, _grown(name))
    yield Goal(6, "W10k: KiB of memory a step", 1.0, lambda it: it.median(US, "W10k", kb_per_step))
    for workload, bound in (("W4k", 1.5), ("W4", 1.1), ("W64k", 0.5)):
        yield Goal(7, f"{workload}: bytes on disk, times those of the outputs", bound, _stored(workload))
    yield Goal(8, "W5: ms from opening to the first new step", 20, lambda it: it.median(US, "W5", resume_ms))
    yield Goal(8, "W5: steps repeated", 0, lambda it: it.median(US, "W5", lambda found: found["repeated"]))
    yield Goal(8, "W5: times as fast as dbos", 75, _resumes_faster, is_least=True)
    yield Goal(13, "W1: peak memory, MiB", 55, lambda it: it.median(US, "W1", memory_mb))


_SPEEDS = (
    (1, "W1", {"dbos": 8, "dbos-wal": 5, "langgraph": 6, "burr": 4}),
    (2, "W2", {"dbos": 60, "dbos-wal": 35, "langgraph": 20, "burr": 5}),
    (3, "W3", {"dbos": 50, "langgraph": 10}),
)


def _faster(workload: str, other: str) -> Callable[[Figures], float | None]:
    return lambda figures: figures.times(workload, US, other)


def _grown(name: str) -> Callable[[Figures], float | None]:
    return lambda figures: figures.median(US, "W10k", growth(name))


def _rows_share(figures: Figures) -> float | None:
    share = figures.times("W2", US, "raw")
    return None if share is None else 2 * share


def _thousand_steps(figures: Figures) -> float | None:
    each = figures.per_step(US, "W2", "fsyncs")
    return None if each is None else 1000 * each


def _stored(workload: str) -> Callable[[Figures], float | None]:
    return lambda figures: times_outputs(figures, US, workload)


def times_outputs(figures: Figures, contestant: str, workload: str) -> float | None:
    """Return how many times as many bytes are on disk as the steps' outputs have."""
    outputs = WORKLOADS[workload].bytes / 1e6
    return figures.median(contestant, workload, lambda found: megabytes(found) / (outputs * found["steps"]))


def _resumes_faster(figures: Figures) -> float | None:
    return figures.times("W5", "dbos", US, resume_ms)
