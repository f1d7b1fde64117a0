"""Nothing foreign does anything to a terminal, and everything harmless stays as it is."""

import itertools
import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tidegate.safe_text import TextDecoder, safe_line, safe_lines, strip_colours

# Any code point, lone surrogates included, with those that matter met far more often.
HOSTILE = st.sampled_from(
    "\x00\x07\x08\t\n\r\x1b\x7f\x80\x9b\x9d\u0085\u00ad\u034f\u061c\u115f\u200b\u200c\u200d\u200e\u202e"
    "\u2028\u2029\u2066\u2069\ufe0e\ufe0f\ufeff\U000e0041\U000e0100\ud800\udc80[];0123mABK\\#*\u20e3"
    "\u0301\u0300\u0489\u0915\u094d\u2764\u26a0\U0001f469\U0001f680\U0001f3fd"
)
FOREIGN = st.lists(st.one_of(HOSTILE, st.characters(codec=None, categories=None)), max_size=40).map("".join)

BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


def unsafe(text: str) -> list[str]:
    """Return what must never reach a terminal."""
    return [
        character
        for character in text
        if unicodedata.category(character) in {"Cc", "Cs", "Zl", "Zp"}
        or (unicodedata.category(character) == "Cf" and character != "\u200d")
        or character in BIDI
    ]


@settings(max_examples=500)
@given(FOREIGN)
@example("\x1b[\x1b[31mm")
@example("a\ufe0f\u200d\ufe0f\u200d")
@example("\u0915" + ("\u094d" * 8 + "\u200d") * 3 + "\u094d" * 9)
@example("1\ufe0f" + "\u20e3" * 12)
def test_no_control_reaches_the_terminal(text: str) -> None:
    """No escape, no control, nothing bidirectional, no surrogate; doing it again changes nothing."""
    line = safe_line(text)
    lines = safe_lines(text)

    assert unsafe(line) == []
    assert unsafe("".join(lines)) == []
    assert safe_line(line) == line
    assert safe_lines("\n".join(lines)) == lines or lines[-1:] == [""]
    assert len(line) <= 10 * len(text)
    line.encode()


@given(FOREIGN, st.integers(min_value=0, max_value=30))
def test_a_limit_holds(text: str, limit: int) -> None:
    """In characters of what is shown; and what was cut is as safe."""
    line = safe_line(text, limit)

    assert len(line) <= limit
    assert unsafe(line) == []
    assert safe_line(line, limit) == line


@given(
    st.text(
        st.characters(
            codec="utf-8",
            categories=["L", "N", "P", "S", "Zs"],
            exclude_characters="\u115f\u1160\u2800\u3164\uffa0",
        )
    )
)
def test_printable_text_is_unchanged(text: str) -> None:
    """Whatever its script."""
    assert safe_line(text) == text
    assert safe_lines(text) == ([text] if text else [])


@pytest.mark.parametrize(
    "text",
    [
        "Deploy to [prod]? range [a-z] [b]x[/b] [/] [/etc/hosts] [0] a[0]=1 [link=http://x]y[/link]",
        "家族 naïve Ελληνικά עברית العربية हिन्दी ไทย 한국어",
        "👩‍🚀 🏳️‍🌈 ⚠️ ❤️‍🔥 👩🏽‍🚀 1️⃣ #️⃣ ©️ 👨‍👩‍👧‍👦",
        "क्‍ष e\u0301 ─│┌┐ ░▒▓ ½ ™",
    ],
)
def test_people_write_more_than_ascii(text: str) -> None:
    """Brackets, scripts, emoji with their joiners, and tables are text."""
    assert safe_line(text) == text
    assert safe_lines(text) == [text]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\nb", "a⏎b"),
        ("a\r\nb", "a⏎b"),
        ("a\rb", "a␍b"),
        ("a\tb", "a b"),
        ("\x1b[31mred\x1b[0m", "␛[31mred␛[0m"),
        ("\x1b]52;c;cm0=\x07", "␛]52;c;cm0=␇"),
        ("\x9b31m", r"\x9b31m"),
        ("nul\0 del\x7f back\x08", "nul␀ del␡ back␈"),
        ("\u202egpj.exe", r"\u202egpj.exe"),
        ("pay\u200bpal con\u200dfig x\ufe0f", r"pay\u200bpal con\u200dfig x\ufe0f"),
        ("\udce9", r"\udce9"),
        ("a\U000e0041\U000e0100", r"a\U000e0041\U000e0100"),
        ("\u2028\u2029\u0085", r"\u2028\u2029\x85"),
    ],
)
def test_what_does_something_is_shown_instead(text: str, shown: str) -> None:
    """A picture where there is one, else as Python writes it."""
    assert safe_line(text) == shown


