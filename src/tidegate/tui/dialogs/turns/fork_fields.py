"""The fields in which what a fork changes is typed."""

from collections.abc import Callable
from dataclasses import dataclass

from textual import events
from textual.message import Message

from tidegate.tui.dialogs.frame.parts import LineField, TextField
from tidegate.tui.present.exact import FieldText

__all__ = ["Looked", "NameField", "ValueField"]

_EMPTY = FieldText()
_ESCAPE = "escape"
_AWAY = (_ESCAPE, "tab", "shift+tab", "f1")
"""Keys that put nothing into a field."""


@dataclass(frozen=True, slots=True)
class Looked:
    """What somebody finds who wants to change the value at a path."""

    value: FieldText = _EMPTY
    says: str = ""
    """What to do now, or what is not shown of it, as sentences that are safe to draw."""
    problem: str = ""
    """Why nothing can be changed there, as a sentence that is safe to draw."""


class NameField(LineField):
    """A path, or a block."""

    heard: Callable[[], None] = staticmethod(lambda: None)
    """Called with every key but escape."""

    def on_key(self, event: events.Key) -> None:
        """Tell; what the key does is the business of the field."""
        if event.key != _ESCAPE and self._gate.admits(event.time):
            self.heard()


class ValueField(TextField):
    """A value. Enter takes it, unless it came out of a paste."""

    heard: Callable[[], None] = staticmethod(lambda: None)
    """Called with every key but escape."""
    settle: Callable[[], bool] = staticmethod(lambda: True)
    """Makes sure that what is in the field is the value at the path that is typed; False: nothing is there."""

    class Taken(Message):
        """Enter was pressed."""

    def on_key(self, event: events.Key) -> None:
        """Take the value by enter; the toolkit lets the field drop what does not count, too."""
        if not self._gate.admits(event.time):
            return
        if event.key != _ESCAPE:
            self.heard()
        # A key may be here before it was told that the path was left.
        if event.key not in _AWAY and not self.settle():
            event.stop()
            event.prevent_default()
            return
        if event.key not in ("enter", "ctrl+j"):
            if event.is_printable:
                self._gate.typed(event.key, event.time)
            return
        event.stop()
        event.prevent_default()
        self._gate.press(event.key, event.time)
        if event.key == "ctrl+j" or self._gate.is_pasted:
            self.insert("\n")
        else:
            self.post_message(self.Taken())

    def on_paste(self, event: events.Paste) -> None:
        """Let a paste go to the value that it is meant for, or nowhere."""
        self.heard()
        if not self.settle():
            event.stop()
            event.prevent_default()
