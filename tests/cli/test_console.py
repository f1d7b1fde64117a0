"""Writing to the terminal: columns, widths and JSON."""

import errno
import io
import json
import sys

import pytest

from tidegate.cli.console import OutputLost, complain, emit_json, say, table
from tidegate.cli.times import age
from tidegate.clock import SystemClock

Captured = pytest.CaptureFixture[str]


def test_columns_stay_aligned_whatever_is_in_them(capsys: Captured) -> None:
    """Wide and combining characters are counted as a terminal shows them."""
    table(("A", "B"), [("家族", "x"), ("e\u0301", "y"), ("abcd", "z\x1b[2J")])

    assert capsys.readouterr().out == "A     B\n家族  x\ne\u0301     y\nabcd  z␛[2J\n"


def test_only_the_last_column_is_cut(capsys: Captured) -> None:
    """An id that is cut names nothing any more."""
    table(("A", "B"), [("i" * 150, "x" * 900)])

    row = capsys.readouterr().out.splitlines()[1]
    assert row.startswith("i" * 150 + "  x")
    assert row.endswith("x…")
    assert len(row) <= 200


def test_a_long_list_is_written_at_once(capsys: Captured) -> None:
    """Ten thousand rows are no reason to wait."""
    table(("A", "B"), [(f"run{number}", "note") for number in range(10_000)])

    assert capsys.readouterr().out.count("\n") == 10_001


def test_json_escapes_what_steers_a_terminal_and_keeps_what_people_read(capsys: Captured) -> None:
    """C1 controls, bidirectional and invisible characters; letters of every script stay as they are."""
    value = "é家🏳 \x9b \u202e \u200b \U000e0041 \x1b"
    emit_json({"value": value})

    out = capsys.readouterr().out
    assert json.loads(out) == {"value": value}
    assert "é家🏳" in out
    assert "\\u009b \\u202e \\u200b \\udb40\\udc41 \\u001b" in out


def test_foreign_text_is_made_safe_on_both_streams(capsys: Captured) -> None:
    """Line by line, nothing overwritten."""
    say("FAILED\rOK\n\x1b]0;t\x07")
    complain("\u202ex")

    captured = capsys.readouterr()
    assert captured.out == "FAILED␍\nOK\n␛]0;t␇\n"
    assert captured.err == "\\u202ex\n"


class Full(io.StringIO):
    """A file on a disk that is full."""

    def flush(self) -> None:
        """Fail as the system does."""
        raise OSError(errno.ENOSPC, "No space left on device")


def test_a_stream_that_takes_nothing_is_told_as_that(monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk is no fault of Tidegate; a stream that was closed before the start is nobody's."""
    monkeypatch.setattr(sys, "stdout", Full())
    with pytest.raises(OutputLost, match="the output cannot be written: No space left on device"):
        say("text")

    monkeypatch.setattr(sys, "stdout", None)
    say("text")
    emit_json({})


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(-5, "0 s"), (59, "59 s"), (121, "2 min"), (3_700, "1 h 1 min"), (90_000, "1 d 1 h")],
)
def test_ages_are_told_in_their_one_or_two_largest_units(seconds: float, words: str) -> None:
    """A clock that runs ahead makes nothing negative."""
    assert age(SystemClock().now() - seconds) == words
