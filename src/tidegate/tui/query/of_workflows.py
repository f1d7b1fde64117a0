"""What the workflow files can be searched and ordered by."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tidegate.model.events import RunStatus
from tidegate.tui.query.fields import Choice, Flags, Moment, Number, Words
from tidegate.tui.query.listing import Listing, Sort

if TYPE_CHECKING:
    from tidegate.history.shelf import WorkflowFile
    from tidegate.tui.nouns.past_runs import PastRuns

__all__ = ["WORKFLOWS", "Filed"]


@dataclass(frozen=True, slots=True)
class Filed:
    """A workflow file, with its runs."""

    file: "WorkflowFile"
    past: "PastRuns"

    @property
    def last_at(self) -> float | None:
        """When its last run changed last; None: it has never run."""
        return self.past.last.row.updated_at if self.past.last is not None else None

    @property
    def about(self) -> str:
        """What it says of itself."""
        return self.file.definition.description if self.file.definition is not None else ""


def _last_status(filed: Filed) -> str:
    return filed.past.last.status.value if filed.past.last is not None else ""


WORKFLOWS: Listing[Filed] = Listing(
    "workflows",
    (
        Words(("name", "workflow"), "its name", lambda filed: filed.file.name),
        Words(("file",), "where it is", lambda filed: str(filed.file.path), "deploy.yaml"),
        Choice(
            ("status",),
            "where its last run stands",
            _last_status,
            tuple(status.value for status in RunStatus),
        ),
        Number(("runs",), "how often it has run", lambda filed: filed.past.count, "0"),
        Moment(("last",), "how long ago its last run changed", lambda filed: filed.last_at, "1d"),
        Words(("about",), "what it says of itself", lambda filed: filed.about, "backup"),
        Flags(
            ("is",),
            "how it is",
            {
                "sound": lambda filed, _: filed.file.is_sound,
                "faulty": lambda filed, _: not filed.file.is_sound,
                "unused": lambda filed, _: filed.past.last is None,
            },
        ),
    ),
    (
        Sort("file"),
        Sort("name", lambda filed, _: filed.file.name.casefold()),
        Sort("last run", lambda filed, _: filed.last_at or 0.0, falls=True),
        Sort("runs", lambda filed, _: filed.past.count, falls=True),
    ),
    {"with faults": "is:faulty", "last run failed": "status:failed", "never run": "is:unused"},
)
