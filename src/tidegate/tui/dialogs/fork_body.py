"""How a fork is made: what is changed in it, from which block it runs, and the two presses that make it."""

from collections.abc import Sequence
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.suggester import SuggestFromList
from textual.widgets import Button, Input, Static

from tidegate.safe_text import safe_line
from tidegate.tui.dialogs.base import Key
from tidegate.tui.dialogs.body import ArmedBody, Option
from tidegate.tui.dialogs.gate import Gate
from tidegate.tui.dialogs.parts import GatedButton, LineField, TextField

__all__ = ["ForkBody", "ValueField"]

_VALUE = "The new value, as text or JSON; enter takes it, ctrl+j begins a line"
_PATH = "What: inputs.X, state.X, blocks.B.inputs.X, blocks.B.outputs.X; → completes"
_BLOCK = "From which block on all runs again; empty: none that had ended; → completes"


class ValueField(TextField):
    """A value. Enter takes it, unless it came out of a paste."""

    class Taken(Message):
        """Enter was pressed."""

    def on_key(self, event: events.Key) -> None:
        """Take the value by enter; the toolkit lets the field drop what does not count, too."""
        if not self._gate.admits(event.time):
            return
        if event.key not in ("enter", "ctrl+j"):
            if event.is_printable:
                self._gate.typed(event.time)
            return
        event.stop()
        event.prevent_default()
        self._gate.press(event.key, event.time)
        if event.key == "ctrl+j" or self._gate.is_pasted:
            self.insert("\n")
        else:
            self.post_message(self.Taken())


