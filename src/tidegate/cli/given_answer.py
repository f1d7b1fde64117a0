"""What an answer is given as on the command line: a word, standard input, or the fields of a form."""

import sys
from collections.abc import Sequence

from tidegate.errors import InvalidAnswer
from tidegate.model.base import Json
from tidegate.model.raw_answer import MAX_ANSWER_CHARACTERS
from tidegate.model.typed_text import as_json

__all__ = ["given_answer"]

_UTF8_BYTES = 4
"""A character has at most so many."""


def given_answer(value: str | None, fields: Sequence[str]) -> str | None:
    """Return the answer as it is typed; None: none was given.

    Args:
        value: The word on the command line; ``-`` stands for standard input.
        fields: Of a form, each as NAME=VALUE.

    Raises:
        InvalidAnswer: both are given, a field twice or without its name, or the input is no text.
    """
    if fields and value is not None:
        raise InvalidAnswer("give the answer either as VALUE or with --field, not both")
    if fields:
        return as_json(_by_name(fields))
    return _read() if value == "-" else value


def _by_name(fields: Sequence[str]) -> dict[str, Json]:
    values: dict[str, Json] = {}
    for word in fields:
        name, equals, value = word.partition("=")
        if not name or not equals:
            raise InvalidAnswer(f"--field {word!r}: write it as NAME=VALUE")
        if name in values:
            raise InvalidAnswer(f"--field {name}=... is given twice")
        values[name] = value
    return values


def _read() -> str:
    """Return standard input without the line break at its end; more than any answer is not read."""
    if sys.stdin is None:
        raise InvalidAnswer("the answer was to be read from standard input, which is closed")
    data = sys.stdin.buffer.read((MAX_ANSWER_CHARACTERS + 2) * _UTF8_BYTES)
    try:
        return data.decode("utf-8").removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError as error:
        raise InvalidAnswer(f"the answer on standard input is no UTF-8 text: {error.reason}") from error
