"""From values in a journal to what they are: inline ones as they stand, stored ones loaded."""

from collections.abc import Mapping, Sequence

import msgspec

from tidegate.model.base import Json, JsonObject
from tidegate.model.value import Inline, Stored, Value
from tidegate.store.protocol import Store

__all__ = ["load_values"]


async def load_values(store: Store, groups: Sequence[Mapping[str, Value]]) -> list[JsonObject]:
    """Return several groups of values, loading all that are stored in one read.

    Raises:
        CorruptStore: a stored value is missing or damaged.
    """
    needed = {value.sha256 for group in groups for value in group.values() if isinstance(value, Stored)}
    loaded = await store.values(sorted(needed)) if needed else {}
    return [{name: _plain(value, loaded) for name, value in group.items()} for group in groups]


def _plain(value: Value, loaded: Mapping[str, bytes]) -> Json:
    if isinstance(value, Inline):
        return value.value
    decoded: Json = msgspec.json.decode(loaded[value.sha256])
    return decoded
