"""How a whole store stands at one moment: what waits, what runs, how the last days went."""

from typing import cast

from tidegate.clock import iso
from tidegate.history.health import Health
from tidegate.history.statistics import AnswerTimes
from tidegate.history.views import pause_json
from tidegate.history.work import HOURS, WorkGlance
from tidegate.model.base import JsonObject, Noun, fields_of
from tidegate.model.events import RunStatus
from tidegate.model.listing import PauseRow, Statistics

__all__ = ["Glance", "Lately", "WorkflowGlance", "success_rate"]

"""How far back, hour by hour, one sees what began and ended."""

_GOOD_FOR = 30.0
"""Seconds: leases run out without a word."""


class Lately(Noun):
    """What began and ended in the last `HOURS` hours."""

    started: tuple[int, ...] = (0,) * HOURS
    """Runs, hour by hour; the last of them is the one that goes on."""
    ended: tuple[int, ...] = (0,) * HOURS
    by_status: dict[str, int] = {}
    """Those that ended, by how."""


class WorkflowGlance(Noun):
    """How the runs of one workflow went in the last week."""

    name: str
    open: int = 0
    """Runs that have not ended, however old."""
    started: tuple[int, ...] = (0,) * HOURS
    """As in `Lately`."""
    by_status: dict[str, int] = {}
    """Those that ended, by how."""
    last_status: RunStatus | None = None
    """Of the run that moved last, as it stands now; None: none has moved this week but those below others."""
    retries: tuple[int, ...] = (0,) * HOURS
    """Attempts that were made again by themselves, hour by hour, in runs below others, too."""


class Glance(Noun):
    """A store at one moment. Runs are those that nobody's block started."""

    at: float
    """Seconds since 1970 UTC, as all times here."""
    waiting: int = 0
    """Open questions, those of runs below others included."""
    late: int = 0
    """Of these, the ones whose deadline has passed."""
    kinds: dict[str, int] = {}
    """Of the open questions, by what they ask for."""
    oldest: float | None = None
    """When the question was opened that has waited longest; None: nothing waits."""
    questions: tuple[PauseRow, ...] = ()
    """The ones that have waited longest, the oldest first; bounded."""
    due: tuple[PauseRow, ...] = ()
    """The ones with a deadline, the next first; bounded."""
    by_status: dict[str, int] = {}
    """As they stand now; a status that none has is left out."""
    lately: Lately = Lately()
    answered: AnswerTimes = AnswerTimes()
    """How long people took, of what was answered in the last week."""
    answered_today: int = 0
    """How many questions were answered in the last 24 hours."""
    workflows: tuple[WorkflowGlance, ...] = ()
    """Those with an open run, one of the last week, or a retry of the last day; the busiest first."""
    holders: dict[str, int] = {}
    """Who holds the leases of runs that go on, and of how many, the most first; for people, bounded."""
    health: Health = Health()
    """How the engines are."""
    work: WorkGlance = WorkGlance()
    """What was done of late; not of runs that were removed before this was looked at first."""
    store: Statistics | None = None
    """As of a minute ago at most; None: not read."""
    damage: str = ""
    """What of the store was found to be damaged so far; empty: nothing."""

    @property
    def good_for(self) -> float:
        """Seconds after which it is to be looked anew even if nothing is written."""
        return min(_GOOD_FOR, _GOOD_FOR if self.work.again_in is None else self.work.again_in)

    def as_json(self) -> JsonObject:
        """Return it for `--json`."""
        return {
            "at": self.at,
            "at_iso": iso(self.at),
            "waiting": self.waiting,
            "late": self.late,
            "kinds": dict(self.kinds),
            "oldest": self.oldest,
            "oldest_iso": None if self.oldest is None else iso(self.oldest),
            "questions": [pause_json(row) for row in self.questions],
            "due": [row.pause_id for row in self.due],
            "by_status": dict(self.by_status),
            "last_24_hours": _plain(self.lately),
            "time_to_answer_seconds": _plain(self.answered),
            "answered_today": self.answered_today,
            "workflows": [_plain(workflow) for workflow in self.workflows],
            "holders": dict(self.holders),
            "engine": self.health.as_json(),
            "work": self.work.as_json(),
            "holdings": None if self.store is None else _plain(self.store),
            "damage": self.damage,
        }


def _plain(noun: Noun) -> JsonObject:
    # Of numbers, texts, and flat lists and mappings of them.
    return cast("JsonObject", {name: list(v) if isinstance(v, tuple) else v for name, v in fields_of(noun)})


def success_rate(by_status: dict[str, int]) -> float | None:
    """Return the part of the ended runs that succeeded, 0 to 1; None: none has ended.

    What a person has cancelled says nothing about the workflow, and is left out.
    """
    counted = {status: count for status, count in by_status.items() if status != RunStatus.CANCELLED}
    total = sum(counted.values())
    return counted.get(RunStatus.SUCCEEDED, 0) / total if total else None
