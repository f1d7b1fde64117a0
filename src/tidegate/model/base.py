"""What all nouns have in common: frozen, keyword-only, and closed over JSON."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Self, TypeAlias, dataclass_transform

import msgspec

__all__ = ["Json", "JsonObject", "Noun", "fields_of"]

if TYPE_CHECKING:
    Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
    """What a block may take and produce, a person may answer, and a journal may hold."""
else:
    # msgspec knows recursion through structs only; what it decodes without a type is plain JSON.
    Json = Any

JsonObject: TypeAlias = dict[str, Json]


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(msgspec.field,))
class _NounMeta(msgspec.StructMeta):
    """Makes every noun frozen and keyword-only without saying so fifty times."""

    def __new__(mcls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **options: Any) -> Any:
        options = {"frozen": True, "kw_only": True, "omit_defaults": True, "gc": False} | options
        return super().__new__(mcls, name, bases, namespace, **options)


# To a type checker a noun is what its metaclass says: Struct's own declaration would make its fields
# positional and writable again.
if TYPE_CHECKING:

    class _Struct:
        pass
else:
    _Struct = msgspec.Struct


class Noun(_Struct, metaclass=_NounMeta):
    """A frozen value with a JSON form.

    A field added later gets a default, so that journals written before it still decode.
    """

    def evolve(self, **changes: object) -> Self:
        """Return a copy with *changes*."""
        return msgspec.structs.replace(self, **changes)  # type: ignore[type-var]  # see _Struct


def fields_of(noun: Noun) -> Iterator[tuple[str, object]]:
    """Yield a noun's fields by name, in their order."""
    for name in type(noun).__struct_fields__:
        yield name, getattr(noun, name)
