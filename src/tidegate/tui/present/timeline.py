"""A run's past on one line and in one list: its checkpoints, and where in it one is."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tidegate.history.views import RunView
from tidegate.model.checkpoint import CheckpointMetadata
from tidegate.model.events import Origin
from tidegate.model.policy import CheckpointKind
from tidegate.safe_text import safe_line
from tidegate.tui.lines import Column, Line, Piece, Tone, text_line
from tidegate.tui.looks.symbols import checkpoint_sign
from tidegate.tui.present.checkpoints import PINNED
from tidegate.tui.present.runs import signed
from tidegate.tui.present.shared import LONG, counted
from tidegate.tui.times import clock_time

__all__ = [
    "NOW_KEY",
    "POINT_COLUMNS",
    "News",
    "Timeline",
    "event_of",
    "live_pieces",
    "point_lines",
    "scrubber",
    "where_pieces",
]

NOW_KEY = "now"
"""Of the row that stands for the newest event."""
POINT_COLUMNS = (
    Column("#", 3, right=True),
    Column("TYPE", 10),
    Column("WHEN", 8, since=38),
    Column("%", 3, right=True, since=32),
    Column("AT"),
)
_WEIGHT = {
    CheckpointKind.WAVE: 0,
    CheckpointKind.EXPLICIT: 1,
    CheckpointKind.PAUSE: 2,
    CheckpointKind.FAILURE: 3,
}
"""Which of two checkpoints in one cell is shown."""


@dataclass(frozen=True, slots=True)
class News:
    """What has happened in a run since somebody began to look at its past."""

    events: int = 0
    checkpoints: int = 0

    @property
    def words(self) -> str:
        """It, as the beginning of a sentence; empty: nothing has happened."""
        if self.checkpoints:
            return counted(self.checkpoints, "new checkpoint")
        return counted(self.events, "new event") if self.events else ""


@dataclass(frozen=True, slots=True)
class Timeline:
    """A run's past as far as it was read; it stays so while the run goes on, until somebody asks for now."""

    head: int
    """Its newest event then."""
    started_at: float
    checkpoints: tuple[CheckpointMetadata, ...]
    """Oldest first."""
    origin: Origin | None = None
    """Of a fork, the last point that it shares with the run that it goes on from."""

    @property
    def inherited(self) -> int:
        """The last event that is that of another run; 0: all are its own."""
        return self.origin.seq if self.origin is not None else 0

    def number(self, seq: int) -> int:
        """Return the number, from 1, of the newest checkpoint at or before an event; 0: there is none."""
        return sum(mark.seq <= seq for mark in self.checkpoints)

    def numbers(self, seq: int) -> str:
        """Return the number of the checkpoint right at an event, or of those from the first to the last."""
        last = self.number(seq)
        first = self.number(seq - 1) + 1
        return f"#{last}" if first >= last else f"#{first}-{last}"

    def mark_at(self, seq: int) -> CheckpointMetadata | None:
        """Return the checkpoint right at an event."""
        number = self.number(seq)
        return self.checkpoints[number - 1] if number and self.checkpoints[number - 1].seq == seq else None

    def before(self, seq: int) -> int:
        """Return the event of the checkpoint before another event; the start where there is none."""
        return max((mark.seq for mark in self.checkpoints if mark.seq < seq), default=1)

    def after(self, seq: int) -> int:
        """Return the event of the next checkpoint; the newest event where there is none."""
        return min((mark.seq for mark in self.checkpoints if mark.seq > seq), default=self.head)


def where_pieces(timeline: Timeline, seq: int, at: float, percent: float, now: float) -> tuple[Piece, ...]:
    """Return at which point one is, with the word that says whether that is the past.

    Args:
        timeline: Of the run.
        seq: The event one is right after.
        at: When that was. Seconds since 1970 UTC.
        percent: How much of the run had ended then.
        now: Seconds since 1970 UTC.
    """
    number, mark = timeline.number(seq), timeline.mark_at(seq)
    among = (
        f"{timeline.numbers(seq)} of {len(timeline.checkpoints)}"
        if mark is not None
        else f"after #{number} of {len(timeline.checkpoints)}"
    )
    place = f" viewing {among} · " if timeline.checkpoints else " viewing "
    whose = f", {_INHERITED}" if seq <= timeline.inherited else ""
    return (
        Piece(" PAST " if seq < timeline.head else " AS OF ", Tone.PAST),
        Piece(f"{place}event {seq} of {timeline.head}{whose}", Tone.STRONG),
        Piece(f" ({clock_time(at, now)}, {percent:.0f} %)", Tone.PLAIN),
    )


