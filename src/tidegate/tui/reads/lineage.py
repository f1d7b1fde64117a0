"""The tree of forks that a run is in, and what each of them was given that is other than it was."""

from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from tidegate.errors import RunNotFound, TidegateError
from tidegate.history.points import Point
from tidegate.history.views import RunView
from tidegate.model.base import JsonObject
from tidegate.model.events import Origin, RunForked
from tidegate.model.fork_events import KeptAnswer
from tidegate.model.ids import BlockId, RunId, Seq
from tidegate.model.listing import RunFilter
from tidegate.model.prompt import is_secret
from tidegate.tui.present.lineage import Branch, Edited, edits_of
from tidegate.tui.session import Session

if TYPE_CHECKING:
    from tidegate.history.history import History

__all__ = ["read_lineage"]

_MOST_RUNS = 200
"""Runs of one tree of forks that are looked up."""


async def read_lineage(session: Session, run_id: RunId) -> Branch | None:
    """Return the tree of forks that a run is in, from the run they all come from; None if it is in none, or gone."""
    history = session.history
    try:
        top = await history.run_view(run_id)
    except RunNotFound:
        # It was removed while somebody looked at it.
        return None
    # What it goes on from is kept as long as it is; one that was lost ends the tree.
    with suppress(RunNotFound):
        for _ in range(_MOST_RUNS):
            if top.row.origin is None:
                break
            top = await history.run_view(top.row.origin.run_id)
    tree = await _branch(history, top, [_MOST_RUNS])
    return tree if tree.forks or top.row.origin is not None else None


async def _branch(history: "History", view: RunView, left: list[int]) -> Branch:
    """Return what goes on from a run, of as many runs as are *left*; that is less by them afterwards."""
    forks = await history.runs(RunFilter(origin=view.row.run_id, limit=left[0] + 1))
    shown = forks[: left[0]]
    left[0] -= len(shown)
    branches = [await _branch(history, fork, left) for fork in _sorted(shown)]
    edits = await _edits(history, view)
    return Branch(view, tuple(branches), has_more=len(forks) > len(shown), edits=edits)


def _sorted(forks: tuple[RunView, ...]) -> Iterator[RunView]:
    def point(view: RunView) -> tuple[int, float]:
        return (view.row.origin.seq if view.row.origin is not None else 0, view.row.created_at)

    yield from sorted(forks, key=point)


async def _edits(history: "History", view: RunView) -> tuple[Edited, ...]:
    """Return what was edited for a fork; of one that cannot be read nothing is told, as its own view says why."""
    origin = view.row.origin
    if origin is None:
        return ()
    with suppress(TidegateError):
        event = await _forked(history, view.row.run_id, origin)
        if event is not None:
            event = event.evolve(inputs=await _edited_inputs(history, event))
            return edits_of(event, await _edited_answers(history, event))
    return ()


async def _forked(history: "History", run_id: RunId, origin: Origin) -> RunForked | None:
    # What comes before it is that of the other run.
    first = Seq(origin.seq + 1)
    for record in await history.events(run_id, after=origin.seq, upto=first):
        if isinstance(record.event, RunForked):
            return record.event
    return None


async def _edited_inputs(history: "History", event: RunForked) -> JsonObject:
    """Return the inputs that are other than they were: with another definition go all of them, and its defaults."""
    if event.workflow is None:
        return event.inputs
    before = (await history.state_at(Point(event.origin.run_id, event.origin.seq))).inputs
    usual = {declared.name: declared.default for declared in event.workflow.inputs} | before
    return {name: value for name, value in event.inputs.items() if value != usual.get(name)}


async def _edited_answers(history: "History", event: RunForked) -> dict[BlockId, KeptAnswer]:
    """Return the answers that are other than they were: those that only count again stand among them."""
    return {
        place: kept[0]
        for place, kept in event.kept.items()
        if len(kept) == 1 and await _is_edited(history, event, kept[0])
    }


async def _is_edited(history: "History", event: RunForked, kept: KeptAnswer) -> bool:
    if kept.answer.via != "fork":
        return False
    if not event.keep_answers:
        return True
    # A fork of a fork may keep what was edited for that one: then it is no other here.
    pause = await history.find_pause(kept.pause_id)
    return not is_secret(pause.prompt) and (pause.answer is None or pause.answer.value != kept.answer.value)
