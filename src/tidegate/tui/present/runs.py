"""Runs: rows of the list of runs, and what each is about."""

from collections.abc import Iterable, Sequence

from tidegate.history.views import RunView
from tidegate.model.events import RunStatus
from tidegate.model.listing import PauseRow
from tidegate.model.state import RunSummary
from tidegate.safe_text import safe_line
from tidegate.tui.lines import Column, Line, Piece, Tone, text_line
from tidegate.tui.looks.symbols import HELD, Sign, run_sign
from tidegate.tui.present.places import place_words
from tidegate.tui.present.shared import (
    LONG,
    counted,
    fact,
    first_line,
    progress,
    progress_line,
    progress_tone,
    short_id,
)
from tidegate.tui.times import ago, clock_time, lasted, past

__all__ = ["RUN_COLUMNS", "drained", "reason_of", "run_line", "run_preview", "signed", "why"]

_HOUR, _DAY = 3_600.0, 86_400.0
_FORK = "↳"
"""That a run goes on from a point of another one."""
RUN_COLUMNS = (
    Column("STATUS", 13),
    Column("WORKFLOW", weight=2),
    Column("RUN", 6),
    Column("PROGRESS", 14, since=58),
    Column("STARTED", 7, right=True, since=66),
    Column("TOOK", 7, right=True, since=42),
    Column("WHY", weight=2, since=92),
)


def run_line(run: RunView, now: float) -> Line:
    """Return a run as a row of the runs."""
    row, sign = run.row, signed(run)
    pieces = (
        sign.piece,
        Piece(_named(run), Tone.STRONG),
        Piece(short_id(row.run_id)),
        Piece(
            progress(row.summary),
            progress_tone(row.summary, Tone.DIM if run.status.is_terminal else sign.tone),
        ),
        Piece(ago(now - row.created_at)),
        Piece(_took(run, now), Tone.DIM),
        Piece(why(run), sign.tone if reason_of(run) else Tone.DIM),
    )
    return Line(row.run_id, pieces, columns=True)


def _named(run: RunView) -> str:
    """Return the workflow of a run; of a fork with a sign and a word: the sign first, as a long name is cut."""
    name = safe_line(run.row.workflow, LONG)
    return name if run.row.origin is None else f"{_FORK} {name} · fork"


def signed(run: RunView) -> Sign:
    """Return how a run's status is shown: one that a person has paused, too, while it drains."""
    is_held = run.row.summary.held and run.status in (RunStatus.QUEUED, RunStatus.RUNNING, RunStatus.PAUSED)
    return HELD if is_held else run_sign(run.status)


def drained(summary: RunSummary) -> str:
    """Return whether something of a paused run is still at work."""
    return f"draining {summary.running}" if summary.running else "drained"


def _took(run: RunView, now: float) -> str:
    """Return how long a run took, or has taken so far."""
    seconds, has_stopped = run.took(now), run.has_stopped
    # Of what goes on for so long nobody counts the seconds, and of days the column has no room for them.
    if seconds >= (_DAY if has_stopped else _HOUR):
        return ago(seconds)
    return lasted(seconds, goes_on=not has_stopped)


def why(run: RunView) -> str:
    """Return why a run stands where it stands; empty if there is nothing to say."""
    summary = run.row.summary
    if summary.cancelling:
        return "being cancelled"
    if signed(run) is HELD:
        asks = f" · {counted(summary.pauses, 'open question')}" if summary.pauses else ""
        return f"{drained(summary)}{asks}"
    if reason := reason_of(run):
        return reason
    if summary.pauses:
        return counted(summary.pauses, "open question")
    return "its process is gone; open it and press r to resume" if run.status is RunStatus.INTERRUPTED else ""


def reason_of(run: RunView) -> str:
    """Return the reason of a run that has failed, or has stopped; a failure that is tolerated is no reason."""
    has_stopped = run.status.is_terminal or run.status is RunStatus.INTERRUPTED
    summary = run.row.summary
    is_told = summary.failed or (has_stopped and run.status is not RunStatus.SUCCEEDED)
    return first_line(summary.reason) if is_told else ""


def run_preview(run: RunView, pauses: Sequence[PauseRow], now: float) -> list[Line]:
    """Return what a run is about, below or beside the list."""
    row = run.row
    lines = [
        Line(
            "status",
            (signed(run).piece, Piece("  "), *progress_line(row.summary).pieces),
            selectable=False,
        )
    ]
    if reason := why(run):
        lines.append(text_line(reason, signed(run).tone, key="why"))
    lines.append(text_line("", key="gap"))
    lines.append(fact("run", row.run_id))
    if (origin := row.origin) is not None:
        lines.append(fact("fork of", f"run {origin.run_id} at event {origin.seq}"))
    lines.append(fact("started", f"{clock_time(row.created_at, now)} by {row.by or 'somebody'}"))
    lines.append(fact("changed", f"{clock_time(row.updated_at, now)}, {past(now - row.updated_at)}"))
    lines += _questions([pause for pause in pauses if row.run_id in (pause.run_id, pause.root)])
    return lines


def _questions(pauses: Iterable[PauseRow]) -> list[Line]:
    return [
        Line(
            f"asks:{pause.pause_id}",
            (
                Piece("◆ ", Tone.WAITING),
                Piece(f"{place_words(pause.path, pause.block)}  ", Tone.DIM),
                Piece(first_line(pause.prompt.text)),
            ),
            selectable=False,
        )
        for pause in pauses
    ]
