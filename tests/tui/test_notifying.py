"""The title, the bell, the terminal's own notification, and its clipboard."""

import base64
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tidegate.settings import NotifyBy
from tidegate.tui.host.clipboard import copy_with_tool, tool_of
from tidegate.tui.host.escapes import clipboard, notification, notified_by, window_title
from tui.ptys import on_pty

TELLING = (
    "TERM_PROGRAM",
    "KITTY_WINDOW_ID",
    "VTE_VERSION",
    "WT_SESSION",
    "KONSOLE_VERSION",
    "GHOSTTY_RESOURCES_DIR",
)
"""Variables by which a terminal says what it is."""
ASKS = """
name: asks
blocks:
  - {id: approve, type: ConfirmOperation, inputs: {message: Go on?}}
"""

# -- how --------------------------------------------------------------------------------------


EVIL = "x\x07\x1b]52;c;ZXZpbA==\x07\x9c\n4;1"
_BYS = [NotifyBy.OSC9, NotifyBy.OSC777, NotifyBy.OSC99]


@pytest.mark.parametrize("by", _BYS)
def test_no_text_ends_a_sequence_early(by: NotifyBy) -> None:
    """A question may be anything; what is told to the terminal is one safe line."""
    plain, evil = notification("x", by, {}), notification(EVIL, by, {})

    for control in ("\x1b", "\x07", "\x9c", "\n"):
        assert evil.count(control) == plain.count(control)
    assert evil[-1] == plain[-1]
    title = window_title(EVIL)
    assert title.count("\x1b") == title.count("\x07") == 1
    assert title.endswith("\x07")
    assert "\x9c" not in title


def test_each_sequence_is_as_its_terminals_take_it() -> None:
    """With its title apart where there is a place for one; and none at all where none is wanted."""
    assert notification("a;b", NotifyBy.OSC9, {}) == "\x1b]9;tidegate: a;b\x07"
    assert notification("a;b", NotifyBy.OSC777, {}) == "\x1b]777;notify;tidegate;a,b\x07"
    assert notification("a;b", NotifyBy.OSC99, {}) == (
        "\x1b]99;i=tidegate:d=0:p=title;tidegate\x1b\\\x1b]99;i=tidegate:d=1:p=body;a;b\x1b\\"
    )
    assert notification("a", NotifyBy.NONE, {}) == ""


@pytest.mark.parametrize(
    ("environ", "by"),
    [
        ({"TERM": "xterm-256color"}, NotifyBy.OSC9),
        ({"TERM_PROGRAM": "iTerm.app", "VTE_VERSION": "7600"}, NotifyBy.OSC9),
        ({"TERM_PROGRAM": "WezTerm"}, NotifyBy.OSC9),
        ({"WT_SESSION": "0b5c"}, NotifyBy.OSC9),
        ({"TERM_PROGRAM": "ghostty", "TERM": "xterm-ghostty"}, NotifyBy.OSC777),
        ({"VTE_VERSION": "7600", "TERM": "xterm-256color"}, NotifyBy.OSC777),
        ({"TERM": "foot"}, NotifyBy.OSC777),
        ({"TERM": "rxvt-unicode-256color"}, NotifyBy.OSC777),
        ({"TERM": "xterm-kitty"}, NotifyBy.OSC99),
        ({"TERM": "tmux-256color", "TMUX": "x", "KITTY_WINDOW_ID": "1"}, NotifyBy.OSC99),
        ({"TERM": "linux"}, NotifyBy.NONE),
        ({"TERM": "dumb"}, NotifyBy.NONE),
        ({}, NotifyBy.OSC9),
    ],
)
def test_the_terminal_says_which_sequence_it_takes(environ: dict[str, str], by: NotifyBy) -> None:
    """By the variables that it sets; a setting says otherwise."""
    assert notified_by(environ) is by
    assert notification("a", NotifyBy.AUTO, environ) == notification("a", by, environ)
    assert notification("a", NotifyBy.OSC777, {**environ, "TMUX": ""}).startswith("\x1b]777;")


def test_a_multiplexer_passes_it_on() -> None:
    """Wrapped as each of them wants it; for the clipboard plain, too, as some take it for themselves."""
    by = NotifyBy.OSC9
    assert notification("a", by, {"TMUX": "x"}) == "\x1bPtmux;\x1b\x1b]9;tidegate: a\x07\x1b\\"
    assert notification("a", by, {"STY": "x"}) == "\x1bP\x1b]9;tidegate: a\x07\x1b\\"
    in_screen = notification("a", NotifyBy.OSC99, {"STY": "x"})
    assert in_screen.count("\x1b\\") == 1
    assert in_screen.endswith("\x07\x1b\\")
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


def _ask(folder: Path) -> None:
    """Start a run that asks, from another process, as another terminal would."""
    command = [sys.executable, *_store(folder), "run", "asks.yaml"]
    environ = {**os.environ, "XDG_STATE_HOME": str(folder / "state")}
    subprocess.run(command, cwd=folder, env=environ, capture_output=True, check=False)


