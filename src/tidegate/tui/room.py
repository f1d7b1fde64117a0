"""Where a terminal is too small to show what a key would do, keys do nothing.

Owns the one size that this is measured by, and what becomes of the focus meanwhile: it is held back, so
that no field out of sight takes a letter, and given back once there is room again. A screen that goes
takes its work along.
"""

from typing import ClassVar, TypeVar

from textual import events, on
from textual.messages import Prune
from textual.screen import Screen
from textual.widget import Widget

__all__ = ["LEAST", "RoomyScreen"]

ResultT = TypeVar("ResultT")

LEAST = (40, 12)
"""Columns and rows that everything fits in."""


class RoomyScreen(Screen[ResultT]):
    """A screen that takes keys only where it has the room to show what they mean."""

    LEAST: ClassVar[tuple[int, int]] = LEAST
    """Columns and rows that it takes at least."""
    SMALL_ACTIONS: ClassVar[frozenset[str]] = frozenset()
    """What may be done where there is less, by the names of the actions."""

    is_cramped = False
    """Whether it has less than it needs."""
    _held_focus: Widget | None = None

    @property
    def rest(self) -> float:
        """Seconds after it was closed for which no key counts in what is below."""
        return 0.0

    @on(Prune)
    def _end_work(self) -> None:
        # The toolkit ends it once the screen is empty; until then it would look for what is there no more.
        self.workers.cancel_node(self)

    @on(events.Resize)
    def _take_room(self, event: events.Resize) -> None:
        self._measure(*event.size)

    @on(events.ScreenResume)
    def _look_at_room(self) -> None:
        # It may have been another screen that was resized meanwhile.
        self._measure(*self.app.size)

    def _measure(self, width: int, height: int) -> None:
        is_cramped = width < self.LEAST[0] or height < self.LEAST[1]
        if is_cramped == self.is_cramped:
            return
        if is_cramped:
            self._held_focus = self.focused
            self.set_focus(None)
        self.is_cramped = is_cramped
        self.set_class(is_cramped, "-cramped")
        if not is_cramped and (held := self._held_focus) is not None and held.is_attached:
            self.set_focus(held, scroll_visible=False)
        self.room_changed()

    def room_changed(self) -> None:
        """Take note that there is less room than it takes, or enough again."""

    def set_focus(
        self, widget: Widget | None, scroll_visible: bool = True, from_app_focus: bool = False
    ) -> None:
        """Focus what can be seen; what cannot has its turn once it can."""
        if self.is_cramped and widget is not None:
            self._held_focus = widget
        else:
            super().set_focus(widget, scroll_visible, from_app_focus)

    def is_aimed_too_soon(self, action: str, at: float) -> bool:
        """Return whether an action wanted at *at* may have been meant for what the cursor was on until just before.

        Args:
            action: As bindings name it.
            at: When its key was pressed, by the clock of events.
        """
        del action, at
        return False

    def held_back(self) -> None:
        """Take note that such an action was not done."""

    def is_out_of_room(self, key: str) -> bool:
        """Return whether a key does nothing because nobody could see what it does."""
        bound = self.active_bindings.get(key)
        return self.is_cramped and (bound is None or bound.binding.action not in self.SMALL_ACTIONS)
