"""Somebody at a terminal: presses keys, and knows from what was written when they had their effect.

The program runs on a pseudo-terminal of its own. What it writes is looked at as text, without the control sequences:
an effect is a text that was not there before the key.
"""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Cost", "Echo", "TerminalUser"]

_CONTROL = re.compile(
    rb"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b\[[0-?]*[ -/]*[@-~]|\x1b[P_^][^\x1b]*\x1b\\|\x1b."
)
_PATIENCE = 20.0


class Cost:
    """What a process has used since this was made."""

    def __init__(self, pid: int) -> None:
        self._process = Path(f"/proc/{pid}")
        self._began, self._cpu = time.perf_counter(), self._processor()

    def _processor(self) -> float:
        """Return the seconds of a processor that all its threads have used."""
        threads = (path.read_text(encoding="utf-8") for path in self._process.glob("task/*/schedstat"))
        return sum(int(thread.split()[0]) for thread in threads) / 1e9

    def milliseconds(self) -> float:
        """Return the time of a processor that it took."""
        return (self._processor() - self._cpu) * 1000

    def percent(self) -> float:
        """Return how much of one processor it took."""
        return self.milliseconds() / (time.perf_counter() - self._began) / 10

    def memory(self) -> tuple[float, float]:
        """Return how much memory it has, and had at most, in MiB."""
        lines = (self._process / "status").read_text(encoding="utf-8").splitlines()
        kept = {name: rest.split() for name, _, rest in (line.partition(":") for line in lines)}
        return int(kept["VmRSS"][0]) / 1024, int(kept["VmHWM"][0]) / 1024


@dataclass(frozen=True, slots=True)
class Echo:
    """How long a key took to have its effect, in milliseconds."""

    passed: float
    """From the key to what was written."""
    used: float
    """Of a processor, by the program: what it would have taken if nobody else had been at work."""


class TerminalUser:
    """One program on a terminal."""

    def __init__(
        self, command: list[str], settings: Mapping[str, str], *, columns: int = 120, lines: int = 36
    ) -> None:
        self.began = time.perf_counter()
        self.pid, self._terminal = pty.fork()
        if self.pid == 0:
            variables = {name: text for name, text in os.environ.items() if not name.startswith("TIDEGATE")}
            os.execvpe(
                command[0], command, {**variables, **settings, "TERM": "xterm-256color", "LANG": "C.UTF-8"}
            )
        fcntl.ioctl(self._terminal, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        self._written = b""
        self._pressed = self.began
        self._cost = Cost(self.pid)

    def press(self, keys: str) -> None:
        """Press keys; what was written before counts for nothing from now on."""
        self.read_for(0.0)
        self._written = b""
        self._cost, self._pressed = Cost(self.pid), time.perf_counter()
        os.write(self._terminal, keys.encode())

    def until(self, holds: Callable[[str], object]) -> Echo:
        """Return the time from the last key (or the start) until what was written *holds*."""
        end = time.perf_counter() + _PATIENCE
        while not holds(self.text):
            if not self._read(end - time.perf_counter()):
                raise RuntimeError(f"it did not come; what came: {self.text[-2000:]}")
        return Echo((time.perf_counter() - self._pressed) * 1000, self._cost.milliseconds())

    def shows(self, text: str) -> Echo:
        """Return the time until *text* was written."""
        return self.until(lambda seen: text in seen)

    def read_for(self, seconds: float) -> None:
        """Take what is written within so many seconds."""
        end = time.perf_counter() + seconds
        while self._read(max(0.0, end - time.perf_counter())):
            if time.perf_counter() >= end:
                return

    @property
    def text(self) -> str:
        """What was written since the last key."""
        return _CONTROL.sub(b"", self._written).decode(errors="replace")

    def _read(self, within: float) -> bool:
        if not select.select([self._terminal], [], [], max(0.0, within))[0]:
            return False
        self._written += os.read(self._terminal, 65_536)
        return True

    def close(self) -> None:
        """End the program."""
        os.kill(self.pid, signal.SIGTERM)
        # A program that cannot write its farewell does not end.
        try:
            while os.read(self._terminal, 65_536):
                pass
        except OSError:
            pass
        os.waitpid(self.pid, 0)
        os.close(self._terminal)
