"""Counts that carry no noise: the system calls of what a driver measures, as `strace` sees them."""

import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from drivers.protocol import BEGIN, END

__all__ = ["count_calls", "counts_of", "has_strace"]

_TRACED = "fsync,fdatasync,pwrite64,pread64,access,faccessat,faccessat2"
_CALL = re.compile(r"^(?:\d+ +)?(\w+)\(")
_RESUMED = re.compile(r"^(?:\d+ +)?<\.\.\. ")


def has_strace() -> bool:
    """Return whether the calls of a process can be counted here."""
    return shutil.which("strace") is not None


def count_calls(lines: Iterable[str]) -> dict[str, int]:
    """Return how often each thing was done between the driver's two marks.

    Args:
        lines: A trace of all threads. Calls that were interrupted by another thread's stand there twice.

    Returns:
        Counts of `fsyncs`, `writes` and `reads` of the database.
    """
    counted: Counter[str] = Counter()
    is_measured = False
    for line in lines:
        if BEGIN in line or END in line:
            is_measured = BEGIN in line
        elif is_measured and not _RESUMED.match(line) and (call := _CALL.match(line)):
            counted[call[1]] += 1
    return {
        "fsyncs": counted["fsync"] + counted["fdatasync"],
        "writes": counted["pwrite64"],
        "reads": counted["pread64"],
    }


def counts_of(command: Sequence[str], log: Path) -> dict[str, int]:
    """Run a driver under `strace` and return what it did while it measured.

    Args:
        command: The driver's.
        log: Where the trace goes; it is overwritten.

    Raises:
        subprocess.CalledProcessError: the driver failed.
    """
    strace = ["strace", "-f", "--seccomp-bpf", "-e", f"trace={_TRACED}", "-o", str(log)]
    subprocess.run([*strace, *command], capture_output=True, text=True, check=True)
    with log.open(encoding="utf-8", errors="replace") as lines:
        return count_calls(lines)
