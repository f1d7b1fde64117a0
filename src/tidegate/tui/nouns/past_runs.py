"""How the runs of a workflow went."""

from dataclasses import dataclass

from tidegate.history.views import RunView

__all__ = ["PastRuns"]


@dataclass(frozen=True, slots=True)
class PastRuns:
    """The runs of one workflow."""

    count: int = 0
    is_all: bool = True
    """False: there may be more."""
    last: RunView | None = None
    """The one that began last."""
