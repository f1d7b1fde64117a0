"""The rules of an answer as a file writes them: shared by the blocks and by the fields of a form."""

import math
from collections.abc import Iterator, Mapping
from typing import Annotated, TypeAlias

from pydantic import BeforeValidator, Field

from tidegate.blocks.checks import (
    Flag,
    Inputs,
    MaybeText,
    MaybeWhole,
    Text,
    describe,
    word_of,
    written,
    wrong,
)
from tidegate.blocks.input_docs import Kind
from tidegate.errors import InvalidAnswer
from tidegate.model.base import Json
from tidegate.model.catalog import InputProblem
from tidegate.model.patterns import PatternFault, read_pattern
from tidegate.model.prompt import ChoicePrompt, InputKind, InputPrompt, OnTimeout
from tidegate.model.raw_answer import checked_name
from tidegate.model.typed_text import as_json, read_date, read_number

__all__ = [
    "Assignee",
    "ChoiceRules",
    "Expiry",
    "Question",
    "TypedRules",
    "choice_prompt",
    "input_prompt",
    "needs_default",
]

_MAX_CHOICES = 1_000
_RANGED = (InputKind.INTEGER, InputKind.NUMBER, InputKind.DATE)

Expiry: TypeAlias = Annotated[OnTimeout, word_of(OnTimeout)]


def _question(value: object) -> object:
    if isinstance(value, str) and not value.strip():
        raise wrong("must not be empty: a person has to know what is asked")
    return value


Question: TypeAlias = Annotated[Text, BeforeValidator(_question)]


def _assignee(value: object) -> object:
    if not isinstance(value, str):
        return value
    if value.strip().casefold() == "me":
        raise wrong("must name somebody: who 'me' is depends on who looks")
    try:
        return checked_name(value)
    except InvalidAnswer as error:
        raise wrong(f"is no name of a person: {error.rule}") from error


Assignee: TypeAlias = Annotated[MaybeText, BeforeValidator(_assignee)]


# -- from a list ------------------------------------------------------------------------------


def _choices(value: object) -> object:
    if not isinstance(value, list):
        raise wrong(f"must be a list of texts, not {describe(value)}")
    if not value:
        raise wrong("must hold at least one choice")
    if len(value) > _MAX_CHOICES:
        raise wrong(f"holds {len(value):,} choices; a person is given at most {_MAX_CHOICES:,}")
    choices = tuple(_choice(item) for item in value)
    seen: set[str] = set()
    for choice in choices:
        # Compared without blanks around it, which nobody sees and a typed answer need not have.
        if choice.strip() in seen:
            raise wrong(f"holds {choice!r} twice")
        seen.add(choice.strip())
    return choices


def _choice(item: object) -> str:
    if not isinstance(item, str | bool | int | float):
        raise wrong(f"must be a list of texts; it holds {describe(item)}")
    if not written(item).strip():
        raise wrong("holds an empty choice")
    return written(item)


def _chosen(value: object) -> object:
    if value is None:
        return None
    items = value if isinstance(value, list) else [value]
    if not all(isinstance(item, str | bool | int | float) for item in items):
        raise wrong(f"must be a choice or a list of them, not {describe(value)}")
    return tuple(written(item) for item in items) if isinstance(value, list) else written(value)


