"""When the operator is told that something waits: who looks already is not disturbed, and nobody is flooded. Pure."""

from dataclasses import dataclass

from tidegate.settings import Notify

__all__ = ["Notifier", "title_of"]

_CALM = 10.0
"""Seconds between two notifications; what happens meanwhile is told with the next one."""
_RING = 1.0
"""Seconds between two bells."""


def title_of(waiting: int, *, is_late: bool) -> str:
    """Return the title of the window: how much waits, and whether some of it is late."""
    return f"({waiting}{'!' if is_late else ''}) tidegate" if waiting else "tidegate"


@dataclass
class Notifier:
    """Remembers what was told."""

    notify: Notify
    _known: int | None = None
    """How many questions waited at the last look; None: nobody has looked yet."""
    _was_late: bool = False
    _new: int = 0
    """Questions of which nobody was told."""
    _is_lateness_new: bool = False
    _told_at: float = float("-inf")
    _rung_at: float = float("-inf")

    def look(self, waiting: int, *, is_late: bool, now: float) -> bool:
        """Take in how much waits; return whether to ring.

        Args:
            waiting: How many questions.
            is_late: Whether the deadline of one has passed.
            now: By the monotonic clock, in seconds.
        """
        known = waiting if self._known is None else self._known
        fresh = max(0, waiting - known)
        has_news = fresh > 0 or (is_late and not self._was_late and self._known is not None)
        # What was answered before it could be told needs no telling.
        self._new = min(self._new + fresh, waiting)
        self._is_lateness_new = is_late and (self._is_lateness_new or (has_news and not self._was_late))
        self._known, self._was_late = waiting, is_late
        if not has_news or self.notify is Notify.OFF or now - self._rung_at < _RING:
            return False
        self._rung_at = now
        return True

    def take_message(self, now: float, *, is_focused: bool) -> str:
        """Return what the terminal is to be told now; empty: nothing. Who looks here has been told by that."""
        if self.notify is Notify.OFF or (is_focused and self.notify is Notify.UNFOCUSED):
            self._forget()
            return ""
        if not (self._new or self._is_lateness_new) or now - self._told_at < _CALM:
            return ""
        message = self._message()
        self._told_at = now
        self._forget()
        return message

    def _forget(self) -> None:
        self._new, self._is_lateness_new = 0, False

    def _message(self) -> str:
        parts = []
        if self._new:
            parts.append(f"{self._new} new question{'' if self._new == 1 else 's'}")
        if self._is_lateness_new:
            parts.append("a deadline has passed")
        waiting = self._known or 0
        return f"{', '.join(parts)} ({waiting} {'waits' if waiting == 1 else 'wait'})"
