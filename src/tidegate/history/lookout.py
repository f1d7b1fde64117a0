"""Seeing again and again how a whole store stands, without reading all of it again.

The first look reads the rows of the runs that have moved in the last week, of those that have not ended, and of all questions; later ones read what changed
since. No journal is folded; what was done in a day is counted by the store. What is kept between looks is some hundred bytes a run, and the open questions.
"""

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping
from heapq import nsmallest
from typing import TYPE_CHECKING, Final, NamedTuple

from tidegate.clock import Clock
from tidegate.errors import TidegateError
from tidegate.history.glance import Glance, Lately, WorkflowGlance
from tidegate.history.health import Health, health_of
from tidegate.history.statistics import answer_times
from tidegate.history.work import HOURS, WorkLog, retries_of, work_glance
from tidegate.model.events import UNFINISHED, RunStatus
from tidegate.model.listing import Cursor, PauseFilter, PauseRow, RunFilter, RunRow, Statistics
from tidegate.model.state import PauseState
from tidegate.store.owner import describe_owner, has_living_owner
from tidegate.store.protocol import Store

if TYPE_CHECKING:
    from tidegate.model.ids import PauseId, RunId

__all__ = ["Lookout"]

_HOUR: Final = 3_600.0
_DAY, _WEEK = 24 * _HOUR, 7 * 24 * _HOUR
_MOST_RUNS = 10_000
"""Of those that moved last; if more have ended in a week, they are not looked at."""
_RUNS_AT_ONCE, _PAUSES_AT_ONCE = 1_000, 10_000
_ONE_BY_ONE = 300
"""From more runs that changed between two looks on, all questions are read again."""
_QUESTIONS, _DUE, _WORKFLOWS, _HOLDERS = 500, 50, 50, 20
_COUNT_AGAIN = 60.0
"""Seconds for which the size of the store is not asked again: to count it reads a good part of it."""


class _Seen(NamedTuple):
    """What is kept of a run."""

    workflow: str
    created_at: float
    updated_at: float
    status: RunStatus
    owner: str
    lease_until: float

    def stands(self, now: float) -> RunStatus:
        """Return its status, given who lives."""
        if self.status is RunStatus.RUNNING and not has_living_owner(self, now):
            return RunStatus.INTERRUPTED
        return self.status


class _Answered(NamedTuple):
    """What is kept of a question that was answered."""

    run_id: "RunId"
    at: float
    seconds: float
    """How long it waited."""


