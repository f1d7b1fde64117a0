"""Where references and expressions start and end in a text.

Says nothing about what they mean. Quotes inside of braces are respected, so that
`${{ {'a': '}}'}['a'] }}` ends where it should.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from tidegate.errors import ExpressionError
from tidegate.workflows.references import RawReference, parse_reference

__all__ = ["RawExpression", "RawPart", "closing", "has_reference", "parse_part", "split_text"]

_OPENING = re.compile(r"\$\$\{|\$\{")
_INSIDE = re.compile(r"\\.|'''|\"\"\"|['\"{}]", re.DOTALL)


@dataclass(frozen=True, slots=True)
class RawExpression:
    """A `${{ ... }}` as written."""

    source: str
    """With its braces."""
    body: str


RawPart: TypeAlias = str | RawReference | RawExpression


def closing(text: str, start: int) -> int:
    """Return the position after the `}` that closes the `{` at *start*, or -1 if none does."""
    depth, quote = 0, ""
    for found in _INSIDE.finditer(text, start):
        mark = found.group()
        if quote:
            quote = "" if mark == quote else quote
        elif mark in {"{", "}"}:
            depth += 1 if mark == "{" else -1
            if depth == 0:
                return found.end()
        elif mark[0] != "\\":
            quote = mark
    return -1


def parse_part(source: str) -> RawReference | RawExpression:
    """Return what *source*, from `${` to its closing brace, is.

    Raises:
        ExpressionError: it is nothing that a workflow can mean.
    """
    body = source[2:-1]
    if not body.startswith("{"):
        return parse_reference(body, source)
    if not body.endswith("}"):
        raise ExpressionError(source, "an expression ends with }}")
    if not body[1:-1].strip():
        raise ExpressionError(source, "the expression is empty")
    return RawExpression(source, body[1:-1])


@lru_cache(maxsize=4096)
def split_text(text: str) -> tuple[RawPart, ...]:
    """Return the parts of *text*: plain text (with `$${` as `${`), references, expressions.

    Raises:
        ExpressionError: one of them cannot be read, or is never closed.
    """
    parts: list[RawPart] = []
    literal, position = "", 0
    while found := _OPENING.search(text, position):
        literal += text[position : found.start()]
        if found.group() == "$${":
            literal, position = literal + "${", found.end()
            continue
        position = closing(text, found.start() + 1)
        if position < 0:
            shown = text[found.start() : found.start() + 40]
            raise ExpressionError(shown, "the brace is never closed; write $${ for the text itself")
        parts.extend([literal] if literal else [])
        parts.append(parse_part(text[found.start() : position]))
        literal = ""
    literal += text[position:]
    return (*parts, literal) if literal or not parts else tuple(parts)


def has_reference(value: object) -> bool:
    """Return whether *value* is not known before a run, because a text in it holds a reference."""
    match value:
        case str():
            return any(found.group() == "${" for found in _OPENING.finditer(value))
        case list():
            return any(has_reference(item) for item in value)
        case dict():
            return any(has_reference(item) for item in value.values())
        case _:
            return False
