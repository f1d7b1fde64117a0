"""Who drives a run: the name of a process in a lease, and whether that process still lives.

A pid alone says little: it is used again. A process is known by its host, its pid and the
moment it started, so that a lease left by a killed process can be taken over at once, without
waiting for it to run out, and a living owner is never mistaken for a dead one.
"""

import os
import socket
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from tidegate.model.events import RunStatus
from tidegate.model.listing import RunRow

__all__ = ["Leased", "Owner", "current_owner", "describe_owner", "has_living_owner", "status_now"]


@dataclass(frozen=True, slots=True)
class Owner:
    """A process, as a lease names it."""

    host: str
    pid: int
    started: str
    """When it started, in the host's own terms; empty where that cannot be told."""

    def __str__(self) -> str:
        return f"{self.host}:{self.pid}:{self.started}"

    @classmethod
    def parse(cls, text: str) -> "Owner | None":
        """Return the owner that *text* names; None if it names none."""
        host, _, rest = text.partition(":")
        pid, _, started = rest.partition(":")
        return cls(host, int(pid), started) if pid.isdigit() else None

    def is_dead(self) -> bool:
        """Whether this process is certainly gone. Of another host nothing is certain."""
        if self.host != socket.gethostname():
            return False
        if not _exists(self.pid):
            return True
        started = _started(self.pid)
        return bool(self.started and started and started != self.started)


def current_owner() -> Owner:
    """Return this process."""
    pid = os.getpid()
    return Owner(socket.gethostname(), pid, _started(pid))


def describe_owner(text: str) -> str:
    """Return the process that a lease names, for people."""
    owner = Owner.parse(text)
    return f"process {owner.pid} on {owner.host}" if owner else "an earlier process"


class Leased(Protocol):
    """Something that says who drives a run."""

    @property
    def owner(self) -> str:
        """Who holds its lease."""
        ...

    @property
    def lease_until(self) -> float:
        """Until when, in seconds since 1970 UTC."""
        ...


def has_living_owner(row: Leased, now: float) -> bool:
    """Whether somebody drives this run: its lease has not run out, and its process is not known dead."""
    if not row.owner or row.lease_until <= now:
        return False
    owner = Owner.parse(row.owner)
    return owner is None or not owner.is_dead()


def status_now(row: RunRow, now: float) -> RunStatus:
    """Return where a run stands, given who lives: one that runs without an owner is interrupted."""
    if row.summary.status is RunStatus.RUNNING and not has_living_owner(row, now):
        return RunStatus.INTERRUPTED
    return row.summary.status


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return not _is_zombie(pid)


_START_TIME = 19
"""Field 22 of /proc/PID/stat, counted from the one after the command's name (proc(5))."""


def _stat_fields(pid: int) -> list[str]:
    # The command's name stands in brackets and may hold blanks and brackets itself.
    try:
        return (
            Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        )
    except OSError:
        return []


def _is_zombie(pid: int) -> bool:
    return _stat_fields(pid)[:1] == ["Z"]


def _started(pid: int) -> str:
    """Return the start time in clock ticks since boot (Linux); empty elsewhere."""
    if sys.platform != "linux":
        return ""
    return "".join(_stat_fields(pid)[_START_TIME : _START_TIME + 1])
