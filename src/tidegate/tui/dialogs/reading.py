"""What is read before a question is answered: the question itself, and what is laid before the person.

Each exhibit is a page of its own. Where there is room a short question stays above them; elsewhere
one key turns from the question to the first exhibit, to the next, and back to the question.
"""

from collections.abc import Sequence
from typing import ClassVar, TypeVar

from rich.cells import cell_len
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from tidegate.model.exhibit import Exhibit
from tidegate.tui.dialogs.base import Dialog, Key
from tidegate.tui.dialogs.gate import PACE, Gate, Pace
from tidegate.tui.dialogs.parts import Readable
from tidegate.tui.dialogs.words import never_shown_words
from tidegate.tui.lines import Line, Tone, text_line, wrap
from tidegate.tui.present.exhibits import exhibit_lines, exhibit_title
from tidegate.tui.widgets.line_view import LineView

__all__ = ["ExhibitPane", "PageStrip", "ReadingDialog"]

ResultT = TypeVar("ResultT")

_TITLE = 24
"""Characters of a title among others."""


class ExhibitPane(LineView, Readable):
    """One exhibit, wrapped to its width. Reads its text when it is first shown."""

    MARKED = False

    def __init__(self, exhibit: Exhibit) -> None:
        super().__init__()
        self.display = False
        self.was_shown = False
        self._exhibit = exhibit
        self._text: list[Line] = []

    def on_show(self) -> None:
        """Read it now."""
        self.was_shown = True
        self._text = self._text or [*self._long_title(), *exhibit_lines(self._exhibit)]
        self._wrap()

    def _long_title(self) -> list[Line]:
        """Return the title if its tab shows only the begin of it."""
        title = exhibit_title(self._exhibit)
        return [text_line(title, Tone.STRONG)] if len(title) > _TITLE else []

    def on_resize(self) -> None:
        """Wrap to the new width."""
        self._wrap()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Tell that it was scrolled."""
        super().watch_scroll_y(old_value, new_value)
        self.note_moved()

    def _wrap(self) -> None:
        width = self._width - 1
        if width > 0:
            self.show([part for line in self._text for part in wrap(line, width)])
        self.call_after_refresh(self.note_moved)


class PageStrip(Static):
    """Which pages there are, and which one is shown."""

    class Turned(Message):
        """A page was clicked."""

        def __init__(self, page: int) -> None:
            super().__init__()
            self.page = page

    def __init__(self, titles: Sequence[str], gate: Gate) -> None:
        super().__init__(id="dialog-pages", markup=False)
        self._titles = tuple(titles)
        self._gate = gate
        self._current = self._first = 0
        self._edges: list[tuple[int, int]] = []
        """Where each page begins, in cells, and which it is."""

    def show(self, current: int, first: int) -> None:
        """Show that *current* is read, of the pages from *first* on."""
        self._current, self._first = current, first
        self._draw()

    def on_resize(self) -> None:
        """Use the room there is."""
        self._draw()

    def _draw(self) -> None:
        pages = range(self._first, len(self._titles))
        key = "f2 ▸ " if len(pages) > 1 else ""
        titles = [f" {self._titles[page]} " for page in pages]
        if cell_len(key) + sum(map(cell_len, titles)) > self.size.width:
            pages = range(self._current, self._current + 1)
            titles = [f" {self._current}/{len(self._titles) - 1}  {self._titles[self._current]} "]
        at, pieces = cell_len(key), [Content.styled(key, "bold")]
        self._edges = []
        for page, title in zip(pages, titles, strict=True):
            self._edges.append((at, page))
            at += cell_len(title)
            pieces.append(Content.styled(title, "reverse bold" if page == self._current else ""))
        self.update(Content("").join(pieces))

    def on_click(self, event: events.Click) -> None:
        """Turn to the page that was clicked."""
        event.stop()
        pages = [page for at, page in self._edges if at <= event.x]
        if pages and self._gate.click(event.time, event.chain):
            self.post_message(self.Turned(pages[-1]))


class ReadingDialog(Dialog[ResultT]):
    """A dialog with exhibits beside its question."""

    BINDINGS: ClassVar[list[BindingType]] = [
        # In a field ctrl+e goes to the end of the line; F2 works everywhere.
        Binding("f2,ctrl+e", "turn(1)", "Evidence"),
        Binding("f3", "turn(-1)", "Back", show=False),
    ]

    def __init__(self, exhibits: Sequence[Exhibit], *, pace: Pace = PACE, needs_rows: bool = False) -> None:
        """Make a dialog.

        Args:
            exhibits: What is shown with the question.
            pace: How fast keys count.
            needs_rows: Whether answering itself takes many rows, so that an exhibit never stands beside it.
        """
        super().__init__(pace=pace)
        self._needs_rows = needs_rows
        self._exhibits = [ExhibitPane(exhibit) for exhibit in exhibits]
        self._pages: list[Readable] = [self.question, *self._exhibits]
        titles = [
            f"{number} {exhibit_title(exhibit, _TITLE)}" for number, exhibit in enumerate(exhibits, start=1)
        ]
        self._strip = PageStrip(["Question", *titles], self.gate)
        self._page = 0
        """What was turned to; 0: the question."""

    def compose_reading(self) -> ComposeResult:
        """Show the question, and the exhibits if there are any."""
        yield self.question
        if self._exhibits:
            yield self._strip
            yield from self._exhibits

    def fit_box(self, *, roomy: bool, brief: bool) -> None:
        """Show a short question above its exhibits where there is room."""
        is_stacked = bool(self._exhibits) and roomy and brief and not self._needs_rows
        super().fit_box(roomy=roomy, brief=brief and not self._exhibits)
        self.set_class(is_stacked, "-stacked")
        if self._exhibits:
            dialog = self.query_one("#dialog")
            if is_stacked:
                dialog.move_child(self._strip, after=self.question)
            else:
                dialog.move_child(self._strip, before=self.question)
        self._show_page()

    def reading_keys(self) -> list[Key]:
        """Return the key that turns the pages, if there are any to turn to."""
        return [("f2", "evidence")] if len(self._pages) - self._first > 1 else []

    def unread_warning(self) -> str:
        """Return what nobody has looked at, as a sentence; empty: everything was seen."""
        shown: list[Readable] = [self.question, *(pane for pane in self._exhibits if pane.was_shown)]
        unopened = sum(not pane.was_shown for pane in self._exhibits)
        return never_shown_words(sum(pane.never_shown for pane in shown), unopened)

    @property
    def _first(self) -> int:
        """The first page that is turned to: a question that is always shown is none."""
        return 1 if self.has_class("-stacked") else 0

    def action_turn(self, step: int) -> None:
        """Turn to the next page, from the last one to the first."""
        pages = range(self._first, len(self._pages))
        self._turn_to(pages[(pages.index(max(self._page, self._first)) + step) % len(pages)])

    def on_page_strip_turned(self, event: PageStrip.Turned) -> None:
        """Turn to the page that was clicked."""
        event.stop()
        self._turn_to(event.page)

    def _turn_to(self, page: int) -> None:
        self._page = page
        self._show_page()

    def _show_page(self) -> None:
        page = max(self._page, self._first)
        for number, pane in enumerate(self._pages):
            pane.display = number == page or (number == 0 and self._first == 1)
        self.pane = self._pages[page]
        self.set_class(page > 0, "-evidence")
        self._strip.show(page, self._first)
        self.call_after_refresh(self.on_readable_moved)
