"""Asks before a run is cancelled, by the run's own id."""

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Checkbox, Input, Static

from tidegate.tui.dialogs.frame.base import Key
from tidegate.tui.dialogs.frame.certainty import names_run, start_of
from tidegate.tui.dialogs.frame.gate import PACE, Pace
from tidegate.tui.dialogs.frame.parts import LineField
from tidegate.tui.dialogs.frame.typed import TypedDialog
from tidegate.tui.nouns.turns import Decision, Prospect

__all__ = ["CancelDialog"]

_NOT_YET = "Nothing happens until the id is typed."


class CancelDialog(TypedDialog[Decision]):
    """Dismisses with the decision and its reason (may be empty), or None if the run goes on.

    Args:
        prospect: What would happen. Its second way, if it has one, is a choice of its own.
        pace: How long keys are inert.
    """

    def __init__(self, prospect: Prospect, *, pace: Pace = PACE) -> None:
        self._prospect = prospect
        self._run_id = prospect.run_id
        super().__init__(pace=pace)
        self._typed = LineField(self.gate, id="run-id")
        self._reason = LineField(self.gate, id="reason", suffix=".txt")
        self._now = Checkbox(_choice(False), id="now")
        self._now.BUTTON_LEFT = self._now.BUTTON_INNER = self._now.BUTTON_RIGHT = ""

    def prompt_content(self) -> Content:
        """Return what cancelling does."""
        return Content("\n".join(self._prospect.sentences))

    def header_text(self) -> str:
        """Return which run is meant."""
        return self._prospect.title

    def compose_body(self) -> ComposeResult:
        """Show the fields, and below them the choice to wait for nothing."""
        start = start_of(self._run_id)
        with Vertical(id="dialog-body"):
            yield Static(f"Type {start}, or the whole run id", markup=False, classes="label")
            yield self._typed
            yield Static("Reason (optional, kept in the history)", markup=False, classes="label")
            yield self._reason
            if self._prospect.ways[1:]:
                yield self._now

    def keys(self) -> list[Key]:
        """Return the keys that work."""
        return [("tab", "next field"), ("enter", "cancel the run"), ("esc", "keep it running")]

    def armed(self) -> None:
        """Take the id."""
        self._typed.focus()
        self.say(_NOT_YET)

    def action_commit(self) -> None:
        """Cancel, if the id that was typed is the run's."""
        typed = self._typed.value
        if names_run(typed, self._run_id):
            way = self._prospect.ways[1 if self._now.value else 0]
            self.dismiss(Decision(way, self._reason.value))
            return
        shown = f"this run's id starts with {start_of(self._run_id)}"
        self.refuse(
            self._typed, f"{'That is another id' if typed.strip() else 'No id is typed yet'}: {shown}."
        )

    @on(Input.Changed)
    def say_what_enter_does(self) -> None:
        """Say it once the id is typed."""
        is_named = names_run(self._typed.value, self._run_id)
        self.say("Enter cancels the run." if is_named else _NOT_YET, "stop" if is_named else "hint")

    @on(Checkbox.Changed)
    def tell_choice(self, event: Checkbox.Changed) -> None:
        """Say what the choice means; show it by more than a colour."""
        self._now.label = _choice(event.value)
        self.say(self._prospect.ways[1 if event.value else 0].effect, "stop" if event.value else "hint")


def _choice(is_taken: bool) -> Content:
    return Content(f"[{'X' if is_taken else ' '}] now: give up what runs always, too (space)")
