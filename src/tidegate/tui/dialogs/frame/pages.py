"""What can be turned to in a dialog: exhibits, what an answer leads to, the state it is given in."""

from collections.abc import Sequence

from rich.cells import cell_len
from textual import events, work
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from tidegate.errors import TidegateError
from tidegate.model.exhibit import Exhibit
from tidegate.safe_text import safe_line
from tidegate.tui.dialogs.frame.gate import Gate
from tidegate.tui.dialogs.frame.parts import Readable
from tidegate.tui.lines import Line, Tone, text_line, wrap
from tidegate.tui.nouns.advice import LookedUp
from tidegate.tui.present.exhibits import exhibit_lines, exhibit_title
from tidegate.tui.widgets.line_view import LineView

__all__ = ["ExhibitPane", "LinesPane", "Page", "PageStrip"]

_TITLE = 24
"""Characters of a title among others."""
_LEFT_OUT = 2
"""Pages that the strip may leave out and still be one; else it says only which one of how many is read."""
_MORE = "▸"


class Page(LineView, Readable):
    """A text of lines, wrapped to its width."""

    MARKED = False
    must_be_seen = False
    """Whether it is worth a warning that somebody decides who has not looked at it."""
    only_here = 0
    """Lines of the question that nobody sees who has not looked at it."""

    def __init__(self, title: str) -> None:
        """Make it; *title* is safe to draw."""
        super().__init__()
        self.title = title
        self.display = False
        self.was_shown = False
        self._text: Sequence[Line] = ()
        self._wrapped: tuple[int, Sequence[Line]] = (0, ())
        """The width and the text that it was wrapped for last: it is resized more often than it gets another width."""

    def on_show(self) -> None:
        """Remember that it was looked at."""
        self.was_shown = True
        self._wrap()

    def on_resize(self) -> None:
        """Wrap to the new width."""
        self._wrap()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Tell that it was scrolled."""
        super().watch_scroll_y(old_value, new_value)
        self.note_moved()

    def put(self, text: Sequence[Line]) -> None:
        """Show another text from now on."""
        self._text = text
        self._wrap()

    def _wrap(self) -> None:
        width = self._width - 1
        if width > 0 and (width != self._wrapped[0] or self._text is not self._wrapped[1]):
            self._wrapped = width, self._text
            self.show([part for line in self._text for part in wrap(line, width)])
        self.call_after_refresh(self.note_moved)


class ExhibitPane(Page):
    """One exhibit. Reads its text when it is first shown."""

    must_be_seen = True

    def __init__(self, exhibit: Exhibit) -> None:
        super().__init__(exhibit_title(exhibit, _TITLE))
        self._exhibit = exhibit

    def on_show(self) -> None:
        """Read it now."""
        if not self.was_shown:
            self._text = [*self._long_title(), *exhibit_lines(self._exhibit)]
        super().on_show()

    def _long_title(self) -> list[Line]:
        """Return the title if its tab shows only the begin of it."""
        title = exhibit_title(self._exhibit)
        return [text_line(title, Tone.STRONG)] if len(title) > _TITLE else []


class LinesPane(Page):
    """A page of our own: its text is put, or looked up when it is first shown."""

    def __init__(self, title: str, looked_up: LookedUp | None = None) -> None:
        super().__init__(title)
        self._looked_up = looked_up

    def on_show(self) -> None:
        """Look it up now."""
        if self._looked_up is not None and not self.was_shown:
            self.put([text_line("Reading ...", Tone.DIM)])
            self._look_up(self._looked_up)
        super().on_show()

    @work(group="page", exclusive=True)
    async def _look_up(self, looked_up: LookedUp) -> None:
        try:
            self.put(await looked_up.look_up())
        except TidegateError as error:
            self.put([text_line(safe_line(str(error), 400), Tone.DIM)])


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
        key = "f2 ▸ " if len(self._titles) - self._first > 1 else ""
        pages = self._in_sight(self.size.width - cell_len(key))
        titles = [f" {self._titles[page]} " for page in pages]
        if len(self._titles) - self._first - len(pages) > _LEFT_OUT:
            pages = range(self._current, self._current + 1)
            titles = [f" {self._current}/{len(self._titles) - 1}  {self._titles[self._current]} "]
        at, pieces = cell_len(key), [Content.styled(key, "bold")]
        self._edges = []
        for page, title in zip(pages, titles, strict=True):
            self._edges.append((at, page))
            at += cell_len(title)
            pieces.append(Content.styled(title, "reverse bold" if page == self._current else ""))
        if len(pages) > 1 and pages[-1] + 1 < len(self._titles):
            pieces.append(Content(_MORE))
        self.update(Content("").join(pieces))

    def _in_sight(self, room: int) -> range:
        """Return the pages whose titles fit in some cells: the one that is read, and those around it."""
        first, last = self._first, len(self._titles)
        widths = [cell_len(title) + 2 for title in self._titles]
        if sum(widths[first:last]) <= room:
            return range(first, last)
        room -= cell_len(_MORE)
        # The first ones give way only to the one that is read.
        while last > self._current + 1 and sum(widths[first:last]) > room:
            last -= 1
        while first < self._current and sum(widths[first:last]) > room:
            first += 1
        return range(first, last)

    def on_click(self, event: events.Click) -> None:
        """Turn to the page that was clicked."""
        event.stop()
        pages = [page for at, page in self._edges if at <= event.x]
        if pages and self._gate.click(event.time, event.chain):
            self.post_message(self.Turned(pages[-1]))
