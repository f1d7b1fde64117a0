"""A fork that is being thought of: where it begins, and what is to be other than it was."""

from dataclasses import dataclass, replace

from tidegate.engine.forks.edits import Edit
from tidegate.engine.forks.fork import ForkRequest
from tidegate.history.changes import Change
from tidegate.history.points import Point
from tidegate.model.events import Origin
from tidegate.model.ids import BlockId
from tidegate.model.workflow import WorkflowDefinition

__all__ = ["FileNow", "ForkDraft"]


@dataclass(frozen=True, slots=True)
class FileNow:
    """What the workflow's file says now."""

    path: str
    """As one names it on the command line."""
    definition: WorkflowDefinition
    source: str
    """Its text."""
    differences: tuple[Change, ...]
    """On the left what the fork would keep without it."""


@dataclass(frozen=True, slots=True)
class ForkDraft:
    """What the dialog has made of it so far."""

    point: Point
    edits: tuple[Edit, ...] = ()
    blocks: tuple[BlockId, ...] = ()
    keeps_answers: bool = False
    file: FileNow | None = None
    """What it goes on with, if not with what the other run has."""

    @property
    def workflow(self) -> WorkflowDefinition | None:
        """The definition that it goes on with, if not with that of the other run."""
        return self.file.definition if self.file is not None else None

    @property
    def request(self) -> ForkRequest:
        """It, as the engine takes it."""
        origin = Origin(run_id=self.point.run_id, seq=self.point.seq)
        source = self.file.source if self.file is not None else ""
        return ForkRequest(origin, self.edits, self.blocks, self.workflow, source, self.keeps_answers)

    def with_edit(self, edit: Edit) -> "ForkDraft":
        """Return it with one more change; a second one of the same value takes the place of the first."""
        others = tuple(other for other in self.edits if other.path != edit.path)
        return replace(self, edits=(*others, edit))
