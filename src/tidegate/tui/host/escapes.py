"""What is said to the terminal itself: its title, a notification, its clipboard. Pure: text in, sequences out.

Nothing foreign may end a sequence early, so whatever goes into one is made one safe line first.
"""

import base64
from collections.abc import Mapping

from tidegate.safe_text import safe_line

__all__ = ["clipboard", "notification", "window_title", "wrapped"]

_ESC, _BEL, _END = "\x1b", "\x07", "\x1b\\"
_LONGEST = 160
_MOST = 74_994
"""Bytes that terminals take into their clipboard: what is longer some cut, and others drop without a word."""


def window_title(text: str) -> str:
    """Return what gives the window the title *text*."""
    return f"{_ESC}]2;{safe_line(text, _LONGEST)}{_BEL}"


def notification(text: str, environ: Mapping[str, str]) -> str:
    """Return what makes a terminal tell *text* while one looks elsewhere (OSC 9); others ignore it."""
    # With words before anything else: some terminals take a number there for a progress bar.
    return wrapped(f"{_ESC}]9;tidegate: {safe_line(text, _LONGEST)}{_BEL}", environ)


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
