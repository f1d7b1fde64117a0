"""The comment beside an answer: optional, or required by the workflow's rule."""

from tidegate.model.prompt import CommentRule
from tidegate.tui.dialogs.frame.gate import Gate
from tidegate.tui.dialogs.frame.parts import LineField

__all__ = ["CommentField"]

_PLACEHOLDERS = {
    CommentRule.OPTIONAL: "Comment: optional, kept with the answer",
    CommentRule.REQUIRED: "Comment: required with every answer",
    CommentRule.ON_REJECT: "Comment: required with a no",
}
_TITLES = {
    CommentRule.OPTIONAL: "Comment",
    CommentRule.REQUIRED: "Comment (required)",
    CommentRule.ON_REJECT: "Comment (required with a no)",
}


class CommentField(LineField):
    """Shown on demand, or at once where no answer goes without it."""

    def __init__(self, gate: Gate, value: str, rule: CommentRule) -> None:
        super().__init__(gate, value, id="comment", suffix=".txt")
        self._rule = rule
        self.border_title = _TITLES[rule]
        self.placeholder = _PLACEHOLDERS[rule]
        self.put_away()

    def put_away(self) -> bool:
        """Hide it if it may stay empty and is; return whether it is still there."""
        self.display = bool(self.value) or self._rule is CommentRule.REQUIRED
        return self.display

    def ask(self) -> None:
        """Show it, and take text."""
        self.display = True
        self.focus()

    def refuse(self) -> None:
        """Mark it as what is missing, and take text."""
        self.add_class("-invalid")
        self.ask()

    def on_input_changed(self) -> None:
        """Take the mark away: somebody is at it."""
        self.remove_class("-invalid")
