r"""Every foreign string on its way to a terminal: what workflows, commands and people wrote.

Owns the one rule of what a terminal may be sent. A string that was made safe moves no cursor, sets
no title, fills no clipboard, and looks like what it is:

- Control characters are shown as their pictures: ESC as ``␛``, NUL as ``␀``, DEL as ``␡``. What
  has no picture (C1, bidirectional controls, zero-width and other invisible characters, lone
  surrogates) is shown as Python writes it: ``\x9b``, ``\u202e``, ``\U000e0041``.
- A joiner or variation selector stays where it belongs to a visible sequence (emoji, Indic script).
- More than 8 combining marks in a row are cut, with ``…`` in their place.
- Printable text passes unchanged, brackets included: markup is the business of whoever draws, and
  draws plain text. Making safe text safe again changes nothing.

Knows no terminal and no toolkit. Colours (plain SGR sequences) are removed from output; every other
sequence is shown.
"""

import codecs
import re
import unicodedata

__all__ = ["TextDecoder", "safe_line", "safe_lines", "strip_colours"]

_MARKS = 8
_TAB = 8

_DEL = 0x7F
_PICTURES = {code: chr(0x2400 + code) for code in range(0x20)} | {_DEL: "␡"}

_COLOURS = re.compile(r"\x1b\[[0-9;:]*m")

# Where a joiner or a variation selector makes a visible difference: symbols and emoji, digits that
# become keycaps, Indic letters. Anywhere else it is an invisible difference between two names.
_SYMBOL = "\u00a9\u00ae\u203c\u2049\u2100-\u27ff\u2900-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
_SELECTED = f"[{_SYMBOL}][\ufe0e\ufe0f]"
_JOINED = f"\u200d[{_SYMBOL}][\ufe0e\ufe0f]?"
_KEPT = f"{_SELECTED}(?:{_JOINED})*|[{_SYMBOL}](?:{_JOINED})+|[0-9#*]\ufe0f(?=\u20e3)|[\u0900-\u0dff]\u200d"

# Category Cf, and what else has no ink or is no character: fillers, selectors, separators.
_INVISIBLE = (
    "\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\U000110bd\U000110cd\U00013430-\U0001345f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_UNSAFE = f"\x00-\x08\x0b-\x1f\x7f-\x9f{_INVISIBLE}\ud800-\udfff"

_RISKY = re.compile(f"[{_UNSAFE}]")
_CLEAN = re.compile(f"({_KEPT})|[{_UNSAFE}]+")

# Marks are no word characters; neither are the symbols that tables are drawn with, left out here so
# that a page of them costs nothing.
_STACK = re.compile(
    r"[^\w\s\x00-\u02ff\u2000-\u200c\u200e-\u20cf\u2100-\u2bff\u3000-\u3029\U0001f000-\U0001faff]{9,}"
)

_UNFINISHED = re.compile(r"(?:\r|\x1b(?:\[[0-9;:]{0,62})?)\Z")


def safe_line(text: str, limit: int | None = None) -> str:
    """Return *text* as one line that is safe on a terminal.

    A line break becomes ``⏎``, a lone carriage return ``␍``, a tab one blank.

    Args:
        text: Anything, lone surrogates included.
        limit: Characters of the result; a longer one ends in ``…``.
    """
    cut = limit is not None and len(text) > limit
    line = _clean(text[:limit] if cut else text, colours=True)
    line = line.replace("\n", "⏎").replace("\t", " ")
    if limit is None or not (cut or len(line) > limit):
        return line
    return (line[: limit - 1].rstrip("\u200d") + "…")[:limit] if limit > 0 else ""


def safe_lines(text: str) -> list[str]:
    """Return output as lines that are safe on a terminal, without colours.

    A carriage return overwrites nothing: it shows as ``␍`` and ends its line, so that what was to be
    hidden stays visible. Tabs go to the next multiple of 8. A final line break opens no empty line.
    """
    lines = _clean(text, colours=False).split("\n")
    if not lines[-1]:
        lines.pop()
    return [line.expandtabs(_TAB) if "\t" in line else line for line in lines]


def strip_colours(text: str) -> str:
    """Return *text* without its plain SGR sequences; every other sequence stays."""
    return _COLOURS.sub("", text) if "\x1b" in text else text


class TextDecoder:
    r"""Bytes of one stream, as they come, to text that can be made safe piece by piece.

    A character, a colour sequence or a ``\r\n`` that is split over two pieces comes out whole, in
    the later one. What is not UTF-8 becomes U+FFFD.
    """

    __slots__ = ("_decoder", "_held")

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._held = ""

    def feed(self, data: bytes) -> str:
        """Return the text that *data* completes."""
        text = self._held + self._decoder.decode(data)
        unfinished = _UNFINISHED.search(text, max(0, len(text) - 64))
        end = unfinished.start() if unfinished else len(text)
        self._held = text[end:]
        return text[:end]

    def finish(self) -> str:
        """Return what was held back: the stream has ended."""
        text = self._held + self._decoder.decode(b"", final=True)
        self._held = ""
        return text


def _clean(text: str, *, colours: bool) -> str:
    """Return *text* with nothing unsafe in it but line breaks and tabs."""
    if _RISKY.search(text):
        text = text if colours else strip_colours(text)
        ending = "␍" if colours else "␍\n"
        text = text.replace("\r\n", "\n").replace("\r", ending)
        text = _CLEAN.sub(_shown, text)
    return text if text.isascii() else _STACK.sub(_unstacked, text)


def _shown(match: re.Match[str]) -> str:
    return match[0] if match.lastindex else match[0].translate(_SHOWN)


class _Shown(dict[int, str]):
    """How each unsafe character is shown, worked out when it is first met."""

    def __missing__(self, code: int) -> str:
        # As Python writes a character that it does not print.
        self[code] = (
            chr(code).encode("ascii", "backslashreplace").decode() if code > _DEL else _PICTURES[code]
        )
        return self[code]


_SHOWN = _Shown()


def _unstacked(match: re.Match[str]) -> str:
    kept: list[str] = []
    height = 0
    for character in match[0]:
        is_mark = unicodedata.category(character).startswith("M")
        height = height + 1 if is_mark else height if character == "\u200d" else 0
        if height <= _MARKS:
            kept.append(character)
        elif kept[-1] != "…":
            kept.append("…")
    return "".join(kept)
