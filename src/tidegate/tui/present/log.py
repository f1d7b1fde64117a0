"""How rows of a log look: cut or wrapped to the width, with what is looked for marked in them."""

from datetime import UTC, datetime
from itertools import pairwise

from rich.cells import cell_len

from tidegate.history.spans import size
from tidegate.model.listing import Stream
from tidegate.safe_text import safe_line
from tidegate.tui.lines import Line, Piece, Tone, fit
from tidegate.tui.log.reader import LogScope
from tidegate.tui.log.rows import Level, Row
from tidegate.tui.log.sight import Wanted, spans_of
from tidegate.tui.log.window import LogWindow
from tidegate.tui.present.shared import counted

__all__ = [
    "NAME",
    "TIME",
    "cut",
    "folded",
    "held_words",
    "row_line",
    "row_time",
    "scope_words",
    "seen_words",
    "unseen_words",
    "wanted_words",
]

NAME = 14
"""Cells of the name of who wrote a line, where that is not the same for all."""
TIME = 14
"""Cells of when a line came."""
_TONES = {Level.ERROR: Tone.FAILED, Level.WARN: Tone.WAITING, Level.DEBUG: Tone.DIM}
_LEVELS = {
    Level.DEBUG: "",
    Level.INFO: "INFO and worse",
    Level.WARN: "WARN and worse",
    Level.ERROR: "ERROR only",
}
_HELD = {
    (True, True): "{:,}",
    (True, False): "the first {:,}",
    (False, True): "the last {:,}",
    (False, False): "{:,} held",
}
"""How many lines a window holds, by whether nothing is before them, and nothing after them."""


def scope_words(scope: LogScope) -> str:
    """Return whose log it is, for its title."""
    if isinstance(scope, int):
        return f"wave {scope + 1}"
    return safe_line(scope or "whole run", 60)


def folded(text: str, width: int) -> list[tuple[int, int]]:
    """Return where a text is broken into lines of at most *width* cells: from which character to which."""
    if text.isascii():
        return [(at, min(len(text), at + width)) for at in range(0, max(1, len(text)), width)]
    edges, used = [0], 0
    for at, character in enumerate(text):
        cells = cell_len(character)
        if used + cells > width and at > edges[-1]:
            edges.append(at)
            used = 0
        used += cells
    edges.append(len(text))
    return list(pairwise(edges))


def cut(text: str, left: int, width: int) -> tuple[int, int]:
    """Return which characters of a text stand in *width* cells, if *left* cells of it are not seen."""
    if text.isascii():
        return min(len(text), left), min(len(text), left + width)
    start, used = len(text) if left else 0, 0
    for at, character in enumerate(text):
        cells = cell_len(character)
        # A mark stays with the letter that it is on.
        if used >= left and start > at and cells:
            start = at
        used += cells
        if used > left + width:
            return min(start, at), at
    return start, len(text)


def row_line(
    row: Row,
    part: tuple[int, int],
    wanted: Wanted,
    *,
    key: str,
    is_first: bool,
    named: bool,
    timed: bool,
    is_here: bool,
) -> Line:
    """Return a part of a row as a line.

    Args:
        row: Which row.
        part: From which character of it to which.
        wanted: What is looked for.
        key: Of the line.
        is_first: Whether it is its first part: that says who wrote it, and where.
        named: Whether it is said who wrote it.
        timed: Whether it is said when it came.
        is_here: Whether the row is the one that was gone to, of those that hold what is looked for.
    """
    name = fit(safe_line(row.segment.place, 100), NAME) if is_first else " " * NAME
    lead: list[Piece] = []
    if timed and row.stream is not None:
        lead.append(Piece(f"{row_time(row.at) if is_first else ' ' * TIME} ", Tone.DIM))
    if named and row.stream is not None:
        lead.append(Piece(f"{name} ", Tone.DIM))
    tone = _TONES.get(row.level, Tone.WAITING if row.stream is Stream.STDERR else Tone.PLAIN)
    if row.stream is None:
        tone = Tone.ACCENT
    mark = "!" if row.stream is Stream.STDERR and is_first else " "
    pieces = (*lead, *_marked(row.text, part, wanted.find, tone, is_here=is_here))
    indent = sum(len(piece.text) for piece in lead)
    return Line(key, pieces, selectable=False, mark=mark, indent=indent, is_rest=not is_first)


