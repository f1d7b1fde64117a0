"""The waves of a run side by side, with a cursor over their blocks."""

from typing import ClassVar

from rich.cells import cell_len
from textual.binding import BindingType
from textual.events import Resize

from tidegate.model.ids import BlockId
from tidegate.tui.commands import Scope, bindings
from tidegate.tui.lines import Line, Piece, Tone, fit
from tidegate.tui.present.board import BlockItem, Wave
from tidegate.tui.widgets.line_list import LineList
from tidegate.tui.widgets.line_view import LineView

__all__ = ["WaveBoard", "board_lines", "window"]

_NARROWEST, _WIDEST = 22, 36
"""Cells of a wave, as long as nothing in it needs more."""
_MEASURED = 200
"""Blocks of a wave that say how wide it has to be, beside those that are seen."""
_WHEEL = 3
"""Rows of one turn of the wheel."""
_FRAME = 3
"""Rows of the titles and of the border."""
_NAME = 8
"""Cells of a name before the time beside it gives way to what says how far it is."""


def board_lines(
    waves: tuple[Wave, ...], cursor: BlockId | None, width: int, seen: range | None = None
) -> list[Line]:
    """Return the waves side by side, as many as fit around the one with the cursor, below their titles.

    Args:
        waves: All of them.
        cursor: The block it is on.
        width: Cells.
        seen: Which rows of them; None: all.
    """
    first, count = window(waves, cursor, width)
    shown = waves[first : first + count]
    rows = seen if seen is not None else range(max((len(wave.blocks) for wave in shown), default=0))
    columns = list(zip(shown, _widths(shown, width, rows), strict=True))
    return [
        _row("titles", [_title(wave, cells) for wave, cells in columns]),
        *(_row(f"row:{n}", [_cell(wave, n, cursor, cells) for wave, cells in columns]) for n in rows),
    ]


