"""Pauses: rows of the inbox, and everything one needs to know before one answers."""

from typing import assert_never

from tidegate.history.views import RunView
from tidegate.model.listing import PauseRow
from tidegate.model.prompt import (
    ChoicePrompt,
    ConfirmPrompt,
    InputPrompt,
    OnTimeout,
    Prompt,
    RecoveryPrompt,
    describe_value,
)
from tidegate.model.state import PauseState
from tidegate.safe_text import safe_line
from tidegate.tui.lines import Column, Line, Piece, Tone, text_line
from tidegate.tui.present.shared import (
    LONG,
    fact,
    first_line,
    heading,
    json_lines,
    progress_line,
    prose,
    short_id,
)
from tidegate.tui.times import ago, clock_time, due

__all__ = ["PAUSE_COLUMNS", "answered_line", "pause_line", "pause_preview"]

PAUSE_COLUMNS = (
    Column("KIND", 10),
    Column("AGE", 6, right=True, since=64),
    Column("DUE", 9),
    Column("WORKFLOW", weight=2),
    Column("RUN", 6, since=64),
    Column("BLOCK", weight=1, since=90),
    Column("QUESTION", weight=3),
)


def _due_piece(row: PauseRow, now: float) -> Piece:
    if row.deadline is None:
        return Piece("no limit", Tone.DIM)
    if row.deadline <= now:
        return Piece(due(row.deadline, now), Tone.FAILED)
    is_near = (row.deadline - now) < (row.deadline - row.opened_at) / 4
    return Piece(due(row.deadline, now), Tone.WAITING if is_near else Tone.PLAIN)


def pause_line(row: PauseRow, now: float) -> Line:
    """Return an open pause as a row of the inbox."""
    pieces = (
        Piece(f"◆ {row.prompt.kind}", Tone.WAITING),
        Piece(ago(now - row.opened_at)),
        _due_piece(row, now),
        Piece(safe_line(row.workflow, LONG), Tone.STRONG),
        Piece(short_id(row.run_id)),
        Piece(safe_line(row.block, LONG), Tone.DIM),
        Piece(first_line(row.prompt.text)),
    )
    return Line(row.pause_id, pieces, columns=True)


def answered_line(row: PauseRow, now: float) -> Line:
    """Return a closed pause as a row of the inbox."""
    symbol, outcome = _outcome(row)
    texts = (
        f"{symbol} {row.prompt.kind}",
        ago(now - (row.closed_at or now)),
        "",
        safe_line(row.workflow, LONG),
        short_id(row.run_id),
        safe_line(row.block, LONG),
        outcome,
    )
    return Line(row.pause_id, tuple(Piece(text, Tone.DIM) for text in texts), columns=True)


def _outcome(row: PauseRow) -> tuple[str, str]:
    if row.answer is not None:
        said = safe_line(describe_value(row.answer.value), 60)
        return "✓", f"{said} · by {safe_line(row.answer.by or 'somebody', 40)} ({row.answer.via})"
    return ("○", "expired") if row.state is PauseState.EXPIRED else ("⊘", "closed with its run")


def pause_preview(row: PauseRow, run: RunView | None, now: float) -> list[Line]:
    """Return everything one needs to know before one answers."""
    asked = Piece(f" · asked {ago(now - row.opened_at)} ago", Tone.DIM)
    first = (Piece(f"◆ {row.prompt.kind}", Tone.WAITING), asked, Piece(" · ", Tone.DIM), _due_piece(row, now))
    lines = [Line("kind", first, selectable=False)]
    if run is not None:
        lines.append(progress_line(run.row.summary))
    lines.append(text_line("", key="gap"))
    lines += prose(row.prompt.text, "prompt", Tone.STRONG)
    lines += _details(row.prompt)
    lines.append(text_line("", key="gap2"))
    lines.append(fact("block", row.block))
    lines.append(fact("answer", row.prompt.rule))
    if row.deadline is not None:
        lines.append(fact("deadline", f"{clock_time(row.deadline, now)}, then {_fallback(row.prompt)}"))
    return lines


def _details(prompt: Prompt) -> list[Line]:
    match prompt:
        case ConfirmPrompt():
            return _confirm_details(prompt)
        case ChoicePrompt():
            return [
                Line(f"choice:{n}", (Piece(f"  {n} ", Tone.KEY), Piece(safe_line(choice))), selectable=False)
                for n, choice in enumerate(prompt.choices, 1)
            ]
        case InputPrompt():
            return [] if prompt.default is None else [fact("default", prompt.default)]
        case RecoveryPrompt():
            return _evidence(prompt)
        case _:
            assert_never(prompt)


def _confirm_details(prompt: ConfirmPrompt) -> list[Line]:
    lines = [fact("operation", prompt.operation)] if prompt.operation else []
    return lines + json_lines(prompt.details)


def _evidence(prompt: RecoveryPrompt) -> list[Line]:
    lines = [fact("command", prompt.command)] if prompt.command else []
    if prompt.evidence.last_output:
        lines.append(heading("Its last output"))
        lines += prose(prompt.evidence.last_output, "evidence", Tone.DIM)
    return lines


def _fallback(prompt: Prompt) -> str:
    """Return what happens when nobody answers in time."""
    how = getattr(prompt, "on_timeout", OnTimeout.FAIL)
    if how is OnTimeout.DEFAULT:
        return f"the default is taken: {getattr(prompt, 'default', '')}"
    return "it is rejected" if how is OnTimeout.REJECT else "the block fails"