def live_pieces(view: RunView, news: News) -> tuple[Piece, ...]:
    """Return where the run itself is meanwhile."""
    sign = signed(view)
    said = (Piece("the run itself is ", Tone.DIM), sign.piece)
    if not news.words:
        return said
    return (
        *said,
        Piece(f" · {news.words}; ", Tone.WAITING),
        Piece(".", Tone.KEY, "screen.now"),
        Piece(" jumps to now", Tone.DIM),
    )


# -- the list ---------------------------------------------------------------------------------


def point_lines(timeline: Timeline, at: int, marked: int | None, now: float) -> list[Line]:
    """Return the points one can step to, from the start of the run to now.

    Args:
        timeline: Of the run.
        at: The event one is right after; it has a row, whether it is a checkpoint or not.
        marked: The event that others are compared with.
        now: Seconds since 1970 UTC.
    """
    start = Line("1", _cells("", Piece("○ start", Tone.DIM), timeline.started_at, 0.0, now), columns=True)
    rows = {1: [start]} | _mark_rows(timeline, now)
    if at not in rows and at < timeline.head:
        cells = (Piece(""), Piece(f"· @{at}", Tone.ACCENT), Piece(""), Piece(""), Piece("event"))
        rows[at] = [Line(str(at), cells, columns=True)]
    if marked in rows:
        rows[marked] = list(map(_with_mark, rows[marked]))
    here = Line(
        NOW_KEY,
        (
            Piece(""),
            Piece("» now", Tone.STRONG),
            Piece(""),
            Piece(""),
            Piece(f"event {timeline.head}", Tone.DIM),
        ),
        columns=True,
    )
    shared = [row for seq in sorted(rows) if seq <= timeline.inherited for row in rows[seq]]
    own = [row for seq in sorted(rows) if seq > timeline.inherited for row in rows[seq]]
    return [*shared, *_fork_lines(timeline), *own, here]


def _fork_lines(timeline: Timeline) -> list[Line]:
    """Return what stands between the points that are inherited and those that are the run's own."""
    if timeline.origin is None:
        return []
    return [text_line(f"↑ {_INHERITED}  ↓ own", Tone.DIM, key="fork")]


def event_of(key: str) -> int:
    """Return the event that a row stands for: of several checkpoints at one, each has a row."""
    return int(key.partition(":")[0])


def _mark_rows(timeline: Timeline, now: float) -> dict[int, list[Line]]:
    rows: dict[int, list[Line]] = {}
    for number, mark in enumerate(timeline.checkpoints, 1):
        row, at_event = _mark_row(mark, number, now), rows.setdefault(mark.seq, [])
        at_event.append(replace(row, key=f"{row.key}:{mark.checkpoint_id}") if at_event else row)
    return rows


def _with_mark(line: Line) -> Line:
    return Line(line.key, line.pieces, columns=True, mark="x")


def _mark_row(mark: CheckpointMetadata, number: int, now: float) -> Line:
    sign = checkpoint_sign(mark.kind, is_paused=mark.is_paused)
    label, block = safe_line(mark.label, LONG), safe_line(mark.block or "", LONG)
    pinned = PINNED if mark.pinned else ""
    said = " · ".join(filter(None, (pinned, label, block))) or "-"
    cells = _cells(str(number), sign.piece, mark.created_at, mark.summary.progress_percentage, now)
    return Line(str(mark.seq), (*cells, Piece(said)), columns=True)


def _cells(number: str, sign: Piece, at: float, percent: float, now: float) -> tuple[Piece, ...]:
    return (
        Piece(number, Tone.DIM),
        sign,
        Piece(clock_time(at, now)[-8:], Tone.DIM),
        Piece(f"{percent:.0f}", Tone.DIM),
    )


# -- the line ---------------------------------------------------------------------------------


