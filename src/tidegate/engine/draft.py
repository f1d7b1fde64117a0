"""Events that are about to be appended, and the state after them.

A draft is how a decision and everything that follows from it become one transaction: the
outcome of a block, the wave it completes, the checkpoint that marks, and the intents of what
becomes ready. If somebody else appended meanwhile, the draft is thrown away and made anew.
"""

from dataclasses import dataclass

from tidegate.engine.outcome import Outcome
from tidegate.engine.prepare import Ready
from tidegate.model.events import (
    AttemptFailed,
    AttemptStarted,
    AttemptSucceeded,
    BlockPaused,
    CancelRequested,
    CheckpointMarked,
    JournalEvent,
    PauseAnswered,
    Record,
    RunHeld,
    RunReleased,
    RunResumed,
    RunTimedOut,
    SkipRequested,
    WaveCompleted,
)
from tidegate.model.fold import apply
from tidegate.model.fold_pauses import turned_pauses
from tidegate.model.fork_events import question_key
from tidegate.model.ids import BlockId, CheckpointId, PauseId, Seq, new_checkpoint_id
from tidegate.model.listing import Epoch
from tidegate.model.policy import CheckpointKind
from tidegate.model.state import RunState, RunSummary
from tidegate.model.workflow import BlockDefinition
from tidegate.store.protocol import Append

__all__ = ["Draft", "Launch"]


@dataclass(frozen=True, slots=True)
class Launch:
    """A body to be started once its intent is durable."""

    place: BlockId
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
        self._before = state
        self._events: list[JournalEvent] = []
        self.values: dict[str, bytes] = {}
        self.secrets: dict[PauseId, str] = {}
        """What was answered where the event holds only that something was."""
        self._marks: dict[str, RunSummary] = {}

    def __bool__(self) -> bool:
        return bool(self._events)

    def add(self, event: JournalEvent) -> None:
        """Add one event, and the checkpoint that it calls for; to a question also an answer that was kept for it."""
        kept = _kept_answer(self.state, event) if self.state.kept else None
        self._add(event)
        mark = _mark_for(event) if isinstance(event, _MARKED) else None
        wanted = self.state.graph.definition.checkpoint.on
        # A pause's mark is what a person resumes, so no policy leaves it out.
        if mark is not None and (mark.kind is CheckpointKind.PAUSE or mark.kind in wanted):
            self._mark(mark)
        if kept is not None:
            self._add(kept)

    def add_outcome(self, outcome: Outcome) -> None:
        """Add an event with the values it refers to and all checkpoints that belong to it."""
        self.values.update(outcome.values)
        self.add(outcome.event)
        if not outcome.marks or CheckpointKind.EXPLICIT not in self.state.graph.definition.checkpoint.on:
            return
        block = outcome.event.block if isinstance(outcome.event, AttemptSucceeded) else None
        for mark in outcome.marks:
            self._mark(
                CheckpointMarked(
                    checkpoint_id=new_checkpoint_id(),
                    kind=CheckpointKind.EXPLICIT,
                    block=block,
                    label=mark.label,
                    metadata=mark.metadata,
                )
            )

    def _mark(self, mark: CheckpointMarked) -> None:
        self._add(mark)
        self._marks[mark.checkpoint_id] = self.state.summarise()

    def _add(self, event: JournalEvent) -> None:
        record = Record(run_id=self.state.run_id, seq=Seq(self.state.head + 1), at=self.at, event=event)
        self.state = apply(self.state, record)
        self._events.append(event)

    def as_append(self, epoch: Epoch | None) -> Append:
        """Return the whole of it, to be committed under *epoch*."""
        turns = not _TURNING.isdisjoint(map(type, self._events))
        closed, deadlines = turned_pauses(self._before, self.state) if turns else ((), {})
        return Append(
            run_id=self.state.run_id,
            after=self._before.head,
            at=self.at,
            events=tuple(self._events),
            summary=self.state.summarise(),
            marks=self._marks,
            epoch=epoch,
            values=self.values,
            secrets=self.secrets,
            closed=closed,
            deadlines=deadlines,
        )


_TURNING = frozenset({RunResumed, SkipRequested, CancelRequested, RunTimedOut, RunHeld, RunReleased})
"""Events that may close open pauses, or move their deadlines, without naming them."""


def _kept_answer(state: RunState, event: JournalEvent) -> PauseAnswered | None:
    """Return the answer that a question gets at once, as it was kept for a fork that asks the very same."""
    if not isinstance(event, BlockPaused) or event.block not in state.kept:
        return None
    asked = question_key(event.prompt)
    kept = next((kept for kept in state.kept[event.block] if kept.question == asked), None)
    return None if kept is None else PauseAnswered(pause_id=event.pause_id, answer=kept.answer)


_MARKED = (BlockPaused, AttemptFailed, WaveCompleted)
"""Events that may call for a checkpoint."""


def _mark_for(event: JournalEvent) -> CheckpointMarked | None:
    match event:
        case BlockPaused():
            # The checkpoint of a pause has the pause's id: it is what a person resumes.
            pause_checkpoint = CheckpointId(event.pause_id)
            return CheckpointMarked(
                checkpoint_id=pause_checkpoint, kind=CheckpointKind.PAUSE, block=event.block
            )
        case AttemptFailed(retry_at=None):
            return CheckpointMarked(
                checkpoint_id=new_checkpoint_id(), kind=CheckpointKind.FAILURE, block=event.block
            )
        case WaveCompleted():
            return CheckpointMarked(
                checkpoint_id=new_checkpoint_id(), kind=CheckpointKind.WAVE, label=f"wave {event.wave + 1}"
            )
        case _:
            return None
