"""What the dashboard says: one tile for each thing that somebody looks for first, people first of all.

Colour never says anything alone: each count has its symbol and its word, each spark its number.
"""

from collections.abc import Mapping, Sequence

from tidegate.history.glance import Glance, WorkflowGlance, success_rate
from tidegate.history.views import where
from tidegate.history.work import HOURS
from tidegate.model.events import RunStatus
from tidegate.model.listing import PauseRow
from tidegate.safe_text import safe_line
from tidegate.tui.lines import Column, Line, Piece, Tone, fit
from tidegate.tui.looks.symbols import RETRYING, run_sign
from tidegate.tui.present.day import graded, percent, spark
from tidegate.tui.present.shared import LONG, counted, first_line, short_id
from tidegate.tui.present.tiles import Content, Tile
from tidegate.tui.present.work import engine_tile, work_tile
from tidegate.tui.times import ago, due, lasted

__all__ = ["QUESTION_COLUMNS", "question_line", "tiles_of"]

QUESTION_COLUMNS = (
    Column("WAITS", 6, right=True),
    Column("DUE", 9, right=True, since=46),
    Column("WORKFLOW", 18, since=38),
    Column("RUN", 6, since=70),
    Column("AT", 20, since=96),
    Column("KIND", 8, since=80),
    Column("QUESTION"),
)
_NAME = 13
_SHORT_NAME = 11
"""Where most is said of it on one line."""
_STEP_HOURS = 6
_DAY = 86_400.0
_FEW = 5
"""Answers below which no share of them says anything."""
_OPEN = (RunStatus.PAUSED, RunStatus.INTERRUPTED, RunStatus.RUNNING, RunStatus.QUEUED)
_ENDED = (RunStatus.FAILED, RunStatus.REJECTED, RunStatus.SUCCEEDED, RunStatus.CANCELLED)


def tiles_of(glance: Glance, troubles: Sequence[str], now: float) -> tuple[Tile, ...]:
    """Return the tiles, the most important first.

    Args:
        glance: What was seen.
        troubles: Why runs are held, if any are.
        now: The instant that ages are shown from.
    """
    return (
        _waiting(glance, now),
        _deadlines(glance, now),
        _runs(glance),
        _day(glance),
        engine_tile(glance, troubles, now),
        work_tile(glance.work),
        _workflows(glance),
        _people(glance),
    )


def _waiting(glance: Glance, now: float) -> Tile:
    if not glance.waiting or glance.oldest is None:
        return Tile("waiting", "Waiting", (Piece("✓ nothing waits for anybody", Tone.DONE),), mode="inbox")
    late = (Piece(f" · {glance.late} late", Tone.FAILED),) if glance.late else ()
    headline = (
        Piece(f"◆ {glance.waiting:,} waiting", Tone.WAITING),
        *late,
        Piece(f" · oldest {ago(now - glance.oldest)}", Tone.PLAIN),
    )
    asked = tuple(
        _asked(row, fit(ago(now - row.opened_at), 6, right=True), now) for row in glance.questions[:20]
    )
    return Tile("waiting", "Waiting", headline, asked, mode="inbox")


def _asked(row: PauseRow, when: str, now: float) -> Content:
    is_late = row.deadline is not None and row.deadline <= now
    return (
        Piece(f"{when} ", Tone.FAILED if is_late else Tone.DIM),
        Piece(f"{_name(row.workflow)} ", Tone.PLAIN),
        Piece(first_line(row.prompt.text), Tone.DIM),
    )


def _name(workflow: str) -> str:
    return fit(safe_line(workflow, LONG), _NAME)


def _deadlines(glance: Glance, now: float) -> Tile:
    # What is late is said by the tile before; here is what comes next.
    coming = [row for row in glance.due if row.deadline is not None and row.deadline > now]
    shown = [*coming, *(row for row in glance.due if row not in coming)]
    lines = tuple(_asked(row, fit(due(row.deadline, now), 9, right=True), now) for row in shown[:20])
    if not coming:
        return Tile("deadlines", "Deadlines", (Piece("no deadline ahead", Tone.DIM),), lines, mode="inbox")
    headline = (
        Piece(f"next {due(coming[0].deadline, now)}", Tone.STRONG),
        Piece(f" · {safe_line(coming[0].workflow, LONG)}", Tone.PLAIN),
    )
    last = max(row.deadline or now for row in coming)
    # As many days as they all are within: those without a deadline are left out.
    words = f"due<{int((last - now) // _DAY) + 1}d"
    return Tile("deadlines", "Deadlines", headline, lines, mode="inbox", words=words)


def _runs(glance: Glance) -> Tile:
    total = sum(glance.by_status.values())
    if not total:
        return Tile("runs", "Runs", (Piece("no run yet", Tone.DIM),), mode="runs")
    lines = (_counts(glance.by_status, _ENDED), (Piece(f"{total:,} kept", Tone.DIM),))
    headline = _counts(glance.by_status, _OPEN) or (Piece("none is open", Tone.DIM),)
    return Tile("runs", "Runs", headline, tuple(line for line in lines if line), mode="runs")


