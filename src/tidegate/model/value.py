"""What a block produced: small values inline, large ones by the hash of their content."""

from collections.abc import Iterator
from typing import TypeAlias

from tidegate.model.base import Json, Noun, fields_of

__all__ = ["Inline", "Stored", "Value", "stored_in"]


class Inline(Noun, tag="inline"):
    """A value small enough to stand in the journal."""

    value: Json


class Stored(Noun, tag="stored"):
    """A value kept once per content, beside the journal."""

    sha256: str
    """Hex, of its JSON."""
    size: int
    """Bytes of its JSON."""


Value: TypeAlias = Inline | Stored


def stored_in(noun: Noun) -> Iterator[Stored]:
    """Yield the stored values that a noun, such as an event, names in its own fields."""
    for _, field in fields_of(noun):
        values = (
            field.values() if isinstance(field, dict) else field if isinstance(field, tuple) else (field,)
        )
        yield from (value for value in values if isinstance(value, Stored))
