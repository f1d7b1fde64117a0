"""The way into the commands: help, usage, errors, the output's end, and what is loaded."""

import importlib
import os
import subprocess
import sys

import pytest

from cli.calling import Tidegate
from tidegate.cli.main import COMMANDS, tidegate

PRINT_LOADED = "import tidegate.__main__, atexit, sys; atexit.register(lambda: print(sorted(sys.modules)))"


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_says_of_a_command_what_the_command_says(name: str) -> None:
    """The table of commands repeats first sentences, so that `--help` need import none of them."""
    module, _, attribute = COMMANDS[name][0].partition(":")
    command = getattr(importlib.import_module(module), attribute)

    paragraph = command.help.strip().split("\n\n")[0]
    assert " ".join(paragraph.split()) == COMMANDS[name][1]
    assert command.name == name


def test_the_help_lists_every_command(tidegate: Tidegate) -> None:
    """Both spellings of the option; a command's help names its arguments."""
    top, short, answer, runs = tidegate.together(["--help"], ["-h"], ["answer", "--help"], ["runs", "-h"])

    assert top.code == short.code == answer.code == runs.code == 0
    assert top.out == short.out
    assert [line.split()[0] for line in top.out.splitlines() if line.startswith("  ")][-11:] != []
    for name in COMMANDS:
        assert f"\n  {name} " in top.out
    assert "A pause, or a run with one open pause.  [required]" in answer.out
    assert [name for name in ("list", "show", "cancel") if f"\n  {name} " in runs.out] == [
        "list",
        "show",
        "cancel",
    ]


@pytest.mark.parametrize(
    ("words", "absent"),
    [
        (["--help"], {"yaml", "pydantic", "textual", "asyncio", "msgspec", "aiosqlite"}),
        (["inbox"], {"yaml", "pydantic", "textual", "cel", "tidegate.engine.executor"}),
        (["runs", "list", "--json"], {"yaml", "pydantic", "textual", "tidegate.engine.executor"}),
        (["validate", "nofile.yaml"], {"textual", "aiosqlite", "tidegate.engine.executor"}),
        (["run", "nofile.yaml"], {"textual", "aiosqlite"}),
    ],
)
def test_a_command_loads_only_what_it_needs(tidegate: Tidegate, words: list[str], absent: set[str]) -> None:
    """A person waits for every import; YAML and pydantic alone cost a third of a second."""
    code = f"{PRINT_LOADED}; sys.argv[1:] = {words!r}; tidegate.__main__.main()"
    done = subprocess.run(
        [sys.executable, "-c", code],
        check=False,
        capture_output=True,
        text=True,
        env=tidegate.environ,
        cwd=tidegate.folder,
    )

    loaded = set(eval(done.stdout.splitlines()[-1]))  # noqa: S307 - a list that this test printed
    assert not absent & loaded


def test_what_cannot_be_understood_exits_2_with_a_hint(tidegate: Tidegate) -> None:
    """Usage errors go to standard error, nothing to standard output; near misses are named."""
    mistyped, option, missing, choice, empty, bare, monitor, demo = tidegate.together(
        ["rnu", "x"],
        ["inbox", "--jso"],
        ["answer"],
        ["runs", "list", "--status", "paused,broken"],
        ["runs", "cancel", ""],
        ["runs"],
        [],
        ["demo"],
    )

    for done in (mistyped, option, missing, choice, empty, bare, monitor, demo):
        assert done.code == 2
        assert done.out == ""
    assert "there is no command 'rnu' (did you mean 'run'?)" in mistyped.err
    assert "--json" in option.err
    assert "Missing argument 'PAUSE|RUN'" in missing.err
    assert "'broken' is not one of" in choice.err
    assert "'interrupted'" in choice.err
    assert "it is empty" in empty.err
    assert "cancel" in bare.err
    assert "the monitor needs a terminal" in monitor.err
    assert "the demo needs a terminal" in demo.err


def test_with_json_an_error_is_one_document_too(tidegate: Tidegate) -> None:
    """A script reads the same stream whatever happens; a person still gets the sentence."""
    usage, not_found, hostile, bytes_, definition = tidegate.together(
        ["inbox", "--json", "extra"],
        ["runs", "show", "nope", "--json"],
        ["runs", "show", "\x1b]0;t\x07\u202e", "--json"],
        ["answer", b"\xff", "yes", "--json"],
        ["run", "nofile.yaml", "--json"],
    )

    assert (usage.code, usage.error_type) == (2, "UsageError")
    assert (not_found.code, not_found.error_type) == (7, "RunNotFound")
    assert (hostile.code, hostile.error_type) == (7, "RunNotFound")
    assert "␛]0;t␇\\u202e" in hostile.err
    assert (bytes_.code, bytes_.error_type) == (7, "PauseNotFound")
    assert (definition.code, definition.error_type) == (2, "DefinitionError")


