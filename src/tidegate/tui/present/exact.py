"""Values as a field shows them and takes them back, and as two of them are told apart: exact, whatever is in them.

What a list shows may be a picture of a value, with a blank where a tab is. What is edited must be the value.
"""

import json
import shlex
from dataclasses import dataclass

from tidegate.history.document import Missing
from tidegate.model.base import Json
from tidegate.safe_text import safe_line

__all__ = ["FieldText", "exact_json", "field_text", "shell_word", "shown_pair", "typed_value"]

_SHOWN = 200
"""Characters of a value that a line needs."""
_AROUND = 40
"""Characters that two values have in common and that are shown before the first other one."""
_BEYOND_BMP = 0xFFFF


@dataclass(frozen=True, slots=True)
class FieldText:
    """A value as a field shows it. Safe to draw."""

    text: str = ""
    is_quoted: bool = False
    """Whether it is a text that a field would not show as it is, and so stands there as JSON writes it."""


def field_text(value: Json) -> FieldText:
    """Return a value as a field shows it: a text as it is where that can be seen, and anything else as JSON."""
    if not isinstance(value, str):
        return FieldText(exact_json(value))
    is_seen = "\t" not in value and all(safe_line(line) == line for line in value.split("\n"))
    return FieldText(value) if is_seen else FieldText(exact_json(value), is_quoted=True)


def typed_value(typed: str, *, is_quoted: bool) -> tuple[Json, bool]:
    """Return what somebody has typed, and whether it is still to be read by the type that is expected.

    Args:
        typed: The text of the field.
        is_quoted: As of what the field began with. In double quotes it is a text as JSON writes it, and exact.

    Raises:
        ValueError: it begins as such a text, and is none. The message is a sentence that is safe to draw.
    """
    if not (is_quoted and typed.lstrip().startswith('"')):
        return typed, True
    try:
        return str(json.loads(typed)), False
    except ValueError as error:
        problem = str(error).partition(":")[0].lower()
        raise ValueError(
            f"Not taken: it begins with a double quote, and is no text as JSON writes it ({problem})."
        ) from None


# -- as JSON ----------------------------------------------------------------------------------


class _Escapes(dict[int, str | None]):
    """How each character stands in JSON: what cannot be seen, or looks like a blank, is escaped."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        if character.isprintable() and safe_line(character) == character:
            self[code] = character
        elif code > _BEYOND_BMP:
            self[code] = json.dumps(character)[1:-1]
        else:
            self[code] = f"\\u{code:04x}"
        return self[code] or ""


_ESCAPES = _Escapes()


def exact_json(value: Json) -> str:
    """Return a value as JSON on one line that is safe to draw; read as JSON it is the very same value."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    if not (text.isascii() and text.isprintable()):
        text = text.translate(_ESCAPES)
    # What is left are heaps of combining marks.
    return text if safe_line(text) == text else json.dumps(value, separators=(",", ":"))


def shown_pair(before: Json | Missing, after: Json | Missing) -> tuple[str, str]:
    """Return two values on one line, safe to draw; long ones from shortly before where they differ."""
    left, right = (
        "(nothing)" if isinstance(value, Missing) else exact_json(value) for value in (before, after)
    )
    start = 0
    if max(len(left), len(right)) > _SHOWN:
        start = max(0, _alike(left, right) - _AROUND)
    return _cut(left, start), _cut(right, start)


def _alike(left: str, right: str) -> int:
    """Return how many characters two texts begin with that are the same."""
    pairs = zip(left, right, strict=False)
    return next((at for at, (one, other) in enumerate(pairs) if one != other), min(len(left), len(right)))


def _cut(text: str, start: int) -> str:
    end = start + _SHOWN
    return f"{'…' if start else ''}{text[start:end]}{'…' if end < len(text) else ''}"


# -- for a shell ------------------------------------------------------------------------------


def shell_word(text: str) -> str:
    """Return *text* as a word of a command; what cannot be seen is written out, so that it can be copied by hand."""
    if text.isprintable() and safe_line(text) == text:
        return shlex.quote(text)
    return "$'" + "".join(map(_in_shell, text)) + "'"


def _in_shell(character: str) -> str:
    code = ord(character)
    if character in "\\'":
        return "\\" + character
    if character in "\n\t":
        return {"\n": "\\n", "\t": "\\t"}[character]
    if character.isprintable() and safe_line(character) == character:
        return character
    if character.isascii():
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= _BEYOND_BMP else f"\\U{code:08x}"
