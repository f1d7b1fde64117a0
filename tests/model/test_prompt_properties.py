"""What holds for every question and everything that anybody types."""

import contextlib

import msgspec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from prompts import HOSTILE, answered, prompts
from tidegate.errors import InvalidAnswer
from tidegate.model.answer_schema import response_schema
from tidegate.model.prompt import Prompt, check_comment, describe_value, same_value
from tidegate.safe_text import safe_line

# A busy machine is slow to make a form; that says nothing about the form.
patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


@patient
@given(st.data())
def test_what_is_spelt_is_read_as_the_same_value(data: st.DataObject) -> None:
    """So an answer can be kept, passed on and given again, whatever it is."""
    prompt = data.draw(prompts())
    value = data.draw(answered(prompt))

    assert same_value(prompt.parse(prompt.spell(value)), value)


@patient
@given(prompts(), HOSTILE)
def test_whatever_is_typed_is_a_value_or_a_refusal(prompt: Prompt, raw: str) -> None:
    """And the value is one that a journal can hold, a person can read, and that spells itself again."""
    with contextlib.suppress(InvalidAnswer):
        value = prompt.parse(raw)

        assert same_value(msgspec.json.decode(msgspec.json.encode(value)), value)
        assert isinstance(safe_line(describe_value(value)).encode(), bytes)
        assert same_value(prompt.parse(prompt.spell(value)), value)


@patient
@given(prompts(), st.booleans(), HOSTILE)
def test_whatever_is_typed_as_a_comment_is_kept_or_refused(prompt: Prompt, value: bool, comment: str) -> None:
    """Nothing that is no text reaches the journal."""
    with contextlib.suppress(InvalidAnswer):
        assert check_comment(prompt, value, comment).encode() == comment.strip().encode()


@patient
@given(prompts())
def test_a_question_survives_the_journal(prompt: Prompt) -> None:
    """As it was asked; and its schema is JSON."""
    assert msgspec.json.decode(msgspec.json.encode(prompt), type=Prompt) == prompt
    assert msgspec.json.encode(response_schema(prompt))
