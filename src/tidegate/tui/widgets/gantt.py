"""The blocks of a run as bars over time, with the same cursor as the waves."""

from collections.abc import Sequence
from typing import ClassVar

from rich.cells import cell_len
from textual.binding import BindingType
from textual.events import Resize

from tidegate.model.ids import BlockId
from tidegate.tui.commands import Scope, bindings
from tidegate.tui.present.board import BlockItem, Wave
from tidegate.tui.present.gantt import Chart, gantt_lines
from tidegate.tui.widgets.line_list import LineList
from tidegate.tui.widgets.line_view import LineView

__all__ = ["Gantt"]

_WHEEL = 3
"""Rows of one turn of the wheel."""


class Gantt(LineView, can_focus=True):
    """Shows the rows around the cursor, and draws no others: a run may have ten thousand."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(Scope.LIST)
    MARKED = False

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id, classes=classes)
        self._rows: list[BlockItem] = []
        self._longest = 0
        self._chart: Chart | None = None
        self._block: BlockId | None = None
        self._hint = ""
        self._top = 0
        """The first row that is seen."""

    def show_chart(self, chart: Chart, waves: Sequence[Wave], block: BlockId | None, hint: str = "") -> None:
        """Show the blocks of *waves* with the cursor on *block*, and *hint* on the border."""
        self._rows = [item for wave in waves for item in wave.blocks]
        self._longest = max((_length(item) for item in self._rows), default=0)
        has_moved, self._block = block != self._block, block
        self._chart, self._hint = chart, hint
        self._draw(follow=has_moved)

    @property
    def _shown(self) -> int:
        """How many rows are seen at once, below the axis."""
        return max(1, self.scrollable_content_region.height - 1)

    @property
    def wanted_height(self) -> int:
        """How many cells it needs to show all rows, its border included."""
        return len(self._rows) + 3

    def _draw(self, *, follow: bool = True) -> None:
        if self._chart is None:
            return
        if follow:
            at = self._place()
            self._top = min(max(self._top, at - self._shown + 1), at)
        self._top = max(0, min(self._top, len(self._rows) - self._shown))
        seen = self._rows[self._top : self._top + self._shown]
        self.show(gantt_lines(self._chart, seen, self._block, self._width, self._longest))
        all_seen = len(seen) == len(self._rows)
        title = (
            "Gantt"
            if all_seen
            else f"Gantt, rows {self._top + 1} to {self._top + len(seen)} of {len(self._rows)}"
        )
        self.name_pane(title, self._hint)

    def on_resize(self, event: Resize) -> None:
        """Draw for the new size."""
        del event
        self._draw()

    # -- the cursor ---------------------------------------------------------------------------

    def _place(self) -> int:
        return next((n for n, item in enumerate(self._rows) if item.block == self._block), 0)

    def _go(self, row: int) -> None:
        if not self._rows:
            return
        row = max(0, min(row, len(self._rows) - 1))
        # A row that only says how many parts there are more is none to stop at.
        while row > 0 and not self._rows[row].block:
            row += 1 if row > self._place() and row < len(self._rows) - 1 else -1
        self.post_message(LineList.Highlighted(self, self._rows[row].block))

    def action_cursor_down(self) -> None:
        """Go to the next block."""
        self._go(self._place() + 1)

    def action_cursor_up(self) -> None:
        """Go to the block before."""
        self._go(self._place() - 1)

    def action_first(self) -> None:
        """Go to the first block."""
        self._go(0)

    def action_last(self) -> None:
        """Go to the last block."""
        self._go(len(self._rows) - 1)

    def action_page_down(self) -> None:
        """Go one page down."""
        self._go(self._place() + self._shown)

    def action_page_up(self) -> None:
        """Go one page up."""
        self._go(self._place() - self._shown)

    def action_half_down(self) -> None:
        """Go half a page down."""
        self._go(self._place() + max(1, self._shown // 2))

    def action_half_up(self) -> None:
        """Go half a page up."""
        self._go(self._place() - max(1, self._shown // 2))

    def action_open(self) -> None:
        """Open the block."""
        if self._block is not None:
            self.post_message(LineList.Selected(self, self._block))

    # -- mouse --------------------------------------------------------------------------------

    def on_mouse_scroll_down(self) -> None:
        """Show later rows; the cursor stays where it is."""
        self._wheel(_WHEEL)

    def on_mouse_scroll_up(self) -> None:
        """Show earlier rows; the cursor stays where it is."""
        self._wheel(-_WHEEL)

    def _wheel(self, by: int) -> None:
        self._top += by
        self._draw(follow=False)


def _length(item: BlockItem) -> int:
    # Of ten thousand names, each time: what counts cells remembers no more than four thousand.
    cells = len(item.name) if item.name.isascii() else cell_len(item.name)
    return cells + (2 if item.is_part else 0)