def test_the_version_costs_nothing(tidegate: Tidegate) -> None:
    """It is printed with and without other options before it."""
    short, long = tidegate.together(["-V"], ["--store", "memory://", "--version"])

    assert short.code == long.code == 0
    assert short.out == long.out
    assert short.out.startswith("tidegate ")


def test_a_store_that_cannot_be_opened_is_a_sentence(tidegate: Tidegate) -> None:
    """A wrong URL, an empty one: a wrong call. A folder, a damaged file: exit code 1, the file left as it was."""
    damaged = tidegate.folder / "damaged.db"
    damaged.write_bytes(b"this is no database, but long enough to look like one" * 99)
    before = damaged.read_bytes()

    wrong, empty, folder, broken, report = tidegate.together(
        ["inbox", "--store", "nope://x"],
        ["--store", "", "inbox"],
        ["inbox", "--store", f"sqlite:///{tidegate.folder}", "--json"],
        ["runs", "list", "--store", f"sqlite:///{damaged}"],
        ["doctor", "--store", f"sqlite:///{damaged}"],
    )

    assert wrong.code == empty.code == 2
    assert folder.code == broken.code == report.code == 1
    assert "'nope' is no kind of store" in wrong.err
    assert "no store is named" in empty.err
    assert folder.error_type == "StoreUnavailable"
    assert "The file was left as it is" in broken.err
    assert "The file was left as it is" in report.out
    assert damaged.read_bytes() == before


def test_a_reader_that_goes_away_is_no_failure(tidegate: Tidegate) -> None:
    """`| head -1`, a closed standard output and a full disk end without noise of the interpreter."""
    command = f"{sys.executable} -W error -m tidegate"
    script = f"""
        {command} runs list --help | head -1; echo "${{PIPESTATUS[0]}}"
        {command} inbox >&-; echo "$?"
        {command} inbox --json >&-; echo "$?"
        {command} inbox > /dev/full; echo "$?"
    """
    done = subprocess.run(
        ["bash", "-c", script], check=False, capture_output=True, text=True, env=tidegate.environ
    )

    assert done.stdout.split("\n")[1:] == ["0", "0", "0", "1", ""]
    assert done.stderr == "tidegate: the output cannot be written: No space left on device\n"


def test_a_run_goes_on_when_nobody_reads_its_progress(tidegate: Tidegate) -> None:
    """Progress is for people; the exit code and the journal are what counts."""
    tidegate.file(
        "w.yaml",
        """
        name: w
        blocks:
          - {id: a, type: Shell, inputs: {command: "echo a > a.txt"}}
          - {id: b, type: Shell, depends_on: [a], inputs: {command: "echo b > b.txt; exit 4"}}
        """,
    )
    process = tidegate.start("run", "w.yaml")
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    errors = process.stderr.read()
    process.stderr.close()
    assert process.stdin is not None
    process.stdin.close()

    assert process.wait(30) == 1
    assert errors == b""
    assert (tidegate.folder / "b.txt").exists()


def test_the_module_and_the_command_are_one() -> None:
    """The group is named as people type it, whatever it was started with."""
    assert tidegate.name == "tidegate"
    assert os.environ.get("TIDEGATE_STORE") is None


def test_looking_makes_no_store(tidegate: Tidegate) -> None:
    """A mistyped path is told, and leaves nothing behind; only a run makes a store."""
    elsewhere = f"sqlite:///{tidegate.folder}/typo/x.db"
    found = tidegate.together(
        ["inbox", "--store", elsewhere],
        ["runs", "list", "--store", elsewhere],
        ["answer", "abcd", "yes", "--store", elsewhere],
    )

    assert [done.code for done in found] == [7, 7, 7]
    assert all("there is no store" in done.err for done in found)
    assert not (tidegate.folder / "typo").exists()


def test_an_input_is_given_once(tidegate: Tidegate) -> None:
    """An input may be given once only: of two values nobody can tell which was meant."""
    tidegate.file(
        "w.yaml", "name: w\ninputs: {env: string}\nblocks: [{id: a, type: Shell, inputs: {command: 'true'}}]"
    )
    done = tidegate.call("run", "w.yaml", "-i", "env=staging", "-i", "env=production")

    assert done.code == 2
    assert "-i env=... is given twice" in done.err
