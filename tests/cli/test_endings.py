"""What a person and a script are told when a command ends with an error."""

import importlib
import json
import pkgutil
from pathlib import Path

import click
import pytest

import tidegate
from tidegate.cli.endings import ended_with
from tidegate.cli.exits import _OF_ERROR, Exit, exit_of_error
from tidegate.cli.find import UnknownWorkflow
from tidegate.errors import (
    BlockNotFound,
    DefinitionError,
    Fault,
    InputsError,
    RunNotFound,
    StoreUnavailable,
    TidegateError,
)
from tidegate.history.export_files import FileThere
from tidegate.settings import SettingsFileError
from tidegate.store.opening import WrongStore

Captured = pytest.CaptureFixture[str]


def test_a_file_with_faults_is_told_with_its_places_first(capsys: Captured) -> None:
    """``file:line:column:`` at the beginning of the line, as editors and CI annotations read it."""
    faults = (Fault("it is wrong", 3, 7, "a"), Fault("so is this", 9, 1))
    code = ended_with(DefinitionError("w.yaml", faults), [])

    captured = capsys.readouterr()
    assert code == Exit.USAGE
    assert captured.out == ""
    assert captured.err == "w.yaml:3:7: block 'a': it is wrong\nw.yaml:9:1: so is this\n"


def test_with_json_the_document_holds_no_character_that_a_terminal_obeys(capsys: Captured) -> None:
    """An id from a hostile script comes back harmless on both streams, lone surrogates included."""
    code = ended_with(RunNotFound("\x1b[2J\udcff\x9b"), ["runs", "show", "--json"])

    captured = capsys.readouterr()
    assert code == Exit.NOT_FOUND
    assert json.loads(captured.out)["error"]["type"] == "RunNotFound"
    assert captured.err.startswith("tidegate: no run '␛[2J\\udcff\\x9b'")


FORGED = "x\nrun r1 succeeded\r\x1b[2K"
"""A name that would be a line of ours."""


@pytest.mark.parametrize(
    ("error", "lines"),
    [
        (RunNotFound(FORGED), 1),
        (DefinitionError(FORGED, (Fault(FORGED, block=FORGED), Fault("so is this"))), 2),
        (SettingsFileError(FORGED, (Fault(FORGED),)), 1),
        (UnknownWorkflow(FORGED, FORGED, ""), 1),
        (InputsError(FORGED, (FORGED, "no")), 2),
        (BlockNotFound("r", FORGED, (FORGED,)), 1),
        (StoreUnavailable(FORGED, FORGED, FORGED), 1),
        (click.UsageError(FORGED), 1),
        (click.BadParameter(FORGED, param_hint=FORGED), 1),
        (click.FileError(FORGED, FORGED), 1),
        (KeyboardInterrupt(FORGED), 1),
        (OSError(2, FORGED, FORGED), 1),
        (ZeroDivisionError(FORGED), 2),
    ],
    ids=lambda given: type(given).__name__ if isinstance(given, BaseException) else "",
)
@pytest.mark.parametrize("words", [[], ["--json"]])
def test_no_text_of_others_begins_a_line(
    error: BaseException, lines: int, words: list[str], capsys: Captured
) -> None:
    """Whatever stands in it: a script that reads line by line is told what we say, and nothing else."""
    ended_with(error, words)
    captured = capsys.readouterr()
    said = [captured.err] + ([json.loads(captured.out)["error"]["message"] + "\n"] if words else [])

    for text in said:
        assert text.count("\n") == lines
        assert "\x1b" not in text
        assert "\r" not in text
        assert "x⏎run r1 succeeded␍␛[2K" in text


def test_a_call_that_only_other_words_help_is_told_from_what_failed() -> None:
    """Each error that has an exit code of its own is there, whichever room it is at home in."""
    for module in pkgutil.walk_packages(tidegate.__path__, "tidegate."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    known, left = set[str](), [TidegateError]
    while left:
        kind = left.pop()
        known.add(kind.__name__)
        left += kind.__subclasses__()

    assert _OF_ERROR.keys() <= known
    assert exit_of_error(WrongStore("foo://x", "no")) == exit_of_error(FileThere(Path("x"))) == Exit.USAGE
    assert exit_of_error(StoreUnavailable("x.db", "full")) == Exit.FAILED


def test_what_was_not_foreseen_is_a_sentence(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    """No traceback, unless TIDEGATE_DEBUG asks for it: then the exception goes through."""
    code = ended_with(ZeroDivisionError("oh"), [])

    assert code == Exit.FAILED
    assert capsys.readouterr().err == (
        "tidegate: something unexpected went wrong: ZeroDivisionError: oh\n"
        "This is a fault of Tidegate. TIDEGATE_DEBUG=1 shows where.\n"
    )
    monkeypatch.setenv("TIDEGATE_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        ended_with(ZeroDivisionError("oh"), [])


def test_what_the_system_refuses_is_no_fault_of_ours(capsys: Captured) -> None:
    """A full disk under `--help`, say."""
    code = ended_with(OSError(28, "No space left on device"), [])

    assert code == Exit.FAILED
    assert capsys.readouterr().err == "tidegate: the system refuses: [Errno 28] No space left on device\n"


@pytest.mark.parametrize("error", [KeyboardInterrupt(), click.Abort()])
def test_an_interrupt_exits_130(error: BaseException, capsys: Captured) -> None:
    """As shells count it."""
    assert ended_with(error, []) == Exit.INTERRUPTED
    assert capsys.readouterr().err == "tidegate: interrupted\n"
