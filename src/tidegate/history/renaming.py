"""Events under other ids: of a run that is to be a second one beside itself, or that a fork has for its past.

Only what an event itself says of runs, questions and checkpoints is another one then. What a block has
produced, or a person has written, stays as it is, whatever it looks like.
"""

import hashlib
from collections.abc import Callable, Mapping

from tidegate.model.events import (
    AnswerRefused,
    BlockPaused,
    CheckpointMarked,
    ChildStarted,
    JournalEvent,
    Origin,
    Parent,
    PauseAnswered,
    PauseAssigned,
    PauseExpired,
    Record,
    RunForked,
    RunStarted,
)
from tidegate.model.ids import RunId, Seq
from tidegate.model.listing import RunRow
from tidegate.store.protocol import Store

__all__ = ["fork_of", "is_one_event", "of_a_fork", "with_run_ids", "with_turn_ids"]

_NOWHERE = Origin(run_id=RunId(""), seq=Seq(0))
_LENGTH = 16
"""Characters of an id that follows from another one."""


def with_turn_ids(event: JournalEvent, name_of: Callable[[str], str]) -> JournalEvent:
    """Return *event* with other ids of questions and checkpoints.

    Args:
        event: It.
        name_of: Returns the new id for one; a question and its checkpoint have the same.
    """
    match event:
        case BlockPaused() | PauseAssigned() | PauseAnswered() | AnswerRefused() | PauseExpired():
            return event.evolve(pause_id=name_of(event.pause_id))
        case CheckpointMarked():
            return event.evolve(checkpoint_id=name_of(event.checkpoint_id))
        case _:
            return event


def with_run_ids(event: JournalEvent, names: Mapping[RunId, RunId]) -> JournalEvent:
    """Return *event* with other ids of runs; those that *names* does not have stay."""
    match event:
        case RunStarted():
            return event.evolve(parent=_parent(event.parent, names))
        case RunForked():
            children = {place: _origin(origin, names) for place, origin in event.children.items()}
            parent = _parent(event.parent, names)
            return event.evolve(parent=parent, origin=_origin(event.origin, names), children=children)
        case ChildStarted():
            origin = _origin(event.origin, names) if event.origin is not None else None
            return event.evolve(child=names.get(event.child, event.child), origin=origin)
        case _:
            return event


def _parent(parent: Parent | None, names: Mapping[RunId, RunId]) -> Parent | None:
    if parent is None:
        return None
    run_id, root = names.get(parent.run_id, parent.run_id), names.get(parent.root, parent.root)
    return parent.evolve(run_id=run_id, root=root)


def _origin(origin: Origin, names: Mapping[RunId, RunId]) -> Origin:
    return origin.evolve(run_id=names.get(origin.run_id, origin.run_id))


def is_one_event(one: Record, other: Record) -> bool:
    """Whether two journals have the same event, whatever runs, questions and checkpoints are called in each."""
    return one.at == other.at and _nameless(one.event) == _nameless(other.event)


def _nameless(event: JournalEvent) -> JournalEvent:
    match event:
        case RunStarted():
            return event.evolve(by="", parent=None)
        case RunForked():
            return event.evolve(origin=_NOWHERE, former=None, parent=None, children={}, kept={})
        case ChildStarted():
            return event.evolve(child=_NOWHERE.run_id, origin=None)
        case _:
            return with_turn_ids(event, lambda _: "")


async def fork_of(store: Store, row: RunRow) -> RunForked | None:
    """Return the first event that is a fork's own; None: the run is none."""
    if row.origin is None:
        return None
    at = row.origin.seq
    own = await store.read(row.run_id, after=at, upto=Seq(at + 1))
    return next((record.event for record in own if isinstance(record.event, RunForked)), None)


def of_a_fork(run_id: RunId, record: Record, fork: RunForked | None) -> JournalEvent:
    """Return an event of a fork, or of a run that it goes on from, as it stands in one journal of its own.

    What comes from the other run gets ids of questions and checkpoints that follow from the old ones: both may
    come into one store. It begins as the fork does, and goes on from nobody but itself; what it was forked from it
    still says.

    Args:
        run_id: The fork.
        record: The event.
        fork: The first event that is the fork's own; None: the run is none, and its events stay as they are.
    """
    event = record.event
    if fork is None:
        return event
    if isinstance(event, RunStarted):
        return event.evolve(by=fork.by, parent=fork.parent)
    if isinstance(event, RunForked):
        return event.evolve(origin=event.origin.evolve(run_id=run_id), former=event.forked_from)
    if record.seq > fork.origin.seq:
        return event

    def name_of(name: str) -> str:
        kind, _, _ = name.partition("_")
        return f"{kind}_{hashlib.sha256(f'{run_id} {name}'.encode()).hexdigest()[:_LENGTH]}"

    return with_turn_ids(event, name_of)
