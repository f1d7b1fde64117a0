"""The title, the bell, the terminal's own notification, and its clipboard."""

import base64
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tidegate.settings import Notify
from tidegate.tui.host.clipboard import copy_with_tool, tool_of
from tidegate.tui.host.escapes import clipboard, notification, window_title
from tidegate.tui.host.notifier import Notifier, title_of
from tui.ptys import on_pty

ASKS = """
name: asks
blocks:
  - {id: approve, type: ConfirmOperation, inputs: {message: Go on?}}
"""

# -- when -------------------------------------------------------------------------------------


def test_the_title_says_how_much_waits_and_whether_some_is_late() -> None:
    """A terminal shows it while one looks elsewhere."""
    assert title_of(0, is_late=False) == "tidegate"
    assert title_of(7, is_late=False) == "(7) tidegate"
    assert title_of(7, is_late=True) == "(7!) tidegate"


def test_what_was_there_at_the_start_is_no_news() -> None:
    """Nor is an answer; a new question is, and a deadline that passes."""
    notifier = Notifier(Notify.UNFOCUSED)

    assert not notifier.look(3, is_late=True, now=0)
    assert not notifier.look(2, is_late=True, now=5)
    assert notifier.look(3, is_late=True, now=10)
    assert not notifier.look(3, is_late=False, now=20)
    assert notifier.look(3, is_late=True, now=30)
    assert notifier.take_message(30, is_focused=False) == "1 new question, a deadline has passed (3 wait)"


def test_nobody_is_flooded() -> None:
    """The bell rings once a second at most; what comes within ten seconds is told together."""
    notifier = Notifier(Notify.UNFOCUSED)
    rung = [notifier.look(n, is_late=False, now=n / 10) for n in range(30)]
    assert sum(rung) == 3
    assert notifier.take_message(3, is_focused=False) == "29 new questions (29 wait)"
    notifier.look(31, is_late=False, now=4)
    notifier.look(1, is_late=False, now=5)
    assert notifier.take_message(12.9, is_focused=False) == ""
    assert notifier.take_message(13, is_focused=False) == "1 new question (1 waits)"
    assert notifier.take_message(99, is_focused=False) == ""


def test_who_looks_is_not_told_by_the_terminal_too() -> None:
    """And is not told later, of what was seen; unless it is wanted always, or never."""
    for notify, focused, elsewhere in (
        (Notify.UNFOCUSED, "", ""),
        (Notify.ALWAYS, "1 new question (1 waits)", ""),
        (Notify.OFF, "", ""),
    ):
        notifier = Notifier(notify)
        notifier.look(0, is_late=False, now=0)
        assert notifier.look(1, is_late=False, now=1) is (notify is not Notify.OFF)
        assert notifier.take_message(2, is_focused=True) == focused
        assert notifier.take_message(30, is_focused=False) == elsewhere


# -- how --------------------------------------------------------------------------------------


def test_no_text_ends_a_sequence_early() -> None:
    """A question may be anything; what is told to the terminal is one safe line."""
    evil = "x\x07\x1b]52;c;ZXZpbA==\x07\x9c\n4;1"

    for sequence in (notification(evil, {}), window_title(evil)):
        assert sequence.count("\x1b") == sequence.count("\x07") == 1
        assert sequence.endswith("\x07")
        assert "\x9c" not in sequence


def test_a_multiplexer_passes_it_on() -> None:
    """Wrapped as each of them wants it; for the clipboard plain, too, as some take it for themselves."""
    assert notification("a", {"TMUX": "x"}) == "\x1bPtmux;\x1b\x1b]9;tidegate: a\x07\x1b\\"
    assert notification("a", {"STY": "x"}) == "\x1bP\x1b]9;tidegate: a\x07\x1b\\"
    assert clipboard("a", {}) == "\x1b]52;c;YQ==\x07"
    assert clipboard("a", {"TMUX": "x"}) == "\x1b]52;c;YQ==\x07\x1bPtmux;\x1b\x1b]52;c;YQ==\x07\x1b\\"
    assert clipboard("a" * 60_000, {}) == ""


def test_a_tool_copies_where_the_operator_sits(tmp_path: Path) -> None:
    """Not on the desktop of a remote machine; what it refuses is said."""
    tool = tmp_path / "wl-copy"
    tool.write_text(f'#!/bin/sh\ncat > "{tmp_path}/copied"\n')
    tool.chmod(0o755)
    here = {"WAYLAND_DISPLAY": "wayland-0", "PATH": str(tmp_path)}

    assert tool_of(here, "linux") == ("wl-copy",)
    assert tool_of({**here, "SSH_TTY": "/dev/pts/1"}, "linux") == ()
    assert tool_of({"DISPLAY": ":0", "PATH": str(tmp_path)}, "linux") == ()
    assert tool_of({}, "darwin") == ("pbcopy",)
    assert copy_with_tool((str(tool),), "käse") == ""
    assert (tmp_path / "copied").read_text() == "käse"
    assert "did not copy it" in copy_with_tool((str(tmp_path / "none"),), "x")


def test_on_a_real_terminal_it_tells_copies_and_draws_without_colours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only while one looks elsewhere; under NO_COLOR no colour is ever set; without the mouse it is never taken."""
    for name in ("TMUX", "STY", "WAYLAND_DISPLAY", "DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_COLOR", "1")
    (tmp_path / "asks.yaml").write_text(ASKS)
    store = ["-m", "tidegate", "--store", f"sqlite:///{tmp_path}/store.db"]

    def ask() -> None:
        command = [sys.executable, *store, "run", "asks.yaml"]
        environ = {**os.environ, "XDG_STATE_HOME": str(tmp_path / "state")}
        subprocess.run(command, cwd=tmp_path, env=environ, capture_output=True, check=False)

    with on_pty([*store, "--no-mouse"], tmp_path) as seen:
        seen.wait_for("Nothing waits for you")
        ask()
        # The title comes first: the list is read after it.
        seen.wait_for("\x1b]2;(1) tidegate\x07", "Go on?")
        seen.press("y")
        seen.wait_for("\x1b]52;c;" + base64.b64encode(b"pause_").decode().rstrip("="))
        assert "\x1b]9;" not in seen.output
        seen.press("\x1b[O")
        ask()
        seen.wait_for("\x1b]2;(2) tidegate\x07", "\x1b]9;tidegate: 1 new question (2 wait)\x07")
        assert "38;2;" not in seen.output
        assert "48;2;" not in seen.output
        assert "\x1b[?1000h" not in seen.output
        seen.press("q")
        assert seen.wait_for_end(within=20) == 0
