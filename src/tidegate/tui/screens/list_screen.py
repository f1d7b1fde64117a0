"""A mode: a list, a filter over it, and a preview of the row the cursor is on."""

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Input

from tidegate.tui.commands import Scope, bindings
from tidegate.tui.desk import Desk
from tidegate.tui.lines import Column, Line, Piece, Tone
from tidegate.tui.present.shared import matching
from tidegate.tui.screens.base import MonitorScreen
from tidegate.tui.widgets.bars import StatusLine
from tidegate.tui.widgets.line_list import LineList
from tidegate.tui.widgets.text_pane import TextPane

__all__ = ["ListScreen", "filter_field"]

_LOADING = "Reading the store…"


def filter_field(what: str) -> Input:
    """Return the field in which one types which rows or items are shown."""
    words = Input(placeholder=f"words to look for; enter keeps them, esc shows all {what} again", id="filter")
    # Nothing blinks: motion is for what needs a person.
    words.cursor_blink = False
    return words


class ListScreen(MonitorScreen):
    """One of the modes."""

    TITLE_OF_LIST: ClassVar[str] = ""
    COLUMNS: ClassVar[tuple[Column, ...]] = ()
    EMPTY: ClassVar[str] = ""
    """What to say while there is nothing, and which key leads on."""
    AUTO_FOCUS: ClassVar[str | None] = "#list"
    BINDINGS: ClassVar[list[BindingType]] = bindings(Scope.FILTER)

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._words = ""
        self._is_read = False
        self._total = 0

    def compose_head(self) -> ComposeResult:
        """Yield the filter, which takes the place of the status line."""
        yield filter_field("rows")

    def compose_body(self) -> ComposeResult:
        """Yield the list and its preview."""
        yield LineList(self.COLUMNS, id="list", empty=_LOADING, classes="pane")
        yield TextPane(id="preview", classes="pane", hint="ctrl+↓ scrolls")

    def on_mount(self) -> None:
        """Name the panes."""
        self.rows_view.name_pane(self.TITLE_OF_LIST)

    def on_resize(self) -> None:
        """Fit the columns, once the list has its new width."""
        self.call_after_refresh(lambda: self.show(self._desk.clock.now()))

    @property
    def rows_view(self) -> LineList:
        """The list."""
        return self.query_one("#list", LineList)

    @property
    def preview(self) -> TextPane:
        """The preview."""
        return self.query_one("#preview", TextPane)

    # -- what a mode says ---------------------------------------------------------------------

    async def fetch(self) -> None:
        """Read what the list shows."""
        raise NotImplementedError

    def rows(self, now: float) -> Sequence[Line]:
        """Return the rows, before the filter."""
        raise NotImplementedError

    def columns(self, lines: Sequence[Line], room: int) -> tuple[Column, ...]:
        """Return the columns for these rows, each of *room* cells."""
        del lines, room
        return self.COLUMNS

    def preview_of(self, key: str, now: float) -> Sequence[Line]:
        """Return what the preview says about a row."""
        raise NotImplementedError

    def title_of(self, key: str) -> str:
        """Return what the preview is about."""
        raise NotImplementedError

    def summary(self, now: float) -> Sequence[Piece]:
        """Return what the status line says."""
        raise NotImplementedError

    # -- showing ------------------------------------------------------------------------------

    async def load(self) -> None:
        """Read and show."""
        await self.fetch()
        self._is_read = True
        self.show(self._desk.clock.now())

    def show(self, now: float) -> None:
        """Show rows, counts and preview."""
        if not self._is_read:
            return
        everything = self.rows(now)
        shown = [line for line in everything if not line.selectable or matching(line, self._words)]
        self.rows_view.empty = (
            f"No row has '{self._words}'. esc shows all." if self._words and everything else self.EMPTY
        )
        self.rows_view.set_columns(self.columns(shown, self.rows_view.room))
        self.rows_view.show(shown)
        words = (Piece(f"/ {self._words}", Tone.ACCENT), Piece(" · ", Tone.DIM)) if self._words else ()
        self.query_one(StatusLine).say(*words, *self.summary(now))
        self._total = sum(line.selectable and not line.passive for line in everything)
        self._show_row(now)

    def _show_row(self, now: float) -> None:
        """Show what the row is about that the cursor is on."""
        key = self.rows_view.cursor_key
        self.preview.read(
            self.preview_of(key, now) if key else (),
            subject=key,
            title=self.title_of(key) if key else "Preview",
        )
        number, count = self.rows_view.position
        title = f"{self.TITLE_OF_LIST} · {count} of {self._total}" if self._words else self.TITLE_OF_LIST
        self.rows_view.name_pane(title, f"{number}/{count}" if key and number <= count else "")
        self.show_keys()

    @on(LineList.Highlighted, "#list")
    def _moved(self) -> None:
        self._show_row(self._desk.clock.now())

    # -- the filter ---------------------------------------------------------------------------

    def action_filter(self) -> None:
        """Type what to look for."""
        self.add_class("-filtering")
        self.query_one("#filter", Input).focus()

    def look_for(self, words: str) -> None:
        """Show only rows with all of *words*, as if they had been typed; without words, all."""
        self.query_one("#filter", Input).value = words

    def action_clear_filter(self) -> None:
        """Show all rows again."""
        self.query_one("#filter", Input).value = ""
        self._leave_filter()

    @on(Input.Changed, "#filter")
    def _filter(self, event: Input.Changed) -> None:
        self._words = event.value.strip()
        self.show(self._desk.clock.now())

    @on(Input.Submitted, "#filter")
    def _leave_filter(self) -> None:
        self.remove_class("-filtering")
        self.rows_view.focus()