class Lookout:
    """Looks at one store. One look at a time."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._cursor: Cursor | None = None
        self._runs: dict[RunId, _Seen] = {}
        self._open: dict[PauseId, PauseRow] = {}
        self._answered: dict[PauseId, _Answered] = {}
        self._work = WorkLog(store, clock)
        self._statistics: Statistics | None = None
        self._counted_at = float("-inf")

    async def look(self) -> Glance:
        """Return how the store stands now.

        Raises:
            StoreError: it cannot be read; the next look begins anew.
        """
        try:
            await self._read()
            return await self._glance(self._clock.now())
        except TidegateError:
            self._cursor = None
            self._work.forget()
            raise

    # -- reading ------------------------------------------------------------------------------

    async def _read(self) -> None:
        has_moved = True
        if self._cursor is None:
            await self._read_all()
        else:
            has_moved = await self._read_changes(self._cursor)
        await self._work.follow(has_moved=has_moved)
        if self._clock.monotonic() - self._counted_at >= _COUNT_AGAIN:
            self._statistics = await self._store.statistics()
            self._counted_at = self._clock.monotonic()

    async def _read_all(self) -> None:
        # The position first: what happens while all is read is then read once more.
        cursor = await self._store.newest_cursor()
        self._runs.clear()
        await self._read_moved()
        await self._read_unfinished()
        await self._read_questions()
        self._cursor = cursor

    async def _read_moved(self) -> None:
        """Read what has moved of late, however long ago it was created."""
        since = self._clock.now() - _WEEK
        rows = await self._store.runs(RunFilter(top_only=True, last_changed_first=True, limit=_MOST_RUNS))
        self._take_runs(row for row in rows if row.updated_at >= since)

    async def _read_unfinished(self) -> None:
        query = RunFilter(top_only=True, statuses=UNFINISHED, limit=_RUNS_AT_ONCE)
        while rows := await self._store.runs(query):
            self._take_runs(rows)
            query = query.evolve(older_than=rows[-1].run_id)

    def _take_runs(self, rows: Iterable[RunRow]) -> None:
        for row in rows:
            if row.parent is None:
                self._runs[row.run_id] = _Seen(
                    *(row.workflow, row.created_at, row.updated_at, row.summary.status),
                    *(row.owner, row.lease_until),
                )

    async def _read_questions(self) -> None:
        self._open.clear()
        self._answered.clear()
        query = PauseFilter(open_only=False, limit=_PAUSES_AT_ONCE)
        while rows := await self._store.pauses(query):
            self._take_questions(rows)
            query = query.evolve(behind=rows[-1].pause_id)

    def _take_questions(self, rows: Iterable[PauseRow]) -> None:
        since = self._clock.now() - _WEEK
        for row in rows:
            if row.state is PauseState.OPEN:
                self._open[row.pause_id] = row
            elif row.state is PauseState.ANSWERED and row.closed_at is not None and row.closed_at >= since:
                self._answered[row.pause_id] = _Answered(
                    row.run_id, row.closed_at, max(0.0, row.closed_at - row.opened_at)
                )

    async def _read_changes(self, since: Cursor) -> bool:
        """Read what is new; return whether a run has moved."""
        changes = await self._store.changes(since)
        self._take_runs(changes.runs)
        for run_id in changes.gone:
            self._runs.pop(run_id, None)
        changed = {row.run_id for row in changes.runs} | set(changes.gone)
        # Of those that changed, what there is is read anew.
        self._open = {key: row for key, row in self._open.items() if row.run_id not in changed}
        self._answered = {key: was for key, was in self._answered.items() if was.run_id not in changed}
        if len(changes.runs) > _ONE_BY_ONE:
            await self._read_questions()
        else:
            for row in changes.runs:
                query = PauseFilter(run_id=row.run_id, open_only=False, limit=_PAUSES_AT_ONCE)
                self._take_questions(await self._store.pauses(query))
        self._forget()
        self._cursor = changes.cursor
        return bool(changes.runs)

    def _forget(self) -> None:
        """Let go of what is too old to be seen."""
        since = self._clock.now() - _WEEK
        if len(self._runs) > 2 * _MOST_RUNS:
            self._runs = {
                run_id: run
                for run_id, run in self._runs.items()
                if not run.status.is_terminal or run.updated_at >= since
            }
        if len(self._answered) > 2 * _PAUSES_AT_ONCE:
            self._answered = {key: was for key, was in self._answered.items() if was.at >= since}

    # -- what is seen -------------------------------------------------------------------------

    async def _glance(self, now: float) -> Glance:
        counts = await self._store.counts()
        stands = {run_id: run.stands(now) for run_id, run in self._runs.items()}
        open_rows, works = self._open.values(), self._work.works
        return Glance(
            at=now,
            waiting=len(open_rows),
            late=sum(row.deadline is not None and row.deadline <= now for row in open_rows),
            kinds=dict(Counter(sorted(row.prompt.kind for row in open_rows)).most_common()),
            oldest=min((row.opened_at for row in open_rows), default=None),
            questions=tuple(nsmallest(_QUESTIONS, open_rows, key=lambda row: row.opened_at)),
            due=_due(open_rows),
            by_status=self._by_status(counts.runs, stands),
            lately=_lately(self._runs.values(), now),
            answered=answer_times(
                array("d", (was.seconds for was in self._answered.values() if was.at >= now - _WEEK))
            ),
            answered_today=sum(was.at >= now - _DAY for was in self._answered.values()),
            workflows=_workflows(
                [(run, stands[run_id]) for run_id, run in self._runs.items()], retries_of(works, now), now
            ),
            holders=self._holders(stands),
            health=await self._health(stands, now),
            work=work_glance(works, now, again_in=self._work.again_in),
            store=self._statistics,
            damage=self._store.damage,
        )

    def _by_status(self, journalled: dict[str, int], stands: dict["RunId", RunStatus]) -> dict[str, int]:
        """Return how many runs stand where; those whose process is gone are running in their journals only."""
        counts = Counter(journalled)
        for run_id, status in stands.items():
            if status is not (said := self._runs[run_id].status) and counts[said]:
                counts[said] -= 1
                counts[status] += 1
        return {status.value: counts[status] for status in RunStatus if counts[status] > 0}

    async def _health(self, stands: Mapping["RunId", RunStatus], now: float) -> Health:
        queued = [
            self._runs[run_id].created_at for run_id, status in stands.items() if status is RunStatus.QUEUED
        ]
        return health_of(await self._store.vitals(), queued, now)

    def _holders(self, stands: dict["RunId", RunStatus]) -> dict[str, int]:
        driven = (run_id for run_id, status in stands.items() if status is RunStatus.RUNNING)
        return dict(
            Counter(describe_owner(self._runs[run_id].owner) for run_id in driven).most_common(_HOLDERS)
        )


def _due(rows: Iterable[PauseRow]) -> tuple[PauseRow, ...]:
    limited = ((row.deadline, row.pause_id, row) for row in rows if row.deadline is not None)
    return tuple(row for _, _, row in nsmallest(_DUE, limited, key=lambda due: due[:2]))


def _hour(at: float, now: float) -> int | None:
    """Return which of the last hours an instant is in; None: it is in none of them."""
    hours_ago = int(max(0.0, now - at) // _HOUR)
    return HOURS - 1 - hours_ago if hours_ago < HOURS else None


def _hours(instants: Iterable[float], now: float) -> tuple[int, ...]:
    counts = Counter(_hour(at, now) for at in instants)
    return tuple(counts[hour] for hour in range(HOURS))


def _lately(runs: Iterable[_Seen], now: float) -> Lately:
    recent = [run for run in runs if run.updated_at >= now - _DAY]
    ended = [run for run in recent if run.status.is_terminal]
    return Lately(
        started=_hours((run.created_at for run in recent), now),
        ended=_hours((run.updated_at for run in ended), now),
        by_status=dict(Counter(run.status.value for run in ended)),
    )


def _workflows(
    runs: list[tuple[_Seen, RunStatus]], retries: Mapping[str, tuple[int, ...]], now: float
) -> tuple[WorkflowGlance, ...]:
    # One that is only called by others has no run on top, and may be tried again all the same.
    by_name: dict[str, list[tuple[_Seen, RunStatus]]] = {name: [] for name in retries}
    for run, status in runs:
        if not status.is_terminal or run.updated_at >= now - _WEEK:
            by_name.setdefault(run.workflow, []).append((run, status))
    busiest = sorted(by_name, key=lambda name: (-len(by_name[name]), name))[:_WORKFLOWS]
    seen = (_workflow(name, by_name[name], now) for name in busiest)
    return tuple(each.evolve(retries=retries.get(each.name, each.retries)) for each in seen)


def _workflow(name: str, runs: list[tuple[_Seen, RunStatus]], now: float) -> WorkflowGlance:
    ended = Counter(status.value for _, status in runs if status.is_terminal)
    return WorkflowGlance(
        name=name,
        open=sum(not status.is_terminal for _, status in runs),
        started=_hours((run.created_at for run, _ in runs), now),
        by_status=dict(ended),
        last_status=max(runs, key=lambda seen: seen[0].updated_at)[1] if runs else None,
    )
