"""A screen with a field in which one types what is shown: from what is typed to what it means."""

from contextlib import suppress
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Input

from tidegate.tui.commands import Scope, bindings
from tidegate.tui.desk import Desk
from tidegate.tui.query.fields import Reader
from tidegate.tui.query.language import Query, QueryFault, parse
from tidegate.tui.query.listing import Listing
from tidegate.tui.screens.base import MonitorScreen
from tidegate.tui.widgets.filter_bar import FilterField, FilterNote
from tidegate.tui.widgets.one_line import OneLine

__all__ = ["FilterScreen", "filter_field"]


def filter_field(what: str) -> Input:
    """Return the field in which one types which rows or items are shown."""
    words = OneLine(
        placeholder=f"words to look for; enter keeps them, esc shows all {what} again", id="filter"
    )
    # Nothing blinks: motion is for what needs a person.
    words.cursor_blink = False
    return words


class FilterScreen(MonitorScreen):
    """Has a filter; what it shows by it is its own business."""

    LISTING: ClassVar[Listing[Any]] = Listing("")
    """What it can be filtered and ordered by."""
    BINDINGS: ClassVar[list[BindingType]] = bindings(Scope.FILTER)

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._query: Query[Any] = Query()
        self._fault = self._unfinished = ""
        self._me = ""

    def compose_head(self) -> ComposeResult:
        """Yield the filter, which takes the place of the status line."""
        yield FilterField(self.LISTING.fields)
        yield FilterNote(self.LISTING.fields)

    async def learn_who_looks(self) -> None:
        """Ask once who filters, and read what was typed before that was known."""
        if not self._me:
            self._me = await self._desk.engine.call(_operator) or "?"
            self._understand(self.query_one("#filter", Input).value)

    def refilter(self) -> None:
        """Show what another filter shows."""
        raise NotImplementedError

    def left_filter(self) -> None:
        """Take the keys back, as nobody types in the field any more."""
        raise NotImplementedError

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
        self.left_filter()


async def _operator(session: Any) -> str:
    return str(session.operator)
