"""What a run may be started with."""

import pytest

from tidegate.errors import InputsError
from tidegate.model.base import Json
from tidegate.workflows.run_inputs import validate_inputs
from workflows.small_catalog import load

WORKFLOW = load("""
name: w
inputs:
  country: {type: string, description: Where}
  count: {type: integer, default: 2}
  ratio: {type: number, required: false}
  go: {type: boolean, required: false}
  tags: {type: list, required: false}
  extra: {type: map, required: false}
  stage: {type: choice, options: [staging, production], default: staging}
blocks: [{id: a, type: Python}]
""")


def test_defaults_are_filled_in() -> None:
    """Every declared input has a value; one that is optional and not given is null."""
    assert validate_inputs(WORKFLOW, {"country": "NO"}, from_text=False) == {
        "country": "NO",
        "count": 2,
        "ratio": None,
        "go": None,
        "tags": None,
        "extra": None,
        "stage": "staging",
    }


@pytest.mark.parametrize("text", ["NO", "true", "007", "1.10", " x ", "", "null", "[1]"])
def test_text_for_a_string_stays_as_it_was_typed(text: str) -> None:
    """Nothing is read into it."""
    assert validate_inputs(WORKFLOW, {"country": text}, from_text=True)["country"] == text


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("count", "3", 3),
        ("count", " -4 ", -4),
        ("ratio", "1.5", 1.5),
        ("ratio", "2", 2),
        ("go", "true", True),
        ("go", "false", False),
        ("tags", '["a", 1]', ["a", 1]),
        ("extra", '{"a": null}', {"a": None}),
    ],
)
def test_text_for_another_type_is_read_as_that(name: str, text: str, value: Json) -> None:
    """As on a command line."""
    found = validate_inputs(WORKFLOW, {"country": "x", name: text}, from_text=True)[name]

    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("name", "value", "from_text", "problem"),
    [
        ("count", "3", False, "the input 'count' is \"3\", expected a whole number"),
        ("count", "three", True, "expected a whole number"),
        ("count", "3.0", True, "expected a whole number"),
        ("count", "٣", True, "expected a whole number"),
        ("count", "9" * 30, True, "expected a whole number"),
        ("count", "9" * 5000, True, "expected a whole number"),
        ("count", True, False, "expected a whole number"),
        ("ratio", "NaN", True, "expected a number"),
        ("ratio", float("inf"), False, "expected a number"),
        ("go", "yes", True, "expected true or false"),
        ("go", "True", True, "expected true or false"),
        ("tags", "a,b", True, "expected a list"),
        ("tags", "[" * 100_000, True, "expected a list"),
        ("extra", "[]", True, "expected a mapping"),
        ("stage", "stagin", True, "expected one of staging, production (did you mean 'staging'?)"),
        ("stage", "STAGING", False, "did you mean 'staging'"),
        ("contry", "x", False, "there is no input 'contry' (did you mean 'country'?)"),
        ("zzz", "x", False, "there is no input 'zzz'; it takes country, count"),
        ("country", "\udcff", False, "no valid text"),
    ],
)
def test_what_does_not_fit_is_named(name: str, value: Json, from_text: bool, problem: str) -> None:  # a case
    """With what is expected."""
    with pytest.raises(InputsError) as caught:
        validate_inputs(WORKFLOW, {"country": "x", name: value}, from_text=from_text)

    assert len(caught.value.problems) == 1
    assert problem in caught.value.problems[0]


def test_all_problems_are_named_at_once() -> None:
    """Nobody wants to find them one by one."""
    with pytest.raises(InputsError) as caught:
        validate_inputs(WORKFLOW, {"x": 1, "count": "a", "country": None}, from_text=True)

    assert [problem[:24] for problem in caught.value.problems] == [
        "there is no input 'x'; i",
        "the input 'country' is m",
        "the input 'count' is \"a\"",
    ]
    assert "(Where)" in caught.value.problems[1]


def test_a_workflow_that_takes_nothing_says_so() -> None:
    """Instead of an empty list."""
    bare = load("name: w\nblocks: [{id: a, type: Python}]")

    with pytest.raises(InputsError, match="there is no input 'x'; it takes none"):
        validate_inputs(bare, {"x": "y"}, from_text=True)


def test_inputs_together_are_bounded() -> None:
    """A program, or a client of MCP, may send whatever it has; every reader of the run reads it again."""
    with pytest.raises(
        InputsError, match="more than 16,777,216 bytes of JSON: pass the path of a file instead"
    ):
        validate_inputs(WORKFLOW, {"country": "x" * 9_000_000, "tags": ["y" * 9_000_000]}, from_text=False)
