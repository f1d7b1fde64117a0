"""How much a soak has made, and how much memory it takes."""

from dataclasses import dataclass
from pathlib import Path

from journal_invariants import Broken

__all__ = ["Measure", "rss_of", "size_of", "sizes_below"]


@dataclass(frozen=True)
class Measure:
    """How much there is at one time."""

    minute: float
    steps: int
    runs: int
    unfinished: int
    checks: int
    elder_rss: int
    """Bytes, of the engine that is never killed."""
    file: int
    wal: int

    def __str__(self) -> str:
        return (
            f"{self.minute:6.1f} min {self.steps:>6} steps {self.runs:>5} runs ({self.unfinished:>3} unfinished)"
            f" {self.checks:>6} checks  RSS {self.elder_rss / 2**20:6.1f} MiB"
            f"  file {self.file / 2**20:6.1f} MiB  log {self.wal / 2**20:5.1f} MiB"
        )


def size_of(file: Path) -> int:
    """Return the bytes of a file; 0 if there is none."""
    try:
        return file.stat().st_size
    except FileNotFoundError:
        return 0


def sizes_below(folder: Path) -> int:
    """Return the bytes of all files in a folder and below it; 0 if there is none."""
    return sum(size_of(file) for file in folder.rglob("*"))


def rss_of(pid: int | None) -> int:
    """Return the resident bytes of a process (Linux); 0 elsewhere."""
    status = Path(f"/proc/{pid}/status")
    if not status.exists():
        return 0
    for line in status.read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    raise Broken("a living process has a size", str(status))