def _widths(shown: tuple[Wave, ...], width: int, rows: range) -> list[int]:
    """Return the cells of each wave, without the gap behind it: alike, unless that cuts what others have room for."""
    alike = max(_NARROWEST, min(_WIDEST, width // max(1, len(shown))))
    needs = [max(_NARROWEST, _need(wave, rows)) for wave in shown]
    if all(need <= alike for need in needs):
        return [alike - 1] * len(shown)
    widths, left = dict[int, int](), width
    # Who needs little first: what it leaves of its share is for those that need more.
    for at in sorted(range(len(shown)), key=needs.__getitem__):
        widths[at] = max(_NARROWEST, min(needs[at], left // (len(shown) - len(widths))))
        left -= widths[at]
    return [widths[at] - 1 for at in range(len(shown))]


def _need(wave: Wave, rows: range) -> int:
    """Return the cells in which nothing of a wave is cut, with the gap behind it."""
    # Of very long waves not all blocks are measured: those that are seen are.
    measured = (*wave.blocks[:_MEASURED], *wave.blocks[rows.start : rows.stop])
    return max((_item_need(item) for item in measured), default=0) + 1


def _item_need(item: BlockItem) -> int:
    side = " ".join(filter(None, (item.said, item.short, item.time)))
    return cell_len(item.indented) + cell_len(side) + 2


def window(waves: tuple[Wave, ...], cursor: BlockId | None, width: int) -> tuple[int, int]:
    """Return the first wave that is seen, and how many are."""
    count = min(len(waves), max(1, width // _NARROWEST))
    here = next((n for n, wave in enumerate(waves) if any(item.block == cursor for item in wave.blocks)), 0)
    return max(0, min(here - count // 2, len(waves) - count)), count


def _row(key: str, cells: list[tuple[Piece, ...]]) -> Line:
    pieces = [piece for cell in cells for piece in (*cell, Piece(" "))]
    return Line(key, tuple(pieces), selectable=False)


def _title(wave: Wave, width: int) -> tuple[Piece, ...]:
    has_room = len(wave.title) + len(wave.time) + 5 <= width
    time = (Piece(f" {wave.time} ", Tone.DIM),) if wave.time and has_room else ()
    room = max(0, width - len(wave.title) - 2 - sum(len(piece.text) for piece in time))
    return (
        Piece(f" {wave.title} ", wave.tone),
        *time,
        Piece(fit("─" * max(0, room - 1), room), Tone.RULE),
    )


def _cell(wave: Wave, n: int, cursor: BlockId | None, width: int) -> tuple[Piece, ...]:
    if n >= len(wave.blocks):
        return (Piece(" " * width),)
    item = wave.blocks[n]
    if not item.block:
        return (Piece(fit(f"     {item.name}", width), Tone.DIM),)
    action = f"screen.block({str(item.block)!r})"
    if item.block == cursor:
        return (Piece(f"▌{_label(item, width - 1)}", Tone.CHOSEN, action),)
    lead = "   " if item.is_part else " "
    side = _side(item, width - 3 - len(lead))
    room = width - 3 - len(lead) - cell_len(side)
    return (
        Piece(f"{lead}{item.symbol} ", item.tone, action),
        Piece(fit(item.name, room), Tone.DIM if item.tone is Tone.DIM else Tone.PLAIN, action),
        Piece(f" {side}", Tone.DIM, action),
    )


def _label(item: BlockItem, width: int) -> str:
    lead = "  " if item.is_part else ""
    side = _side(item, width - 3 - len(lead))
    return f"{lead}{item.symbol} {fit(item.name, width - 3 - len(lead) - cell_len(side))} {side}"


def _side(item: BlockItem, room: int) -> str:
    """Return what stands behind a name; what was answered only if the name has room beside it."""
    side = f"{item.short} {item.time}".strip()
    if cell_len(side) > room - _NAME:
        side = item.short
    with_said = f"{item.said} {side}".strip()
    return with_said if item.said and cell_len(item.name) + cell_len(with_said) <= room else side


class WaveBoard(LineView, can_focus=True):
    """Shows waves as columns; keys move over the blocks. Titles stay, and of the rows only those are drawn that are seen."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(Scope.LIST)
    MARKED = False

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id, classes=classes)
        self._waves: tuple[Wave, ...] = ()
        self._block: BlockId | None = None
        self._top = 0
        """The first row that is seen below the titles."""

    def show_waves(self, waves: tuple[Wave, ...], block: BlockId | None) -> None:
        """Show *waves* with the cursor on *block*."""
        has_moved, self._block, self._waves = block != self._block, block, waves
        self.styles.height = max((len(wave.blocks) for wave in self._around()[2]), default=0) + _FRAME
        self._draw(follow=has_moved)

    def _around(self) -> tuple[int, int, tuple[Wave, ...]]:
        """Return which waves are seen: the first, how many, and they themselves."""
        first, count = window(self._waves, self._block, self._width)
        return first, count, self._waves[first : first + count]

    def _draw(self, *, follow: bool = True) -> None:
        first, count, shown = self._around()
        height, room = max((len(wave.blocks) for wave in shown), default=0), max(1, self._page - 1)
        if follow:
            row = self._place()[1]
            self._top = min(max(self._top, row - room + 1), row)
        self._top = max(0, min(self._top, height - room))
        seen = range(self._top, min(height, self._top + room))
        self.show(board_lines(self._waves, self._block, self._width, seen))
        total = len(self._waves)
        title = "Waves" if count == total else f"Waves {first + 1} to {first + count} of {total}"
        self.name_pane(title, f"rows {seen.start + 1} to {seen.stop} of {height}" if height > room else "")

    def on_resize(self, event: Resize) -> None:
        """Show as many waves as fit."""
        del event
        self._draw()

    def on_mouse_scroll_down(self) -> None:
        """Show later rows; the cursor stays where it is."""
        self._wheel(_WHEEL)

    def on_mouse_scroll_up(self) -> None:
        """Show earlier rows; the cursor stays where it is."""
        self._wheel(-_WHEEL)

    def _wheel(self, by: int) -> None:
        self._top += by
        self._draw(follow=False)

    # -- the cursor ---------------------------------------------------------------------------

    def _place(self) -> tuple[int, int]:
        """Return which block of which wave the cursor is on."""
        for column, wave in enumerate(self._waves):
            for row, item in enumerate(wave.blocks):
                if item.block == self._block:
                    return column, row
        return 0, 0

    def _go(self, wave: int, row: int) -> None:
        if not self._waves:
            return
        blocks = self._waves[max(0, min(wave, len(self._waves) - 1))].blocks
        row = max(0, min(row, len(blocks) - 1))
        # The last row of a block's parts may only say how many there are more.
        row -= not blocks[row].block
        self.post_message(LineList.Highlighted(self, blocks[row].block))

    def move_waves(self, by: int) -> None:
        """Go to the same place in another wave."""
        wave, row = self._place()
        self._go(wave + by, row)

    def _step(self, by: int) -> None:
        """Go on within the wave, and from its end into the next."""
        everything = [
            (w, r) for w, wave in enumerate(self._waves) for r, item in enumerate(wave.blocks) if item.block
        ]
        if everything:
            at = everything.index(self._place())
            self._go(*everything[max(0, min(at + by, len(everything) - 1))])

    def action_cursor_down(self) -> None:
        """Go to the next block."""
        self._step(1)

    def action_cursor_up(self) -> None:
        """Go to the block before."""
        self._step(-1)

    def action_first(self) -> None:
        """Go to the first block."""
        self._go(0, 0)

    def action_last(self) -> None:
        """Go to the last block."""
        self._go(len(self._waves), 1 << 30)

    def action_page_down(self) -> None:
        """Go to the end of the wave."""
        self._go(self._place()[0], 1 << 30)

    def action_page_up(self) -> None:
        """Go to the start of the wave."""
        self._go(self._place()[0], 0)

    def action_half_down(self) -> None:
        """Go half a page down in the wave."""
        self._go(self._place()[0], self._place()[1] + self._page // 2)

    def action_half_up(self) -> None:
        """Go half a page up in the wave."""
        self._go(self._place()[0], self._place()[1] - self._page // 2)

    def action_open(self) -> None:
        """Open the block."""
        if self._block is not None:
            self.post_message(LineList.Selected(self, self._block))
