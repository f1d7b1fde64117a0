"""What a pause asks, and what counts as an answer.

Owns the one rule for reading an answer: the dialog, the command line and the engine all call
`parse`. The engine calls it again because the journal, not the dialog, decides what was asked.
A prompt is frozen, its references resolved, when the pause opens.
"""

import math
import re
from enum import StrEnum
from typing import TypeAlias

import msgspec

from tidegate.errors import InvalidAnswer
from tidegate.model.base import Json, JsonObject, Noun
from tidegate.model.raw_answer import checked
from tidegate.model.recovery import Evidence, RecoveryAction, RecoveryPrompt

__all__ = [
    "Answer",
    "ChoicePrompt",
    "ConfirmPrompt",
    "Evidence",
    "InputKind",
    "InputPrompt",
    "OnReject",
    "OnTimeout",
    "Prompt",
    "RecoveryAction",
    "RecoveryPrompt",
    "describe_value",
]

_NUMBER_CHARACTERS = 64
"""Longer is no number that a person types; converting it could take for ever."""

_YES = frozenset({"yes", "y", "true", "confirm", "approve", "approved", "ok"})
_NO = frozenset({"no", "n", "false", "deny", "denied", "reject", "rejected"})


class OnReject(StrEnum):
    """What a "no" does to a run."""

    STOP = "stop"
    """The gate is `rejected`, and so is the run unless something failed."""
    CONTINUE = "continue"
    """"No" is only data."""


class OnTimeout(StrEnum):
    """What happens when nobody answers in time. Never an approval."""

    FAIL = "fail"
    REJECT = "reject"
    DEFAULT = "default"


class InputKind(StrEnum):
    """What an `InputPrompt` takes."""

    STRING = "string"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"


class Answer(Noun):
    """What was said, by whom and how. When is the time of its event."""

    value: Json
    """Canonical: equal values are the same answer, however they were typed."""
    raw: str = ""
    """As typed or clicked."""
    by: str = ""
    via: str = ""
    """`tui`, `cli`, `api` or `deadline`."""
    comment: str = ""


class ConfirmPrompt(Noun, tag="confirm"):
    """Yes or no."""

    message: str
    operation: str = ""
    details: JsonObject = {}
    on_reject: OnReject = OnReject.STOP
    on_timeout: OnTimeout = OnTimeout.FAIL

    @property
    def kind(self) -> str:
        """One word for lists."""
        return "confirm"

    @property
    def text(self) -> str:
        """What the person reads."""
        return self.message

    @property
    def rule(self) -> str:
        """What counts as an answer, as a sentence fragment."""
        return "yes or no (y, true, confirm, approve, ok / n, false, deny, reject)"

    def parse(self, raw: str) -> bool:
        """Return True for yes and False for no.

        Raises:
            InvalidAnswer: *raw* is neither. Silence and anything unclear is never taken for "no".
        """
        word = checked(raw).strip().casefold()
        if word in _YES:
            return True
        if word in _NO:
            return False
        raise InvalidAnswer(f"answer {self.rule}")


class ChoicePrompt(Noun, tag="choice"):
    """One of a closed list."""

    question: str
    choices: tuple[str, ...]
    """In the workflow's order; never empty, no duplicates."""
    default: str | None = None
    """Taken only by a deadline with `on_timeout: default`; never preselected."""
    on_timeout: OnTimeout = OnTimeout.FAIL

    @property
    def kind(self) -> str:
        """One word for lists."""
        return "choice"

    @property
    def text(self) -> str:
        """What the person reads."""
        return self.question

    @property
    def rule(self) -> str:
        """What counts as an answer, as a sentence fragment."""
        return "type one of " + ", ".join(self.choices) + f", or its number (1 to {len(self.choices)})"

    def parse(self, raw: str) -> str:
        """Return the choice that *raw* names.

        Args:
            raw: A choice's exact text, or its 1-based number as shown. Blanks around it are dropped.

        Raises:
            InvalidAnswer: *raw* names no choice. Part of a choice is not a choice.
        """
        word = checked(raw)
        for candidate in (word, word.strip()):
            if candidate in self.choices:
                return candidate
        # Text before number, so that a choice which is itself "2" stays reachable.
        numbers = [str(number) for number in range(1, len(self.choices) + 1)]
        if word.strip() in numbers:
            return self.choices[numbers.index(word.strip())]
        raise InvalidAnswer(self.rule)


