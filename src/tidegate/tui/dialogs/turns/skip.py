"""Asks why a block is skipped, before it is."""

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from tidegate.tui.dialogs.frame.base import Key
from tidegate.tui.dialogs.frame.gate import PACE, Pace
from tidegate.tui.dialogs.frame.parts import LineField
from tidegate.tui.dialogs.frame.typed import TypedDialog
from tidegate.tui.nouns.turns import Decision, Prospect

__all__ = ["SkipDialog"]


class SkipDialog(TypedDialog[Decision]):
    """Dismisses with the decision and its reason, or None to leave the block as it is.

    Args:
        prospect: What would happen.
        pace: How long keys are inert.
    """

    def __init__(self, prospect: Prospect, *, pace: Pace = PACE) -> None:
        self._prospect = prospect
        super().__init__(pace=pace)
        self._reason = LineField(self.gate, id="reason", suffix=".txt")

    def prompt_content(self) -> Content:
        """Return what hangs on it."""
        return Content("\n".join(self._prospect.sentences))

    def header_text(self) -> str:
        """Return which block of which run is meant."""
        return self._prospect.title

    def compose_body(self) -> ComposeResult:
        """Show the field."""
        with Vertical(id="dialog-body"):
            yield Static("Why (required, kept in the history)", markup=False, classes="label")
            yield self._reason

    def keys(self) -> list[Key]:
        """Return the keys that work."""
        return [("enter", "skip it"), ("esc", "leave it as it is")]

    def armed(self) -> None:
        """Take the reason."""
        self._reason.focus()
        self.say("Nothing happens until you say why, and press enter.")

    def action_commit(self) -> None:
        """Skip, if there is a reason."""
        reason = self._reason.value.strip()
        if reason:
            self.dismiss(Decision(self._prospect.ways[0], reason))
            return
        self.refuse(self._reason, "No reason is typed yet: say why it is skipped.")
