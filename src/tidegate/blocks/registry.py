"""Which block types there are: those that come with Tidegate, and those of installed packages.

Owns the table of names. A type's code is imported when it is first asked for, so that knowing the
names costs nothing; which packages are installed is looked up when somebody asks for a name that is
not in the table, or for all of them.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import cast

from tidegate.blocks.base import Block
from tidegate.model.catalog import BlockSpec, Catalog

__all__ = ["BUILTIN", "all_blocks", "catalog"]

_WHERE = {
    "Shell": "tidegate.blocks.shell",
    "Python": "tidegate.blocks.python",
    "HttpCall": "tidegate.blocks.http_call",
    "ReadFile": "tidegate.blocks.files",
    "WriteFile": "tidegate.blocks.files",
    "Template": "tidegate.blocks.template",
    "Wait": "tidegate.blocks.wait",
    "ExecuteWorkflow": "tidegate.blocks.execute_workflow",
    "ConfirmOperation": "tidegate.blocks.interactive",
    "AskChoice": "tidegate.blocks.interactive",
    "GetInput": "tidegate.blocks.interactive",
    "AskForm": "tidegate.blocks.interactive",
}
"""The module of each type; its class has the type's name."""


class _Builtin(Mapping[str, Block]):
    """One instance of every block type that comes with Tidegate, by the type's name."""

    def __getitem__(self, name: str) -> Block:
        return _made(name)

    def __contains__(self, name: object) -> bool:
        return name in _WHERE

    def __iter__(self) -> Iterator[str]:
        return iter(_WHERE)

    def __len__(self) -> int:
        return len(_WHERE)


@cache
def _made(name: str) -> Block:
    return cast("Block", getattr(import_module(_WHERE[name]), name)())


BUILTIN: Mapping[str, Block] = _Builtin()


class _All(Mapping[str, Block]):
    """One instance of every block type, installed packages' included."""

    def __getitem__(self, name: str) -> Block:
        try:
            return _known(name)
        except KeyError:
            return _missing(name)

    def __iter__(self) -> Iterator[str]:
        from tidegate.blocks.installed import installed_types

        yield from BUILTIN
        yield from (name for name in installed_types() if name not in BUILTIN)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _known(name: str) -> Block:
    return BUILTIN[name] if name in BUILTIN else _installed(name)


@cache
def _installed(name: str) -> Block:
    from tidegate.blocks.installed import installed_types, load_block

    return load_block(installed_types()[name])


def _missing(name: str) -> Block:
    from tidegate.blocks.installed import UnusableBlock

    return UnusableBlock(name, f"there is no block type '{name}': install the package that it came from")


class _Catalog(Mapping[str, BlockSpec]):
    """What the loader may know of every block type; of a type that no file uses, only the name."""

    def __getitem__(self, name: str) -> BlockSpec:
        return _known(name).spec

    def __contains__(self, name: object) -> bool:
        return name in BUILTIN or name in set(_ALL)

    def __iter__(self) -> Iterator[str]:
        return iter(_ALL)

    def __len__(self) -> int:
        return len(_ALL)


_ALL: Mapping[str, Block] = _All()
_CATALOG: Catalog = _Catalog()


def all_blocks() -> Mapping[str, Block]:
    """Return every block type, installed packages' included.

    A type whose package is broken is there: it refuses to load in a workflow file, and fails when it
    is run, and says why. Asked for a type that is not there, it gives a block that fails and says so:
    a run that was started with a package may be resumed without it.
    """
    return _ALL


def catalog() -> Catalog:
    """Return what the loader may know of every type."""
    return _CATALOG
