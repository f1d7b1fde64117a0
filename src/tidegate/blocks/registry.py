"""Which block types there are.

Owns the table of names. A type's code is imported when it is first asked for, so that knowing the
names costs nothing.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import cast

from tidegate.blocks.base import Block
from tidegate.model.catalog import Catalog

__all__ = ["BUILTIN", "block_of", "catalog"]

_WHERE = {
    "Shell": "tidegate.blocks.shell",
    "ConfirmOperation": "tidegate.blocks.interactive",
    "AskChoice": "tidegate.blocks.interactive",
    "GetInput": "tidegate.blocks.interactive",
}
"""The module of each type; its class has the type's name."""


class _Builtin(Mapping[str, Block]):
    """One instance of every block type, by the type's name."""

    def __getitem__(self, name: str) -> Block:
        return _made(name)

    def __iter__(self) -> Iterator[str]:
        return iter(_WHERE)

    def __len__(self) -> int:
        return len(_WHERE)


@cache
def _made(name: str) -> Block:
    return cast("Block", getattr(import_module(_WHERE[name]), name)())


BUILTIN: Mapping[str, Block] = _Builtin()


@cache
def catalog() -> Catalog:
    """Return what the loader may know of every type."""
    return MappingProxyType({name: block.spec for name, block in BUILTIN.items()})


def block_of(type_: str) -> Block:
    """Return the block of a type that a loaded definition names.

    Raises:
        KeyError: there is no such type; a loaded definition never names one.
    """
    return BUILTIN[type_]
