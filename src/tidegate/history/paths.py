"""Where something stands in the document of a state, and how a person writes that.

A path is a row of names, and of positions in lists: `blocks.build.outputs.result.3`. A name that holds a
dot, a quote, a blank or a `=` is written as JSON writes a text: `blocks."each[a.b]".status`.
"""

import json
import re
from collections.abc import Callable, Iterable
from typing import TypeAlias

__all__ = ["Path", "any_of", "parse_path", "path_text", "split_assignment"]

Path: TypeAlias = tuple[str | int, ...]
"""Names, and positions in lists counted from 0. What a person wrote has its digits as text."""

_PLAIN = re.compile(r'[^\s."=\\]+')
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
_UP_TO_EQUALS = re.compile(rf'(?:{_QUOTED.pattern}|[^="])*', re.DOTALL)
_ANY_DEPTH = "**"


def path_text(path: Path) -> str:
    """Return *path* as a person writes it; the empty path is an empty text."""
    return ".".join(_written(part) for part in path)


def _written(part: str | int) -> str:
    if isinstance(part, int) or (_PLAIN.fullmatch(part) and part.isprintable()):
        return str(part)
    # What is invisible or steers a terminal is escaped as JSON may have it: a path is shown, and typed again.
    written = json.dumps(part, ensure_ascii=False)
    return "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in written)


def parse_path(text: str) -> Path:
    """Return the path that *text* means.

    Raises:
        ValueError: it is none; the message says where, and what would be right.
    """
    parts: list[str | int] = []
    at = 0
    while at < len(text) or parts:
        found = _QUOTED.match(text, at) or _PLAIN.match(text, at)
        if found is None:
            raise ValueError(_complaint(text, at))
        parts.append(_unquoted(found[0], text))
        at = found.end()
        if at == len(text):
            break
        if text[at] != ".":
            raise ValueError(_complaint(text, at))
        at += 1
    return tuple(parts)


def split_assignment(text: str) -> tuple[str, str | None]:
    """Return a path and what follows its ``=``, of which a name in double quotes may hold some, too.

    Returns:
        The path as it was written, and None if no ``=`` follows.
    """
    found = _UP_TO_EQUALS.match(text)
    end = found.end() if found is not None else 0
    if text[end : end + 1] == '"':
        # One that is never closed: the path's fault, which says so.
        end = text.find("=", end)
    return (text, None) if end in (-1, len(text)) else (text[:end], text[end + 1 :])


def _unquoted(word: str, text: str) -> str:
    if not word.startswith('"'):
        return word
    try:
        return str(json.loads(word))
    except ValueError:
        raise ValueError(f"'{text}' is no path: {word} is not a text as JSON writes it") from None


def _complaint(text: str, at: int) -> str:
    found = f"'{text[at]}' at character {at + 1} is" if at < len(text) else "its end is"
    return (
        f"'{text}' is no path: {found} where a name should be; write names with dots between them, "
        'and a name with a dot, a blank or a = in double quotes: blocks."a.b".status'
    )


def any_of(patterns: Iterable[Path]) -> Callable[[Path], bool]:
    """Return what tells whether a path is what one of *patterns* names, or below it.

    Each part of a pattern is compared by itself: `*` stands for any name and for a piece of one, `?` for one
    character, `**` for any number of names.
    """
    # One expression for all: a comparison of two large runs asks for a hundred thousand paths.
    texts = ["".join(map(_expression, pattern)) for pattern in patterns]
    if not texts:
        return lambda _: False
    expression = re.compile("|".join(texts), re.DOTALL)
    return lambda path: expression.match("".join([f"{part}{_END}" for part in path])) is not None


_END = "\0"
"""Behind each name, where paths are compared."""


def _expression(part: str | int) -> str:
    if part == _ANY_DEPTH:
        return rf"(?:[^{_END}]*{_END})*"
    text = re.escape(str(part)).replace(r"\*", rf"[^{_END}]*").replace(r"\?", rf"[^{_END}]")
    return text + _END
