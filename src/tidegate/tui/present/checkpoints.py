"""Checkpoints: rows of their list, and what each holds."""

from tidegate.model.checkpoint import CheckpointMetadata
from tidegate.model.policy import CheckpointKind
from tidegate.safe_text import safe_line
from tidegate.tui.lines import Column, Line, Piece, Tone, text_line
from tidegate.tui.looks.symbols import checkpoint_sign, run_sign
from tidegate.tui.present.shared import (
    LONG,
    bar,
    fact,
    first_line,
    heading,
    json_lines,
    progress_line,
    prose,
    short_id,
)
from tidegate.tui.times import ago, clock_time, past

__all__ = ["CHECKPOINT_COLUMNS", "PINNED", "checkpoint_line", "checkpoint_preview"]

PINNED = "pinned"
"""The word for a checkpoint that somebody wants kept."""

CHECKPOINT_COLUMNS = (
    Column("TYPE", 10),
    Column("AGE", 6, right=True),
    Column("PROGRESS", 14, since=50),
    Column("WAVE", 5, since=64),
    Column("BLOCK", weight=2),
    Column("WORKFLOW", weight=2),
    Column("RUN", 6),
    Column("ASKS", weight=3, since=100),
)


def checkpoint_line(checkpoint: CheckpointMetadata, now: float) -> Line:
    """Return a checkpoint as a row of the checkpoints."""
    summary = checkpoint.summary
    sign = checkpoint_sign(checkpoint.kind, is_paused=checkpoint.is_paused)
    pieces = (
        sign.piece,
        Piece(ago(now - checkpoint.created_at)),
        Piece(f"{bar(summary.progress_percentage / 100, 8)} {summary.progress_percentage:3.0f} %", Tone.DIM),
        Piece(f"{min(summary.wave + 1, summary.total_waves)}/{summary.total_waves}"),
        Piece(_marked(checkpoint), Tone.ACCENT if checkpoint.pinned else Tone.PLAIN),
        Piece(safe_line(checkpoint.workflow, LONG), Tone.STRONG),
        Piece(short_id(checkpoint.run_id)),
        Piece(first_line(checkpoint.pause_prompt or ""), Tone.DIM),
    )
    return Line(checkpoint.checkpoint_id, pieces, columns=True)


def _marked(checkpoint: CheckpointMetadata) -> str:
    """Return what a checkpoint is called, and first of all whether somebody wants it kept.

    An explicit one is called by its label, and by the block that took it.
    """
    label, block = safe_line(checkpoint.label, LONG), safe_line(checkpoint.block or "", LONG)
    name = label or block or "-"
    if checkpoint.kind is CheckpointKind.EXPLICIT and label and block:
        name = f"{label} · {block}"
    return f"{PINNED} · {name}" if checkpoint.pinned else name


def checkpoint_preview(checkpoint: CheckpointMetadata, now: float) -> list[Line]:
    """Return what a checkpoint holds, below or beside the list."""
    sign = checkpoint_sign(checkpoint.kind, is_paused=checkpoint.is_paused)
    state = "  open" if checkpoint.is_paused else ""
    lines = [
        Line(
            "kind",
            (sign.piece, Piece(state, Tone.WAITING), Piece("  "), *progress_line(checkpoint.summary).pieces),
            selectable=False,
        ),
        text_line("", key="gap"),
    ]
    if checkpoint.pause_prompt:
        lines += [*prose(checkpoint.pause_prompt, "prompt", Tone.STRONG), text_line("", key="gap2")]
    if checkpoint.pinned:
        lines.append(fact("kept", Piece(f"{PINNED}, with its run", Tone.ACCENT)))
    if checkpoint.label:
        lines.append(fact("label", Piece(safe_line(checkpoint.label, 400), Tone.STRONG)))
    if checkpoint.block:
        lines.append(fact("block", checkpoint.block))
    lines.append(fact("id", checkpoint.checkpoint_id))
    lines.append(fact("position", f"event {checkpoint.seq} of run {checkpoint.run_id}"))
    lines.append(
        fact("taken", f"{clock_time(checkpoint.created_at, now)}, {past(now - checkpoint.created_at)}")
    )
    lines.append(fact("run then", run_sign(checkpoint.summary.status).piece))
    if checkpoint.summary.reason:
        lines.append(fact("reason", first_line(checkpoint.summary.reason)))
    if checkpoint.metadata:
        lines += [heading("Metadata"), *json_lines(checkpoint.metadata)]
    return lines
