"""One input of a workflow as a field of a form: filled in with its default, read by the rule of the run."""

from tidegate.history.shelf import input_problem
from tidegate.model.base import Json
from tidegate.model.form_prompt import FormField
from tidegate.model.prompt import ChoicePrompt, InputKind, InputPrompt
from tidegate.model.typed_text import as_json
from tidegate.model.workflow import InputDefinition, InputType, WorkflowDefinition
from tidegate.safe_text import safe_line
from tidegate.tui.dialogs.bodies.form_fields import FieldBox
from tidegate.tui.dialogs.frame.gate import Gate
from tidegate.tui.dialogs.frame.marks import MarkedList
from tidegate.tui.dialogs.frame.parts import LineField, TextField

__all__ = ["InputBox"]

_LONGEST = 2_000
"""Characters of a value that a field is filled in with."""
_DEFAULT = 60
_YES_NO = ("yes", "no")
_RULES = {
    InputType.STRING: "text",
    InputType.INTEGER: "a whole number",
    InputType.NUMBER: "a number",
    InputType.BOOLEAN: "yes or no",
    InputType.LIST: 'a list, as JSON: ["a", "b"]',
    InputType.MAP: 'a mapping, as JSON: {"key": 1}',
}
_KINDS = {InputType.INTEGER: InputKind.INTEGER, InputType.NUMBER: InputKind.NUMBER}


class InputBox(FieldBox):
    """An input. What nobody touched is given exactly as it was, however it looks in its field."""

    def __init__(
        self, definition: WorkflowDefinition, declared: InputDefinition, gate: Gate, first: Json, draft: Json
    ) -> None:
        """Make one.

        Args:
            definition: The workflow.
            declared: Which input.
            gate: Of the dialog.
            first: The value it is filled in with; None: none.
            draft: What was typed or marked before, as `draft` gives it; None: nothing.
        """
        self.declared = declared
        self._definition = definition
        self._first = None if input_problem(definition, declared, first) else first
        self._is_cut = False
        self._filled = self._shown_of(first)
        super().__init__(_field(declared, self._filled), gate, self._filled if draft is None else draft)

    def _shown_of(self, value: Json) -> str | list[Json]:
        """Return a value as it stands in the field: marks, or a text that a terminal may be sent."""
        if labels := _labels(self.declared):
            return [label for label, choice in labels.items() if value is not None and _same(choice, value)]
        text = "" if value is None else value if isinstance(value, str) else as_json(value)
        self._is_cut = len(text) > _LONGEST
        return "\n".join(map(safe_line, text[:_LONGEST].split("\n")))

    @property
    def _content(self) -> str | list[Json]:
        match self._control:
            case MarkedList():
                return list(self._control.marks.chosen)
            case TextField():
                return self._control.text
            case LineField():
                return self._control.value

    @property
    def is_touched(self) -> bool:
        """Whether something else is in it than it was filled in with."""
        return self._content != self._filled

    @property
    def draft(self) -> Json:
        """What was typed or marked, also if that is nothing; None: it was not touched."""
        return (
            list(self._content)
            if isinstance(self._content, list)
            else self._content
            if self.is_touched
            else None
        )

    @property
    def given(self) -> Json:
        """The value, or a text that stands for it; None: the input is left out."""
        if not self.is_touched and self._first is not None:
            return self._first
        content = self._content
        if isinstance(content, list):
            return _labels(self.declared)[str(content[0])] if content else None
        if self.declared.type is InputType.STRING:
            # Whoever empties a text that was filled in means the empty text, not the default.
            return content or ("" if self.declared.default is not None and self.is_touched else None)
        return content if content.strip() else None

    @property
    def left(self) -> Json:
        """What goes out that nobody has touched: what it was filled in with, or its default; None: nothing."""
        if self.given is None:
            return self.declared.default
        return None if self.is_touched else self.given

    @property
    def problem(self) -> str:
        """Which rule the value breaks, safe to draw; empty: none."""
        said = input_problem(self._definition, self.declared, self.given)
        return safe_line(said.removeprefix(f"the input '{self.declared.name}' is "), 600)

    @property
    def rule_words(self) -> str:
        """What counts, what it is if it is left empty, and what it is for; safe to draw."""
        words = [self._kind_words, self._default_words, safe_line(self.declared.description.strip(), 300)]
        if self._is_cut:
            words.insert(
                0, f"only its first {_LONGEST:,} characters are shown; what is typed replaces all of it"
            )
        return " · ".join(filter(None, words))

    @property
    def _kind_words(self) -> str:
        return "choose one" if self.declared.choices else _RULES[self.declared.type]

    @property
    def _default_words(self) -> str:
        declared = self.declared
        if declared.required:
            return ""
        if declared.default is None:
            return "may stay empty"
        shown = next(
            (label for label, choice in _labels(declared).items() if _same(choice, declared.default)),
            declared.default if isinstance(declared.default, str) else as_json(declared.default),
        )
        return f"default {safe_line(shown, _DEFAULT) or 'empty'}"


def _field(declared: InputDefinition, filled: str | list[Json]) -> FormField:
    name = declared.name
    labels = _labels(declared)
    if labels:
        return FormField(
            id=name, prompt=ChoicePrompt(question=name, choices=tuple(labels)), required=declared.required
        )
    is_long = isinstance(filled, str) and "\n" in filled
    kind = InputKind.JSON if declared.type in (InputType.LIST, InputType.MAP) else _KINDS.get(declared.type)
    prompt = InputPrompt(prompt=name, input_type=kind or InputKind.STRING, multiline=is_long)
    return FormField(id=name, prompt=prompt, required=declared.required)


def _labels(declared: InputDefinition) -> dict[str, Json]:
    """Return the values to choose from, by what stands in the list; empty: it is typed."""
    if declared.choices:
        return {choice if isinstance(choice, str) else as_json(choice): choice for choice in declared.choices}
    return dict(zip(_YES_NO, (True, False), strict=True)) if declared.type is InputType.BOOLEAN else {}


def _same(one: Json, other: Json) -> bool:
    # To Python 1 and true are equal.
    return as_json(one) == as_json(other)
