"""What the dashboard says where there is room below its tiles: lists of what one would look up next.

Each is a tile as wide as two: a heading that counts, and rows with all that is needed to decide whether to go there.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from tidegate.history.glance import Glance
from tidegate.history.views import RunView, where
from tidegate.model.events import RunStatus
from tidegate.model.listing import PauseRow
from tidegate.model.prompt import describe_value
from tidegate.safe_text import safe_line
from tidegate.tui.lines import Piece, Tone, fit
from tidegate.tui.present.day import day_tile, week_tile
from tidegate.tui.present.outcome import outcome_sign
from tidegate.tui.present.runs import reason_of, signed
from tidegate.tui.present.shared import LONG, first_line, progress, progress_tone, short_id
from tidegate.tui.present.tiles import Content, Tile
from tidegate.tui.times import ago, due, lasted

__all__ = ["LISTED", "Nearby", "panels_of"]

LISTED = 20
"""Rows of a list at most: no terminal shows more of it."""
_AGE, _NAME, _RUN, _PLACE, _DUE, _BY, _BAR = 6, 18, 6, 16, 9, 10, 10
_LONG_NAME = 200


@dataclass(frozen=True, slots=True)
class Nearby:
    """What a glance counts, and these lists show."""

    running: Sequence[RunView] = ()
    """Runs that are at work, the newest first."""
    failed: Sequence[RunView] = ()
    """The newest ones that have failed."""
    answered: Sequence[PauseRow] = ()
    """Questions that were closed, the last one first."""


def panels_of(glance: Glance, nearby: Nearby, now: float) -> tuple[Tile, ...]:
    """Return the lists, the most important first; one that is empty says so in its heading."""
    waits = tuple(_waits(row, now) for row in glance.questions[:LISTED])
    runs = tuple(_runs(run, now) for run in nearby.running[:LISTED])
    failed = tuple(_failed(run, now) for run in nearby.failed[:LISTED])
    took = tuple(_took(row, now) for row in nearby.answered[:LISTED])
    return (
        _listed("longest", "Waits longest", waits, "nothing waits for anybody", mode="inbox"),
        _listed("now", "Runs now", runs, "nothing is at work", words=RunStatus.RUNNING),
        _listed("failures", "Newest failures", failed, "no run has failed", words=RunStatus.FAILED),
        _listed("taken", "Answered last", took, "nothing was answered yet", mode="activity"),
        day_tile(glance.lately),
        week_tile(glance),
    )


def _listed(
    key: str, title: str, rows: tuple[Content, ...], none: str, *, mode: str = "runs", words: str = ""
) -> Tile:
    first, *others = rows or ((Piece(none, Tone.DIM),),)
    return Tile(key, title, first, tuple(others), mode=mode, words=f"status:{words}" if words else "")


def _row(age: float, tone: Tone, workflow: str, run_id: str) -> Content:
    return (
        Piece(f"{fit(ago(age), _AGE, right=True)} ", tone),
        Piece(f"{fit(safe_line(workflow, LONG), _NAME)} ", Tone.STRONG),
        Piece(f"{fit(short_id(run_id), _RUN)} ", Tone.DIM),
    )


def _waits(row: PauseRow, now: float) -> Content:
    is_late = row.deadline is not None and row.deadline <= now
    return (
        *_row(now - row.opened_at, Tone.WAITING, row.workflow, row.root or row.run_id),
        Piece(f"{fit(due(row.deadline, now), _DUE)} ", Tone.FAILED if is_late else Tone.DIM),
        Piece(f"{fit(safe_line(where(row), LONG), _PLACE)} ", Tone.DIM),
        Piece(first_line(row.prompt.text)),
    )


def _runs(run: RunView, now: float) -> Content:
    row = run.row
    waits = f" · {row.summary.pauses} open" if row.summary.pauses else ""
    return (
        *_row(now - row.created_at, Tone.RUNNING, row.workflow, row.run_id),
        Piece(progress(row.summary, _BAR), progress_tone(row.summary, signed(run).tone)),
        Piece(
            f"  wave {min(row.summary.wave + 1, row.summary.total_waves)}/{row.summary.total_waves}", Tone.DIM
        ),
        Piece(waits, Tone.WAITING),
    )


def _failed(run: RunView, now: float) -> Content:
    row = run.row
    return (
        *_row(now - row.updated_at, Tone.FAILED, row.workflow, row.run_id),
        Piece(reason_of(run) or "no reason was given", Tone.PLAIN),
    )


def _took(row: PauseRow, now: float) -> Content:
    at = row.closed_at or row.opened_at
    start = _row(now - at, Tone.DIM, row.workflow, row.root or row.run_id)
    waited = Piece(f"{fit(f'in {lasted(at - row.opened_at)}', _DUE)} ", Tone.DIM)
    sign = outcome_sign(row)
    if row.answer is None:
        return (*start, waited, Piece(f"{sign.text}: {first_line(row.prompt.text)}", sign.tone))
    said = safe_line(describe_value(row.answer.value), _LONG_NAME) or "an empty text"
    return (
        *start,
        waited,
        Piece(f"{fit(safe_line(row.answer.by or 'somebody', LONG), _BY)} ", Tone.DIM),
        Piece(f"{sign.symbol} ", sign.tone),
        Piece(said),
        Piece(f" to: {first_line(row.prompt.text)}", Tone.DIM),
    )
