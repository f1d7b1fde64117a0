"""What every pane is made of: lines of pieces of text, and how wide each piece becomes.

Owns the one way from text to the width of a terminal: nothing here knows a widget, a colour or
markup. A piece has a tone, which the styles turn into a colour; the words and symbols beside it
say the same without colour.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise

from rich.cells import cell_len, set_cell_size

__all__ = ["Column", "Line", "Piece", "Tone", "column_widths", "fit", "shared_by_need", "text_line", "wrap"]

_WORD = re.compile(r"\S+\s*|\s+")


class Tone(StrEnum):
    """What a piece of text means; `styles/lines.tcss` says how that looks."""

    PLAIN = "plain"
    DIM = "dim"
    STRONG = "strong"
    HEADING = "heading"
    ACCENT = "accent"
    RUNNING = "running"
    WAITING = "waiting"
    DONE = "done"
    FAILED = "failed"
    KEY = "key"
    RULE = "rule"
    """Lines and gaps."""
    CHOSEN = "chosen"
    """What the cursor is on, where it is not a whole line."""
    TAB = "tab"
    """The tab one is on."""
    OFF = "off"
    """A key that does nothing now."""
    PAST = "past"
    """What is not now, and must not be taken for it."""
    ADDED = "added"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True)
class Piece:
    """Some text of one meaning."""

    text: str
    tone: Tone = Tone.PLAIN
    action: str = ""
    """What a click on it does, as a Textual action; empty: nothing."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line: its pieces fill the columns of its list, or simply follow each other."""

    key: str
    """What it is about; keeps cursor and scroll in place while lines come and go."""
    pieces: tuple[Piece, ...]
    columns: bool = False
    selectable: bool = True
    passive: bool = False
    """A cursor stops at it only when it is led there."""
    mark: str = " "
    """One cell before everything else, where a list has its cursor."""
    indent: int = 0
    """Cells that its further lines begin with when it is wrapped."""
    is_rest: bool = False
    """Whether it is what had no room in the line above; copied, both are one."""

    @property
    def text(self) -> str:
        """Its words, for searching and copying."""
        return "".join(piece.text for piece in self.pieces)


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a list."""

    title: str
    width: int = 0
    """Cells; 0: it shares what the others leave."""
    weight: int = 1
    """Its part of the share."""
    since: int = 0
    """The width of the list, in cells, from which on it is shown."""
    right: bool = False
    is_shown: bool = True


def text_line(text: str, tone: Tone = Tone.PLAIN, *, key: str = "", mark: str = " ") -> Line:
    """Return a line of one piece, which no cursor stops at."""
    return Line(key, (Piece(text, tone),), selectable=False, mark=mark)


def column_widths(columns: Sequence[Column], width: int) -> tuple[int, ...]:
    """Return the cells of each column in a list of *width*; 0 for one that is not shown.

    One cell stays free between two columns.
    """
    shown = [column.is_shown and column.since <= width for column in columns]
    fixed = sum(column.width for column, is_shown in zip(columns, shown, strict=True) if is_shown)
    free = max(0, width - fixed - max(0, sum(shown) - 1))
    weights = [
        column.weight if is_shown and not column.width else 0
        for column, is_shown in zip(columns, shown, strict=True)
    ]
    shares = _shares(free, weights)
    return tuple(
        (column.width or share) if is_shown else 0
        for column, share, is_shown in zip(columns, shares, shown, strict=True)
    )


def shared_by_need(columns: Sequence[Column], lines: Sequence[Line], width: int) -> tuple[Column, ...]:
    """Return columns that share their room by what is in them: none is cut while another has room to spare.

    Args:
        columns: Some with a width, some that share the rest by weight.
        lines: The rows, or enough of them to see how wide they are.
        width: Cells of the list.
    """
    sharing = [
        at for at, cells in enumerate(column_widths(columns, width)) if cells and not columns[at].width
    ]
    needs = {at: _need(columns[at], lines, at) for at in sharing}
    settled: dict[int, int] = {}
    while still := [at for at in sharing if at not in settled]:
        widths = column_widths(_settled(columns, settled), width)
        # Who needs less than its share leaves the rest to the others, whose shares are looked at again.
        modest = [at for at in still if needs[at] <= widths[at]]
        settled |= {at: needs[at] for at in modest}
        if not modest:
            settled |= {at: widths[at] for at in still[:-1]}
            break
    if sharing and len(settled) == len(sharing):
        # There is room for all: what is left goes to the last one, whose text may be as long as it likes.
        del settled[sharing[-1]]
    return _settled(columns, settled)


def _settled(columns: Sequence[Column], widths: Mapping[int, int]) -> tuple[Column, ...]:
    return tuple(replace(column, width=widths.get(at, column.width)) for at, column in enumerate(columns))


def _need(column: Column, lines: Sequence[Line], at: int) -> int:
    cells = (cell_len(line.pieces[at].text) for line in lines if line.columns and at < len(line.pieces))
    return max(cell_len(column.title), max(cells, default=0))


def _shares(free: int, weights: Sequence[int]) -> list[int]:
    """Divide *free* by weight; what is left over goes to the last that has a weight."""
    total = sum(weights) or 1
    shares = [free * weight // total for weight in weights]
    for index in reversed(range(len(weights))):
        if weights[index]:
            shares[index] += free - sum(shares)
            break
    return shares


def fit(text: str, width: int, *, right: bool = False) -> str:
    """Return *text* at exactly *width* cells: padded, or cut with ``…``."""
    if width <= 0:
        return ""
    size = cell_len(text)
    if size > width:
        return set_cell_size(text, width - 1) + "…"
    padding = " " * (width - size)
    return padding + text if right else text + padding


def wrap(line: Line, width: int) -> list[Line]:
    """Return *line* as lines of at most *width* cells, broken between words where that is possible."""
    text = line.text
    if width <= line.indent or (text.isascii() and len(text) <= width):
        return [line]
    first, *others = pairwise([0, *_breaks(text, width, line.indent), len(text)])
    blank = (Piece(" " * line.indent),) if line.indent else ()
    return [
        replace(line, pieces=tuple(_part(line.pieces, *first))),
        *(replace(line, pieces=(*blank, *_part(line.pieces, *edges)), is_rest=True) for edges in others),
    ]


def _breaks(text: str, width: int, indent: int) -> Iterator[int]:
    """Yield where new lines begin; all but the first are narrower by *indent*."""
    used, room = 0, width
    for match in _WORD.finditer(text):
        size = cell_len(match[0].rstrip())
        if used and used + size > room:
            yield match.start()
            used, room = 0, width - indent
        if size > room:
            folds = list(_folds(match[0], room, width - indent))
            yield from (match.start() + fold for fold in folds)
            used, room = cell_len(match[0][folds[-1] if folds else 0 :]), width - indent
        else:
            used += cell_len(match[0])


def _folds(word: str, room: int, further: int) -> Iterator[int]:
    """Yield where a word that is wider than a line is broken."""
    used = 0
    for index, character in enumerate(word):
        size = cell_len(character)
        if used + size > room and used:
            yield index
            used, room = 0, further
        used += size


def _part(pieces: Iterable[Piece], start: int, end: int) -> Iterator[Piece]:
    """Yield what of *pieces* lies between two positions of their joined text."""
    at = 0
    for piece in pieces:
        text = piece.text[max(0, start - at) : max(0, end - at)]
        if text:
            yield replace(piece, text=text)
        at += len(piece.text)
