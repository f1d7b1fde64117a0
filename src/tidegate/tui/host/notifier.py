"""When the operator is told that something waits: each question once when it comes, and once when it is late. Pure.

Who looks already is not disturbed, and nobody is flooded. What is somebody else's business, or snoozed, calls
nobody here; if it becomes this operator's, or anybody's, it has come then.
"""

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field

from tidegate.model.listing import OpenPause
from tidegate.settings import Notify

__all__ = ["Notifier", "title_of"]

_CALM = 10.0
"""Seconds between two notifications; what happens meanwhile is told with the next one."""
_SETTLE = 1.0
"""Seconds that something is let be before it is told: what is answered at once calls nobody."""
_RING = 1.0
"""Seconds between two bells."""


def title_of(waiting: int, *, is_late: bool) -> str:
    """Return the title of the window: how much waits, and whether some of it is late."""
    return f"({waiting}{'!' if is_late else ''}) tidegate" if waiting else "tidegate"


@dataclass
class _News:
    """Questions to which one thing has happened, and of which of them that is still to be told."""

    known: set[str] = field(default_factory=set)
    """To which it has happened, told or not, as long as they are open."""
    untold: dict[str, float] = field(default_factory=dict)
    """Since when, by the monotonic clock."""
    unrung: set[str] = field(default_factory=set)

    def take(self, happened: set[str], view: "_View", *, is_news: bool, now: float) -> None:
        """Take in to which questions of ours it has happened by now; if that is no news, only remember."""
        # What somebody else took over before it was told comes anew when it is ours again.
        self.known -= self.untold.keys() - view.ours
        fresh = (happened - self.known) & view.calling if is_news else set()
        self.known = (self.known | happened) & view.open
        # What was answered before it could be told needs no telling.
        waiting = {**self.untold, **dict.fromkeys(fresh, now)}
        self.untold = {name: since for name, since in waiting.items() if name in view.calling}
        self.unrung = (self.unrung | fresh) & view.calling

    def is_due(self, now: float) -> bool:
        """Whether one has been there for long enough to be told."""
        return bool(self.untold) and now - min(self.untold.values()) >= _SETTLE


@dataclass(frozen=True)
class _View:
    """The open questions at one moment, by their ids."""

    open: set[str]
    ours: set[str]
    """Those that are nobody else's business."""
    calling: set[str]
    """Those of ours that are not snoozed."""


@dataclass
class Notifier:
    """Remembers what was told."""

    notify: Notify
    _new: _News = field(default_factory=_News)
    _late: _News = field(default_factory=_News)
    _back: set[str] = field(default_factory=set)
    """Those whose time of being snoozed is over, and of which nobody was told."""
    _is_back_unrung: bool = False
    _asked: Sequence[OpenPause] | None = None
    """What was looked at last; None: nobody has looked yet."""
    _asleep: Container[str] = frozenset()
    _next: float = float("-inf")
    """The next deadline, as of the last look."""
    _waiting: int = 0
    _told_at: float = float("-inf")
    _rung_at: float = float("-inf")

    def look(
        self, asked: Sequence[OpenPause], *, me: str, asleep: frozenset[str], at: float, now: float
    ) -> None:
        """Take in what is open now.

        Args:
            asked: Every open question.
            me: Who the operator is.
            asleep: The ids of those that the operator has snoozed.
            at: The time, in seconds since 1970 UTC.
            now: By the monotonic clock, in seconds.
        """
        # It is looked every second; nothing can have happened while the same are open and no deadline passes.
        if asked is self._asked and asleep == self._asleep and at < self._next:
            return
        is_news = self._asked is not None
        view = _view(asked, me, asleep)
        late = {str(one.pause_id) for one in asked if one.deadline is not None and one.deadline <= at}
        self._new.take(view.ours, view, is_news=is_news, now=now)
        self._late.take(late & view.ours, view, is_news=is_news, now=now)
        self._back &= view.calling
        self._waiting = sum(name not in asleep for name in view.open)
        self._asked, self._asleep, self._next = asked, asleep, _next_deadline(asked, at)

    def call_back(self, names: Iterable[str]) -> None:
        """Take in which questions are snoozed no longer, as their time has come; they are open."""
        names = set(names)
        self._back |= names
        self._is_back_unrung = self._is_back_unrung or bool(names)

    def take_bell(self, now: float, *, may_ring: bool) -> bool:
        """Return whether to ring now. What may not ring yet, or not so soon, rings later, unless it is closed by then."""
        if self.notify is Notify.OFF:
            self._silence()
        is_due = bool(self._new.unrung or self._late.unrung or (self._is_back_unrung and self._back))
        if not is_due or not may_ring or now - self._rung_at < _RING:
            return False
        self._rung_at = now
        self._silence()
        return True

    def take_message(self, now: float, *, is_focused: bool) -> str:
        """Return what the terminal is to be told now; empty: nothing. Who looks here has been told by that."""
        if self.notify is Notify.OFF or (is_focused and self.notify is Notify.UNFOCUSED):
            self._forget()
            return ""
        is_due = self._new.is_due(now) or self._late.is_due(now) or bool(self._back)
        if not is_due or now - self._told_at < _CALM:
            return ""
        message = self._message()
        self._told_at = now
        self._forget()
        return message

    def _silence(self) -> None:
        self._new.unrung, self._late.unrung, self._is_back_unrung = set(), set(), False

    def _forget(self) -> None:
        self._new.untold, self._late.untold, self._back = {}, {}, set()

    def _message(self) -> str:
        new, late, back = len(self._new.untold), len(self._late.untold), len(self._back)
        parts = [
            f"{new} new question{'' if new == 1 else 's'}" if new else "",
            f"{back} snoozed question{' is' if back == 1 else 's are'} back" if back else "",
            ("a deadline has passed" if late == 1 else f"{late} deadlines have passed") if late else "",
        ]
        waiting = f"{self._waiting} {'waits' if self._waiting == 1 else 'wait'}"
        return f"{', '.join(filter(None, parts))} ({waiting})"


def _view(asked: Iterable[OpenPause], me: str, asleep: frozenset[str]) -> _View:
    whose = {str(one.pause_id): one.assignee for one in asked}
    ours = {name for name, assignee in whose.items() if assignee in {"", me}}
    return _View(set(whose), ours, ours - asleep)


def _next_deadline(asked: Iterable[OpenPause], at: float) -> float:
    deadlines = (one.deadline for one in asked if one.deadline is not None)
    return min((deadline for deadline in deadlines if deadline > at), default=float("inf"))
