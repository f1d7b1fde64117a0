"""What people did to runs, which no list has: read from the journals of those that moved last, bit by bit.

Lives in the engine's thread. Of each run only what is new since the last look is read, and at first only the end.
"""

from typing import TYPE_CHECKING

from tidegate.errors import TidegateError
from tidegate.model.events import (
    CancelRequested,
    JournalEvent,
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

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tidegate.history.history import History
    from tidegate.history.views import RunView

__all__ = ["Acts", "act_of"]

_RUNS = 60
"""Runs that are looked into, those that moved last."""
_AT_ONCE = 15
"""Runs that are read in one look: between two of them the engine goes on."""
_EVENTS = 300
"""Events of a run that are read at first, the newest."""

_CANCEL = Sign("×", "cancel asked", Tone.FAILED)  # noqa: RUF001 - the sign is meant
_GOES_ON = Sign("●", "goes on", Tone.RUNNING)
_RESUMED, _ANEW = Sign("↻", "resumed", Tone.RUNNING), Sign("↻", "rerun", Tone.WAITING)
_SKIP = Sign("⊘", "skip asked", Tone.WAITING)
_STOPPED = Sign("!", "interrupted", Tone.FAILED)


class Acts:
    """Remembers how far each journal was read, and what was found."""

    def __init__(self) -> None:
        self._read: dict[RunId, Seq] = {}
        self._found: dict[RunId, list[Happening]] = {}

    async def look(self, history: "History", runs: "Sequence[RunView]") -> tuple[list[Happening], bool]:
        """Return what people did to these runs, and whether there is more to be read at once."""
        moved = sorted(runs, key=lambda run: -run.row.updated_at)[:_RUNS]
        wanted = {run.row.run_id for run in moved}
        for gone in self._read.keys() - wanted:
            del self._read[gone]
            self._found.pop(gone, None)
        behind = [
            run for run in moved if self._read.get(run.row.run_id, -1) < run.row.head and not run.row.damage
        ]
        for run in behind[:_AT_ONCE]:
            await self._read_on(history, run)
        return [act for acts in self._found.values() for act in acts], len(behind) > _AT_ONCE

    async def _read_on(self, history: "History", run: "RunView") -> None:
        run_id, head = run.row.run_id, run.row.head
        after = self._read.get(run_id, Seq(max(0, head - _EVENTS)))
        self._read[run_id] = head
        try:
            records = await history.events(run_id, after=after, upto=head)
        except TidegateError:
            # Removed meanwhile, or damaged: the lists say so.
            return
        acts = (act_of(record, run.row.workflow) for record in records)
        self._found.setdefault(run_id, []).extend(act for act in acts if act is not None)


def act_of(record: Record, workflow: str) -> Happening | None:
    """Return what a person did by an event; None: it was nobody's doing."""
    told = _told(record.event)
    if told is None:
        return None
    sign, block, by, details = told
    return Happening(
        f"act:{record.run_id}:{record.seq}", record.at, sign, workflow, record.run_id, block, by, details
    )


def _told(event: JournalEvent) -> tuple[Sign, BlockId | None, str, str] | None:
    """Return sign, block, who and what else of an event."""
    match event:
        case CancelRequested() | RunHeld():
            return _CANCEL if isinstance(event, CancelRequested) else HELD, None, event.by, event.reason
        case RunReleased():
            return _GOES_ON, None, event.by, ""
        case RunResumed():
            return _ANEW if event.fresh else _RESUMED, event.blocks[0], event.by, ", ".join(event.blocks)
        case SkipRequested():
            return _SKIP, event.block, event.by, f"{event.block}: {event.reason}"
        case RunInterrupted():
            return _STOPPED, None, "", event.reason
        case _:
            return None
