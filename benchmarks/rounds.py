"""What is measured in which order, and how a driver is called. Each repetition has a process and a folder of its own."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from contestants import DRIVERS, Contestant
from drivers.protocol import CRASHED, WORKLOADS
from figures import Sample
from system_calls import counts_of, has_strace

__all__ = ["Plan", "counted", "latencies", "sampled", "say"]

_PATIENCE = 300.0
"""Seconds after which one repetition is given up."""
_RESUMED = ("W5", "W5k")
_QUICK_SHARE = 5
_QUICK_LEAST = 320
"""It takes as many steps to compare the first hundred with the last."""
_COUNTED = ("W1", "W2", "W3")
_APPENDERS = ((1, 400), (50, 40))


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be measured, and where."""

    contestants: tuple[Contestant, ...]
    workloads: tuple[str, ...]
    repetitions: int
    folder: Path
    pythons: dict[str, Path]
    """Interpreters, by the name of their environment."""
    is_quick: bool = False

    def steps(self, contestant: Contestant, workload: str) -> int:
        """Return how many steps a run has."""
        steps: int = contestant.steps.get(workload, WORKLOADS[workload].steps)
        return max(min(steps, _QUICK_LEAST), steps // _QUICK_SHARE) if self.is_quick else steps

    def rounds(self) -> Iterator[tuple[int, str, Contestant]]:
        """Yield what to run, in order: each contestant in turn, and backwards in every other repetition."""
        for repetition in range(self.repetitions):
            order = self.contestants if repetition % 2 == 0 else self.contestants[::-1]
            for workload in self.workloads:
                for one in order:
                    if repetition < one.workloads.get(workload, 0):
                        yield repetition, workload, one

    def command(self, contestant: Contestant, workload: str, folder: Path, phase: str = "") -> list[str]:
        """Return how a driver is called."""
        name = f"{workload}:{phase}" if phase else workload
        python = str(self.pythons[contestant.home])
        driver = str(DRIVERS / contestant.driver)
        return [
            python,
            driver,
            name,
            str(self.steps(contestant, workload)),
            str(folder),
            *contestant.arguments,
        ]


class Failed(Exception):
    """A driver did not do what it was asked; the text is the last that it said."""


def _call(command: Sequence[str], *, code: int = 0) -> dict[str, Any]:
    """Run a driver; return what it printed, if it was to end well.

    Raises:
        Failed: it ended otherwise than with *code*, or not in time.
    """
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_PATIENCE, check=False)
    except subprocess.TimeoutExpired:
        raise Failed(f"it had not ended after {_PATIENCE:.0f} seconds") from None
    if done.returncode != code:
        raise Failed((done.stderr.strip().splitlines() or ["it says nothing"])[-1])
    return {} if code else dict(json.loads(done.stdout))


def _measure(plan: Plan, contestant: Contestant, workload: str) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(dir=plan.folder, ignore_cleanup_errors=True) as name:
        folder = Path(name)
        if workload not in _RESUMED:
            return _call(plan.command(contestant, workload, folder))
        _call(plan.command(contestant, workload, folder, "crash"), code=CRASHED)
        return _call(plan.command(contestant, workload, folder, "resume"))


def sampled(plan: Plan) -> Iterator[Sample]:
    """Yield a sample of everything that is planned, as it is taken; after an interrupt from the keyboard, no more."""
    for repetition, workload, one in plan.rounds():
        try:
            found, error = _measure(plan, one, workload), ""
        except Failed as failure:
            found, error = None, str(failure)
        except KeyboardInterrupt:
            say("stopped: what was measured until now is reported")
            return
        say(f"{repetition + 1}/{plan.repetitions} {workload} {one.name} {error or _speed(found)}")
        yield Sample(one.name, workload, repetition, found, error)


def _speed(found: dict[str, Any] | None) -> str:
    return "" if not found else f"{found['steps']} steps in {found['seconds']:.2f} s"


def say(line: str) -> None:
    """Tell whoever waits how far it has come."""
    print(line, file=sys.stderr, flush=True)


def counted(plan: Plan) -> dict[str, dict[str, Any]]:
    """Return the system calls of each contestant, by ``contestant workload``; nothing where none can be traced."""
    if not has_strace():
        return {}
    counts = {f"{one.name} {workload}": _counts(plan, one, workload) for one, workload in _to_count(plan)}
    return {name: calls for name, calls in counts.items() if calls}


def _to_count(plan: Plan) -> Iterator[tuple[Contestant, str]]:
    """Yield what to trace: of the others only steps in a row, where a transaction for each step shows."""
    for one in plan.contestants:
        workloads = _COUNTED if one.name in ("tidegate", "reference") else _COUNTED[:1]
        yield from ((one, workload) for workload in workloads if workload in plan.workloads)


def _counts(plan: Plan, contestant: Contestant, workload: str) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(dir=plan.folder) as name:
        disk = Path(name) / "disk"
        disk.mkdir()
        try:
            calls = counts_of(plan.command(contestant, workload, disk), Path(name) / "trace.txt")
        except subprocess.CalledProcessError as error:
            say(f"the calls of {workload} {contestant.name} are not counted: {error}")
            return {}
    return {"steps": WORKLOADS[workload].runs * plan.steps(contestant, workload), **calls}


def latencies(plan: Plan) -> list[dict[str, Any]]:
    """Return percentiles of how long one append takes, alone and among fifty."""
    if not any(one.name == "tidegate" for one in plan.contestants):
        return []
    found = []
    for appenders, appends in _APPENDERS:
        with tempfile.TemporaryDirectory(dir=plan.folder) as folder:
            python, driver = str(plan.pythons["tidegate"]), str(DRIVERS / "latency_driver.py")
            try:
                found.append(_call([python, driver, str(appenders), str(appends), folder]))
            except Failed as failure:
                say(f"the latency among {appenders} appenders is left out: {failure}")
    return found
