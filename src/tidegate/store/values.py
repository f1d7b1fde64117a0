"""From values in a journal to what they are: inline ones as they stand, stored ones loaded."""

from collections.abc import Mapping, Sequence

import msgspec

from tidegate.model.base import Json, JsonObject
from tidegate.model.value import Inline, Stored, Value
from tidegate.store.protocol import Store

__all__ = ["load_values"]

_NONE: Mapping[str, bytes] = {}


async def load_values(
    store: Store, groups: Sequence[Mapping[str, Value]], fresh: Mapping[str, bytes] = _NONE
) -> list[JsonObject]:
    """Return several groups of values, loading all that are stored in one read.

    Args:
        store: Where stored values are.
        groups: Values by name.
        fresh: The JSON of values that are about to be stored, by SHA-256.

    Raises:
        CorruptStore: a stored value is missing or damaged.
    """
    needed = {value.sha256 for group in groups for value in group.values() if isinstance(value, Stored)}
    missing = sorted(needed - fresh.keys()) if needed else ()
    loaded = {**fresh, **await store.values(missing)} if missing else fresh
    return [
        {
            name: value.value if isinstance(value, Inline) else _decoded(loaded[value.sha256])
            for name, value in group.items()
        }
        for group in groups
    ]


def _decoded(data: bytes) -> Json:
    decoded: Json = msgspec.json.decode(data)
    return decoded
