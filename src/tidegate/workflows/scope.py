"""What names a text may use, and what they stand for in a run."""

from collections.abc import Mapping
from dataclasses import dataclass

from tidegate.model.base import Json

__all__ = ["BlockView", "Names", "Scope"]


@dataclass(frozen=True)
class Names:
    """The names that texts of one workflow may use."""

    inputs: frozenset[str]
    blocks: frozenset[str]


@dataclass(frozen=True)
class BlockView:
    """What the rest of a run may see of a block."""

    status: str
    """As in the run's state: `pending`, `succeeded`, `skipped` and so on."""
    outputs: Mapping[str, Json]
    reason: str = ""
    """Why it did not run, or failed."""


@dataclass(frozen=True)
class Scope:
    """The values behind the names, at one moment of one run."""

    inputs: Mapping[str, Json]
    blocks: Mapping[str, BlockView]
    """By id. A block that is not in it has not run."""
    run_id: str
    workflow: str
    """The workflow's name."""
