"""Texts that a terminal would obey, and what tells whether it is sent them."""

import re
import unicodedata

__all__ = ["EVIL", "NAME", "obeyed", "quoted"]

EVIL = (
    "\x1b]52;c;ZXZpbA==\x07\x1b]0;title\x07\x1b]8;;http://x\x1b\\y\x1b[2J\x1b[?1049h\x1bPq\x1b\\\x9b31m\x9d0;t\x9c"
    "[b]x[/b] OK\rNO \x08\x7f\x85\u2028\u202eexe.\u2066\u200b\ufeff\U000e0041 a" + "\u0301" * 100 + "\nFORGED"
)
"""C0, C1, CSI, OSC, DCS, bidirectional and invisible characters, a pile of marks; markup is only text."""
NAME = "\x1b]0;t\x07\x9b2J\u202e\r[b]é\u0301"
"""What may stand in the name of a file, and on a command line."""


def quoted(text: str) -> str:
    """Return a text in quotes of YAML."""
    return '"' + "".join(c if c.isalnum() and c.isascii() else f"\\U{ord(c):08x}" for c in text) + '"'


def obeyed(text: str) -> list[str]:
    """Return what a terminal would not just show, and marks that are piled up."""
    steering = [
        f"{character!r} in {text[max(0, at - 40) : at + 40]!r}"
        for at, character in enumerate(text)
        if character != "\n" and unicodedata.category(character) in {"Cc", "Cf", "Cs", "Zl", "Zp"}
    ]
    return steering + re.findall("\u0301{9,}", text)
