"""One field of a form on the screen: its label, its rule, what takes the value, and its problem."""

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static, TextArea

from tidegate.errors import InvalidAnswer
from tidegate.model.base import Json
from tidegate.model.form_prompt import FormField
from tidegate.model.prompt import ChoicePrompt, InputKind, InputPrompt
from tidegate.safe_text import safe_line
from tidegate.tui.dialogs.bodies.body import with_place
from tidegate.tui.dialogs.frame.field_keys import editor_suffix
from tidegate.tui.dialogs.frame.gate import Gate
from tidegate.tui.dialogs.frame.marks import MarkedList, Marks
from tidegate.tui.dialogs.frame.parts import LineField, TextField
from tidegate.tui.dialogs.frame.prompt_text import field_label
from tidegate.tui.dialogs.frame.words import default_words

__all__ = ["FieldBox"]

_DEFAULT = 60
"""Characters of a default."""
_NAME = 30
"""Characters of the name of a field, in a sentence."""
_LIST, _BORDER = 7, 2
"""Lines of a list or a text at most, and of the border around it."""
_YES_NO = ChoicePrompt(question="", choices=("yes", "no"))


class FieldBox(Vertical):
    """A field. Nothing in it is filled in but what somebody typed or marked."""

    class Edited(Message):
        """Something else is in it now."""

        def __init__(self, box: "FieldBox") -> None:
            super().__init__()
            self.box = box

    def __init__(self, field: FormField, gate: Gate, draft: Json = None) -> None:
        super().__init__(classes="form-field")
        self.field = field
        self._control = _control(field, gate, draft)
        self._problem = Static(markup=False, classes="problem")
        self._problem.display = False
        self._shown = ""
        self.rule_place = ""
        """Where its rule stands in the workflow's file, safe to draw; empty: not known."""

    def compose(self) -> ComposeResult:
        """Show what is asked, by which rule, and where it goes."""
        label = Content(field_label(self.field))
        mark = Content.styled(" *", "bold") if self.field.required else Content("")
        yield Static(Content.assemble(label, mark), markup=False, classes="field-label")
        yield Static(self.rule_words, markup=False, classes="label")
        yield self._control
        yield self._problem

    @property
    def rows(self) -> int:
        """Lines that it takes where there is room, about."""
        match self._control:
            case MarkedList():
                marks = self._control.marks
                control = min(_LIST, len(marks.prompt.choices) + marks.has_none + _BORDER)
            case TextField():
                control = _LIST
            case LineField():
                control = 1 + _BORDER
        return len(field_label(self.field).split("\n")) + 1 + control + 1

    @property
    def rule_words(self) -> str:
        """What counts, and what it is if nobody fills it in; safe to draw."""
        return _rule(self.field)

    @property
    def given(self) -> Json:
        """What was typed or marked, as the form reads it; None: nothing."""
        match self._control:
            case MarkedList():
                return self._control.marks.raw if self._control.marks.rows else None
            case TextField():
                text = self._control.text
            case LineField():
                text = self._control.value
        return text if text.strip() or (text and self._is_text) else None

    @property
    def _is_text(self) -> bool:
        """Whether blanks alone are a value."""
        return isinstance(self.field.prompt, InputPrompt) and self.field.prompt.input_type is InputKind.STRING

    @property
    def draft(self) -> Json:
        """What was typed or marked, to be restored as it is; None: nothing."""
        match self._control:
            case MarkedList():
                return list(self._control.marks.chosen) or None
            case TextField():
                return self._control.text or None
            case LineField():
                return self._control.value or None

    @property
    def left(self) -> Json:
        """What it goes out as though nobody has touched it; None: it was filled in, or stays empty."""
        return self.field.default_value if self.given is None else None

    @property
    def chosen_words(self) -> str:
        """What is chosen in it and how that is taken back, as a sentence, safe to draw; empty: it is no such field."""
        control = self._control
        if not isinstance(control, MarkedList):
            return ""
        if control.marks.prompt.multiple:
            return f"{control.marks.count}."
        name = safe_line(self.field.id, _NAME)
        if not control.marks.rows:
            return f"{name}: nothing is chosen."
        back = "" if self.field.required else "; backspace takes it back"
        return f"{name}: {control.marks.choices_words}{back}."

    def take_back(self) -> bool:
        """Take back what the first letter of a text has chosen here; return whether it had."""
        return isinstance(self._control, MarkedList) and self._control.take_back()

    @property
    def problem(self) -> str:
        """Which rule the field breaks, safe to draw; empty: none."""
        if isinstance(self._control, MarkedList) and self._control.marks.rows:
            return safe_line(self._control.marks.problem)
        try:
            self.field.left_out() if self.given is None else self.field.read(self.given)
        except InvalidAnswer as error:
            return self._problem_words(error)
        return ""

    def _problem_words(self, error: InvalidAnswer) -> str:
        if self.given is not None:
            return safe_line(error.rule, 600)
        if isinstance(self._control, MarkedList):
            return f"required: choose {self._control.marks.wanted}"
        return f"required: {safe_line(self.field.rule, 600)}"

    @property
    def shown_problem(self) -> str:
        """What stands below the field as its problem; empty: nothing."""
        return self._shown

    def show_problem(self) -> bool:
        """Show the problem below the field, or that there is none; return whether there is one."""
        problem = with_place(self.problem, self.rule_place) if self.problem else ""
        if problem == self._shown:
            return bool(problem)
        # Each change lays out the whole form again.
        self._shown = problem
        self._problem.update(Content(f"✗ {problem}"))
        self._problem.display = bool(problem)
        self._control.set_class(bool(problem), "-invalid")
        return bool(problem)

    def take_focus(self) -> None:
        """Let the field take keys, behind what is in it."""
        self._control.focus()
        if isinstance(self._control, TextField):
            self._control.move_cursor(self._control.document.end)
        # Its problem may have come just now, and moved it.
        self.call_after_refresh(self.come_into_sight)

    def on_resize(self) -> None:
        """Stay in sight when there is more or less room, for it or around it."""
        if self.has_focus_within:
            self.call_after_refresh(self.come_into_sight)

    def come_into_sight(self) -> None:
        """Scroll the form to it."""
        self.scroll_visible(animate=False)
        if self.size.height > self.screen.query_one("#form").size.height:
            # There is no room for all of it: what is typed comes first.
            self._control.scroll_visible(animate=False)

    @on(Input.Changed)
    @on(TextArea.Changed)
    @on(MarkedList.Changed)
    def tell(self, event: Message) -> None:
        """Tell the form."""
        event.stop()
        self.post_message(self.Edited(self))


