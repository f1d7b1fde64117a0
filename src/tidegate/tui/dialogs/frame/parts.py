"""The pieces that dialogs are made of. Each asks the dialog's gate before it does anything."""

from textual import events
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Button, Input, OptionList, Static, TextArea

from tidegate.model.raw_answer import MAX_ANSWER_CHARACTERS
from tidegate.tui.dialogs.frame.field_keys import FieldKeys, FieldSaid
from tidegate.tui.dialogs.frame.gate import Gate
from tidegate.tui.dialogs.frame.words import paste_problem

__all__ = ["Choices", "GatedButton", "LineField", "PasteRefused", "PromptPane", "Readable", "TextField"]


class PasteRefused(Message):
    """A field did not take a paste, and is as it was."""

    def __init__(self, problem: str) -> None:
        super().__init__()
        self.problem = problem


class Readable(Widget):
    """A text that is scrolled by the dialog's keys, so that no focus is needed to read on."""

    _seen = 0
    """The line that was once on top, at most."""
    _reach = 0
    """How many lines could be scrolled away when it was last on the screen."""

    class Moved(Message):
        """What is in sight has changed."""

    def note_moved(self) -> None:
        """Remember what was seen, and tell."""
        self._seen = max(self._seen, self.above)
        self._reach = max(0, int(self.max_scroll_y)) if self.display else self._reach
        self.post_message(self.Moved())

    @property
    def above(self) -> int:
        """How many lines were scrolled away."""
        return int(self.scroll_offset.y)

    @property
    def below(self) -> int:
        """How many lines are still to come."""
        return max(0, int(self.max_scroll_y) - self.above)

    @property
    def never_shown(self) -> int:
        """How many lines nobody has scrolled to."""
        self._reach = max(0, int(self.max_scroll_y)) if self.display else self._reach
        return max(0, self._reach - max(self._seen, self.above))


