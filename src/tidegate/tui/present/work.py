"""What the dashboard says of the work itself: how much is done a minute, and how the engines are."""

from collections.abc import Iterator, Sequence
from functools import partial

from tidegate.history.glance import Glance
from tidegate.history.health import Health
from tidegate.history.spans import size
from tidegate.history.work import HOURS, MINUTES, Done, WorkGlance
from tidegate.model.events import RunStatus
from tidegate.model.listing import Statistics
from tidegate.safe_text import safe_line
from tidegate.tui.lines import Piece, Tone
from tidegate.tui.present.day import spark
from tidegate.tui.present.shared import LONG, counted
from tidegate.tui.present.tiles import Content, Tile
from tidegate.tui.times import ago, past

__all__ = ["engine_tile", "work_tile"]

_LABEL = 8
_FAST, _SLOW = 10, 0.1
"""Waves a minute from which on, and up to which, no tenth of one is told."""


# -- how much is done -------------------------------------------------------------------------


def work_tile(work: WorkGlance) -> Tile:
    """Return what was done in the last hour, minute by minute as far as there is room."""
    hour, day = work.hour, work.day
    if hour == Done():
        lines = ((Piece(f"in {HOURS} hours {_told(day)}", Tone.DIM),),) if day != Done() else ()
        return _tile((Piece("nothing was done", Tone.DIM),), lines)
    headline = (
        Piece(_rate(hour.waves), Tone.STRONG),
        Piece(f" · most {max(work.waves):,}" if hour.waves else "", Tone.PLAIN),
    )
    series = (
        ("waves", Tone.RUNNING, work.waves),
        ("blocks", Tone.DONE, work.blocks),
        *((("retries", Tone.WAITING, work.retries),) if hour.retries else ()),
    )
    drawn = partial(_drawn, series)
    return _tile(headline, ((),) * len(series), drawn=drawn)


def _tile(
    headline: Content, lines: tuple[Content, ...], drawn: "partial[list[Content]] | None" = None
) -> Tile:
    words = "changed<1h"
    return Tile("work", "Last hour", headline, lines, mode="runs", words=words, drawn=drawn)


def _rate(waves: int) -> str:
    a_minute = waves / MINUTES
    if not waves:
        return "no wave was completed"
    if a_minute < _SLOW:
        return f"under {_SLOW} waves a minute"
    return f"{a_minute:,.0f} waves a minute" if a_minute >= _FAST else f"{a_minute:.1f} waves a minute"


def _told(done: Done) -> str:
    said = [counted(done.waves, "wave"), counted(done.blocks, "block")]
    return ", ".join([*said, *([counted(done.retries, "retry", "retries")] if done.retries else [])])


def _drawn(series: Sequence[tuple[str, Tone, tuple[int, ...]]], width: int, height: int) -> list[Content]:
    """Return a line for each of the series: what it is, how it went, and how much it was in all."""
    most = max(len(f"{sum(counts):,}") for _, _, counts in series)
    step = _step(width - _LABEL - most - 1)
    return [
        (
            Piece(f"{name:<{_LABEL}}", Tone.DIM),
            Piece(spark(_in_steps(counts, step)), tone),
            Piece(f" {sum(counts):,}", Tone.PLAIN),
        )
        for name, tone, counts in series[:height]
    ]


def _step(room: int) -> int:
    """Return the fewest minutes that one cell can stand for, so that an hour has room."""
    return next((n for n in range(1, MINUTES) if MINUTES % n == 0 and MINUTES // n <= room), MINUTES)


def _in_steps(counts: Sequence[int], step: int) -> list[int]:
    return [sum(counts[start : start + step]) for start in range(0, len(counts), step)]


# -- how the engines are ----------------------------------------------------------------------


def engine_tile(glance: Glance, troubles: Sequence[str], now: float) -> Tile:
    """Return who drives what, what waits for a driver, and how large the store is; what is wrong comes first.

    Args:
        glance: What was seen.
        troubles: Why runs are held, if any are.
        now: The instant that ages are shown from.
    """
    stray = glance.by_status.get(RunStatus.INTERRUPTED, 0)
    lines = [
        *((Piece(f"! {safe_line(text, LONG)}", Tone.FAILED),) for text in (*troubles, glance.damage) if text),
        *_wrong(glance.health, stray, now),
        *_moving(glance, now),
        *_kept(glance, now),
        *_holders(glance.health),
    ]
    return Tile("engine", "Engine", lines[0], tuple(lines[1:]), mode="runs", words=_words(glance, stray))


def _words(glance: Glance, stray: int) -> str:
    if stray:
        return f"status:{RunStatus.INTERRUPTED}"
    if glance.health.queued:
        return f"status:{RunStatus.QUEUED}"
    return f"status:{RunStatus.RUNNING}" if glance.holders else ""


def _wrong(health: Health, stray: int, now: float) -> Iterator[Content]:
    if stray:
        yield (Piece(f"! {counted(stray, 'run')} without a driver", Tone.FAILED),)
    if health.late and health.late_since is not None:
        since = f", the first {past(now - health.late_since)}"
        yield (Piece(f"! {counted(health.late, 'lease')} ran out{since}", Tone.FAILED),)
    if health.lost:
        yield (Piece(f"! {counted(health.lost, 'lease')} of processes that are gone", Tone.FAILED),)


def _moving(glance: Glance, now: float) -> Iterator[Content]:
    driven, health = sum(glance.holders.values()), glance.health
    if driven:
        # The processes of a host differ in their numbers only; what matters is how many there are.
        by = counted(len(glance.holders), "process", "processes")
        yield (Piece(f"● {counted(driven, 'run')} driven by {by}", Tone.RUNNING),)
    elif not health.queued:
        yield (Piece("○ nothing is driven or queued", Tone.DIM),)
    if health.queued and health.queued_since is not None:
        oldest = f", the oldest for {ago(now - health.queued_since)}"
        yield (Piece(f"○ {health.queued:,} queued{oldest}", Tone.WAITING),)


def _kept(glance: Glance, now: float) -> Iterator[Content]:
    health, store = glance.health, glance.store
    changed = "nothing has happened yet"
    if health.changed_at is not None:
        changed = f"changed {past(now - health.changed_at)}"
    log = "" if health.log_bytes is None else f" · log (WAL) {size(health.log_bytes)}"
    yield (Piece(changed, Tone.PLAIN), Piece(log, Tone.DIM))
    if store is not None:
        yield from _holdings(store)


def _holdings(store: Statistics) -> Iterator[Content]:
    free = f", {size(store.free_bytes)} of it free" if store.free_bytes else ""
    yield (Piece(f"store {size(store.bytes)}", Tone.PLAIN), Piece(free, Tone.DIM))
    yield (Piece(f"{counted(store.runs, 'run')} · {counted(store.events, 'event')}", Tone.DIM),)
    marks, asked = counted(store.checkpoints, "checkpoint"), counted(store.pauses, "question")
    yield (Piece(f"{marks} · {asked}", Tone.DIM),)


def _holders(health: Health) -> Iterator[Content]:
    for owner, count in health.holders.items():
        leases = counted(count, "lease")
        yield (Piece(f"{leases} ", Tone.RUNNING), Piece(f"of {safe_line(owner, LONG)}", Tone.DIM))
