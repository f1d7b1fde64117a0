"""What is said to the terminal itself: its title, a notification, its clipboard. Pure: text in, sequences out.

Nothing foreign may end a sequence early, so whatever goes into one is made one safe line first.
"""

import base64
from collections.abc import Mapping

from tidegate.safe_text import safe_line
from tidegate.settings import NotifyBy

__all__ = ["clipboard", "notification", "notified_by", "window_title", "wrapped"]

_ESC, _BEL, _END = "\x1b", "\x07", "\x1b\\"
_NAME = "tidegate"
_LONGEST = 160
_TAKE_9 = frozenset({"iterm.app", "wezterm"})
_TAKE_777 = frozenset({"ghostty", "rio", "contour"})
"""By `TERM_PROGRAM`."""
_TERMS_777 = ("rxvt", "foot", "xterm-ghostty", "contour")
"""How `TERM` begins."""
_MARKS_777 = ("VTE_VERSION", "KONSOLE_VERSION", "GHOSTTY_RESOURCES_DIR")
"""Variables that such terminals set."""
_MOST = 74_994
"""Bytes that terminals take into their clipboard: what is longer some cut, and others drop without a word."""


def window_title(text: str) -> str:
    """Return what gives the window the title *text*."""
    return f"{_ESC}]2;{safe_line(text, _LONGEST)}{_BEL}"


def notification(text: str, by: NotifyBy, environ: Mapping[str, str]) -> str:
    """Return what makes a terminal tell *text*; empty: there is no sequence for that.

    Args:
        text: What to tell.
        by: Which sequence; `AUTO`: the one that the terminal of *environ* takes.
        environ: The variables that this process was started with.
    """
    line = safe_line(text, _LONGEST)
    # Inside of what screen passes on the longer of the two ends would end the passing on, too.
    end = _BEL if environ.get("STY") else _END
    match notified_by(environ) if by is NotifyBy.AUTO else by:
        case NotifyBy.OSC777:
            # The text is the last field; some terminals end it at a further semicolon.
            return wrapped(f"{_ESC}]777;notify;{_NAME};{line.replace(';', ',')}{_BEL}", environ)
        case NotifyBy.OSC99:
            # Of the same id: what is told next takes the place of this.
            title = f"{_ESC}]99;i={_NAME}:d=0:p=title;{_NAME}{end}"
            return wrapped(f"{title}{_ESC}]99;i={_NAME}:d=1:p=body;{line}{end}", environ)
        case NotifyBy.NONE:
            return ""
        case _:
            # With words before anything else: some terminals take a number there for a progress bar.
            return wrapped(f"{_ESC}]9;{_NAME}: {line}{_BEL}", environ)


def notified_by(environ: Mapping[str, str]) -> NotifyBy:
    """Return the sequence that the terminal of *environ* takes; OSC 9 where nothing is known of it.

    A terminal that does not know a sequence ignores it. Inside a multiplexer, variables tell of the terminal in
    which it was started.
    """
    term, program = environ.get("TERM", ""), environ.get("TERM_PROGRAM", "").lower()
    if environ.get("KITTY_WINDOW_ID") or term.startswith("xterm-kitty"):
        return NotifyBy.OSC99
    # These two show what they do not know, or have nobody to show it to.
    if term == "dumb" or term.startswith("linux"):
        return NotifyBy.NONE
    # Named first: a terminal that was started from within another one has the other's variables, too.
    if program in _TAKE_9 or environ.get("WT_SESSION"):
        return NotifyBy.OSC9
    takes_777 = program in _TAKE_777 or term.startswith(_TERMS_777) or any(map(environ.get, _MARKS_777))
    return NotifyBy.OSC777 if takes_777 else NotifyBy.OSC9


def clipboard(text: str, environ: Mapping[str, str]) -> str:
    """Return what puts *text* into the terminal's clipboard (OSC 52); empty if it is too long for that."""
    encoded = base64.b64encode(text.encode("utf-8", "replace")).decode()
    if len(encoded) > _MOST:
        return ""
    sequence = f"{_ESC}]52;c;{encoded}{_BEL}"
    passed_on = wrapped(sequence, environ)
    # A multiplexer takes it for itself, or passes it on, or neither: that is a matter of its settings.
    return sequence if passed_on == sequence else sequence + passed_on


def wrapped(sequence: str, environ: Mapping[str, str]) -> str:
    """Return *sequence* as the terminal around a multiplexer gets it, if there is one."""
    if environ.get("TMUX"):
        return f"{_ESC}Ptmux;{sequence.replace(_ESC, _ESC + _ESC)}{_END}"
    return f"{_ESC}P{sequence}{_END}" if environ.get("STY") else sequence
