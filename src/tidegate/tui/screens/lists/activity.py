"""Mode 6: what happened, newest first, with everything that this monitor has said: nothing is lost when it fades."""

import asyncio
from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.binding import BindingType

from tidegate.history.views import RunView
from tidegate.model.base import JsonObject
from tidegate.model.ids import RunId
from tidegate.model.listing import PauseRow, RunFilter
from tidegate.safe_text import safe_line
from tidegate.tui.commands import Scope, bindings
from tidegate.tui.desk import Desk
from tidegate.tui.lines import Column, Line, Piece, Tone
from tidegate.tui.messages import Noted, RunWanted
from tidegate.tui.present.activity import (
    ACTIVITY_COLUMNS,
    Happening,
    happening_line,
    happening_preview,
    happenings,
)
from tidegate.tui.present.removed import removed
from tidegate.tui.present.shared import counted
from tidegate.tui.program import command_line
from tidegate.tui.query.of_activity import ACTIVITY
from tidegate.tui.reads.acts import Acts
from tidegate.tui.screens.lists.table_screen import TableScreen
from tidegate.tui.session import Session
from tidegate.tui.widgets.line_list import LineList

__all__ = ["ActivityScreen"]

_RUNS, _ANSWERS, _SHOWN = 300, 200, 500
_MOVED = 200
"""Runs that moved last, those below others included: people act on these, too, and old runs end."""
_CALM = 0.75
"""Seconds, beside those that every screen lets pass between two looks: closed questions are read one and all."""


class ActivityScreen(TableScreen[Happening]):
    """What happened."""

    SCOPES: ClassVar[tuple[Scope, ...]] = (
        Scope.ACTIVITY,
        Scope.FILTER,
        Scope.ROWS,
        Scope.LIST,
        Scope.PREVIEW,
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings(Scope.ACTIVITY)
    TITLE_OF_LIST = "Activity"
    COLUMNS: ClassVar[tuple[Column, ...]] = ACTIVITY_COLUMNS
    LISTING = ACTIVITY
    EMPTY = "Nothing has happened yet. Press 4 for the workflows: n starts one."

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._happenings: dict[str, Happening] = {}
        self._acts = Acts()

    async def fetch(self) -> None:
        """Read what the store lists, and put what was said here into it."""
        runs, closed, acts, is_behind = await self._desk.engine.call(self._read)
        found = happenings(runs, closed, acts, self._desk.notes, limit=_SHOWN)
        self._happenings = {happening.key: happening for happening in found}
        if is_behind:
            self.wake()

    async def _read(
        self, session: Session
    ) -> tuple[tuple[RunView, ...], tuple[PauseRow, ...], list[Happening], bool]:
        newest = await session.history.runs(RunFilter(top_only=True, limit=_RUNS))
        moved = await session.history.runs(RunFilter(last_changed_first=True, limit=_MOVED))
        acts, is_behind = await self._acts.look(session.history, (*newest, *moved))
        runs = (*newest, *(run for run in moved if run.row.root is None))
        gone = removed((await session.history.removals()).newest)
        return runs, await session.history.answered(_ANSWERS), [*acts, *gone], is_behind

    async def load(self) -> None:
        """Read and show, at a calm pace."""
        await super().load()
        await asyncio.sleep(_CALM)

    def listed(self) -> Sequence[Happening]:
        """Return everything that happened."""
        return tuple(self._happenings.values())

    def key_of(self, row: Happening) -> str:
        """Return what names it here: it has no id of its own."""
        return row.key

    def line_of(self, row: Happening, now: float) -> Line:
        """Return it as a row."""
        return happening_line(row, now)

    def find(self, key: str) -> Happening | None:
        """Return one of them."""
        return self._happenings.get(key)

    def id_of(self, key: str) -> str:
        """Return the id of its run, or of all that it removed; of what was said here, the words."""
        happening = self._happenings.get(key)
        if happening is None:
            return key
        return happening.run_id or " ".join(happening.gone) or happening.details

    def json_of(self, key: str) -> JsonObject:
        """Return it as a document."""
        happening = self._happenings.get(key)
        return happening.as_json() if happening is not None else {}

    def preview_of(self, key: str, now: float) -> Sequence[Line]:
        """Return all that is known of it."""
        happening = self._happenings.get(key)
        return happening_preview(happening, now) if happening else ()

    def title_of(self, key: str) -> str:
        """Return its run, or that it was said here."""
        happening = self._happenings.get(key)
        if happening is None:
            return ""
        return happening.run or happening.workflow or "This monitor"

    def summary(self, now: float) -> Sequence[Piece]:
        """Return how much there is."""
        del now
        words = f"the newest {counted(len(self._happenings), 'thing')} that happened"
        return (Piece(words, Tone.DIM),)

    # -- keys ---------------------------------------------------------------------------------

    def command_line(self) -> str:
        """Return the command that shows the run."""
        run_id = self._openable
        return command_line(self._desk.program, "runs", "show", run_id) if run_id is not None else ""

    @property
    def _here(self) -> Happening | None:
        return self._happenings.get(self.rows_view.cursor_key)

    @property
    def _openable(self) -> RunId | None:
        """The run that the row the cursor is on is about, if there still is one."""
        happening = self._here
        return happening.run_id if happening is not None and not happening.gone else None

    def applies(self, action: str) -> bool:
        """Whether a key would do something to the row the cursor is on."""
        if action == "open_row":
            return self._openable is not None
        return self._here is not None if action == "mark" else super().applies(action)

    @on(LineList.Selected, "#list")
    def action_open_row(self) -> None:
        """Show the run that it is about; of runs that were removed, say so."""
        happening = self._here
        if happening is not None and happening.gone:
            self.post_message(Noted(_gone(happening), Tone.DIM))
        elif happening is not None and happening.run_id is not None:
            self.post_message(RunWanted(happening.run_id, happening.block))


def _gone(happening: Happening) -> str:
    which = f"run {happening.run_id} was" if happening.run_id is not None else "these runs were"
    by = f" by {happening.by}" if happening.by else ""
    return safe_line(f"{which} removed{by}: nothing is left to be opened")
