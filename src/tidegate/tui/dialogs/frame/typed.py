"""What dialogs have in common in which a line is typed and sent by enter."""

from typing import TypeVar

from textual import on
from textual.widgets import Input

from tidegate.tui.dialogs.frame.base import Dialog
from tidegate.tui.dialogs.frame.parts import LineField
from tidegate.tui.dialogs.frame.words import RUNS_ON

__all__ = ["TypedDialog"]

ResultT = TypeVar("ResultT")


class TypedDialog(Dialog[ResultT | None]):
    """Dismisses with what was decided, or None to leave everything as it is."""

    def field_after(self, field: Input) -> LineField | None:
        """Return where enter leads from a field; None: it sends."""
        del field
        return None

    def refuse(self, field: LineField, why: str) -> None:
        """Mark a field as what is missing or wrong, and say why. The text is safe to draw."""
        field.add_class("-invalid")
        field.focus()
        self.say(why, "error")

    def action_back(self) -> None:
        """Leave everything as it is."""
        self.dismiss(None)

    @on(Input.Submitted)
    def commit_by_enter(self, event: Input.Submitted) -> None:
        """Go on to the next field, or send; unless enter came out of a paste, or behind a text that began elsewhere."""
        event.stop()
        if self.gate.is_pasted:
            self.say("That enter came out of a paste, and did nothing.", "error")
        elif self.gate.runs_on:
            self.say(f"{RUNS_ON}: ctrl+s does it, esc leaves.", "error")
        elif (following := self.field_after(event.input)) is not None:
            following.focus()
        else:
            self.action_commit()

    @on(Input.Changed)
    def forget_error(self, event: Input.Changed) -> None:
        """Take the mark off as soon as something is typed."""
        event.input.remove_class("-invalid")
