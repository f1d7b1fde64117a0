"""How a fork is made: what is changed in it, from which block it runs, and the two presses that make it."""

from collections.abc import Callable, Sequence
from enum import Enum, auto
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.suggester import SuggestFromList
from textual.widgets import Button, Input, Static

from tidegate.tui.dialogs.bodies.body import ArmedBody, Option
from tidegate.tui.dialogs.frame.base import Key, Say, Tone
from tidegate.tui.dialogs.frame.gate import Gate
from tidegate.tui.dialogs.frame.parts import GatedButton
from tidegate.tui.dialogs.turns.fork_fields import Looked, NameField, ValueField
from tidegate.tui.present.exact import FieldText

__all__ = ["ForkBody", "ForkKey"]

_VALUE = "The new value, as text or JSON; enter takes it, ctrl+j begins a line"
_QUOTED = 'The new value, as JSON writes a text ("\\t" is a tab); without the double quotes: as it is'
_PATH = "What: inputs.X, state.X, blocks.B.inputs.X, .outputs.X, .answer; → completes"
_BLOCK = "From which block on all runs again; empty: none that had ended; → completes"
_TYPE_PATH = "Type what is to be another one; enter or tab shows what stands there."
_TYPE_BLOCK = (
    "Type a block, an item (B[x]) or a block below (B/x); enter takes it, and shows what the fork does."
)
_NOT_YET = "It is not known what it would do: nothing can be forked so."


class ForkKey(Enum):
    """What a key does to the draft, or to what is shown."""

    ANSWERS = auto()
    """Keep the answers that were given after the point, or not."""
    FILE = auto()
    """Go on with the workflow's file as it is now, or with what the run has."""
    DROP = auto()
    """Take back the change that was made last."""
    FIELDS = auto()
    """The fields are open now."""
    NOTHING = auto()
    """They were left, and nothing is changed."""
    COPY = auto()
    """Copy the command that does the same."""