class PromptPane(VerticalScroll, Readable, can_focus=False):
    """The whole prompt."""

    def __init__(self, content: Content) -> None:
        super().__init__()
        self._content = content

    def compose(self) -> ComposeResult:
        """Show the text."""
        yield Static(self._content, markup=False)

    def update(self, content: Content) -> None:
        """Show another text from now on, where one was in the one before."""
        self._content = content
        for text in self.query(Static):
            text.update(content)
        self.call_after_refresh(self.note_moved)

    def on_resize(self) -> None:
        """Tell that more or less of the text fits now."""
        self.note_moved()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Tell that the text was scrolled, by key, wheel or scroll bar."""
        super().watch_scroll_y(old_value, new_value)
        self.note_moved()


class GatedButton(Button):
    """A button that no paste, no double click and no early click presses."""

    def __init__(self, label: str, gate: Gate, *, id: str, can_focus: bool = True) -> None:  # noqa: A002  # the toolkit's name
        super().__init__(Content(label), id=id)
        self.active_effect_duration = 0
        self.can_focus = can_focus
        self._gate = gate

    def on_click(self, event: events.Click) -> None:
        """Swallow a click that does not count."""
        if not self._gate.click(event.time, event.chain):
            event.stop()
            event.prevent_default()

    def action_press(self) -> None:
        """Press it, unless enter came out of a paste that had a tab in it."""
        if self._gate.is_of_table:
            self.post_message(FieldSaid("That enter came out of a paste, and did nothing.", is_problem=True))
        else:
            super().action_press()


class LineField(Input, FieldKeys):
    """One line of text. A paste goes in whole or not at all."""

    def __init__(
        self,
        gate: Gate,
        value: str = "",
        *,
        id: str | None = None,  # noqa: A002  # the toolkit's name
        unseen: bool = False,
        suffix: str = "",
    ) -> None:
        """Make it; *suffix* as of `FieldKeys`."""
        # Selecting the value on focus would let the first key wipe out a draft.
        # Its rule is the form's business: the toolkit's own check finds none, and takes the mark of a wrong one away.
        super().__init__(value, id=id, select_on_focus=False, validate_on=[], password=unseen)
        # Nothing blinks: motion is for what needs a person.
        self.cursor_blink = False
        self._gate = gate
        self.is_unseen, self.suffix = unseen, suffix

    @property
    def text_in_it(self) -> str:
        """All of its text."""
        return self.value

    @property
    def text_marked(self) -> str:
        """What of it is selected."""
        return self.selected_text

    def put_text(self, text: str) -> None:
        """Replace its text."""
        self.replace(text, 0, len(self.value))

    def action_copy(self) -> None:
        """Copy what is selected, and say so."""
        if not self.refuses_copy():
            super().action_copy()
            self.tell_copied(self.selected_text)

    def action_cut(self) -> None:
        """Cut what is selected, and say so."""
        if not self.refuses_copy():
            text = self.selected_text
            super().action_cut()
            self.tell_copied(text)

    def on_key(self, event: events.Key) -> None:
        """Drop a key that does not count; the field would take it before the dialog sees it."""
        if not self._gate.admits(event.time):
            event.stop()
            event.prevent_default()
            if event.is_printable:
                self._gate.early(event.key, event.time)
        elif event.is_printable:
            self._gate.typed(event.key, event.time)

    def on_paste(self, event: events.Paste) -> None:
        """Take a paste, in place of the toolkit, which keeps the first line only."""
        event.stop()
        event.prevent_default()
        if self._gate.admits(event.time):
            self._take(event.text)

    def action_paste(self) -> None:
        """Take what was copied in this program, by the same rule."""
        self._take(self.app.clipboard)

    def _take(self, text: str) -> None:
        problem = paste_problem(text, multiline=False, limit=MAX_ANSWER_CHARACTERS)
        if problem:
            self.post_message(PasteRefused(problem))
        elif text:
            self.replace(text, *sorted(self.selection))


class TextField(TextArea, FieldKeys):
    """Several lines of text. A paste goes in whole or not at all."""

    TAKES_LINES = True

    def __init__(
        self,
        gate: Gate,
        value: str = "",
        *,
        id: str | None = None,  # noqa: A002  # the toolkit's name
        suffix: str = ".txt",
    ) -> None:
        """Make it; *suffix* as of `FieldKeys`."""
        super().__init__(value, id=id, show_line_numbers=False, highlight_cursor_line=False)
        self.cursor_blink = False
        self._gate = gate
        self.suffix = suffix

    @property
    def text_in_it(self) -> str:
        """All of its text."""
        return self.text

    @property
    def text_marked(self) -> str:
        """What of it is selected."""
        return self.selected_text

    def put_text(self, text: str) -> None:
        """Replace its text."""
        self.move_cursor(self.replace(text, (0, 0), self.document.end).end_location)

    def action_copy(self) -> None:
        """Copy what is selected, and say so."""
        super().action_copy()
        self.tell_copied(self.selected_text)

    def action_cut(self) -> None:
        """Cut what is selected, and say so."""
        text = self.selected_text
        super().action_cut()
        self.tell_copied(text)

    def on_key(self, event: events.Key) -> None:
        """Drop a key that does not count."""
        if not self._gate.admits(event.time):
            event.stop()
            event.prevent_default()

    def on_paste(self, event: events.Paste) -> None:
        """Check a paste; a good one goes in as the toolkit does it."""
        admitted = self._gate.admits(event.time)
        problem = paste_problem(event.text, multiline=True, limit=MAX_ANSWER_CHARACTERS)
        if problem or not admitted:
            event.stop()
            event.prevent_default()
        if problem and admitted:
            self.post_message(PasteRefused(problem))
        # Terminals paste line breaks as carriage returns.
        event.text = event.text.replace("\r\n", "\n").replace("\r", "\n")

    def action_paste(self) -> None:
        """Take what was copied in this program, by the same rule."""
        problem = paste_problem(self.app.clipboard, multiline=True, limit=MAX_ANSWER_CHARACTERS)
        if problem:
            self.post_message(PasteRefused(problem))
        else:
            super().action_paste()


class Choices(OptionList):
    """A list in which nothing is highlighted until somebody does so."""

    class Entered(Message):
        """Enter or a click, on a highlighted option or on none."""

    def __init__(self, gate: Gate, *, id: str | None = None) -> None:  # noqa: A002  # the toolkit's name
        super().__init__(id=id, markup=False)
        self.gate = gate

    def action_select(self) -> None:
        """Tell that somebody pressed enter, even if there is nothing to take."""
        self.post_message(self.Entered())

    def on_click(self, event: events.Click) -> None:
        """Swallow a click that does not count."""
        if not self.gate.click(event.time, event.chain):
            event.prevent_default()
