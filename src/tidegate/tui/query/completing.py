"""What tab writes in a filter: the rest of a field's name, or of one of the few values that it takes."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from os.path import commonprefix
from typing import TypeVar

from tidegate.tui.query.fields import Field

__all__ = ["Completed", "completed"]

T = TypeVar("T")

_TOKEN = re.compile(r"\S*$")
_TEST = re.compile(r"(-?)([a-z_]*)(<=|>=|[:=<>])(.*)", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Completed:
    """A filter with what was begun written to its end, as far as that is certain."""

    text: str
    """Up to where the cursor is then; what stood behind it is not touched."""
    choices: tuple[str, ...] = ()
    """What it may become, if that is more than one thing."""


def completed(before: str, fields: Sequence[Field[T]]) -> Completed:
    """Return a filter completed.

    Args:
        before: What stands before the cursor.
        fields: Those of the list.
    """
    match = _TOKEN.search(before)
    token = match[0] if match is not None else ""
    head = before[: len(before) - len(token)]
    test = _TEST.fullmatch(token)
    if test is None:
        minus = "-" if token.startswith("-") else ""
        names = {name: f"{name}{field.signs.split()[0]}" for field in fields for name in field.names}
        return _within(f"{head}{minus}", token.removeprefix("-"), names.items())
    minus, name, sign, values = test.groups()
    field = next((field for field in fields if name.casefold() in field.names), None)
    done, comma, begun = values.rpartition(",")
    known = ((value, value) for value in (field.choices if field is not None else ()))
    return _within(f"{head}{minus}{name}{sign}{done}{comma}", begun, known)


def _within(head: str, begun: str, known: Iterable[tuple[str, str]]) -> Completed:
    """Return *begun* completed to what all of *known* that begin so have in common."""
    fitting = [(word, whole) for word, whole in known if word.startswith(begun.casefold())]
    if not fitting:
        return Completed(head + begun)
    if len(fitting) == 1:
        return Completed(head + fitting[0][1])
    words = tuple(word for word, _ in fitting)
    return Completed(head + commonprefix(words), words)  # noqa: RUF071 - characters are meant
