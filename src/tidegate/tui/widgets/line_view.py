"""A view of lines that draws only what is seen: the base of every list, pane and bar.

Also the last gate of foreign text: whatever is drawn goes through `safe_line` here, and through
no markup at all.
"""

from collections.abc import Sequence

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.cache import LRUCache
from textual.content import Content
from textual.dom import DOMNode
from textual.events import Click
from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip

from tidegate.safe_text import safe_line
from tidegate.tui.lines import Column, Line, Piece, Tone, column_widths, fit
from tidegate.tui.rows import Rows

__all__ = ["LineView"]

_KEPT_STRIPS = 256
"""Some screens full: each is two dozen objects, among which garbage is looked for while somebody presses keys."""


class LineView(ScrollView, can_focus=False):
    """Shows lines, each one cell high."""

    MARKED = True
    """Whether the first cell of each line is kept for its mark."""

    def __init__(
        self,
        columns: tuple[Column, ...] = (),
        *,
        id: str | None = None,  # noqa: A002 - Textual's name
        classes: str | None = None,
    ) -> None:
        """Make one.

        Args:
            columns: With titles in the first row, if there are any.
            id: As for every widget.
            classes: As for every widget.
        """
        super().__init__(id=id, classes=classes)
        self._columns = columns
        self._title = self._subtitle = ""
        self._lines: Sequence[Line] = ()
        self._strips: LRUCache[object, Strip] = LRUCache(_KEPT_STRIPS)
        self._styles: dict[str, Style] = {}
        self._tones: dict[tuple[Tone, str], Style] = {}

    @property
    def lines(self) -> tuple[Line, ...]:
        """What it shows, from the first line to the last."""
        return tuple(self._lines)

    @property
    def count(self) -> int:
        """How many lines it shows, seen or not; none of them is made for that."""
        return len(self._lines)

    @property
    def room(self) -> int:
        """How many cells a line has for its columns."""
        return max(0, self._width - (1 if self.MARKED else 0))

    def set_columns(self, columns: tuple[Column, ...]) -> None:
        """Use other columns from now on."""
        if columns != self._columns:
            self._columns = columns
            self._strips.clear()
            self.refresh()

    @property
    def _head(self) -> int:
        """How many rows the titles take."""
        return 1 if self._columns else 0

    @property
    def _width(self) -> int:
        return self.scrollable_content_region.width

    @property
    def _page(self) -> int:
        """How many lines are seen at once."""
        return max(1, self.scrollable_content_region.height - self._head)

    def name_pane(self, title: str, subtitle: str = "") -> None:
        """Write on the border what this is, and how much of it is seen."""
        # As content, not as text: text would be read as markup. Only when it differs: each draws all.
        if title != self._title:
            self._title, self.border_title = title, Content(safe_line(title))
        if subtitle != self._subtitle:
            self._subtitle, self.border_subtitle = subtitle, Content(safe_line(subtitle))

    def number(self, number: str) -> None:
        """Show a number on the border, by which one can go to this pane; empty: none any more."""
        self.border_title = Content(
            f"{number} ▸ {safe_line(self._title)}" if number else safe_line(self._title)
        )

    # -- what is shown ------------------------------------------------------------------------

    def show(self, lines: Sequence[Line]) -> None:
        """Show *lines* from now on; only rows that differ are drawn again."""
        before = self._visible()
        size_before = len(self._lines)
        # What is made when it is drawn stays so.
        self._lines = lines if isinstance(lines, Rows) else tuple(lines)
        self.virtual_size = Size(self._width, len(self._lines) + self._head)
        if len(self._lines) != size_before:
            self.refresh()
            return
        for row, (old, new) in enumerate(zip(before, self._visible(), strict=False), self._head):
            if old != new:
                self._refresh_row(row)

    def _visible(self) -> tuple[Line, ...]:
        top = self.scroll_offset.y
        return tuple(self._lines[top : top + self._page])

    def _refresh_row(self, row: int) -> None:
        self.refresh(Region(0, row, self.size.width, 1))

    def _refresh_line(self, index: int) -> None:
        self._refresh_row(index - self.scroll_offset.y + self._head)

    # -- drawing ------------------------------------------------------------------------------

    def notify_style_update(self) -> None:
        """Forget what was drawn in the old colours."""
        super().notify_style_update()
        self._strips.clear()
        self._styles.clear()
        self._tones.clear()

    def selection_updated(self, selection: Selection | None) -> None:
        """Draw what is selected."""
        self._strips.clear()
        self.refresh()

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """Return the selected text, as it is shown, and what ends it; what was broken to fit is whole again."""
        found: list[str] = []
        first = selection.start.y if selection.start is not None else 0
        last = selection.end.y + 1 if selection.end is not None else len(self._lines)
        for index in range(first, min(last, len(self._lines))):
            line = self._lines[index]
            start, end = selection.get_span(index) or (0, 0)
            start = max(start, line.indent) if line.is_rest else start
            text = safe_line(line.text)[start : None if end == -1 else end]
            if line.is_rest and found:
                found[-1] += text
            else:
                found.append(text)
        return "\n".join(found), "\n"

    def render_line(self, y: int) -> Strip:
        """Draw one row."""
        if y < self._head:
            return self._titles()
        index = y - self._head + self.scroll_offset.y
        if index >= len(self._lines):
            return self._beyond(y)
        line, state = self._lines[index], self._state(index)
        key = (line, state, self._width)
        strip = self._strips.get(key)
        if strip is None:
            strip = self._strips[key] = self._strip(line, state)
        return self._selected(strip, index)

    def _selected(self, strip: Strip, index: int) -> Strip:
        """Let text be selected, and show what is; only where a line is text from its first cell on."""
        if self.MARKED and self._columns:
            return strip
        edge = 1 if self.MARKED else 0
        selection = self.text_selection
        span = selection.get_span(index) if selection is not None else None
        if span is not None:
            start, end = span
            strip = _highlighted(
                strip, start + edge, self._width if end == -1 else end + edge, self._chosen()
            )
        mark, rest = strip.divide([edge, strip.cell_length]) if edge else (Strip([]), strip)
        return Strip.join([mark, rest.apply_offsets(0, index)])

    def _chosen(self) -> Style:
        return self.screen.get_component_rich_style("screen--selection")

    def _state(self, index: int) -> str:
        """Return the component class that a line has on top of its tones; empty: none."""
        del index
        return ""

    def _beyond(self, y: int) -> Strip:
        """Draw a row after the last line."""
        del y
        return Strip.blank(self._width, self.rich_style)

    def _titles(self) -> Strip:
        pieces = tuple(Piece(column.title, Tone.HEADING) for column in self._columns)
        return self._strip(Line("", pieces, columns=True), "")

    def _strip(self, line: Line, state: str) -> Strip:
        segments = [*self._mark(line, state)]
        segments += self._cells(line, state) if line.columns else self._run_on(line, state)
        strip = Strip(segments)
        return strip.adjust_cell_length(self._width, self._style(Tone.PLAIN, state))

    def _mark(self, line: Line, state: str) -> list[Segment]:
        if not self.MARKED:
            return []
        if state:
            return [Segment("▌", self._style(Tone.PLAIN, state) + self._named("line--cursor-mark"))]
        return [Segment(fit(safe_line(line.mark), 1), self._style(Tone.FAILED, ""))]

    def _cells(self, line: Line, state: str) -> list[Segment]:
        widths = column_widths(self._columns, self.room)
        gap = Segment(" ", self._style(Tone.PLAIN, state))
        segments: list[Segment] = []
        for piece, column, width in zip(line.pieces, self._columns, widths, strict=False):
            if width:
                text = fit(safe_line(piece.text), width, right=column.right)
                segments += [Segment(text, self._style(piece.tone, state)), gap]
        return segments[:-1]

    def _run_on(self, line: Line, state: str) -> list[Segment]:
        return [Segment(safe_line(piece.text), self._style(piece.tone, state)) for piece in line.pieces]

    def _style(self, tone: Tone, state: str) -> Style:
        # Looked up once, not for each piece: what is below it goes through all that the view is in.
        if (style := self._tones.get((tone, state))) is None:
            style = self.rich_style + self._named(f"line--{tone}")
            style = self._tones[tone, state] = style + self._named(state) if state else style
        return style

    def _named(self, name: str) -> Style:
        if name not in self._styles:
            self._styles[name] = self._styled(name)
        return self._styles[name]

    def _styled(self, name: str) -> Style:
        """Return the style of a class below this view.

        As the toolkit does for component classes, but only for those that are drawn: each view would
        have all twenty styled whenever anything on the screen is, and the first paint would wait for it.
        """
        node = DOMNode(classes=name)
        node._attach(self)  # noqa: SLF001 - there is no other door
        self.app.stylesheet.apply(node)
        return node.styles.partial_rich_style

    # -- mouse --------------------------------------------------------------------------------

    async def on_click(self, event: Click) -> None:
        """Do what the piece under the mouse does."""
        index = event.y - self._head + self.scroll_offset.y
        if not 0 <= index < len(self._lines):
            return
        at = 1 if self.MARKED else 0
        for piece in self._lines[index].pieces:
            at += cell_len(piece.text)
            if event.x < at:
                if piece.action:
                    await self.run_action(piece.action)
                return


def _highlighted(strip: Strip, start: int, end: int, style: Style) -> Strip:
    """Return *strip* with the cells from *start* to *end* in another style."""
    edges = [start, min(end, strip.cell_length), strip.cell_length]
    before, chosen, after = (
        strip.divide(edges) if end < strip.cell_length else (*strip.divide(edges[:2]), Strip([]))
    )
    return Strip.join([before, chosen.apply_style(style), after])
