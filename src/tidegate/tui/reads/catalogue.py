"""What the list of workflows reads in one visit to the engine: the files, and how their runs went."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from tidegate.history.views import RunView
from tidegate.model.listing import RunFilter
from tidegate.tui.nouns.overview import COUNTED
from tidegate.tui.nouns.past_runs import PastRuns
from tidegate.tui.session import Session

if TYPE_CHECKING:
    from tidegate.history.shelf import WorkflowFile

__all__ = ["read_workflows"]


async def read_workflows(session: Session) -> "tuple[tuple[WorkflowFile, ...], Mapping[str, PastRuns]]":
    """Return every workflow file, and the runs of each workflow by its name."""
    files = session.shelf.files if session.shelf.is_read else await session.shelf.refresh()
    runs = await session.history.runs(RunFilter(top_only=True, limit=COUNTED))
    past = dict(_by_name(runs, is_all=len(runs) < COUNTED))
    for name in {file.name for file in files} - past.keys() if len(runs) >= COUNTED else ():
        # None of the newest ones is of this workflow: one older run still tells how it ended.
        older = await session.history.runs(RunFilter(workflow=name, top_only=True, limit=1))
        past.update(_by_name(older, is_all=False))
    return files, past


def _by_name(runs: Iterable[RunView], *, is_all: bool) -> Iterable[tuple[str, PastRuns]]:
    newest_first = list(runs)
    counts = Counter(run.row.workflow for run in newest_first)
    last = {run.row.workflow: run for run in reversed(newest_first)}
    return ((name, PastRuns(count, is_all, last[name])) for name, count in counts.items())
