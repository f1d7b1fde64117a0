"""Several fields, one below the other, and what every dialog does with them: where one is, and what is wrong."""

import json
from collections.abc import Mapping, Sequence
from typing import ClassVar

from rich.cells import cell_len
from textual import events, on
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Input

from tidegate.model.base import Json, JsonObject
from tidegate.model.prompt import describe_value
from tidegate.safe_text import safe_line
from tidegate.tui.dialogs.bodies.body import ArmedBody, Option
from tidegate.tui.dialogs.bodies.form_fields import FieldBox
from tidegate.tui.dialogs.frame.base import Key, Say
from tidegate.tui.dialogs.frame.gate import Gate
from tidegate.tui.dialogs.frame.parts import GatedButton

__all__ = ["FieldsBody", "drafts_in", "left_words"]

_AT_ONCE, _MORE = 12, 6
"""Fields that are there when a form opens, and how many come at a time after that: each costs 10 ms."""
_NAME, _LEFT = 24, 48
"""Characters of the name of a field that was left as it is, and of it with its value."""


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


class FieldsBody(ArmedBody):
    """Fields that are sent together."""

    SENDING: ClassVar[tuple[str, str]] = ("Send all", "send")
    """What the button says, and what the key does."""
    LAST: ClassVar[str] = "This is the last field: ctrl+s sends them all."

    def __init__(self, boxes: Sequence[FieldBox], gate: Gate) -> None:
        super().__init__(gate)
        self.boxes = tuple(boxes)
        self._here = self.boxes[0] if self.boxes else None
        """Where the focus is, or was before it went to the comment."""

    def compose(self) -> ComposeResult:
        """Show the fields, and below them what sends them."""
        with FieldList(id="form"):
            yield from self.boxes[:_AT_ONCE]
            yield self.send_button()

    def on_mount(self) -> None:
        """Go on with the other fields of a long form once the first are in sight."""
        if len(self.boxes) > _AT_ONCE:
            self.call_after_refresh(self._mount_more, _AT_ONCE)

    def _mount_more(self, at: int) -> None:
        if not self.is_attached:
            return
        more = self.boxes[at : at + _MORE]
        self.query_one("#form").mount(*more, before="#send")
        if at + _MORE < len(self.boxes):
            self.call_after_refresh(self._mount_more, at + _MORE)

    def listed(self) -> Sequence[Option]:
        """Return nothing: what is typed is not chosen from a list."""
        return ()

    def send_button(self) -> GatedButton:
        """Return what sends by a click, or by enter once somebody has gone there."""
        return GatedButton(self.SENDING[0], self.gate, id="send")

    @property
    def draft(self) -> str:
        """What is in the fields."""
        drafts = {box.field.id: draft for box in self.boxes if (draft := box.draft) is not None}
        return json.dumps(drafts) if drafts else ""

    def keys(self) -> list[Key]:
        """Return the keys of this body."""
        return [("ctrl+s", self.SENDING[1]), ("tab", "next field")]

    @property
    def left_words(self) -> str:
        """What goes out though nobody has touched it, as a sentence that fits in a row; empty: nothing."""
        left = {box.field.id: box.left for box in self.boxes}
        return left_words({name: value for name, value in left.items() if value is not None}, self.size.width)

    def is_checked(self, box: FieldBox) -> bool:
        """Return whether a field says with every change what is wrong in it."""
        raise NotImplementedError

    def strayed(self) -> None:
        """Take back what the first letter of a text has chosen, and what was armed."""
        super().strayed()
        for box in self.boxes:
            if box.take_back() and self.is_checked(box):
                box.show_problem()

    def begin(self) -> None:
        """Take text in the field that had the focus last."""
        if self._here is not None:
            self._here.take_focus()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Remember where somebody is."""
        above = event.widget.ancestors
        self._here = next((box for box in self.boxes if box in above), self._here)

    def refuse_wrong(self) -> bool:
        """Show which fields break their rules, and go to the first of them; return whether there is one."""
        wrong = [box for box in self.boxes if box.show_problem()]
        if wrong:
            self.disarm()
            self.say_wrong(len(wrong))
            wrong[0].take_focus()
        return bool(wrong)

    def say_wrong(self, number: int) -> None:
        """Say how many fields are not right yet; of none, what to do."""
        fields = "one field is" if number == 1 else f"{number} fields are"
        sentence = f"Not sent: {fields} not right yet; each says why."
        self.post_message(Say(sentence, "error") if number else Say(self.hint))

    @on(Input.Submitted)
    def go_on(self, event: Input.Submitted) -> None:
        """Go to the next field; enter in a field sends nothing."""
        event.stop()
        if self.gate.is_pasted:
            self.post_message(Say("That enter came out of a paste, and did nothing.", "error"))
        elif self._here is self.boxes[-1]:
            self.post_message(Say(self.LAST))
        else:
            self.screen.focus_next()


def left_words(left: Mapping[str, Json], width: int) -> str:
    """Return which values were left as they are, as a sentence: ``canary: no, and 2 more (left as they are)``.

    Args:
        left: The values, by the names of their fields.
        width: Cells; what does not fit is counted. One is named in any case.
    """
    named = [
        safe_line(describe_value({safe_line(name, _NAME): "empty" if value == "" else value}), _LEFT)
        for name, value in left.items()
    ]
    tail = "(left as they are)." if len(named) > 1 else "(left as it is)."
    for shown in range(len(named), 0, -1):
        more = [f"and {len(named) - shown} more"] if shown < len(named) else []
        said = f"{', '.join([*named[:shown], *more])} {tail}"
        if shown == 1 or cell_len(said) <= width:
            return said
    return ""


def drafts_in(draft: str) -> JsonObject:
    """Return what was in each field of a draft, which came from here."""
    return dict(json.loads(draft)) if draft else {}
