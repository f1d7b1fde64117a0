"""Asks before the monitor, and what runs in it, stops."""

from collections.abc import Sequence
from enum import StrEnum
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Button

from tidegate.safe_text import safe_line
from tidegate.tui.dialogs.frame.base import Dialog, Key
from tidegate.tui.dialogs.frame.gate import PACE, Pace
from tidegate.tui.dialogs.frame.parts import GatedButton

__all__ = ["Leaving", "QuitDialog"]

_NAMED = 6
"""Blocks that are named; of more it is said how many there are."""


class Leaving(StrEnum):
    """What becomes of the wish to quit."""

    STAY = "stay"
    """Nothing: whatever was to be left goes on here."""
    FINISH = "finish"
    """Nothing new starts; once what runs has ended a worker goes on, and the monitor ends."""
    QUIT = "quit"
    """The monitor ends, and what runs is stopped."""


class QuitDialog(Dialog[Leaving]):
    """Asks what becomes of what runs. The safe answer is the one enter gives.

    Args:
        at_work: Which blocks run in this process; None: the engine does not say.
        is_unsent: Whether an answer that was begun is still unsent.
        may_finish: Whether somebody else could go on with the runs.
        is_finishing: Whether it was chosen before to let what runs end.
        pace: How long keys are inert.
    """

    LEAST: ClassVar[tuple[int, int]] = (0, 0)
    """It arms nothing, and whoever cannot see anything must be able to leave."""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "app.focus_previous", "Before", show=False),
        Binding("right", "app.focus_next", "Next", show=False),
    ]

    def __init__(
        self,
        at_work: Sequence[str] | None,
        *,
        is_unsent: bool = False,
        may_finish: bool = False,
        is_finishing: bool = False,
        pace: Pace = PACE,
    ) -> None:
        self._at_work = at_work
        self._is_unsent = is_unsent
        self._is_finishing = is_finishing
        self._may_finish = bool(at_work) and (may_finish or is_finishing)
        super().__init__(pace=pace)

    def prompt_content(self) -> Content:
        """Return what quitting does."""
        sentences = [_stopped(self._at_work)]
        if self._is_finishing:
            sentences.append(
                "Nothing new starts here. As soon as these have ended a worker goes on, and this ends."
            )
        elif self._may_finish:
            sentences.append(
                "Or let them end: nothing new starts here, and then a worker goes on in the background."
            )
        if self._is_unsent:
            sentences.append("What you have begun to type is not sent, and is not kept.")
        return Content("\n".join(sentences))

    def header_text(self) -> str:
        """Return what is asked."""
        return "Quit tidegate?"

    def compose_body(self) -> ComposeResult:
        """Show the answers, the safe one first."""
        stay = GatedButton("Stay", self.gate, id=Leaving.STAY)
        finish = GatedButton(
            "Wait for them" if self._is_finishing else "Let them end", self.gate, id=Leaving.FINISH
        )
        with Horizontal(id="dialog-body"):
            yield from (
                (finish, stay) if self._is_finishing else (stay, finish) if self._may_finish else (stay,)
            )
            yield GatedButton("Quit now" if self._may_finish else "Quit", self.gate, id=Leaving.QUIT)

    def keys(self) -> list[Key]:
        """Return the keys that work."""
        return [("← →", "choose"), ("enter", "take it"), ("esc", "wait on" if self._is_finishing else "stay")]

    @property
    def _safe(self) -> Leaving:
        return Leaving.FINISH if self._is_finishing else Leaving.STAY

    def armed(self) -> None:
        """Focus the safe answer."""
        self.query_one(f"#{self._safe}").focus()

    @on(events.DescendantFocus)
    def _say_what_enter_does(self, event: events.DescendantFocus) -> None:
        match event.widget.id:
            case Leaving.QUIT:
                self.say("Enter quits, and stops what runs." if self._at_work else "Enter quits.", "stop")
            case Leaving.FINISH if not self._is_finishing:
                self.say("Enter lets them end, and then quits.", "armed")
            case Leaving.FINISH:
                self.say("Enter waits on.")
            case Leaving.STAY:
                self.say("Enter stays.")

    def came_back(self) -> None:
        """Stand on the safe answer again, once the toolkit has given the focus back."""
        self.call_later(self._stand_on_safe)

    def _stand_on_safe(self) -> None:
        if self.has_class("-ready"):
            self.query_one(f"#{self._safe}").focus()

    def action_commit(self) -> None:
        """Do nothing: there is nothing to send."""

    def action_back(self) -> None:
        """Leave everything as it is."""
        self.dismiss(self._safe)

    @on(Button.Pressed)
    def answer(self, event: Button.Pressed) -> None:
        """Do what was chosen."""
        self.dismiss(Leaving(event.button.id or self._safe))


def _stopped(at_work: Sequence[str] | None) -> str:
    """Return what quitting does to what runs."""
    if at_work is None:
        return "The engine does not say whether anything runs here; quitting stops whatever does."
    if not at_work:
        return "Nothing runs here. What waits for an answer stays open."
    names = ", ".join(safe_line(name, 80) for name in at_work[:_NAMED])
    more = f" and {len(at_work) - _NAMED} more" if len(at_work) > _NAMED else ""
    if len(at_work) == 1:
        return f"1 block runs here ({names}); quitting stops it; it stays interrupted until it is resumed."
    return (
        f"{len(at_work)} blocks run here ({names}{more}); quitting stops them; "
        "they stay interrupted until they are resumed."
    )
