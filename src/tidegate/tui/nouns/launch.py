"""What an operator wants to start, and with what its form begins."""

from dataclasses import dataclass, field
from pathlib import Path

from tidegate.model.base import JsonObject
from tidegate.model.ids import RunId
from tidegate.model.workflow import WorkflowDefinition

__all__ = ["Launch", "LaunchWish"]


@dataclass(frozen=True, slots=True)
class LaunchWish:
    """What the operator has asked for with a key: a file, or a run that is to be started once more."""

    path: Path | None = None
    run_id: RunId | None = None

    @property
    def key(self) -> str:
        """By what a draft of it is kept."""
        return f"run {self.run_id}" if self.run_id is not None else str(self.path)


@dataclass(frozen=True, slots=True)
class Launch:
    """What can be started, and with what its form begins."""

    definition: WorkflowDefinition
    source: str = ""
    """The text of its file."""
    path: Path | None = None
    """Its file, which must still say the same when the run is started; None: there is none any more."""
    given: JsonObject = field(default_factory=dict)
    """The values with which the fields begin; what is not in it begins with its default."""
    like: RunId | None = None
    """The run whose inputs these are."""
    notices: tuple[str, ...] = ()
    """What one should know before."""
