"""How the same question was answered before: a page beside it."""

from collections.abc import Iterator, Sequence

from tidegate.model.ids import block_of
from tidegate.model.listing import PauseRow
from tidegate.model.prompt import describe_value
from tidegate.model.state import PauseState
from tidegate.safe_text import safe_line
from tidegate.tui.lines import Line, Piece, Tone, text_line
from tidegate.tui.present.outcome import outcome_sign
from tidegate.tui.present.pauses import taken_words
from tidegate.tui.present.shared import short_id
from tidegate.tui.times import ago, past

__all__ = ["earlier_page"]

_SAID, _COMMENT = 400, 1_000
"""Characters of an answer and of its comment."""
_NAME = 60
"""Characters of the name of a person or a block."""
_INDENT = 2


def earlier_page(rows: Sequence[PauseRow], now: float) -> list[Line]:
    """Return how a question was answered before: what was said, by whom, when, how soon, in which run, and why.

    Args:
        rows: Closed pauses, newest first.
        now: Seconds since 1970 UTC.
    """
    if not rows:
        return [text_line("Never asked before.", Tone.DIM)]
    return [line for row in rows for line in _answered(row, now)]


def _answered(row: PauseRow, now: float) -> Iterator[Line]:
    sign = outcome_sign(row)
    facts = (_whose(row), _when(row, now), f"run {short_id(row.run_id)}", _part(row))
    pieces = (
        Piece(f"{sign.symbol} ", sign.tone),
        Piece(_said(row), Tone.STRONG),
        Piece(f" · {' · '.join(filter(None, facts))}", Tone.DIM),
    )
    yield Line(row.pause_id, pieces, selectable=False, indent=_INDENT)
    if row.answer is not None and row.answer.comment:
        comment = Piece(f"  {safe_line(row.answer.comment, _COMMENT)}")
        yield Line(f"{row.pause_id}:comment", (comment,), selectable=False, indent=_INDENT)


def _said(row: PauseRow) -> str:
    """Return what was said; of what nobody has answered, what became of it."""
    if row.answer is not None:
        return safe_line(describe_value(row.answer.value), _SAID) or "(an empty text)"
    if row.state is PauseState.EXPIRED:
        return f"nobody answered in time: {taken_words(row.prompt)}"
    return "closed, not answered"


def _whose(row: PauseRow) -> str:
    answer = row.answer
    return (
        f"by {safe_line(answer.by or 'somebody', _NAME)} ({safe_line(answer.via, _NAME)})" if answer else ""
    )


def _when(row: PauseRow, now: float) -> str:
    """Return how long ago it was closed, and how long it had been open by then."""
    closed = row.opened_at if row.closed_at is None else row.closed_at
    took = closed - row.opened_at
    return f"{past(now - closed)}, {f'after {ago(took)}' if took >= 1 else 'at once'}"


def _part(row: PauseRow) -> str:
    """Return which part of its block asked; empty: the block itself."""
    return safe_line(row.block, _NAME) if row.block != block_of(row.block) else ""
