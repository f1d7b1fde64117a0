"""The questions as a list: which there are, in which order they stand, and what a row says of each."""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from tidegate.history.views import RunView, pause_json
from tidegate.model.base import JsonObject
from tidegate.model.listing import PauseRow, RunFilter
from tidegate.safe_text import safe_line
from tidegate.tui.desk import Desk
from tidegate.tui.lasting import changes_at
from tidegate.tui.lines import Column, Line, Piece, Tone
from tidegate.tui.present.pauses import answered_line, closed_key, pause_columns, pause_line, snoozed_line
from tidegate.tui.present.places import place_words
from tidegate.tui.present.shared import short_id, who
from tidegate.tui.query.of_inbox import INBOX, Asked
from tidegate.tui.screens.lists.table_screen import TableScreen
from tidegate.tui.session import Session
from tidegate.tui.snoozes import Snoozes
from tidegate.tui.times import ago

if TYPE_CHECKING:
    from tidegate.model.ids import RunId

__all__ = ["QuestionsScreen"]

_RECENT = 900.0
"""Seconds for which an answered pause stays below the open ones."""
_RUNS = 500


class QuestionsScreen(TableScreen[Asked]):
    """Open pauses, the most urgent first; those that are snoozed behind all others."""

    TITLE_OF_LIST = "Waiting for you"
    COLUMNS: ClassVar[tuple[Column, ...]] = pause_columns((), 0)
    LISTING = INBOX
    OVER = "── closed in the last 15 minutes ──"
    EMPTY = "Nothing waits for you. Press 2 for the runs, 3 for the checkpoints."

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._open: tuple[Asked, ...] = ()
        self._answered: tuple[Asked, ...] = ()
        self._pauses: dict[str, Asked] = {}
        self._snoozes = Snoozes(desk.state)
        self._deadlines: tuple[float, ...] = ()
        self._oldest = 0.0

    async def fetch(self) -> None:
        """Read the pauses, and how far their runs are."""
        waiting, answered, found = await self._desk.engine.call(_read)
        runs = {run.row.run_id: run for run in found}
        self._open = tuple(_asked(row, runs) for row in waiting)
        self._answered = tuple(_asked(row, runs) for row in answered)
        self._pauses = {self.key_of(asked): asked for asked in (*self._answered, *self._open)}
        # Said every second, of as many as there are: looked for once.
        self._deadlines = tuple(sorted(row.deadline for row in waiting if row.deadline is not None))
        self._oldest = min((row.opened_at for row in waiting), default=0.0)

    def listed(self) -> Sequence[Asked]:
        """Return the open pauses."""
        return self._open

    def over(self, now: float) -> Sequence[Asked]:
        """Return those that were closed in the last minutes."""
        recent = [asked for asked in self._answered if now - (asked.pause.closed_at or 0) < _RECENT]
        for asked in recent:
            changes_at((asked.pause.closed_at or 0) + _RECENT)
        return recent

    def key_of(self, row: Asked) -> str:
        """Return the id of a pause; another one once it is closed."""
        return row.pause.pause_id if row.is_open else closed_key(row.pause)

    def line_of(self, row: Asked, now: float) -> Line:
        """Return a pause as a row."""
        if not row.is_open:
            return answered_line(row.seen, now)
        until = self._snoozes.until(row.pause, now)
        return pause_line(row.seen, now) if until is None else snoozed_line(row.seen, until, now)

    # -- what is snoozed ----------------------------------------------------------------------

    def stamp(self, now: float) -> object:
        """Return which questions are snoozed: these stand behind everything else, whatever the order."""
        return self._off(now)

    def arranged(self, rows: Sequence[Asked], now: float) -> Sequence[Asked]:
        """Put what is snoozed behind the rest."""
        if not (off := self._off(now)):
            return rows
        return sorted(rows, key=lambda row: row.pause.pause_id in off)

    def _off(self, now: float) -> frozenset[str]:
        """Return the open questions that are snoozed; found by what is snoozed, as most questions are not."""
        kept = (self._pauses.get(pause_id) for pause_id in self._snoozes.ids())
        return frozenset(
            asked.pause.pause_id for asked in kept if asked is not None and self._is_off(asked, now)
        )

    def _is_off(self, asked: Asked, now: float) -> bool:
        return asked.is_open and self._snoozes.until(asked.pause, now) is not None

    def _awake(self, rows: Iterable[Asked]) -> list[Asked]:
        off = self._off(self._desk.clock.now())
        return [row for row in rows if row.pause.pause_id not in off]

    # -- what is said of one, and of all ------------------------------------------------------

    def find(self, key: str) -> Asked | None:
        """Return a pause."""
        return self._pauses.get(key)

    def id_of(self, key: str) -> str:
        """Return the id of a pause, closed or not."""
        asked = self._pauses.get(key)
        return asked.pause.pause_id if asked is not None else key

    def json_of(self, key: str) -> JsonObject:
        """Return a pause as `inbox --json` has it."""
        asked = self._pauses.get(key)
        return pause_json(asked.pause) if asked is not None else {}

    def columns(self, lines: Sequence[Line], room: int) -> tuple[Column, ...]:
        """Give the question the room that the others leave."""
        return self.set_shown(pause_columns(lines, room))

    def title_of(self, key: str) -> str:
        """Return which run asks."""
        asked = self._pauses.get(key)
        if asked is None:
            return ""
        pause, seen = asked.pause, asked.seen
        if pause.root is None:
            return f"{who(pause.workflow, pause.run_id)} · {safe_line(pause.block, 60)}"
        way = place_words(pause.path, pause.block)
        return f"{safe_line(seen.workflow, 60)} / {way} · {short_id(seen.run_id)}"

    def summary(self, now: float) -> Sequence[Piece]:
        """Return how much waits, and for how long."""
        if not self._open:
            return (Piece("nothing waits", Tone.DIM),)
        off = len(self._off(now))
        awake = len(self._open) - off
        late = self._count_late(now)
        pieces = [Piece(f"{awake} waiting", Tone.WAITING if awake else Tone.DIM)]
        if late:
            pieces.append(Piece(f" · {late} late", Tone.FAILED))
        if off:
            pieces.append(Piece(f" · {off} snoozed", Tone.DIM))
        return (*pieces, Piece(f" · oldest {ago(now - self._oldest)}", Tone.DIM))

    def _count_late(self, now: float) -> int:
        late = bisect_right(self._deadlines, now)
        if late < len(self._deadlines):
            changes_at(self._deadlines[late])
        return late


def _asked(row: PauseRow, runs: "Mapping[RunId, RunView]") -> Asked:
    """Return a pause under the name of the run at the top, too: its path leads down from there."""
    own, root = runs.get(row.run_id), runs.get(row.root) if row.root is not None else None
    if root is None:
        return Asked(row, row, own, own)
    return Asked(row, row.evolve(workflow=root.row.workflow, run_id=root.row.run_id), own, root)


async def _read(session: Session) -> tuple[tuple[PauseRow, ...], tuple[PauseRow, ...], tuple[RunView, ...]]:
    waiting, answered = await session.history.inbox(), await session.history.answered(10)
    rows = (*waiting, *answered)
    ids = tuple(dict.fromkeys(run for row in rows for run in (row.run_id, row.root) if run))[:_RUNS]
    runs = await session.history.runs(RunFilter(ids=ids, limit=_RUNS)) if ids else ()
    return waiting, answered, runs