def scrubber(timeline: Timeline, at: int, marked: int | None, width: int) -> list[Line]:
    """Return the run as a line of *width* cells, with its checkpoints and where one is, and its waves below.

    Each checkpoint can be clicked.
    """
    if width < _LEAST:
        return []
    places = _Places(timeline, width)
    cells = _track(timeline, places)
    weights = [-1] * width
    for mark in timeline.checkpoints:
        cell, weight = places.of(mark.seq), _WEIGHT[mark.kind]
        if weight > weights[cell]:
            sign = checkpoint_sign(mark.kind, is_paused=mark.is_paused)
            symbol = "●" if mark.kind is CheckpointKind.WAVE else sign.symbol
            weights[cell] = weight
            cells[cell] = Piece(symbol, sign.tone, f"screen.go({mark.seq})")
    if marked is not None:
        cells[places.of(marked)] = Piece("x", Tone.ACCENT, f"screen.go({marked})")
    here = places.of(at)
    cells[here] = Piece("▲" if cells[here].text in (_OWN_RULE, _SHARED_RULE) else cells[here].text, Tone.PAST)
    if timeline.inherited:
        _name_parts(cells, places.of(timeline.inherited))
    return [Line("scrubber", tuple(cells), selectable=False), _waves(timeline, places, here)]


_LEAST = 10
_INHERITED = "inherited"
_OWN_RULE, _SHARED_RULE = "─", "═"


def _track(timeline: Timeline, places: "_Places") -> list[Piece]:
    """Return the line with nothing on it: double where it is that of the run which a fork goes on from."""
    shared = places.of(timeline.inherited) + 1 if timeline.inherited else 0
    own = places.last + 1 - shared
    return [Piece(_SHARED_RULE, Tone.RULE)] * shared + [Piece(_OWN_RULE, Tone.RULE)] * own


def _name_parts(cells: list[Piece], last: int) -> None:
    """Write into the gaps of the line, where there is room, up to which cell a fork inherits it."""
    for start, end, words in ((0, last + 1, (_INHERITED, "inh.")), (last + 1, len(cells), ("own",))):
        for word in words:
            if _write(cells, start, end, f" {word} "):
                break


def _write(cells: list[Piece], start: int, end: int, word: str) -> bool:
    """Write a word into the first gap that has room for it, and for a piece of the line on both sides."""
    line = "".join(cell.text for cell in cells[start:end])
    rule = _SHARED_RULE if start == 0 else _OWN_RULE
    at = line.find(rule * (len(word) + 2))
    if at < 0:
        return False
    cells[start + at + 1 : start + at + 1 + len(word)] = [Piece(letter, Tone.DIM) for letter in word]
    return True


class _Places:
    """Where on a line events stand: the later the further right, checkpoints side by side where many meet."""

    def __init__(self, timeline: Timeline, width: int) -> None:
        self._head = max(2, timeline.head)
        self._last = width - 1

    @property
    def last(self) -> int:
        """The last cell."""
        return self._last

    def of(self, seq: int) -> int:
        """Return the cell of an event."""
        return min(self._last, max(0, round((seq - 1) * self._last / (self._head - 1))))


def _waves(timeline: Timeline, places: _Places, here: int) -> Line:
    """Return where waves end, with their numbers where there is room."""
    pieces: list[Piece] = []
    start = 0
    for number, end in _wave_ends(timeline, places):
        room = end - start
        if room < 1:
            continue
        name = next((name for name in (f" wave {number} ", str(number)) if len(name) < room - 1), "")
        inner = name.center(room - 1, "─")
        pieces.append(
            Piece(f"├{inner}"[:room], Tone.ACCENT if start < here <= end or here == start == 0 else Tone.RULE)
        )
        start = end
    return Line("waves", (*pieces, Piece("┤", Tone.RULE)), selectable=False)


def _wave_ends(timeline: Timeline, places: _Places) -> Sequence[tuple[int, int]]:
    """Return each wave that checkpoints tell of, from 1, with the cell it ends in; the last one ends at the end."""
    ends: dict[int, int] = {}
    for mark in timeline.checkpoints:
        if mark.kind is CheckpointKind.WAVE:
            ends[mark.summary.wave + 1] = places.of(mark.seq)
    found = sorted(ends.items())
    total = max((mark.summary.total_waves for mark in timeline.checkpoints), default=1)
    if found and found[-1][0] >= total:
        # Behind the last wave comes nothing but the end.
        found[-1] = (found[-1][0], places.last)
    elif not found or found[-1][1] < places.last:
        found.append((found[-1][0] + 1 if found else 1, places.last))
    return found
