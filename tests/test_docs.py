"""What the papers say is true."""

import ast
import importlib
import inspect
import os
import pkgutil
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

import pytest

import tidegate
from tidegate.blocks.registry import BUILTIN, catalog
from tidegate.cli.main import COMMANDS
from tidegate.errors import Fault, TidegateError
from tidegate.workflows.loader import load_workflow, parse_workflow

ROOT = Path(__file__).parents[1]
PAPERS = [path for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))) if path.exists()]
WORKFLOWS = [
    (path.name, text)
    for path in PAPERS
    for text in re.findall(r"```yaml\n(.*?)```", path.read_text(), re.DOTALL)
]


@pytest.mark.parametrize(("paper", "text"), WORKFLOWS)
def test_every_workflow_in_the_papers_loads(paper: str, text: str) -> None:
    """A reader who copies one gets no fault."""
    assert parse_workflow(text, catalog(), file=paper).definition.blocks


@pytest.mark.parametrize(
    "file", sorted((ROOT / "sample_workflows").rglob("*.yaml")), ids=lambda path: path.stem
)
def test_every_sample_loads_and_is_called_like_its_file(file: Path) -> None:
    """A sample is found by its name."""
    assert load_workflow(file, catalog()).definition.name == file.stem


def test_the_author_guide_names_every_block_type() -> None:
    """A type that nobody can read about is not there."""
    if not (guide := ROOT / "docs/workflow-files.md").exists():
        pytest.skip("the tests run against a wheel, beside which there are no papers")
    text = guide.read_text()

    assert all(f"`{name}`" in text for name in BUILTIN)


def test_every_command_in_the_papers_exists() -> None:
    """And is called as it is written there."""
    text = "\n".join(path.read_text() for path in PAPERS)
    written = set(re.findall(r"(?:^|^\$ |^uv run |`)tidegate ([a-z]+)", text, re.MULTILINE))

    assert written <= set(COMMANDS)
    assert not PAPERS or {"run", "answer", "inbox", "resume"} <= written


needs_papers = pytest.mark.skipif(not (ROOT / "docs").exists(), reason="the tests run against a wheel")


@needs_papers
def test_every_page_and_file_that_is_named_is_there() -> None:
    """Pages that are linked, and tests that a page says show something."""
    missing = [f"{path.name}: {name}" for path in PAPERS for name in _named_in(path) if not name.exists()]

    assert missing == []
    assert len(set(_tests_in(ROOT / "docs/design.md"))) > 20


def _named_in(path: Path) -> Iterator[Path]:
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", path.read_text())
    yield from (path.parent / link for link in links)
    yield from (ROOT / name for name in _tests_in(path))


def _tests_in(path: Path) -> list[str]:
    return re.findall(r"`(tests/[\w/]+\.py)`", path.read_text())


@needs_papers
def test_every_page_is_on_the_list_of_the_readme() -> None:
    """A page that nobody is led to is not read."""
    readme = (ROOT / "README.md").read_text()

    assert [path.name for path in PAPERS[1:] if f"(docs/{path.name})" not in readme] == []


# -- errors -----------------------------------------------------------------------------------