class ForkBody(ArmedBody, can_focus=True):
    """Says what can be done, and takes what is typed."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "take", "Fork"),
        Binding("enter", "commit", "Send", show=False),
        Binding("e", "edit", "Change a value"),
        Binding("b", "from_block", "From block"),
        Binding("a", "keep_answers", "Keep answers"),
        Binding("backspace", "drop_edit", "Drop change"),
        Binding("P", "copy", "Copy command"),
    ]
    nothing_chosen = "Nothing is chosen yet: press y to fork, or esc to leave it."
    hint = "Nothing happens until you press y, and then y or enter."

    class Typed(Message):
        """A new value, or the block to run again from."""

        def __init__(self, path: str | None, text: str) -> None:
            super().__init__()
            self.path = path
            """None: the text is a block."""
            self.text = text

    class PathTyped(Message):
        """Somebody wants to see what stands at a path."""

        def __init__(self, path: str) -> None:
            super().__init__()
            self.path = path

    class Wanted(Message):
        """One of the keys that change the draft."""

        def __init__(self, what: str) -> None:
            super().__init__()
            self.what = what

    def __init__(self, gate: Gate) -> None:
        super().__init__(gate)
        self._fork: Option | None = None
        self._answers = ""
        """What a does about answers; empty: nothing was asked."""
        self._is_changed = False
        self._first = ""
        """What the value was, as far as it is shown, before anything was typed."""
        self.path = LineField(gate, id="fork-path")
        self.value = ValueField(gate, id="fork-value")
        self.block = LineField(gate, id="fork-block")

    def compose(self) -> ComposeResult:
        """Show the button, and the fields when they are asked for."""
        with Horizontal(id="confirm-buttons"):
            yield GatedButton("y  Fork", self.gate, id="way-0", can_focus=False)
        with Vertical(id="fork-edit"):
            yield Static(_PATH, markup=False, classes="label")
            yield self.path
            yield Static(_VALUE, markup=False, classes="label")
            yield self.value
        with Vertical(id="fork-from"):
            yield Static(_BLOCK, markup=False, classes="label")
            yield self.block

    def keys(self) -> list[Key]:
        """Return the keys of this body."""
        if self.is_typing:
            return [("enter", "take it"), ("tab", "next field"), ("ctrl+↓", "read on")]
        return [
            ("y", "fork"),
            ("e", "change"),
            ("b", "from block"),
            *([("a", self._answers)] if self._answers else []),
            *([("⌫", "drop change")] if self._is_changed else []),
            ("P", "copy command"),
        ]

    @property
    def is_typing(self) -> bool:
        """Whether a field takes the keys."""
        return self.has_class("-edit") or self.has_class("-from")

    @property
    def is_touched(self) -> bool:
        """Whether a new value was typed that is not taken yet."""
        return self.has_class("-edit") and self.value.text != self._first

    def begin(self) -> None:
        """Take keys; nothing is chosen."""
        self.focus()

    # -- the two presses ----------------------------------------------------------------------

    def offer(self, effect: str | None, *, is_real: bool = False) -> None:
        """Let the fork be made, with what it does; None: not now."""
        self.disarm()
        tone = "stop" if is_real else "go"
        self._fork = None if effect is None else Option("fork", "Fork", effect, tone, "y or enter")  # type: ignore[arg-type]

    def allow(self, *, answers: str, is_changed: bool) -> None:
        """Say what there is to be changed: about answers, in a word or two, and whether a change can be dropped."""
        self._answers, self._is_changed = answers, is_changed

    def highlighted(self) -> Option | None:
        """Return nothing: there is nothing to stand on before it is chosen."""
        return None

    def show_armed(self, option: Option | None) -> None:
        """Mark the button."""
        self.query_one("#way-0").set_class(option is not None, "-armed")

    def action_take(self) -> None:
        """Arm the fork, or make it if it is armed."""
        if self._fork is not None:
            self.take(self._fork)

    def action_commit(self) -> None:
        """Make what is armed."""
        self.commit()

    @on(Button.Pressed)
    def choose_by_click(self, event: Button.Pressed) -> None:
        """Do what the key of the button does."""
        event.stop()
        self.action_take()

    # -- what is changed ----------------------------------------------------------------------

    def suggest(self, paths: Sequence[str], blocks: Sequence[str]) -> None:
        """Offer what can be changed, and which blocks there are."""
        self.path.suggester = SuggestFromList(paths)
        self.block.suggester = SuggestFromList(blocks)

    def action_edit(self) -> None:
        """Ask what shall be changed."""
        self.disarm()
        self.open_edit(self.path.value, self.value.text)

    def open_edit(self, path: str, text: str) -> None:
        """Ask for a value, with what stands there now."""
        self.remove_class("-from")
        self.add_class("-edit")
        self.path.value = path
        # What is not touched is not taken, so the value stays exact although its pictures are shown.
        self.value.load_text("\n".join(map(safe_line, text.split("\n"))))
        self._first = self.value.text
        self.value.move_cursor(self.value.document.end)
        self._focus_on(self.value if path else self.path)

    def action_from_block(self) -> None:
        """Ask from which block on everything runs again."""
        self.disarm()
        self.remove_class("-edit")
        self.add_class("-from")
        self._focus_on(self.block)

    def _focus_on(self, field: LineField | ValueField) -> None:
        # Once it is shown: until then it takes no focus.
        self.call_after_refresh(field.focus)

    def close_fields(self) -> None:
        """Take keys again."""
        self.remove_class("-edit", "-from")
        self.path.value = ""
        self.value.load_text("")
        self.focus()

    def step_back(self) -> bool:
        """Leave the fields, else disarm."""
        if not self.is_typing:
            return super().step_back()
        self.close_fields()
        self.remind()
        return True

    def action_keep_answers(self) -> None:
        """Keep the answers that were given after the point, or not."""
        if self._answers:
            self._change("answers")

    def action_drop_edit(self) -> None:
        """Take back the change that was made last."""
        if self._is_changed:
            self._change("drop")

    def _change(self, what: str) -> None:
        # At once: the next key may be here before anybody has worked out what the changed fork does.
        self.offer(None)
        self.post_message(self.Wanted(what))

    def action_copy(self) -> None:
        """Copy the command that does the same."""
        self.post_message(self.Wanted("copy"))

    @on(Input.Submitted, "#fork-path")
    def _take_path(self, event: Input.Submitted) -> None:
        event.stop()
        if event.value.strip() and not self.gate.is_pasted:
            self.post_message(self.PathTyped(event.value.strip()))

    @on(Input.Submitted, "#fork-block")
    def _take_block(self, event: Input.Submitted) -> None:
        event.stop()
        if not self.gate.is_pasted:
            self.post_message(self.Typed(None, event.value.strip()))

    @on(ValueField.Taken)
    def _take_value(self, event: ValueField.Taken) -> None:
        event.stop()
        if self.is_touched:
            self.post_message(self.Typed(self.path.value.strip(), self.value.text))
        else:
            self.post_message(self.Wanted("nothing"))
