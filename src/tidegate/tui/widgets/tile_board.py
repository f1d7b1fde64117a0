"""The tiles of the dashboard, with a cursor over them; they flow anew whenever the width changes."""

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import BindingType
from textual.events import Resize

from tidegate.tui.commands import Scope, bindings
from tidegate.tui.present.tiles import Tile, columns_for, short_lines, tile_lines
from tidegate.tui.widgets.line_list import RowMessage
from tidegate.tui.widgets.line_view import LineView

__all__ = ["TileBoard"]

_SHORT = 14
"""Lines below which each tile is one line."""
_NARROW = 58
"""Cells below which each tile is one line."""


class TileBoard(LineView, can_focus=True):
    """Shows tiles; keys move over them."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(Scope.LIST)
    MARKED = False

    class Selected(RowMessage):
        """A tile was opened."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id, classes=classes)
        self._tiles: tuple[Tile, ...] = ()
        self._key = ""

    @property
    def chosen(self) -> Tile | None:
        """The tile the cursor is on."""
        return next((tile for tile in self._tiles if tile.key == self._key), None)

    def show_tiles(self, tiles: Sequence[Tile]) -> None:
        """Show *tiles* from now on, with the cursor on the tile it was on."""
        self._tiles = tuple(tiles)
        if self.chosen is None:
            self._key = tiles[0].key if tiles else ""
        self._draw()

    def on_resize(self, event: Resize) -> None:
        """Let the tiles flow into the new width."""
        del event
        self._draw()

    @property
    def _is_short(self) -> bool:
        return self.size.height < _SHORT or self._width < _NARROW

    @property
    def _across(self) -> int:
        return 1 if self._is_short else columns_for(self._width)

    def _draw(self) -> None:
        width, height = self._width, self.size.height
        if self._is_short:
            self.show(short_lines(self._tiles, width, self._key))
        else:
            self.show(tile_lines(self._tiles, width, height, self._key))
        self._reveal()

    def _reveal(self) -> None:
        """Scroll so far that the chosen tile is seen."""
        at = [
            n for n, line in enumerate(self._lines) if any(self._is_of(piece.action) for piece in line.pieces)
        ]
        if not at:
            return
        top = self.scroll_offset.y
        if at[-1] >= top + self._page:
            self.scroll_to(y=at[-1] - self._page + 1, animate=False, force=True)
        elif at[0] < top:
            self.scroll_to(y=at[0], animate=False, force=True)

    def _is_of(self, action: str) -> bool:
        return action == f"screen.tile({self._key!r})"

    # -- the cursor ---------------------------------------------------------------------------

    def choose(self, key: str) -> None:
        """Put the cursor on a tile; if it is there already, open it."""
        if key == self._key:
            self.action_open()
        else:
            self._key = key
            self._draw()

    def move(self, by: int) -> None:
        """Go on by so many tiles, never beyond the ends."""
        keys = [tile.key for tile in self._tiles]
        if self._key in keys:
            at = keys.index(self._key) + by
            if 0 <= at < len(keys):
                self._key = keys[at]
                self._draw()

    def action_cursor_down(self) -> None:
        """Go to the tile below; where the last row is shorter, to its last one."""
        keys = [tile.key for tile in self._tiles]
        if self._key in keys:
            at, last = keys.index(self._key), len(keys) - 1
            is_in_last_row = at // self._across == last // self._across
            self.move(0 if is_in_last_row else min(self._across, last - at))

    def action_cursor_up(self) -> None:
        """Go to the tile above."""
        self.move(-self._across)

    def action_first(self) -> None:
        """Go to the first tile."""
        self._go_to(0)

    def action_last(self) -> None:
        """Go to the last tile."""
        self._go_to(-1)

    def _go_to(self, index: int) -> None:
        if self._tiles:
            self._key = self._tiles[index].key
            self._draw()

    action_page_up = action_half_up = action_first
    action_page_down = action_half_down = action_last

    def action_open(self) -> None:
        """Open the list behind the tile."""
        if self._key:
            self.post_message(self.Selected(self, self._key))
