"""The question with several fields, which are submitted together."""

import difflib
from collections.abc import Mapping
from typing import TypeAlias

from tidegate.errors import InvalidAnswer
from tidegate.model.base import Json, JsonObject, Noun
from tidegate.model.choice_prompt import ChoicePrompt
from tidegate.model.input_prompt import InputKind, InputPrompt
from tidegate.model.question import Question
from tidegate.model.raw_answer import checked
from tidegate.model.typed_text import as_json, read_json

__all__ = ["MAX_FIELDS", "FieldPrompt", "FormField", "FormPrompt"]

MAX_FIELDS = 100
"""A longer form is no question to one person."""

_STRANGERS = 5
"""How many unknown fields a refusal names."""
_NAME = 80
"""Characters of such a name."""

FieldPrompt: TypeAlias = InputPrompt | ChoicePrompt


class FormField(Noun):
    """One field of a form."""

    id: str
    """Unique in the form; the name of its value."""
    prompt: FieldPrompt
    """What it takes, as if it were asked by itself; its text is the field's label."""
    required: bool = True
    """Whether it must be filled in. One that is left out gets its default, or null."""

    @property
    def label(self) -> str:
        """What the person reads."""
        return self.prompt.text

    @property
    def rule(self) -> str:
        """What counts as its value, as a sentence fragment."""
        return self.prompt.rule

    @property
    def default_value(self) -> Json:
        """What it is when it is left out; None: nothing."""
        return self.prompt.default_value

    def read(self, given: Json) -> Json:
        """Return the field's value.

        Args:
            given: A text is read as if it were typed; a number, a boolean, a list or (in a JSON field)
                a mapping is the value itself. Null leaves the field out, and so does an empty text,
                but in an optional text, and where choosing nothing is an answer.

        Raises:
            InvalidAnswer: names the rule that it breaks.
        """
        if given is None or (given == "" and not self._takes_empty):
            return self.left_out()
        return self.prompt.parse(given if isinstance(given, str) else self._typed(given))

    def left_out(self) -> Json:
        """Return what the field is when it is not filled in.

        Raises:
            InvalidAnswer: it must be.
        """
        if self.required:
            raise InvalidAnswer(f"is required: {self.rule}")
        return self.default_value

    def is_missing(self, values: Mapping[str, Json]) -> bool:
        """Whether the field was left out of a form with *values*."""
        return values.get(self.id) is None and not (self._is_json and self.id in values)

    @property
    def _is_json(self) -> bool:
        return isinstance(self.prompt, InputPrompt) and self.prompt.input_type is InputKind.JSON

    @property
    def _takes_empty(self) -> bool:
        """Whether an empty text is a value, and not the lack of one."""
        if isinstance(self.prompt, ChoicePrompt):
            return self.prompt.multiple and self.prompt.min == 0
        return self.prompt.input_type is InputKind.STRING and not self.required

    def _typed(self, given: Json) -> str:
        """Return a value that is no text, as it would be typed."""
        is_several = isinstance(self.prompt, ChoicePrompt) and self.prompt.multiple
        fits = self._is_json or (is_several if isinstance(given, list) else not isinstance(given, dict))
        if not fits:
            raise InvalidAnswer(f"{self.rule} is asked for, not {as_json(given)[:80]}")
        return as_json(given)


class FormPrompt(Question, tag="form"):
    """Several values at once."""

    message: str = ""
    fields: tuple[FormField, ...]
    """In the workflow's order; 1 to `MAX_FIELDS`, no id twice."""

    @property
    def kind(self) -> str:
        """One word for lists."""
        return "form"

    @property
    def text(self) -> str:
        """What the person reads."""
        return self.message or "Fill in: " + ", ".join(field.label for field in self.fields)

    @property
    def rule(self) -> str:
        """What counts as an answer, as a sentence fragment."""
        example = as_json({field.id: field.prompt.example for field in self.fields[:2]})
        names = ", ".join(
            field.id if field.required else f"{field.id} (may be left out)" for field in self.fields
        )
        return f"a JSON object like {example} with the fields {names}"

    @property
    def default_value(self) -> Json:
        """The value of a form in which nobody filled in anything; None: a field without default is required.

        For a deadline: also what must be filled in gets its default here.
        """
        if any(field.required and field.default_value is None for field in self.fields):
            return None
        return {field.id: field.default_value for field in self.fields}

    def parse(self, raw: str) -> JsonObject:
        """Return the value of every field, by id, in the workflow's order.

        Args:
            raw: A JSON object of field ids; see `FormField.read` for what may stand there.

        Raises:
            InvalidAnswer: names every field that is wrong, each with the rule that it breaks.
        """
        if not checked(raw).strip():
            raise InvalidAnswer(f"{self.rule} is asked for; {{}} takes what has a default")
        given = read_json(raw)
        if not isinstance(given, dict):
            raise InvalidAnswer(f"{self.rule} is asked for")
        return self.read(given)

    def read(self, given: Mapping[str, Json]) -> JsonObject:
        """Return the value of every field; as `parse`, of what is no JSON text yet."""
        values: JsonObject = {}
        problems: list[str] = []
        for field in self.fields:
            try:
                values[field.id] = field.read(given[field.id]) if field.id in given else field.left_out()
            except InvalidAnswer as error:
                problems.append(f"field '{field.id}': {error.rule}")
        strangers = given.keys() - {field.id for field in self.fields}
        problems += [self._stranger(name) for name in sorted(strangers)[:_STRANGERS]]
        if problems:
            raise InvalidAnswer("; ".join(problems))
        return values

    def spell(self, value: Json) -> str:
        """Return a text that `parse` reads as *value*."""
        values = value if isinstance(value, dict) else {}
        fields = [field for field in self.fields if not field.is_missing(values)]
        return as_json({field.id: field.prompt.spell(values[field.id]) for field in fields})

    def _stranger(self, name: str) -> str:
        ids = [field.id for field in self.fields]
        near = difflib.get_close_matches(name[:_NAME], ids, n=1)
        advice = f"did you mean '{near[0]}'?" if near else "there are " + ", ".join(ids)
        return f"there is no field '{name[:_NAME]}' ({advice})"
