"""Asks before the course of a run is turned: paused, tried again, run again, or let go on.

Says first what will happen. Nothing does until a way is chosen, and then chosen again.
"""

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Button

from tidegate.tui.dialogs.bodies.body import ArmedBody, Option, Send
from tidegate.tui.dialogs.frame.base import Key
from tidegate.tui.dialogs.frame.gate import PACE, Gate, Pace
from tidegate.tui.dialogs.frame.parts import GatedButton
from tidegate.tui.dialogs.turns.certain import CertainDialog
from tidegate.tui.nouns.turns import Decision, Prospect, Way

__all__ = ["TurnDialog"]

_KEYS = ("y", "a")
"""Of the first way and of the second."""


class TurnBody(ArmedBody, can_focus=True):
    """One button for each way, each taken in two presses."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "choose(0)", "Yes"),
        Binding("a", "choose(1)", "All", show=False),
        Binding("enter", "commit", "Send", show=False),
    ]

    def __init__(self, ways: tuple[Way, ...], gate: Gate) -> None:
        super().__init__(gate)
        self._options = [
            Option(str(index), way.label, way.effect, "stop", f"{key} or enter")
            for index, (way, key) in enumerate(zip(ways, _KEYS, strict=False))
        ]
        what = " or ".join(f"{key} for {way.label!r}" for key, way in zip(_KEYS, ways, strict=False))
        verb = ways[0].label.lower()
        self.nothing_chosen = f"Nothing is chosen yet: press {what if ways[1:] else f'y to {verb}'}, or esc to leave it as it is."
        self.hint = (
            f"Nothing happens until you press {' or '.join(_KEYS[: len(ways)])}, and then the same or enter."
        )

    def compose(self) -> ComposeResult:
        """Show the buttons. They take clicks, never the focus."""
        with Horizontal(id="confirm-buttons"):
            for index, (option, key) in enumerate(zip(self._options, _KEYS, strict=False)):
                yield GatedButton(f"{key}  {option.label}", self.gate, id=f"way-{index}", can_focus=False)

    def keys(self) -> list[Key]:
        """Return the keys of this body."""
        return [(key, option.label.lower()) for key, option in zip(_KEYS, self._options, strict=False)]

    def begin(self) -> None:
        """Take keys; nothing is chosen."""
        self.focus()

    def highlighted(self) -> Option | None:
        """Return nothing: there is nothing to stand on before it is chosen."""
        return None

    def show_armed(self, option: Option | None) -> None:
        """Mark the button."""
        for index, one in enumerate(self._options):
            self.query_one(f"#way-{index}").set_class(one is option, "-armed")

    def action_choose(self, index: int) -> None:
        """Arm a way, or send it if it is armed."""
        if index < len(self._options):
            self.take(self._options[index])

    def action_commit(self) -> None:
        """Send what is armed."""
        self.commit()

    @on(Button.Pressed)
    def choose_by_click(self, event: Button.Pressed) -> None:
        """Do what the key of the button does."""
        event.stop()
        self.action_choose(int((event.button.id or "").rpartition("-")[2]))


class TurnDialog(CertainDialog[Decision | None]):
    """Dismisses with what was decided, or None to leave the run as it is.

    Args:
        prospect: What would happen.
        pace: How long keys are inert.
    """

    def __init__(self, prospect: Prospect, *, pace: Pace = PACE) -> None:
        self._prospect = prospect
        super().__init__(prospect.run_id, pace=pace)
        self._body = TurnBody(prospect.ways, self.gate)

    def prompt_content(self) -> Content:
        """Return what will happen."""
        return Content("\n".join(self._prospect.sentences))

    def header_text(self) -> str:
        """Return what is asked, about which run."""
        return self._prospect.title

    def compose_body(self) -> ComposeResult:
        """Show what can be done, and what is typed before what cannot be undone."""
        yield self._body
        yield self.certainty

    def keys(self) -> list[Key]:
        """Return the keys that work."""
        return [*self._body.keys(), ("esc", "no: leave it as it is")]

    def armed(self) -> None:
        """Take keys."""
        self.say(self._body.hint)
        self._body.begin()

    def action_commit(self) -> None:
        """Go on as enter does."""
        self._body.commit()

    def action_back(self) -> None:
        """Take back the choice, or leave the run as it is."""
        if not self.leave_certainty() and not self._body.step_back():
            self.dismiss(None)

    def final_of(self, raw: str) -> str:
        """Return what a way does and cannot be undone."""
        return self._prospect.ways[int(raw)].final

    @on(Send)
    def decide(self, event: Send) -> None:
        """Dismiss with the way that was chosen, unless it needs to be certain."""
        if self.is_certain(event.raw):
            self.dismiss(Decision(self._prospect.ways[int(event.raw)]))
