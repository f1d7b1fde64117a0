"""Mode 1: what waits for a person, and what was answered a moment ago."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
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
from tidegate.tui.present.pauses import answered_line, closed_key, pause_columns, pause_line, pause_preview
from tidegate.tui.present.places import place_words
from tidegate.tui.present.shared import heading, short_id, who
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
_PROMPTLY = 3.0
"""Seconds within which the next question of a run belongs to the answer before it."""


@dataclass(frozen=True, slots=True)
class _Left:
    """A question that the cursor was on when it was closed."""

    run_id: "RunId"
    at: float
    """By the monotonic clock."""
    stands: str | None = None
    """Where the cursor went; None: that is not yet decided."""


class InboxScreen(ListScreen):
    """Open pauses, the most urgent first."""

    SCOPES: ClassVar[tuple[Scope, ...]] = (Scope.INBOX, Scope.FILTER, Scope.LIST, Scope.PREVIEW)
    BINDINGS: ClassVar[list[BindingType]] = bindings(Scope.INBOX)
    TITLE_OF_LIST = "Waiting for you"
    COLUMNS: ClassVar[tuple[Column, ...]] = pause_columns((), 0)
    EMPTY = "Nothing waits for you. Press 2 for the runs, 3 for the checkpoints."

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._open: tuple[PauseRow, ...] = ()
        self._answered: tuple[PauseRow, ...] = ()
        self._pauses: dict[str, PauseRow] = {}
        self._runs: dict[RunId, RunView] = {}
        """Of the pauses, and those at the top of them."""
        self._left: _Left | None = None

    async def fetch(self) -> None:
        """Read the pauses, and how far their runs are."""
        waiting, self._answered, runs = await self._desk.engine.call(_read)
        self._leave(waiting)
        self._open = waiting
        self._pauses = {closed_key(row): row for row in self._answered}
        self._pauses.update((row.pause_id, row) for row in waiting)
        self._runs = {run.row.run_id: run for run in runs}

    def rows(self, now: float) -> Sequence[Line]:
        """Return the open pauses, then those answered in the last minutes."""
        lines = [pause_line(self._from_top(row), now) for row in self._open]
        recent = [row for row in self._answered if now - (row.closed_at or 0) < _RECENT]
        if recent:
            lines.append(heading("── answered in the last 15 minutes ──"))
            lines += [answered_line(self._from_top(row), now) for row in recent]
        return lines

    def columns(self, lines: Sequence[Line], room: int) -> tuple[Column, ...]:
        """Give the question the room that the others leave."""
        return pause_columns(lines, room)

    def preview_of(self, key: str, now: float) -> Sequence[Line]:
        """Return the whole question."""
        row = self._pauses.get(key)
        return pause_preview(self._from_top(row), self._runs.get(row.run_id), now) if row else ()

    def title_of(self, key: str) -> str:
        """Return which run asks."""
        row = self._pauses.get(key)
        if row is None:
            return ""
        seen = self._from_top(row)
        if row.root is None:
            return f"{who(row.workflow, row.run_id)} · {safe_line(row.block, 60)}"
        way = place_words(row.path, row.block)
        return f"{safe_line(seen.workflow, 60)} / {way} · {short_id(seen.run_id)}"

    def _from_top(self, row: PauseRow) -> PauseRow:
        """Return a pause under the name of the run at the top: its path leads down from there."""
        root = self._runs.get(row.root) if row.root is not None else None
        if root is None:
            return row
        return row.evolve(workflow=root.row.workflow, run_id=root.row.run_id)

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

    # -- where the cursor goes when its question is closed ------------------------------------

    def _leave(self, waiting: tuple[PauseRow, ...]) -> None:
        """Remember the question under the cursor, if it is among *waiting* no more."""
        here = self.rows_view.cursor_key
        was = next((row for row in self._open if row.pause_id == here), None)
        if was is not None and was not in waiting and all(row.pause_id != here for row in waiting):
            self._left = _Left(was.root or was.run_id, self._desk.clock.monotonic())

    def show(self, now: float) -> None:
        """Show everything, with the cursor on what is to be answered next."""
        super().show(now)
        if self._left is not None:
            self._left = self._go_on(self._left)

    def _go_on(self, left: _Left) -> _Left | None:
        """Go to the next question of the same run; return what is still to be waited for.

        It may be asked a moment later. By then nobody may have moved the cursor: it stands where it was put.
        """
        here = self.rows_view.cursor_key
        is_late = self._desk.clock.monotonic() - left.at > _PROMPTLY
        if is_late or left.stands not in (None, here):
            return None
        following = next((row for row in self._open if (row.root or row.run_id) == left.run_id), None)
        if following is None:
            return replace(left, stands=here)
        self.rows_view.move_to(following.pause_id)
        return None

    # -- keys ---------------------------------------------------------------------------------

    def applies(self, action: str) -> bool:
        """Whether a key would do something to the row the cursor is on."""
        row = self._pauses.get(self.rows_view.cursor_key)
        match action:
            case "answer":
                return row is not None and row in self._open
            case "open_run":
                return row is not None
            case _:
                return super().applies(action)

    def next_open(self) -> None:
        """Go to the next open question, from the last one to the first."""
        keys = [line.key for line in self.rows_view.lines if line.selectable and not line.passive]
        here = self.rows_view.cursor_key
        if keys:
            self.rows_view.move_to(keys[(keys.index(here) + 1) % len(keys) if here in keys else 0])
        else:
            self.post_message(Noted("nothing waits for you", Tone.DIM))

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
    rows = (*waiting, *answered)
    ids = tuple(dict.fromkeys(run for row in rows for run in (row.run_id, row.root) if run))[:_RUNS]
    runs = await session.history.runs(RunFilter(ids=ids, limit=_RUNS)) if ids else ()
    return waiting, answered, runs