def _store(folder: Path) -> list[str]:
    return ["-m", "tidegate", "--store", f"sqlite:///{folder}/store.db"]


@pytest.fixture
def terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a workflow that asks, on a terminal of which no variable says anything."""
    for name in ("TMUX", "STY", "WAYLAND_DISPLAY", "DISPLAY", *TELLING):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "asks.yaml").write_text(ASKS)
    return tmp_path


def test_on_a_real_terminal_it_tells_copies_and_draws_without_colours(
    terminal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only while one looks elsewhere; under NO_COLOR no colour is ever set; without the mouse it is never taken."""
    monkeypatch.setenv("NO_COLOR", "1")
    with on_pty([*_store(terminal), "--no-mouse"], terminal) as seen:
        seen.wait_for("Nothing waits for you")
        _ask(terminal)
        # The title comes first: the list is read after it.
        seen.wait_for("\x1b]2;(1) tidegate\x07", "Go on?")
        seen.press("y")
        seen.wait_for("\x1b]52;c;" + base64.b64encode(b"pause_").decode().rstrip("="))
        assert "\x1b]9;" not in seen.output
        seen.press("\x1b[O")
        _ask(terminal)
        seen.wait_for("\x1b]2;(2) tidegate\x07", "\x1b]9;tidegate: 1 new question (2 wait)\x07")
        assert "38;2;" not in seen.output
        assert "48;2;" not in seen.output
        assert "\x1b[?1000h" not in seen.output
        seen.press("q")
        assert seen.wait_for_end(within=20) == 0


@pytest.mark.parametrize(
    ("variables", "told"),
    [
        ({"VTE_VERSION": "7600"}, "\x1b]777;notify;tidegate;1 new question (1 waits)\x07"),
        (
            {"KITTY_WINDOW_ID": "1", "TMUX": "none,1,0"},
            "\x1bPtmux;\x1b\x1b]99;i=tidegate:d=0:p=title;tidegate\x1b\x1b\\"
            "\x1b\x1b]99;i=tidegate:d=1:p=body;1 new question (1 waits)\x1b\x1b\\\x1b\\",
        ),
        (
            {"VTE_VERSION": "7600", "TIDEGATE_NOTIFY_BY": "osc9"},
            "\x1b]9;tidegate: 1 new question (1 waits)\x07",
        ),
    ],
    ids=["777", "99", "setting"],
)
def test_a_real_terminal_is_told_by_the_sequence_that_it_takes(
    terminal: Path, variables: dict[str, str], told: str
) -> None:
    """To the byte; once, though the question stays."""
    with on_pty(_store(terminal), terminal, variables=variables) as seen:
        seen.wait_for("Nothing waits for you")
        seen.press("\x1b[O")
        _ask(terminal)
        seen.wait_for(told, "\x07")
        assert seen.output.count("1 new question") == 1
        seen.press("q")
        assert seen.wait_for_end(within=20) == 0


def test_a_bell_waits_until_the_dialog_is_closed(terminal: Path) -> None:
    """Who types an answer would take it for an error of that; it is not lost."""
    with on_pty(_store(terminal), terminal) as seen:
        seen.wait_for("Nothing waits for you")
        _ask(terminal)
        seen.wait_for("\x1b]2;(1) tidegate\x07", "Go on?")
        seen.wait_until(lambda: _bells(seen.output) == 1)
        seen.press("a")
        seen.wait_for("Since last success")
        _ask(terminal)
        seen.wait_for("\x1b]2;(2) tidegate\x07")
        assert _bells(seen.output) == 1
        seen.press("\x1b")
        seen.wait_until(lambda: _bells(seen.output) == 2)
        # What is pressed right behind a dialog is not for the screen below it.
        time.sleep(1)
        seen.press("q")
        assert seen.wait_for_end(within=20) == 0


def _bells(output: str) -> int:
    """Return how often it rang: what ends a sequence is no bell."""
    return re.sub(r"\x1b\][^\x07]*\x07", "", output).count("\x07")


def test_a_terminal_that_takes_no_sequence_has_the_bell_and_the_title(terminal: Path) -> None:
    """Nothing is written to it that it would show as text."""
    with on_pty([*_store(terminal)], terminal, variables={"TIDEGATE_NOTIFY_BY": "none"}) as seen:
        seen.wait_for("Nothing waits for you")
        seen.press("\x1b[O")
        _ask(terminal)
        seen.wait_for("\x1b]2;(1) tidegate\x07", "Go on?")
        _ask(terminal)
        seen.wait_for("\x1b]2;(2) tidegate\x07")
        assert "new question" not in seen.output
        seen.wait_until(lambda: _bells(seen.output) > 0)
        seen.press("q")
        assert seen.wait_for_end(within=20) == 0
