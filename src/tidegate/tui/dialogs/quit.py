"""Asks before the monitor, and what runs in it, stops."""

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Button

from tidegate.tui.dialogs.base import Dialog, Key
from tidegate.tui.dialogs.gate import PACE, Pace
from tidegate.tui.dialogs.parts import GatedButton

__all__ = ["QuitDialog"]


class QuitDialog(Dialog[bool]):
    """Dismisses with True to quit. The safe answer is the one enter gives.

    Args:
        running: How many blocks run in this process; None: the engine does not say.
        is_unsent: Whether an answer that was begun is still unsent.
        pace: How long keys are inert.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "app.focus_previous", "Stay", show=False),
        Binding("right", "app.focus_next", "Quit", show=False),
    ]

    def __init__(self, running: int | None, *, is_unsent: bool = False, pace: Pace = PACE) -> None:
        self._blocks = running
        self._is_unsent = is_unsent
        super().__init__(pace=pace)

    def prompt_content(self) -> Content:
        """Return what quitting does."""
        sentences = [_stopped(self._blocks)]
        if self._is_unsent:
            sentences.append("What you have begun to type is not sent, and is not kept.")
        return Content("\n".join(sentences))

    def header_text(self) -> str:
        """Return what is asked."""
        return "Quit tidegate?"

    def compose_body(self) -> ComposeResult:
        """Show both answers."""
        with Horizontal(id="dialog-body"):
            yield GatedButton("Stay", self.gate, id="stay")
            yield GatedButton("Quit", self.gate, id="quit")

    def keys(self) -> list[Key]:
        """Return the keys that work."""
        return [("← →", "choose"), ("enter", "take it"), ("esc", "stay")]

    def armed(self) -> None:
        """Focus the safe answer."""
        self.query_one("#stay").focus()
        self.say("Enter stays.")

    def action_commit(self) -> None:
        """Do nothing: there is nothing to send."""

    def action_back(self) -> None:
        """Stay."""
        self.dismiss(False)  # the toolkit's signature

    @on(Button.Pressed)
    def answer(self, event: Button.Pressed) -> None:
        """Stay or quit."""
        self.dismiss(event.button.id == "quit")


def _stopped(blocks: int | None) -> str:
    """Return what quitting does to that many blocks."""
    match blocks:
        case None:
            return "The engine does not say whether anything runs here; quitting stops whatever does."
        case 0:
            return "Nothing runs here. What waits for an answer stays open."
        case 1:
            return "1 block runs here; quitting stops it; it stays interrupted until it is resumed."
        case many:
            return (
                f"{many} blocks run here; quitting stops them; they stay interrupted until they are resumed."
            )