class ChoiceRules(Inputs):
    """What may be chosen."""

    choices: Annotated[tuple[str, ...], BeforeValidator(_choices)] = Field(description="What to choose from.")
    multiple: Flag = Field(default=False, description="Whether several may be chosen.")
    min: MaybeWhole = Field(
        default=None, description="With `multiple`, the fewest: 1 unless given; with 0, none is an answer."
    )
    max: MaybeWhole = Field(default=None, description="With `multiple`, the most: all unless given.")
    default: Annotated[str | tuple[str, ...] | None, BeforeValidator(_chosen)] = Field(
        default=None, description="One choice, or with `multiple` a list; never preselected."
    )

    @property
    def fewest(self) -> int:
        """The fewest that may be chosen."""
        return 1 if self.min is None else self.min

    @property
    def defaults(self) -> tuple[str, ...]:
        """The default, as the choices it names."""
        return (self.default,) if isinstance(self.default, str) else self.default or ()

    def conflicts(self) -> Iterator[InputProblem]:
        """Yield what is wrong between inputs."""
        yield from self._bad_bounds()
        for strange in (choice for choice in self.defaults if choice not in self.choices):
            yield _about(
                "default",
                f"'default' must be one of the choices ({', '.join(self.choices)}), not {strange!r}",
            )
        yield from self._bad_default()

    def _bad_bounds(self) -> Iterator[InputProblem]:
        if not self.multiple:
            for name in ("min", "max"):
                if getattr(self, name) is not None:
                    yield _about(name, f"'{name}' has no effect without 'multiple: true'")
            return
        count = len(self.choices)
        if not 0 <= self.fewest <= count:
            yield _about("min", f"'min' must be from 0 to {count}, the number of choices, not {self.min}")
        if self.max is not None and not max(self.fewest, 1) <= self.max <= count:
            yield _about("max", f"'max' must be from {max(self.fewest, 1)} to {count}, not {self.max}")

    def _bad_default(self) -> Iterator[InputProblem]:
        if isinstance(self.default, tuple) and not self.multiple:
            yield _about("default", "'default' must be one choice, not a list, without 'multiple: true'")
        elif self.multiple and self.default is not None:
            count = len(set(self.defaults))
            if not self.fewest <= count <= (self.max or len(self.choices)):
                yield _about(
                    "default", f"'default' names {count} of the choices, which 'min' and 'max' do not allow"
                )


def choice_prompt(rules: ChoiceRules, question: str) -> ChoicePrompt:
    """Return the prompt of *rules*, which have no conflicts."""
    default: str | tuple[str, ...] | None = rules.default
    if rules.multiple and default is not None:
        default = tuple(choice for choice in rules.choices if choice in rules.defaults)
    return ChoicePrompt(
        question=question,
        choices=rules.choices,
        multiple=rules.multiple,
        min=rules.fewest,
        max=rules.max,
        default=default,
    )


# -- typed ------------------------------------------------------------------------------------


def _pattern(value: object) -> object:
    if value is None:
        return None
    if not isinstance(value, str):
        raise wrong(f"must be text, not {describe(value)}")
    try:
        read_pattern(value)
    except PatternFault as error:
        raise wrong(f"is no valid pattern: {error}") from error
    return value


def _bound(value: object) -> object:
    if isinstance(value, str):
        number = read_number(value, whole=False)
        value = number if number is not None else read_date(value) or value
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if value is None or is_number or (isinstance(value, str) and read_date(value)):
        return value
    raise wrong(f"must be a number, not {describe(value)} (with input_type date: a date as YYYY-MM-DD)")


Bound: TypeAlias = Annotated[float | str | None, BeforeValidator(_bound), Kind("number | date")]


