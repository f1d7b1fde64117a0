"""What the papers show a program doing is what it does, to the letter."""

import ast
import contextlib
import io
import os
import re
import subprocess
import sys
from inspect import CO_COROUTINE
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest

import tidegate

ROOT = Path(__file__).parents[2]
GUIDE = ROOT / "docs/embedding.md"
README = ROOT / "README.md"

pytestmark = pytest.mark.skipif(not GUIDE.exists(), reason="the tests run against a wheel, without papers")


def pieces_of(paper: Path) -> list[str]:
    """Return the Python in a paper, piece by piece."""
    return re.findall(r"```python[^\n]*\n(.*?)```", paper.read_text(), re.DOTALL)


def promised(code: str) -> list[str]:
    """Return what a piece says that it prints."""
    return re.findall(r"^\s*print\(.*\)  # (.*)$", code, re.MULTILINE)


def run_program(code: str, folder: Path) -> list[str]:
    """Run a whole program in *folder*; return the lines it prints."""
    path = {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=folder,
        env={**os.environ, **path},
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, as the reader has one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_ten_lines_of_the_readme_run_its_workflow(folder: Path) -> None:
    """With what stands above them, and what they say they print."""
    [program] = pieces_of(README)
    [workflow] = re.findall(r"```yaml\n(name: release.*?)```", README.read_text(), re.DOTALL)
    (folder / "release.yaml").write_text(workflow)
    (folder / "make").write_text('#!/bin/sh\necho "${2#VERSION=}"\n')
    (folder / "make").chmod(0o755)

    assert run_program(program, folder) == promised(program)
    assert len([line for line in program.splitlines() if line.strip()]) <= 10


def test_the_first_program_of_the_guide_runs(folder: Path) -> None:
    """As a file of its own."""
    program = pieces_of(GUIDE)[0]

    assert run_program(program, folder) == promised(program)


async def test_the_pieces_of_the_guide_go_on_from_each_other(folder: Path) -> None:
    """In one open store, and each prints what it says."""
    pieces = pieces_of(GUIDE)[1:]
    async with tidegate.open("runs.db", by="docs") as gate:
        names: dict[str, Any] = {"gate": gate, "tidegate": tidegate}
        exec("import asyncio", names)  # noqa: S102  # as the program above has it
        for piece in pieces:
            assert await printed(piece, names) == promised(piece)

    assert sum(len(promised(piece)) for piece in pieces) > 10


async def printed(piece: str, names: dict[str, Any]) -> list[str]:
    """Run one piece, which may `await` at its top; return the lines it prints."""
    code = compile(piece, str(GUIDE), "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        work = FunctionType(code, names)()
        if code.co_flags & CO_COROUTINE:
            await work
    return shown.getvalue().splitlines()


def test_the_guide_names_every_method_and_every_error() -> None:
    """One that nobody can read about is not there."""
    text = GUIDE.read_text()
    methods = [name for name in dir(tidegate.Tidegate) if not name.startswith("_")]
    silent = [name for name in methods if f"{name}(" not in text and f"`{name}`" not in text]

    # `do` is for our own rooms: a program has no executor to ask.
    assert silent == ["close", "do", "url"]
    raised = set(re.findall(r"`([A-Z][A-Za-z]+)`", text.partition("## Errors")[2]))
    assert raised <= {*tidegate.errors.__all__, "TidegateError"}
