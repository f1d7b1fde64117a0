"""What the store has to offer in the palette, and what of it is offered where the operator is."""

from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tidegate.history.points import Point
from tidegate.model.ids import BlockId, RunId, Seq
from tidegate.model.listing import CheckpointFilter, RunFilter
from tidegate.safe_text import safe_line
from tidegate.tui.messages import AnswerWanted, ForkWanted, LaunchWanted, RunWanted, TravelWanted
from tidegate.tui.nouns.fork_wish import ForkWish
from tidegate.tui.nouns.launch import LaunchWish
from tidegate.tui.present.palette import Entry
from tidegate.tui.present.shared import LONG, first_line, who

if TYPE_CHECKING:
    from textual.message import Message

    from tidegate.history.shelf import WorkflowFile
    from tidegate.history.views import RunView
    from tidegate.model.checkpoint import CheckpointMetadata
    from tidegate.model.listing import PauseRow
    from tidegate.tui.query.listing import Listing
    from tidegate.tui.query.saved import SavedFilters
    from tidegate.tui.session import Session

__all__ = ["Supplier", "Supply", "named_filters", "read_supply"]

_RUNS, _CHECKPOINTS = 200, 100
_URGENT: Final = "oldest longest next first pending waiting"
_LAUNCH: Final = "start new run"
"""What else people call it."""


@dataclass(frozen=True, slots=True)
class Supply:
    """What the store has to offer."""

    urgent: "PauseRow | None" = None
    runs: "tuple[RunView, ...]" = ()
    files: "tuple[WorkflowFile, ...]" = ()
    checkpoints: "tuple[CheckpointMetadata, ...]" = ()


async def read_supply(session: "Session") -> Supply:
    """Return what there is to go to, to answer and to start."""
    history = session.history
    return Supply(
        await history.most_urgent(),
        await history.runs(RunFilter(limit=_RUNS)),
        tuple(session.shelf.files),
        await history.checkpoints(CheckpointFilter(limit=_CHECKPOINTS)),
    )


@dataclass(frozen=True, slots=True)
class Supplier:
    """Makes entries of what the store has."""

    posting: "Callable[[Message], Callable[[], Awaitable[None]]]"
    """Returns what posts a message."""
    refusal: Callable[[str], str]
    """Says of an action why it is not done from here; empty: it is."""

    def entries(self, supply: Supply) -> list[Entry]:
        """Return them, what waits for a person first."""
        return [
            *self._urgent(supply.urgent),
            *map(self._launch, supply.files),
            *map(self._run, supply.runs),
            *map(self._checkpoint, supply.checkpoints),
            *map(self._fork, supply.checkpoints),
        ]

    def _urgent(self, pause: "PauseRow | None") -> Iterator[Entry]:
        if pause is not None:
            asked = f"{safe_line(pause.workflow, LONG)} · {first_line(pause.prompt.text)}"
            yield Entry(
                "answer_urgent",
                f"Answer the most urgent question: {asked}",
                self.posting(AnswerWanted(pause)),
                is_urgent=True,
                also=_URGENT,
            )

    def _launch(self, file: "WorkflowFile") -> Entry:
        return Entry(
            f"launch.{file.path}",
            f"Launch {file.name}",
            self.posting(LaunchWanted(LaunchWish(file.path))),
            why_not=self.refusal("launch") or ("" if file.is_sound else "its file has faults"),
            also=_LAUNCH,
        )

    def _run(self, run: "RunView") -> Entry:
        title = f"Go to run {who(run.row.workflow, run.row.run_id)} ({run.status.value})"
        return Entry(
            f"run.{run.row.run_id}", title, self.posting(RunWanted(run.row.run_id)), also="open show"
        )

    def _checkpoint(self, mark: "CheckpointMetadata") -> Entry:
        block = BlockId(mark.block) if mark.block else None
        wanted = TravelWanted(RunId(mark.run_id), Seq(mark.seq), block)
        title = f"Go to checkpoint {_named(mark)}"
        return Entry(f"checkpoint.{mark.checkpoint_id}", title, self.posting(wanted), also="past time travel")

    def _fork(self, mark: "CheckpointMetadata") -> Entry:
        wanted = ForkWanted(ForkWish(Point(RunId(mark.run_id), Seq(mark.seq))))
        title = f"Fork from checkpoint {_named(mark)}"
        return Entry(f"fork.{mark.checkpoint_id}", title, self.posting(wanted), why_not=self.refusal("fork"))


def _named(mark: "CheckpointMetadata") -> str:
    place = safe_line(mark.label or mark.block or mark.kind.value, LONG)
    return f"{safe_line(mark.checkpoint_id, LONG)}: {who(mark.workflow, mark.run_id)} · {place}"


def named_filters(
    listings: "Mapping[str, Listing[object]]",
    saved: "SavedFilters",
    mode: str,
    show: Callable[[str, str], Callable[[], Awaitable[None]]],
) -> Iterator[Entry]:
    """Yield an entry for each filter that has a name: first those of the list one is at.

    Args:
        listings: What there is in each mode.
        saved: What somebody has saved of them.
        mode: Where one is.
        show: Returns what shows in a mode what a filter shows.
    """
    for name in sorted(listings, key=lambda each: each != mode):
        filters = {**listings[name].filters, **saved.of(name).filters}
        for title, text in filters.items():
            yield Entry(
                f"filter.{name}.{title}",
                f"Filter: {safe_line(title, LONG)} ({name})",
                show(name, text),
                also=f"{name} show only {text}",
            )