def public_errors() -> list[type[TidegateError]]:
    """Return every error with a message of its own, wherever it is defined."""
    for module in pkgutil.walk_packages(tidegate.__path__, "tidegate."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    found = [kind for kind in _below(TidegateError) if kind.__module__.startswith("tidegate.")]
    return [kind for kind in found if "__init__" in vars(kind) and not kind.__name__.startswith("_")]


def _below(kind: type[TidegateError]) -> Iterator[type[TidegateError]]:
    for below in kind.__subclasses__():
        yield below
        yield from _below(below)


def fixed_parts(message: str) -> list[str]:
    """Return what of a message is the same in each case; single words aside, which say nothing."""
    parts = (" ".join(part.split()).strip(" .,:;()'") for part in re.split(r"[§\d]+", message))
    return [part for part in parts if " " in part]


def sample_of(kind: type[TidegateError]) -> TidegateError:
    """Return an error whose message has § or a number wherever something is put in."""
    given: list[object] = []
    for name, parameter in list(inspect.signature(kind).parameters.items()):
        if parameter.default is not inspect.Parameter.empty:
            continue
        samples = {int: 7, float: 7.0, str: "§", Path: Path("§")}
        several = (Fault("§"),) if name == "faults" else ("§", "§")
        given.append(samples.get(parameter.annotation, several))
    return kind(*given)


@needs_papers
def test_every_error_is_in_the_troubleshooting_as_it_is_printed() -> None:
    """With a heading of its own, and its words to the letter: people search for them."""
    page = (ROOT / "docs/troubleshooting.md").read_text()
    words = " ".join(page.split())
    errors = public_errors()

    assert len(errors) > 30
    assert [kind.__name__ for kind in errors if f"\n### `{kind.__name__}`\n" not in page] == []
    messages = [(kind.__name__, part) for kind in errors for part in fixed_parts(str(sample_of(kind)))]
    assert [told for told in messages if told[1] not in words] == []


REFUSALS = ("NotResumable", "RunInUse", "PauseClosed", "PauseNotFound", "NoCounterpart", "InvalidEdit")
"""Errors whose reason is said where they are raised, as their second argument."""


@needs_papers
def test_every_refusal_of_the_engine_is_in_the_troubleshooting() -> None:
    """What cannot be done now, and why: as it is written where it is raised."""
    words = " ".join((ROOT / "docs/troubleshooting.md").read_text().split())
    rooms = [Path(tidegate.__path__[0]) / room for room in ("engine", "history", "cli", "store/sqlite")]
    files = [file for room in rooms for file in room.rglob("*.py")]
    reasons = [reason for file in files for reason in _reasons(ast.parse(file.read_text()))]

    assert len(reasons) > 30
    assert sorted({part for reason in reasons for part in fixed_parts(reason) if part not in words}) == []


def _reasons(tree: ast.Module) -> Iterator[str]:
    """Yield the reasons that are written out, with § where something is put in."""
    for call in ast.walk(tree):
        match call:
            case ast.Call(func=ast.Name(id=name), args=[_, ast.Constant(value=str(reason)), *_]):
                yield from [reason] * (name in REFUSALS)
            case ast.Call(func=ast.Name(id=name), args=[_, ast.JoinedStr(values=values), *_]):
                told = "".join(str(it.value) if isinstance(it, ast.Constant) else "§" for it in values)
                yield from [told] * (name in REFUSALS)
            case _:
                pass


# -- the tutorial -----------------------------------------------------------------------------

_PATIENCE = 30.0
_ID = re.compile(r"\b(?:pause_|chk_)?[2-9b-df-hj-kmnp-tv-z]{12}\b")
_DIFFERS = (
    (r"\d{4}-\d\d-\d\dT[\d:+]+|\d\d:\d\d:\d\d", "TIME"),
    (r"process \d+ on \S+", "PROCESS"),
    (r"\d+(\.\d)? (s|min)\b", "LONG"),
    (r"[\d.]+ k?B\b", "SIZE"),
    (r"@\d+|event \d+( of \d+)?|\b\d+ (times|ignored)\b", "COUNT"),
    # How far it came before it was killed; at least one part is there twice.
    (r"(copied part \d )+", "PARTS "),
    (r"\b([5-8])\b", "TOO MANY"),
)
"""What another machine, or another day, prints otherwise."""


class Typed:
    """A shell in which the tutorial is typed, command by command."""

    def __init__(self, folder: Path) -> None:
        scripts = Path(sys.executable).parent
        variables = {"HOME": str(folder), "TMPDIR": str(folder), "LOGNAME": "you", "COLUMNS": "120"}
        variables |= {"PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}", "LANG": "C.UTF-8"}
        read, write = os.pipe()
        self._script = os.fdopen(write, "w")
        # Its commands come from elsewhere than standard input, which the commands themselves could read.
        self._shell = subprocess.Popen(
            ["timeout", "300", "bash", f"/dev/fd/{read}"],
            cwd=folder,
            env=variables,
            pass_fds=(read,),
            text=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        os.close(read)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._script.close()
        self._shell.communicate()

    def type(self, command: str) -> str:
        """Return what a command prints."""
        self._script.write(f"{command}\necho; echo @@@\n")
        self._script.flush()
        assert self._shell.stdout is not None
        lines = list(iter(self._shell.stdout.readline, "@@@\n"))
        assert lines, "the shell has ended"
        # Of a process that was killed each shell speaks in its own way.
        return "".join(line for line in lines if "Killed" not in line)


def _told(output: str) -> str:
    text = " ".join(_ID.sub("ID", output).split())
    for pattern, word in _DIFFERS:
        text = re.sub(pattern, word, text)
    return text


@needs_papers
def test_the_tutorial_prints_what_it_says(tmp_path: Path) -> None:
    """Each command is typed, in order; an id that it shows stands for the same thing wherever it comes up."""
    pieces = re.findall(r"```(console|yaml)\n(.*?)```", (ROOT / "docs/tutorial.md").read_text(), re.DOTALL)
    ids: dict[str, str] = {}
    typed = 0
    with Typed(tmp_path) as shell:
        for kind, piece in pieces:
            if kind == "yaml":
                (tmp_path / "tutorial/copying.yaml").write_text(piece)
                continue
            for command, promised in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", piece, re.MULTILINE):
                printed = shell.type(_as_typed_here(command, ids))
                if "kill -9" in command:
                    _wait_until_alone(tmp_path)
                assert _told(printed) == _told(promised), command
                _same_ids(promised, printed, ids)
                typed += 1
    assert typed > 15
    assert len(set(ids.values())) == len(ids)


def _as_typed_here(command: str, ids: dict[str, str]) -> str:
    """Return a command with this machine's ids; it kills once two parts are there, however slow that is."""
    known = _ID.sub(lambda match: ids[match[0]], command)
    return known.replace("sleep 2;", 'until grep -qs "part 2" "$TMPDIR"/*/copy.txt; do sleep 0.05; done;')


def _wait_until_alone(folder: Path) -> None:
    """Wait until what a killed process had started has ended, too: as a reader does, who types more slowly."""
    marks = (b"TIDEGATE_BLOCK=copy", f"TMPDIR={folder}".encode())
    deadline = time.monotonic() + _PATIENCE
    while any(all(mark in environ for mark in marks) for environ in _environments()):
        assert time.monotonic() < deadline, "what was started is still at work"
        time.sleep(0.05)


def _environments() -> Iterator[bytes]:
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            yield (process / "environ").read_bytes()


def _same_ids(promised: str, printed: str, ids: dict[str, str]) -> None:
    for paper, here in zip(_ID.findall(promised), _ID.findall(printed), strict=True):
        assert ids.setdefault(paper, here) == here
