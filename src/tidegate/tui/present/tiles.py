"""Tiles: boxes of short lines that share a terminal in one to four columns, or one line each where it is small.

Pure: from tiles, a width and a height to lines. The dashboard, `tidegate watch` and its one printed frame are
drawn by this.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from rich.cells import cell_len

from tidegate.tui.lines import Line, Piece, Tone, fit

__all__ = [
    "Content",
    "Grid",
    "Tile",
    "columns_for",
    "filled",
    "panel_lines",
    "rows_of",
    "short_lines",
    "stacked_lines",
    "tile_lines",
]

Grid = tuple[tuple[str, ...], ...]
"""Keys of tiles as they stand: row by row, from left to right."""

Content = tuple[Piece, ...]
"""One line of a tile."""

_WIDTHS = (68, 124, 176)
"""Cells from which on there are two, three and four columns."""
_LEAST = 3
"""Lines that a tile has at least, if it has as many."""
_GLANCE, _PANEL = 4, 5
"""Lines in a tile that has lists below it, and in each of these at least, as far as they have so many."""
_TALLEST = 16
"""Lines beyond which what is drawn does not grow."""
_TITLE = 11
"""Cells of the titles where each tile is one line."""
_THIN, _THICK = tuple("╭─╮│╰╯"), tuple("┏━┓┃┗┛")


@dataclass(frozen=True, slots=True)
class Tile:
    """One thing to be seen at a glance, and where more of it is."""

    key: str
    title: str
    headline: Content
    """The one line of it that says most."""
    lines: tuple[Content, ...] = ()
    """What follows the headline, most important first: what has no room is left out from the end."""
    mode: str = ""
    """The mode of the monitor that has the list behind it."""
    words: str = ""
    """What that list is filtered by."""
    names: int = 0
    """Cells to which the first piece of its lines gives way where there is too little room for all of them; 0: it does not."""
    drawn: Callable[[int, int], Sequence[Content]] | None = None
    """Draws what follows the headline on so many cells and lines, in the place of `lines`, which say how many it needs."""


def columns_for(width: int) -> int:
    """Return how many tiles stand side by side."""
    return 1 + sum(width >= least for least in _WIDTHS)


def tile_lines(
    tiles: Sequence[Tile], width: int, height: int, chosen: str = "", *, columns: int = 0, fills: bool = False
) -> list[Line]:
    """Return *tiles* as boxes in rows; taller than *height* only if their least does not fit.

    Args:
        tiles: In their order, from left to right and then down.
        width: Cells.
        height: Lines; what is left goes to tiles that have more to say.
        chosen: The key of the tile the cursor is on.
        columns: How many stand side by side; 0: as many as the width is for.
        fills: Whether they are as high as *height* even if they have less to say, as far as they may grow.
    """
    rows = rows_of(tiles, columns or columns_for(width))
    heights = _heights(list(map(_need, rows)), height - 2 * len(rows))
    if fills:
        heights = _filling(heights, rows, height - 2 * len(rows))
    lines: list[Line] = []
    for number, (row, inner) in enumerate(zip(rows, heights, strict=True)):
        # The last row may have fewer: they share its whole width.
        widths = _widths(width, len(row))
        boxes = [
            _box(tile, cells, inner, tile.key == chosen) for tile, cells in zip(row, widths, strict=True)
        ]
        lines += [
            Line(f"tiles:{number}:{n}", tuple(piece for part in parts for piece in part), selectable=False)
            for n, parts in enumerate(zip(*boxes, strict=True))
        ]
    return lines


def stacked_lines(
    tiles: Sequence[Tile], panels: Sequence[Tile], width: int, height: int, chosen: str = ""
) -> tuple[list[Line], Grid]:
    """Return *tiles* as boxes, and as many *panels* below them as there is room for; and what stands where.

    Args:
        tiles: As of `tile_lines`.
        panels: Tiles as wide as two; with them the others have no more lines than they need at a glance.
        width: Cells.
        height: Lines.
        chosen: The key of the tile the cursor is on.
    """
    rows, below = rows_of(tiles, columns_for(width)), rows_of(panels, _across(width))
    glance = sum(min(_GLANCE, _need(row)) + 2 for row in rows)
    fitting = _fitting(below, height - glance)
    if not fitting:
        return tile_lines(tiles, width, height, chosen), tuple(
            tuple(tile.key for tile in row) for row in rows
        )
    wanted = sum(_need(row) + 2 for row in fitting)
    lines = tile_lines(tiles, width, max(glance, height - wanted), chosen)
    lines += panel_lines(panels, width, height - len(lines), chosen)
    return lines, tuple(tuple(tile.key for tile in row) for row in (*rows, *fitting))


def panel_lines(panels: Sequence[Tile], width: int, height: int, chosen: str = "") -> list[Line]:
    """Return as many lists as there is room for, which take all of *height* if they can; nothing if there is room for none."""
    shown = [tile for row in _fitting(rows_of(panels, _across(width)), height) for tile in row]
    lines = tile_lines(shown, width, height, chosen, columns=_across(width), fills=True) if shown else []
    return [replace(line, key=f"panels:{line.key}") for line in lines]


def _across(width: int) -> int:
    return 1 + (width >= _WIDTHS[1])


def _need(row: Sequence[Tile]) -> int:
    """Return how many lines a row of tiles has to say."""
    return max(1 + len(tile.lines) for tile in row)


def _fitting(rows: list[Sequence[Tile]], room: int) -> list[Sequence[Tile]]:
    """Return the first rows of lists, as many as there is room for."""
    fitting = []
    for row in rows:
        room -= min(_PANEL, _need(row)) + 2
        if room < 0:
            break
        fitting.append(row)
    return fitting


def _filling(heights: list[int], rows: list[Sequence[Tile]], room: int) -> list[int]:
    """Return heights that take all of *room*: what is drawn grows first, to its most, then all others the same."""
    drawn = {at for at, row in enumerate(rows) if any(tile.drawn is not None for tile in row)}
    for at in drawn:
        heights[at] += max(0, min(_TALLEST - heights[at], room - sum(heights)))
    others = [at for at in range(len(rows)) if at not in drawn]
    spare = max(0, room - sum(heights))
    for number, at in enumerate(others):
        heights[at] += spare // len(others) + (number < spare % len(others))
    return heights


def rows_of(tiles: Sequence[Tile], columns: int) -> list[Sequence[Tile]]:
    """Return the tiles that stand side by side, row by row."""
    return [tiles[start : start + columns] for start in range(0, len(tiles), columns)]


def _widths(width: int, columns: int) -> list[int]:
    each, rest = divmod(width, columns)
    return [each + (column < rest) for column in range(columns)]


def _heights(wanted: list[int], room: int) -> list[int]:
    """Return how many lines each row of tiles gets, of *room* in all."""
    heights = [min(_LEAST, most) for most in wanted]
    spare = room - sum(heights)
    while spare > 0 and (short := [n for n, most in enumerate(wanted) if heights[n] < most]):
        for row in short[:spare]:
            heights[row] += 1
        spare -= len(short[:spare])
    return heights


def _box(tile: Tile, width: int, inner: int, is_chosen: bool) -> Iterator[Content]:
    """Yield a tile line by line. What the cursor is on has another frame, not only another colour."""
    left, flat, right, side, low_left, low_right = _THICK if is_chosen else _THIN
    edge = Tone.ACCENT if is_chosen else Tone.RULE
    action = f"screen.tile({tile.key!r})"
    title = fit(tile.title, min(cell_len(tile.title), max(0, width - 6)))
    rule = flat * max(0, width - cell_len(title) - 5)
    yield (
        Piece(f"{left}{flat} ", edge, action),
        Piece(title, Tone.ACCENT if is_chosen else Tone.STRONG, action),
        Piece(f" {rule}{right}", edge, action),
    )
    for content, _ in zip_longest(_shown(tile, width - 4, inner), range(inner), fillvalue=()):
        text = (replace(piece, action=action) for piece in filled(content or (), width - 4))
        yield (Piece(f"{side} ", edge, action), *text, Piece(f" {side}", edge, action))
    yield (Piece(f"{low_left}{flat * max(0, width - 2)}{low_right}", edge, action),)


def _shown(tile: Tile, width: int, inner: int) -> list[Content]:
    """Return what of a tile fits; if that is not all, its last line says so."""
    if tile.drawn is not None:
        return [tile.headline, *tile.drawn(width, inner - 1)]
    content = [tile.headline, *tile.lines]
    if tile.names:
        content = _with_names(content, tile.names, width)
    if len(content) <= inner:
        return content
    left_out = len(content) - inner + 1
    if inner > _LEAST:
        return [*content[: inner - 1], (Piece(f"… {left_out} more", Tone.DIM),)]
    return content[:inner]


def _with_names(lines: Sequence[Content], least: int, width: int) -> list[Content]:
    """Return lines whose names, which come first, stand below each other, as long as the rest leaves room for."""
    names = [line[0].text.rstrip() for line in lines]
    longest = max(least, *map(cell_len, names))
    rest = 1 + max(sum(cell_len(piece.text) for piece in line[1:]) for line in lines)
    room = max(least, min(longest, width - rest))
    return [
        (replace(line[0], text=f"{fit(name, room)} "), *line[1:])
        for name, line in zip(names, lines, strict=True)
    ]


def filled(content: Content, width: int) -> Content:
    """Return *content* in exactly *width* cells: cut with ``…``, or with blanks behind it."""
    kept: list[Piece] = []
    for piece in content:
        size = cell_len(piece.text)
        if size > width:
            return (*kept, replace(piece, text=fit(piece.text, width)))
        kept.append(piece)
        width -= size
    return (*kept, Piece(" " * width)) if width else tuple(kept)


def short_lines(tiles: Sequence[Tile], width: int, chosen: str = "") -> list[Line]:
    """Return each tile as one line: its title, and what it says first."""
    return [_short_line(tile, width, tile.key == chosen) for tile in tiles]


def _short_line(tile: Tile, width: int, is_chosen: bool) -> Line:
    action = f"screen.tile({tile.key!r})"
    lead = Piece("▌" if is_chosen else " ", Tone.ACCENT, action)
    title = Piece(fit(tile.title, _TITLE) + " ", Tone.ACCENT if is_chosen else Tone.DIM, action)
    rest = (replace(piece, action=action) for piece in filled(tile.headline, max(0, width - _TITLE - 2)))
    return Line(f"tile:{tile.key}", (lead, title, *rest), selectable=False)
