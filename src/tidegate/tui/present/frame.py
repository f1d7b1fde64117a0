"""One frame of `tidegate watch`: a head, the tiles, and the questions that have waited longest.

Pure: drawn on a terminal again and again, or printed once as plain text.
"""

from dataclasses import dataclass, replace

from rich.cells import cell_len

from tidegate.history.glance import Glance
from tidegate.safe_text import safe_line
from tidegate.tui.lines import Line, Piece, Tone, column_widths, fit, text_line
from tidegate.tui.present.dashboard import QUESTION_COLUMNS, question_line, tiles_of
from tidegate.tui.present.day import day_tile, week_tile
from tidegate.tui.present.shared import LONG
from tidegate.tui.present.tiles import (
    Tile,
    columns_for,
    filled,
    panel_lines,
    rows_of,
    short_lines,
    tile_lines,
)
from tidegate.tui.present.trouble import trouble_lines, wrapped
from tidegate.tui.times import clock_time, past

__all__ = ["HELP", "Sight", "as_text", "frame", "printed"]

HELP = (
    "This only looks: nothing is answered, driven or cleaned up from here.",
    "arrows  the next and the previous page of questions",
    "?       these lines; again: the questions",
    "q       quit",
    "`tidegate` is the monitor, in which questions are answered.",
)
_KEYS = ((" q", " Quit  "), ("?", " Help  "), ("↑ ↓", " Page"))
_NARROW, _SHORT = 68, 21
"""Cells and lines from which on tiles are boxes."""
_LEAST_LIST = 6
"""Lines that the list of questions keeps, its heading and titles included."""
_PRINTED, _PRINTED_LINES = 40, 4
"""Questions, and lines of a tile, where a frame is printed."""


@dataclass(frozen=True, slots=True)
class Sight:
    """What there is to be drawn."""

    url: str
    glance: Glance | None = None
    """None: the store was not read yet."""
    trouble: str = ""
    """Why it cannot be read now; empty: all is well."""
    page: int = 0
    """Of the questions, from 0; beyond the last page the last one is shown."""
    helps: bool = False
    """Whether the help stands in the place of the questions."""


def frame(sight: Sight, width: int, height: int, now: float) -> list[Line]:
    """Return *height* lines of *width* cells."""
    head = [_head(sight, width, now), *_trouble(sight, width, now)]
    body = height - len(head) - 1
    lines = [*head, *_body(sight, width, body, now)][: height - 1]
    lines += [text_line("", key=f"blank:{n}") for n in range(height - 1 - len(lines))]
    return [*lines, _keys()]


def _head(sight: Sight, width: int, now: float) -> Line:
    right = Piece(f"{'! no news' if sight.trouble else '● live'}  {clock_time(now, now)} ", _tone(sight))
    place = safe_line(sight.url.rpartition("/")[2] or sight.url, LONG)
    left = (Piece(" tidegate watch ", Tone.ACCENT), Piece(f" {place}", Tone.DIM))
    return Line("head", (*filled(left, max(0, width - len(right.text))), right), selectable=False)


def _tone(sight: Sight) -> Tone:
    return Tone.FAILED if sight.trouble else Tone.RUNNING


def _trouble(sight: Sight, width: int, now: float) -> list[Line]:
    if not sight.trouble:
        return []
    since = f" (what is shown was read {past(now - sight.glance.at)})" if sight.glance else ""
    return trouble_lines(f"{safe_line(sight.trouble, LONG)}. Trying again{since}", width)


def _keys() -> Line:
    pieces = [piece for key, word in _KEYS for piece in (Piece(key, Tone.KEY), Piece(word, Tone.DIM))]
    return Line("keys", tuple(pieces), selectable=False)


def _body(sight: Sight, width: int, height: int, now: float) -> list[Line]:
    if sight.glance is None:
        return [] if sight.trouble else [text_line(" Reading the store…", Tone.DIM)]
    tiles = _tiles(sight.glance, now, width, height)
    below = height - len(tiles)
    if sight.helps:
        return [*tiles, *_help(width)]
    lines = [*tiles, *_questions(sight.glance, width, below, now, sight.page)]
    return [*lines, *_rest(sight.glance, width, height - len(lines))]


