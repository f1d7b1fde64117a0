"""Template, Wait and ExecuteWorkflow: small, and without any effect of their own."""

from pathlib import Path

import pytest

from blocks.running import KeptContext
from tidegate.blocks.base import Completed, Failed
from tidegate.blocks.execute_workflow import ExecuteWorkflow
from tidegate.blocks.template import Template
from tidegate.blocks.wait import Wait
from tidegate.errors import InputsError
from tidegate.model.base import Json, JsonObject
from tidegate.model.duration import parse_duration
from tidegate.model.policy import FailureKind
from tidegate.model.workflow import Effect

NOW = 1_800_000_000.0
"""2027-01-15T08:00:00Z."""

# -- Template ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("inputs", "outputs"),
    [
        ({"template": "  a\n\n"}, {"text": "  a\n\n"}),
        ({"template": ""}, {"text": ""}),
        ({"template": 1.5}, {"text": "1.5"}),
        ({"template": True}, {"text": "true"}),
        ({"template": '{"a": 1}', "format": "json"}, {"text": '{"a": 1}', "result": {"a": 1}}),
        (
            {"template": {"a": [1]}, "format": "json"},
            {"text": '{\n  "a": [\n    1\n  ]\n}', "result": {"a": [1]}},
        ),
        ({"template": None, "format": "json"}, {"text": "null", "result": None}),
    ],
)
async def test_a_template_is_its_text(inputs: JsonObject, outputs: JsonObject) -> None:
    """Nothing is trimmed; as JSON, any value is written as a document."""
    result = await Template().run(inputs, KeptContext(Path("/")))

    assert result == Completed(outputs)


@pytest.mark.parametrize(
    ("inputs", "kind", "message"),
    [
        (
            {"template": {"a": 1}},
            FailureKind.INPUTS,
            "'template' must be text, not a mapping: `format: json` takes",
        ),
        ({"template": None}, FailureKind.INPUTS, "'template' must be text, not empty"),
        ({}, FailureKind.INPUTS, "'template' is required"),
        ({"template": "{", "format": "json"}, FailureKind.OUTPUTS, "the text is no JSON document: "),
    ],
)
async def test_what_is_no_text_is_refused(inputs: JsonObject, kind: FailureKind, message: str) -> None:
    """With the way to have it as JSON."""
    result = await Template().run(inputs, KeptContext(Path("/")))

    assert isinstance(result, Failed)
    assert result.failure.kind is kind
    assert result.failure.message.startswith(message)


def test_a_template_changes_nothing() -> None:
    """And a person recognises it by its first line."""
    assert Template.spec.effect is Effect.PURE
    assert Template().summary({"template": "\n one\ntwo"}) == "one"
    assert len(Template().summary({"template": "x" * 999})) == 200


# -- Wait -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("inputs", "seconds"),
    [
        ({"duration": "200ms"}, 0.2),
        ({"duration": "1h30m"}, 5400),
        ({"duration": 0.3}, 0.3),
        ({"duration": " 2 "}, 2),
        ({"duration": 0}, 0),
        ({"until": "2027-01-15T08:00:10Z"}, 10),
        ({"until": "2027-01-15T09:01:00+01:00"}, 60),
        ({"until": "1999-01-01T00:00:00Z"}, 0),
        ({"until": "9999-12-31T23:59:59Z"}, 3650 * 86400),
    ],
)
def test_a_wait_ends_at_an_instant(inputs: JsonObject, seconds: float) -> None:
    """An instant in the past is over at once; none is further off than ten years."""
    assert Wait().until(inputs, NOW) == pytest.approx(NOW + seconds)


