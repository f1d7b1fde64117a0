"""Who belongs to a session, as far as the system tells.

A shell with job control (`set -m`) gives each job a process group of its own, which a signal to the
shell's group does not reach. All of them stay in the shell's session, and /proc lists them; where
there is no /proc, only the leader's group is known.
"""

import os
from collections.abc import Iterator
from pathlib import Path

__all__ = ["groups_of_session", "has_living_member"]

_PROC = Path("/proc")


def groups_of_session(session: int) -> set[int]:
    """Return the process groups of *session*, its leader's included."""
    groups = {session}
    for pid in _members(session):
        try:
            groups.add(os.getpgid(pid))
        except OSError:
            continue
    return groups


def has_living_member(session: int) -> bool:
    """Return whether something of *session* still runs. Where there is no /proc: True.

    A zombie does not run. It stays a member until its parent collects it, which the process 1 of
    some containers never does.
    """
    if not (_PROC / "self" / "stat").exists():
        return True
    return any(_state(pid) not in "ZX" for pid in _members(session))


def _members(session: int) -> Iterator[int]:
    # `getsid` and not /proc/N/stat: a system call costs a fortieth of opening and reading a file.
    for pid in _pids():
        try:
            belongs = os.getsid(pid) == session
        except OSError:
            continue
        if belongs:
            yield pid


def _pids() -> list[int]:
    try:
        names = os.listdir(_PROC)  # noqa: PTH208  # a thousand Path objects per look would be the cost
    except OSError:
        return []
    return [int(name) for name in names if name.isdecimal()]


def _state(pid: int) -> str:
    try:
        text = (_PROC / str(pid) / "stat").read_bytes()
    except OSError:
        return "X"
    # The second field is the program's name in brackets, and may hold blanks and brackets itself.
    return text.rpartition(b")")[2].split()[0].decode()