def _counts(by_status: Mapping[str, int], statuses: Sequence[RunStatus]) -> Content:
    pieces: list[Piece] = []
    for status in statuses:
        if count := by_status.get(status, 0):
            sign = run_sign(status)
            pieces.append(Piece(f"{' · ' if pieces else ''}{sign.symbol} {count:,} {sign.word}", sign.tone))
    return tuple(pieces)


def _day(glance: Glance) -> Tile:
    lately = glance.lately
    ended = sum(lately.by_status.values())
    lines = (
        (
            Piece("started ", Tone.DIM),
            Piece(spark(lately.started), Tone.RUNNING),
            Piece(f" {sum(lately.started):,}", Tone.PLAIN),
        ),
        (
            Piece("ended   ", Tone.DIM),
            Piece(spark(lately.ended), Tone.DONE),
            Piece(f" {ended:,}", Tone.PLAIN),
        ),
        _counts(lately.by_status, _ENDED),
    )
    failed = lately.by_status.get(RunStatus.FAILED, 0)
    return Tile(
        "day",
        f"Last {HOURS} h",
        _rate(lately.by_status, "of the ended runs succeeded") or (Piece("no run has ended", Tone.DIM),),
        tuple(line for line in lines if line),
        mode="runs",
        words=RunStatus.FAILED.value if failed else "",
    )


def _rate(by_status: dict[str, int], words: str) -> Content:
    rate = success_rate(by_status)
    if rate is None:
        return ()
    symbol, tone = graded(rate)
    return (Piece(f"{symbol} {percent(rate)}", tone), Piece(f" {words}", Tone.DIM))


def _people(glance: Glance) -> Tile:
    times, longest = glance.answered, lasted(glance.answered.longest)
    lately = (Piece(f"{times.count:,} this week, {glance.answered_today:,} in {HOURS} hours", Tone.DIM),)
    if not times.count:
        return _answers((Piece("nothing was answered this week", Tone.DIM),))
    if times.count < _FEW:
        one = "took" if times.count == 1 else "the longest took"
        return _answers((Piece(f"{counted(times.count, 'answer')}, {one} {longest}", Tone.STRONG),), lately)
    headline = (
        Piece(f"half in {lasted(times.p50)}", Tone.STRONG),
        Piece(f" · 95 % in {lasted(times.p95)}", Tone.PLAIN),
    )
    return _answers(headline, (Piece(f"the longest took {longest}", Tone.DIM),), lately)


def _answers(headline: Content, *lines: Content) -> Tile:
    return Tile("people", "Answers", headline, lines, mode="activity", words="what:answered")


def _workflows(glance: Glance) -> Tile:
    if not glance.workflows:
        return Tile("workflows", "Workflows", (Piece("no run this week", Tone.DIM),), mode="workflows")
    lines = tuple(map(_workflow, glance.workflows))
    return Tile("workflows", "Workflows", lines[0], lines[1:], mode="workflows", names=_SHORT_NAME)


def _workflow(seen: WorkflowGlance) -> Content:
    rate = success_rate(seen.by_status)
    symbol, tone = graded(rate) if rate is not None else ("○", Tone.DIM)
    return (
        Piece(f"{safe_line(seen.name, LONG)} ", Tone.PLAIN),
        Piece(f"{symbol} {fit(percent(rate) if rate is not None else '-', 5, right=True)} ", tone),
        Piece(spark(_by_steps(seen.started)), Tone.RUNNING),
        Piece(_retried(seen.retries), Tone.WAITING),
        Piece(f" {seen.open:,} not ended" if seen.open else "", Tone.WAITING),
    )


def _retried(hours: Sequence[int]) -> str:
    total = sum(hours)
    words = "retry" if total == 1 else "retries"
    return f" {RETRYING.symbol} {spark(_by_steps(hours))} {total:,} {words}" if total else ""


def _by_steps(hours: Sequence[int]) -> list[int]:
    """Return the same in steps of some hours: where workflows stand in a list, there is no more room."""
    return [sum(hours[start : start + _STEP_HOURS]) for start in range(0, len(hours), _STEP_HOURS)]


def question_line(row: PauseRow, now: float) -> Line:
    """Return an open question as a row of a list."""
    is_late = row.deadline is not None and row.deadline <= now
    pieces = (
        Piece(ago(now - row.opened_at), Tone.WAITING),
        Piece(due(row.deadline, now), Tone.FAILED if is_late else Tone.DIM),
        Piece(safe_line(row.workflow, LONG), Tone.STRONG),
        Piece(short_id(row.root or row.run_id), Tone.DIM),
        Piece(safe_line(where(row), LONG), Tone.DIM),
        Piece(row.prompt.kind, Tone.DIM),
        Piece(first_line(row.prompt.text)),
    )
    return Line(row.pause_id, pieces, columns=True)
