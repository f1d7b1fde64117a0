"""How much a store holds, how old it is, and how long people and machines took.

A tally takes runs and questions as they come, and keeps of them what is counted; who feeds it reads them
page by page. So memory is a few bytes for each question that was answered, and some hundred for each tree
of runs that ever waited for somebody, whatever else they hold.
"""

from array import array
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import TYPE_CHECKING, Final, cast

from tidegate.clock import iso
from tidegate.history.health import Health, read_health
from tidegate.history.work import HOURS, WorkGlance, work_glance
from tidegate.model.base import JsonObject, Noun, fields_of
from tidegate.model.events import RunStatus
from tidegate.model.listing import PauseFilter, PauseRow, RunFilter, RunRow, Statistics
from tidegate.model.state import PauseState
from tidegate.model.vitals import Removal, Removals
from tidegate.store.owner import status_now
from tidegate.store.protocol import Store

if TYPE_CHECKING:
    from tidegate.model.ids import RunId

__all__ = ["AGES", "LARGE_BYTES", "AnswerTimes", "Figures", "Tally", "Totals", "answer_times", "count"]

LARGE_BYTES: Final = 1_000_000_000
"""From here on a store is called large: copying and checking it takes a while."""
_HOUR, _DAY = 3_600.0, 86_400.0
AGES: Final = {"under_1h": _HOUR, "under_1d": _DAY, "under_7d": 7 * _DAY, "older": float("inf")}
"""By what an age is called, the seconds below which it is; each begins where the one before ends."""
_RUNS_AT_ONCE, _PAUSES_AT_ONCE = 1_000, 10_000
# A page of questions starts by sorting all of them, one of runs does not: hence fewer, larger ones.


class AnswerTimes(Noun):
    """How long questions waited until somebody answered them, in seconds."""

    count: int = 0
    total: float = 0.0
    p50: float = 0.0
    """Half of them were answered within this time; 0 here, and below, if there are none."""
    p90: float = 0.0
    p95: float = 0.0
    p99: float = 0.0
    longest: float = 0.0


class Figures(Noun):
    """What was counted, of one workflow or of all."""

    runs: int = 0
    nested: int = 0
    """Of these, the ones that a block of another run has started."""
    forks: int = 0
    """Of these, the ones that go on from a point of another run."""
    by_status: dict[str, int] = {}
    """As they stand now; a status that none has is left out."""
    by_age: dict[str, int] = {}
    """By when they were created, as `AGES` calls it."""
    oldest: float | None = None
    """When the first one was created; None: there is none. Seconds since 1970 UTC, as all times here."""
    newest: float | None = None
    open_pauses: int = 0
    open_by_age: dict[str, int] = {}
    oldest_open: float | None = None
    """When the question was opened that has waited longest; None: none is open."""
    answered: AnswerTimes = AnswerTimes()
    human_seconds: float = 0.0
    """Of the runs on top: the time in which at least one question of theirs, or below them, was open."""
    machine_seconds: float = 0.0
    """Of the runs on top: all the rest of the time from their first event to their newest, but for that in which
    they had ended, before somebody let them go on."""

    def as_json(self) -> JsonObject:
        """Return it for `--json`."""
        times = {name: _iso(at) for name, at in fields_of(self) if name in _TIMES}
        plain = {name: value for name, value in _plain(self).items() if name not in {*_TIMES, "answered"}}
        return {**plain, **times, "time_to_answer_seconds": _plain(self.answered)}


_TIMES = ("oldest", "newest", "oldest_open")


class Totals(Noun):
    """How much there is in a store, as of one moment."""

    at: float
    workflow: str | None
    """Which one was asked for; None: all."""
    all: Figures
    workflows: dict[str, Figures]
    store: Statistics
    orphans: dict[str, int]
    """What has no owner, or misses what it needs, by kind."""
    health: Health = Health()
    """How the engines are."""
    work: WorkGlance = WorkGlance()
    """What was done of late, of the workflow that was asked for; of runs that are kept."""
    removals: Removals = Removals()
    """How many runs were removed so far, and the one that was removed last."""

    @property
    def is_large(self) -> bool:
        """Whether the store has grown so much that somebody should think of `prune`."""
        return self.store.bytes >= LARGE_BYTES

    def as_json(self) -> JsonObject:
        """Return it for `--json`."""
        return {
            "at": self.at,
            "at_iso": iso(self.at),
            "workflow": self.workflow,
            "total": self.all.as_json(),
            "workflows": {name: figures.as_json() for name, figures in self.workflows.items()},
            "holdings": {**_plain(self.store), "large": self.is_large},
            "orphans": dict(self.orphans),
            "engine": self.health.as_json(),
            "work": self.work.as_json(),
            "removals": {
                "total": self.removals.total,
                "last": next(map(_removal_json, self.removals.newest), None),
            },
        }


