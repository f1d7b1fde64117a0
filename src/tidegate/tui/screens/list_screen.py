"""A mode: a list, a filter over it, marks in it, and a preview of the row the cursor is on."""

from collections.abc import Collection, Sequence
from contextlib import suppress
from pathlib import PurePath
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Input

from tidegate.model.base import JsonObject
from tidegate.tui.commands import Scope, bindings
from tidegate.tui.desk import Desk
from tidegate.tui.lines import Column, Line, Piece, Tone
from tidegate.tui.looks.style_sheets import style_sheet
from tidegate.tui.messages import Noted
from tidegate.tui.present.shared import counted
from tidegate.tui.query.fields import Reader
from tidegate.tui.query.language import Query, QueryFault, parse
from tidegate.tui.query.listing import Listing
from tidegate.tui.rows import Rows
from tidegate.tui.screens.base import MonitorScreen
from tidegate.tui.widgets.bars import StatusLine
from tidegate.tui.widgets.filter_bar import FilterField, FilterNote
from tidegate.tui.widgets.line_list import LineList
from tidegate.tui.widgets.mark_list import MarkList
from tidegate.tui.widgets.one_line import OneLine
from tidegate.tui.widgets.text_pane import TextPane

__all__ = ["ListScreen", "filter_field"]

_LOADING = "Reading the store…"
_SAMPLE = 50
"""Rows at each end of a list that say how wide its columns are."""


def filter_field(what: str) -> Input:
    """Return the field in which one types which rows or items are shown."""
    words = OneLine(
        placeholder=f"words to look for; enter keeps them, esc shows all {what} again", id="filter"
    )
    # Nothing blinks: motion is for what needs a person.
    words.cursor_blink = False
    return words