class TypedRules(Inputs):
    """What may be typed."""

    input_type: Annotated[InputKind, word_of(InputKind)] = Field(
        default=InputKind.STRING,
        description="The type of the value. A date is typed as YYYY-MM-DD; a secret is shown nowhere (docs/secrets.md).",
    )
    validation_pattern: Annotated[str | None, BeforeValidator(_pattern)] = Field(
        default=None, description="A regular expression that the whole text must match; `\\d` is 0 to 9."
    )
    multiline: Flag = Field(default=False, description="Whether a text may have several lines.")
    default: Json = Field(default=None, description="What an empty answer stands for.")
    min: Bound = Field(default=None, description="The least number, or the first date.")
    max: Bound = Field(default=None, description="The greatest number, or the last date.")
    max_length: MaybeWhole = Field(default=None, description="The most characters of a text.")

    @property
    def default_text(self) -> str | None:
        """The default as it would be typed."""
        if self.default is None or isinstance(self.default, str):
            return self.default
        return as_json(self.default) if isinstance(self.default, list | Mapping) else written(self.default)

    def conflicts(self) -> Iterator[InputProblem]:
        """Yield what is wrong between inputs."""
        yield from self._misplaced()
        wrong_bounds = list(self._bad_bounds())
        yield from wrong_bounds
        if self.max_length is not None and self.max_length < 1:
            yield _about("max_length", "'max_length' must be at least 1")
        if not wrong_bounds:
            yield from self._bad_default()

    def _misplaced(self) -> Iterator[InputProblem]:
        is_text, is_secret = self.input_type is InputKind.STRING, self.input_type is InputKind.SECRET
        fitting = (
            (("validation_pattern", "max_length"), is_text or is_secret),
            (("multiline",), is_text),
            (("default",), not is_secret),
            (("min", "max"), self.input_type in _RANGED),
        )
        for names, fits in fitting:
            for name in names:
                if not fits and getattr(self, name) not in (None, False):
                    yield _about(name, f"'{name}' has no effect on input_type {self.input_type}")

    def _bad_bounds(self) -> Iterator[InputProblem]:
        if self.input_type not in _RANGED:
            return
        wanted, noun = (str, "a date") if self.input_type is InputKind.DATE else ((int, float), "a number")
        bounds = {name: getattr(self, name) for name in ("min", "max") if getattr(self, name) is not None}
        for name, bound in bounds.items():
            if not isinstance(bound, wanted):
                shown = _shown(bound)
                yield _about(name, f"'{name}' must be {noun} with input_type {self.input_type}, not {shown}")
        kinds = {type(bound) is str for bound in bounds.values()}
        if len(bounds) == 2 and len(kinds) == 1 and bounds["min"] > bounds["max"]:  # noqa: PLR2004  # both
            low, high = map(_shown, bounds.values())
            yield _about("min", f"'min' ({low}) must not be above 'max' ({high})")

    def _bad_default(self) -> Iterator[InputProblem]:
        if self.default_text is None:
            return
        if isinstance(self.default, list | Mapping) and self.input_type is not InputKind.JSON:
            yield _about("default", f"'default' must be text, not {describe(self.default)}")
            return
        try:
            input_prompt(self, "?").parse(self.default_text)
        except InvalidAnswer as error:
            problem = f"'default' {self.default_text!r} would not be taken as an answer: {error.rule}"
            yield _about("default", problem)


def input_prompt(rules: TypedRules, text: str, *, required: bool = True) -> InputPrompt:
    """Return the prompt of *rules*."""
    prompt = InputPrompt(
        prompt=text,
        input_type=rules.input_type,
        validation_pattern=rules.validation_pattern,
        multiline=rules.multiline,
        required=required,
        default=rules.default_text,
        max_length=rules.max_length,
    )
    if rules.input_type is InputKind.DATE:
        return prompt.evolve(earliest=rules.min, latest=rules.max)
    return prompt.evolve(min=rules.min, max=rules.max)


def _shown(bound: float | str) -> str:
    return bound if isinstance(bound, str) else f"{bound:g}"


def _about(name: str, message: str) -> InputProblem:
    return InputProblem((name,), message)


def needs_default(default: Json, on_timeout: OnTimeout) -> Iterator[InputProblem]:
    """Yield the problem of a deadline that takes a default where there is none, or one that says yes.

    Args:
        default: As an answer's value; None: there is none.
        on_timeout: What the deadline does.
    """
    if on_timeout is not OnTimeout.DEFAULT:
        return
    if default is None:
        yield _about("on_timeout", "'on_timeout: default' needs a 'default'")
    elif default is True:
        problem = (
            "'on_timeout: default' would take silence for a yes: use fail or reject, or 'default: false'"
        )
        yield _about("on_timeout", problem)
