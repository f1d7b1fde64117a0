"""The runs that a run's blocks have started, as the driver of that run sees them.

Everything is derived from what is stored: whoever drives the parent looks at its children's rows,
when it begins and whenever one of them changed. So no wake-up can be lost: it is only a hint.
"""

import contextlib
from collections.abc import Iterable
from typing import Protocol

from tidegate.engine.calls import new_child, outcome_of
from tidegate.engine.forks.fork import forked_child
from tidegate.engine.outcome import Outcome
from tidegate.engine.parts import Parts
from tidegate.engine.resume import resumed_blocks
from tidegate.engine.turns import hold, request_cancel, request_resume
from tidegate.engine.view import View
from tidegate.errors import JournalConflict, LeaseHeld, NotResumable, RunFinished
from tidegate.model.events import ChildMoved, ChildPaused, RunStatus
from tidegate.model.ids import BlockId, RunId
from tidegate.model.listing import RunFilter, RunRow
from tidegate.model.state import BlockStatus, Child, RunState
from tidegate.store.owner import has_living_owner
from tidegate.store.protocol import Claim

__all__ = ["Children", "Fleet", "have_moved"]


class Fleet(Protocol):
    """Whoever sees to it that runs are driven in this process."""

    def launch(self, claim: Claim) -> None:
        """Drive a claimed run."""
        ...

    async def drive(self, row: RunRow) -> None:
        """Drive a run, unless it is driven here already.

        Raises:
            LeaseHeld: another living process drives it.
        """
        ...


class Children:
    """Begins, follows and stops the child runs of one run."""

    def __init__(self, parts: Parts, fleet: Fleet) -> None:
        self._parts = parts
        self._fleet = fleet
        self._news: set[RunId] = set()
        self._seen: set[tuple[RunId, int]] = set()
        """Those that this driver has looked at, each with the attempt that it is: a run may go on in a later one."""

    def note(self, child: RunId) -> None:
        """Say that a child has changed."""
        self._news.add(child)

    def forget(self) -> None:
        """Let all of them be looked at again: one may have lost its owner, and that is no change."""
        self._seen.clear()

    async def look(self, state: RunState) -> list[Outcome]:
        """Return what has become of the children that changed, or were never looked at."""
        news, self._news = self._news, set()
        if not state.children:
            return []
        attempts = {place: (child, state.block(place).attempt) for place, child in state.children.items()}
        places = [
            place
            for place, attempt in attempts.items()
            if attempt[0] in news or attempt not in self._seen or self._must_stop(state, place)
        ]
        self._seen |= {attempts[place] for place in places}
        rows = await _rows(self._parts, (state.children[place] for place in places))
        seen = [await self._look_at(state, place, rows.get(state.children[place])) for place in places]
        return [outcome for outcome in seen if outcome is not None]

    async def _look_at(self, state: RunState, place: BlockId, row: RunRow | None) -> Outcome | None:
        child = state.block(place).child
        if child is None:
            return None
        if row is None:
            return await self._begin(state, place, child)
        if row.summary.status.is_terminal:
            goes_on = row.head == child.resumed_after and await self._let_go_on(state, row)
            return None if goes_on else await outcome_of(View(self._parts, state), place, row.run_id)
        if self._must_stop(state, place) and not row.summary.cancelling:
            row = await self._stop(state, row)
        return await self._follow(state, place, row)

    async def _begin(self, state: RunState, place: BlockId, child: Child) -> Outcome | None:
        with contextlib.suppress(
            JournalConflict
        ):  # Another driver of this run was faster, and is fenced now.
            if child.origin is None:
                run = new_child(self._parts, state, place, child)
            else:
                run = await forked_child(self._parts, state, place, child.run_id, child.origin)
            self._fleet.launch(await self._parts.store.create_run(run))
        return None

    async def _let_go_on(self, state: RunState, row: RunRow) -> bool:
        """Let a failed run go on that was told to, before a crash kept it from doing so; False if it cannot."""
        try:
            await request_resume(self._parts, row.run_id, resumed_blocks, by=state.resumed_by)
        except (RunFinished, NotResumable):
            return False
        with contextlib.suppress(LeaseHeld):
            await self._fleet.drive(row)
        return True

    async def _follow(self, state: RunState, place: BlockId, row: RunRow) -> Outcome | None:
        block = state.block(place)
        if await _is_at_rest(self._parts, row):
            known = block.status is BlockStatus.PAUSED and block.child_pauses == row.summary.pauses
            paused = ChildPaused(block=place, pauses=row.summary.pauses, head=row.head)
            return None if known else Outcome(paused)
        if state.held is not None and not row.summary.held and _is_left_behind(self._parts, row):
            # Whoever paused this run, or drove it, did not live to pause those below it.
            with contextlib.suppress(RunFinished):
                await hold(self._parts, row.run_id, state.held.by, state.held.reason)
        with contextlib.suppress(LeaseHeld):
            await self._fleet.drive(row)
        moved = ChildMoved(block=place, head=row.head)
        return Outcome(moved) if block.status is BlockStatus.PAUSED else None

    @staticmethod
    def _must_stop(state: RunState, place: BlockId) -> bool:
        """Whether a child is to end because its parent does: unless it cleans up, and asks nobody."""
        if not state.is_stopping:
            return False
        forced = state.cancel is not None and state.cancel.force
        return forced or not state.definition_of(place).always or state.block(place).is_asleep

    async def _stop(self, state: RunState, row: RunRow) -> RunRow:
        by = state.cancel.by if state.cancel is not None else ""
        reason = (
            state.cancel.reason if state.cancel is not None else ""
        ) or "the run that started it was stopped"
        force = state.cancel is not None and state.cancel.force
        with contextlib.suppress(RunFinished):
            await request_cancel(self._parts, row.run_id, by, reason, force=force)
        return await self._parts.store.run(row.run_id)


async def _rows(parts: Parts, ids: Iterable[RunId]) -> dict[RunId, RunRow]:
    wanted = tuple(ids)
    if not wanted:
        return {}
    rows = await parts.store.runs(RunFilter(ids=wanted, limit=len(wanted)))
    return {row.run_id: row for row in rows}


def _is_left_behind(parts: Parts, row: RunRow) -> bool:
    """Whether the process that drove a run died without giving its lease back."""
    return bool(row.owner) and not has_living_owner(row, parts.clock.now())


async def _is_at_rest(parts: Parts, row: RunRow) -> bool:
    """Whether a run only waits for people, nobody who is dead holds its lease, and so for all below it.

    Its own row does not tell: an answer to a question below changes the row of that run alone.
    """
    if row.summary.status is not RunStatus.PAUSED or _is_left_behind(parts, row):
        return False
    if not await parts.store.runs(RunFilter(parent=row.run_id, limit=1)):
        return True
    return not await have_moved(parts, await parts.states.newest(row.run_id))


async def have_moved(parts: Parts, state: RunState) -> bool:
    """Return whether something below a run at rest no longer is where the run's journal says."""
    rows = await _rows(parts, state.children.values())
    resting = {
        child: state.block(place).child_pauses
        for place, child in state.children.items()
        if state.block(place).is_asleep
    }
    for run_id, row in rows.items():
        if row.summary.pauses != resting.get(run_id) or not await _is_at_rest(parts, row):
            return True
    return False
