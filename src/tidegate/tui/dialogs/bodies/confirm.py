"""Yes or no: two buttons, of which neither is chosen until somebody does."""

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widgets import Button

from tidegate.model.prompt import ConfirmPrompt, OnReject
from tidegate.tui.dialogs.bodies.body import ArmedBody, Option
from tidegate.tui.dialogs.frame.base import Key
from tidegate.tui.dialogs.frame.gate import Gate
from tidegate.tui.dialogs.frame.parts import GatedButton

__all__ = ["ConfirmBody"]

_EFFECT_OF_NO = {
    OnReject.STOP: "ends this run as rejected unless something in it failed.",
    OnReject.CONTINUE: "is only data: the run goes on and sees the answer.",
}
_EFFECT_ON_EACH = {
    OnReject.STOP: "ends each as rejected unless something in it failed.",
    OnReject.CONTINUE: "is only data: each goes on and sees the answer.",
}


class ConfirmBody(ArmedBody, can_focus=True):
    """Approve or reject."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "choose('approve')", "Approve"),
        Binding("n", "choose('reject')", "Reject"),
        Binding("left", "highlight('approve')", "Approve", show=False),
        Binding("right", "highlight('reject')", "Reject", show=False),
        Binding("enter", "commit", "Choose", show=False),
    ]
    nothing_chosen = "Nothing is chosen yet: press y to approve or n to reject."

    def __init__(self, prompt: ConfirmPrompt, gate: Gate, *, several: bool = False) -> None:
        super().__init__(gate)
        effect = (_EFFECT_ON_EACH if several else _EFFECT_OF_NO)[prompt.on_reject]
        run = "each of these runs" if several else "the run"
        self.hint = f"Approve lets {run} go on. Reject {effect}"
        self._options = {
            "approve": Option("yes", "Approve", f"{run.capitalize()} goes on.", "go", "y or enter"),
            "reject": Option("no", "Reject", f"It {effect}", "stop", "n or enter"),
        }
        self._highlighted: str | None = None

    def compose(self) -> ComposeResult:
        """Show the two buttons. They take clicks, never the focus."""
        with Horizontal(id="confirm-buttons"):
            yield GatedButton("y  Approve", self.gate, id="approve", can_focus=False)
            yield GatedButton("n  Reject", self.gate, id="reject", can_focus=False)

    def keys(self) -> list[Key]:
        """Return the keys of this body."""
        return [("y", "approve"), ("n", "reject")]

    def begin(self) -> None:
        """Take keys; neither answer is chosen."""
        self.focus()

    def listed(self) -> Sequence[Option]:
        """Return both answers."""
        return tuple(self._options.values())

    def highlighted(self) -> Option | None:
        """Return what the arrows stand on."""
        return self._options[self._highlighted] if self._highlighted else None

    def show_armed(self, option: Option | None) -> None:
        """Mark what is armed."""
        for name, known in self._options.items():
            self.query_one(f"#{name}").set_class(known == option, "-armed")

    def reject(self) -> bool:
        """Choose the no, as its key does; the cursor stays where it is."""
        self.action_choose("reject")
        return True

    def strayed(self) -> None:
        """Stand on neither answer."""
        super().strayed()
        self._stand_on(None)

    def action_highlight(self, name: str) -> None:
        """Stand on one answer."""
        self.disarm()
        self._stand_on(name)

    def action_choose(self, name: str) -> None:
        """Arm one answer, or send it if it is armed."""
        if not self.gate.is_void:
            self._stand_on(name)
            self.take(self._options[name])

    def action_commit(self) -> None:
        """Arm what the arrows stand on, or send what is armed."""
        self.commit()

    @on(Button.Pressed)
    def choose_by_click(self, event: Button.Pressed) -> None:
        """Do what the key of the button does."""
        event.stop()
        self.action_choose(event.button.id or "")

    def _stand_on(self, name: str | None) -> None:
        self._highlighted = name
        for known in self._options:
            self.query_one(f"#{known}").set_class(known == name, "-highlighted")
