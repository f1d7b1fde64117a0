"""A mode: a list, a filter over it, marks in it, and a preview of the row the cursor is on."""

import math
from collections.abc import Collection, Sequence
from pathlib import PurePath
from typing import ClassVar

from textual import on
from textual.app import ComposeResult

from tidegate.model.base import JsonObject
from tidegate.tui.desk import Desk
from tidegate.tui.lasting import lasting
from tidegate.tui.lines import Column, Line, Piece, Tone
from tidegate.tui.looks.style_sheets import style_sheet
from tidegate.tui.messages import Noted
from tidegate.tui.present.shared import counted
from tidegate.tui.rows import Rows
from tidegate.tui.screens.filter_screen import FilterScreen
from tidegate.tui.widgets.bars import StatusLine, TabBar
from tidegate.tui.widgets.line_list import LineList
from tidegate.tui.widgets.mark_list import MarkList
from tidegate.tui.widgets.text_pane import TextPane

__all__ = ["ListScreen"]

_LOADING = "Reading the store…"
_BELIEVED = 10.0
"""Seconds for which nothing is shown again unasked: by then also what nobody has thought of."""
_SAMPLE = 50
"""Rows at each end of a list that say how wide its columns are."""


class ListScreen(FilterScreen):
    """One of the modes."""

    TITLE_OF_LIST: ClassVar[str] = ""
    COLUMNS: ClassVar[tuple[Column, ...]] = ()
    EMPTY: ClassVar[str] = ""
    """What to say while there is nothing, and which key leads on."""
    AUTO_FOCUS: ClassVar[str | None] = "#list"
    CSS_PATH: ClassVar[str | PurePath | list[str | PurePath] | None] = style_sheet("lists")

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._is_read = False
        self._shown_at = self._holds_until = 0.0
        self._total = 0
        self._known: set[str] = set()

    def compose_body(self) -> ComposeResult:
        """Yield the list and its preview."""
        yield MarkList(self.COLUMNS, id="list", empty=_LOADING, classes="pane")
        yield TextPane(id="preview", classes="pane", hint="ctrl+↓ scrolls")

    def on_mount(self) -> None:
        """Name the panes, and keep the columns fitting whenever a scroll bar takes its cells from them."""
        self.rows_view.name_pane(self.TITLE_OF_LIST)
        self.watch(self.rows_view, "show_vertical_scrollbar", self._fit_soon, init=False)

    def on_resize(self) -> None:
        """Fit the columns, once the list has its new width."""
        self.call_after_refresh(lambda: self.show(self._desk.clock.now()))

    @property
    def rows_view(self) -> MarkList:
        """The list."""
        return self.query_one("#list", MarkList)

    @property
    def preview(self) -> TextPane:
        """The preview."""
        return self.query_one("#preview", TextPane)

    # -- what a mode says ---------------------------------------------------------------------

    async def fetch(self) -> None:
        """Read what the list shows."""
        raise NotImplementedError

    def fetched(self) -> None:
        """Forget what was made of what was read before."""

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

    def json_of(self, key: str) -> JsonObject:
        """Return a row as a document; empty if there is none."""
        del key
        return {}

    def id_of(self, key: str) -> str:
        """Return what a row is called on the command line."""
        return key

    # -- what of it is shown ------------------------------------------------------------------

    def filtered(self, now: float) -> Rows:
        """Return the rows that the filter shows; say by `total` and `existing` of how many."""
        everything = Rows.of(self.rows(now))
        self._total = everything.inviting
        if not self._query:
            return everything
        shown = [
            line
            for line in everything[:]
            if not line.selectable or self._query.holds(line, now, lambda row: row.text.casefold())
        ]
        return Rows.of(shown)

    def existing(self, now: float) -> Collection[str] | None:
        """Return the keys of all rows that there are, shown or not; None: that is not known."""
        return Rows.of(self.rows(now)).keys

    def arrived(self, keys: Collection[str]) -> Collection[str]:
        """Return which of all rows have come since the last look."""
        new = set(keys) - self._known if self._known else set()
        self._known = set(keys)
        return new

    # -- showing ------------------------------------------------------------------------------

    async def load(self) -> None:
        """Read and show."""
        await self.learn_who_looks()
        await self.fetch()
        self.fetched()
        self._is_read = True
        self._show_unasked(self._desk.clock.now())
        self._look_for_news()

    def _show_unasked(self, now: float) -> None:
        """Show what has changed without a key; the row under the cursor may be gone, and another one in its place."""
        before = self.rows_view.cursor_key
        self.show(now)
        if before and self.rows_view.cursor_key != before:
            self.moved_by_itself(before)

    def _look_for_news(self) -> None:
        existing = self.existing(self._desk.clock.now())
        if existing is None:
            return
        self.rows_view.prune(existing)
        new = self.arrived(existing)
        if new or self.rows_view.unseen:
            self.rows_view.note_new(new)
            self._say(self._desk.clock.now())

    def show(self, now: float) -> None:
        """Show rows, counts and preview."""
        if not self._is_read:
            return
        self._shown_at, self._holds_until = now, math.inf
        with lasting(now) as words:
            shown = self.filtered(now)
            self.rows_view.empty = self.nothing()
            self.rows_view.show(shown)
            self._fit(shown)
            self._say(now)
            self.show_row(now)
        self.holds_until(words.until)

    def holds_until(self, at: float) -> None:
        """Take note that something that is shown is other from an instant on."""
        self._holds_until = min(self._holds_until, at)

    def _tick(self) -> None:
        """Show again what is other by time alone, once it is; the clock above goes on."""
        if not self.is_active:
            return
        self.query_one(TabBar).draw()
        now = self._desk.clock.now()
        if not self._shown_at <= now < min(self._holds_until, self._shown_at + _BELIEVED):
            self._show_unasked(now)

    def _fit_soon(self) -> None:
        if self._is_read:
            self.call_after_refresh(lambda: self._fit(self.filtered(self._desk.clock.now())))

    def _fit(self, shown: Rows) -> None:
        """Give the columns the room that there is."""
        self.rows_view.set_columns(self.columns(self.sampled(shown, _SAMPLE), self.rows_view.room))

    def sampled(self, shown: Rows, number: int) -> Sequence[Line]:
        """Return lines of both ends of the list, so many of each, that say how wide its columns are."""
        return shown.sample(number)

    def nothing(self) -> str:
        """Return what to say where there is no row, or none passes the filter."""
        return f"No row has '{self._query.source}'. esc shows all." if self._query else self.EMPTY

    def _say(self, now: float) -> None:
        """Say what is shown: the filter, what is marked, what has come, how much there is."""
        words = (Piece(f"/ {self._query.source}", Tone.ACCENT), Piece(" · ", Tone.DIM)) if self._query else ()
        # Last, as it gives way where there is little room.
        hint = self.marks_hint() if self.rows_view.mark_count else ""
        last = (Piece(f" · {hint}", Tone.DIM),) if hint else ()
        self.query_one(StatusLine).say(
            *words, *self._marks_words(), *self._news_words(), *self.summary(now), *last
        )

    def _marks_words(self) -> Sequence[Piece]:
        marked, hidden = self.rows_view.mark_count, len(self.rows_view.marked_hidden)
        if not marked:
            return ()
        pieces = [Piece(f"{marked} marked", Tone.ACCENT)]
        if hidden:
            pieces.append(Piece(f" · {hidden} hidden by the filter", Tone.WAITING))
        return (*pieces, Piece(" · ", Tone.DIM))

    def marks_hint(self) -> str:
        """Return which key is for what is marked; empty: none more than others."""
        return ""

    def _news_words(self) -> Sequence[Piece]:
        unseen = self.rows_view.unseen
        if not unseen:
            return ()
        return (
            Piece(f"{unseen} new, press {self.key_for('rows.show_new')}", Tone.WAITING),
            Piece(" · ", Tone.DIM),
        )

    def key_for(self, command_id: str) -> str:
        """Return the key that a command has now, as people write it."""
        commands = self._desk.keymap.commands_of(*self.SCOPES)
        return next(command.first_key for command in commands if command.id == command_id)

    def heading(self) -> str:
        """Return what is written on the border of the list, without how many rows are shown."""
        return self.TITLE_OF_LIST

    def found_words(self, count: int) -> str:
        """Return how many rows a filter shows, of how many."""
        return f"{count} of {self._total}"

    def place_words(self, number: int, count: int) -> str:
        """Return on which of how many rows the cursor is."""
        return f"{number}/{count}"

    def show_row(self, now: float) -> None:
        """Show what the row is about that the cursor is on."""
        key = self.rows_view.cursor_key
        self.preview.read(
            self.preview_of(key, now) if key else (),
            subject=key,
            title=self.title_of(key) if key else "Preview",
        )
        number, count = self.rows_view.position
        title = f"{self.heading()} · {self.found_words(count)}" if self._query else self.heading()
        self.rows_view.name_pane(title, self.place_words(number, count) if key and number <= count else "")
        self.show_keys()

    @on(LineList.Highlighted, "#list")
    def _moved(self) -> None:
        now = self._desk.clock.now()
        with lasting(now) as words:
            self._say(now)
            self.show_row(now)
        self.holds_until(words.until)

    @on(MarkList.Seen)
    def _seen(self) -> None:
        self._say(self._desk.clock.now())

    @on(MarkList.Marked)
    def _marked(self) -> None:
        self.show(self._desk.clock.now())

    # -- the filter ---------------------------------------------------------------------------

    def refilter(self) -> None:
        """Show what another filter shows."""
        self.show(self._desk.clock.now())

    def left_filter(self) -> None:
        """Let keys move the cursor again; the line above the list says what is shown."""
        self.rows_view.focus()
        self.on_resize()

    # -- marks --------------------------------------------------------------------------------

    def action_mark(self) -> None:
        """Mark the row, or take its mark away."""
        self.rows_view.toggle_mark()

    def action_mark_range(self) -> None:
        """Mark from the row that was marked last to the cursor."""
        self.rows_view.mark_range()

    def action_mark_shown(self) -> None:
        """Mark all rows that are shown."""
        self.rows_view.mark_shown()

    def action_unmark(self) -> None:
        """Take all marks away."""
        self.rows_view.unmark()

    def action_show_new(self) -> None:
        """Go to what is new."""
        self.rows_view.show_new()
        self._say(self._desk.clock.now())

    def chosen(self) -> tuple[str, ...]:
        """Return the keys of what is marked and shown; where nothing is marked, of the row the cursor is on."""
        if self.rows_view.marked:
            return self.rows_view.marked_shown
        here = self.rows_view.cursor_key
        return (here,) if here else ()

    def left_out(self) -> str:
        """Return how many marked rows are meant by nothing that is done here, as they are not shown; empty: none."""
        hidden = len(self.rows_view.marked_hidden)
        return f"{counted(hidden, 'marked row')} not shown, left out" if hidden else ""

    def refuses_marks(self) -> bool:
        """Whether everything that is marked is out of sight; says so: nothing else is taken in its place."""
        if self.rows_view.marked_shown or not (words := self.left_out()):
            return False
        self.post_message(Noted(f"{words}: esc shows all rows, u takes the marks away", Tone.WAITING))
        return True

    def several(self, number: int) -> str:
        """Return how many rows something was done to."""
        return counted(number, "row")