def row_time(at: float) -> str:
    """Return when a line came, in `TIME` cells, where the terminal is; a log may be of many days."""
    if not at:
        return fit("not noted", TIME)
    local = datetime.fromtimestamp(at, UTC).astimezone()
    return f"{local:%m-%d %H:%M:%S}"


def _marked(text: str, part: tuple[int, int], find: str, tone: Tone, *, is_here: bool) -> list[Piece]:
    """Return a part of a text with what is looked for in it marked."""
    start, end = part
    pieces, at = [], start
    for first, last in spans_of(text, find):
        if last <= start or first >= end:
            continue
        pieces.append(Piece(text[at : max(at, first)], tone))
        pieces.append(Piece(text[max(at, first) : min(last, end)], Tone.TAB if is_here else Tone.KEY))
        at = min(last, end)
    return [piece for piece in (*pieces, Piece(text[at:end], tone)) if piece.text]


def wanted_words(wanted: Wanted, hits: int, here: int, *, is_whole: bool) -> str:
    """Return what is looked for and what is hidden, for the line above a log.

    Args:
        wanted: That.
        hits: In how many lines it was found.
        here: Which of them was gone to, from 1; 0: none was.
        is_whole: Whether it was looked for in all that was written.
    """
    place = f"{here} of {hits}" if here else f"in {counted(hits, 'line')}" if hits else "nowhere"
    if not is_whole:
        place = f"{place} held" if hits else "in no line held"
    said = (
        f"'{wanted.find}' {place}" if wanted.find else "",
        f"only '{wanted.only}'" if wanted.only else "",
        f"without '{wanted.hide}'" if wanted.hide else "",
        _LEVELS.get(wanted.least, ""),
    )
    return safe_line(" · ".join(filter(None, said)), 300)


def seen_words(seen: tuple[int, int], count: int, total: int, window: LogWindow, *, follows: bool) -> str:
    """Return which lines are seen, of how many.

    Args:
        seen: The first one and the last one, from 1.
        count: How many there are to be seen.
        total: How many are held, those that a filter hides included.
        window: What holds them: how many there are beyond it is not known.
        follows: Whether one keeps to the end.
    """
    whole = _HELD[window.is_at_start, window.is_at_end].format(total)
    shown = whole if count == total else f"{count:,} among {whole}"
    if follows:
        return f"{shown} line{'' if total == 1 else 's'}, following"
    return f"lines {seen[0]:,} to {min(count, seen[1]):,} of {shown}"


def unseen_words(unread: int, column: int | None, held: str, *, is_cut_off: bool) -> str:
    """Return what is not seen.

    Args:
        unread: How many lines have come below.
        column: How many cells are to the left; None: lines are wrapped.
        held: What of the whole is held.
        is_cut_off: Whether there may be more below, which is not held.
    """
    said = (
        f"↓ {unread:,} new below, f follows" if unread else "",
        "↓ not read to the end, f follows" if is_cut_off else "",
        "" if column is None else f"cut, from column {column + 1}" if column else "cut, → for more",
        held,
    )
    return " · ".join(filter(None, said))


def held_words(window: LogWindow, *, is_of_one: bool) -> str:
    """Return which bytes of what was written a window holds, if it does not hold all; empty: it does.

    Args:
        window: That.
        is_of_one: Whether one attempt of one place wrote all of it: its bytes can be numbered.
    """
    if window.is_whole:
        return ""
    if not window.pages or not is_of_one:
        return f"{size(window.size)} of it are held"
    return f"bytes {size(_total(window, first=True))} to {size(_total(window, first=False))}"


def _total(window: LogWindow, *, first: bool) -> int:
    """Return how many bytes both streams had written before a window, or with it."""
    begins: dict[Stream, int] = {}
    ends: dict[Stream, int] = {}
    for page in window.pages:
        for stream, at in page.begins.items():
            begins.setdefault(stream, at)
        ends |= page.ends
    return sum((begins if first else ends).values())