def _rest(glance: Glance, width: int, height: int) -> list[Line]:
    """Return what is shown where few questions leave room."""
    if width < _NARROW:
        return []
    return panel_lines((day_tile(glance.lately), week_tile(glance)), width, height)


def _help(width: int) -> list[Line]:
    lines = (
        Line(f"help:{n}", (Piece(f" {text}"),), selectable=False, indent=9) for n, text in enumerate(HELP)
    )
    return [part for line in lines for part in wrapped(line, width)]


def _tiles(glance: Glance, now: float, width: int, height: int) -> list[Line]:
    tiles = _tiles_beside_list(glance, now)
    if width < _NARROW or height < _SHORT:
        return short_lines(tiles[: max(3, height - _LEAST_LIST)], width)
    across = columns_for(width)
    # As many rows as there is room for beside the questions; the least important ones are left out.
    fitting = max(1, (height - _LEAST_LIST) // 5)
    shown = tiles[: fitting * across]
    listed = min(len(glance.questions) + 2, height // 2) if glance.questions else 2
    return tile_lines(shown, width, height - max(listed, _LEAST_LIST))


def _tiles_beside_list(glance: Glance, now: float) -> tuple[Tile, ...]:
    """Return the tiles; what waits longest is a list of its own here, so the tile says what is asked for."""
    kinds = [f"{count:,} {kind}" for kind, count in glance.kinds.items()]
    asked = ((Piece(" · ".join(kinds), Tone.DIM),),) if kinds else ()
    tiles = tiles_of(glance, (), now)
    return tuple(replace(tile, lines=asked) if tile.key == "waiting" else tile for tile in tiles)


def _questions(glance: Glance, width: int, height: int, now: float, page: int) -> list[Line]:
    if not glance.questions:
        return [text_line(" Nothing waits for anybody.", Tone.DIM, key="none")][: max(0, height)]
    room = max(1, height - 2)
    last = (len(glance.questions) - 1) // room
    start = min(page, last) * room
    shown = glance.questions[start : start + room]
    more = "" if len(glance.questions) == glance.waiting else f", of {glance.waiting:,} in all"
    where = f"{start + 1} to {start + len(shown)} of {len(glance.questions):,}{more}"
    heading = Line(
        "questions", (Piece(" Waiting longest ", Tone.STRONG), Piece(where, Tone.DIM)), selectable=False
    )
    return [heading, _titles(width), *(_row(question_line(row, now), width) for row in shown)][
        : max(0, height)
    ]


def _titles(width: int) -> Line:
    return _row(
        Line("titles", tuple(Piece(column.title, Tone.HEADING) for column in QUESTION_COLUMNS)), width
    )


def _row(line: Line, width: int) -> Line:
    """Return a line of columns as one whose pieces follow each other."""
    pieces: list[Piece] = [Piece(" ")]
    widths = column_widths(QUESTION_COLUMNS, max(0, width - 2))
    for piece, column, cells in zip(line.pieces, QUESTION_COLUMNS, widths, strict=True):
        if cells:
            pieces += [replace(piece, text=fit(piece.text, cells, right=column.right)), Piece(" ")]
    return Line(line.key, tuple(pieces[:-1]), selectable=False)


def printed(sight: Sight, width: int, now: float) -> list[str]:
    """Return all of it as plain text: for a mail, a log, a page."""
    if sight.glance is None:
        return []
    tiles = _tiles_beside_list(sight.glance, now)
    rows = rows_of(tiles, columns_for(width))
    asked = len(sight.glance.questions)
    lines = [
        text_line(_cut(f"tidegate  {clock_time(now, now)}  {safe_line(sight.url, LONG)}", width)),
        *tile_lines(tiles, width, len(rows) * (_PRINTED_LINES + 2)),
        *_questions(sight.glance, width, min(asked, _PRINTED) + 2, now, 0),
    ]
    return [as_text(line) for line in lines]


def _cut(text: str, width: int) -> str:
    return fit(text, min(width, cell_len(text)))


def as_text(line: Line) -> str:
    """Return what a line says, safe to print."""
    return safe_line(line.text).rstrip()
