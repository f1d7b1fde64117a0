"""AskForm: its fields, as a list or a mapping, from the file or from data."""

import pytest

from tidegate.blocks.base import Completed, Failed, Rejected
from tidegate.blocks.interactive import AskForm
from tidegate.blocks.registry import catalog
from tidegate.errors import InputsError
from tidegate.model.base import Json, JsonObject
from tidegate.model.catalog import InputProblem
from tidegate.model.prompt import Answer, ChoicePrompt, FormField, FormPrompt, InputKind, InputPrompt

BLOCK = AskForm()
FIELDS: list[Json] = [
    {"id": "env", "label": "Where?", "choices": ["staging", "production"]},
    {"id": "count", "input_type": "integer", "min": 1, "default": 2},
    {"id": "verbose", "input_type": "boolean", "default": True},
]


def holds(value: Json) -> bool:
    """Tell a text with a reference in it, as the loader does."""
    return isinstance(value, str) and "${" in value


def problems(**inputs: Json) -> tuple[InputProblem, ...]:
    """Return what is wrong with *inputs* as a file has them."""
    return catalog()["AskForm"].check(inputs, holds)


def ask(fields: Json, **more: Json) -> FormPrompt:
    """Return the form that is asked."""
    prompt = BLOCK.ask({"fields": fields, **more})
    assert isinstance(prompt, FormPrompt)
    return prompt


def test_it_asks_what_the_file_says() -> None:
    """A field with choices is a choice, any other is typed; one with a default may be left out."""
    assert ask(FIELDS, message="How?") == FormPrompt(
        message="How?",
        fields=(
            FormField(id="env", prompt=ChoicePrompt(question="Where?", choices=("staging", "production"))),
            FormField(
                id="count",
                prompt=InputPrompt(
                    prompt="count", input_type=InputKind.INTEGER, min=1, default="2", required=False
                ),
                required=False,
            ),
            FormField(
                id="verbose",
                prompt=InputPrompt(
                    prompt="verbose", input_type=InputKind.BOOLEAN, default="true", required=False
                ),
                required=False,
            ),
        ),
    )


def test_a_mapping_is_the_same_as_a_list() -> None:
    """With the ids as keys."""
    mapping = {str(field["id"]): {**field} for field in FIELDS if isinstance(field, dict)}
    for field in mapping.values():
        del field["id"]

    assert ask(mapping) == ask(FIELDS)  # type: ignore[arg-type]  # a dict of dicts is JSON
    assert ask({"note": None}).fields[0].label == "note"


def test_an_answer_is_one_mapping() -> None:
    """With a value of its type for every field, defaults of what was left out included."""
    prompt = ask(FIELDS)
    answer = Answer(value=prompt.parse('{"env": "1"}'))

    assert BLOCK.resume(prompt, answer) == Completed(
        {"values": {"env": "staging", "count": 2, "verbose": True}}
    )


def test_silence_takes_defaults_only_where_every_field_has_one() -> None:
    """And never one that says yes."""
    fields: list[Json] = [
        {"id": "env", "choices": ["a", "b"], "default": "a", "required": True},
        {"id": "note", "required": False},
        {"id": "dry", "input_type": "boolean", "default": False},
    ]
    prompt = ask(fields, on_timeout="default")

    assert BLOCK.expire(prompt) == Completed({"values": {"env": "a", "note": None, "dry": False}})
    assert isinstance(BLOCK.expire(ask(fields)), Failed)
    assert BLOCK.expire(ask(fields, on_timeout="reject")) == Rejected({})
    assert problems(fields=FIELDS, on_timeout="default") == (
        InputProblem(("on_timeout",), "'on_timeout: default' needs a 'default' of the field 'env'"),
        InputProblem(
            ("on_timeout",), "'on_timeout: default' would take silence for a yes in the field 'verbose'"
        ),
    )


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ([], "'fields' holds 0 fields; a form has 1 to 100"),
        ({}, "'fields' holds 0 fields"),
        ([{"id": f"f{number}"} for number in range(101)], "'fields' holds 101 fields"),
        ("env", "'fields' must be a list of fields, or a mapping of ids to fields, not 'env'"),
        (["env"], "'fields' has, as field 1, 'env'; it must be a mapping with an 'id'"),
        ([{"label": "x"}], "'fields' has, as field 1, a mapping; it must be a mapping with an 'id'"),
        ({"env": "x"}, "'fields' has, as field 'env', 'x'; it must be a mapping like {label: ...}"),
        ({"env": {"id": "x"}}, "'fields' has an 'id' in field 'env', which has its id already"),
        ([{"id": "a"}, {"id": "a"}], "'fields' has the id 'a' twice"),
        ([{"id": "a=b"}], "'fields' has the id 'a=b'; an id is 1 to 64 letters, digits, - and _"),
        ([{"id": 5}], "'fields' has the id 5; an id is"),
        ([{"id": "a", "label": " "}], "field 'a': 'label' must not be empty"),
        ([{"id": "a", "label": "x" * 4_001}], "field 'a': 'label' has 4,001 characters; at most 4,000"),
        ([{"id": "a", "choices": []}], "field 'a': 'choices' must hold at least one choice"),
        ([{"id": "a", "show": []}], "field 'a': unknown input 'show'"),
        ([{"id": "a", "default": "x", "max_length": 0}], "field 'a': 'max_length' must be at least 1"),
    ],
)
def test_a_form_that_nobody_can_fill_in_is_refused(fields: Json, message: str) -> None:
    """In the file, and in the same words when the fields came from data."""
    assert problems(fields=fields)[0].message.startswith(message)
    with pytest.raises(InputsError) as caught:
        ask(fields)
    assert message in str(caught.value)


def test_every_fault_of_every_field_has_its_place() -> None:
    """So that the loader can name the line; a reference hides only what it stands for."""
    fields: list[Json] = [
        {"id": "env", "choices": "${plan.envs}", "requird": True},
        {"id": "count", "input_type": "integer", "min": "x"},
    ]

    assert [(problem.path, problem.message) for problem in problems(fields=fields)] == [
        (("fields", 0, "requird"), "field 'env': unknown input 'requird' (did you mean 'required'?)"),
        (
            ("fields", 1, "min"),
            "field 'count': 'min' must be a number, not 'x' (with input_type date: a date as YYYY-MM-DD)",
        ),
    ]
    assert problems(fields="${plan.result}") == ()
    assert problems(fields=["${plan.first}", {"id": "a", "typo": 1}]) == ()
    assert problems(fields={"a": {"min": "${x}", "input_type": "integer"}, "b": {"typo": 1}})[0].path == (
        "fields",
        "b",
        "typo",
    )


def test_questions_from_outside_are_only_text() -> None:
    """Markup and long lines included; they are asked as they are."""
    label = "[b]Deploy[/b] \x1b[2J " + "x" * 2_000
    given: JsonObject = {"fields": [{"id": "q1", "question": label}]}

    assert BLOCK.ask(given).text == f"Fill in: {label}"
