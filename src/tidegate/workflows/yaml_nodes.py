"""What a YAML file says, as a tree that knows where everything stands.

Owns the reading of plain scalars. YAML 1.1 turns `NO`, `on`, `12:30` and `1.10` into something
else without a word; here only true, false, null and numbers are anything but text, and a number
keeps the text it was written as until somebody says which of the two is wanted.
"""

import re
from dataclasses import dataclass, field
from typing import TypeAlias

from tidegate.model.base import Json

__all__ = [
    "BadValue",
    "Data",
    "Entry",
    "ListNode",
    "MapNode",
    "Node",
    "Path",
    "Place",
    "Plain",
    "TextNode",
    "as_text",
    "as_value",
    "node_at",
    "place_at",
    "to_data",
]

Path: TypeAlias = tuple[str | int, ...]
"""Keys and positions from the top of a file, or of a value."""

_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_BOOLEAN = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_INTEGER = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_MAX_DIGITS = 400
"""A longer run of digits is text: nobody counts that far, and converting it takes for ever."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where something starts in a file."""

    line: int = 1
    """1-based."""
    column: int = 1
    """1-based, in characters."""


@dataclass(frozen=True, slots=True)
class Plain:
    """An unquoted scalar that may be a number, a truth value or null."""

    text: str
    """As written."""
    value: bool | int | float | None


@dataclass(slots=True)
class TextNode:
    """A scalar."""

    place: Place
    text: str
    plain: bool = False
    """Whether it was written without quotes, on its own lines."""
    block: bool = False
    """Whether it is a `|` or `>` block, whose text starts on the next line."""


@dataclass(slots=True)
class ListNode:
    """A sequence."""

    place: Place
    items: "list[Node]" = field(default_factory=list)


@dataclass(slots=True)
class Entry:
    """A key of a mapping and its value."""

    key: TextNode
    value: "Node"


@dataclass(slots=True)
class MapNode:
    """A mapping; its keys are text as written."""

    place: Place
    entries: dict[str, Entry] = field(default_factory=dict)


Node: TypeAlias = TextNode | ListNode | MapNode
Data: TypeAlias = "str | Plain | list[Data] | dict[str, Data]"


class BadValue(ValueError):
    """A value is not what its place takes."""

    def __init__(self, message: str, path: Path = ()) -> None:
        self.message = message
        self.path = path
        """From the value on."""
        super().__init__(message)


def _resolve(text: str) -> str | Plain:
    if text in _NULL:
        return Plain(text, None)
    if text in _BOOLEAN:
        return Plain(text, _BOOLEAN[text])
    if len(text) > _MAX_DIGITS:
        return text
    if _INTEGER.fullmatch(text):
        return Plain(text, int(text, 0) if text[:2] in {"0o", "0x"} else int(text))
    return Plain(text, float(text)) if _FLOAT.fullmatch(text) else text


def to_data(node: Node) -> Data:
    """Return the plain data of a tree; its depth was bounded when it was read."""
    match node:
        case TextNode():
            return _resolve(node.text) if node.plain else node.text
        case ListNode():
            return [to_data(item) for item in node.items]
        case MapNode():
            return {key: to_data(entry.value) for key, entry in node.entries.items()}


def as_text(data: object) -> str:
    """Return the text of a place that takes text; an unquoted number is the text it was written as.

    Raises:
        BadValue: it is a mapping, a list, a truth value or null.
    """
    match data:
        case str():
            return data
        case Plain(text, value) if isinstance(value, int | float) and not isinstance(value, bool):
            return text
        case Plain("", None):
            raise BadValue("is empty, expected text (write '' for an empty text)")
        case Plain(text):
            raise BadValue(
                f"expected text, but an unquoted {text} is no text in YAML: quote it, like '{text}'"
            )
        case list():
            raise BadValue("expected text, found a list")
        case dict() if len(data) == 1 and None not in data and _is_braces(data):
            raise BadValue("expected text, found a mapping: quote text that starts with {")
        case _:
            raise BadValue("expected text, found a mapping (key: value)")


def _is_braces(data: dict[object, object]) -> bool:
    (value,) = data.values()
    return isinstance(value, Plain) and value.text == ""


def as_value(data: object) -> Json:
    """Return the JSON value of a place that takes any value.

    Raises:
        BadValue: an unquoted number would not come back as it was written.
    """
    match data:
        case Plain():
            return _exact(data)
        case list():
            return [_inside(index, item) for index, item in enumerate(data)]
        case dict():
            return {key: _inside(key, item) for key, item in data.items()}
        case _:
            return str(data)


def _inside(step: str | int, data: object) -> Json:
    try:
        return as_value(data)
    except BadValue as error:
        raise BadValue(error.message, (step, *error.path)) from None


def _exact(plain: Plain) -> bool | int | float | None:
    value, text = plain.value, plain.text
    if value is None or isinstance(value, bool):
        return value
    # What a journal can hold: 64 bits, as in every other program that may read it.
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise BadValue(f"the number {text} is too large to be kept exactly: quote it, like '{text}'")
    if repr(value) != text:
        raise BadValue(
            f"the number {text} would become {value!r}: quote it, like '{text}', to keep it as written"
        )
    return value


def _step(node: Node, step: str | int) -> Node | None:
    match node:
        case MapNode():
            entry = node.entries.get(str(step))
            return entry.value if entry else None
        case ListNode() if isinstance(step, int) and 0 <= step < len(node.items):
            return node.items[step]
        case _:
            return None


def node_at(root: Node, path: Path) -> tuple[Node, bool]:
    """Return the node at *path* and True, or the deepest one on the way there and False."""
    node = root
    for step in path:
        deeper = _step(node, step)
        if deeper is None:
            return node, False
        node = deeper
    return node, True


def place_at(root: Node, path: Path, *, key: bool = False) -> Place:
    """Return where *path* stands; with *key* the place of its last key instead of its value."""
    if key and path:
        parent, found = node_at(root, path[:-1])
        entry = parent.entries.get(str(path[-1])) if found and isinstance(parent, MapNode) else None
        if entry:
            return entry.key.place
    return node_at(root, path)[0].place