def test_marks_do_not_pile_up() -> None:
    """Eight on one letter are more than any language has; a pile covers the lines around it."""
    assert safe_line("a" + "\u0301" * 8 + "b") == "a" + "\u0301" * 8 + "b"
    assert safe_line("a" + "\u0301" * 500 + "b") == "a" + "\u0301" * 8 + "…b"
    assert safe_line("a" + "\u0301\u0489" * 500) == "a" + "\u0301\u0489" * 4 + "…"


@pytest.mark.parametrize(
    ("text", "limit", "shown"),
    [
        ("abcdef", 6, "abcdef"),
        ("abcdef", 5, "abcd…"),
        ("abcdef", 1, "…"),
        ("a", 0, ""),
        ("\x80\x80", 6, r"\x80\…"),
        ("x" * 10_000_000, 3, "xx…"),
    ],
)
def test_a_long_line_is_cut(text: str, limit: int, shown: str) -> None:
    """And says so."""
    assert safe_line(text, limit) == shown


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", []),
        ("a", ["a"]),
        ("a\n", ["a"]),
        ("a\n\n", ["a", ""]),
        ("a\r\nb\n", ["a", "b"]),
        ("FAILED\rOK    ", ["FAILED␍", "OK    "]),
        ("10%\r20%\r\n", ["10%␍", "20%"]),
        ("a\tb\n12345678\tc", ["a       b", "12345678        c"]),
        ("\x1b[1;31mred\x1b[m plain", ["red plain"]),
        ("\x1b[2J\x1b[H\x1b[?1049h", ["␛[2J␛[H␛[?1049h"]),
        ("\x1b]0;title\x07\x1b]8;;http://x\x1b\\", ["␛]0;title␇␛]8;;http://x␛\\"]),
        ("\x1bPq\x1b\\ \x1b", ["␛Pq␛\\ ␛"]),
        ("rm -rf /" + "\x08" * 3, ["rm -rf /␈␈␈"]),
        ("\x1b[\x1b[31mm", ["␛[m"]),
        ("a\x0bb\x0cc\u2028d", ["a␋b␌c\\u2028d"]),
    ],
)
def test_output_becomes_lines(text: str, lines: list[str]) -> None:
    """Colours go, every other sequence is shown, and nothing is overwritten."""
    assert safe_lines(text) == lines


def test_only_colours_are_colours() -> None:
    """What moves, asks or sets is no colour."""
    assert strip_colours("\x1b[0;1;38:2:1:2:3mx\x1b[m\x1b[2K\x1b[?25l\x1b[>4m") == "x\x1b[2K\x1b[?25l\x1b[>4m"


@settings(max_examples=300)
@given(st.binary(max_size=60), st.lists(st.integers(min_value=0, max_value=60), max_size=6))
@example("é\x1b[31m家\r\n\x1b".encode(), [1, 3, 5, 9, 12, 13])
def test_bytes_in_pieces_are_the_same_text(data: bytes, cuts: list[int]) -> None:
    """Wherever the bytes are cut, nothing is lost and nothing is damaged."""
    decoder = TextDecoder()
    edges = [0, *sorted(cuts), len(data)]
    pieces = [decoder.feed(data[start:end]) for start, end in itertools.pairwise(edges)]
    text = "".join(pieces) + decoder.finish()

    assert text == data.decode(errors="replace")


@pytest.mark.parametrize(
    ("pieces", "texts"),
    [
        ((b"\xc3", b"\xa9"), ["", "é", ""]),
        ((b"a\x1b", b"[31mb"), ["a", "\x1b[31mb", ""]),
        ((b"a\x1b[3", b"1mb"), ["a", "\x1b[31mb", ""]),
        ((b"a\r", b"\nb"), ["a", "\r\nb", ""]),
        ((b"a\xc3",), ["a", "\ufffd"]),
        ((b"a\x1b",), ["a", "\x1b"]),
        ((b"\x1b[" + b"1;" * 50,), ["\x1b[" + "1;" * 50, ""]),
    ],
)
def test_pieces_can_be_made_safe_one_by_one(pieces: tuple[bytes, ...], texts: list[str]) -> None:
    """A character, a colour or a line end is never split between two of them."""
    decoder = TextDecoder()

    assert [*(decoder.feed(piece) for piece in pieces), decoder.finish()] == texts
