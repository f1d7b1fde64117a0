"""What every driver has in common: what the workloads are, what is measured, and how it is told.

A driver is called as ``driver.py WORKLOAD STEPS FOLDER`` in a process of its own, with an empty folder on the
disk under test, and prints one line of JSON. It needs nothing but the standard library, since it runs in
the environment of whatever it drives.

A step is given the number of the step before it and returns the next one, with some text: so a wrong
order or a lost result shows in the last number, and no engine can keep the same content only once.
"""

import asyncio
import base64
import json
import os
import random
import resource
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path

__all__ = [
    "BEGIN",
    "CRASHED",
    "END",
    "WORKLOADS",
    "Meter",
    "Task",
    "Workload",
    "drive",
    "folder_bytes",
    "task",
    "text_of",
]


@dataclass(frozen=True, slots=True)
class Workload:
    """Runs of steps, each of which returns *bytes* of text."""

    title: str
    runs: int
    steps: int
    """Of each run."""
    bytes: int = 8
    is_wide: bool = False
    """Whether the steps of a run are one wave; otherwise each needs the one before."""
    is_compressible: bool = False


WORKLOADS = {
    "W1": Workload("1 run of 100 steps in a row", 1, 100),
    "W2": Workload("50 runs at once, of 20 steps in a row", 50, 20),
    "W3": Workload("1 wave of 200 steps", 1, 200, is_wide=True),
    "W4": Workload("100 steps of 10 KB each", 1, 100, bytes=10_000),
    "W4k": Workload("1,000 steps of 1 KB each", 1, 1_000, bytes=1_000),
    "W64k": Workload(
        "100 steps of 64 KB each, that compress well", 1, 100, bytes=64_000, is_compressible=True
    ),
    "W10k": Workload("10,000 steps of 1 KB each", 1, 10_000, bytes=1_000),
    "W5": Workload("1,000 steps of 1 KB each; the process dies within step 500", 1, 1_000, bytes=1_000),
    "W5k": Workload("10,000 steps of 1 KB each; the process dies within step 5,000", 1, 10_000, bytes=1_000),
}

_POOL_BYTES = 300_000
_WINDOW = 100
_FIRST = 10
"""The steps before this one pay for what is done once."""
CRASHED = 9
"""What a process that dies on purpose ends with."""
BEGIN, END = "/benchmark-begins", "/benchmark-ends"
"""Files that are looked for and not there, so that a trace of system calls shows what was measured."""


@dataclass(frozen=True, slots=True)
class Task:
    """What a driver is asked to do."""

    name: str
    workload: Workload
    steps: int
    """Of each run; the workload's own number, or fewer."""
    folder: Path
    phase: str = ""
    """``crash`` or ``resume`` where a workload needs two processes."""

    @property
    def total(self) -> int:
        """How many steps all runs have together."""
        return self.workload.runs * self.steps

    @property
    def crash_at(self) -> int:
        """The step in which the process dies, counted from 1; 0: it does not."""
        return self.steps // 2 if self.phase else 0


def task() -> Task:
    """Return what the command line asks for."""
    name, steps, folder = sys.argv[1:]
    workload, _, phase = name.partition(":")
    return Task(workload, WORKLOADS[workload], int(steps), Path(folder), phase)


def _pool() -> str:
    return base64.b64encode(random.Random(20).randbytes(_POOL_BYTES)).decode()  # noqa: S311


def text_of(workload: Workload) -> Callable[[int], str]:
    """Return what gives the text of a step: another one for each, made in next to no time."""
    size, pool = workload.bytes, _pool()
    span = len(pool) - size
    if not workload.is_compressible:
        return lambda n: pool[(at := n * 7919 % span) : at + size]
    lines = [
        f"2026-03-01T12:00 worker {pool[n % span : n % span + 20]} status=200\n" for n in range(0, span, 20)
    ]
    count = size // len(lines[0]) + 1
    return lambda n: "".join(lines[(at := n * 79 % (len(lines) - count)) : at + count])[:size]


