"""Outputs on their way into the journal: small ones inline, large ones by their hash."""

import hashlib
from collections.abc import Mapping

import msgspec

from tidegate.model.base import Json
from tidegate.model.value import Inline, Stored, Value

__all__ = ["INLINE_LIMIT", "pack"]

INLINE_LIMIT = 4 * 1024
"""Bytes of JSON. A larger value would make every scan of the journal carry it along."""


def pack(outputs: Mapping[str, Json]) -> tuple[dict[str, Value], dict[str, bytes]]:
    """Return *outputs* as values, and the JSON of those that are stored beside the journal.

    Raises:
        TypeError, ValueError: an output is no JSON; the message names it.
    """
    values: dict[str, Value] = {}
    stored: dict[str, bytes] = {}
    for name, output in outputs.items():
        data = _encode(name, output)
        if len(data) <= INLINE_LIMIT:
            values[name] = Inline(value=output)
        else:
            digest = hashlib.sha256(data).hexdigest()
            values[name] = Stored(sha256=digest, size=len(data))
            stored[digest] = data
    return values, stored


def _encode(name: str, output: Json) -> bytes:
    try:
        return msgspec.json.encode(output)
    except (TypeError, ValueError) as error:
        raise ValueError(f"output '{name}' is not something a journal can hold: {error}") from error
