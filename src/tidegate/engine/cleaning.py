"""Cleaning up: what `retention` decides is done, in steps that keep nobody waiting.

It is decided on what was read, and checked again by the store when it is done: a run that somebody has let
go on meanwhile stays. What was begun and not ended, because a process was killed, is ended by whoever
comes next.
"""

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from tidegate.clock import Clock
from tidegate.engine.retention import EVERYTHING, Fate, Limits, judge, limits_of, marks_kept, rounds
from tidegate.errors import CorruptStore, RunInUse, RunNotFound, StoreError
from tidegate.model.base import Noun
from tidegate.model.events import RunStatus
from tidegate.model.ids import RunId
from tidegate.model.listing import KeptRun, MarkedRun, RunFilter
from tidegate.model.vitals import CLEAN_UP
from tidegate.model.workflow import WorkflowDefinition
from tidegate.settings import Cleaning
from tidegate.store.owner import status_now
from tidegate.store.protocol import Store

__all__ = ["CleanUp", "Cleaner", "jittered"]

log = logging.getLogger(__name__)

_TOLD_FOR = 7 * 86_400.0
"""Seconds that the feed tells of a removal."""
_AT_ONCE = 8
"""Removals that may share a transaction."""
_LEAST_REST = 0.002
"""Seconds. Another process that waits to write looks every few milliseconds whether it may."""
_LOOK_AGAIN = 300.0
"""Seconds: whether it is time to clean up is kept in the store, and somebody else may have done it."""
_SETTLING = 0.2
"""Seconds before the first look: whoever opens a store mostly wants something else first."""
_JITTER = 0.2
"""Which part of a wait is left to chance: processes that were started together do not look together for ever."""


class CleanUp(Noun):
    """What was removed, or would be, and what stays."""

    fates: tuple[Fate, ...]
    """On runs on top, those that were created last first."""
    marks: int = 0
    """Checkpoints of runs that stay, taken off the list."""
    given_back: int = 0
    """Bytes, to the system."""

    @property
    def going(self) -> tuple[Fate, ...]:
        """Those that go."""
        return tuple(fate for fate in self.fates if fate.goes)

    @property
    def staying(self) -> tuple[Fate, ...]:
        """Those that stay."""
        return tuple(fate for fate in self.fates if not fate.goes)


class _Wish(NamedTuple):
    """How runs are to go."""

    now: float
    despite_pins: bool
    by: str
    beyond: Mapping[RunId, str]
    """What each is beyond; one that is not here was named."""


