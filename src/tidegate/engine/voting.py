"""How somebody who does not drive a run adds to its journal: by a vote.

A vote is decided against the newest state, and counts only if nobody else appended meanwhile.
That is one compare-and-set on the journal's head, so of any number of terminals exactly one wins,
and each loser decides again, now knowing who did.
"""

from collections.abc import Callable, Mapping

from tidegate.engine.draft import Draft
from tidegate.engine.parts import Parts
from tidegate.errors import JournalConflict
from tidegate.model.events import JournalEvent, PauseAnswered
from tidegate.model.ids import PauseId, RunId
from tidegate.model.state import RunState
from tidegate.store.replay import catch_up

__all__ = ["vote"]

_NO_SECRETS: Mapping[PauseId, str] = {}


async def vote(
    parts: Parts,
    run_id: RunId,
    decide: Callable[[RunState], JournalEvent | None],
    *,
    secrets: Mapping[PauseId, str] = _NO_SECRETS,
) -> tuple[RunState, JournalEvent | None]:
    """Append what *decide* makes of the newest state; return the state after it, and the event.

    Args:
        parts: What the executor works with.
        run_id: Which run.
        decide: Called with the newest state until its event could be appended; None: nothing to add.
            What it raises ends the vote.
        secrets: What was answered where the event holds only that something was.

    Raises:
        RunNotFound: there is no such run.
    """
    state = await parts.states.newest(run_id)
    while True:
        event = decide(state)
        if event is None:
            return state, None
        draft = Draft(state, parts.clock.now())
        draft.add(event)
        if isinstance(event, PauseAnswered):
            draft.secrets.update(secrets)
        try:
            await parts.store.append(draft.as_append(epoch=None))
        except JournalConflict:
            state = await catch_up(parts.store, state)
        else:
            parts.states.keep(draft.state)
            return draft.state, event
