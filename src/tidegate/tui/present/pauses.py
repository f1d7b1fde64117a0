"""Pauses as rows of the inbox, and what is said of them in few words."""

from collections.abc import Sequence
from dataclasses import replace

from rich.cells import cell_len

from tidegate.history.views import Assignable, whose
from tidegate.model.listing import PauseRow
from tidegate.model.prompt import (
    ConfirmPrompt,
    OnTimeout,
    Prompt,
    RecoveryPrompt,
    SentBack,
    describe_value,
)
from tidegate.model.state import PauseState
from tidegate.safe_text import safe_line
from tidegate.tui.lasting import changes_at
from tidegate.tui.lines import Column, Line, Piece, Tone, text_line
from tidegate.tui.present.outcome import outcome_sign
from tidegate.tui.present.places import inner_place
from tidegate.tui.present.shared import (
    LONG,
    first_line,
    short_id,
)
from tidegate.tui.times import ago, clock_time, due, past

__all__ = [
    "answered_line",
    "assigned_words",
    "closed_key",
    "minute",
    "pause_columns",
    "pause_line",
    "sent_back_words",
    "snoozed_line",
    "snoozed_words",
    "taken_words",
]

_KIND, _AGE, _DUE, _WORKFLOW, _RUN, _BLOCK, _FOR, _QUESTION = range(8)
_TITLES = ("KIND", "AGE", "DUE", "WORKFLOW", "RUN", "BLOCK", "FOR", "QUESTION")
_ROOMY = 70
"""Cells from which a row has room for more than a short name and its question."""
_TOLD_APART = 50
"""Cells from which a row has room for the run, whatever else it says."""
_QUESTION_FIRST = 38
"""Cells of the question before anything else but its kind and its workflow is shown."""
_NAME, _SHORT_NAME, _LONG_NAME = 12, 8, 24
"""Cells of a workflow's name: at least where there is room, where there is not, and at most."""
_BLOCK_NAME = 18
_PERSON = 14
"""Cells of what is no name of a workflow or a block, at most."""
_BEGIN = 4_000
"""Characters of a question in which a list looks for its second line; a longer line is cut, which is a mark too."""
_ASKED = 60
"""Characters of a question beside what was answered to it."""
_TODAY = 43_200.0
"""Seconds ahead of which a time of day needs its day."""


def pause_columns(lines: Sequence[Line], room: int) -> tuple[Column, ...]:
    """Return the columns of the inbox, which are for the question.

    The others are no wider than what is in them, and give way in this order: block, the rest of
    the workflow's name, age, run, whose it is, deadline. A deadline that nothing has is not shown at all.
    Where some are closed, the run does not give way, but the question does: of several answers to the same
    one only the run says which is which.

    Args:
        lines: The rows, as `pause_line` and `answered_line` return them.
        room: Cells of a row.
    """
    widths = [0] * len(_TITLES)
    widths[_KIND] = _needed(lines, _KIND)
    widths[_WORKFLOW] = _NAME if room >= _ROOMY else _SHORT_NAME
    question = _QUESTION_FIRST if room >= _ROOMY else room // 2
    if room < _TOLD_APART and _needed(lines, _DUE):
        # All of them wait: by when counts for more than what kind of answer they take.
        widths[_KIND], question = 0, question - 1
    free = room - widths[_KIND] - widths[_WORKFLOW] - question - 2
    must_tell = room >= _TOLD_APART and any(line.passive for line in lines)
    for index in (_DUE, _FOR, _RUN, _AGE):
        needed = min(_PERSON, _needed(lines, index))
        if 0 < needed < free:
            widths[index] = needed
            free -= needed + 1
        elif must_tell and index == _RUN:
            widths[index] = needed
    longer = max(0, min(free, min(_LONG_NAME, _needed(lines, _WORKFLOW)) - widths[_WORKFLOW]))
    widths[_WORKFLOW] += longer
    if free - longer > _BLOCK_NAME:
        widths[_BLOCK] = min(_BLOCK_NAME, _needed(lines, _BLOCK))
    return tuple(
        Column(title, width, right=index == _AGE, is_shown=bool(width) or index == _QUESTION)
        for index, (title, width) in enumerate(zip(_TITLES, widths, strict=True))
    )


def _needed(lines: Sequence[Line], index: int) -> int:
    """Return the cells that a column needs; 0 if there is nothing in it."""
    cells = max((cell_len(line.pieces[index].text) for line in lines if line.columns), default=0)
    return max(cells, len(_TITLES[index])) if cells else 0


def due_piece(row: PauseRow, now: float) -> Piece:
    if row.deadline is None:
        return Piece("no limit", Tone.DIM)
    if row.deadline <= now:
        return Piece(due(row.deadline, now), Tone.FAILED)
    near = row.deadline - (row.deadline - row.opened_at) / 4
    changes_at(near)
    is_near = now >= near
    return Piece(due(row.deadline, now), Tone.WAITING if is_near else Tone.PLAIN)


