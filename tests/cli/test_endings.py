"""What a person and a script are told when a command ends with an error."""

import json

import click
import pytest

from tidegate.cli.endings import ended_with
from tidegate.cli.exits import Exit
from tidegate.errors import DefinitionError, Fault, RunNotFound

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
