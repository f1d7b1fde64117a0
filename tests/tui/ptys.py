"""A program on a pseudo-terminal that can be taken away from it, as a dropped connection does."""

import os
import select
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from running import PATIENCE

__all__ = ["OnPty", "on_pty"]

_LAUNCHER = """
import fcntl, os, struct, sys, termios
terminal = os.open(sys.argv[1], os.O_RDWR | os.O_NOCTTY)
if sys.argv[2] == "controlling":
    fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
for number in (0, 1, 2):
    os.dup2(terminal, number)
os.execv(sys.executable, [sys.executable, *sys.argv[3:]])
"""


class OnPty:
    """One program, and our end of its terminal."""

    def __init__(self, process: subprocess.Popen[bytes], master: int) -> None:
        self.process = process
        self._master = master
        self.output = ""
        """Everything it has drawn, control sequences included."""

    def wait_for(self, *texts: str) -> None:
        """Return once it has drawn all *texts*."""
        deadline = time.monotonic() + PATIENCE
        while not all(text in self.output for text in texts):
            assert time.monotonic() < deadline, f"{texts} did not come:\n{self.output}"
            self._read(0.1)

    def wait_until(self, fact: Callable[[], bool]) -> None:
        """Return once *fact* holds of what it has drawn."""
        deadline = time.monotonic() + PATIENCE
        while not fact():
            assert time.monotonic() < deadline, f"it did not come true:\n{self.output}"
            self._read(0.1)

    def press(self, keys: str) -> None:
        """Type *keys*."""
        os.write(self._master, keys.encode())

    def hang_up(self) -> None:
        """Take the terminal away."""
        os.close(self._master)
        self._master = -1

    def wait_for_end(self, within: float) -> int:
        """Return its exit code; it must end *within* seconds."""
        deadline = time.monotonic() + within
        while (code := self.process.poll()) is None:
            assert time.monotonic() < deadline, f"it did not end:\n{self.output}"
            self._read(0.05)
        self._read(0.05)
        return code

    def _read(self, within: float) -> None:
        if self._master < 0:
            time.sleep(within)
            return
        while select.select([self._master], [], [], within)[0]:
            try:
                data = os.read(self._master, 65_536)
            except OSError:  # Nobody has the other end any more.
                return
            self.output += data.decode(errors="replace")
            within = 0


@contextmanager
def on_pty(
    arguments: Sequence[str],
    folder: Path,
    *,
    is_controlling: bool = True,
    variables: Mapping[str, str] | None = None,
) -> Iterator[OnPty]:
    """Run Python with *arguments* on a terminal of its own.

    Args:
        arguments: For the interpreter.
        folder: Where it works, and keeps what it would keep in the user's home.
        is_controlling: Whether the system tells the program when its terminal hangs up.
        variables: What else stands in its environment.
    """
    master, slave = os.openpty()
    path = os.ttyname(slave)
    environ = {name: value for name, value in os.environ.items() if not name.startswith("TIDEGATE")}
    environ |= {"TERM": "xterm-256color", "LANG": "C.UTF-8", "TMPDIR": str(folder)}
    environ |= {"XDG_STATE_HOME": str(folder / "state"), "PYTHONPATH": os.pathsep.join(sys.path)}
    how = "controlling" if is_controlling else "plain"
    process = subprocess.Popen(
        [sys.executable, "-c", _LAUNCHER, path, how, *arguments],
        cwd=folder,
        env={**environ, **(variables or {})},
        start_new_session=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    opened = OnPty(process, master)
    try:
        # Its own end is open as long as ours keeps a copy: only then may the copy be closed.
        opened.wait_for("\x1b[?1049h")
        os.close(slave)
        yield opened
    finally:
        process.kill()
        process.wait()
        if opened._master >= 0:  # noqa: SLF001 - it is this module's own
            opened.hang_up()
