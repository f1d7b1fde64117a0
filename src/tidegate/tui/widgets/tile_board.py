"""The tiles of the dashboard, with a cursor over them; they flow anew whenever the width changes."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from textual.binding import BindingType
from textual.events import Resize

from tidegate.tui.commands import Scope, bindings
from tidegate.tui.lines import Line
from tidegate.tui.present.tiles import Grid, Tile, short_lines, stacked_lines
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
        self._panels: tuple[Tile, ...] = ()
        self._grid: Grid = ()
        """What stands where; of the lists only those that have room."""
        self._letters: Mapping[str, str] = {}
        """By the key of a tile: what leads there now."""
        self._key = ""

    @property
    def chosen(self) -> Tile | None:
        """The tile the cursor is on."""
        return next((tile for tile in (*self._tiles, *self._panels) if tile.key == self._key), None)

    @property
    def keys(self) -> tuple[str, ...]:
        """The tiles that are shown, lists included, from left to right and then down."""
        return tuple(key for row in self._grid for key in row)

    def show_tiles(self, tiles: Sequence[Tile], panels: Sequence[Tile] = ()) -> None:
        """Show *tiles* from now on, and as many *panels* as there is room for; the cursor stays on its tile."""
        self._tiles, self._panels = tuple(tiles), tuple(panels)
        self._draw()

    def on_resize(self, event: Resize) -> None:
        """Let the tiles flow into the new width."""
        del event
        self._draw()

    @property
    def _is_short(self) -> bool:
        return self.size.height < _SHORT or self._width < _NARROW

    def _draw(self) -> None:
        lines, self._grid = self._laid_out()
        if self._key not in self.keys:
            # Its list has no room any more, or nothing was shown yet.
            self._key = next(iter(self.keys), "")
            lines, self._grid = self._laid_out()
        self.show(lines)
        self._reveal()

    def _labelled(self, tiles: Sequence[Tile]) -> tuple[Tile, ...]:
        letters = self._letters
        return tuple(
            replace(tile, title=f"{letters[tile.key]} ▸ {tile.title}") if tile.key in letters else tile
            for tile in tiles
        )

    def _laid_out(self) -> tuple[list[Line], Grid]:
        if self._is_short:
            return short_lines(self._labelled(self._tiles), self._width, self._key), tuple(
                (tile.key,) for tile in self._tiles
            )
        return stacked_lines(
            self._labelled(self._tiles),
            self._labelled(self._panels),
            self._width,
            self.size.height,
            self._key,
        )

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

    def jump_keys(self) -> Sequence[str]:
        """Return the tiles that are laid out."""
        return self.keys

    def label(self, letters: Mapping[str, str]) -> None:
        """Show in front of titles what leads there; of nothing, titles alone."""
        self._letters = letters
        self._draw()

    def move_to(self, key: str) -> None:
        """Put the cursor on a tile."""
        if key in self.keys:
            self._key = key
            self._draw()

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
        keys = self.keys
        if self._key in keys:
            at = keys.index(self._key) + by
            if 0 <= at < len(keys):
                self._go_to(at)

    def action_cursor_down(self) -> None:
        """Go to the tile below."""
        self._step(1)

    def action_cursor_up(self) -> None:
        """Go to the tile above."""
        self._step(-1)

    def _step(self, by: int) -> None:
        """Go to the row above or below, to what stands there under the middle of the tile."""
        place = next(
            ((r, c) for r, row in enumerate(self._grid) for c, key in enumerate(row) if key == self._key),
            None,
        )
        if place is None or not 0 <= place[0] + by < len(self._grid):
            return
        here, there = self._grid[place[0]], self._grid[place[0] + by]
        self._key = there[min(len(there) - 1, (2 * place[1] + 1) * len(there) // (2 * len(here)))]
        self._draw()

    def action_first(self) -> None:
        """Go to the first tile."""
        self._go_to(0)

    def action_last(self) -> None:
        """Go to the last tile."""
        self._go_to(-1)

    def _go_to(self, index: int) -> None:
        if self.keys:
            self._key = self.keys[index]
            self._draw()

    action_page_up = action_half_up = action_first
    action_page_down = action_half_down = action_last

    def action_open(self) -> None:
        """Open the list behind the tile."""
        if self._key:
            self.post_message(self.Selected(self, self._key))