class _Definitions:
    """Definitions, as one clean-up reads them: each once."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: dict[str, WorkflowDefinition] = {}

    async def read(self, name: str) -> WorkflowDefinition | None:
        """Return a definition; None if it is damaged: what hangs on it is then left alone.

        Raises:
            StoreError: the store cannot be read, which says nothing of the definition.
        """
        if name not in self._known:
            try:
                self._known[name] = await self._store.definition(name)
            except CorruptStore as error:
                log.warning("%s", error)
                return None
        return self._known[name]

    async def read_all(self, names: Iterable[str]) -> dict[str, WorkflowDefinition]:
        """Return definitions by name, without those that are damaged."""
        read = {name: await self.read(name) for name in dict.fromkeys(names)}
        return {name: definition for name, definition in read.items() if definition is not None}


class Cleaner:
    """Removes runs from one store."""

    def __init__(
        self, store: Store, clock: Clock, cleaning: Cleaning, *, chance: Callable[[], float] = random.random
    ) -> None:
        """Make it.

        Args:
            store: Which.
            clock: The time.
            cleaning: What holds where a workflow's file says nothing.
            chance: Random, 0 to 1: when exactly it looks whether it is time.
        """
        self._store = store
        self._clock = clock
        self._cleaning = cleaning
        self._chance = chance
        self._finishing = asyncio.Lock()

    # -- on demand ----------------------------------------------------------------------------

    async def clean_up(
        self,
        *,
        dry_run: bool = False,
        workflow: str | None = None,
        only: Collection[RunId] = (),
        limits: Limits | None = None,
        despite_pins: bool = False,
        sized: bool = True,
        by: str = "",
    ) -> CleanUp:
        """Remove the runs that are kept no longer, and give their space back.

        Args:
            dry_run: Only say what would go.
            workflow: Only runs of this one; None: of all.
            only: Only these runs, and no checkpoints of others; empty: all.
            limits: What is kept, of every workflow; None: what its file, or else the settings, say.
            despite_pins: Whether pins keep nothing.
            sized: Whether the bytes of each run are found out: that reads much of the store.
            by: Who removes them, as it is remembered; with what each was beyond, unless all that has ended goes.
        """
        now = self._clock.now()
        runs = await self._as_seen(await self._store.kept_runs(workflow), now)
        definitions = _Definitions(self._store)
        known = await self._limits(definitions, runs, limits)
        # On a thread: there may be very many of them, and the loop has runs to drive.
        fates = await asyncio.to_thread(judge, runs, known, now, despite_pins=despite_pins, only=only)
        if sized:
            fates = await self._sized(fates)
        surplus = [] if only else await self._surplus(definitions, runs, workflow)
        if dry_run:
            gone = {fate.run.run_id for fate in fates if fate.goes}
            marks = sum(run.marks - keep for run, keep in surplus if run.run_id not in gone)
            return CleanUp(fates=fates, marks=marks)
        # Of what somebody wants gone without a limit, no limit is the reason.
        beyond = {} if limits == EVERYTHING else {fate.run.run_id: fate.why for fate in fates}
        fates = await self._remove(fates, _Wish(now, despite_pins, by, beyond))
        marks = await self._trim(surplus)
        return CleanUp(fates=fates, marks=marks, given_back=await self.finish())

    async def remove_run(
        self, run_id: RunId, *, despite_pins: bool = False, by: str = ""
    ) -> tuple[RunId, ...]:
        """Remove a run that has ended, with everything below it; return what was removed, itself first.

        Args:
            run_id: Which run, on top.
            despite_pins: Whether it goes even if a checkpoint of it is pinned.
            by: Who removes it, as it is remembered.

        Raises:
            RunNotFound: there is no such run.
            RunInUse: it, or one below it, has not ended, or a checkpoint is pinned, or it is not on top.
        """
        removed = await self._store.remove_run(run_id, at=self._clock.now(), despite_pins=despite_pins, by=by)
        await self.finish()
        return removed

    async def finish(self) -> int:
        """Delete what removed runs have left, whoever removed them, and give the space back; return its bytes."""
        async with self._finishing:
            await self._empty_graves()
            return await _step_by_step(self._store.give_back)

    async def _empty_graves(self) -> None:
        forget = self._clock.now() - _TOLD_FOR
        await _step_by_step(lambda: self._store.empty_graves(forget_before=forget))

    # -- by itself ----------------------------------------------------------------------------

    async def keep_clean(self) -> None:
        """End what others have begun; then, if the settings say so, clean up when it is time, for ever."""
        await asyncio.sleep(jittered(_SETTLING, self._chance()))
        # Not the space as well: what little is free in a store at any time is not worth moving pages for.
        await _quietly(self._empty_graves())
        while self._cleaning.auto_cleanup:
            await _quietly(self._clean_up_if_due())
            rest = min(self._cleaning.cleanup_interval_seconds, _LOOK_AGAIN)
            await asyncio.sleep(jittered(rest, self._chance()))

    async def _clean_up_if_due(self) -> None:
        interval = self._cleaning.cleanup_interval_seconds
        if await self._store.claim_clean_up(now=self._clock.now(), interval=interval):
            done = await self.clean_up(sized=False, by=CLEAN_UP)
            log.info("cleaned up: %d runs, %d checkpoints", len(done.going), done.marks)

    # -- deciding -----------------------------------------------------------------------------

    async def _as_seen(self, runs: Sequence[KeptRun], now: float) -> tuple[KeptRun, ...]:
        """Return the runs as lists have them: one that is driven by nobody any more is interrupted."""
        driven = tuple(run.run_id for run in runs if run.status is RunStatus.RUNNING)
        rows = await self._store.runs(RunFilter(ids=driven, limit=len(driven))) if driven else ()
        seen = {row.run_id: status_now(row, now) for row in rows}
        return tuple(run.evolve(status=seen.get(run.run_id, run.status)) for run in runs)

    async def _limits(
        self, definitions: _Definitions, runs: Iterable[KeptRun], asked: Limits | None
    ) -> dict[str, Limits]:
        """Return what holds for each workflow: as its newest run has it, which is what its file said last."""
        known: dict[str, Limits | None] = {}
        for run in runs:
            if run.workflow not in known:
                known[run.workflow] = await self._limits_of(definitions, run, asked)
        return {workflow: limits for workflow, limits in known.items() if limits is not None}

    async def _limits_of(
        self, definitions: _Definitions, run: KeptRun, asked: Limits | None
    ) -> Limits | None:
        if asked is not None and not asked.keep_successful:
            return asked
        if (definition := await definitions.read(run.definition)) is None:
            return None
        found = limits_of(definition.checkpoint.retention, self._cleaning)
        return found if asked is None else asked.evolve(keep_successful=found.keep_successful)

    async def _sized(self, fates: Sequence[Fate]) -> tuple[Fate, ...]:
        sizes = await self._store.sizes([fate.run.run_id for fate in fates])
        return tuple(fate.evolve(bytes=sizes.get(fate.run.run_id, 0)) for fate in fates)

    async def _surplus(
        self, definitions: _Definitions, runs: Iterable[KeptRun], workflow: str | None
    ) -> list[tuple[MarkedRun, int]]:
        """Return the runs with more checkpoints than their workflow's file wants, and how many those are."""
        least = _least_marks((await definitions.read_all(run.definition for run in runs)).values())
        if least is None:
            return []
        found = await self._store.marked_runs(more_than=least, pauses=not self._cleaning.keep_paused)
        known = await definitions.read_all(run.definition for run in found)
        surplus: list[tuple[MarkedRun, int]] = []
        for run in found:
            definition = known.get(run.definition)
            keep = marks_kept(definition.checkpoint.retention) if definition is not None else None
            is_wanted = definition is not None and workflow in (None, definition.name)
            if keep is not None and is_wanted and run.marks > keep:
                surplus.append((run, keep))
        return surplus

    # -- doing --------------------------------------------------------------------------------

    async def _remove(self, fates: Sequence[Fate], wish: _Wish) -> tuple[Fate, ...]:
        """Remove those that go; return the fates as they came true, without what somebody else has removed.

        Forks go first, in transactions of their own: whenever this ends, none is without what it goes on from.
        """
        done: dict[RunId, Fate | None] = {}
        for going in rounds(fates):
            # A large fork goes in parts; as long as one of them is there, so must be what it goes on from.
            await self._empty_graves()
            done |= await self._remove_round(going, wish)
        outcomes = [done.get(fate.run.run_id, fate) for fate in fates]
        return tuple(outcome for outcome in outcomes if outcome is not None)

    async def _remove_round(self, going: Sequence[Fate], wish: _Wish) -> dict[RunId, Fate | None]:
        done: dict[RunId, Fate | None] = {}
        for start in range(0, len(going), _AT_ONCE):
            few = going[start : start + _AT_ONCE]
            done |= await self._remove_few(few, wish)
            await asyncio.sleep(_LEAST_REST)
        return done

    async def _remove_few(self, few: Sequence[Fate], wish: _Wish) -> dict[RunId, Fate | None]:
        # All of them, also if one fails: nothing is to be removed behind the back of whoever hears of that.
        outcomes = await asyncio.gather(
            *(self._remove_one(fate, wish) for fate in few), return_exceptions=True
        )
        done: dict[RunId, Fate | None] = {}
        for fate, outcome in zip(few, outcomes, strict=True):
            if isinstance(outcome, BaseException):
                raise outcome
            done[fate.run.run_id] = outcome
        return done

    async def _remove_one(self, fate: Fate, wish: _Wish) -> Fate | None:
        run = fate.run
        try:
            await self._store.remove_run(
                run.run_id,
                at=wish.now,
                despite_pins=wish.despite_pins,
                ended_by=run.ended_at,
                by=wish.by,
                why=wish.beyond.get(run.run_id, ""),
            )
        except RunNotFound:
            return None
        except RunInUse as error:
            return fate.but_stays(error.problem)
        return fate

    async def _trim(self, surplus: Iterable[tuple[MarkedRun, int]]) -> int:
        trimmed = 0
        for run, keep in surplus:
            try:
                trimmed += await self._store.trim_marks(
                    run.run_id, keep=keep, pauses=not self._cleaning.keep_paused
                )
            except RunNotFound:  # It has just been removed.
                continue
        return trimmed


def jittered(seconds: float, chance: float) -> float:
    """Return *seconds*, or up to a fifth more, as *chance* (0 to 1) has it."""
    return seconds * (1 + _JITTER * chance)


def _least_marks(definitions: Iterable[WorkflowDefinition]) -> int | None:
    """Return the smallest number of checkpoints that one of the workflows, or one they call, wants kept."""
    wanted: list[int] = []
    left = list(definitions)
    while left:
        definition = left.pop()
        left += definition.children.values()
        keep = marks_kept(definition.checkpoint.retention)
        wanted += [] if keep is None else [keep]
    return min(wanted, default=None)


async def _step_by_step(step: Callable[[], Awaitable[int]]) -> int:
    """Take steps until one has done nothing; return the sum of what they say. Half of the time is others'."""
    loop = asyncio.get_running_loop()
    total, done = 0, 1
    while done:
        begun = loop.time()
        total += (done := await step())
        await asyncio.sleep(max(_LEAST_REST, loop.time() - begun))
    return total


async def _quietly(work: Awaitable[object]) -> None:
    """Do background work. A store that cannot be written, or is damaged, is told of by whoever needs it."""
    try:
        await work
    except StoreError as error:
        log.info("not cleaned up: %s", error)
