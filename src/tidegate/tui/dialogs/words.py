"""What the dialogs say, as pure functions: no widget, and every foreign string made safe."""

from collections.abc import Sequence
from datetime import UTC, datetime

from rich.cells import cell_len

from tidegate.errors import AlreadyAnswered
from tidegate.model.answer import Answered
from tidegate.model.base import Json
from tidegate.model.prompt import ConfirmPrompt, OnTimeout, Prompt, RecoveryPrompt, describe_value
from tidegate.model.state import PauseState
from tidegate.safe_text import safe_line
from tidegate.tui.dialogs.pause import AskedPause
from tidegate.tui.present.places import inner_place, part_words, place_words

__all__ = [
    "closed_words",
    "default_words",
    "due_words",
    "fit_keys",
    "header_words",
    "lost_race_words",
    "moment",
    "never_shown_words",
    "paste_problem",
    "sent_words",
    "span_words",
    "unread_words",
    "urgency",
]

_MINUTE, _HOUR, _DAY = 60, 3600, 86400
_SOON = 0.25
_PART = 120
"""Characters of one part of a header."""
_SHORT_ID = 6
_BETWEEN_KEYS = 3
"""Cells, as the bar is drawn."""


def moment(at: float) -> str:
    """Return *at* (seconds since 1970 UTC) as a date and a time."""
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M:%S} UTC"


def span_words(seconds: float) -> str:
    """Return a duration in its two largest units: ``2 h 14 min``."""
    whole = max(0, int(seconds))
    if whole >= _DAY:
        return f"{whole // _DAY} d {whole % _DAY // _HOUR} h"
    if whole >= _HOUR:
        return f"{whole // _HOUR} h {whole % _HOUR // _MINUTE} min"
    if whole >= _MINUTE:
        return f"{whole // _MINUTE} min {whole % _MINUTE} s"
    return f"{whole} s"


def header_words(pause: AskedPause, position: str = "", room: int | None = None) -> str:
    """Return what is asked where: kind, workflow, run, and the way to the block.

    Args:
        pause: Which is asked.
        position: Where it stands among several.
        room: Cells; where they are few, the way, the run and the workflow give way in this order, the
            block never does. None: there is enough.
    """
    path, block = pause.path, pause.block
    kind, workflow, run = (
        safe_line(part, _PART) for part in (pause.prompt.kind, pause.workflow, pause.run_id)
    )
    attempt = f"attempt {pause.attempt}" if pause.attempt > 1 else ""
    position = safe_line(position, _PART)
    whole = (kind, workflow, f"run {run}", place_words(path, block), part_words(path, block))
    inner = inner_place(path, block)
    forms = (
        whole,
        (kind, workflow, f"run {run}", inner),
        (kind, workflow, run[:_SHORT_ID], inner),
        (kind, inner),
    )
    said = [" · ".join(filter(None, (*form, attempt, position))) for form in forms]
    return next((text for text in said if room is None or cell_len(text) <= room), said[-1])


def due_words(pause: AskedPause, now: float) -> str:
    """Return how long the answer may take, and what happens then; empty if it may take for ever."""
    if pause.deadline is None:
        return ""
    left = pause.deadline - now
    if left <= 0:
        return f"overdue by {span_words(-left)}: {_timeout_words(pause.prompt)}"
    return f"due in {span_words(left)}, then {_timeout_words(pause.prompt)}"


def _timeout_words(prompt: Prompt) -> str:
    if isinstance(prompt, RecoveryPrompt):
        return "the block fails"
    match prompt.on_timeout:
        case OnTimeout.FAIL:
            return "the block fails"
        case OnTimeout.REJECT:
            return "it counts as rejected"
        case OnTimeout.DEFAULT:
            default = "" if isinstance(prompt, ConfirmPrompt) else default_words(prompt.default_value, 60)
            return "its default is taken" + (f": {default}" if default else "")


def default_words(value: Json, limit: int) -> str:
    """Return a default as a person would say it; empty: there is none."""
    return "" if value is None else safe_line(describe_value(value), limit)