def _control(field: FormField, gate: Gate, draft: Json) -> LineField | TextField | MarkedList:
    prompt = field.prompt
    if isinstance(prompt, ChoicePrompt):
        return _marked(prompt, gate, draft)
    if prompt.input_type is InputKind.BOOLEAN:
        return _marked(_YES_NO, gate, draft)
    text = draft if isinstance(draft, str) else ""
    if prompt.takes_lines:
        return TextField(gate, text, suffix=editor_suffix(prompt))
    control = LineField(gate, text, suffix=editor_suffix(prompt))
    control.placeholder = safe_line(prompt.default or "", _DEFAULT)
    return control


def _marked(prompt: ChoicePrompt, gate: Gate, draft: Json) -> MarkedList:
    control = MarkedList(prompt, gate)
    if isinstance(draft, list):
        control.marks = control.marks.of(map(str, draft))
    return control


def _rule(field: FormField) -> str:
    """Return what counts, and what it is if nobody fills it in."""
    prompt = field.prompt
    if isinstance(prompt, ChoicePrompt):
        rule = f"choose {Marks(prompt).wanted}"
    else:
        rule = "yes or no" if prompt.input_type is InputKind.BOOLEAN else safe_line(prompt.rule, 600)
    if field.required:
        return rule
    default = default_words(field.default_value, _DEFAULT)
    return f"{rule}; left empty it is: {default}" if default else f"{rule}; may stay empty"
