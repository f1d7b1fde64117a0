"""When each place of a run worked and waited, as bars over time: one stretch for each attempt."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from rich.cells import cell_len

from tidegate.model.ids import BlockId, block_of
from tidegate.model.state import RunState
from tidegate.tui.lines import Line, Piece, Tone, fit
from tidegate.tui.nouns.course import Course, Doing, End, Stretch
from tidegate.tui.present.board import BlockItem
from tidegate.tui.present.scale import Scale, axis, joined, scale_of

__all__ = ["Chart", "chart_of", "gantt_lines", "hint_of"]

_NARROWEST, _WIDEST = 10, 28
"""Cells of the names; where there is much room they may have a fifth of it."""
_TIME = 8
"""Cells of how long a place took, and of the gap before it."""
_TIMED = 56
"""Cells of a row from which on it says so."""

_BARS = {Doing.WORK: "▇", Doing.PERSON: "┄", Doing.DELAY: "░"}
_ENDS = {
    End.FAILED: ("✗", Tone.FAILED),
    End.REJECTED: ("⊗", Tone.FAILED),
    End.CUT: ("×", Tone.DIM),  # noqa: RUF001 - the sign is meant
}
_RANK = ("", "░", "▇", "┄", "!", "●", "◆", "×", "⊗", "✗")  # noqa: RUF001 - the sign is meant
"""Which of two signs in one cell is seen: the later one. What calls for a person now is over all of them."""
_IS_OVER = {sign: rank for rank, sign in enumerate(_RANK)}
_BAD_ENDS = frozenset(sign for sign, _ in _ENDS.values())


@dataclass(frozen=True, slots=True)
class Chart:
    """Everything that bars are drawn from."""

    state: RunState
    course: Course
    now: float
    """Seconds since 1970 UTC."""
    critical: frozenset[BlockId]
    """The blocks that nothing else has waited longer for."""
    calling: frozenset[BlockId]
    """The blocks of which some part waits for a person now, whatever their others do."""

    @property
    def end(self) -> float:
        """What the right end is: now, or when the run ended."""
        return self.state.updated_at if self.state.finished is not None else self.now

    @property
    def is_read(self) -> bool:
        """Whether the whole past of the run is known."""
        return self.course.head >= self.state.head

    def scale(self, width: int) -> Scale:
        """Return which cell is when, of *width*."""
        course, rests = self.course, self._ended(self.course.rests)
        going_on = sum(self.end - since for since, until in course.rests if until is None)
        return scale_of(
            course.began or self.state.started_at, self.end, rests, course.rested + going_on, width
        )

    @property
    def holds(self) -> list[tuple[float, float]]:
        """When a person had paused the run."""
        return self._ended(self.course.holds)

    def _ended(self, times: Sequence[tuple[float, float | None]]) -> list[tuple[float, float]]:
        return [(since, self.end if until is None else until) for since, until in times]


def chart_of(state: RunState, course: Course, path: Sequence[BlockId], now: float) -> Chart:
    """Return what the bars of a run are drawn from."""
    return Chart(state, course, now, frozenset(path), frozenset(_calling(state)))


def _calling(state: RunState) -> Iterator[BlockId]:
    yield from (block_of(state.pauses[pause].block) for pause in state.open_pauses)
    if state.asleep:
        yield from (block_of(place) for place in state.children if state.block(place).is_asleep)


def hint_of(chart: Chart, path: Sequence[BlockId]) -> str:
    """Return what a border says of a chart: its critical path."""
    if not chart.is_read:
        return f"reading event {chart.course.head} of {chart.state.head}"
    return f"bold: critical path {' › '.join(path)}" if path else ""  # noqa: RUF001 - the sign is meant


def gantt_lines(
    chart: Chart, rows: Sequence[BlockItem], cursor: BlockId | None, width: int, longest: int
) -> list[Line]:
    """Return an axis, and the bars below it.

    Args:
        chart: What they are drawn from.
        rows: Blocks, and parts of those that are unfolded.
        cursor: Which of them the cursor is on.
        width: Cells.
        longest: Cells of the longest name, of rows that are not seen, too.
    """
    widest = max(_WIDEST, width // 5)
    names = min(max(_NARROWEST, longest + 3), widest, max(_NARROWEST, width // 3))
    aside = _TIME if width >= _TIMED else 0
    scale = chart.scale(max(1, width - names - 1 - aside))
    end = "end" if chart.state.finished is not None else "now"
    head = Line(
        "axis", (Piece(" " * (names + 1)), *axis(scale, chart.holds, end, chart.now)), selectable=False
    )
    return [head, *(_row(chart, scale, item, cursor, names, aside) for item in rows)]


def _row(chart: Chart, scale: Scale, item: BlockItem, cursor: BlockId | None, names: int, aside: int) -> Line:
    if not item.block:
        return Line("more", (Piece(fit(f"   {item.name}", names), Tone.DIM),), selectable=False)
    action = f"screen.block({str(item.block)!r})"
    pieces = [*_name(chart, item, cursor, names, action), Piece(" "), *_bars(chart, scale, item)]
    if aside:
        pieces.append(Piece(fit(item.time, aside, right=True), Tone.DIM, action))
    return Line(item.block, tuple(pieces), selectable=False)


def _name(
    chart: Chart, item: BlockItem, cursor: BlockId | None, width: int, action: str
) -> tuple[Piece, ...]:
    lead = "  " if item.is_part else ""
    if item.block == cursor:
        return (Piece(fit(f"▌{lead}{item.symbol} {item.name}", width), Tone.CHOSEN, action),)
    tone = Tone.DIM if item.tone is Tone.DIM else Tone.PLAIN
    sign = f" {lead}{item.symbol} "
    return (
        Piece(sign, item.tone, action),
        Piece(
            fit(item.name, width - cell_len(sign)),
            Tone.STRONG if item.block in chart.critical else tone,
            action,
        ),
    )


def _bars(chart: Chart, scale: Scale, item: BlockItem) -> list[Piece]:
    stretches = chart.course.of(item.block)
    if not stretches:
        ended = chart.state.block(item.block).ended_at
        is_before = ended is not None and ended <= chart.course.began
        said = "done before it was forked" if is_before and chart.is_read else ""
        return [Piece(fit(said, scale.width), Tone.DIM)]
    row = _Row([""] * scale.width, [Tone.PLAIN] * scale.width)
    work = Tone.STRONG if item.block in chart.critical else Tone.DIM
    last = _newest(chart, item.block, stretches[-1])
    for stretch in (*stretches[:-1], last):
        _draw(chart, scale, stretch, work, row)
    for at in chart.course.losses.get(item.block, ()):
        row.put(scale.cell(at), "✗", Tone.FAILED)
    _call(chart, scale, item.block, last, row)
    return joined([sign or " " for sign in row.signs], row.tones)


@dataclass(frozen=True, slots=True)
class _Row:
    """The cells of a row that is being drawn."""

    signs: list[str]
    tones: list[Tone]

    def put(self, cell: int, sign: str, tone: Tone) -> None:
        """Draw a sign, unless there is one that counts for more."""
        if _IS_OVER[sign] > _IS_OVER[self.signs[cell]]:
            self.signs[cell], self.tones[cell] = sign, tone

    def call(self, cell: int) -> None:
        """Draw that somebody is waited for, whatever is there."""
        self.signs[cell], self.tones[cell] = "◆", Tone.WAITING

    def first_free(self, cells: range) -> int:
        """Return the first of *cells* in which nothing ended badly; the first of all if there is none.

        A wait often begins where an attempt was lost: both are seen then, one beside the other.
        """
        return next((cell for cell in cells if self.signs[cell] not in _BAD_ENDS), cells[0])


def _newest(chart: Chart, place: BlockId, stretch: Stretch) -> Stretch:
    """Return the newest stretch of a place; it lasts no longer than the place.

    What a cancelled run takes along ends without an event of its own, while what runs always may go on for long.
    """
    block = chart.state.block(place)
    ended = block.ended_at if block.status.has_ended and chart.is_read else None
    if ended is None or (stretch.until is not None and stretch.until <= ended):
        return stretch
    return replace(stretch, until=max(ended, stretch.since), end=End.CUT)


def _call(chart: Chart, scale: Scale, place: BlockId, last: Stretch, row: _Row) -> None:
    """Let no other sign hide that a person is waited for now, here or by a part of a block that goes on."""
    if last.until is not None:
        return
    cells = scale.span(last.since, chart.end)
    if last.doing is Doing.PERSON:
        row.call(row.first_free(cells))
    elif place in chart.calling:
        row.call(cells[-1])


def _draw(chart: Chart, scale: Scale, stretch: Stretch, work: Tone, row: _Row) -> None:
    until = chart.end if stretch.until is None else stretch.until
    cells = scale.span(stretch.since, until)
    tone = {Doing.WORK: work, Doing.PERSON: Tone.WAITING, Doing.DELAY: Tone.DIM}[stretch.doing]
    if stretch.doing is Doing.WORK and stretch.until is None and work is Tone.DIM:
        tone = Tone.RUNNING
    for cell in cells:
        row.put(cell, _BARS[stretch.doing], tone)
    if stretch.doing is Doing.PERSON:
        row.put(row.first_free(cells), "◆", Tone.WAITING)
        if (late := _late(chart, stretch)) is not None and late < until:
            for cell in scale.span(late, until):
                row.put(cell, "!", Tone.FAILED)
    if stretch.end in _ENDS:
        row.put(cells[-1], *_ENDS[stretch.end])
    if stretch.until is None and stretch.doing is Doing.WORK:
        row.put(cells[-1], "●", Tone.RUNNING)


def _late(chart: Chart, stretch: Stretch) -> float | None:
    """Return when an answer was due; None: at no time, or it does not count while the run is paused."""
    pause = chart.state.pauses.get(stretch.pause_id) if stretch.pause_id is not None else None
    return pause.deadline if pause is not None else None
