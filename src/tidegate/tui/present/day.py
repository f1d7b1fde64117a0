"""What the dashboard draws where it has room: the last day hour by hour, and the week of each workflow."""

from collections.abc import Iterator
from functools import partial
from itertools import groupby

from tidegate.history.glance import Glance, Lately, WorkflowGlance, success_rate
from tidegate.history.work import HOURS
from tidegate.safe_text import safe_line
from tidegate.tui.lines import Piece, Tone, fit
from tidegate.tui.looks.symbols import run_sign
from tidegate.tui.present.shared import LONG
from tidegate.tui.present.tiles import Content, Tile

__all__ = ["BARS", "day_lines", "day_tile", "graded", "percent", "spark", "week_tile"]

BARS = "▁▂▃▄▅▆▇█"
_NONE = "·"
_HALF, _GOOD = 0.5, 0.9
_WISHED = 7
"""Lines that the bars have if there is room."""
_LEAST_SCALE = 4
"""Runs that fill the height at least: one run alone is no peak."""
_APART, _PAIRED = 3, 2
"""Cells of an hour from which on its two bars stand apart from the next ones, and from which on there are two."""
_EVERY = 6
"""Hours from one mark below the bars to the next."""
_NAME, _NUMBER, _RETRIES = 18, 6, 12
_STEP_HOURS = 3
"""Hours of a cell where retries are told: there is no more room."""


def spark(counts: tuple[int, ...] | list[int]) -> str:
    """Return numbers as bars of one cell each; a dot is none."""
    most = max(counts, default=0)
    return "".join(BARS[(count * len(BARS) - 1) // most] if count else _NONE for count in counts)


def percent(rate: float) -> str:
    """Return a part, 0 to 1, in words; rounded down: 100 % means that none failed."""
    return f"{int(rate * 100)} %"


def graded(rate: float) -> tuple[str, Tone]:
    """Return how good a part of successes is, as a sign and its tone."""
    if rate >= _GOOD:
        return "✓", Tone.DONE
    return ("!", Tone.WAITING) if rate >= _HALF else ("✗", Tone.FAILED)


# -- the last day -----------------------------------------------------------------------------


def day_tile(lately: Lately) -> Tile:
    """Return the last day, hour by hour: what began and what ended, side by side."""
    began, ended = sum(lately.started), sum(lately.ended)
    title = f"Last {HOURS} h, hour by hour"
    if not began and not ended:
        return Tile("hours", title, (Piece("nothing has begun or ended", Tone.DIM),), mode="runs")
    headline = (
        Piece(f"{began:,} begun", Tone.RUNNING),
        Piece(" (left bars) · ", Tone.DIM),
        Piece(f"{ended:,} ended", Tone.DONE),
        Piece(" (right bars)", Tone.DIM),
    )
    drawn = partial(day_lines, lately)
    return Tile("hours", title, headline, ((),) * _WISHED, mode="runs", drawn=drawn)


def day_lines(lately: Lately, width: int, height: int) -> tuple[Content, ...]:
    """Return bars of what began and ended in each hour, and below them how long ago that was.

    Args:
        lately: What is drawn.
        width: Cells; less than one an hour, and nothing is drawn.
        height: Lines; the last one has the hours.
    """
    most = max(*lately.started, *lately.ended, _LEAST_SCALE)
    edge = len(f"{most:,}") + 1
    each, rows = (width - edge) // HOURS, height - 1
    if each < 1 or rows < 1:
        return ()
    lines: list[Content] = []
    for row in reversed(range(rows)):
        label = f"{most:,}" if row == rows - 1 else ""
        cells = [cell for hour in range(HOURS) for cell in _hour(lately, hour, each, (row, rows, most))]
        lines.append((Piece(f"{label:>{edge - 1}} ", Tone.DIM), *_joined(cells)))
    return (*lines, (Piece(" " * edge + _ago(each), Tone.DIM),))


def _hour(lately: Lately, hour: int, each: int, scale: tuple[int, int, int]) -> Iterator[tuple[Tone, str]]:
    """Yield the cells of an hour in one line; *scale*: which line from below, of how many, and what fills them."""
    row, rows, most = scale
    gap = 1 if each >= _APART else 0
    series = [(Tone.RUNNING, lately.started[hour]), (Tone.DONE, lately.ended[hour])]
    shown = series if each >= _PAIRED else series[:1]
    for at, (tone, count) in enumerate(shown):
        # What there is at all is seen.
        eighths = max(1, count * rows * len(BARS) // most) if count else 0
        filled = min(max(eighths - row * len(BARS), 0), len(BARS))
        wide = (each - gap + at) // len(shown)
        yield from [(tone, BARS[filled - 1])] * wide if filled else [(Tone.PLAIN, " ")] * wide
    yield from [(Tone.PLAIN, " ")] * gap


def _joined(cells: list[tuple[Tone, str]]) -> Iterator[Piece]:
    for tone, group in groupby(cells, key=lambda cell: cell[0]):
        yield Piece("".join(text for _, text in group), tone)


def _ago(each: int) -> str:
    marks = (f"{HOURS - hour} h{'' if hour else ' ago'}" for hour in range(0, HOURS, _EVERY))
    words = "".join(mark.ljust(each * _EVERY) for mark in marks)
    return words[: each * HOURS - 4].ljust(each * HOURS - 4) + " now"


# -- the week of each workflow ----------------------------------------------------------------


def week_tile(glance: Glance) -> Tile:
    """Return how the runs of each workflow went in the last week, the busiest first."""
    if not glance.workflows:
        return Tile(
            "week", "Workflows, last 7 days", (Piece("no run this week", Tone.DIM),), mode="workflows"
        )
    titles = (
        f"{'WORKFLOW':<{_NAME}} {'SUCCESS':<9}{'ENDED':>{_NUMBER}}{'OPEN':>{_NUMBER}}  {'LAST':<13} "
        f"{'RETRIES':<{_RETRIES}} BEGUN, LAST {HOURS} H"
    )
    lines = tuple(map(_week, glance.workflows))
    return Tile("week", "Workflows, last 7 days", (Piece(titles, Tone.HEADING),), lines, mode="workflows")


def _week(seen: WorkflowGlance) -> Content:
    rate, ended = success_rate(seen.by_status), sum(seen.by_status.values())
    symbol, tone = graded(rate) if rate is not None else ("○", Tone.DIM)
    last = run_sign(seen.last_status) if seen.last_status is not None else None
    return (
        Piece(f"{fit(safe_line(seen.name, LONG), _NAME)} ", Tone.PLAIN),
        Piece(f"{symbol} {fit(percent(rate) if rate is not None else '-', 5, right=True)}  ", tone),
        Piece(f"{ended:>{_NUMBER},}", Tone.PLAIN),
        Piece(f"{seen.open:>{_NUMBER},}  ", Tone.WAITING if seen.open else Tone.DIM),
        Piece(fit(f"{last.symbol} {last.word}" if last else "", 13) + " ", last.tone if last else Tone.DIM),
        Piece(f"{_retried(seen.retries)} ", Tone.WAITING if any(seen.retries) else Tone.DIM),
        Piece(spark(seen.started), Tone.RUNNING),
    )


def _retried(hours: tuple[int, ...]) -> str:
    """Return how often attempts were made again in the last day, in all and bit by bit."""
    total = sum(hours)
    steps = [sum(hours[start : start + _STEP_HOURS]) for start in range(0, len(hours), _STEP_HOURS)]
    return fit(f"{spark(steps)} {total:,}" if total else "none", _RETRIES)