class ListScreen(MonitorScreen):
    """One of the modes."""

    TITLE_OF_LIST: ClassVar[str] = ""
    COLUMNS: ClassVar[tuple[Column, ...]] = ()
    EMPTY: ClassVar[str] = ""
    """What to say while there is nothing, and which key leads on."""
    LISTING: ClassVar[Listing[Any]] = Listing("")
    """What it can be filtered and ordered by."""
    AUTO_FOCUS: ClassVar[str | None] = "#list"
    CSS_PATH: ClassVar[str | PurePath | list[str | PurePath] | None] = style_sheet("lists")
    BINDINGS: ClassVar[list[BindingType]] = bindings(Scope.FILTER)

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._query: Query[Any] = Query()
        self._fault = self._unfinished = ""
        self._me = ""
        self._is_read = False
        self._total = 0
        self._known: set[str] = set()

    def compose_head(self) -> ComposeResult:
        """Yield the filter, which takes the place of the status line."""
        yield FilterField(self.LISTING.fields)
        yield FilterNote(self.LISTING.fields)

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
        if not self._me:
            self._me = await self._desk.engine.call(_operator) or "?"
            self._understand(self.query_one("#filter", Input).value)
        await self.fetch()
        self.fetched()
        self._is_read = True
        self.show(self._desk.clock.now())
        self._look_for_news()

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
        shown = self.filtered(now)
        self.rows_view.empty = self.nothing()
        self._fit(shown)
        self.rows_view.show(shown)
        self._say(now)
        self.show_row(now)

    def _fit_soon(self) -> None:
        if self._is_read:
            self.call_after_refresh(lambda: self._fit(self.filtered(self._desk.clock.now())))

    def _fit(self, shown: Rows) -> None:
        """Give the columns the room that there is."""
        self.rows_view.set_columns(self.columns(shown.sample(_SAMPLE), self.rows_view.room))

    def nothing(self) -> str:
        """Return what to say where there is no row, or none passes the filter."""
        return f"No row has '{self._query.source}'. esc shows all." if self._query else self.EMPTY

    def _say(self, now: float) -> None:
        """Say what is shown: the filter, what is marked, what has come, how much there is."""
        words = (Piece(f"/ {self._query.source}", Tone.ACCENT), Piece(" · ", Tone.DIM)) if self._query else ()
        self.query_one(StatusLine).say(*words, *self._marks_words(), *self._news_words(), *self.summary(now))

    def _marks_words(self) -> Sequence[Piece]:
        marked, hidden = self.rows_view.mark_count, len(self.rows_view.marked_hidden)
        if not marked:
            return ()
        pieces = [Piece(f"{marked} marked", Tone.ACCENT)]
        if hidden:
            pieces.append(Piece(f" · {hidden} hidden by the filter", Tone.WAITING))
        return (*pieces, Piece(" · ", Tone.DIM))

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
        commands = self._desk.keymap.commands_of(Scope.ROWS)
        return next(command.first_key for command in commands if command.id == command_id)

    def heading(self) -> str:
        """Return what is written on the border of the list, without how many rows are shown."""
        return self.TITLE_OF_LIST

    def found_words(self, count: int) -> str:
        """Return how many rows a filter shows, of how many."""
        return f"{count} of {self._total}"

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
        self.rows_view.name_pane(title, f"{number}/{count}" if key and number <= count else "")
        self.show_keys()

    @on(LineList.Highlighted, "#list")
    def _moved(self) -> None:
        self.show_row(self._desk.clock.now())

    @on(MarkList.Marked)
    def _marked(self) -> None:
        self.show(self._desk.clock.now())

    # -- the filter ---------------------------------------------------------------------------

    def action_filter(self) -> None:
        """Type what to look for."""
        self.add_class("-filtering")
        self.query_one("#filter", Input).focus()
        self._say_about_filter()

    def look_for(self, words: str) -> None:
        """Show only rows that a filter shows, as if it had been typed; without one, all."""
        self.query_one("#filter", Input).value = words

    def action_clear_filter(self) -> None:
        """Show all rows again."""
        self.query_one("#filter", Input).value = ""
        self._leave_filter()

    @on(Input.Changed, "#filter")
    def _filter(self, event: Input.Changed) -> None:
        before = self._query
        self._understand(event.value)
        self._say_about_filter()
        if self._query != before:
            self.refilter()

    def _understand(self, text: str) -> None:
        """Take a filter, unless it means nothing: then the last good one stays.

        What is not yet written to its end leaves out nothing: whoever types sees no row come and go for it.
        """
        self._fault = self._unfinished = ""
        try:
            self._query = self._parsed(text)
        except QueryFault as fault:
            if fault.begun is None:
                self._fault = str(fault)
                self._forget_word(text, fault.column - 1)
                return
            self._unfinished = str(fault)
            self._query = self._parsed(text[: fault.begun])

    def _forget_word(self, text: str, at: int) -> None:
        """Look for no word any more that was the beginning of what is wrong at *at*: nobody has asked for it."""
        start, kept = text.rfind(" ", 0, at) + 1, self._query
        if kept.terms and not kept.terms[-1].field and text.startswith(kept.source):
            with suppress(QueryFault):
                self._query = self._parsed(text[: min(start, len(kept.source))])

    def _parsed(self, text: str) -> Query[Any]:
        return parse(text, self.LISTING.fields, Reader(self._me))

    def refilter(self) -> None:
        """Show what another filter shows."""
        self.show(self._desk.clock.now())

    def _say_about_filter(self) -> None:
        note, field = self.query_one(FilterNote), self.query_one("#filter", Input)
        if self._fault:
            note.fault(self._fault, self._query.source)
        else:
            note.hint(field.value[: field.cursor_position])

    @on(FilterField.Completing)
    def _say_choices(self, event: FilterField.Completing) -> None:
        if event.choices:
            # Later: what was completed is said first.
            self.call_later(self.query_one(FilterNote).choices, event.choices)

    @on(Input.Submitted, "#filter")
    def _keep_filter(self) -> None:
        """Leave the field, unless what is in it means nothing."""
        if self._unfinished:
            self.query_one(FilterNote).fault(self._unfinished, self._query.source)
        elif not self._fault:
            self._leave_filter()

    def _leave_filter(self) -> None:
        self.remove_class("-filtering")
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


async def _operator(session: Any) -> str:
    return str(session.operator)
