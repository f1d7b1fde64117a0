"""What the runs can be searched and ordered by, and what of that the store can do."""

import math

from tidegate.history.views import RunView
from tidegate.model.events import RunStatus
from tidegate.model.listing import RunFilter
from tidegate.tui.present.runs import reason_of, signed
from tidegate.tui.query.fields import Choice, Flags, Length, Moment, Number, Person, Since, Words
from tidegate.tui.query.language import Query
from tidegate.tui.query.listing import Listing, Sort

__all__ = ["RUNS", "begins_at", "run_filter"]

_JOURNALLED = {
    "paused": (RunStatus.PAUSED, RunStatus.RUNNING, RunStatus.QUEUED),
    "interrupted": (RunStatus.RUNNING, RunStatus.QUEUED, RunStatus.INTERRUPTED),
}
"""What may be journalled of a run that is shown as something: by a person's pause, or by its process's death."""


def _ended(run: RunView) -> float | None:
    return run.row.updated_at if run.status.is_terminal else None


RUNS: Listing[RunView] = Listing(
    "runs",
    (
        Choice(
            ("status",),
            "where it stands",
            lambda run: signed(run).word,
            tuple(status.value for status in RunStatus),
        ),
        Words(("workflow",), "its workflow; with = all of the name", lambda run: run.row.workflow),
        Words(("run",), "its id", lambda run: run.row.run_id, "4f2a"),
        Person(("by",), "who started it", lambda run: (run.row.by,)),
        Moment(("age", "started"), "how long ago it started", lambda run: run.row.created_at, "2d"),
        Moment(("changed",), "how long ago something happened in it", lambda run: run.row.updated_at, "1h"),
        Moment(("ended",), "how long ago it ended, or the day", _ended, "1h"),
        Since(("since",), "started then or later", lambda run: run.row.created_at),
        Since(("before",), "started before then", lambda run: run.row.created_at, is_end=True),
        Length(("took",), "how long it took, or has taken so far", RunView.took, "10m", ">"),
        Number(
            ("done",), "how much of it is done, in percent", lambda run: run.row.summary.progress_percentage
        ),
        Words(("why",), "why it failed", reason_of, "denied"),
        Flags(
            ("is",),
            "how it is",
            {
                "asking": lambda run, _: run.row.summary.pauses > 0,
                "held": lambda run, _: run.row.summary.held,
                "fork": lambda run, _: run.row.origin is not None,
                "cancelling": lambda run, _: run.row.summary.cancelling,
            },
        ),
    ),
    (
        Sort("started", falls=True),
        Sort("status", lambda run, _: list(RunStatus).index(run.status)),
        Sort("workflow", lambda run, _: run.row.workflow.casefold()),
        Sort("changed", lambda run, _: run.row.updated_at, falls=True),
        Sort("took", RunView.took, falls=True, is_timed=True),
        Sort("done", lambda run, _: run.row.summary.progress_percentage),
    ),
    {
        "mine": "by:me",
        "failed today": "status:failed ended:today",
        "wants a person": "is:asking",
        "still going": "status:queued,running,paused,interrupted",
    },
)
"""Newest first, as the store lists them."""


def run_filter(query: Query[RunView], now: float, limit: int) -> RunFilter:
    """Return what the store leaves out of what a filter leaves out; never a run that the filter shows."""
    shown = query.words("status")
    journalled = {status for word in shown or () for status in _JOURNALLED.get(word, (RunStatus(word),))}
    before = query.span(now, "age", "before")[1]
    return RunFilter(
        top_only=True,
        workflow=query.exact("workflow"),
        statuses=tuple(status for status in RunStatus if status in journalled),
        before=before if before < math.inf else None,
        limit=limit,
    )


def begins_at(query: Query[RunView], now: float) -> float:
    """Return the instant before which no run is shown: the list is read no further."""
    return query.span(now, "age", "since")[0]
