"""Questions that somebody has snoozed: which, and until when.

Kept in the monitor's own file, as nobody else is concerned: the question stays open, and whoever looks elsewhere
sees it as before. A deadline is never slept through: the question is back before it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from typing import Final

from tidegate.model.base import Json
from tidegate.model.listing import OpenPause, PauseRow
from tidegate.tui.lasting import changes_at
from tidegate.tui.state import State

__all__ = ["BEFORE_DEADLINE", "Choice", "Snoozes", "choices"]

BEFORE_DEADLINE: Final = 300.0
"""Seconds before its deadline at which a question is back at the latest."""
_LEAST = 60.0
"""Seconds below which it is not worth it."""
_MORNING = time(9)
_MOST = 500
"""Questions that are kept; of more, those that are back last are forgotten."""
_NAME = "snoozed"


@dataclass(frozen=True, slots=True)
class Choice:
    """For how long a question may be snoozed."""

    key: str
    words: str
    until: float
    """Seconds since 1970 UTC."""
    is_cut: bool = False
    """Whether it would be longer, were it not for a deadline."""


def choices(now: float, deadline: float | None) -> tuple[Choice, ...]:
    """Return for how long a question with this deadline may be snoozed; none: it is too near.

    Of several that a deadline cuts to the same, only the first is left.
    """
    last = None if deadline is None else deadline - BEFORE_DEADLINE
    offered = (("10m", "for 10 minutes", now + 600), ("1h", "for an hour", now + 3_600))
    found: list[Choice] = []
    for key, words, until in (*offered, ("9", "until tomorrow, 9:00", _tomorrow(now))):
        is_cut = last is not None and until > last
        choice = Choice(key, words, last if is_cut and last is not None else until, is_cut)
        if choice.until >= now + _LEAST and not (found and found[-1].is_cut):
            found.append(choice)
    return tuple(found)


def _tomorrow(now: float) -> float:
    """Return the next day's morning where the terminal is, whichever clock changes lie between."""
    today = datetime.fromtimestamp(now, UTC).astimezone().date()
    return datetime.combine(today + timedelta(days=1), _MORNING).astimezone().timestamp()


class Snoozes:
    """What is snoozed; all that look at the same state see the same."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._raw: Json = None
        self._read: dict[str, tuple[float, str]] = {}
        """What `_raw` says: it is asked once for each row of a list, again and again."""

    def until(self, pause: PauseRow | OpenPause, now: float) -> float | None:
        """Return until when an open question is snoozed; None: it is not, or not any more."""
        kept = self._kept().get(pause.pause_id)
        if kept is None:
            return None
        last = kept[0] if pause.deadline is None else min(kept[0], pause.deadline - BEFORE_DEADLINE)
        if last <= now:
            return None
        changes_at(last)
        return last

    def put(self, pause: PauseRow, until: float, what: str) -> None:
        """Snooze a question.

        Args:
            pause: The question.
            until: When it is to be back.
            what: What is said then, safe to draw.
        """
        last = until if pause.deadline is None else min(until, pause.deadline - BEFORE_DEADLINE)
        self._keep({**self._kept(), pause.pause_id: (last, what)})

    def wake(self, pause_id: str) -> None:
        """Wake a question now."""
        self._keep({key: kept for key, kept in self._kept().items() if key != pause_id})

    def ids(self) -> tuple[str, ...]:
        """Return the questions that were snoozed, answered meanwhile or not."""
        return tuple(self._kept())

    def take_back(self, now: float) -> Sequence[tuple[str, str]]:
        """Forget those whose time has come; return which they are, and what to say of each."""
        kept = self._kept()
        back = [(key, what) for key, (until, what) in kept.items() if until <= now]
        if back:
            gone = {key for key, _ in back}
            self._keep({key: value for key, value in kept.items() if key not in gone})
        return back

    def _keep(self, kept: dict[str, tuple[float, str]]) -> None:
        newest = sorted(kept.items(), key=lambda item: item[1][0])[:_MOST]
        self._state.put(_NAME, {key: list(value) for key, value in newest} or None)

    def _kept(self) -> dict[str, tuple[float, str]]:
        raw = self._state.get(_NAME)
        if raw is not self._raw:
            # The file may hold anything.
            found = raw.items() if isinstance(raw, dict) else ()
            self._read = {key: pair for key, value in found if (pair := _pair(value)) is not None}
            self._raw = raw
        return self._read


def _pair(value: Json) -> tuple[float, str] | None:
    if not isinstance(value, list) or len(value) != 2:  # noqa: PLR2004 - when, and what to say
        return None
    until, what = value
    is_right = isinstance(until, int | float) and not isinstance(until, bool) and isinstance(what, str)
    return (float(until), str(what)) if is_right and isinstance(until, int | float) else None
