"""The rows of a log: drawn one screen at a time, from wherever one has scrolled to.

It scrolls by rows and not by cells, so that a row that is wrapped costs nothing until it is seen, and
so that what one reads stays where it is while rows come before and after it.
"""

from collections.abc import Iterable

from textual.events import Resize
from textual.message import Message
from textual.selection import Selection

from tidegate.tui.lines import Line, Tone, text_line
from tidegate.tui.log.rows import Row
from tidegate.tui.log.saving import row_text
from tidegate.tui.log.sight import Numbers, Wanted
from tidegate.tui.log.window import LogWindow
from tidegate.tui.present.log import NAME, TIME, cut, folded, held_words, row_line, seen_words, unseen_words
from tidegate.tui.widgets.text_keys import TextKeys

__all__ = ["LogPane"]

_SIDEWAYS = 16
"""Cells of one step to the side."""
_WHEEL = 3
_NEAR = 200
"""Rows from an end of a window at which more of it is asked for."""
_REST = "rest"
"""With what the keys of lines begin that have not ended yet; those of others are the numbers of their rows."""


class LogPane(TextKeys):
    """Shows a window; asks for more of it where one comes near an end of it."""

    class Moved(Message):
        """One has scrolled, or started or stopped following."""

    class EndWanted(Message):
        """One wants to be at the start of everything, or at its end."""

        def __init__(self, *, is_start: bool) -> None:
            super().__init__()
            self.is_start = is_start

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id, classes=classes)
        self._window = LogWindow()
        self.wanted = Wanted()
        self._shown, self._hits = Numbers(None), Numbers(self.wanted.finds)
        self._follows = True
        self.wraps = True
        self.about = ""
        """What wrote it."""
        self.is_of_one = True
        """Whether one attempt of one place did."""
        self.named = False
        """Whether rows say who wrote them."""
        self.timed = False
        """Whether rows say when they came."""
        self._top = 0
        """The number of the first row that is seen."""
        self._read_at = 0
        """The same, of what one has gone to last: a filter that hides it leads back to it once it does not."""
        self._skip = 0
        """How many parts of it are above the screen."""
        self._left = 0
        """Cells that are to the left of the screen, where rows are not wrapped."""
        self._here: int | None = None
        """The number of the row that was gone to last, of those that hold what is looked for."""
        self._nothing = ""
        self._read_to: int | None = None
        """The number after that of the last row there was when one followed last, or when the end was reached;
        None: it is not known what has come since."""
        self._unended: list[Line] = []
        """The lines that have not ended yet; they are no rows, and nothing is found in them."""

    # -- what is shown ------------------------------------------------------------------------

    @property
    def follows(self) -> bool:
        """Whether it keeps to the end."""
        return self._follows

    def show_window(self, window: LogWindow) -> None:
        """Show a window; of the same one, what of it has moved."""
        if window is not self._window:
            self._window, self._read_to = window, None
            self._want(self.wanted)
        self.sync()

    def sync(self) -> None:
        """Follow the window, which has moved."""
        self._shown.sync(self._window)
        self._hits.sync(self._window)
        if not self._window.is_at_end:
            self._read_to = None
        elif self._read_to is None:
            self._read_to = self._window.end
        self._draw()

    def want(self, wanted: Wanted) -> None:
        """Show other rows, or look for something else; what one reads stays in sight if it is shown still."""
        if wanted != self.wanted:
            self._want(wanted)
            self._top = self._read_at
            self.sync()

    def _want(self, wanted: Wanted) -> None:
        self._here = self._here if wanted.find == self.wanted.find else None
        self.wanted = wanted
        self._shown = Numbers(None if wanted.is_all else wanted.shows)
        is_sought = bool(wanted.find)
        self._hits = Numbers(lambda row: is_sought and wanted.shows(row) and wanted.finds(row))

    @property
    def hits(self) -> tuple[int, int]:
        """In how many rows it stands what is looked for, and which of them was gone to, from 1; 0: none."""
        found = self._hits.found
        at = self._hits.at(self._here) if self._here is not None else len(found)
        return len(found), at + 1 if at < len(found) and found[at] == self._here else 0

    @property
    def count(self) -> int:
        """How many lines there are to be seen, those included that have not ended yet."""
        return len(self._shown.found) + len(_keys(self._unended))

    @property
    def seen(self) -> tuple[int, int]:
        """The first and the last line that is seen, counted from 1 among those there are to be seen."""
        keys, ended = _keys(self._lines), len(self._shown.found)
        first = 1 + (self._shown.at(self._top) if keys and not keys[0].startswith(_REST) else ended)
        return first, first + max(0, len(keys) - 1)

    @property
    def unread(self) -> int:
        """How many rows have come since one does not follow."""
        if self._follows or self._read_to is None:
            return 0
        return len(self._shown.found) - self._shown.at(self._read_to)

    @property
    def is_near_start(self) -> bool:
        """Whether there should be more above."""
        return self._shown.at(self._top) < _NEAR

    @property
    def is_near_end(self) -> bool:
        """Whether there should be more below."""
        return len(self._shown.found) - self._shown.at(self._top) < _NEAR + self._page

    def say_nothing(self, words: str) -> None:
        """Say what stands there if there is no row to be seen."""
        if words != self._nothing:
            self._nothing = words
            self._draw()

    # -- drawing ------------------------------------------------------------------------------

    @property
    def _text_width(self) -> int:
        return max(1, self.room - (NAME + 1 if self.named else 0) - (TIME + 1 if self.timed else 0))

    def _draw(self) -> None:
        rest = self._window.rest()
        self._unended = self._rest(rest)
        if self._follows:
            self._to_end()
            self._read_to, self._read_at = self._window.end, self._top
        self._hold_within()
        lines: list[Line] = []
        found, at = self._shown.found, self._shown.at(self._top)
        while len(lines) < self._page and at < len(found):
            lines += self._lines_of(found[at], self._skip if found[at] == self._top else 0)
            at += 1
        if at >= len(found):
            lines += self._unended
        # A line that has not ended may fill the screen by itself: its end is what one follows.
        seen = lines[-self._page :] if self._follows else lines[: self._page]
        self.show(seen or [text_line(self._nothing, Tone.DIM)])
        self._say_seen(self._shown.seen + len(rest))

    def _say_seen(self, total: int) -> None:
        """Say on the border what is seen, and of what: with each drawing, so that it is never about another."""
        if not self.about:
            return
        window, count = self._window, self.count
        seen = seen_words(self.seen, count, total, window, follows=self._follows)
        below = unseen_words(
            self.unread,
            None if self.wraps else self._left,
            held_words(window, is_of_one=self.is_of_one),
            is_cut_off=not self._follows and not window.is_at_end,
        )
        self.name_pane(f"Log of {self.about} · {seen}" if count else f"Log of {self.about}", below)

    def _hold_within(self) -> None:
        """Keep the first row one that is there, and so that no screen is empty below the last one."""
        found = self._shown.found
        if not found:
            self._top, self._skip = self._window.base, 0
            return
        at = min(self._shown.at(self._top), len(found) - 1)
        if found[at] != self._top:
            self._top, self._skip = found[at], 0
        last = self._last_top()
        self._top, self._skip = min((self._top, self._skip), last)

    def _last_top(self) -> tuple[int, int]:
        """Return the first row of the last screen, and how many parts of it are above that."""
        found, room = self._shown.found, max(1, self._page - len(self._unended))
        at = len(found)
        while at > 0 and room > 0:
            at -= 1
            room -= self._height(found[at])
        return (found[at], max(0, -room)) if at < len(found) else (self._window.base, 0)

    def _to_end(self) -> None:
        self._top, self._skip = self._last_top()

    def _parts(self, text: str) -> list[tuple[int, int]]:
        return folded(text, self._text_width) if self.wraps else [cut(text, self._left, self._text_width)]

    def _height(self, number: int) -> int:
        return len(self._parts(self._window.row(number).text)) if self.wraps else 1

    def _lines_of(self, number: int, skip: int) -> list[Line]:
        """Return the parts of a row after the first *skip* ones, as many as can be seen at once."""
        row = self._window.row(number)
        parts = list(enumerate(self._parts(row.text)))[skip : skip + self._page]
        return [
            row_line(
                row,
                part,
                self.wanted,
                key=f"{number}.{n}",
                is_first=n == 0,
                named=self.named,
                timed=self.timed,
                is_here=number == self._here,
            )
            for n, part in parts
        ]

    def _rest(self, rows: Iterable[Row]) -> list[Line]:
        return [
            row_line(
                row,
                part,
                Wanted(),
                key=f"{_REST}{number}.{n}",
                is_first=n == 0,
                named=self.named,
                timed=self.timed,
                is_here=False,
            )
            for number, row in enumerate(rows)
            if self.wanted.shows(row)
            for n, part in enumerate(self._parts(row.text))
        ]

    def on_resize(self, event: Resize) -> None:
        """Draw for the new size."""
        del event
        self._draw()

    # -- the mouse ----------------------------------------------------------------------------

    def selection_updated(self, selection: Selection | None) -> None:
        """Draw what is selected, and keep it where it is: what comes is not followed any more."""
        if selection is not None and self._follows:
            self.follow(follows=False)
        super().selection_updated(selection)

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """Return what is selected of one line; of several the whole lines, also where they are cut or not all seen."""
        drawn = [line for n, line in enumerate(self._lines) if selection.get_span(n) is not None]
        keys = _keys(drawn)
        if len(keys) < 2:  # noqa: PLR2004 - several
            return super().get_selection(selection)
        rest = list(self._window.rest())
        rows = [
            rest[int(key.removeprefix(_REST))] if key.startswith(_REST) else self._window.row(int(key))
            for key in keys
        ]
        return "\n".join(row_text(row, named=self.named, timed=self.timed) for row in rows), "\n"

    # -- moving -------------------------------------------------------------------------------

    def follow(self, *, follows: bool) -> None:
        """Keep to the end, or do so no longer."""
        self._follows = follows
        self._draw()
        self.post_message(self.Moved())

    def scroll_lines(self, by: int) -> None:
        """Scroll by lines; whoever scrolls up stops following."""
        if by < 0:
            self._follows = False
        if self.text_selection is not None:
            # It is one of lines of the screen, which are others now.
            self.screen.clear_selection()
        self._step(by)
        self._draw()
        self._read_at = self._top
        self.post_message(self.Moved())

    def _step(self, by: int) -> None:
        found = self._shown.found
        at, skip = self._shown.at(self._top), self._skip + by
        while at < len(found) and skip >= (height := self._height(found[at])):
            skip, at = skip - height, at + 1
        while skip < 0 and at > 0:
            at -= 1
            skip += self._height(found[at])
        if at < len(found):
            self._top, self._skip = found[at], max(0, skip)
        elif found:
            self._to_end()

    def go_to_hit(self, by: int) -> bool:
        """Go to the next row that holds what is looked for, or the one before; return whether there is one."""
        hits = self._hits.found
        if not hits:
            return False
        if self._here is None:
            # The first from where one reads; where one follows that is the last there is.
            at = self._hits.at(self._top) if by > 0 and not self._follows else len(hits) - 1
        else:
            at = self._hits.at(self._here) + by
        self._here = hits[at % len(hits)]
        self._follows = False
        self._show_here()
        self.post_message(self.Moved())
        return True

    def _show_here(self) -> None:
        """Have the row that was gone to in sight, with some of what is before it."""
        if self._here is not None and str(self._here) not in _keys(self._lines):
            found = self._shown.found
            self._top, self._skip = found[max(0, self._shown.at(self._here) - self._page // 3)], 0
        self._draw()
        self._read_at = self._top

    def show_start(self) -> None:
        """Go to the first row there is."""
        self._follows, self._skip, self._top = False, 0, self._window.base
        self._read_at = self._top
        self._draw()
        self.post_message(self.Moved())

    def wrap(self, *, wraps: bool) -> None:
        """Wrap rows, or cut them."""
        self.wraps, self._skip, self._left = wraps, 0, 0
        self._draw()

    def time(self, *, timed: bool) -> None:
        """Say when each row came, or do so no longer."""
        self.timed, self._skip = timed, 0
        self._draw()

    @property
    def column(self) -> int:
        """How many cells are to the left of what is seen."""
        return self._left

    def sideways(self, by: int) -> None:
        """Show what is further to the right, or to the left."""
        self._left = 0 if self.wraps else max(0, self._left + by * _SIDEWAYS)
        self._draw()

    # -- keys ---------------------------------------------------------------------------------

    def action_text_first(self) -> None:
        """Go to the start of everything."""
        self.post_message(self.EndWanted(is_start=True))

    def action_text_last(self) -> None:
        """Go to the end of everything, and stay there."""
        self.post_message(self.EndWanted(is_start=False))

    def on_mouse_scroll_down(self) -> None:
        """A wheel is a reader too."""
        self.scroll_lines(_WHEEL)

    def on_mouse_scroll_up(self) -> None:
        """A wheel is a reader too."""
        self.scroll_lines(-_WHEEL)


def _keys(lines: Iterable[Line]) -> list[str]:
    """Return what lines are parts of, in order; a word of ours is part of nothing."""
    return [key for key in dict.fromkeys(line.key.partition(".")[0] for line in lines) if key]
