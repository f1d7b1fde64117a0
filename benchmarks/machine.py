"""What a figure depends on besides the code: the machine, the disk, and who else was at work."""

import os
import platform
import sqlite3
import subprocess
import sys
from pathlib import Path

__all__ = ["facts", "file_system"]


def facts(folder: Path) -> dict[str, object]:
    """Return what there is to say of this machine and of the disk under *folder*."""
    return {
        "system": platform.platform(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0],
        "python": sys.version.split()[0],
        "sqlite": sqlite3.sqlite_version,
        "file_system": file_system(folder),
        "commit": _commit(),
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(": ")[2] for line in lines if line.startswith("model name")), "")


def file_system(folder: Path) -> str:
    """Return the kind of file system that *folder* is on; empty where that is not told."""
    try:
        mounts = [line.split() for line in Path("/proc/mounts").read_text(encoding="utf-8").splitlines()]
    except OSError:
        return ""
    path = folder.resolve()
    over = [(mount[1], mount[2]) for mount in mounts if path.is_relative_to(mount[1])]
    return max(over, key=lambda mount: len(mount[0]))[1] if over else ""


def _commit() -> str:
    command = ["git", "describe", "--always", "--dirty"]
    done = subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, text=True, check=False)
    return done.stdout.strip()
