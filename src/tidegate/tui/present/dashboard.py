"""What the dashboard says: one tile for each thing that somebody looks for first, people first of all.

Colour never says anything alone: each count has its symbol and its word, each spark its number.
"""

from collections.abc import Mapping, Sequence

from tidegate.history.glance import HOURS, Glance, WorkflowGlance, success_rate
from tidegate.history.spans import size
from tidegate.history.views import where
from tidegate.model.events import RunStatus
from tidegate.model.listing import PauseRow
from tidegate.safe_text import safe_line
from tidegate.tui.lines import Column, Line, Piece, Tone, fit
from tidegate.tui.looks.symbols import run_sign
from tidegate.tui.present.day import graded, percent, spark
from tidegate.tui.present.shared import LONG, counted, first_line, short_id
from tidegate.tui.present.tiles import Content, Tile
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
        _engine(glance, troubles, now),
        _people(glance),
        _workflows(glance),
        _store(glance),
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
    return Tile("deadlines", "Deadlines", headline, lines, mode="inbox")


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


def _engine(glance: Glance, troubles: Sequence[str], now: float) -> Tile:
    del now
    stray = glance.by_status.get(RunStatus.INTERRUPTED, 0)
    problems = [
        *(safe_line(text, LONG) for text in troubles),
        *([safe_line(glance.damage, LONG)] if glance.damage else []),
    ]
    driven = sum(glance.owners.values())
    owners = tuple(
        (Piece(f"{count:>6,} ", Tone.RUNNING), Piece(f"by {safe_line(owner, LONG)}", Tone.DIM))
        for owner, count in glance.owners.items()
        # One is said with how many it drives.
        if len(glance.owners) > 1
    )
    held = tuple((Piece(f"! {text}", Tone.FAILED),) for text in problems)
    # The processes of a host differ in their numbers only; what matters is how many there are.
    driving = (Piece(f"● {counted(driven, 'run')} driven by {_processes(len(glance.owners))}", Tone.RUNNING),)
    calm = driving if driven else (Piece("○ nothing is driven now", Tone.DIM),)
    lost = (Piece(f"! {counted(stray, 'run')} without a driver", Tone.FAILED),)
    lines = [*held, *([lost] if stray else []), calm, *owners]
    words = RunStatus.INTERRUPTED.value if stray else ""
    return Tile("engine", "Engine", lines[0], tuple(lines[1:]), mode="runs", words=words)


def _processes(count: int) -> str:
    return "1 process" if count == 1 else f"{count} processes"


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
    # No list is behind it: what was answered stands with its runs.
    return Tile("people", "Answers", headline, lines)


def _workflows(glance: Glance) -> Tile:
    if not glance.workflows:
        return Tile("workflows", "Workflows", (Piece("no run this week", Tone.DIM),), mode="workflows")
    lines = tuple(map(_workflow, glance.workflows))
    return Tile("workflows", "Workflows", lines[0], lines[1:], mode="workflows")


def _workflow(seen: WorkflowGlance) -> Content:
    rate = success_rate(seen.by_status)
    symbol, tone = graded(rate) if rate is not None else ("○", Tone.DIM)
    return (
        Piece(f"{fit(safe_line(seen.name, LONG), _SHORT_NAME)} ", Tone.PLAIN),
        Piece(f"{symbol} {fit(percent(rate) if rate is not None else '-', 5, right=True)} ", tone),
        Piece(spark(_by_steps(seen.started)), Tone.RUNNING),
        Piece(f" {seen.open:,} not ended" if seen.open else "", Tone.WAITING),
    )


def _by_steps(hours: Sequence[int]) -> list[int]:
    """Return the same in steps of some hours: where workflows stand in a list, there is no more room."""
    return [sum(hours[start : start + _STEP_HOURS]) for start in range(0, len(hours), _STEP_HOURS)]


def _store(glance: Glance) -> Tile:
    store = glance.store
    if store is None:
        return Tile("store", "Store", (Piece("not counted yet", Tone.DIM),), mode="checkpoints")
    free = f" · {size(store.free_bytes)} free" if store.free_bytes else ""
    lines = (
        (Piece(f"{_counted(store.runs, 'run')} · {_counted(store.events, 'event')}", Tone.DIM),),
        (
            Piece(
                f"{_counted(store.checkpoints, 'checkpoint')} · {_counted(store.pauses, 'question')}",
                Tone.DIM,
            ),
        ),
    )
    headline = (Piece(size(store.bytes), Tone.STRONG), Piece(free, Tone.DIM))
    return Tile("store", "Store", headline, lines, mode="checkpoints")


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


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
