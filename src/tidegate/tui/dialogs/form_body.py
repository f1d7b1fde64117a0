"""Several fields that are sent together."""

import json

from textual import events, on
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Button, Input

from tidegate.model.base import JsonObject
from tidegate.model.prompt import FormPrompt, describe_value
from tidegate.model.typed_text import as_json
from tidegate.safe_text import safe_line
from tidegate.tui.dialogs.base import Key
from tidegate.tui.dialogs.body import ArmedBody, Option, Say, Send
from tidegate.tui.dialogs.form_fields import FieldBox
from tidegate.tui.dialogs.gate import Gate
from tidegate.tui.dialogs.parts import GatedButton

__all__ = ["FormBody"]

_SHOWN = 200
"""Characters of what an untouched form would send."""


class FieldList(VerticalScroll, can_focus=False):
    """The fields, one below the other; it scrolls to the one that has the focus."""

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Bring the whole field into sight, not only where it is typed."""
        for box in self.query(FieldBox):
            if box in event.widget.ancestors:
                box.come_into_sight()
                return
        event.widget.scroll_visible(animate=False)

    def on_resize(self) -> None:
        """Keep that one in sight."""
        for box in self.query(FieldBox):
            box.on_resize()


class FormBody(ArmedBody):
    """A form. What nobody has touched is sent by two presses only, which say what it is."""

    def __init__(self, prompt: FormPrompt, gate: Gate, draft: str = "") -> None:
        super().__init__(gate)
        self._prompt = prompt
        drafts = _drafts_in(draft)
        self._boxes = [FieldBox(field, gate, drafts.get(field.id)) for field in prompt.fields]
        self._start = draft
        self._tried = False
        self._here = self._boxes[0]
        """Where the focus is, or was before it went to the comment."""
        how = "Tab goes from field to field; ctrl+s sends them all."
        self.hint = f"Your draft is back. {how}" if draft else how

    def compose(self) -> ComposeResult:
        """Show the fields, and below them what sends them."""
        with FieldList(id="form"):
            yield from self._boxes
            yield GatedButton("Send all", self.gate, id="send")

    @property
    def draft(self) -> str:
        """What is in the fields."""
        drafts = {box.field.id: draft for box in self._boxes if (draft := box.draft) is not None}
        return json.dumps(drafts) if drafts else ""

    def keys(self) -> list[Key]:
        """Return the keys of this body."""
        return [("ctrl+s", "send"), ("tab", "next field")]

    def begin(self) -> None:
        """Take text in the field that had the focus last."""
        self._here.take_focus()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Remember where somebody is."""
        above = event.widget.ancestors
        self._here = next((box for box in self._boxes if box in above), self._here)

    def commit(self) -> None:
        """Send, unless a field breaks its rule; what was not touched here is armed first."""
        self._tried = True
        wrong = [box for box in self._boxes if box.show_problem()]
        if wrong:
            self.disarm()
            self.post_message(Say(_wrong_words(len(wrong)), "error"))
            wrong[0].take_focus()
        elif self._is_untouched:
            self.take(self._untouched(self._raw))
        else:
            self.post_message(Send(self._raw))

    @property
    def _is_untouched(self) -> bool:
        return self.draft == self._start

    @property
    def _raw(self) -> str:
        given = {box.field.id: box.given for box in self._boxes}
        return as_json({name: value for name, value in given.items() if value is not None})

    def _untouched(self, raw: str) -> Option:
        values = safe_line(describe_value(self._prompt.parse(raw)), _SHOWN)
        label = "Your draft as it is" if self._start else "Nothing is filled in"
        return Option(raw, label, f"It is then: {values}.", keys="ctrl+s")

    # -- what happens in the fields -----------------------------------------------------------

    @on(FieldBox.Edited)
    def check_again(self, event: FieldBox.Edited) -> None:
        """After the first try, tell with every change whether the rule holds now."""
        event.stop()
        self.disarm()
        if not self._tried:
            return
        event.box.show_problem()
        wrong = sum(bool(box.problem) for box in self._boxes)
        self.post_message(Say(_wrong_words(wrong), "error") if wrong else Say(self.hint))

    @on(Input.Submitted)
    def go_on(self, event: Input.Submitted) -> None:
        """Go to the next field; enter in a field sends nothing."""
        event.stop()
        if self.gate.is_pasted:
            self.post_message(Say("That enter came out of a paste, and did nothing.", "error"))
        elif self._here is self._boxes[-1]:
            self.post_message(Say("This is the last field: ctrl+s sends them all."))
        else:
            self.screen.focus_next()

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


def _drafts_in(draft: str) -> JsonObject:
    """Return what was in each field of a draft, which came from here."""
    return dict(json.loads(draft)) if draft else {}


def _wrong_words(number: int) -> str:
    fields = "one field is" if number == 1 else f"{number} fields are"
    return f"Not sent: {fields} not right yet; each says why."