class ForkBody(ArmedBody, can_focus=True):
    """Says what can be done, and takes what is typed."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "take", "Fork"),
        Binding("enter", "commit", "Send", show=False),
        Binding("e", "edit", "Change a value"),
        Binding("b", "from_block", "From block"),
        Binding("a", "keep_answers", "Keep answers"),
        Binding("w", "with_file", "With the file as it is now"),
        Binding("backspace", "drop_edit", "Drop change"),
        Binding("P", "copy", "Copy command"),
    ]
    nothing_chosen = "Nothing is chosen yet: press y to fork, or esc to leave it."
    hint = "Nothing happens until you press y, and then y or enter."

    class Typed(Message):
        """A new value, or the block to run again from."""

        def __init__(self, path: str | None, text: str, *, is_quoted: bool = False) -> None:
            super().__init__()
            self.path = path
            """None: the text is a block."""
            self.text = text
            self.is_quoted = is_quoted
            """As of `FieldText`, of what stood in the field at first."""

    class Settled(Message):
        """The value at another path is in the field, as far as it was known at once."""

        def __init__(self, path: str) -> None:
            super().__init__()
            self.path = path

    class Wanted(Message):
        """One of the keys that change the draft, or what is shown."""

        def __init__(self, key: ForkKey) -> None:
            super().__init__()
            self.key = key

    def __init__(self, gate: Gate) -> None:
        super().__init__(gate)
        self._fork: Option | None = None
        self._answers = self._file = ""
        """What a does about answers, and w about the file; empty: nothing."""
        self._is_changed = False
        self.look: Callable[[str], Looked] = lambda _: Looked()
        """Returns what stands at a path that was typed."""
        self._settled: str | None = None
        """The path whose value is in the field; None: of none."""
        self._path_first = self._block_first = ""
        self._value_first = FieldText()
        """What was in the fields before anything was typed."""
        self.path = NameField(gate, id="fork-path")
        self.value = ValueField(gate, id="fork-value")
        self.value.settle = self.settle
        self.block = NameField(gate, id="fork-block")
        self._value_label = Static(_VALUE, markup=False, classes="label")

    def compose(self) -> ComposeResult:
        """Show the button, and the fields when they are asked for."""
        with Horizontal(id="confirm-buttons"):
            yield GatedButton("y  Fork", self.gate, id="way-0", can_focus=False)
        with Vertical(id="fork-edit"):
            yield Static(_PATH, markup=False, classes="label")
            yield self.path
            yield self._value_label
            yield self.value
        with Vertical(id="fork-from"):
            yield Static(_BLOCK, markup=False, classes="label")
            yield self.block

    def keys(self) -> list[Key]:
        """Return the keys of this body."""
        if self.has_class("-edit"):
            return [("enter", "take it"), ("tab", "next field"), ("ctrl+↓", "read on")]
        if self.has_class("-from"):
            return [("enter", "take it"), ("ctrl+↓", "read on")]
        return [
            ("y", "fork"),
            ("e", "change"),
            *([("⌫", "drop change")] if self._is_changed else []),
            ("b", "from block"),
            *([("a", self._answers)] if self._answers else []),
            *([("w", self._file)] if self._file else []),
            ("P", "copy command"),
        ]

    @property
    def is_typing(self) -> bool:
        """Whether a field takes the keys."""
        return self.has_class("-edit") or self.has_class("-from")

    @property
    def is_changed(self) -> bool:
        """Whether another value is in the field than stands there now."""
        return self.has_class("-edit") and self.value.text != self._value_first.text

    @property
    def is_touched(self) -> bool:
        """Whether something was typed that is not taken yet."""
        if self.has_class("-from"):
            return self.block.value != self._block_first
        return self.is_changed or (self.has_class("-edit") and self.path.value != self._path_first)

    def begin(self) -> None:
        """Take keys; nothing is chosen."""
        self.focus()

    def hear(self, heard: Callable[[], None]) -> None:
        """Call *heard* with every key in a field but escape."""
        for field in (self.path, self.value, self.block):
            field.heard = heard

    def tell(self, text: str, tone: Tone = "hint") -> None:
        """Say something, safe to draw, after what was said before."""
        self.post_message(Say(text, tone))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Let no key of this body count while a field is open, also before that has the focus."""
        return not self.is_typing and super().check_action(action, parameters)

    # -- the two presses ----------------------------------------------------------------------

    def offer(self, effect: str | None, *, is_real: bool = False) -> None:
        """Let the fork be made, with what it does; None: not now."""
        self.disarm()
        tone: Tone = "stop" if is_real else "go"
        self._fork = None if effect is None else Option("fork", "Fork", effect, tone, "y or enter")

    def allow(self, *, answers: str, file: str, is_changed: bool) -> None:
        """Say what there is to be changed: about answers and the file, in a word or two, and whether a change can be dropped."""
        self._answers, self._file, self._is_changed = answers, file, is_changed

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
        else:
            self.tell(_NOT_YET, "error")

    def action_commit(self) -> None:
        """Make what is armed."""
        self.commit()

    def commit(self) -> None:
        """Take what is typed, or go on to the fork."""
        if self.has_class("-edit"):
            self._take_value()
        elif self.has_class("-from"):
            self.post_message(self.Typed(None, self.block.value.strip()))
        else:
            super().commit()

    @on(Button.Pressed)
    def choose_by_click(self, event: Button.Pressed) -> None:
        """Do what the key of the button does."""
        event.stop()
        self.action_take()

    # -- what is changed ----------------------------------------------------------------------

    def suggest(self, paths: Sequence[str], blocks: Sequence[str]) -> None:
        """Offer what can be changed, and what can run again."""
        self.path.suggester = SuggestFromList(paths)
        self.block.suggester = SuggestFromList(blocks)

    def action_edit(self) -> None:
        """Ask what shall be changed."""
        self.open_edit("")

    def open_edit(self, path: str, *, is_whole: bool = False) -> None:
        """Ask for another value.

        Args:
            path: Where; or the beginning of it.
            is_whole: Whether nothing is to be typed of it any more.
        """
        self._open("-edit")
        self.path.value = self._path_first = path
        self.path.cursor_position = len(path)
        self._settled = None
        self._put(FieldText())
        if not is_whole:
            self.tell(_TYPE_PATH)
            self._focus_on(self.path)
        elif self.settle():
            self._focus_on(self.value)

    def settle(self) -> bool:
        """Put what stands at the path into the field, if that holds another one; return whether it can be changed."""
        path = self.path.value.strip()
        if path == self._settled:
            return True
        looked = self.look(path)
        self._settled = None if looked.problem else path
        self._put(looked.value)
        if looked.problem:
            self.path.add_class("-invalid")
            self.tell(looked.problem, "error")
            self._focus_on(self.path)
            return False
        self.tell(looked.says)
        self.post_message(self.Settled(path))
        return True

    def show_value(self, path: str, looked: Looked) -> None:
        """Show what stands at a path, now that it is known, unless somebody is at something else."""
        if self._settled != path or self.is_changed:
            return
        if looked.problem:
            self._settled = None
            self.tell(looked.problem, "error")
            self._focus_on(self.path)
        else:
            self._put(looked.value)
            self.tell(looked.says)

    def _put(self, value: FieldText) -> None:
        self._value_first = value
        self._value_label.update(_QUOTED if value.is_quoted else _VALUE)
        self.value.load_text(value.text)
        self.value.move_cursor(self.value.document.end)

    def action_from_block(self) -> None:
        """Ask from which block on everything runs again."""
        self._open("-from")
        self._block_first = self.block.value
        self.tell(_TYPE_BLOCK)
        self._focus_on(self.block)

    def _open(self, what: str) -> None:
        self.disarm()
        self.remove_class("-edit", "-from")
        self.add_class(what)
        # Or tab would lead to the keys that fork.
        self.can_focus = False
        self.path.remove_class("-invalid")
        self.post_message(self.Wanted(ForkKey.FIELDS))

    def _focus_on(self, field: NameField | ValueField) -> None:
        # Once it is shown: until then it takes no focus.
        self.call_after_refresh(field.focus)

    def close_fields(self) -> None:
        """Take keys again."""
        self.remove_class("-edit", "-from")
        self.can_focus = True
        self._settled = None
        self.path.value = self._path_first = ""
        self._put(FieldText())
        self.focus()
        self.remind()

    def step_back(self) -> bool:
        """Leave the fields, else disarm."""
        if not self.is_typing:
            return super().step_back()
        self.block.value = self._block_first
        self.close_fields()
        return True

    def action_keep_answers(self) -> None:
        """Keep the answers that were given after the point, or not."""
        if self._answers:
            self._change(ForkKey.ANSWERS)

    def action_with_file(self) -> None:
        """Go on with the workflow's file as it is now, or with what the run has."""
        self._change(ForkKey.FILE)

    def action_drop_edit(self) -> None:
        """Take back the change that was made last."""
        if self._is_changed:
            self._change(ForkKey.DROP)

    def _change(self, key: ForkKey) -> None:
        # At once: the next key may be here before anybody has worked out what the changed fork does.
        self.offer(None)
        self.post_message(self.Wanted(key))

    def action_copy(self) -> None:
        """Copy the command that does the same."""
        self.post_message(self.Wanted(ForkKey.COPY))

    @on(Input.Submitted, "#fork-path")
    def _take_path(self, event: Input.Submitted) -> None:
        event.stop()
        if not self.gate.is_pasted and self.settle():
            self._focus_on(self.value)

    @on(Input.Blurred, "#fork-path")
    def _left_path(self, event: Input.Blurred) -> None:
        event.stop()
        # Whoever looks at another window has left nothing.
        if self.has_class("-edit") and self.app.app_focus:
            self.settle()

    @on(Input.Changed, "#fork-path")
    def _forget_problem(self, event: Input.Changed) -> None:
        event.stop()
        self.path.remove_class("-invalid")

    @on(Input.Submitted, "#fork-block")
    def _take_block(self, event: Input.Submitted) -> None:
        event.stop()
        if not self.gate.is_pasted:
            self.post_message(self.Typed(None, event.value.strip()))

    @on(ValueField.Taken)
    def _take_by_enter(self, event: ValueField.Taken) -> None:
        event.stop()
        self._take_value()

    def _take_value(self) -> None:
        if not self.settle():
            return
        path, first = self.path.value.strip(), self._value_first
        if self.is_changed:
            self.post_message(self.Typed(path, self.value.text, is_quoted=first.is_quoted))
        else:
            self.post_message(self.Wanted(ForkKey.NOTHING))
