"""Calling `tidegate` as people and scripts do: real processes, a store of one's own."""

import asyncio
import json
import os
import pty
import re
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path
from typing import Any

from cli.warm import Call, is_possible, warm_call
from running import world
from tidegate.model.ids import RunId

PATIENCE = 30.0
"""Seconds after which a condition that should have come true is a failure."""

_CLEARED = (
    "COLUMNS",
    "PYTHONDONTWRITEBYTECODE",  # Compiling everything anew for each call would be half of the time.
    "PYTHONIOENCODING",
    "TIDEGATE_CONFIG",
    "TIDEGATE_DEBUG",
    "TIDEGATE_WORKFLOWS",
    "WORKFLOW_CHECKPOINT_BACKEND",
    "WORKFLOW_CHECKPOINT_DSN",
)

Word = str | bytes | Path
Process = subprocess.Popen[bytes]


@dataclass(frozen=True)
class Done:
    """How a call ended."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """The one JSON document on standard output; anything else there is a failure."""
        return json.loads(self.out)

    @property
    def error_type(self) -> str:
        """What kind of error `--json` tells; the sentence must be on standard error as well."""
        error = self.document["error"]
        assert sorted(error) == ["message", "type"]
        assert error["message"].splitlines()[-1] in self.err
        return str(error["type"])


@dataclass
class Tidegate:
    """The command, with a folder it is called in and a store there."""

    folder: Path
    environ: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Start from the environment of the tests, without what would choose another store."""
        inherited = {name: value for name, value in os.environ.items() if name not in _CLEARED}
        own = {
            "TIDEGATE_STORE": self.store,
            "TIDEGATE_OPERATOR": "ana",
            "XDG_CONFIG_HOME": str(self.folder / "config"),
        }
        self.environ = {**inherited, **own, **self.environ}

    @property
    def store(self) -> str:
        """The URL of the store."""
        return f"sqlite:///{self.folder / 'tidegate.db'}"

    def file(self, name: str, text: str) -> Path:
        """Write a file into the folder; return its path."""
        path = self.folder / name
        path.write_text(textwrap.dedent(text).lstrip("\n"), encoding="utf-8")
        return path

    def runs_of(self, text: str, *inputs: dict[str, object]) -> list[RunId]:
        """Start a run of *text* for each of *inputs*, and return them at rest.

        Without a process of their own: for tests of what comes after.
        """

        async def work() -> list[RunId]:
            async with world(self.folder, self.store) as made:
                runs = [await made.start(text, **given) for given in inputs]
                for run_id in runs:
                    await made.rest(run_id)
                return runs

        return asyncio.run(work())

    def call(self, *words: Word, stdin: str = "", **environ: str) -> Done:
        """Call to the end, without a terminal.

        The first call of a command, and each whose environment an interpreter reads, starts an interpreter;
        any other is a process that finds the program already read.
        """
        encoded = {os.fsencode(name): os.fsencode(value) for name, value in (self.environ | environ).items()}
        call = Call([os.fsencode(word) for word in words], str(self.folder), encoded, PATIENCE)
        if _is_first(call.words) or not is_possible(call):
            return self.end(self.start(*words, **environ), stdin)
        return _done(*warm_call(call, stdin.encode()))

    def start(self, *words: Word, **environ: str) -> Process:
        """Call, and return while it runs."""
        return subprocess.Popen(
            [sys.executable, "-W", "error", "-m", "tidegate", *words],
            cwd=self.folder,
            env={**self.environ, **environ},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    @staticmethod
    def end(process: Process, stdin: str = "") -> Done:
        """Return how a call ended. None ever ends in a traceback."""
        out, err = process.communicate(stdin.encode(), timeout=PATIENCE)
        return _done(process.returncode, out, err)

    def together(self, *calls: Sequence[Word]) -> list[Done]:
        """Make calls that have nothing to do with each other, side by side."""
        with ThreadPoolExecutor(4) as pool:
            return list(pool.map(lambda words: self.call(*words), calls))

    def at_terminal(self, *words: Word, typed: Sequence[str], ready: str = "> ") -> Done:
        """Call at a terminal, and type an entry each time that *ready* ends what is shown."""
        ours, theirs = pty.openpty()
        try:
            process = subprocess.Popen(
                [sys.executable, "-W", "error", "-m", "tidegate", *words],
                cwd=self.folder,
                env=self.environ,
                stdin=theirs,
                stdout=theirs,
                stderr=theirs,
                start_new_session=True,
            )
            os.close(theirs)
            shown = _converse(ours, list(typed), ready)
            return Done(process.wait(PATIENCE), shown, shown)
        finally:
            os.close(ours)


_called: set[tuple[bytes, ...]] = set()


def _is_first(words: list[bytes]) -> bool:
    """Whether the command had not been called before by these tests; from now on it has."""
    command = tuple(takewhile(re.compile(b"[a-z-]+").fullmatch, words[:2]))
    is_first = command not in _called
    _called.add(command)
    return is_first


def _done(code: int, out: bytes, err: bytes) -> Done:
    done = Done(code, out.decode(), err.decode())
    assert "Traceback" not in done.err
    return done


def _converse(terminal: int, typed: list[str], ready: str) -> str:
    shown = ""
    while True:
        try:
            shown += os.read(terminal, 4096).decode()
        except OSError:  # The other side was closed.
            return shown.replace("\r\n", "\n")
        if typed and shown.endswith(ready):
            os.write(terminal, typed.pop(0).encode())


def until(condition: Callable[[], bool]) -> None:
    """Return once *condition* holds; fail when it does not come true."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "it did not come true"
        time.sleep(0.01)


def is_alive(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"