def urgency(pause: AskedPause, now: float) -> str:
    """Return ``-calm``, ``-soon`` (a quarter of the time is left) or ``-overdue``."""
    if pause.deadline is None:
        return "-calm"
    left = pause.deadline - now
    if left <= 0:
        return "-overdue"
    return "-soon" if left <= (pause.deadline - pause.opened_at) * _SOON else "-calm"


def unread_words(above: int, below: int) -> str:
    """Return what of the prompt is out of sight; empty if nothing is.

    Args:
        above: Lines that were scrolled away.
        below: Lines that are still to come.
    """
    if below:
        noun = "line" if below == 1 else "lines"
        return f"↓ {below} more {noun} · ctrl+↓ or ctrl+pgdn"
    return "end of text · ctrl+↑ goes back" if above else ""


def never_shown_words(lines: int, exhibits: int = 0) -> str:
    """Return the warning that goes with an answer to what nobody has read.

    Args:
        lines: That were never shown.
        exhibits: That were never opened.
    """
    parts = []
    if lines:
        parts.append("1 line unread" if lines == 1 else f"{lines} lines unread")
    if exhibits:
        parts.append("1 exhibit not opened" if exhibits == 1 else f"{exhibits} exhibits not opened")
    return f"{', '.join(parts)}." if parts else ""


def closed_words(row: AskedPause) -> str:
    """Return who decided a pause that is no longer open, and how."""
    at = "" if row.closed_at is None else f" at {moment(row.closed_at)}"
    if row.answer is not None and row.state is PauseState.ANSWERED:
        said = safe_line(describe_value(row.answer.value), 200)
        return f"Already answered by {safe_line(row.answer.by, 60) or 'somebody'}{at}: {said}"
    if row.state is PauseState.EXPIRED:
        return f"Nobody answered in time: this expired{at}"
    return f"This takes no answer any more: its run went on or ended without one{at}"


def lost_race_words(error: AlreadyAnswered) -> str:
    """Return who was faster, as `closed_words` says it."""
    by, said = safe_line(error.by, 60) or "somebody", safe_line(error.answer, 200)
    return f"Already answered by {by} at {_moment_of(error.at)}: {said}"


def _moment_of(text: str) -> str:
    try:
        return moment(datetime.fromisoformat(text).timestamp())
    except ValueError:
        return safe_line(text, 40)


def paste_problem(text: str, *, multiline: bool, limit: int) -> str:
    """Return why a field does not take a pasted text, as a sentence; empty if it does.

    Nothing is cut out of a paste to make it fit: what is sent would not be what was copied.
    """
    if len(text) > limit:
        return f"Not pasted: it has {len(text):,} characters, at most {limit:,} are taken."
    if not multiline and ("\n" in text or "\r" in text):
        lines = len(text.splitlines())
        said = f"it has {lines} lines" if lines > 1 else "it has a line break"
        return f"Not pasted: {said}, and this field takes one line."
    visible = text.replace("\n", "").replace("\r", "").replace("\t", "") if multiline else text
    if safe_line(visible) != visible:
        return "Not pasted: it holds control or invisible characters (such as ESC), or tabs."
    return ""


def fit_keys(keys: Sequence[tuple[str, str]], width: int) -> list[tuple[str, str]]:
    """Return those of *keys* that fit in one line, the last one always among them.

    Args:
        keys: Key and what it does, the most important first; the last one leads out.
        width: Cells.
    """
    *others, last = keys
    room = width + _BETWEEN_KEYS - _key_width(last)
    kept: list[tuple[str, str]] = []
    for key in others:
        if _key_width(key) <= room:
            room -= _key_width(key)
            kept.append(key)
    return [*kept, last]


def _key_width(key: tuple[str, str]) -> int:
    return cell_len(key[0]) + 1 + cell_len(key[1]) + _BETWEEN_KEYS


def sent_words(prompt: Prompt, answered: Answered) -> str:
    """Return what was sent."""
    if isinstance(prompt, ConfirmPrompt):
        said = "approved" if answered.value else "rejected"
    else:
        said = safe_line(describe_value(answered.value), 120) or "an empty text"
    again = " (the same had been answered before)" if answered.repeated else ""
    return f"Sent: {said}{again}"