def pause_line(row: PauseRow, now: float) -> Line:
    """Return an open pause as a row of the inbox."""
    pieces = (
        Piece(f"◆ {row.prompt.kind}", Tone.WAITING),
        Piece(ago(now - row.opened_at)),
        Piece("") if row.deadline is None else due_piece(row, now),
        Piece(safe_line(row.workflow, LONG), Tone.STRONG),
        Piece(short_id(row.run_id)),
        Piece(inner_place(row.path, row.block), Tone.DIM),
        Piece(safe_line(row.assignee, LONG)),
        Piece(_question(row.prompt.text)),
    )
    return Line(row.pause_id, pieces, columns=True)


def assigned_words(row: Assignable, now: float) -> str:
    """Return whose business an open pause is, who said so and when; empty: anybody's."""
    said = row.assignment
    at = f", {past(now - said.at)}" if said is not None and said.at else ""
    return safe_line(f"{whose(row)}{at}", LONG)


def sent_back_words(said: SentBack) -> str:
    """Return why a question is asked anew."""
    return f"sent back by {safe_line(said.by or 'somebody', 60)}: {safe_line(said.feedback, LONG)}"


def snoozed_line(row: PauseRow, until: float, now: float) -> Line:
    """Return an open pause that is snoozed as a row of the inbox: grey, but for its deadline."""
    line = pause_line(row, now)
    pieces = [piece if at == _DUE else replace(piece, tone=Tone.DIM) for at, piece in enumerate(line.pieces)]
    pieces[_QUESTION] = Piece(f"snoozed until {minute(until, now)} · {pieces[_QUESTION].text}", Tone.DIM)
    return replace(line, pieces=tuple(pieces))


def snoozed_words(until: float, now: float) -> Line:
    """Return that an open pause is snoozed, as a line above everything about it."""
    return text_line(f"snoozed until {minute(until, now)}: open all the same", Tone.DIM, key="off")


def minute(until: float, now: float) -> str:
    """Return the minute at which it is over; said of which day, where it is half a day away."""
    at = clock_time(until, until)[:5]
    changes_at(until - _TODAY)
    return at if until - now < _TODAY else f"tomorrow {at}"


def _question(text: str) -> str:
    """Return the first line of a question, with a mark if it has further ones."""
    # Not all of it: a question may be a file, and every row of the list is asked each time it is drawn.
    has_more = len(text.lstrip()[:_BEGIN].rstrip().splitlines()) > 1
    return f"{first_line(text)} …" if has_more else first_line(text)


def answered_line(row: PauseRow, now: float) -> Line:
    """Return a closed pause as a row of the inbox."""
    texts = (
        f"{outcome_sign(row).symbol} {row.prompt.kind}",
        ago(now - (row.closed_at or now)),
        "",
        safe_line(row.workflow, LONG),
        short_id(row.run_id),
        inner_place(row.path, row.block),
        "",
        _told(row),
    )
    pieces = tuple(Piece(text, Tone.DIM) for text in texts)
    return Line(closed_key(row), pieces, columns=True, passive=True)


def closed_key(row: PauseRow) -> str:
    """Return the key of a closed pause: another one, so that no cursor stays on a row that was answered."""
    return f"closed:{row.pause_id}"


def _told(row: PauseRow) -> str:
    """Return what became of a closed pause, who said so, and of which question; the last gives way."""
    asked = safe_line(first_line(row.prompt.text), _ASKED)
    if row.answer is None:
        return f"{outcome_words(row)} · {asked}"
    said = safe_line(describe_value(row.answer.value), 60)
    return f"{said} · by {safe_line(row.answer.by or 'somebody', 40)} ({row.answer.via}) · {asked}"


def outcome_words(row: PauseRow) -> str:
    """Return what became of a question that nobody has answered."""
    if row.state is PauseState.EXPIRED:
        return f"expired · {taken_words(row.prompt)}"
    return "closed, not answered"


def taken_words(prompt: Prompt) -> str:
    """Return what became of a question that nobody answered in time."""
    how = getattr(prompt, "on_timeout", OnTimeout.FAIL)
    if how is OnTimeout.DEFAULT:
        default = default_words(prompt)
        return f"the default was taken: {default}" if default else "the default was taken"
    return "it counts as rejected" if how is OnTimeout.REJECT else "the block failed"


def default_words(prompt: Prompt) -> str:
    """Return what a deadline takes, as a person would say it; empty if there is nothing."""
    if isinstance(prompt, ConfirmPrompt | RecoveryPrompt) or prompt.default_value is None:
        return ""
    return safe_line(describe_value(prompt.default_value), 60)
