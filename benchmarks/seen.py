"""What a person at the monitor saw, in figures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from large_store import Size
from terminal_user import Echo

__all__ = ["GOAL_MS", "Figures", "percentile", "table"]

GOAL_MS = 100.0
"""Within which every key has its effect."""


@dataclass(slots=True)
class Figures:
    """What was measured."""

    echoes: dict[str, list[Echo]] = field(default_factory=dict)
    """From a key to its effect, by what was done."""
    waits: dict[str, float] = field(default_factory=dict)
    """Seconds of what takes longer where there is more; keys have their effect meanwhile."""
    idle: dict[str, float] = field(default_factory=dict)
    """Percent of one processor, by where nothing was done."""
    memory: tuple[float, float] = (0.0, 0.0)
    """MiB at the end, and at most."""

    def echo(self, name: str, echo: Echo) -> None:
        """Add how long one key took."""
        self.echoes.setdefault(name, []).append(echo)

    def wait(self, name: str, seconds: float) -> None:
        """Add how long something took."""
        self.waits[name] = seconds


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value below which lies *share* (0 to 1) of the others."""
    ordered = sorted(values)
    return ordered[round(share * (len(ordered) - 1))]


def table(figures: Figures, size: Size, facts: Mapping[str, object]) -> str:
    """Return all of it as tables."""
    lines = [
        ", ".join(f"{name} {value}" for name, value in facts.items()),
        f"{size.runs:,} runs, {size.checkpoints:,} checkpoints, {size.questions:,} open questions",
        "",
        "| from a key to its effect, ms | keys | median | p95 | worst | CPU, median | p95 | worst |",
        f"|{'---|' * 8}",
        *(_echo(name, values) for name, values in figures.echoes.items()),
        _echo("all", [value for values in figures.echoes.values() for value in values]),
        "",
        *(f"{seconds:8.2f} s  {name}" for name, seconds in figures.waits.items()),
        *(f"{percent:8.2f} % of a processor: {name}" for name, percent in figures.idle.items()),
        f"{figures.memory[0]:8.0f} MiB in the end, at most {figures.memory[1]:.0f}",
    ]
    return "\n".join(lines)


def _echo(name: str, echoes: Sequence[Echo]) -> str:
    passed, used = [echo.passed for echo in echoes], [echo.used for echo in echoes]
    values = (percentile(values, share) for values in (passed, used) for share in (0.5, 0.95, 1.0))
    return " | ".join([f"| {name}", str(len(echoes)), *(f"{value:.0f}" for value in values), ""])
