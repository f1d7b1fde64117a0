"""A value that is typed: one line or several, with its rule beside it."""

from collections.abc import Sequence

from textual import on
from textual.app import ComposeResult
from textual.widgets import Input, Static, TextArea

from tidegate.errors import InvalidAnswer
from tidegate.model.prompt import InputPrompt, describe_value
from tidegate.safe_text import safe_line
from tidegate.tui.dialogs.bodies.body import ArmedBody, Option, Send
from tidegate.tui.dialogs.frame.base import Key, Say
from tidegate.tui.dialogs.frame.field_keys import editor_suffix
from tidegate.tui.dialogs.frame.gate import Gate
from tidegate.tui.dialogs.frame.parts import LineField, TextField
from tidegate.tui.dialogs.frame.words import RUNS_ON

__all__ = ["InputBody"]


_SHOWN = 200
"""Characters of what is sent where nothing was typed."""


class InputBody(ArmedBody):
    """A field, its rule above it, and its error in the status bar right below it.

    What nobody has typed here is sent by two presses only, which say what it is.
    """

    def __init__(self, prompt: InputPrompt, gate: Gate, draft: str = "") -> None:
        super().__init__(gate)
        self._prompt = prompt
        self._start = draft
        self._touched = False
        self._tried = False
        self._field: LineField | TextField = (
            TextField(gate, draft, id="answer", suffix=editor_suffix(prompt))
            if prompt.takes_lines
            else LineField(gate, draft, id="answer", unseen=prompt.is_secret, suffix=editor_suffix(prompt))
        )
        send = "ctrl+s sends it; enter begins a new line." if prompt.takes_lines else "Enter sends it."
        self.hint = f"Your draft is back. {send}" if draft else send

    def compose(self) -> ComposeResult:
        """Show the rule and the field."""
        yield Static(self._rule(), id="rule", markup=False, classes="label")
        yield self._field

    def _rule(self) -> str:
        prompt = self._prompt
        rule = safe_line(prompt.rule)
        if prompt.default is not None:
            return f"{rule}; empty takes the default: {safe_line(prompt.default, 60)}"
        return rule if prompt.required else f"{rule}; may stay empty"

    @property
    def draft(self) -> str:
        """What is in the field, to be kept; of a secret nothing is."""
        return "" if self._prompt.is_secret else self._typed

    @property
    def _typed(self) -> str:
        return self._field.text if isinstance(self._field, TextField) else self._field.value

    def keys(self) -> list[Key]:
        """Return the keys of this body."""
        return [("ctrl+s", "send")] if self._prompt.takes_lines else [("enter", "send")]

    def begin(self) -> None:
        """Take text; the cursor stands behind the draft."""
        self._field.focus()
        if isinstance(self._field, TextField):
            self._field.move_cursor(self._field.document.end)

    def listed(self) -> Sequence[Option]:
        """Return nothing: what is typed is not chosen from a list."""
        return ()

    def commit(self) -> None:
        """Send what is in the field; what was not typed here is armed first."""
        self._tried = True
        untouched = None if self._touched else self._untouched()
        if untouched is None:
            self.post_message(Send(self._typed))
        else:
            self.take(untouched)

    def _untouched(self) -> Option | None:
        """Return what is sent where nothing was typed since this opened; None: it is refused, and says why."""
        try:
            value = self._prompt.parse(self._typed)
        except InvalidAnswer:
            return None
        said = safe_line(describe_value(value), _SHOWN) or "an empty text"
        label = "Your draft as it is" if self._start else "Nothing is typed"
        return Option(self._typed, label, unasked=f"It is then: {said}.", keys="ctrl+s")

    def refused(self, rule: str) -> None:
        """Show the rule, mark the field, and stay in it."""
        super().refused(rule)
        self._field.add_class("-invalid")
        self._field.focus()

    @on(Input.Submitted)
    def send_line(self, event: Input.Submitted) -> None:
        """Send by enter, but only what somebody has typed here."""
        event.stop()
        if self.gate.is_pasted:
            self.post_message(Say("That enter came out of a paste, and sent nothing.", "error"))
        elif self.gate.runs_on and self._touched:
            self.post_message(Say(f"{RUNS_ON}: ctrl+s sends what is in the field.", "error"))
        elif self._touched:
            self.commit()
        else:
            self.post_message(Say(self._untouched_words(), "error"))

    def _untouched_words(self) -> str:
        if self._start:
            return "Nothing was typed since this opened: ctrl+s sends the draft as it is."
        try:
            self._prompt.parse("")
        except InvalidAnswer:
            return "Nothing is typed yet."
        return "Nothing is typed yet: ctrl+s sends it empty."

    @on(Input.Changed)
    @on(TextArea.Changed)
    def check_again(self, event: Input.Changed | TextArea.Changed) -> None:
        """After the first try, tell with every change whether the rule holds now."""
        event.stop()
        self._touched = self._touched or self._typed != self._start
        self.disarm()
        if not self._touched:
            return
        if not self._tried:
            # Whatever was said before, such as that nothing is typed, holds no more.
            self.post_message(Say(self.hint))
            return
        try:
            self._prompt.parse(self._typed)
        except InvalidAnswer as error:
            self._field.add_class("-invalid")
            self.post_message(Say(self.refusal(safe_line(error.rule)), "error"))
        else:
            self._field.remove_class("-invalid")
            self.post_message(Say(self.hint))