class InputPrompt(Noun, tag="input"):
    """A value that the person types."""

    prompt: str
    input_type: InputKind = InputKind.STRING
    validation_pattern: str | None = None
    """Must match the whole value."""
    multiline: bool = False
    required: bool = True
    """Whether an empty text is refused. An empty optional text is the default, or ""."""
    default: str | None = None
    min: float | None = None
    max: float | None = None
    max_length: int | None = None
    """Characters."""
    on_timeout: OnTimeout = OnTimeout.FAIL

    @property
    def kind(self) -> str:
        """One word for lists."""
        return "input"

    @property
    def text(self) -> str:
        """What the person reads."""
        return self.prompt

    @property
    def rule(self) -> str:
        """What counts as an answer, as a sentence fragment."""
        match self.input_type:
            case InputKind.STRING:
                parts = [] if self.multiline else ["one line"]
                if self.validation_pattern:
                    parts.append(f"matching {self.validation_pattern}")
                if self.max_length is not None:
                    parts.append(f"at most {self.max_length} characters")
                return ", ".join(parts) or "any text"
            case InputKind.INTEGER | InputKind.NUMBER:
                noun = "a whole number" if self.input_type is InputKind.INTEGER else "a number"
                return noun + self._range()
            case InputKind.BOOLEAN:
                return "true or false (yes, no)"

    def _range(self) -> str:
        if self.min is not None and self.max is not None:
            return f" from {self.min:g} to {self.max:g}"
        if self.min is not None:
            return f", at least {self.min:g}"
        return f", at most {self.max:g}" if self.max is not None else ""

    def parse(self, raw: str) -> Json:
        """Return the typed value of *raw*.

        Text is taken exactly as typed. Around numbers and booleans blanks are dropped, and only
        ASCII digits count.

        Raises:
            InvalidAnswer: names the rule that *raw* breaks.
        """
        checked(raw)
        if raw == "" and self.default is not None:
            raw = self.default
        match self.input_type:
            case InputKind.STRING:
                return self._parse_text(raw)
            case InputKind.BOOLEAN:
                return self._parse_boolean(raw.strip().casefold())
            case InputKind.INTEGER | InputKind.NUMBER:
                return self._parse_number(raw.strip())

    def _parse_text(self, raw: str) -> str:
        if raw == "":
            if self.required:
                raise InvalidAnswer("an answer is needed: " + self.rule)
            return raw
        if not self.multiline and ("\n" in raw or "\r" in raw):
            raise InvalidAnswer("one line is asked for; this has a line break")
        if self.max_length is not None and len(raw) > self.max_length:
            raise InvalidAnswer(f"at most {self.max_length} characters are taken; this has {len(raw)}")
        # ASCII and fullmatch: `\d` means 0-9, and `^a$` does not let a trailing line break through.
        if self.validation_pattern is not None and not re.fullmatch(self.validation_pattern, raw, re.ASCII):
            raise InvalidAnswer(f"must match {self.validation_pattern} as a whole")
        return raw

    def _parse_boolean(self, word: str) -> bool:
        if word in _YES:
            return True
        if word in _NO:
            return False
        raise InvalidAnswer(f"{self.rule} is asked for")

    def _parse_number(self, word: str) -> int | float:
        integer = self.input_type is InputKind.INTEGER
        shape = r"[+-]?[0-9]+" if integer else r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?"
        if len(word) > _NUMBER_CHARACTERS or not re.fullmatch(shape, word):
            raise InvalidAnswer(f"{self.rule} is asked for")
        number = int(word) if integer else float(word)
        if not math.isfinite(number):
            raise InvalidAnswer(f"{self.rule} is asked for; this is too large")
        if (self.min is not None and number < self.min) or (self.max is not None and number > self.max):
            raise InvalidAnswer(f"{self.rule} is asked for")
        return number


Prompt: TypeAlias = ConfirmPrompt | ChoicePrompt | InputPrompt | RecoveryPrompt


def describe_value(value: Json) -> str:
    """Return an answer's value as a person would say it."""
    match value:
        case True:
            return "yes"
        case False:
            return "no"
        case str():
            return value
        case {"action": str(action)}:
            return action
        case _:
            return msgspec.json.encode(value).decode()
