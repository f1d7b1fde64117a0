"""A program's own block types, beside those that come with Tidegate and with installed packages."""

from collections.abc import Iterator, Mapping
from typing import TypeVar

from tidegate.blocks.base import Block
from tidegate.blocks.registry import BUILTIN, all_blocks, catalog
from tidegate.model.catalog import BlockSpec, Catalog

__all__ = ["catalog_with", "types_with"]

V = TypeVar("V")


class _Over(Mapping[str, V]):
    """One mapping laid over another; what neither has is asked of the lower one."""

    def __init__(self, upper: Mapping[str, V], lower: Mapping[str, V]) -> None:
        self._upper = upper
        self._lower = lower

    def __getitem__(self, name: str) -> V:
        return self._upper[name] if name in self._upper else self._lower[name]

    def __contains__(self, name: object) -> bool:
        return name in self._upper or name in self._lower

    def __iter__(self) -> Iterator[str]:
        yield from self._upper
        yield from (name for name in self._lower if name not in self._upper)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def types_with(own: Mapping[str, Block]) -> Mapping[str, Block]:
    """Return every block type there is, and *own*, which come before those of installed packages.

    Raises:
        TypeError: one of *own* is no instance of a block class.
        ValueError: one has the name of a type that comes with Tidegate, or a `spec` of another name.
    """
    for name, block in own.items():
        if name in BUILTIN:
            raise ValueError(f"'{name}' is Tidegate's own block type: give yours another name")
        if not isinstance(block, Block):
            raise TypeError(f"block type '{name}' needs an instance of a block class, not {block!r}")
        spec = getattr(block, "spec", None)
        if not isinstance(spec, BlockSpec) or spec.type != name:
            raise ValueError(f"block type '{name}' needs a `spec`, a BlockSpec whose type is '{name}'")
    return _Over(dict(own), all_blocks())


def catalog_with(own: Mapping[str, Block]) -> Catalog:
    """Return what a workflow may be checked against: every type there is, and *own*."""
    return _Over({name: block.spec for name, block in own.items()}, catalog())
