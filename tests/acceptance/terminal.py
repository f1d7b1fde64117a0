"""A real terminal for tests: tmux, typed into and read like a person would."""

import os
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

__all__ = ["Terminal"]

PATIENCE = 30.0
QUIET = 0.5
"""Seconds between presses: a dialog takes what comes faster for a held key."""
REST = 0.5
"""Seconds after which keys count again below a dialog that was closed."""

needs_tmux = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")


class Terminal:
    """One tmux server of its own, with one window that runs one program."""

    def __init__(self, folder: Path, *, columns: int = 80, lines: int = 24) -> None:
        self._socket = folder / "tmux"
        self._folder = folder
        self._columns, self._lines = str(columns), str(lines)

    def tidegate(self, *arguments: str) -> None:
        """Start the program on the folder's store; when it ends, its exit code is on the screen."""
        store = f"sqlite:///{self._folder}/store.db"
        program = shlex.join([sys.executable, "-m", "tidegate", "--store", store, *arguments])
        shell = ("sh", "-c", f'{program}; echo "exit code: $?"; exec sleep 600')
        variables = {
            name: value
            for name, value in os.environ.items()
            # The size is the window's, whatever a test in this process has said before.
            if not name.startswith(("TMUX", "TIDEGATE")) and name not in ("COLUMNS", "LINES")
        }
        variables |= {"TERM": "xterm-256color", "LANG": "C.UTF-8"}
        # How another monitor was left is nothing to this one.
        variables.setdefault("XDG_STATE_HOME", str(self._folder / "state"))
        # Said twice: a window that nobody looks at may be given the size that all windows have by default.
        size = ("set-option", "-g", "default-size", f"{self._columns}x{self._lines}", ";")
        session = ("new-session", "-d", "-x", self._columns, "-y", self._lines)
        self._tmux("start-server", ";", *size, *session, *shell, env=variables)

    def press(self, *keys: str) -> None:
        """Press keys, as tmux names them."""
        self._tmux("send-keys", *keys)

    def decide(self, key: str, effect: str) -> None:
        """Press one key in a dialog, once it takes keys, and wait for its effect.

        Once: pressed again, the key that chose an answer would send it.
        """
        deadline = time.monotonic() + PATIENCE
        while "Keys arm" in self.screen:
            assert time.monotonic() < deadline, self.screen
            time.sleep(0.05)
        time.sleep(QUIET)
        self.press(key)
        self.wait_for(effect)
        # If that closed the dialog: what is typed on at once, for the dialog, is not for what is below it.
        time.sleep(REST)

    @property
    def screen(self) -> str:
        """What is on the screen now."""
        return self._tmux("capture-pane", "-p")

    def wait_for(self, *texts: str) -> str:
        """Return the screen once all *texts* are on it."""
        deadline = time.monotonic() + PATIENCE
        while not all(text in (screen := self.screen) for text in texts):
            assert time.monotonic() < deadline, f"{texts} did not come:\n{screen}"
            time.sleep(0.05)
        return screen

    def close(self) -> None:
        """End the server and whatever runs in it."""
        subprocess.run(["tmux", "-S", str(self._socket), "kill-server"], check=False, capture_output=True)

    def _tmux(self, *arguments: str, env: dict[str, str] | None = None) -> str:
        command = ["tmux", "-S", str(self._socket), "-f", "/dev/null", *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True, env=env).stdout
