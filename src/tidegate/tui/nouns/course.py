"""What each place of a run did, and when: the past that a state no longer tells.

Grows by the events of a journal, as they are read. A state knows the newest attempt of a place; here
are those before it, and how long each of them worked, waited for a person, or for its turn.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from tidegate.model.events import (
    AttemptCancelled,
    AttemptFailed,
    AttemptInterrupted,
    AttemptRejected,
    AttemptStarted,
    AttemptSucceeded,
    BlockExpanded,
    BlockPaused,
    BlockSkipped,
    ChildMoved,
    ChildPaused,
    JournalEvent,
    LoopTurned,
    PauseAnswered,
    PauseExpired,
    Record,
    RunAdopted,
    RunFinished,
    RunForked,
    RunHeld,
    RunInterrupted,
    RunReleased,
    RunResumed,
    RunStarted,
    SkipRequested,
    TimerSet,
)
from tidegate.model.ids import BlockId, PauseId, block_of, is_part

__all__ = ["LONG_REST", "Course", "Doing", "End", "Stretch"]

_KEPT = 64
"""Stretches of a place, the newest: who tries for ever must not fill the memory."""

LONG_REST = 60.0
"""Seconds without work from which on a time is worth being told: between two blocks there is always some."""


class Doing(Enum):
    """What a place does in a stretch of time."""

    WORK = "works"
    PERSON = "waits for a person"
    DELAY = "waits for an instant"
    """For its next attempt or iteration, or because that is its work."""


class End(Enum):
    """How an attempt ended."""

    WELL = "well"
    FAILED = "failed"
    REJECTED = "rejected"
    CUT = "cut off"
    """Cancelled, skipped, or its process died."""


@dataclass(slots=True)
class Stretch:
    """A time in which a place did one thing."""

    doing: Doing
    since: float
    """Seconds since 1970 UTC."""
    until: float | None = None
    """None: it goes on."""
    end: End | None = None
    """How the attempt ended with it; None: it did not."""
    pause_id: PauseId | None = None
    """The question that is waited for."""


_ENDS = {
    AttemptSucceeded: End.WELL,
    AttemptRejected: End.REJECTED,
    AttemptCancelled: End.CUT,
    AttemptInterrupted: End.CUT,
    BlockSkipped: End.CUT,
}
_Ending = (
    AttemptSucceeded | AttemptFailed | AttemptRejected | AttemptCancelled | AttemptInterrupted | BlockSkipped
)


class Course:
    """Everything that the places of one run did."""

    def __init__(self) -> None:
        self.head = 0
        """The newest event it has."""
        self.began = 0.0
        """When the run began, a fork when it was forked. Seconds since 1970 UTC; 0: nothing was read."""
        self.holds: list[tuple[float, float | None]] = []
        """The times in which a person had paused the run; the end is None while one has."""
        self.losses: dict[BlockId, list[float]] = {}
        """When parts of a block were lost, by block."""
        self.rests: list[tuple[float, float | None]] = []
        """The long times in which nothing worked, nowhere in the run; the end is None while nothing does."""
        self.rested = 0.0
        """Seconds in which nothing worked, short times included; of the last one, if it goes on, nothing."""
        self._idle: list[BlockId] = []
        """Places that go on once somebody drives the run again."""
        self._working = 0
        """How many places work now."""
        self._stretches: dict[BlockId, list[Stretch]] = {}
        self._asks: dict[PauseId, BlockId] = {}
        self._parts: dict[BlockId, Counter[Doing]] = {}
        """What the parts of a block do now."""

    def of(self, place: BlockId) -> list[Stretch]:
        """Return the stretches of a place, oldest first."""
        return self._stretches.get(place, [])

    def take(self, records: Iterable[Record]) -> None:
        """Go on by some events."""
        for record in records:
            self.head = record.seq
            self._note(record.event, record.at)

    def _note(self, event: JournalEvent, at: float) -> None:
        match event:
            case AttemptStarted():
                self._turn(event.block, Doing.WORK, at)
            case BlockExpanded() | ChildMoved() | BlockPaused() | ChildPaused() | TimerSet() | LoopTurned():
                self._go_on(event, at)
            case PauseAnswered() | PauseExpired():
                if (place := self._asks.pop(event.pause_id, None)) is not None:
                    self._turn(place, Doing.WORK, at)
            case (
                AttemptSucceeded()
                | AttemptFailed()
                | AttemptRejected()
                | AttemptCancelled()
                | AttemptInterrupted()
                | BlockSkipped()
            ):
                self._end(event, at)
            case _:
                self._note_run(event, at)

    def _note_run(self, event: JournalEvent, at: float) -> None:
        match event:
            case RunStarted() | RunForked():
                self._begin(at)
            case RunHeld():
                self.holds.append((at, None))
            case RunReleased() if self.holds and self.holds[-1][1] is None:
                self.holds[-1] = (self.holds[-1][0], at)
            case RunFinished():
                self._stop(at, *Doing)
                if self.holds and self.holds[-1][1] is None:
                    self.holds[-1] = (self.holds[-1][0], at)
            case _:
                self._note_turn(event, at)

    def _note_turn(self, event: JournalEvent, at: float) -> None:
        """Note what a person decided anew, and that nobody drives the run, or somebody again."""
        match event:
            case RunInterrupted():
                # A question is open all the same, and an instant comes.
                self._idle = self._stop(at, Doing.WORK)
            case RunAdopted():
                # What was not an attempt of its own goes on without a word: items, and runs below.
                for place in self._idle:
                    self._turn(place, Doing.WORK, at)
                self._idle.clear()
            case SkipRequested():
                self._plan_anew({event.block, *event.downstream}, at)
            case RunResumed():
                self._resume(event.blocks, at)
            case _:
                pass

    def _begin(self, at: float) -> None:
        # What was done before a run was forked was done by another one, at another time.
        for known in (self._stretches, self._asks, self._parts, self._idle, self.losses, self.holds):
            known.clear()
        self.began, self._working, self.rests, self.rested = at, 0, [(at, None)], 0.0

    def _stop(self, at: float, *what: Doing) -> list[BlockId]:
        """End whatever goes on still, and return which places that were: nothing of the run does."""
        stopped = [
            place
            for place, stretches in self._stretches.items()
            if stretches and stretches[-1].until is None and stretches[-1].doing in what
        ]
        for place in stopped:
            self._close(place, at, End.CUT)
        return stopped

    def _resume(self, places: tuple[BlockId, ...], at: float) -> None:
        """Begin anew; a block that is named together with parts of it goes on with its others."""
        going_on = {block_of(place) for place in places if is_part(place)}
        self._plan_anew(set(places) - going_on, at)
        for block in going_on & self._stretches.keys():
            if self._stretches[block][-1].until is not None:
                self._turn(block, Doing.WORK, at)

    def _plan_anew(self, places: set[BlockId], at: float) -> None:
        """End what goes on of some places, and of their parts: no event of their own says that they no longer ask."""

        def is_meant(place: BlockId) -> bool:
            return place in places or block_of(place) in places

        for place in filter(is_meant, list(self._stretches)):
            self._close(place, at, End.CUT)
        self._idle = [place for place in self._idle if not is_meant(place)]

    # -- one place ----------------------------------------------------------------------------

    def _go_on(
        self,
        event: BlockExpanded | ChildMoved | BlockPaused | ChildPaused | TimerSet | LoopTurned,
        at: float,
    ) -> None:
        place = event.block
        match event:
            case BlockPaused():
                self._asks[event.pause_id] = place
                self._turn(place, Doing.PERSON, at, event.pause_id)
            case ChildPaused():
                self._turn(place, Doing.PERSON, at)
            case TimerSet():
                self._turn(place, Doing.DELAY, at)
            case LoopTurned() if event.at > at:
                self._turn(place, Doing.DELAY, at)
            case _:
                self._turn(place, Doing.WORK, at)

    def _end(self, event: _Ending, at: float) -> None:
        place = event.block
        if not isinstance(event, AttemptFailed):
            self._close(place, at, _ENDS[type(event)])
            return
        self._close(place, at, End.FAILED)
        if event.retry_at is not None:
            self._turn(place, Doing.DELAY, at)
        elif is_part(place):
            losses = self.losses.setdefault(block_of(place), [])
            losses.append(at)
            del losses[:-_KEPT]

    def _turn(self, place: BlockId, doing: Doing, at: float, pause_id: PauseId | None = None) -> None:
        """Do something else from now on."""
        stretches = self._stretches.setdefault(place, [])
        last = stretches[-1] if stretches else None
        if last is not None and last.until is None:
            if last.doing is doing and last.pause_id == pause_id:
                return
            self._close(place, at, None)
        self._open(stretches, Stretch(doing, at, pause_id=pause_id))
        self._count(place, doing, 1, at)
        self._work(doing, 1, at)

    def _open(self, stretches: list[Stretch], new: Stretch) -> None:
        """Go on with *new*; what took no time in between, such as that between two items, is none."""
        while (
            stretches
            and stretches[-1].since == stretches[-1].until == new.since
            and stretches[-1].end is None
        ):
            stretches.pop()
        last = stretches[-1] if stretches else None
        is_same = last is not None and (last.doing, last.pause_id) == (new.doing, new.pause_id)
        if last is not None and is_same and last.until == new.since and last.end is None:
            last.until = None
            return
        stretches.append(new)
        del stretches[:-_KEPT]

    def _close(self, place: BlockId, at: float, end: End | None) -> None:
        stretches = self._stretches.get(place)
        if not stretches or stretches[-1].until is not None:
            return
        # A clock may go backwards, and nothing lasts less than no time.
        stretches[-1].until, stretches[-1].end = max(at, stretches[-1].since), end
        self._count(place, stretches[-1].doing, -1, at)
        self._work(stretches[-1].doing, -1, at)

    def _work(self, doing: Doing, by: int, at: float) -> None:
        """Keep the times in which nothing works."""
        if doing is not Doing.WORK:
            return
        self._working += by
        if self._working and self.rests and self.rests[-1][1] is None:
            since = self.rests.pop()[0]
            self.rested += max(0.0, at - since)
            if at - since >= LONG_REST:
                self.rests.append((since, at))
        elif not self._working:
            self.rests.append((at, None))

    def _count(self, place: BlockId, doing: Doing, by: int, at: float) -> None:
        """Let a block do what its parts do: it works while one of them does."""
        if not is_part(place):
            return
        block = block_of(place)
        does = self._parts.setdefault(block, Counter())
        does[doing] += by
        if by > 0 and block not in self._stretches:
            # In a fork it goes on with some of its parts: no event of its own says so.
            self._turn(block, doing, at)
            return
        of_block = self._stretches.get(block)
        if not of_block or of_block[-1].until is not None:
            return
        for what in Doing:
            if does[what] > 0:
                self._turn(block, what, at)
                return
