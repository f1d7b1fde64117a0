"""What the dialogs say, as pure functions: no widget, and every foreign string made safe."""

import math
from collections.abc import Sequence
from datetime import UTC, datetime

from rich.cells import cell_len
from textual.content import Content

from tidegate.errors import AlreadyAnswered
from tidegate.model.answer import Answered
from tidegate.model.base import Json
from tidegate.model.prompt import ConfirmPrompt, OnTimeout, Prompt, RecoveryPrompt, describe_value
from tidegate.model.state import PauseState
from tidegate.safe_text import safe_line
from tidegate.tui.dialogs.frame.pause import AskedPause
from tidegate.tui.present.places import inner_place, part_words, place_words
from tidegate.tui.present.shared import first_line, short_id

__all__ = [
    "COMMON_KEYS",
    "KEY_SENTENCES",
    "RUNS_ON",
    "WRITING",
    "closed_words",
    "copied_words",
    "cut_to_rows",
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
    "time_bar",
    "unread_words",
    "urgency",
]

WRITING = "You seem to be writing, so no letter counts, nor does enter, until you pause for 2 s."
"""Said to whoever writes a text where none is taken."""
RUNS_ON = "You were writing before this took keys, so enter does nothing here"
"""The beginning of what is said to whoever presses enter behind a text that began before the dialog was there."""
_MINUTE, _HOUR, _DAY = 60, 3600, 86400
_SOON = 0.25
_PART = 120
"""Characters of one part of a header."""
_SHORT_ID = 6
_ASKED = 60
"""Characters of a question beside what was sent to it."""
_COPIED = 40
"""Characters of what was copied."""
_BETWEEN_KEYS = 3
"""Cells, as the bar is drawn."""
_BAR = 10
"""Cells of the bar of what is left of the time."""
_MORE = ("f1", "more")
COMMON_KEYS = (
    ("ctrl+s", "send what is chosen or typed; what is only chosen is armed first"),
    ("tab", "go to the next field or button; shift+tab goes back"),
    ("ctrl+↓", "read one line on; ctrl+↑ goes back"),
    ("ctrl+pgdn", "read one page on; ctrl+pgup goes back"),
    ("f1", "show these keys, and hide them; so does ? where nothing is typed"),
)
"""Keys of every dialog that its bar has no room for, and what they do."""
KEY_SENTENCES = {
    ("ctrl+t", "comment"): "write a comment beside the answer, or go back from it",
    ("ctrl+r", "send back"): "send it back, to have it done again from a place you choose",
    ("ctrl+x", "reject"): "reject; where no answer does, offer to cancel",
    ("f4", "editor"): "write what a field takes in your own editor",
    ("f6", "edit state"): "change its state first, in a fork of the run",
    ("f2", "evidence"): "turn to the next page of what is laid before you; f3 turns back",
    ("esc", "later"): "take back one step, or leave; what you typed is kept",
}
"""What the words of the bar mean."""


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
    return f"due in {_left_words(left)}, then {_timeout_words(pause.prompt)}"


def _left_words(seconds: float) -> str:
    """Return how long there still is: by the second once that is less than an hour."""
    # What is left of a second counts as one: 00:00 would be over.
    whole = math.ceil(seconds)
    return f"{whole // _MINUTE:02}:{whole % _MINUTE:02}" if whole < _HOUR else span_words(seconds)


def time_bar(pause: AskedPause, now: float) -> str:
    """Return what is left of the time as a bar of `_BAR` cells; empty: it is over, or there is no end to it."""
    if pause.deadline is None or now >= pause.deadline:
        return ""
    whole = max(1.0, pause.deadline - pause.opened_at)
    left = min(_BAR, math.ceil((pause.deadline - now) / whole * _BAR))
    return "━" * left + "─" * (_BAR - left)


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


def closed_words(row: AskedPause, now: float) -> str:
    """Return who decided a pause that is no longer open, how long ago, how, and with which comment."""
    if row.answer is not None and row.state is PauseState.ANSWERED:
        said = safe_line(describe_value(row.answer.value), 200)
        comment = safe_line(row.answer.comment, 200)
        words = _answered_words(row.answer.by, row.closed_at, said, now)
        return f"{words}. Comment: {comment}" if comment else words
    when = "" if row.closed_at is None else f" {_when(row.closed_at, now)}"
    if row.state is PauseState.EXPIRED:
        return f"Nobody answered in time: this expired{when}"
    because = safe_line(row.because, 300) or "its run went on or ended without one"
    return f"This takes no answer any more{when}: {because}"