def folder_bytes(folder: Path) -> int:
    """Return how many bytes the files in a folder have."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


@dataclass(frozen=True, slots=True)
class Sample:
    """Where a process stood before some step."""

    wall: float
    cpu: float
    written: int
    """Bytes handed to the system so far."""
    memory: int
    """KiB resident."""


@dataclass(slots=True)
class Meter:
    """Measures one workload; its `step` is called by every step, with its number counted from 1."""

    task: Task
    samples: list[Sample] = field(default_factory=list)
    done: int = 0
    first_at: float = 0.0
    """When the first step of this process began."""
    repeated: int = 0
    """How many steps ran although an earlier process had ended them."""
    _begun: Sample | None = None
    _ended: Sample | None = None

    def begin(self) -> None:
        """Start the clocks; what was done until now does not count."""
        self.done = self.repeated = 0
        self.first_at = 0.0
        self.samples.clear()
        os.access(BEGIN, os.F_OK)
        self._begun = sample()

    def end(self) -> None:
        """Stop the clocks."""
        self._ended = sample()
        os.access(END, os.F_OK)

    def step(self, number: int) -> None:
        """Note that a step begins; in the first process of a crash, die where that is wanted."""
        if not self.done:
            self.first_at = time.perf_counter()
        if self.done % _WINDOW == _FIRST:
            self.samples.append(sample())
        self.done += 1
        if self.task.phase == "crash" and number == self.task.crash_at:
            os._exit(CRASHED)  # At once, as a power cut would end it.
        self.repeated += number < self.task.crash_at

    def tell(self, **more: object) -> None:
        """Print the one line of JSON."""
        if self._begun is None or self._ended is None:
            raise RuntimeError("nothing was measured: call begin and end")
        facts = {
            "seconds": self._ended.wall - self._begun.wall,
            "steps": self.done,
            "cpu_seconds": self._ended.cpu - self._begun.cpu,
            "written_bytes": self._ended.written - self._begun.written,
            "bytes": folder_bytes(self.task.folder),
            "max_rss_kb": _status("VmHWM") or resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,
            "first_step_seconds": self.first_at - self._begun.wall,
            "repeated": self.repeated,
            "windows": self._windows(),
        }
        print(json.dumps(facts | more), flush=True)

    def _windows(self) -> list[dict[str, float]]:
        """Return the cost of each hundred steps, of one run of steps in a row."""
        if self.task.workload.is_wide or self.task.workload.runs > 1:
            return []
        pairs = zip(self.samples, self.samples[1:], strict=False)
        return [_difference(before, after) for before, after in pairs]


def _difference(before: Sample, after: Sample) -> dict[str, float]:
    earlier, later = asdict(before), asdict(after)
    return {name: later[name] - earlier[name] for name in earlier}


def sample() -> Sample:
    """Return where this process stands."""
    return Sample(time.perf_counter(), time.process_time(), _written(), _status("VmRSS"))


def _written() -> int:
    """Return how many bytes this process has handed to the system; 0 where that is not told."""
    try:
        lines = Path("/proc/self/io").read_text(encoding="ascii")
    except OSError:
        return 0
    return int(lines.partition("wchar:")[2].split()[0])


def _status(name: str) -> int:
    """Return a figure of /proc/self/status in KiB; 0 where there is none."""
    try:
        lines = Path("/proc/self/status").read_text(encoding="utf-8")
    except OSError:
        return 0
    return int(lines.partition(f"{name}:")[2].split()[0])


Phase = Callable[[Task, Meter], Awaitable[list[int]]]
"""Does the steps; returns the number of the last one of each run."""


def drive(measure: Phase, resume: Phase) -> None:
    """Do what the command line asks for, and tell what it took.

    Args:
        measure: From the beginning.
        resume: After the process that began it has died.
    """
    wanted = task()
    meter = Meter(wanted)

    async def phase() -> list[int]:
        return await (resume if wanted.phase == "resume" else measure)(wanted, meter)

    found = asyncio.run(phase())
    if set(found) != {wanted.steps}:
        raise RuntimeError(f"the last steps have the numbers {found}")
    meter.tell()
