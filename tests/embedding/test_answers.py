"""Answers that are Python values: each is read by the prompt as exactly that value, or refused."""

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prompts import answered, prompts
from tidegate.embedding.python_values import typed_answer
from tidegate.errors import InvalidAnswer
from tidegate.model.base import Json
from tidegate.model.prompt import (
    ChoicePrompt,
    ConfirmPrompt,
    Evidence,
    FormField,
    FormPrompt,
    InputKind,
    InputPrompt,
    Prompt,
    RecoveryPrompt,
    same_value,
)

CONFIRM = ConfirmPrompt(message="Go?")
CHOICE = ChoicePrompt(question="Which?", choices=("red", "blue"))
SEVERAL = CHOICE.evolve(multiple=True)
NUMBER = InputPrompt(prompt="How many?", input_type=InputKind.INTEGER)
TEXT = InputPrompt(prompt="Name?")
FREE = InputPrompt(prompt="Settings?", input_type=InputKind.JSON)
FORM = FormPrompt(fields=(FormField(id="n", prompt=NUMBER), FormField(id="free", prompt=FREE)))
RECOVERY = RecoveryPrompt(block="deploy", attempt=1, evidence=Evidence(started_at=0.0))


@given(st.data())
@settings(deadline=None)
def test_the_prompt_reads_the_value_that_was_given(data: st.DataObject) -> None:
    """Of every kind of prompt, every value that answers it."""
    prompt = data.draw(prompts())
    value = data.draw(answered(prompt))

    assert same_value(prompt.parse(typed_answer(prompt, value)), value)


@pytest.mark.parametrize(
    ("prompt", "value", "read"),
    [
        (CONFIRM, "no", False),
        (CONFIRM, "OK", True),
        (CHOICE, "2", "blue"),
        (SEVERAL, ["blue", "red"], ["red", "blue"]),
        (SEVERAL, "blue", ["blue"]),
        (NUMBER, "3", 3),
        (FREE, '{"a": 1}', '{"a": 1}'),
        (FORM, {"n": "3", "free": "text"}, {"n": 3, "free": "text"}),
        (FORM, '{"n": 3, "free": "[]"}', {"n": 3, "free": []}),
        (RECOVERY, "done", {"action": "done", "outputs": {}}),
    ],
)
def test_a_text_is_read_as_if_it_were_typed(prompt: Prompt, value: Json, read: Json) -> None:
    """Only where JSON is asked for a text is the value itself."""
    assert same_value(prompt.parse(typed_answer(prompt, value)), read)


MISFITS: tuple[tuple[Prompt, tuple[Any, ...]], ...] = (
    (CONFIRM, (1, 0, None, [], {}, ["yes"])),
    (CHOICE, (1, True, ["red"], None)),
    (SEVERAL, ([1], [True], {"red": True})),
    (TEXT, (1, True, ["x"])),
    (NUMBER, ([3],)),
    (FORM, ([3],)),
    (RECOVERY, (True, {}, {"action": "skip", "why": "no"})),
    (FREE, (math.nan, {1, 2}, object(), b"x")),
)


@pytest.mark.parametrize(
    ("prompt", "value"), [(prompt, value) for prompt, values in MISFITS for value in values]
)
def test_a_value_of_another_type_is_refused(prompt: Prompt, value: Any) -> None:
    """1 is no yes, and no choice: nothing is guessed."""
    with pytest.raises(InvalidAnswer, match=r"of another type|answer: .* is no JSON: use"):
        typed_answer(prompt, value)


@pytest.mark.parametrize("value", [True, 3.5, "x", -0.5])
def test_the_prompt_judges_what_may_be_said(value: Json) -> None:
    """A value of a type that could be typed is sent as it is, and refused by the one validator."""
    with pytest.raises(InvalidAnswer, match="a whole number"):
        NUMBER.parse(typed_answer(NUMBER, value))


def test_a_field_that_is_none_is_refused_and_not_dropped() -> None:
    """A misspelt one would otherwise be taken for one that was left out."""
    with pytest.raises(InvalidAnswer, match="there is no field 'nn'"):
        FORM.parse(typed_answer(FORM, {"nn": 3, "free": None}))
