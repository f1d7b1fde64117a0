"""From the start of the process to the first painted screen, beside the smallest Textual app.

Both run in a pseudo-terminal of 120x36, in turn; the clock stops when the marker text has been
written. `python benchmarks/first_paint.py [rounds]` prints medians and the difference, pair by pair.
"""

import fcntl
import os
import pty
import select
import signal
import statistics
import struct
import sys
import tempfile
import termios
import time
from pathlib import Path

SMALLEST = """
from textual.app import App
from textual.widgets import Static
class Smallest(App):
    def compose(self):
        yield Static("Inbox")
Smallest().run()
"""
MARKER = b"Inbox"
PATIENCE = 30.0


def seconds_to_paint(command: list[str]) -> float:
    """Start *command* in a terminal of its own; return the seconds until the marker was written."""
    started = time.perf_counter()
    pid, terminal = pty.fork()
    if pid == 0:
        os.execvpe(command[0], command, {**os.environ, "TERM": "xterm-256color", "LANG": "C.UTF-8"})
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 36, 120, 0, 0))
    try:
        return _until_marker(terminal, started)
    finally:
        os.kill(pid, signal.SIGTERM)
        _drain(terminal)
        os.waitpid(pid, 0)
        os.close(terminal)


def _until_marker(terminal: int, started: float) -> float:
    seen = b""
    while MARKER not in seen:
        if not select.select([terminal], [], [], PATIENCE)[0]:
            raise SystemExit("nothing was painted")
        seen = seen[-100:] + os.read(terminal, 65536)
    return time.perf_counter() - started


def _drain(terminal: int) -> None:
    """Read to the end: a program that cannot write its farewell does not end."""
    while True:
        try:
            if not os.read(terminal, 65536):
                return
        except OSError:
            return


def main(rounds: int) -> None:
    """Measure in turn and print."""
    with tempfile.TemporaryDirectory() as folder:
        store = f"sqlite:///{Path(folder) / 'store.db'}"
        monitor = [sys.executable, "-m", "tidegate", "--store", store]
        smallest = [sys.executable, "-c", SMALLEST]
        for command in (monitor, smallest):
            seconds_to_paint(command)
        pairs = [(seconds_to_paint(monitor), seconds_to_paint(smallest)) for _ in range(rounds)]
    ours, theirs = zip(*pairs, strict=True)
    print(
        f"monitor            median {statistics.median(ours) * 1000:.0f} ms, minimum {min(ours) * 1000:.0f}"
    )
    print(
        f"smallest Textual   median {statistics.median(theirs) * 1000:.0f} ms, minimum {min(theirs) * 1000:.0f}"
    )
    print(f"difference         median {statistics.median(a - b for a, b in pairs) * 1000:.0f} ms")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 9)
