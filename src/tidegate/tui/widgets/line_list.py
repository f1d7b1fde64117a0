"""A list with a cursor, for any number of rows.

Cursor and scroll are pinned by key: while rows come, go and move, the cursor stays on its row and
that row stays where it is on the screen.
"""

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import ClassVar

from rich.segment import Segment
from textual.binding import BindingType
from textual.events import Click, Resize
from textual.message import Message
from textual.strip import Strip

from tidegate.tui.commands import Scope, bindings
from tidegate.tui.lines import Column, Line, Tone, text_line, wrap
from tidegate.tui.rows import Rows
from tidegate.tui.widgets.line_view import LineView

__all__ = ["LineList", "RowMessage"]

_NOWHERE = -1
"""Where the cursor is when it is on no row: before the first, so that one step down leads there."""


class RowMessage(Message):
    """Something about one row of a view."""

    def __init__(self, view: LineView, key: str) -> None:
        super().__init__()
        self.view = view
        self.key = key

    @property
    def control(self) -> LineView:
        """The view, for handlers of one view only."""
        return self.view


class LineList(LineView, can_focus=True):
    """Lines to choose from."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(Scope.LIST)

    class Highlighted(RowMessage):
        """The cursor is on another row; an empty key: there is no row to be on."""

    class Selected(RowMessage):
        """A row was opened."""

    class LastWanted(RowMessage):
        """The cursor has gone to the last row, because somebody wants to be at the end."""

    def __init__(
        self,
        columns: tuple[Column, ...] = (),
        *,
        id: str | None = None,  # noqa: A002 - Textual's name
        empty: str = "",
        classes: str | None = None,
    ) -> None:
        super().__init__(columns, id=id, classes=classes)
        self._rows = Rows.of(())
        self._empty = empty
        self._wrapped: tuple[str, int, list[Line]] = ("", 0, [])
        self._index: dict[str, int] = {}
        self._cursor = 0
        self._key = ""
        self._clicked = ""
        self._letters: Mapping[str, str] = {}
        """By the key of a row: what leads there now."""

    @property
    def cursor_key(self) -> str:
        """The key of the row the cursor is on; empty when there is none."""
        return self._key

    @property
    def position(self) -> tuple[int, int]:
        """The number of the row the cursor is on, from 1, and how many rows there are.

        Headings and passive rows are not counted: on one of these the number is beyond the last.
        """
        return self._rows.inviting_before(max(0, self._cursor)) + 1, self._rows.inviting

    def index_of(self, key: str) -> int:
        """Return where the row *key* is, from 0; -1 if a cursor can be on no such row."""
        return self._index.get(key, _NOWHERE)

    @property
    def empty(self) -> str:
        """What it says while there is no row."""
        return self._empty

    @empty.setter
    def empty(self, text: str) -> None:
        if text != self._empty:
            self._empty = text
            self.refresh()

    # -- rows come and go ---------------------------------------------------------------------

    def show(self, lines: Sequence[Line]) -> None:
        """Show *lines* from now on, with the cursor on the row it was on."""
        seen_at = self._cursor - self.scroll_offset.y
        was_at_top, before = self.scroll_offset.y == 0, self._cursor
        rows = Rows.of(lines)
        if rows.keys is not self._rows.keys:
            self._index = rows.selectable_keys()
        self._rows = rows
        super().show(self._rows)
        self._cursor = self._index.get(self._key, self._refuge(self._cursor))
        if self._cursor != before:
            self.refresh()
        # At the top one watches what comes in: the rows move, the view does not, unless it must.
        if not was_at_top or self._cursor >= self._page:
            self._scroll_to_line(self._cursor - seen_at)
        self._remember()

    def _refuge(self, index: int) -> int:
        """Return where the cursor goes whose row has left: to the row in its place, else to the one above.

        Never to a passive row: where there is no other, the cursor is on none.
        """
        rows = self._rows
        after = (i for i in range(max(0, index), len(rows)) if rows.is_inviting(i))
        before = (i for i in range(min(index, len(rows)) - 1, -1, -1) if rows.is_inviting(i))
        return next(chain(after, before), _NOWHERE)

    def _nearest(self, index: int) -> int:
        """Return the selectable row at *index* or next to it; the same if there is none."""
        last = len(self._lines) - 1
        if last < 0:
            return 0
        index = max(0, min(index, last))
        around = chain(range(index, last + 1), range(index, -1, -1))
        return next((i for i in around if self._rows.is_selectable(i)), index)

    def _remember(self) -> None:
        is_on_row = 0 <= self._cursor < len(self._rows) and self._rows.is_selectable(self._cursor)
        key = self._rows.keys[self._cursor] if is_on_row else ""
        if key != self._key:
            self._key = key
            self.post_message(self.Highlighted(self, key))

    # -- the cursor moves ---------------------------------------------------------------------

    def move_to(self, key: str) -> None:
        """Put the cursor on the row *key*, if there is one."""
        if key in self._index:
            self._go(self._index[key])

    def go_last(self) -> None:
        """Put the cursor on the last row."""
        self._go(len(self._lines) - 1)

    def jump_keys(self) -> Sequence[str]:
        """Return the keys of the rows in sight that a cursor may be on."""
        top = int(self.scroll_offset.y)
        seen = range(top, min(top + self._page, len(self._rows)))
        return [self._rows.keys[index] for index in seen if self._rows.is_selectable(index)]

    def label(self, letters: Mapping[str, str]) -> None:
        """Show in front of rows what leads there; of nothing, their marks again."""
        self._letters = letters
        self._strips.clear()
        self.refresh()

    def _mark(self, line: Line, state: str) -> list[Segment]:
        if line.key and (letter := self._letters.get(line.key)):
            return [Segment(letter, self._style(Tone.TAB, ""))]
        return super()._mark(line, state)

    def _go(self, index: int) -> None:
        if not self._lines:
            return
        before = self._cursor
        self._cursor = self._nearest(index)
        self._refresh_line(before)
        self._refresh_line(self._cursor)
        self._reveal()
        self._remember()

    def _step(self, by: int) -> None:
        """Move by rows a cursor can stop at; headings do not count for a single step."""
        index = max(0, min(self._cursor + by, len(self._lines) - 1))
        while 0 <= index < len(self._lines) and not self._rows.is_selectable(index):
            index += 1 if by > 0 else -1
        if 0 <= index < len(self._lines):
            self._go(index)

    def _reveal(self) -> None:
        top = self.scroll_offset.y
        # The heading above the first row of a group comes into view with it.
        first = (
            self._cursor - 1
            if self._cursor and not self._rows.is_selectable(self._cursor - 1)
            else self._cursor
        )
        if first < top:
            self._scroll_to_line(first)
        elif self._cursor >= top + self._page:
            self._scroll_to_line(self._cursor - self._page + 1)

    def _scroll_to_line(self, index: int) -> None:
        self.scroll_to(y=max(0, index), animate=False, force=True)

    def action_cursor_down(self) -> None:
        """Go one row down."""
        self._step(1)

    def action_cursor_up(self) -> None:
        """Go one row up."""
        self._step(-1)

    def action_first(self) -> None:
        """Go to the first row."""
        self._go(0)

    def action_last(self) -> None:
        """Go to the last row."""
        self.go_last()
        self.post_message(self.LastWanted(self, self._key))

    def action_page_down(self) -> None:
        """Go one page down."""
        self._go(self._cursor + self._page)

    def action_page_up(self) -> None:
        """Go one page up."""
        self._go(self._cursor - self._page)

    def action_half_down(self) -> None:
        """Go half a page down."""
        self._go(self._cursor + self._page // 2)

    def action_half_up(self) -> None:
        """Go half a page up."""
        self._go(self._cursor - self._page // 2)

    def action_open(self) -> None:
        """Open the row the cursor is on."""
        if self._key:
            self.post_message(self.Selected(self, self._key))

    # -- mouse and drawing --------------------------------------------------------------------

    async def on_click(self, event: Click) -> None:
        """Put the cursor on a row; a second click opens it."""
        index = event.y - self._head + self.scroll_offset.y
        if event.y < self._head or index >= len(self._rows) or not self._rows.is_selectable(index):
            return
        key = self._rows.keys[index]
        if key == self._clicked == self._key:
            self.action_open()
        self._clicked = key
        self._go(index)

    def on_resize(self, event: Resize) -> None:
        """Keep the cursor in view."""
        del event
        if self._lines:
            self._reveal()

    def on_focus(self) -> None:
        """Show the cursor as the one that keys move."""
        self._refresh_line(self._cursor)

    def on_blur(self) -> None:
        """Show the cursor as one that stays."""
        self._refresh_line(self._cursor)

    def _state(self, index: int) -> str:
        if index != self._cursor or not self._key:
            return ""
        return "line--cursor" if self.has_focus else "line--unfocused-cursor"

    def _beyond(self, y: int) -> Strip:
        if self._lines or not self._empty:
            return super()._beyond(y)
        row = y - self._head - 1
        words = self._empty_words() if row >= 0 else []
        if not 0 <= row < len(words):
            return super()._beyond(y)
        return self._strip(text_line("  " + words[row].text, Tone.DIM), "")

    def _empty_words(self) -> list[Line]:
        width = max(1, self._width - 4)
        if self._wrapped[:2] != (self._empty, width):
            self._wrapped = (self._empty, width, wrap(text_line(self._empty, Tone.DIM), width))
        return self._wrapped[2]
