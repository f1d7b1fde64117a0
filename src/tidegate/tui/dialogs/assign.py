"""Asks whose business questions are to be, and what there is to say with it."""

from typing import NamedTuple

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static

from tidegate.errors import InvalidAnswer
from tidegate.model.prompt import checked_comment, checked_name
from tidegate.safe_text import safe_line
from tidegate.tui.dialogs.frame.base import Key
from tidegate.tui.dialogs.frame.gate import PACE, Pace
from tidegate.tui.dialogs.frame.parts import LineField
from tidegate.tui.dialogs.frame.typed import TypedDialog

__all__ = ["AssignDialog", "Assigned"]


class Assigned(NamedTuple):
    """Whose it is to be, and what is said with it."""

    to: str
    note: str


class AssignDialog(TypedDialog[Assigned]):
    """Dismisses with what was typed, or None to leave it whose it is.

    Args:
        what: Which questions.
        questions: What they ask, one line each.
        pace: How long keys are inert.
    """

    def __init__(self, what: str, questions: tuple[str, ...], *, pace: Pace = PACE) -> None:
        self._what = what
        self._questions = questions
        super().__init__(pace=pace)
        self._to = LineField(self.gate, id="name")
        self._said = LineField(self.gate, id="note", suffix=".txt")

    def prompt_content(self) -> Content:
        """Return what they ask."""
        return Content("\n".join(safe_line(text, 200) for text in self._questions))

    def header_text(self) -> str:
        """Return which questions are meant."""
        return f"Assign · {safe_line(self._what, 120)}"

    def compose_body(self) -> ComposeResult:
        """Show the fields."""
        with Vertical(id="dialog-body"):
            yield Static("To whom: the name that their answers carry", markup=False, classes="label")
            yield self._to
            yield Static("Note (may be left out)", markup=False, classes="label")
            yield self._said

    def keys(self) -> list[Key]:
        """Return the keys that work."""
        return [("enter", "next, then assign"), ("ctrl+s", "assign"), ("esc", "leave it")]

    def armed(self) -> None:
        """Take the name."""
        self._to.focus()
        self.say("It stays open, and anybody may answer it all the same.")

    def action_commit(self) -> None:
        """Assign, if there is a name."""
        try:
            to, note = checked_name(self._to.value), checked_comment(self._said.value, "note")
        except InvalidAnswer as error:
            self.say(f"Not assigned: {safe_line(error.rule, 200)}.", "error")
            return
        if to:
            self.dismiss(Assigned(to, note))
            return
        self.refuse(self._to, "No name is typed yet: say whose it is to be.")

    def field_after(self, field: Input) -> LineField | None:
        """Go from the name to the note."""
        return self._said if field is self._to and self._to.value.strip() else None
