"""What the monitor keeps between two starts: how it was arranged, never what anybody answered.

One small file of the user's own. It is never in the way: one that cannot be read is ignored, one that cannot be
written is done without, and each is said once. Of two monitors the last one wins, key by key.
"""

import json
import os
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from tidegate.model.base import Json
from tidegate.private import make_private_folder

__all__ = ["State", "state_file"]

_LARGEST = 1_000_000
"""Bytes beyond which a file is none of ours."""


def state_file(environ: Mapping[str, str] = os.environ) -> Path:
    """Return where the file of the user is, or would be."""
    if sys.platform != "linux":
        from platformdirs import user_state_path

        return user_state_path("tidegate", appauthor=False) / "monitor.json"
    # As platformdirs has it, which would be loaded before the first paint for this.
    named = environ.get("XDG_STATE_HOME", "").strip()
    return Path(named or "~/.local/state").expanduser() / "tidegate" / "monitor.json"


class State:
    """Values by name. Reading and writing take less than a millisecond, so both happen where they are asked for."""

    def __init__(self, path: Path | None = None) -> None:
        """Read the file, if there is one.

        Args:
            path: The file; None: nothing is kept.
        """
        self._path = path
        self._changed: dict[str, Json] = {}
        self._problem = ""
        self._values = self._read()

    def get(self, name: str) -> Json:
        """Return what is kept under *name*; None: nothing. A file may hold anything: check it before use."""
        return self._values.get(name)

    def text(self, name: str) -> str:
        """Return the text kept under *name*; empty: there is none."""
        value = self._values.get(name)
        return value if isinstance(value, str) else ""

    def put(self, name: str, value: Json) -> None:
        """Keep *value* under *name*, from the next `save` on in the file, too; None forgets it."""
        if self._values.get(name) != value:
            self._values[name] = self._changed[name] = value

    def save(self) -> None:
        """Write what changed; what others wrote meanwhile stays."""
        if self._path is None or not self._changed:
            return
        values = {**self._read(), **self._changed}
        kept = {name: value for name, value in values.items() if value is not None}
        try:
            _write(self._path, json.dumps(kept, indent=1, sort_keys=True))
        except OSError as error:
            self._problem = f"how the monitor is arranged cannot be kept in {self._path}: {error.strerror}"
        self._changed.clear()

    def take_problem(self) -> str:
        """Return what went wrong since the last time this was asked; empty: nothing."""
        problem, self._problem = self._problem, ""
        return problem

    def _read(self) -> dict[str, Json]:
        if self._path is None:
            return {}
        try:
            with self._path.open("rb") as file:
                values = json.loads(file.read(_LARGEST))
        except FileNotFoundError:
            return {}
        except OSError as error:
            self._problem = f"{self._path} cannot be read: {error.strerror}. The monitor begins as new"
            return {}
        except (ValueError, RecursionError):
            values = None
        if not isinstance(values, dict):
            self._problem = f"{self._path} is damaged, and ignored: the monitor begins as new"
            return {}
        return values


def _write(path: Path, text: str) -> None:
    """Write a file that only its owner reads, all of it or nothing."""
    make_private_folder(path.parent)
    number, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(number, "w", encoding="utf-8") as file:
            file.write(text)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
