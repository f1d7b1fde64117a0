"""The question for a value that a person types."""

import math
from enum import StrEnum

from tidegate.errors import InvalidAnswer
from tidegate.model.base import Json
from tidegate.model.patterns import PatternFault, matches
from tidegate.model.question import Question
from tidegate.model.raw_answer import checked
from tidegate.model.secret import LEAST
from tidegate.model.typed_text import as_json, read_boolean, read_date, read_json, read_number

__all__ = ["InputKind", "InputPrompt"]


class InputKind(StrEnum):
    """What an `InputPrompt` takes."""

    STRING = "string"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    DATE = "date"
    """A day, as YYYY-MM-DD; so is its value."""
    JSON = "json"
    """Any JSON document; its value is what it says."""
    SECRET = "secret"  # noqa: S105 - the word for them, and none of them
    """A line that no history shows: blocks get it as a secret of the workflow."""


_SOME_DAY = "2026-01-31"
_TEXTS = (InputKind.STRING, InputKind.SECRET)


class InputPrompt(Question, tag="input"):
    """A value that the person types."""

    prompt: str
    input_type: InputKind = InputKind.STRING
    validation_pattern: str | None = None
    """Must match the whole value."""
    multiline: bool = False
    required: bool = True
    """Whether an empty answer is refused. Without a default, an empty optional text is "", and an empty
    optional value of another type is null: nothing was given."""
    default: str | None = None
    """As it would be typed; what an empty answer stands for."""
    min: float | None = None
    max: float | None = None
    earliest: str | None = None
    """YYYY-MM-DD."""
    latest: str | None = None
    """YYYY-MM-DD."""
    max_length: int | None = None
    """Characters."""

    @property
    def kind(self) -> str:
        """One word for lists."""
        return "input"

    @property
    def text(self) -> str:
        """What the person reads."""
        return self.prompt

    @property
    def takes_lines(self) -> bool:
        """Whether an answer may have several lines."""
        return self.multiline or self.input_type is InputKind.JSON

    @property
    def is_secret(self) -> bool:
        """Whether the answer is shown nowhere."""
        return self.input_type is InputKind.SECRET

    @property
    def rule(self) -> str:
        """What counts as an answer, as a sentence fragment."""
        match self.input_type:
            case InputKind.STRING:
                return self._text_rule("" if self.multiline else "one line") or "any text"
            case InputKind.INTEGER | InputKind.NUMBER:
                noun = "a whole number" if self.input_type is InputKind.INTEGER else "a number"
                return noun + _range(_number(self.min), _number(self.max), ", at least ", ", at most ")
            case InputKind.BOOLEAN:
                return "true or false (yes, no)"
            case InputKind.DATE:
                return "a date as YYYY-MM-DD" + _range(
                    self.earliest, self.latest, ", not before ", ", not after "
                )
            case InputKind.JSON:
                return "a JSON document"
            case InputKind.SECRET:
                return self._text_rule(f"one line of at least {LEAST} characters, which is shown nowhere")

    @property
    def example(self) -> Json:
        """A value of the right type, to show what one looks like; of a text only that it is one."""
        match self.input_type:
            case InputKind.INTEGER | InputKind.NUMBER:
                return self._some_number()
            case InputKind.BOOLEAN:
                return True
            case InputKind.DATE:
                return self.earliest or self.latest or _SOME_DAY
            case InputKind.JSON:
                return {"key": 1}
            case InputKind.STRING | InputKind.SECRET:
                return "..."

    def _some_number(self) -> int | float:
        """Return a number in the range: the one nearest to 1, and a whole one where there is any."""
        least = 1 if self.min is None else max(1, math.ceil(self.min))
        number = least if self.max is None else min(least, math.floor(self.max))
        return number if self.min is None or number >= self.min else self.min

    def _text_rule(self, first: str) -> str:
        parts = [first] if first else []
        if self.validation_pattern:
            parts.append(f"matching {self.validation_pattern}")
        if self.max_length is not None:
            parts.append(f"at most {self.max_length} characters")
        return ", ".join(parts)

    @property
    def default_value(self) -> Json:
        """The default as an answer's value; None: there is none."""
        return None if self.default is None else self._read(self.default)

    def parse(self, raw: str) -> Json:
        """Return the typed value of *raw*.

        Text is taken exactly as typed. Around everything else blanks are dropped, and only ASCII
        digits count.

        Raises:
            InvalidAnswer: names the rule that *raw* breaks.
        """
        is_text = self.input_type in _TEXTS
        is_empty = checked(raw) == "" or not (is_text or raw.strip())
        if is_empty and self.default is not None:
            return self._read(self.default)
        return None if is_empty and not is_text and not self.required else self._read(raw)

    def spell(self, value: Json) -> str:
        """Return a text that `parse` reads as *value*."""
        if self.input_type is InputKind.JSON:
            return as_json(value)
        if value is None:
            return ""
        return value if isinstance(value, str) else as_json(value)

    def _read(self, raw: str) -> Json:
        return self._parse_text(raw) if self.input_type in _TEXTS else self._parse_value(raw)

    def _parse_text(self, raw: str) -> str:
        if raw == "":
            if self.required:
                raise InvalidAnswer("an answer is needed: " + self.rule)
            return raw
        if self.is_secret and len(raw.strip()) < LEAST:
            raise InvalidAnswer(
                f"at least {LEAST} characters are asked for: fewer could not be kept out of sight"
            )
        if not self.multiline and ("\n" in raw or "\r" in raw):
            raise InvalidAnswer("one line is asked for; this has a line break")
        if self.max_length is not None and len(raw) > self.max_length:
            raise InvalidAnswer(f"at most {self.max_length} characters are taken; this has {len(raw)}")
        if self.validation_pattern is not None and not self._matches(self.validation_pattern, raw):
            raise InvalidAnswer(f"must match {self.validation_pattern} as a whole")
        return raw

    @staticmethod
    def _matches(pattern: str, raw: str) -> bool:
        try:
            # As a whole: `^a$` does not let a trailing line break through.
            return matches(pattern, raw)
        except PatternFault as fault:
            raise InvalidAnswer(f"the pattern {pattern} cannot be judged: {fault}") from fault

    def _parse_value(self, raw: str) -> Json:
        match self.input_type:
            case InputKind.BOOLEAN:
                value: Json = read_boolean(raw)
            case InputKind.DATE:
                value = self._within(read_date(raw))
            case InputKind.JSON:
                return read_json(raw)
            case _:
                value = self._in_range(read_number(raw, whole=self.input_type is InputKind.INTEGER))
        if value is None:
            raise InvalidAnswer(f"{self.rule} is asked for")
        return value

    def _in_range(self, number: float | None) -> int | float | None:
        if number is None or (self.min is not None and number < self.min):
            return None
        return None if self.max is not None and number > self.max else number

    def _within(self, day: str | None) -> str | None:
        # Dates of this form are in the order of their texts.
        if day is None or (self.earliest is not None and day < self.earliest):
            return None
        return None if self.latest is not None and day > self.latest else day


def _number(bound: float | None) -> str | None:
    return None if bound is None else f"{bound:g}"


def _range(low: str | None, high: str | None, least: str, most: str) -> str:
    if low is not None and high is not None:
        return f" from {low} to {high}"
    if low is not None:
        return least + low
    return most + high if high is not None else ""
