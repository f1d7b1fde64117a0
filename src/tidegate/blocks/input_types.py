"""How inputs that several block types have are read."""

import re
from collections.abc import Callable, Mapping
from typing import Annotated, TypeAlias

from pydantic import BeforeValidator

from tidegate.blocks.checks import describe, written, wrong
from tidegate.blocks.input_docs import Kind
from tidegate.model.base import JsonObject
from tidegate.model.duration import parse_duration

__all__ = ["ByteCount", "Duration", "JsonMapping", "PathText", "duration_reader", "scalars"]


def _mapping(value: object) -> object:
    if not isinstance(value, Mapping) or not all(isinstance(name, str) for name in value):
        raise wrong(f"must be a mapping of names to values, not {describe(value)}")
    return dict(value)


def duration_reader(*, zero: bool = False) -> BeforeValidator:
    """Return the reader of a duration; *zero*: whether no time at all is one."""

    def read(value: object) -> object:
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise wrong(f"must be seconds, or like 90s, 5m, 2h, not {describe(value)}")
        try:
            return parse_duration(written(value), zero=zero)
        except ValueError as error:
            raise wrong(f"is wrong: {error}") from None

    return BeforeValidator(read)


def scalars(what: str, *, names: re.Pattern[str] | None = None) -> Callable[[object], dict[str, str]]:
    """Return the reader of a mapping of names to texts, numbers and truth values, which become text.

    Args:
        what: What a name is called in a message.
        names: What a name must match, whole.
    """

    def read(value: object) -> dict[str, str]:
        if not isinstance(value, Mapping):
            raise wrong(f"must be a mapping of names to values, not {describe(value)}")
        return {_name(name): _worth(name, item) for name, item in value.items()}

    def _name(name: object) -> str:
        if not isinstance(name, str) or not name or (names is not None and not names.fullmatch(name)):
            raise wrong(f"has {describe(name)}, which is no name of a {what}")
        return name

    return read


def _worth(name: str, value: object) -> str:
    if not isinstance(value, str | bool | int | float):
        raise wrong(f"gives {name} {describe(value)}; it must be text, a number or true/false")
    return written(value)


def _bytes(value: object) -> object:
    size = int(value) if isinstance(value, str) and value.isdecimal() else value
    if not isinstance(size, int) or isinstance(size, bool) or size < 1:
        raise wrong(f"must be a whole number of bytes, at least 1, not {describe(value)}")
    return size


def _path(value: object) -> object:
    if not isinstance(value, str) or not value.strip() or "\0" in value:
        raise wrong(f"must be a path, not {describe(value)}")
    return value


ByteCount: TypeAlias = Annotated[int, BeforeValidator(_bytes), Kind("number of bytes")]
Duration: TypeAlias = Annotated[float, duration_reader(), Kind("duration")]
JsonMapping: TypeAlias = Annotated[JsonObject, BeforeValidator(_mapping), Kind("mapping")]
PathText: TypeAlias = Annotated[str, BeforeValidator(_path), Kind("path")]
