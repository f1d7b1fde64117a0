"""The table that a person reads. Pure."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from drivers.protocol import WORKLOADS
from figures import Figures, Quantity, Sample, cpu_ms, growth, megabytes, memory_mb, rate, resume_ms
from goals import SLOW_DISK_MS, disk_ms, times_outputs, verdicts

__all__ = ["as_markdown", "number"]

US = "tidegate"
_DIGITS = ((100, 0), (10, 1))
"""How many digits after the point from which value on; below, two."""
_IN_A_ROW = ("W4k", "W10k")


def number(value: float | None) -> str:
    """Return three digits of a number; a dash where there is none."""
    if value is None:
        return "-"
    digits = next((digits for least, digits in _DIGITS if abs(value) >= least), 2)
    return f"{value:,.{digits}f}"


def as_markdown(figures: Figures, machine: Mapping[str, Any], versions: Mapping[str, str]) -> str:
    """Return the whole report."""
    parts = [
        _heading(figures, machine, versions),
        _speed(figures),
        _ratios(figures),
        _costs("CPU, ms a step", figures, cpu_ms),
        _costs("Peak memory, MiB", figures, memory_mb),
        _bytes(figures),
        _growth(figures),
        _resume(figures),
        _latency(figures),
        _counts(figures),
        _goals(figures),
        _failures(figures.samples),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


def _heading(figures: Figures, machine: Mapping[str, Any], versions: Mapping[str, str]) -> str:
    lines = ["# Durable steps, side by side", ""]
    lines += [f"- {name.replace('_', ' ')}: {value}" for name, value in machine.items()]
    lines += [f"- {name} {version}" for name, version in versions.items()]
    disk = disk_ms(figures)
    if disk is not None:
        lines.append(f"- a commit of one row, synced: {number(disk)} ms")
        if disk >= SLOW_DISK_MS:
            lines.append(
                "- the disk is slow or busy now: the ratios of W1 say more about it than about software"
            )
    lines += ["", *(f"- {name}: {workload.title}" for name, workload in WORKLOADS.items())]
    return "\n".join(lines)


def _measured(figures: Figures, names: Sequence[str]) -> list[str]:
    there = {one.workload for one in figures.samples}
    return [name for name in names if name in there]


def _cell(figures: Figures, contestant: str, workload: str, quantity: Quantity) -> str:
    values = figures.values(contestant, workload, quantity)
    if not values:
        return "-"
    middle = number(figures.median(contestant, workload, quantity))
    return middle if len(values) == 1 else f"{middle} [{number(min(values))}..{number(max(values))}]"


def _grid(figures: Figures, workloads: Sequence[str], cell: Callable[[str, str], str]) -> str:
    rows = [[workload, *(cell(one, workload) for one in figures.contestants)] for workload in workloads]
    return _table(["", *figures.contestants], rows)


def _speed(figures: Figures) -> str:
    workloads = _measured(figures, ["W1", "W2", "W3", "W4", "W4k", "W64k", "W10k"])
    grid = _grid(figures, workloads, lambda one, workload: _cell(figures, one, workload, rate))
    return f"## Steps a second (of `raw`: rows)\n\nMedian [least..most].\n\n{grid}"


def _ratios(figures: Figures) -> str:
    others = [one for one in figures.contestants if one != US]
    if US not in figures.contestants or not others:
        return ""
    workloads = _measured(figures, ["W1", "W2", "W3", "W4", "W4k", "W10k"])
    rows = [[name, *(number(figures.times(name, US, other)) for other in others)] for name in workloads]
    title = "## Tidegate, times as fast as\n\nMedian of the ratios of each repetition."
    return f"{title}\n\n{_table(['', *others], rows)}"


def _costs(title: str, figures: Figures, quantity: Quantity) -> str:
    workloads = _measured(figures, ["W1", "W2", "W3", "W4k", "W10k"])
    grid = _grid(figures, workloads, lambda one, workload: _cell(figures, one, workload, quantity))
    return f"## {title}\n\n{grid}"


def _bytes(figures: Figures) -> str:
    def cell(one: str, workload: str) -> str:
        stored = figures.median(one, workload, megabytes)
        return f"{number(stored)} ({number(times_outputs(figures, one, workload))}x)" if stored else "-"

    workloads = _measured(figures, ["W4", "W4k", "W64k", "W10k"])
    return (
        f"## MB on disk afterwards (times the outputs)\n\n{_grid(figures, workloads, cell)}"
        if workloads
        else ""
    )


def _growth(figures: Figures) -> str:
    rows = list(_growth_rows(figures))
    head = ["", "ms a step, 10-110", "of the last 100", "wall", "cpu", "bytes written"]
    title = "## Growth: the last steps, times the first\n\nOf thousands, the median of ten hundreds at either end."
    return f"{title}\n\n{_table(head, rows)}" if rows else ""


def _growth_rows(figures: Figures) -> Iterator[list[str]]:
    for workload in _measured(figures, _IN_A_ROW):
        for one in figures.contestants:
            if not figures.values(one, workload, growth("wall")):
                continue
            ends = [number(figures.median(one, workload, _step_ms(at))) for at in (0, -1)]
            grown = [
                number(figures.median(one, workload, growth(name))) for name in ("wall", "cpu", "written")
            ]
            yield [f"{workload} {one}", *ends, *grown]


def _step_ms(window: int) -> Quantity:
    return lambda found: found["windows"][window]["wall"] * 10


def _resume(figures: Figures) -> str:
    workloads = _measured(figures, ["W5", "W5k"])
    if not workloads:
        return ""

    def cell(one: str, workload: str) -> str:
        again = figures.median(one, workload, lambda found: found["repeated"])
        return f"{_cell(figures, one, workload, resume_ms)}; {again:.0f}" if again is not None else "-"

    return f"## Resume: ms from opening to the first new step; steps repeated\n\n{_grid(figures, workloads, cell)}"


def _latency(figures: Figures) -> str:
    if not figures.latency:
        return ""
    names = ("p50", "p95", "p99", "max")
    rows = [[str(one["appenders"]), *(number(one[name]) for name in names)] for one in figures.latency]
    return f"## Tidegate: ms until an append is durable\n\n{_table(['appenders', *names], rows)}"


def _counts(figures: Figures) -> str:
    if not figures.counts:
        return "## System calls\n\nNot counted: `strace` is not installed, or may not trace here."
    rows = []
    for name, counted in figures.counts.items():
        calls = ("fsyncs", "writes", "reads")
        each = [number(counted[call] / counted["steps"]) for call in calls]
        rows.append([name, str(counted["steps"]), str(counted["fsyncs"]), *each])
    head = ["", "steps", "fsyncs", "fsyncs a step", "writes a step", "reads a step"]
    return f"## System calls\n\nOne run each, under `strace`, which slows everything.\n\n{_table(head, rows)}"


def _goals(figures: Figures) -> str:
    rows = []
    for verdict in verdicts(figures):
        goal = verdict.goal
        bound = f"{'>=' if goal.is_least else '<='} {goal.bound:g}"
        rows.append([str(goal.number), goal.text, bound, number(verdict.found), verdict.word])
    return f"## Goals\n\n{_table(['#', 'what', 'goal', 'found', ''], rows)}"


def _failures(samples: Sequence[Sample]) -> str:
    lines = [f"- {one.contestant} {one.workload}: {one.error}" for one in samples if one.error]
    return "\n".join(["## What failed", "", *dict.fromkeys(lines)]) if lines else ""
