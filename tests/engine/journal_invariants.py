"""The laws that every journal keeps (DESIGN.md section 2), read from its events alone.

`check_journal` walks a journal from its first event and fails at the first one that no careful engine
would have written: an outcome without an intent, a second outcome, something after the end, a repeated
effect that nobody asked for.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from tidegate.engine.pauses import recovery_of
from tidegate.model.events import (
    AnswerRefused,
    AttemptCancelled,
    AttemptFailed,
    AttemptInterrupted,
    AttemptRejected,
    AttemptStarted,
    AttemptSucceeded,
    BlockExpanded,
    BlockPaused,
    BlockSkipped,
    CancelRequested,
    CheckpointMarked,
    ChildStarted,
    LoopTurned,
    PauseAnswered,
    PauseAssigned,
    PauseExpired,
    ProgressNoted,
    Record,
    RunAdopted,
    RunFinished,
    RunForked,
    RunResumed,
    RunStarted,
    RunTimedOut,
    SkipRequested,
    StepRecorded,
    TimerSet,
    WaveCompleted,
    WaveStarted,
)
from tidegate.model.ids import BlockId, PauseId, block_of, is_part
from tidegate.model.prompt import RecoveryPrompt
from tidegate.model.workflow import BlockDefinition, OnInterrupt, Schedule, WorkflowDefinition

__all__ = ["Broken", "check_journal", "must"]


class Broken(AssertionError):
    """A law that does not hold, and where."""

    def __init__(self, law: str, *where: object) -> None:
        super().__init__(f"{law}: {', '.join(str(part) for part in where)}")


def must(holds: object, law: str, *where: object) -> None:
    """Fail unless something holds.

    Raises:
        Broken: it does not.
    """
    if not holds:
        raise Broken(law, *where)


class _Stage(Enum):
    """Where a place stands between its intents and its outcomes."""

    FREE = "may begin"
    AT_WORK = "has an intent and no outcome"
    WAITS = "has an intent, and waits for a person or an instant"
    CUT_OFF = "was interrupted"
    ASKED_ABOUT = "has failed, and a person is asked"
    RETRIED = "has failed, and another attempt follows"
    ENDED = "has its outcome"


@dataclass
class _Place:
    """What has happened so far at one place."""

    attempt: int = 0
    stage: _Stage = _Stage.FREE
    key: str = ""
    may_change_key: bool = True
    was_told_to_rerun: bool = False
    """A person said so, about the newest interruption or failure."""
    is_decided: bool = False
    """A person, or a deadline, has said what becomes of it; that is still to be done."""
    retry_at: float = 0.0
    steps: set[str] = field(default_factory=set)


@dataclass
class _Walk:
    """A journal, up to the event that is looked at."""

    blocks: Mapping[BlockId, BlockDefinition]
    schedule: Schedule
    places: dict[BlockId, _Place] = field(default_factory=dict)
    pauses: dict[PauseId, BlockPaused] = field(default_factory=dict)
    decided: set[PauseId] = field(default_factory=set)
    marks: set[str] = field(default_factory=set)
    keys: dict[str, BlockId] = field(default_factory=dict)
    foreign_keys: set[str] = field(default_factory=set)
    """Of the run that a fork goes on from."""
    children: dict[str, BlockId] = field(default_factory=dict)
    waves: tuple[int, int] = (-1, -1)
    """The newest that started, and that completed."""
    epoch: int = 0
    has_turned: bool = False
    """Somebody has stopped it, or planned something of it again."""
    finished: bool = False

    def place(self, place: BlockId) -> _Place:
        """Return a place, which must be one of the workflow."""
        must(block_of(place) in self.blocks, "an event names a block of its workflow", place)
        return self.places.setdefault(place, _Place())


def check_journal(records: Iterable[Record], definition: WorkflowDefinition) -> None:
    """Fail unless the journal is whole, and one that a careful engine writes.

    Args:
        records: From the first event on; up to its head, or to any position before.
        definition: The workflow that the run is pinned to.

    Raises:
        Broken: a law does not hold; it says which, and at which event.
    """
    walk = _Walk({block.id: block for block in definition.blocks}, definition.schedule)
    for number, record in enumerate(records, start=1):
        where = f"run {record.run_id} event {record.seq} {type(record.event).__name__}"
        must(record.seq == number, "seq counts from 1 without a gap", where, number)
        must(isinstance(record.event, RunStarted) == (number == 1), "a journal begins once", where)
        may_follow = not walk.finished or isinstance(record.event, RunResumed | SkipRequested | RunForked)
        must(may_follow, "nothing but an explicit turn follows the end of a run", where)
        try:
            _LAWS.get(type(record.event), _nothing)(walk, record.event, record.at)
        except Broken as error:
            raise Broken(where, error) from None


def _nothing(_walk: _Walk, _event: object, _at: float) -> None:
    """Say nothing: there is no law about these but those that hold for all."""


# -- attempts ---------------------------------------------------------------------------------


def _start(walk: _Walk, event: AttemptStarted, at: float) -> None:
    place = walk.place(event.block)
    _may_begin(place, event.block, event.attempt)
    if place.stage is _Stage.CUT_OFF and recovery_of(walk.blocks[block_of(event.block)]) is OnInterrupt.ASK:
        must(place.was_told_to_rerun, "what is done once is repeated only if a person says so", event.block)
    must(at >= place.retry_at, "a retry waits until its time", event.block, at, place.retry_at)
    must(
        event.key == place.key or place.may_change_key,
        "the key is kept until a person begins anew",
        event.block,
    )
    must(
        walk.keys.setdefault(event.key, event.block) == event.block, "no two places share a key", event.block
    )
    must(event.key not in walk.foreign_keys, "a fork has keys of its own", event.block)
    walk.places[event.block] = _Place(event.attempt, _Stage.AT_WORK, event.key, False, steps=place.steps)


def _expand(walk: _Walk, event: BlockExpanded, _at: float) -> None:
    place = walk.place(event.block)
    _may_begin(place, event.block, event.attempt)
    must(len(set(event.keys)) == len(event.keys), "the keys of items are unique", event.block)
    walk.places[event.block] = _Place(event.attempt, _Stage.AT_WORK)


def _may_begin(place: _Place, name: BlockId, attempt: int) -> None:
    must(attempt == place.attempt + 1, "attempts are counted without a gap", name, attempt, place.attempt)
    starts_again = place.stage in (_Stage.FREE, _Stage.RETRIED, _Stage.CUT_OFF)
    asked = place.stage is _Stage.ASKED_ABOUT and place.was_told_to_rerun
    must(starts_again or asked, "an attempt begins where one may", name, place.stage.value)


_Outcome = AttemptSucceeded | AttemptFailed | AttemptRejected | AttemptCancelled


def _end(walk: _Walk, event: _Outcome, _at: float) -> None:
    place = walk.place(event.block)
    must(event.attempt == place.attempt, "an outcome is of the newest intent", event.block, event.attempt)
    has_none = place.stage in (_Stage.AT_WORK, _Stage.WAITS, _Stage.CUT_OFF, _Stage.ASKED_ABOUT)
    must(has_none, "an attempt has an intent, and one outcome", event.block, place.stage.value)
    place.stage, place.was_told_to_rerun = _Stage.ENDED, False
    if isinstance(event, AttemptFailed):
        if event.retry_at is not None:
            place.stage, place.retry_at = _Stage.RETRIED, event.retry_at
        elif event.asks:
            place.stage, place.may_change_key = _Stage.ASKED_ABOUT, True


def _interrupt(walk: _Walk, event: AttemptInterrupted, _at: float) -> None:
    place = walk.place(event.block)
    must(event.attempt == place.attempt, "what is cut off is the newest attempt", event.block, event.attempt)
    must(place.stage is _Stage.AT_WORK, "only what is at work is cut off", event.block, place.stage.value)
    place.stage, place.was_told_to_rerun, place.is_decided = _Stage.CUT_OFF, False, False


def _skip(walk: _Walk, event: BlockSkipped, _at: float) -> None:
    place = walk.place(event.block)
    must(place.stage is not _Stage.ENDED, "what has ended is not skipped", event.block)
    place.stage = _Stage.ENDED


def _while_at_work(
    walk: _Walk, event: TimerSet | ProgressNoted | StepRecorded | ChildStarted, _at: float
) -> None:
    place = walk.place(event.block)
    must(event.attempt == place.attempt, "news are of the newest attempt", event.block, event.attempt)
    must(place.stage is _Stage.AT_WORK, "news come while an attempt is at work", event.block)
    if isinstance(event, StepRecorded):
        must(event.key not in place.steps, "a step is done once", event.block, event.key)
        place.steps.add(event.key)
    if isinstance(event, TimerSet):
        place.stage = _Stage.WAITS
    if isinstance(event, ChildStarted):
        owner = walk.children.setdefault(event.child, event.block)
        must(owner == event.block, "a run is started by one block", event.child)


def _turn_loop(walk: _Walk, event: LoopTurned, _at: float) -> None:
    stage = walk.place(event.block).stage
    must(stage is _Stage.AT_WORK, "what has ended does not turn", event.block, stage.value)


# -- pauses -----------------------------------------------------------------------------------


def _ask(walk: _Walk, event: BlockPaused, _at: float) -> None:
    place = walk.place(event.block)
    must(event.pause_id not in walk.pauses, "each question has its own pause", event.pause_id)
    must(event.attempt == place.attempt, "a question is of the newest attempt", event.block, event.attempt)
    must(place.stage not in (_Stage.FREE, _Stage.ENDED), "a question has an intent", event.block)
    if place.stage is _Stage.AT_WORK:
        place.stage = _Stage.WAITS
    place.is_decided = False
    walk.pauses[event.pause_id] = event


def _decide(walk: _Walk, event: PauseAnswered | PauseExpired, _at: float) -> None:
    asked = walk.pauses.get(event.pause_id)
    must(event.pause_id not in walk.decided, "a pause is decided once", event.pause_id)
    if asked is None:
        raise Broken("only what was asked is decided", event.pause_id)
    walk.decided.add(event.pause_id)
    walk.place(asked.block).is_decided = True
    if isinstance(event, PauseAnswered) and isinstance(asked.prompt, RecoveryPrompt):
        value = event.answer.value
        wants = value.get("action") if isinstance(value, dict) else value
        walk.place(asked.block).was_told_to_rerun = wants == "rerun"


def _refuse(walk: _Walk, event: AnswerRefused | PauseAssigned, _at: float) -> None:
    must(event.pause_id in walk.pauses, "only what was asked is refused, or assigned", event.pause_id)
    must(
        event.pause_id not in walk.decided, "a decided pause takes no answer, and is nobody's", event.pause_id
    )


# -- the run ----------------------------------------------------------------------------------


def _adopt(walk: _Walk, event: RunAdopted, _at: float) -> None:
    must(event.epoch > walk.epoch, "epochs only grow", event.epoch, walk.epoch)
    walk.epoch = event.epoch


def _wave(walk: _Walk, event: WaveStarted | WaveCompleted, _at: float) -> None:
    started, completed = walk.waves
    if isinstance(event, WaveStarted):
        # Several may be over before anybody looked: of an eager workflow, or once a person has taken a turn.
        may_jump = walk.schedule is Schedule.EAGER or walk.has_turned
        in_order = may_jump or event.wave <= max(started, completed) + 1
        must(in_order, "waves come one after the other", event.wave)
        walk.waves = (event.wave, completed)
    else:
        must(event.wave <= started, "only a wave that started completes", event.wave)
        walk.waves = (started, event.wave)


def _mark(walk: _Walk, event: CheckpointMarked, _at: float) -> None:
    must(event.checkpoint_id not in walk.marks, "a checkpoint is marked once", event.checkpoint_id)
    walk.marks.add(event.checkpoint_id)


def _finish(walk: _Walk, event: RunFinished, _at: float) -> None:
    must(event.status.is_terminal, "a run ends with a terminal status", event.status)
    # A block in parts (it has no key) whose run is stopped ends with its last part, without a word of its own.
    at_work = [place for place, one in walk.places.items() if one.stage is _Stage.AT_WORK and one.key]
    must(not at_work, "nothing is at work when a run ends", *at_work)
    walk.finished = True


def _stop(walk: _Walk, _event: CancelRequested | RunTimedOut, _at: float) -> None:
    walk.has_turned = True


def _resume(walk: _Walk, event: RunResumed, _at: float) -> None:
    _plan_again(walk, event.blocks)


def _skip_by_hand(walk: _Walk, event: SkipRequested, _at: float) -> None:
    walk.place(event.block).stage = _Stage.ENDED
    _plan_again(walk, event.downstream)


def _fork(walk: _Walk, event: RunForked, _at: float) -> None:
    places = walk.places.items()
    at_work = {name for name, one in places if one.stage in _BEGUN and one.key and not one.is_decided}
    _plan_again(walk, event.again)
    still = [name for name in at_work if walk.places[name].stage in (_Stage.AT_WORK, _Stage.CUT_OFF)]
    must(not still, "what was at work at the point begins again", *still)
    if event.workflow is not None:
        _go_on_with(walk, event.workflow)
    walk.epoch = 0
    walk.foreign_keys = set(walk.keys)
    for place in walk.places.values():
        place.may_change_key = True
    # Nobody answers here what the other run asks.
    walk.decided |= set(walk.pauses)


def _go_on_with(walk: _Walk, definition: WorkflowDefinition) -> None:
    """Let what is no longer there be forgotten, and what is another thing now begin."""
    now = {block.id: block for block in definition.blocks}
    for name, place in list(walk.places.items()):
        before, block = walk.blocks[block_of(name)], now.get(block_of(name))
        if block is None:
            del walk.places[name]
        elif block.type != before.type or (place.stage is not _Stage.ENDED and block != before):
            walk.places[name] = _Place(place.attempt, key=place.key)
    walk.blocks, walk.schedule = now, definition.schedule
    walk.waves = (len(definition.waves) - 1, walk.waves[1])


_BEGUN = (_Stage.AT_WORK, _Stage.WAITS, _Stage.CUT_OFF, _Stage.ASKED_ABOUT, _Stage.RETRIED)


def _plan_again(walk: _Walk, places: tuple[BlockId, ...]) -> None:
    """Let places begin again; a block that is named with parts of it goes on with these."""
    walk.finished, walk.has_turned = False, True
    going_on = {block_of(place) for place in places if is_part(place)}
    for name in places:
        if name in going_on:
            walk.place(name).stage = _Stage.AT_WORK
            continue
        for place in [one for one in walk.places if one == name or block_of(one) == name]:
            walk.places[place] = _Place(walk.places[place].attempt, key=walk.places[place].key)


_LAWS: Mapping[type, Callable[[_Walk, Any, float], None]] = {
    AttemptStarted: _start,
    BlockExpanded: _expand,
    AttemptSucceeded: _end,
    AttemptFailed: _end,
    AttemptRejected: _end,
    AttemptCancelled: _end,
    AttemptInterrupted: _interrupt,
    BlockSkipped: _skip,
    TimerSet: _while_at_work,
    ProgressNoted: _while_at_work,
    StepRecorded: _while_at_work,
    ChildStarted: _while_at_work,
    LoopTurned: _turn_loop,
    BlockPaused: _ask,
    PauseAnswered: _decide,
    PauseExpired: _decide,
    AnswerRefused: _refuse,
    PauseAssigned: _refuse,
    RunAdopted: _adopt,
    WaveStarted: _wave,
    WaveCompleted: _wave,
    CheckpointMarked: _mark,
    CancelRequested: _stop,
    RunTimedOut: _stop,
    RunFinished: _finish,
    RunResumed: _resume,
    RunForked: _fork,
    SkipRequested: _skip_by_hand,
}
