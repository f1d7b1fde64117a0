"""Block types of installed packages: entry points of the group `tidegate.blocks`.

The name of an entry point is the name of the type, and it leads to the type's class. One that cannot
be used harms no other: it becomes a block that says why, in a workflow file and when it is run.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from tidegate.blocks.base import (
    Block,
    BlockContext,
    ChildBlock,
    Failed,
    InteractiveBlock,
    Result,
    TimerBlock,
    WorkBlock,
)
from tidegate.model.base import Json, JsonObject
from tidegate.model.catalog import BlockSpec, InputProblem
from tidegate.model.events import Failure
from tidegate.model.policy import FailureKind

__all__ = ["GROUP", "InstalledType", "UnusableBlock", "installed_types", "load_block", "refused_types"]

GROUP = "tidegate.blocks"
_KINDS = (WorkBlock, InteractiveBlock, TimerBlock, ChildBlock)


@dataclass(frozen=True, slots=True)
class InstalledType:
    """A type that a package says it has."""

    name: str
    packages: tuple[str, ...]
    """Which package and version; more than one when several claim the name."""
    entry: EntryPoint


class _Unusable(Exception):
    """A type cannot be used; the text says why, without its name."""


@cache
def installed_types() -> Mapping[str, InstalledType]:
    """Return what installed packages say they have, by name. None of it is imported."""
    found: dict[str, InstalledType] = {}
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: (entry.name, _package(entry))):
        before = found.get(entry.name)
        packages = tuple(dict.fromkeys((*(before.packages if before else ()), _package(entry))))
        found[entry.name] = InstalledType(entry.name, packages, entry)
    return found


def refused_types(builtin: Mapping[str, object]) -> tuple[str, ...]:
    """Return a sentence for each type that would replace one of Tidegate's own."""
    return tuple(
        f"{' and '.join(type_.packages)}: '{name}' is Tidegate's own type, and {type_.entry.value} does not replace it"
        for name, type_ in installed_types().items()
        if name in builtin
    )


def load_block(type_: InstalledType) -> Block:
    """Import a type; one that cannot be used becomes an `UnusableBlock`."""
    try:
        return _loaded(type_)
    except _Unusable as error:
        package = " and ".join(type_.packages)
        return UnusableBlock(type_.name, f"'{type_.name}' of {package} cannot be used: {error}")


def _loaded(type_: InstalledType) -> Block:
    if len(type_.packages) > 1:
        raise _Unusable("several packages have a type of this name; remove one of them")
    try:
        made = type_.entry.load()()
    except Exception as error:  # a package may do anything
        raise _Unusable(f"{type_.entry.value}: {type(error).__name__}: {error}") from error
    if not isinstance(made, _KINDS):
        raise _Unusable(
            f"{type_.entry.value} is no subclass of WorkBlock, InteractiveBlock, TimerBlock or ChildBlock"
        )
    spec = getattr(made, "spec", None)
    if not isinstance(spec, BlockSpec) or spec.type != type_.name:
        raise _Unusable(f"{type_.entry.value} needs a `spec`, a BlockSpec whose type is '{type_.name}'")
    return made


def _package(entry: EntryPoint) -> str:
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist is not None else "an unknown package"


class UnusableBlock(WorkBlock):
    """Stands for a type that is there and cannot be used."""

    spec: BlockSpec  # type: ignore[misc]  # of each instance: what is wrong differs

    def __init__(self, name: str, problem: str) -> None:
        """Stand for *name*; *problem* says why it cannot be used."""
        self.problem = problem
        self.spec = BlockSpec(
            type=name, check=self._check, outputs={}, open_outputs=True, description=problem
        )

    async def run(self, inputs: JsonObject, context: BlockContext) -> Result:
        """Fail, and say why."""
        return Failed(Failure(kind=FailureKind.START, message=self.problem))

    def summary(self, inputs: Mapping[str, Json]) -> str:
        """Return why it will not run."""
        return self.problem

    def _check(self, inputs: Mapping[str, Json], holds: Callable[[Json], bool]) -> tuple[InputProblem, ...]:
        return (InputProblem((), self.problem),)
