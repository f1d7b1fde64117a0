"""What people did to runs, which no list has: read from the journals of those that moved last, bit by bit.

Lives in the engine's thread. Of each run only what is new since the last look is read, and at first only the end.
Runs that other runs have started are among them, but take no room from those on top: a block that
goes through ten thousand items may start ten thousand of them, and each moves.
"""

from contextlib import suppress
from typing import TYPE_CHECKING, TypeAlias

from tidegate.errors import PauseNotFound, TidegateError
from tidegate.model.events import (
    CancelRequested,
    JournalEvent,
    PauseAssigned,
    Record,
    RunHeld,
    RunInterrupted,
    RunReleased,
    RunResumed,
    SkipRequested,
)
from tidegate.model.ids import BlockId, RunId, Seq
from tidegate.tui.lines import Tone
from tidegate.tui.looks.symbols import HELD, Sign
from tidegate.tui.present.activity import Happening
from tidegate.tui.present.shared import first_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tidegate.history.history import History
    from tidegate.history.views import RunView
    from tidegate.model.listing import PauseRow, RunRow

__all__ = ["Acts", "act_of", "told_once"]

_RUNS = 60
"""Runs on top that are looked into, those that moved last, and as many below others."""
_AT_ONCE = 15
"""Runs that are read in one look: between two of them the engine goes on."""
_EVENTS = 300
"""Events of a run that are read at first, the newest."""
_ACTS = 100
"""Acts of a run that are kept, the newest."""
_TOGETHER = 60.0
"""Seconds between what a run was told and the same told to those below it, at most."""

_CANCEL = Sign("×", "cancel asked", Tone.FAILED)  # noqa: RUF001 - the sign is meant
_GOES_ON = Sign("●", "goes on", Tone.RUNNING)
_RESUMED, _ANEW = Sign("↻", "resumed", Tone.RUNNING), Sign("↻", "rerun", Tone.WAITING)
_SKIP = Sign("⊘", "skip asked", Tone.WAITING)
_STOPPED = Sign("!", "interrupted", Tone.FAILED)
_ASSIGNED = Sign("◆", "assigned", Tone.WAITING)

_Told: TypeAlias = tuple[Sign, BlockId | None, str, str]
"""Sign, place, who and what else of an act."""


class Acts:
    """Remembers how far each journal was read, and what was found."""

    def __init__(self) -> None:
        self._read: dict[RunId, Seq] = {}
        self._found: dict[RunId, list[Happening]] = {}

    async def look(self, history: "History", runs: "Iterable[RunView]") -> tuple[list[Happening], bool]:
        """Return what people did to these runs, and whether there is more to be read at once."""
        moved = _moved_last(runs)
        wanted = {run.row.run_id for run in moved}
        for gone in self._read.keys() - wanted:
            del self._read[gone]
            self._found.pop(gone, None)
        behind = [
            run for run in moved if self._read.get(run.row.run_id, -1) < run.row.head and not run.row.damage
        ]
        for run in behind[:_AT_ONCE]:
            await self._read_on(history, run.row)
        found = [act for acts in self._found.values() for act in acts]
        return told_once(found), len(behind) > _AT_ONCE

    async def _read_on(self, history: "History", row: "RunRow") -> None:
        after = self._read.get(row.run_id, Seq(max(0, row.head - _EVENTS)))
        self._read[row.run_id] = row.head
        try:
            records = await history.events(row.run_id, after=after, upto=row.head)
            acts = [act_of(record, row, await _asked(history, record.event)) for record in records]
        except TidegateError:
            # Removed meanwhile, or damaged: the lists say so.
            return
        found = self._found.setdefault(row.run_id, [])
        found += [act for act in acts if act is not None]
        del found[:-_ACTS]


def _moved_last(runs: "Iterable[RunView]") -> "list[RunView]":
    """Return the runs to look into, those that moved last first, each once."""
    known = {run.row.run_id: run for run in runs}
    ordered = sorted(known.values(), key=lambda run: -run.row.updated_at)
    on_top = [run for run in ordered if run.row.root is None]
    below = [run for run in ordered if run.row.root is not None]
    return [*on_top[:_RUNS], *below[:_RUNS]]


async def _asked(history: "History", event: JournalEvent) -> "PauseRow | None":
    """Return the question that an event is about, where the event alone does not say what that is."""
    if not isinstance(event, PauseAssigned):
        return None
    with suppress(PauseNotFound):
        return await history.find_pause(event.pause_id)
    return None


def told_once(acts: "Sequence[Happening]") -> "list[Happening]":
    """Return *acts* without those that only follow from the same one, told to a run above.

    Who cancels, pauses or resumes a run does it to everything below it: that is one act of theirs.
    """
    told: dict[tuple[object, ...], list[float]] = {}
    for act in acts:
        told.setdefault((*_topic(act), act.path), []).append(act.at)

    def follows(act: Happening) -> bool:
        above = (at for path in _paths_above(act) for at in told.get((*_topic(act), path), ()))
        return any(abs(at - act.at) <= _TOGETHER for at in above)

    return [act for act in acts if not follows(act)]


def _topic(act: Happening) -> tuple[object, ...]:
    # A run is resumed in the name of whoever started the one above it.
    return act.root or act.run_id, act.sign, "" if act.sign is _RESUMED else act.by


def _paths_above(act: Happening) -> "Iterator[str]":
    """Yield the paths of the runs above that of an act, if it may follow from something they were told."""
    if act.root is None or act.sign in (_SKIP, _ASSIGNED):
        return
    yield ""
    yield from (act.path[:at] for at, letter in enumerate(act.path) if letter == "/")


def act_of(record: Record, row: "RunRow", asked: "PauseRow | None" = None) -> Happening | None:
    """Return what a person did by an event; None: it was nobody's doing.

    Args:
        record: The event.
        row: Its run.
        asked: The question it is about, if it is about one.
    """
    told = _told(record.event, asked)
    if told is None:
        return None
    sign, block, by, details = told
    return Happening(
        f"act:{record.run_id}:{record.seq}",
        record.at,
        sign,
        row.workflow,
        record.run_id,
        block,
        by,
        details,
        row.root,
        row.path,
    )


def _told(event: JournalEvent, asked: "PauseRow | None") -> _Told | None:
    match event:
        case CancelRequested() | RunHeld():
            return _CANCEL if isinstance(event, CancelRequested) else HELD, None, event.by, event.reason
        case RunReleased():
            return _GOES_ON, None, event.by, ""
        case RunInterrupted():
            return _STOPPED, None, "", event.reason
        case _:
            return _told_of_place(event, asked)


def _told_of_place(event: JournalEvent, asked: "PauseRow | None") -> _Told | None:
    match event:
        case RunResumed():
            said = f' "{event.feedback}"' if event.feedback else ""
            sign = _ANEW if event.fresh else _RESUMED
            return sign, event.blocks[0], event.by, f"{', '.join(event.blocks)}{said}"
        case SkipRequested():
            return _SKIP, event.block, event.by, f"{event.block}: {event.reason}"
        case PauseAssigned():
            return _ASSIGNED, asked.block if asked is not None else None, event.by, _whose(event, asked)
        case _:
            return None


def _whose(event: PauseAssigned, asked: "PauseRow | None") -> str:
    note = f' "{event.note}"' if event.note else ""
    question = f": {first_line(asked.prompt.text)}" if asked is not None else ""
    return f"to {event.to or 'anybody'}{note}{question}"