def lost_race_words(error: AlreadyAnswered, now: float) -> str:
    """Return who was faster, as `closed_words` says it."""
    try:
        at = datetime.fromisoformat(error.at).timestamp()
    except ValueError:
        at = None
    return _answered_words(error.by, at, safe_line(error.answer, 200), now)


def _answered_words(by: str, at: float | None, said: str, now: float) -> str:
    when = "" if at is None else f" {_when(at, now)}"
    return f"Already answered by {safe_line(by, 60) or 'somebody'}{when}: {said}"


def _when(at: float, now: float) -> str:
    """Return how long ago something was; what was days ago, as a date and a time."""
    if now - at < 1:
        return "just now"
    return f"at {moment(at)}" if now - at >= _DAY else f"{span_words(now - at)} ago"


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


def copied_words(text: str) -> str:
    """Return what was copied, as a sentence."""
    lines = len(text.splitlines())
    return f"Copied {lines:,} lines." if lines > 1 else f"Copied: {safe_line(text.strip(), _COPIED)}."


def fit_keys(keys: Sequence[tuple[str, str]], width: int) -> list[tuple[str, str]]:
    """Return those of *keys* that fit in one line, the last one always among them, and where to find the others.

    Args:
        keys: Key and what it does, the most important first; the last one leads out.
        width: Cells.
    """
    *others, last = keys
    if _fitting(others, last, width) == others:
        return [*others, last]
    # Its room is kept free, unless nothing else would fit: what the bar does not show is found nowhere else.
    kept = _fitting(others, last, width - _key_width(_MORE)) or _fitting(others, last, width)
    more = _fitting([_MORE], last, width - sum(map(_key_width, kept)))
    return [*kept, *more, last]


def _fitting(others: Sequence[tuple[str, str]], last: tuple[str, str], width: int) -> list[tuple[str, str]]:
    room = width + _BETWEEN_KEYS - _key_width(last)
    kept: list[tuple[str, str]] = []
    for key in others:
        if _key_width(key) <= room:
            room -= _key_width(key)
            kept.append(key)
    return kept


def _key_width(key: tuple[str, str]) -> int:
    return cell_len(key[0]) + 1 + cell_len(key[1]) + _BETWEEN_KEYS


def sent_words(pause: AskedPause, answered: Answered, now: float, comment: str = "") -> str:
    """Return what was sent, and to which question of which run; of what somebody had said before, who and when.

    Args:
        pause: What was answered.
        answered: What came of it.
        now: Seconds since 1970 UTC.
        comment: What was sent with it: it is not kept where the same had been answered before.
    """
    which = f"{safe_line(first_line(pause.prompt.text), _ASKED)} · run {short_id(pause.run_id)}"
    if answered.repeated:
        return f"{_repeated_words(answered, now, comment)} · {which}"
    if isinstance(pause.prompt, ConfirmPrompt):
        said = "approved" if answered.value else "rejected"
    else:
        said = safe_line(describe_value(answered.value), 120) or "an empty text"
    where = "" if answered.seq is None else f" · at event {answered.seq}"
    return f"Sent: {said} · {which}{where}"


def _repeated_words(answered: Answered, now: float, comment: str) -> str:
    """Return who had said the same before, how long ago, with which comment, and that nothing was sent twice."""
    earlier, at = answered.earlier, answered.earlier_at
    by = safe_line(earlier.by, 60) if earlier is not None and earlier.by else "Somebody"
    kept = earlier.comment if earlier is not None else ""
    when = "" if at is None else f" {_when(at, now)}"
    with_words = f", with the comment: {safe_line(kept, 200)}" if kept else ""
    lost = " (your comment is not kept)" if comment.strip() and comment.strip() != kept else ""
    return f"{by} had answered the same{when}{with_words}: nothing was sent twice{lost}"


def cut_to_rows(text: str, width: int, rows: int) -> str:
    """Return as much of *text* as fits, with a sign where it is cut.

    Args:
        text: One sentence or more, safe to draw.
        width: Cells of a row; 0: not known yet, then all of it.
        rows: How many there are; 0: as many as it takes.
    """
    if not width or not rows or _height(text, width) <= rows:
        return text
    fits, over = 0, len(text)
    while over - fits > 1:
        middle = (fits + over) // 2
        if _height(f"{text[:middle].rstrip()}…", width) <= rows:
            fits = middle
        else:
            over = middle
    return f"{text[:fits].rstrip()}…"


def _height(text: str, width: int) -> int:
    return Content(text).get_height({}, width)
