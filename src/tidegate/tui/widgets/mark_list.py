"""A list in which rows are marked, by key: whatever rows come, go and move, a mark stays on its row.

Marks outlive a filter that hides their rows; they do not outlive the rows.
"""

from collections.abc import Collection, Sequence

from rich.segment import Segment
from textual.message import Message

from tidegate.tui.lines import Column, Line, Tone
from tidegate.tui.rows import Rows
from tidegate.tui.widgets.line_list import LineList

__all__ = ["MarkList"]

_ROOM = 4
"""Cells that marks take, where there are any."""


class MarkList(LineList):
    """Lines to choose from, one or several."""

    class Marked(Message):
        """Other rows are marked now."""

    class Seen(Message):
        """Some of the rows that had come out of sight have been seen."""

    def __init__(
        self,
        columns: tuple[Column, ...] = (),
        *,
        id: str | None = None,  # noqa: A002 - Textual's name
        empty: str = "",
        classes: str | None = None,
    ) -> None:
        super().__init__(columns, id=id, empty=empty, classes=classes)
        self._marks: dict[str, None] = {}
        self._anchor = ""
        """The row at which a range begins."""
        self._away: dict[str, None] = {}
        """Rows that came while they were out of sight, and were not seen since."""

    # -- what is marked -----------------------------------------------------------------------

    @property
    def marked(self) -> tuple[str, ...]:
        """The keys of what is marked: as the rows stand, then those that are hidden."""
        shown = sorted((key for key in self._marks if key in self._index), key=self._index.__getitem__)
        return (*shown, *self.marked_hidden)

    @property
    def mark_count(self) -> int:
        """How many rows are marked, shown or not."""
        return len(self._marks)

    @property
    def marked_hidden(self) -> tuple[str, ...]:
        """The keys of marked rows that are not shown now."""
        return tuple(key for key in self._marks if key not in self._index)

    @property
    def marked_shown(self) -> tuple[str, ...]:
        """The keys of marked rows that are shown, as they stand."""
        return self.marked[: len(self._marks) - len(self.marked_hidden)]

    @property
    def room(self) -> int:
        """How many cells a line has for its columns."""
        return max(0, super().room - (_ROOM if self._marks else 0))

    def toggle_mark(self) -> None:
        """Mark the row the cursor is on, or take its mark away."""
        if not (key := self.cursor_key):
            return
        self._anchor = key
        marks = dict(self._marks)
        if key in marks:
            del marks[key]
        else:
            marks[key] = None
        self._mark_only(marks)

    def mark_range(self) -> None:
        """Mark every row from the one that was marked last to the cursor; without such a row, the cursor's."""
        if not (key := self.cursor_key):
            return
        anchor = self._anchor if self._anchor in self._index else key
        first, last = sorted((self._index[anchor], self._index[key]))
        within = [self._rows.keys[at] for at in range(first, last + 1) if self._rows.is_selectable(at)]
        self._anchor = key
        self._mark_only(self._marks | dict.fromkeys(within))

    def mark_shown(self) -> None:
        """Mark every row that is shown, wherever one has scrolled to; not those that are over."""
        shown = [key for key, at in self._index.items() if self._rows.is_inviting(at)]
        self._mark_only(self._marks | dict.fromkeys(shown))

    def unmark(self, keys: Collection[str] | None = None) -> None:
        """Take marks away, of *keys* or all of them."""
        kept = [] if keys is None else [key for key in self._marks if key not in keys]
        self._mark_only(dict.fromkeys(kept))

    def mark_also(self, keys: Collection[str]) -> None:
        """Mark rows by their keys."""
        self._mark_only(self._marks | dict.fromkeys(keys))

    def prune(self, existing: Collection[str]) -> None:
        """Take away the marks of rows that there are no more, hidden ones not among them.

        Args:
            existing: The keys of all rows, whether they are shown or not.
        """
        if gone := [key for key in self._marks if key not in existing]:
            self.unmark(gone)
        self._away = {key: None for key in self._away if key in existing}

    def _mark_only(self, marks: dict[str, None]) -> None:
        if marks == self._marks:
            return
        self._marks = marks
        self._strips.clear()
        self.refresh()
        self.post_message(self.Marked())

    # -- rows that came out of sight ----------------------------------------------------------

    @property
    def unseen(self) -> int:
        """How many rows have come that nobody has seen yet."""
        return sum(key in self._index for key in self._away)

    def note_new(self, keys: Collection[str]) -> None:
        """Remember which rows are new, as far as they are out of sight."""
        self._away |= dict.fromkeys(keys)
        # At the top the view does not move; elsewhere it follows its rows, and only then it is known what is seen.
        if self.scroll_offset.y == 0:
            self._forget_seen()
        elif self._away:
            self.call_after_refresh(self._forget_seen)

    def show_new(self) -> None:
        """Go to the first row that nobody has seen yet."""
        places = [self._index[key] for key in self._away if key in self._index]
        if places:
            self._go(min(places))
        self._away = {}

    def _forget_seen(self) -> None:
        top = int(self.scroll_offset.y)
        seen = self._rows.keys[top : top + self._page]
        if self._away and not self._away.keys().isdisjoint(seen):
            self._away = {key: None for key in self._away if key not in seen}
            self.post_message(self.Seen())

    def show(self, lines: Sequence[Line]) -> None:
        """Show *lines* from now on."""
        super().show(Rows.of(lines))
        if self._away:
            self.call_after_refresh(self._forget_seen)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """What has come into sight is new no more."""
        super().watch_scroll_y(old_value, new_value)
        self._forget_seen()

    # -- drawing ------------------------------------------------------------------------------

    def _mark(self, line: Line, state: str) -> list[Segment]:
        first = super()._mark(line, state)
        if not self._marks:
            return first
        is_marked = line.key in self._marks
        may_be = line.selectable and not line.passive and bool(line.key)
        sign = "[x] " if is_marked else "[ ] " if may_be else " " * _ROOM
        return [*first, Segment(sign, self._style(Tone.ACCENT if is_marked else Tone.DIM, state))]