def _removal_json(removal: Removal) -> JsonObject:
    told = {name: value for name, value in _plain(removal).items() if name != "number"}
    return {**told, "status": removal.status.value, "at_iso": iso(removal.at)}


def _plain(noun: Noun) -> JsonObject:
    """Return a noun of numbers and texts by its fields' names."""
    return cast("JsonObject", dict(fields_of(noun)))


def _iso(at: object) -> str | None:
    return iso(at) if isinstance(at, float) else None


# -- counting ---------------------------------------------------------------------------------


@dataclass(slots=True)
class _Count:
    """What is counted of one workflow."""

    runs: int = 0
    nested: int = 0
    forks: int = 0
    by_status: dict[str, int] = field(default_factory=dict)
    by_age: dict[str, int] = field(default_factory=dict)
    created: list[float] = field(default_factory=list)
    """The earliest and the latest."""
    open_by_age: dict[str, int] = field(default_factory=dict)
    opened: list[float] = field(default_factory=list)
    """The earliest of those that are open."""
    waits: "array[float]" = field(default_factory=lambda: array("d"))
    human: float = 0.0
    machine: float = 0.0

    def add(self, other: "_Count") -> None:
        """Count what *other* has counted, too."""
        self.runs += other.runs
        self.nested += other.nested
        self.forks += other.forks
        self.created = _ends([*self.created, *other.created])
        self.opened = _ends([*self.opened, *other.opened])
        self.waits.extend(other.waits)
        self.human += other.human
        self.machine += other.machine
        for ours, theirs in (
            (self.by_status, other.by_status),
            (self.by_age, other.by_age),
            (self.open_by_age, other.open_by_age),
        ):
            for name, how_many in theirs.items():
                ours[name] = ours.get(name, 0) + how_many

    def figures(self) -> Figures:
        """Return it as it stands."""
        return Figures(
            runs=self.runs,
            nested=self.nested,
            forks=self.forks,
            by_status={status: self.by_status[status] for status in RunStatus if status in self.by_status},
            by_age={age: self.by_age.get(age, 0) for age in AGES},
            oldest=self.created[0] if self.created else None,
            newest=self.created[-1] if self.created else None,
            open_pauses=sum(self.open_by_age.values()),
            open_by_age={age: self.open_by_age.get(age, 0) for age in AGES},
            oldest_open=self.opened[0] if self.opened else None,
            answered=answer_times(self.waits),
            human_seconds=self.human,
            machine_seconds=self.machine,
        )


