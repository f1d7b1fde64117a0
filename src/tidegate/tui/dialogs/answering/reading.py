"""What is read before a question is answered: the question itself, and what is laid before the person.

Each exhibit is a page of its own, and so is what can be looked up. Where there is room a short question
stays above them; elsewhere one key turns from the question to the first page, to the next, and back to
the question.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, TypeVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from tidegate.model.exhibit import Exhibit
from tidegate.tui.dialogs.frame.base import Dialog, Key
from tidegate.tui.dialogs.frame.gate import PACE, Pace
from tidegate.tui.dialogs.frame.pages import ExhibitPane, Page, PageStrip
from tidegate.tui.dialogs.frame.words import never_shown_words

if TYPE_CHECKING:
    from tidegate.tui.dialogs.frame.parts import Readable

__all__ = ["ALL_ROWS", "ReadingDialog"]

ResultT = TypeVar("ResultT")

ALL_ROWS = 10_000
"""Of what is to be answered over as many lines as there are: nothing stands below or beside that."""

_ROWS, _FEW = 22, 4
"""Rows of a terminal that is no wall, and lines of a question, for which there is room for a page below it."""

_AROUND, _PAGE = 17, 6
"""Lines of a box that are around all that, its deadline and its sentences included, and of a page that says something."""

_BESIDE = 180
"""Columns from which a page stands beside a long form."""


class ReadingDialog(Dialog[ResultT]):
    """A dialog with exhibits beside its question."""

    BINDINGS: ClassVar[list[BindingType]] = [
        # In a field ctrl+e goes to the end of the line; F2 works everywhere.
        Binding("f2,ctrl+e", "turn(1)", "Evidence"),
        Binding("f3", "turn(-1)", "Back", show=False),
    ]

    def __init__(
        self,
        exhibits: Sequence[Exhibit],
        others: Sequence[Page] = (),
        *,
        pace: Pace = PACE,
        needs_few: bool = False,
    ) -> None:
        """Make a dialog.

        Args:
            exhibits: What is shown with the question.
            others: What else can be turned to, after them.
            pace: How fast keys count.
            needs_few: Whether it takes so few that a page of our own stands below a short question everywhere.
        """
        super().__init__(pace=pace)
        self._fits_anywhere = needs_few and not exhibits
        self._panes: list[Page] = [*map(ExhibitPane, exhibits), *others]
        self._pages: list[Readable] = [self.question, *self._panes]
        # Without numbers: digits choose answers.
        self._strip = PageStrip(["Question", *(pane.title for pane in self._panes)], self.gate)
        self._page = 0
        """What was turned to; 0: the question."""

    def compose_reading(self) -> ComposeResult:
        """Show the question, and the pages if there are any."""
        yield self.question
        if self._panes:
            yield self._strip
            yield from self._panes

    def fit_box(self, *, roomy: bool, brief: bool) -> None:
        """Show a short question above its pages where there is room."""
        has_room = roomy or (self._fits_anywhere and self.size.height >= _ROWS and self.prompt_lines <= _FEW)
        may_stack = bool(self._panes) and has_room and brief
        is_stacked = may_stack and self._leaves_room
        is_beside = may_stack and not is_stacked and self._may_stand_beside
        super().fit_box(roomy=roomy, brief=brief and not self._panes)
        self.set_class(is_stacked, "-stacked")
        self.set_class(is_beside, "-beside")
        if self._panes:
            dialog = self.query_one("#dialog")
            if is_stacked or is_beside:
                dialog.move_child(self._strip, after=self.question)
            else:
                dialog.move_child(self._strip, before=self.question)
        self._show_page()

    @property
    def rows_to_answer(self) -> int | None:
        """Lines that answering itself takes, about; None: few."""
        return None

    @property
    def _leaves_room(self) -> bool:
        """Whether a page has room beside the question and what it is answered with."""
        rows = self.rows_to_answer
        return rows is None or self.size.height >= _AROUND + self.prompt_lines + rows + _PAGE

    @property
    def _may_stand_beside(self) -> bool:
        """Whether a page has room on the right of all that: beside what takes many rows, not beside what takes all."""
        rows = self.rows_to_answer
        return self.size.width >= _BESIDE and rows is not None and rows < ALL_ROWS

    def reading_keys(self) -> list[Key]:
        """Return the key that turns the pages, if there are any to turn to."""
        return [("f2", "evidence")] if len(self._pages) - self._first > 1 else []

    def unread_warning(self) -> str:
        """Return what nobody has looked at, as a sentence; empty: everything was seen."""
        panes = [pane for pane in self._panes if pane.must_be_seen or pane.only_here]
        unseen = sum(pane.never_shown if pane.was_shown else pane.only_here for pane in panes)
        unopened = sum(pane.must_be_seen and not pane.was_shown for pane in panes)
        return never_shown_words(self.question.never_shown + unseen, unopened)

    @property
    def _first(self) -> int:
        """The first page that is turned to: a question that is always shown is none."""
        return 1 if self.has_class("-stacked") or self.has_class("-beside") else 0

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
