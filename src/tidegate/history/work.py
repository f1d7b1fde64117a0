"""What was done of late in a whole store, minute by minute and workflow by workflow.

The store counts it by looking at each event since an instant. So a day is read once, and afterwards only
what is new; and reading takes no more than a small part of the time.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Final, cast

from tidegate.clock import Clock
from tidegate.model.base import JsonObject, Noun, fields_of
from tidegate.model.vitals import Work
from tidegate.store.protocol import Store

__all__ = ["HOURS", "MINUTES", "Done", "WorkGlance", "WorkLog", "retries_of", "work_glance"]

HOURS: Final = 24
"""How far back it is told what was done, began and ended, hour by hour."""
MINUTES: Final = 60
"""How far back it is told what was done, minute by minute."""
_MINUTE, _HOUR = 60.0, 3_600.0
_OVERLAP = 120.0
"""Seconds that are read once more: an event has the time of who writes it, and comes a moment later."""
_LEAST_REST = 1.0
"""Seconds between two readings."""
_PART = 100
"""A reading is followed by a rest of so many times as long as it took."""


class Done(Noun):
    """How much was done in some time, runs below others included."""

    waves: int = 0
    """That came to their end, whatever became of their blocks."""
    blocks: int = 0
    """Attempts that succeeded: one for each block, each item, and each iteration."""
    retries: int = 0
    """Attempts that failed and were made again by themselves."""


class WorkGlance(Noun):
    """What was done of late in the runs that are kept."""

    waves: tuple[int, ...] = (0,) * MINUTES
    """In the last hour, minute by minute; the last of them is the one that goes on."""
    blocks: tuple[int, ...] = (0,) * MINUTES
    retries: tuple[int, ...] = (0,) * MINUTES
    workflows: dict[str, Done] = {}
    """In the last hour, by workflow; one in which nothing was done is left out."""
    day: Done = Done()
    """In the last 24 hours."""
    again_in: float | None = None
    """Seconds until what has moved since can be counted, too; None: nothing has."""

    @property
    def hour(self) -> Done:
        """What was done in the last hour."""
        return Done(waves=sum(self.waves), blocks=sum(self.blocks), retries=sum(self.retries))

    def as_json(self) -> JsonObject:
        """Return it for `--json`."""
        minutes = {"waves": self.waves, "blocks": self.blocks, "retries": self.retries}
        return {
            "last_hour": _plain(self.hour),
            "last_24_hours": _plain(self.day),
            "by_minute": {name: list(counts) for name, counts in minutes.items()},
            "workflows": {name: _plain(done) for name, done in self.workflows.items()},
        }


def _plain(done: Done) -> JsonObject:
    return cast("JsonObject", dict(fields_of(done)))


def work_glance(works: Iterable[Work], now: float, *, again_in: float | None = None) -> WorkGlance:
    """Return what is seen of the work of a day.

    Args:
        works: Of the last 24 hours, in any order.
        now: Seconds since 1970 UTC; the last minute is the one that this is in.
        again_in: Seconds until what has moved since can be counted; None: nothing has.
    """
    day, this = list(works), int(now // _MINUTE)
    # A minute that is yet to come is that of a clock which is ahead of ours.
    recent = [(min(work.minute, this), work) for work in day if this - work.minute < MINUTES]
    counts = {name: Counter[int]() for name in ("waves", "blocks", "retries")}
    by_workflow: dict[str, list[Work]] = {}
    for minute, work in recent:
        by_workflow.setdefault(work.workflow, []).append(work)
        for name, counted in counts.items():
            counted[minute] += getattr(work, name)
    minutes = range(this - MINUTES + 1, this + 1)
    return WorkGlance(
        **{name: tuple(counted[minute] for minute in minutes) for name, counted in counts.items()},
        workflows={name: _sum(by_workflow[name]) for name in sorted(by_workflow)},
        day=_sum(day),
        again_in=again_in,
    )


def _sum(works: Iterable[Work]) -> Done:
    waves = blocks = retries = 0
    for work in works:
        waves, blocks, retries = waves + work.waves, blocks + work.blocks, retries + work.retries
    return Done(waves=waves, blocks=blocks, retries=retries)


def retries_of(works: Iterable[Work], now: float) -> dict[str, tuple[int, ...]]:
    """Return how often attempts were made again, by workflow and hour; the last hour is the one that goes on."""
    counts: dict[str, Counter[int]] = {}
    for work in works:
        if work.retries:
            ago = int(max(0.0, now - work.minute * _MINUTE) // _HOUR)
            counts.setdefault(work.workflow, Counter())[HOURS - 1 - ago] += work.retries
    return {
        name: tuple(counted[hour] for hour in range(HOURS))
        for name, counted in counts.items()
        if any(hour >= 0 for hour in counted)
    }


class WorkLog:
    """Follows what is done in one store. One reading at a time."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._works: tuple[Work, ...] = ()
        self._read_at: float | None = None
        """When it was read last, as the date has it; None: never."""
        self._rests_until = float("-inf")
        self._is_behind = True

    @property
    def works(self) -> tuple[Work, ...]:
        """What was done in the last 24 hours, as far as it was read."""
        return self._works

    @property
    def again_in(self) -> float | None:
        """Seconds until what has moved since can be read; None: nothing has."""
        return max(0.0, self._rests_until - self._clock.monotonic()) if self._is_behind else None

    def forget(self) -> None:
        """Read all of it anew next time: it may be another store."""
        self._works, self._read_at, self._is_behind = (), None, True
        self._rests_until = float("-inf")

    async def follow(self, *, has_moved: bool) -> None:
        """Read what is new, if anything is, and if it is time.

        Args:
            has_moved: Whether a run has moved since this was asked last.

        Raises:
            StoreError: it cannot be read.
        """
        self._is_behind |= has_moved
        begun = self._clock.monotonic()
        if self._is_behind and begun >= self._rests_until:
            await self._read_on()
            took = self._clock.monotonic() - begun
            self._rests_until = begun + max(_LEAST_REST, _PART * took)

    async def _read_on(self) -> None:
        now = self._clock.now()
        oldest = now - HOURS * _HOUR
        # The earlier one: the date may have been set back.
        known = oldest if self._read_at is None else min(self._read_at, now) - _OVERLAP
        first = int(max(oldest, known) // _MINUTE)
        new = await self._store.work(first * _MINUTE)
        kept = (work for work in self._works if oldest // _MINUTE <= work.minute < first)
        self._works, self._read_at, self._is_behind = (*kept, *new), now, False