class Tally:
    """Counts questions first, and then the runs that they belong to."""

    def __init__(self, now: float, workflow: str | None = None) -> None:
        """Count what there is at *now* (seconds since 1970 UTC), of one workflow or of all."""
        self._now = now
        self._workflow = workflow
        self._counts: dict[str, _Count] = {}
        self._spans: dict[RunId, array[float]] = {}
        """Of each tree when a question was opened, and when it was closed, in turn."""

    def take_pauses(self, rows: Iterable[PauseRow]) -> None:
        """Count questions, open and closed."""
        for row in rows:
            closed_at = self._now if row.closed_at is None else row.closed_at
            # A clock that was set back between the two is no reason to count less than nothing.
            self._spans.setdefault(row.root or row.run_id, array("d")).extend(
                (row.opened_at, max(closed_at, row.opened_at))
            )
            if self._workflow in (None, row.workflow):
                self._count_pause(row)

    def _count_pause(self, row: PauseRow) -> None:
        counted = self._of(row.workflow)
        if row.state is PauseState.OPEN:
            _count_age(counted.open_by_age, self._now - row.opened_at)
            counted.opened = _ends([*counted.opened, row.opened_at])
        elif row.state is PauseState.ANSWERED and row.closed_at is not None:
            counted.waits.append(max(0.0, row.closed_at - row.opened_at))

    def take_run(self, row: RunRow, status: RunStatus) -> None:
        """Count a run that stands at *status* now."""
        counted = self._of(row.workflow)
        counted.runs += 1
        counted.nested += row.parent is not None
        counted.forks += row.origin is not None
        counted.by_status[status] = counted.by_status.get(status, 0) + 1
        if row.created_at:  # Of a damaged row even that may be unknown.
            _count_age(counted.by_age, self._now - row.created_at)
            counted.created = _ends([*counted.created, row.created_at])
        if row.parent is None and row.created_at:
            self._count_time(counted, row)

    def _count_time(self, counted: _Count, row: RunRow) -> None:
        spans = self._spans.pop(row.run_id, ())
        waited = _covered(spans)
        # While a question is open nothing else may happen: its time goes on after the newest event.
        ended = max(row.updated_at, *spans[1::2], row.created_at)
        counted.human += waited
        counted.machine += max(0.0, ended - row.created_at - waited - row.summary.idle_seconds)

    def _of(self, workflow: str) -> _Count:
        return self._counts.setdefault(workflow, _Count())

    def totals(self, store: Statistics, orphans: Mapping[str, int]) -> Totals:
        """Return what was counted, with what the store counts itself."""
        every = _Count()
        for counted in self._counts.values():
            every.add(counted)
        return Totals(
            at=self._now,
            workflow=self._workflow,
            all=every.figures(),
            workflows={name: self._counts[name].figures() for name in sorted(self._counts)},
            store=store,
            orphans=dict(orphans),
        )


def _count_age(into: dict[str, int], age: float) -> None:
    name = next(name for name, end in AGES.items() if age < end)
    into[name] = into.get(name, 0) + 1


def _ends(values: Collection[float]) -> list[float]:
    return [min(values), max(values)] if values else []


def _covered(spans: Sequence[float]) -> float:
    """Return how much time spans cover, beginnings and ends in turn; where they overlap it counts once."""
    total, until = 0.0, float("-inf")
    for start, end in sorted(zip(spans[::2], spans[1::2], strict=True)):
        total += max(0.0, end - max(start, until))
        until = max(until, end)
    return total


def answer_times(waits: "array[float]") -> AnswerTimes:
    """Return what a person wants to know of some times, in seconds and in any order."""
    if not waits:
        return AnswerTimes()
    ordered = sorted(waits)

    def at(percent: int) -> float:
        # The nearest rank: a time that somebody really took, also of few.
        return ordered[ceil(percent * len(ordered) / 100) - 1]

    return AnswerTimes(
        count=len(ordered),
        total=sum(ordered),
        p50=at(50),
        p90=at(90),
        p95=at(95),
        p99=at(99),
        longest=ordered[-1],
    )


# -- reading ----------------------------------------------------------------------------------


async def count(store: Store, now: float, workflow: str | None = None) -> Totals:
    """Count what a store holds; it reads every run and every question, page by page.

    Args:
        store: Which one.
        now: The instant that ages are measured from.
        workflow: Only runs, questions and work of this one; what the store counts itself is always of all.
    """
    tally = Tally(now, workflow)
    await _take_pauses(store, tally)
    await _take_runs(store, tally, now, workflow)
    totals = tally.totals(await store.statistics(), await store.orphans())
    works = await store.work(now - HOURS * _HOUR)
    return totals.evolve(
        health=await read_health(store, now),
        work=work_glance([work for work in works if workflow in (None, work.workflow)], now),
        removals=await store.removals(1),
    )


async def _take_pauses(store: Store, tally: Tally) -> None:
    query = PauseFilter(open_only=False, limit=_PAUSES_AT_ONCE)
    while rows := await store.pauses(query):
        tally.take_pauses(rows)
        # Until a page is empty, not short: rows that cannot be read are left out of theirs.
        query = query.evolve(behind=rows[-1].pause_id)


async def _take_runs(store: Store, tally: Tally, now: float, workflow: str | None) -> None:
    query = RunFilter(workflow=workflow, limit=_RUNS_AT_ONCE)
    while rows := await store.runs(query):
        for row in rows:
            tally.take_run(row, status_now(row, now))
        query = query.evolve(older_than=rows[-1].run_id)
