"""What the interactive blocks take, and the prompt that each set of inputs asks."""

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, ClassVar, TypeAlias

from pydantic import BeforeValidator, Field

from tidegate.blocks.checks import (
    Flag,
    Inputs,
    MaybeNumber,
    MaybeText,
    MaybeWhole,
    Text,
    describe,
    word_of,
    written,
    wrong,
)
from tidegate.errors import InvalidAnswer
from tidegate.model.base import JsonObject
from tidegate.model.catalog import InputProblem
from tidegate.model.prompt import ChoicePrompt, ConfirmPrompt, InputKind, InputPrompt, OnReject, OnTimeout

__all__ = ["AskChoiceInputs", "ConfirmOperationInputs", "GetInputInputs"]

_LATER_KINDS = frozenset({"date", "secret", "json"})
_TEXT_ONLY = ("validation_pattern", "multiline", "max_length")
_NUMBER_ONLY = ("min", "max")

Expiry: TypeAlias = Annotated[OnTimeout, word_of(OnTimeout)]


def _question(value: object) -> object:
    if isinstance(value, str) and not value.strip():
        raise wrong("must not be empty: a person has to know what is asked")
    return value


Question: TypeAlias = Annotated[Text, BeforeValidator(_question)]


# -- ConfirmOperation -------------------------------------------------------------------------


def _not_default(value: object) -> object:
    if value == OnTimeout.DEFAULT:
        raise wrong("must be fail or reject: a confirmation has no default, silence never approves")
    return value


def _details(value: object) -> object:
    if not isinstance(value, Mapping) or not all(isinstance(name, str) for name in value):
        raise wrong(f"must be a mapping of names to values, not {describe(value)}")
    return dict(value)


class ConfirmOperationInputs(Inputs):
    """What is to be confirmed."""

    later: ClassVar[frozenset[str]] = frozenset({"comment", "show"})

    message: Question
    operation: MaybeText = None
    details: Annotated[JsonObject, BeforeValidator(_details)] = {}
    on_reject: Annotated[OnReject, word_of(OnReject)] = OnReject.STOP
    on_timeout: Annotated[Expiry, BeforeValidator(_not_default)] = OnTimeout.FAIL

    def prompt(self) -> ConfirmPrompt:
        """Return what the person is asked."""
        return ConfirmPrompt(
            message=self.message,
            operation=self.operation or "",
            details=self.details,
            on_reject=self.on_reject,
            on_timeout=self.on_timeout,
        )


# -- AskChoice --------------------------------------------------------------------------------


def _choices(value: object) -> object:
    if not isinstance(value, list):
        raise wrong(f"must be a list of texts, not {describe(value)}")
    if not value:
        raise wrong("must hold at least one choice")
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


class AskChoiceInputs(Inputs):
    """What is to be chosen from."""

    later: ClassVar[frozenset[str]] = frozenset({"comment", "show", "multiple", "min", "max"})

    question: Question
    choices: Annotated[tuple[str, ...], BeforeValidator(_choices)]
    default: MaybeText = None
    """Taken only when nobody answers in time and `on_timeout` says so."""
    on_timeout: Expiry = OnTimeout.FAIL

    def prompt(self) -> ChoicePrompt:
        """Return what the person is asked."""
        return ChoicePrompt(
            question=self.question, choices=self.choices, default=self.default, on_timeout=self.on_timeout
        )

    def conflicts(self) -> Iterator[InputProblem]:
        """Yield what is wrong between inputs."""
        if self.default is not None and self.default not in self.choices:
            listed = ", ".join(self.choices)
            yield InputProblem(
                ("default",), f"'default' must be one of the choices ({listed}), not {self.default!r}"
            )
        yield from _needs_default(self.default, self.on_timeout)


# -- GetInput ---------------------------------------------------------------------------------


def _pattern(value: object) -> object:
    if value is None:
        return None
    if not isinstance(value, str):
        raise wrong(f"must be text, not {describe(value)}")
    try:
        # As the answer will be matched. Not only re.error: `(?u)` and a huge `{n}` raise others.
        re.compile(value, re.ASCII)
    except (re.error, ValueError, OverflowError, RecursionError) as error:
        raise wrong(f"is no valid pattern: {error}") from error
    return value


class GetInputInputs(Inputs):
    """What is to be typed."""

    later: ClassVar[frozenset[str]] = frozenset({"comment", "show"})

    prompt_text: Question = Field(validation_alias="prompt")
    input_type: Annotated[InputKind, word_of(InputKind, later=_LATER_KINDS)] = InputKind.STRING
    validation_pattern: Annotated[str | None, BeforeValidator(_pattern)] = None
    multiline: Flag = False
    required: Flag = True
    default: MaybeText = None
    min: MaybeNumber = None
    max: MaybeNumber = None
    max_length: MaybeWhole = None
    on_timeout: Expiry = OnTimeout.FAIL

    def prompt(self) -> InputPrompt:
        """Return what the person is asked."""
        return InputPrompt(
            prompt=self.prompt_text,
            input_type=self.input_type,
            validation_pattern=self.validation_pattern,
            multiline=self.multiline,
            required=self.required,
            default=self.default,
            min=self.min,
            max=self.max,
            max_length=self.max_length,
            on_timeout=self.on_timeout,
        )

    def conflicts(self) -> Iterator[InputProblem]:
        """Yield what is wrong between inputs."""
        yield from self._misplaced()
        if self.min is not None and self.max is not None and self.min > self.max:
            yield InputProblem(("min",), f"'min' ({self.min:g}) must not be above 'max' ({self.max:g})")
        if self.max_length is not None and self.max_length < 1:
            yield InputProblem(("max_length",), "'max_length' must be at least 1")
        yield from self._bad_default()
        yield from _needs_default(self.default, self.on_timeout)

    def _misplaced(self) -> Iterator[InputProblem]:
        is_text = self.input_type is InputKind.STRING
        is_number = self.input_type in (InputKind.INTEGER, InputKind.NUMBER)
        for names, fits in ((_TEXT_ONLY, is_text), (_NUMBER_ONLY, is_number)):
            for name in names:
                if not fits and getattr(self, name) not in (None, False):
                    yield InputProblem((name,), f"'{name}' has no effect on input_type {self.input_type}")

    def _bad_default(self) -> Iterator[InputProblem]:
        if self.default is None:
            return
        try:
            self.prompt().parse(self.default)
        except InvalidAnswer as error:
            yield InputProblem(
                ("default",), f"'default' {self.default!r} would not be taken as an answer: {error.rule}"
            )


def _needs_default(default: str | None, on_timeout: OnTimeout) -> Iterator[InputProblem]:
    if on_timeout is OnTimeout.DEFAULT and default is None:
        yield InputProblem(("on_timeout",), "'on_timeout: default' needs a 'default'")
