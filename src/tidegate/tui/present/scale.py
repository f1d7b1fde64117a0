"""From instants to the cells of a line: long times in which nothing works are drawn short.

A run that waits over night for an answer would else show its three minutes of work in one cell.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from tidegate.tui.lines import Piece, Tone
from tidegate.tui.nouns.course import LONG_REST
from tidegate.tui.times import ago, clock_time

__all__ = ["Scale", "axis", "joined", "scale_of"]

_OF_WORK = 0.3
"""How wide one rest that is drawn short is, measured by all that is not."""
_ALL_RESTS = 0.6
"""The same for all of them together."""
_STEPS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400)
"""Seconds between two marks of an axis."""
_APART = 11
"""Cells between two marks, at least."""


@dataclass(frozen=True, slots=True)
class Scale:
    """Which cell an instant is in."""

    edges: tuple[float, ...]
    """Instants at which its measure changes, the first and the last one of all included; ascending."""
    cells: tuple[float, ...]
    """Where each of them is, in cells from the left."""
    short: frozenset[int] = frozenset()
    """Which of the parts between two edges are drawn short, by the index of their first edge."""

    @property
    def width(self) -> int:
        """How many cells it has."""
        return round(self.cells[-1])

    def place(self, at: float) -> float:
        """Return where an instant is, in cells from the left; one beyond an end is at that end."""
        if at <= self.edges[0]:
            return 0.0
        if at >= self.edges[-1]:
            return self.cells[-1]
        part = bisect_right(self.edges, at) - 1
        since, until = self.edges[part], self.edges[part + 1]
        left, right = self.cells[part], self.cells[part + 1]
        return left + (right - left) * (at - since) / (until - since)

    def cell(self, at: float) -> int:
        """Return which cell an instant is in, from 0."""
        return min(int(self.place(at)), self.width - 1)

    def span(self, since: float, until: float) -> range:
        """Return the cells of a time; one at least."""
        first = self.cell(since)
        return range(first, max(first + 1, min(self.width, int(self.place(until) + 0.5))))


def scale_of(
    start: float, end: float, rests: Sequence[tuple[float, float]], rested: float, width: int
) -> Scale:
    """Return the scale of a time.

    Args:
        start: Its first instant. Seconds since 1970 UTC.
        end: Its last one.
        rests: When nothing worked for long, in order.
        rested: For how many seconds nothing worked, all in all.
        width: Cells; at least 1.
    """
    end = max(end, start + 1e-3)
    within = [(max(start, since), min(end, until)) for since, until in rests if since < end and until > start]
    busy = (end - start) - rested
    long = [rest for rest in within if rest[1] - rest[0] > max(LONG_REST, busy)]
    if not long or busy <= 0:
        return Scale((start, end), (0.0, float(width)))
    return _cut(start, end, long, width)


def _cut(start: float, end: float, long: Sequence[tuple[float, float]], width: int) -> Scale:
    """Return a scale on which some rests are short."""
    others = (end - start) - sum(until - since for since, until in long)
    each = others * min(_OF_WORK, _ALL_RESTS / len(long))
    edges, lengths, short = [start], [0.0], set()
    for since, until in long:
        if since > edges[-1]:
            lengths.append(lengths[-1] + since - edges[-1])
            edges.append(since)
        short.add(len(edges) - 1)
        lengths.append(lengths[-1] + each)
        edges.append(until)
    if end > edges[-1]:
        lengths.append(lengths[-1] + end - edges[-1])
        edges.append(end)
    return Scale(tuple(edges), tuple(length * width / lengths[-1] for length in lengths), frozenset(short))


# -- the axis ---------------------------------------------------------------------------------


def axis(scale: Scale, holds: Sequence[tuple[float, float]], end: str, now: float) -> list[Piece]:
    """Return the line that says when what was.

    Args:
        scale: Of the lines below it.
        holds: When a person had paused the run.
        end: What its right end is: `now`, or `end`.
        now: Seconds since 1970 UTC.
    """
    letters = ["─"] * scale.width
    tones = [Tone.RULE] * scale.width
    for since, until in holds:
        for cell in scale.span(since, until):
            letters[cell], tones[cell] = "‖", Tone.WAITING
    last = f" {end} {clock_time(scale.edges[-1], now)}"
    limit = scale.width - len(last)
    _put(letters, tones, 0, f"{clock_time(scale.edges[0], now)} ")
    _put(letters, tones, max(0, limit), last)
    for cell, text in _rests(scale):
        # Most often it is the last one, in which somebody is waited for now: it stands before what names the end.
        _write(letters, tones, max(0, min(cell, limit - len(text))), text)
    for cell, text in _marks(scale):
        _write(letters, tones, cell, text)
    return joined(letters, tones)


def _write(letters: list[str], tones: list[Tone], at: int, text: str) -> None:
    """Write a mark, with a free cell before it, unless something else is there."""
    if all(letter == "─" for letter in letters[max(0, at - 1) : at + len(text)]):
        _put(letters, tones, at, text)


def _put(letters: list[str], tones: list[Tone], at: int, text: str) -> None:
    """Write a text over whatever is there, if it has room."""
    if at + len(text) <= len(letters):
        letters[at : at + len(text)] = text
        tones[at : at + len(text)] = [Tone.DIM] * len(text)


def _rests(scale: Scale) -> Iterator[tuple[int, str]]:
    """Yield where times are that are drawn short, and how long they were."""
    for part in sorted(scale.short):
        text = f"╱{ago(scale.edges[part + 1] - scale.edges[part])}╱"  # noqa: RUF001 - the sign is meant
        yield int((scale.cells[part] + scale.cells[part + 1] - len(text)) / 2 + 0.5), text


def _marks(scale: Scale) -> Iterator[tuple[int, str]]:
    """Yield where an axis has instants, and what they say."""
    for part in range(len(scale.edges) - 1):
        since, until = scale.edges[part], scale.edges[part + 1]
        left, right = scale.cells[part], scale.cells[part + 1]
        if part not in scale.short and right > left:
            yield from _ticks(scale, since, until, (until - since) / (right - left))


def _ticks(scale: Scale, since: float, until: float, per_cell: float) -> Iterator[tuple[int, str]]:
    step = next((step for step in _STEPS if step >= per_cell * _APART), 0)
    if not step:
        step = _STEPS[-1] * max(1, round(per_cell * _APART / _STEPS[-1]))
    # Marks are at full minutes and hours of the clock on the wall.
    offset = (_local(since).utcoffset() or _local(since) - _local(since)).total_seconds()
    at = (int((since + offset) // step) + 1) * step - offset
    while at < until:
        yield scale.cell(at), f"┬{_local(at):{_form(step)}}"
        at += step


def _form(step: int) -> str:
    if step >= _STEPS[-1]:
        return "%m-%d"
    return "%H:%M" if step >= 60 else "%H:%M:%S"  # noqa: PLR2004 - seconds of a minute


def _local(at: float) -> datetime:
    return datetime.fromtimestamp(at, UTC).astimezone()


def joined(letters: Sequence[str], tones: Sequence[Tone]) -> list[Piece]:
    """Return letters as pieces, as few as their tones allow."""
    pieces: list[Piece] = []
    start = 0
    for cell in range(1, len(letters) + 1):
        if cell == len(letters) or tones[cell] is not tones[start]:
            pieces.append(Piece("".join(letters[start:cell]), tones[start]))
            start = cell
    return pieces