@pytest.mark.parametrize(
    ("inputs", "problem"),
    [
        ({}, "'duration' or 'until' is required"),
        ({"duration": 1, "until": "2027-01-15T08:00:10Z"}, "'duration' and 'until' are both given"),
        ({"duration": "soon"}, "'duration' is wrong: 'soon' is no time: write seconds, or like 90s, 5m"),
        ({"duration": -1}, "'duration' is wrong: '-1' must be at least 0 and at most 3650d"),
        ({"duration": "9999d"}, "must be at least 0 and at most 3650d"),
        ({"duration": "nan"}, "'nan' is no time"),
        ({"duration": True}, "'duration' must be seconds, or like 90s, 5m, 2h, not true"),
        (
            {"until": "2027-01-15T08:00:10"},
            "which is another instant in every time zone: add Z, or like +01:00",
        ),
        ({"until": "2027-01-15"}, "which is another instant in every time zone"),
        ({"until": "tomorrow"}, "'until' must be an instant like 2030-01-31T08:00:00+01:00, not 'tomorrow'"),
        ({"until": 5}, "'until' must be an instant"),
    ],
)
def test_a_wait_without_an_end_is_refused(inputs: JsonObject, problem: str) -> None:
    """Before the run where it is written out, and by the block where it came from a reference."""
    with pytest.raises(InputsError) as raised:
        Wait().until(inputs, NOW)

    assert problem in str(raised.value)
    assert problem in Wait.spec.check(inputs, lambda _: False)[0].message


def test_a_wait_tells_how_long_it_took() -> None:
    """By the engine's clock; a clock that went back makes no negative time."""
    assert Wait().elapsed(NOW, NOW + 1.25) == {"waited_s": 1.25, "until": "2027-01-15T08:00:01.250Z"}
    assert Wait().elapsed(NOW, NOW - 5)["waited_s"] == 0


@pytest.mark.parametrize(
    ("inputs", "summary"),
    [
        ({"duration": "5m"}, "5m"),
        ({"duration": 90}, "90 s"),
        ({"until": "2027-01-15T08:00:10Z"}, "until 2027-01-15T08:00:10Z"),
    ],
)
def test_a_person_sees_what_is_waited_for(inputs: JsonObject, summary: str) -> None:
    """In the words of the file."""
    assert Wait().summary(inputs) == summary


@pytest.mark.parametrize(
    ("text", "seconds"), [("90", 90.0), ("1.5", 1.5), ("1e2", 100.0), ("1d", 86400.0), ("1m500ms", 60.5)]
)
def test_a_duration_is_seconds_or_units(text: str, seconds: float) -> None:
    """The same rule for every place of a file."""
    assert parse_duration(text) == seconds


@pytest.mark.parametrize("text", ["", "0", "-1", "1 h", "1h 30m", "5min", "inf", "1_000", "٣", "3651d"])
def test_what_is_no_duration_is_refused(text: str) -> None:
    """Nothing is guessed."""
    with pytest.raises(ValueError, match=r"no time: write seconds|must be more than 0 and at most 3650d"):
        parse_duration(text)


# -- ExecuteWorkflow --------------------------------------------------------------------------


def test_a_call_names_a_workflow_and_passes_inputs() -> None:
    """The loader knows which input names it."""
    given: JsonObject = {"workflow": "release", "inputs": {"a": 1}}

    assert ExecuteWorkflow().call(given) == ("release", {"a": 1})
    assert ExecuteWorkflow().call({"workflow": "release"}) == ("release", {})
    assert ExecuteWorkflow.spec.calls == "workflow"
    assert ExecuteWorkflow.spec.open_outputs


@pytest.mark.parametrize(
    ("workflow", "inputs", "problem"),
    [
        ("", {}, "'workflow' must be the name of a workflow, not ''"),
        (["x"], {}, "'workflow' must be the name of a workflow, not a list"),
        ("x", [], "'inputs' must be a mapping of names to values, not a list"),
    ],
)
def test_a_call_of_nothing_is_refused(workflow: Json, inputs: Json, problem: str) -> None:
    """With what would be right."""
    with pytest.raises(InputsError, match=problem):
        ExecuteWorkflow().call({"workflow": workflow, "inputs": inputs})
