"""Mode 1: what waits for a person, and what was answered a moment ago."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.binding import BindingType

from tidegate.history.views import RunView
from tidegate.model.listing import PauseRow, RunFilter
from tidegate.safe_text import safe_line
from tidegate.tui.commands import Scope, bindings
from tidegate.tui.desk import Desk
from tidegate.tui.lines import Column, Line, Piece, Tone
from tidegate.tui.messages import AnswerWanted, Noted, RunWanted
from tidegate.tui.present.pauses import PAUSE_COLUMNS, answered_line, pause_line, pause_preview
from tidegate.tui.present.shared import heading, who
from tidegate.tui.screens.list_screen import ListScreen
from tidegate.tui.session import Session
from tidegate.tui.times import ago
from tidegate.tui.widgets.line_list import LineList

if TYPE_CHECKING:
    from tidegate.model.ids import RunId

__all__ = ["InboxScreen"]

_RECENT = 900.0
"""Seconds for which an answered pause stays below the open ones."""
_RUNS = 500


class InboxScreen(ListScreen):
    """Open pauses, the most urgent first."""

    SCOPES: ClassVar[tuple[Scope, ...]] = (Scope.INBOX, Scope.FILTER, Scope.LIST, Scope.PREVIEW)
    BINDINGS: ClassVar[list[BindingType]] = bindings(Scope.INBOX)
    TITLE_OF_LIST = "Waiting for you"
    COLUMNS: ClassVar[tuple[Column, ...]] = PAUSE_COLUMNS
    EMPTY = "Nothing waits for you. Press 2 for the runs, 3 for the checkpoints."

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._open: tuple[PauseRow, ...] = ()
        self._answered: tuple[PauseRow, ...] = ()
        self._pauses: dict[str, PauseRow] = {}
        self._runs: dict[RunId, RunView] = {}

    async def fetch(self) -> None:
        """Read the pauses, and how far their runs are."""
        self._open, self._answered, runs = await self._desk.engine.call(_read)
        self._pauses = {row.pause_id: row for row in (*self._answered, *self._open)}
        self._runs = {run.row.run_id: run for run in runs}

    def rows(self, now: float) -> Sequence[Line]:
        """Return the open pauses, then those answered in the last minutes."""
        lines = [pause_line(row, now) for row in self._open]
        recent = [row for row in self._answered if now - (row.closed_at or 0) < _RECENT]
        if recent:
            lines.append(heading("── answered in the last 15 minutes ──"))
            lines += [answered_line(row, now) for row in recent]
        return lines

    def preview_of(self, key: str, now: float) -> Sequence[Line]:
        """Return the whole question."""
        row = self._pauses.get(key)
        return pause_preview(row, self._runs.get(row.run_id), now) if row else ()

    def title_of(self, key: str) -> str:
        """Return which run asks."""
        row = self._pauses.get(key)
        return f"{who(row.workflow, row.run_id)} · {safe_line(row.block, 60)}" if row else ""

    def summary(self, now: float) -> Sequence[Piece]:
        """Return how much waits, and for how long."""
        if not self._open:
            return (Piece("nothing waits", Tone.DIM),)
        late = sum(row.deadline is not None and row.deadline <= now for row in self._open)
        oldest = ago(now - min(row.opened_at for row in self._open))
        pieces = [Piece(f"{len(self._open)} waiting", Tone.WAITING)]
        if late:
            pieces.append(Piece(f" · {late} late", Tone.FAILED))
        return (*pieces, Piece(f" · oldest {oldest}", Tone.DIM))

    # -- keys ---------------------------------------------------------------------------------

    @on(LineList.Selected, "#list")
    def action_answer(self) -> None:
        """Open the question."""
        row = self._pauses.get(self.rows_view.cursor_key)
        if row is None:
            return
        if row not in self._open:
            self.post_message(Noted("this question is closed; o shows its run", Tone.DIM))
            return
        position = f"{self._open.index(row) + 1} of {len(self._open)}" if len(self._open) > 1 else ""
        self.post_message(AnswerWanted(row, position))

    def action_open_run(self) -> None:
        """Show the run that asks."""
        row = self._pauses.get(self.rows_view.cursor_key)
        if row is not None:
            self.post_message(RunWanted(row.run_id, row.block))


async def _read(session: Session) -> tuple[tuple[PauseRow, ...], tuple[PauseRow, ...], tuple[RunView, ...]]:
    waiting, answered = await session.history.inbox(), await session.history.answered(10)
    ids = tuple(dict.fromkeys(row.run_id for row in (*waiting, *answered)))[:_RUNS]
    runs = await session.history.runs(RunFilter(ids=ids, limit=_RUNS)) if ids else ()
    return waiting, answered, runs
