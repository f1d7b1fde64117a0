"""Which keys and clicks reach a dialog: what its gate lets in, and what is a text that somebody writes elsewhere."""

from typing import TypeVar

from textual import events, on
from textual.screen import ModalScreen

from tidegate.tui.dialogs.frame.field_keys import FieldKeys
from tidegate.tui.dialogs.frame.gate import Gate, Pace
from tidegate.tui.orderly import OrderlyApp
from tidegate.tui.room import RoomyScreen

__all__ = ["GatedScreen"]

ResultT = TypeVar("ResultT")

_AWAY = ("tab", "shift+tab")
_WHILE_WRITING = ("enter", "backspace", "delete", *_AWAY)


class GatedScreen(RoomyScreen[ResultT], ModalScreen[ResultT]):
    """A screen in front of everything else that takes only what is meant for it."""

    def __init__(self, pace: Pace) -> None:
        super().__init__()
        self.gate = Gate(pace)

    @property
    def rest(self) -> float:
        """As long as nothing counts when it opens."""
        return self.gate.pace.inert

    @on(events.Mount)
    def _look_who_comes(self) -> None:
        """Take note of who comes back from elsewhere, and whether a letter of a text has led here."""
        self.watch(self.app, "app_focus", self._app_focus_changed, init=False)
        app, pace = self.app, self.gate.pace
        if isinstance(app, OrderlyApp) and events.Event().time - app.strayed_at < pace.writing:
            self.gate.runs_on = True

    def on_key(self, event: events.Key) -> None:
        """Stop a key that does not count before any binding sees it."""
        if not self._takes(event):
            event.stop()
            event.prevent_default()

    def _takes(self, event: events.Key) -> bool:
        """Whether a key counts; takes note of it, and of why it does not."""
        if not self.gate.admits(event.time):
            self._note_early(event)
            return False
        if self.is_out_of_room(event.key):
            return False
        if self._is_text(event):
            self.gate.strayed(event.time)
            self.strayed()
            return False
        self.gate.press(event.key, event.time)
        if event.key in _AWAY:
            self.looked_away()
        return True

    def _is_text(self, event: events.Key) -> bool:
        """Whether a key is one of a text that somebody writes without looking: no field has taken it."""
        if event.is_printable:
            return event.key not in self.active_bindings or self.gate.is_writing(event.key, event.time)
        in_field = isinstance(self.focused, FieldKeys)
        return event.key in _WHILE_WRITING and not in_field and self.gate.is_writing(event.key, event.time)

    def _note_early(self, event: events.Key) -> None:
        if event.is_printable:
            self.gate.early(event.key, event.time)
        self.pressed_early(event)

    def pressed_early(self, event: events.Key) -> None:
        """Take note of a key that came before keys count."""

    def strayed(self) -> None:
        """Take note of a character that means nothing here: whoever writes has turned away."""
        self.looked_away()

    def looked_away(self) -> None:
        """Take note that somebody has turned to something else in the dialog."""

    def on_click(self) -> None:
        """Do nothing, wherever the click went; it may have been the one that brought us back."""
        self.gate.spend_focus_click()

    def _app_focus_changed(self, focused: bool) -> None:
        if focused:
            self.gate.focus_regained()
            # Not later: the key that tells of it may be the one that would send.
            if not self.gate.busy:
                self.came_back()

    def came_back(self) -> None:
        """Take note that somebody was elsewhere, and may not know any more what the next press does."""
