"""Events that are about to be appended, and the state after them.

A draft is how a decision and everything that follows from it become one transaction: the
outcome of a block, the wave it completes, the checkpoint that marks, and the intents of what
becomes ready. If somebody else appended meanwhile, the draft is thrown away and made anew.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from tidegate.engine.prepare import Ready
from tidegate.model.events import (
    AttemptFailed,
    AttemptStarted,
    BlockPaused,
    CheckpointKind,
    CheckpointMarked,
    JournalEvent,
    Record,
    WaveCompleted,
)
from tidegate.model.fold import apply
from tidegate.model.ids import CheckpointId, Seq, new_checkpoint_id
from tidegate.model.listing import Epoch
from tidegate.model.state import RunState, RunSummary
from tidegate.model.workflow import BlockDefinition
from tidegate.store.protocol import Append

__all__ = ["Draft", "Launch"]


@dataclass(frozen=True, slots=True)
class Launch:
    """A body to be started once its intent is durable."""

    block: BlockDefinition
    intent: AttemptStarted
    ready: Ready


class Draft:
    """Grows event by event.

    `state` is always the state after the last event; `values` is the JSON, by SHA-256, of what the
    events refer to and the store does not have yet; `launches` is what may start once all is durable.
    """

    def __init__(self, state: RunState, at: float) -> None:
        self.state = state
        self.at = at
        self.launches: list[Launch] = []
        self._after = state.head
        self._events: list[JournalEvent] = []
        self.values: dict[str, bytes] = {}
        self._marks: dict[str, RunSummary] = {}

    def __bool__(self) -> bool:
        return bool(self._events)

    def add(self, event: JournalEvent, values: Mapping[str, bytes] | None = None) -> None:
        """Add one event, the checkpoint it calls for, and the values it refers to."""
        self._add(event)
        self.values.update(values or {})
        mark = _mark_for(event)
        if mark is not None:
            self._add(mark)
            self._marks[mark.checkpoint_id] = self.state.summarise()

    def _add(self, event: JournalEvent) -> None:
        record = Record(run_id=self.state.run_id, seq=Seq(self.state.head + 1), at=self.at, event=event)
        self.state = apply(self.state, record)
        self._events.append(event)

    def as_append(self, epoch: Epoch | None) -> Append:
        """Return the whole of it, to be committed under *epoch*."""
        return Append(
            run_id=self.state.run_id,
            after=self._after,
            at=self.at,
            events=tuple(self._events),
            summary=self.state.summarise(),
            marks=self._marks,
            epoch=epoch,
            values=self.values,
        )


def _mark_for(event: JournalEvent) -> CheckpointMarked | None:
    match event:
        case BlockPaused():
            # The checkpoint of a pause has the pause's id: it is what a person resumes.
            pause_checkpoint = CheckpointId(event.pause_id)
            return CheckpointMarked(
                checkpoint_id=pause_checkpoint, kind=CheckpointKind.PAUSE, block=event.block
            )
        case AttemptFailed():
            return CheckpointMarked(
                checkpoint_id=new_checkpoint_id(), kind=CheckpointKind.FAILURE, block=event.block
            )
        case WaveCompleted():
            return CheckpointMarked(
                checkpoint_id=new_checkpoint_id(), kind=CheckpointKind.WAVE, label=f"wave {event.wave + 1}"
            )
        case _:
            return None
