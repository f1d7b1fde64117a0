"""A virtual environment for each contestant, made once and kept; with `uv` where that is to be had."""

import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from contestants import PACKAGES

__all__ = ["Unavailable", "python_of", "versions_in"]

_PATIENCE = 600.0


class Unavailable(Exception):
    """An environment could not be made; its contestants are left out."""


def python_of(name: str, folder: Path) -> Path:
    """Return the interpreter of an environment, which is made if it is not there.

    Args:
        name: One of `PACKAGES`.
        folder: Where environments are kept.

    Raises:
        Unavailable: its packages could not be installed.
    """
    home = folder / name
    python = home / "bin" / "python"
    made = home / "made.json"
    if not made.exists() or json.loads(made.read_text(encoding="utf-8")) != list(PACKAGES[name]):
        _make(home, python, PACKAGES[name])
        made.write_text(json.dumps(PACKAGES[name]), encoding="utf-8")
    elif name == "tidegate":
        # What is measured is this checkout as it is now, not as it was when the environment was made.
        _install(python, PACKAGES[name], again=True)
    return python


def _make(home: Path, python: Path, packages: Sequence[str]) -> None:
    shutil.rmtree(home, ignore_errors=True)
    home.parent.mkdir(parents=True, exist_ok=True)
    if uv := shutil.which("uv"):
        _run(uv, "venv", "--quiet", "--python", sys.executable, str(home))
    else:
        _run(sys.executable, "-m", "venv", str(home))
    _install(python, packages)


def _install(python: Path, packages: Sequence[str], *, again: bool = False) -> None:
    if uv := shutil.which("uv"):
        command = [uv, "pip", "install", "--quiet", "--python", str(python)]
        anew = ["--no-deps", "--reinstall"]
    else:
        command = [str(python), "-m", "pip", "install", "--quiet"]
        anew = ["--no-deps", "--force-reinstall"]
    _run(*command, *(anew if again else []), *packages)


def _run(*command: str) -> None:
    what = f"'{' '.join(command)}'"
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_PATIENCE, check=False)
    except subprocess.TimeoutExpired:
        raise Unavailable(f"{what} had not ended after {_PATIENCE:.0f} seconds") from None
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["it says nothing"])[-1]
        raise Unavailable(f"{what} failed: {last}")


def versions_in(python: Path) -> dict[str, str]:
    """Return the version of every package in an environment."""
    program = (
        "import importlib.metadata as m, json; "
        "print(json.dumps({d.metadata['Name']: d.version for d in m.distributions()}))"
    )
    done = subprocess.run([python, "-c", program], capture_output=True, text=True, check=True)
    return dict(sorted(json.loads(done.stdout).items()))
