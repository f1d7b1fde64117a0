"""Several fields that are sent together as one answer."""

from collections.abc import Callable

from textual import on
from textual.widgets import Button

from tidegate.model.prompt import FormPrompt, describe_value
from tidegate.model.typed_text import as_json
from tidegate.safe_text import safe_line
from tidegate.tui.dialogs.bodies.body import Option, Send
from tidegate.tui.dialogs.bodies.fields import FieldsBody, drafts_in
from tidegate.tui.dialogs.bodies.form_fields import FieldBox
from tidegate.tui.dialogs.frame.base import Say
from tidegate.tui.dialogs.frame.gate import Gate

__all__ = ["FormBody"]

_BUTTON = 3
"""Lines of the button below the fields."""
_SHOWN = 200
"""Characters of what an untouched form would send."""


class FormBody(FieldsBody):
    """A form. What nobody has touched, be it one field only, is sent by two presses only, which say what it is."""

    def __init__(self, prompt: FormPrompt, gate: Gate, draft: str = "") -> None:
        drafts = drafts_in(draft)
        super().__init__([FieldBox(field, gate, drafts.get(field.id)) for field in prompt.fields], gate)
        self._prompt = prompt
        self._start = draft
        self._tried = False
        how = "Tab goes from field to field; ctrl+s sends them all."
        self.hint = f"Your draft is back. {how}" if draft else how

    @property
    def rows(self) -> int:
        """Lines that the fields and their button take, about."""
        return sum(box.rows for box in self.boxes) + _BUTTON

    def commit(self) -> None:
        """Send, unless a field breaks its rule; what was not touched here, or is left to its default, is armed first."""
        self._tried = True
        if self.refuse_wrong():
            return
        if self._is_untouched:
            self.take(self._untouched(self._raw))
        elif self.left_words:
            self.take(Option(self._raw, "Ready", unasked=self.left_words, keys="ctrl+s"))
        else:
            self.post_message(Send(self._raw))

    @property
    def _is_untouched(self) -> bool:
        return self.draft == self._start

    @property
    def _raw(self) -> str:
        given = {box.field.id: box.given for box in self.boxes}
        return as_json({name: value for name, value in given.items() if value is not None})

    def _untouched(self, raw: str) -> Option:
        values = safe_line(describe_value(self._prompt.parse(raw)), _SHOWN)
        label = "Your draft as it is" if self._start else "Nothing is filled in"
        return Option(raw, label, unasked=f"It is then: {values}.", keys="ctrl+s")

    def is_checked(self, box: FieldBox) -> bool:
        """Return whether sending it was tried."""
        return self._tried

    def show_rule_places(self, place_of: Callable[[str], str]) -> None:
        """Let each field say where its rule stands."""
        super().show_rule_places(place_of)
        for box in self.boxes:
            box.rule_place = place_of(box.field.id)

    # -- what happens in the fields -----------------------------------------------------------

    @on(FieldBox.Edited)
    def check_again(self, event: FieldBox.Edited) -> None:
        """After the first try, tell with every change whether the rule holds now."""
        event.stop()
        self.disarm()
        if not self._tried:
            if (chosen := event.box.chosen_words) or not self._is_untouched:
                # Whatever was said before, such as that nothing was filled in, holds no more.
                self.post_message(Say(f"{chosen} {self.hint}".lstrip()))
            return
        event.box.show_problem()
        self.say_wrong(sum(bool(box.problem) for box in self.boxes))

    @on(Button.Pressed, "#send")
    def send_by_button(self, event: Button.Pressed) -> None:
        """Do what ctrl+s does, but nothing for a form in which nobody did anything."""
        event.stop()
        if self._is_untouched:
            self.post_message(
                Say("Nothing was filled in since this opened: ctrl+s sends it as it is.", "error")
            )
        else:
            self.commit()
