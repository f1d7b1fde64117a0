"""What a block produced: small values inline, large ones by the hash of their content."""

from typing import TypeAlias

from tidegate.model.base import Json, Noun

__all__ = ["Inline", "Stored", "Value"]


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
