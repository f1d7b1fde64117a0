"""A pane of text: wrapped to its width, scrolled with keys, and at the tail if it follows.

A reader who scrolls up is left alone: the pane stops following, and its text stays where it is
while more arrives, even when the oldest lines are dropped.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from textual.events import Resize
from textual.geometry import Size
from textual.message import Message

from tidegate.safe_text import safe_line
from tidegate.tui.lines import Line, Piece, wrap
from tidegate.tui.present.shared import counted
from tidegate.tui.widgets.text_keys import TextKeys

__all__ = ["TextPane"]

_LOW = 10
"""Lines of a pane in which hardly more than what matters is seen."""


class TextPane(TextKeys):
    """Text to read."""

    class Wheeled(Message):
        """Somebody has turned the wheel over the text: it is being read."""

    def __init__(
        self,
        *,
        id: str | None = None,  # noqa: A002 - Textual's name
        follow: bool = False,
        hint: str = "",
        classes: str | None = None,
    ) -> None:
        super().__init__(id=id, classes=classes)
        self._text: tuple[Line, ...] = ()
        self._subject = ""
        self._wrapped_at = Size(0, 0)
        self._follows = follow
        self._heading = ""
        self._hint = hint

    @property
    def is_low(self) -> bool:
        """Whether few lines have room: what matters has to stand first."""
        return 0 < self.content_region.height <= _LOW

    @property
    def follows(self) -> bool:
        """Whether it keeps to its last line."""
        return self._follows

    @follows.setter
    def follows(self, follows: bool) -> None:
        if follows:
            self._to_end()
        if follows != self._follows:
            self._follows = follows
            self._describe()

    @property
    def unread(self) -> int:
        """How many lines are below what is seen."""
        return max(0, len(self._lines) - self.scroll_offset.y - self._page)

    def read(
        self, lines: Sequence[Line], *, subject: str = "", title: str = "", hint: str | None = None
    ) -> None:
        """Show *lines*.

        Args:
            lines: What to read.
            subject: What they are about; about another one than before they are read from their start.
            title: For the border.
            hint: Which key shows more; None: the same as before.
        """
        is_new, self._subject = subject != self._subject, subject
        self._heading, self._hint = title, self._hint if hint is None else hint
        self._text = tuple(_safe(line) for line in lines)
        self._wrap()
        if self._follows:
            self._to_end()
        elif is_new:
            self.scroll_to(y=0, animate=False, force=True)
        self._describe()

    def _describe(self) -> None:
        """Say on the border how much there is below."""
        more = [counted(self.unread, "more line")] if self.unread else []
        hint = [self._hint] if self._hint and more else []
        self.name_pane(self._heading, "following" if self._follows else " · ".join(more + hint))

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Keep what the border says true."""
        super().watch_scroll_y(old_value, new_value)
        self._describe()

    def _wrap(self) -> None:
        top = self.scroll_offset.y
        held = self._lines[top].key if top < len(self._lines) else ""
        self._wrapped_at = self._room_for_text
        self.show(self._fitted(*self._wrapped_at))
        self._hold(held, top)

    @property
    def _room_for_text(self) -> Size:
        """What there is for text where no bar is shown."""
        return Size(self.content_region.width - 1, self._page)

    def _fitted(self, width: int, rows: int) -> list[Line]:
        """Return the text wrapped to the width that it then has.

        Whether there is a bar depends on how the text is wrapped, and that on the bar: if both would do, there is none.
        """
        without = list(islice(self._parts(width), rows + 1))
        if len(without) <= rows:
            return without
        return list(self._parts(width - self.styles.scrollbar_size_vertical))

    def _parts(self, width: int) -> Iterator[Line]:
        return (part for line in self._text for part in wrap(line, width))

    def _hold(self, key: str, top: int) -> None:
        """Keep the line *key*, which was at *top*, where it was."""
        if not key or self._follows:
            return
        if top < len(self._lines) and self._lines[top].key == key:
            return
        at = next((index for index, line in enumerate(self._lines) if line.key == key), None)
        if at is not None:
            self.scroll_to(y=at, animate=False, force=True)

    def _to_end(self) -> None:
        self.scroll_to(y=len(self._lines), animate=False, force=True)

    def on_resize(self, event: Resize) -> None:
        """Wrap to the new width."""
        del event
        if self._room_for_text != self._wrapped_at:
            self._wrap()
        if self._follows:
            self._to_end()
        self._describe()

    # -- keys ---------------------------------------------------------------------------------

    def scroll_lines(self, by: int) -> None:
        """Scroll by lines; whoever scrolls up stops following, whoever reaches the end goes on."""
        target = self.scroll_offset.y + by
        self.scroll_to(y=max(0, target), animate=False, force=True)
        if by < 0:
            self.follows = False

    def action_text_first(self) -> None:
        """Go to the first line."""
        self.scroll_lines(-len(self._lines))

    def action_text_last(self) -> None:
        """Go to the last line."""
        self.scroll_lines(len(self._lines))

    def on_mouse_scroll_up(self) -> None:
        """A wheel is a reader too."""
        self.follows = False
        self.post_message(self.Wheeled())

    def on_mouse_scroll_down(self) -> None:
        """Tell that it is being read."""
        self.post_message(self.Wheeled())


def _safe(line: Line) -> Line:
    """Return *line* as it is shown, so that it is wrapped at the width it is shown with."""
    if line.text.isascii() and line.text.isprintable():
        return line
    pieces = tuple(Piece(safe_line(piece.text), piece.tone, piece.action) for piece in line.pieces)
    return replace(line, pieces=pieces)
