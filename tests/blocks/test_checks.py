"""What a person who writes a workflow is told about a block's inputs, before the run and in it."""

import pytest

from tidegate.blocks.checks import parse_inputs
from tidegate.blocks.registry import BUILTIN, catalog
from tidegate.blocks.shell_inputs import ShellInputs
from tidegate.errors import InputsError
from tidegate.model.base import Json
from tidegate.model.catalog import InputProblem


def holds(value: Json) -> bool:
    """Tell a text with a reference in it, as the loader does."""
    return isinstance(value, str) and "${" in value


def problems(block_type: str, **inputs: Json) -> tuple[InputProblem, ...]:
    """Return what is wrong with *inputs* as a file has them."""
    given = {name.replace("__", "-"): value for name, value in inputs.items()}
    return catalog()[block_type].check(given, holds)


def messages(block_type: str, **inputs: Json) -> list[str]:
    """Return only what is said."""
    return [problem.message for problem in problems(block_type, **inputs)]


def test_an_unknown_input_names_the_nearest() -> None:
    """A typo is found before anything runs, and its place is the key itself."""
    assert problems("Shell", command="true", working__dir="x") == (
        InputProblem(("working-dir",), "unknown input 'working-dir' (did you mean 'working_dir'?)"),
    )


def test_an_input_like_no_other_gets_the_list() -> None:
    """What there is, in the order of the documentation."""
    assert messages("Shell", command="true", zzz=1) == [
        "unknown input 'zzz' (it takes command, continue-on-error, env, working_dir, stdin, parse, shell)"
    ]


def test_a_missing_input_has_no_place_of_its_own() -> None:
    """It is wrong with the inputs as a whole."""
    assert problems("Shell") == (InputProblem((), "'command' is required"),)


def test_a_misspelt_required_input_is_told_both_ways() -> None:
    """All that is wrong is said at once."""
    assert messages("Shell", comand="true") == [
        "'command' is required",
        "unknown input 'comand' (did you mean 'command'?)",
    ]


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({"command": ""}, "'command' must not be empty"),
        ({"command": []}, "'command' must start with a program"),
        ({"command": 5}, "'command' must be shell text, or a list of a program and its arguments, not 5"),
        ({"command": ["a", None]}, "'command' must be a list of texts; it holds empty"),
        ({"continue__on__error": "yes"}, "'continue-on-error' must be true or false, not 'yes'"),
        ({"env": ["A=1"]}, "'env' must be a mapping of names to values, not a list"),
        ({"env": {"A": [1]}}, "'env' gives A a list; it must be text, a number or true/false"),
        ({"env": {"A=B": "1"}}, "'env' has 'A=B', which is no name of a variable"),
        ({"working_dir": ["x"]}, "'working_dir' must be text, not a list"),
        ({"parse": "yaml"}, "'parse' must be one of json, lines, not 'yaml'"),
        ({"shell": ""}, "'shell' must be the name or the path of a shell, not ''"),
        ({"command": ["a"], "shell": "bash"}, "'shell' has no effect when 'command' is a list"),
        ({"stdin": {"a": 1}}, "'stdin' must be text, not a mapping"),
    ],
)
def test_a_wrong_value_is_a_sentence(inputs: dict[str, Json], message: str) -> None:
    """It names the input, what it must be and what it is."""
    assert messages("Shell", **{"command": "true", **inputs}) == [message]


def test_both_spellings_at_once_are_refused() -> None:
    """Which one would count is not to be guessed."""
    assert messages("Shell", command="true", continue__on__error=True, continue_on_error=False) == [
        "'continue_on_error' is another spelling of an input that is given too"
    ]


def test_a_value_that_holds_a_reference_is_not_known_yet() -> None:
    """Not even deep inside; and a required input that is a reference is there."""
    inputs: dict[str, Json] = {"command": "${c}", "env": {"A": ["${x}"]}, "parse": "${p}"}

    assert messages("Shell", **inputs) == []


def test_what_is_known_is_checked_beside_a_reference() -> None:
    """One unknown value hides nothing else."""
    assert messages("Shell", command="${c}", parse="yaml", envv={}) == [
        "'parse' must be one of json, lines, not 'yaml'",
        "unknown input 'envv' (did you mean 'env'?)",
    ]


def test_rules_between_inputs_wait_for_all_of_them() -> None:
    """A default cannot be judged by a pattern that is not known yet."""
    known = messages("GetInput", prompt="p", default="x", validation_pattern="y+")
    unknown = messages("GetInput", prompt="p", default="x", validation_pattern="${y}")

    assert known == ["'default' 'x' would not be taken as an answer: must match y+ as a whole"]
    assert unknown == []


@pytest.mark.parametrize(
    ("block_type", "inputs", "message"),
    [
        ("ConfirmOperation", {}, "'message' is required"),
        (
            "ConfirmOperation",
            {"message": " "},
            "'message' must not be empty: a person has to know what is asked",
        ),
        (
            "ConfirmOperation",
            {"message": "m", "on_timeout": "default"},
            "'on_timeout' must be fail or reject: a confirmation has no default, silence never approves",
        ),
        ("ConfirmOperation", {"message": "m", "default": "yes"}, "unknown input 'default' (it takes "),
        ("ConfirmOperation", {"message": "m", "show": "x"}, "'show' must be a list of exhibits"),
        (
            "ConfirmOperation",
            {"message": "m", "details": "x"},
            "'details' must be a mapping of names to values",
        ),
        (
            "ConfirmOperation",
            {"message": "m", "on_reject": "no"},
            "'on_reject' must be one of stop, continue",
        ),
        ("AskChoice", {"question": "q", "choices": []}, "'choices' must hold at least one choice"),
        ("AskChoice", {"question": "q", "choices": "a"}, "'choices' must be a list of texts, not 'a'"),
        ("AskChoice", {"question": "q", "choices": ["a", "a "]}, "'choices' holds 'a ' twice"),
        ("AskChoice", {"question": "q", "choices": ["a", ""]}, "'choices' holds an empty choice"),
        (
            "AskChoice",
            {"question": "q", "choices": [["a"]]},
            "'choices' must be a list of texts; it holds a list",
        ),
        (
            "AskChoice",
            {"question": "q", "choices": ["a", "b"], "default": "c"},
            "'default' must be one of the choices (a, b), not 'c'",
        ),
        (
            "AskChoice",
            {"question": "q", "choices": ["a"], "on_timeout": "default"},
            "'on_timeout: default' needs a 'default'",
        ),
        (
            "AskChoice",
            {"question": "q", "choices": ["a"], "min": 1},
            "'min' has no effect without 'multiple: true'",
        ),
        (
            "GetInput",
            {"prompt": "p", "validation_pattern": "("},
            "'validation_pattern' is no valid pattern: ",
        ),
        (
            "GetInput",
            {"prompt": "p", "validation_pattern": "(?u)a"},
            "'validation_pattern' is no valid pattern: ",
        ),
        (
            "GetInput",
            {"prompt": "p", "validation_pattern": "a{99999999999}"},
            "'validation_pattern' is no valid",
        ),
        ("GetInput", {"prompt": "p", "input_type": "text"}, "'input_type' must be one of string, integer"),
        ("GetInput", {"prompt": "p", "min": 1}, "'min' has no effect on input_type string"),
        (
            "GetInput",
            {"prompt": "p", "input_type": "number", "multiline": True},
            "'multiline' has no effect on input_type number",
        ),
        (
            "GetInput",
            {"prompt": "p", "input_type": "number", "min": 3, "max": 2},
            "'min' (3) must not be above 'max' (2)",
        ),
        ("GetInput", {"prompt": "p", "input_type": "number", "min": "x"}, "'min' must be a number, not 'x'"),
        (
            "GetInput",
            {"prompt": "p", "input_type": "number", "min": True},
            "'min' must be a number, not true",
        ),
        (
            "GetInput",
            {"prompt": "p", "input_type": "number", "max": float("inf")},
            "'max' must be a number, not inf",
        ),
        ("GetInput", {"prompt": "p", "max_length": 0}, "'max_length' must be at least 1"),
        ("GetInput", {"prompt": "p", "max_length": 2.5}, "'max_length' must be a whole number, not 2.5"),
        (
            "GetInput",
            {"prompt": "p", "input_type": "integer", "min": 1, "max": 10, "default": 11},
            "'default' '11' would not be taken as an answer: a whole number from 1 to 10 is asked for",
        ),
        (
            "GetInput",
            {"prompt": "p", "max_length": 2, "default": "abc"},
            "'default' 'abc' would not be taken as an answer: at most 2 characters are taken; this has 3",
        ),
    ],
)
def test_questions_are_checked_before_anybody_is_asked(
    block_type: str, inputs: dict[str, Json], message: str
) -> None:
    """A question that nobody could answer is found when the file is loaded."""
    found = messages(block_type, **inputs)

    assert len(found) == 1
    assert found[0].startswith(message)


def test_rendered_inputs_are_read_by_the_same_rules() -> None:
    """What was a reference before the run is now refused by name."""
    with pytest.raises(InputsError) as caught:
        parse_inputs(ShellInputs, {"command": "true", "parse": "yaml", "x": 1})

    assert caught.value.problems == (
        "'parse' must be one of json, lines, not 'yaml'",
        "unknown input 'x' (it takes command, continue-on-error, env, working_dir, stdin, parse, shell)",
    )


@pytest.mark.parametrize(("value", "flag"), [(True, True), ("true", True), ("false", False)])
def test_text_may_stand_for_true_and_false(value: Json, flag: bool) -> None:
    """A reference to an answer is text; only the two words themselves count."""
    inputs = parse_inputs(ShellInputs, {"command": "true", "continue-on-error": value})

    assert inputs.continue_on_error is flag


def test_a_message_about_a_huge_value_is_bounded() -> None:
    """Nobody wants to read a megabyte to learn that it is wrong."""
    assert len(messages("Shell", command="true", parse="x" * 1_000_000)[0]) < 200


def test_the_catalog_knows_every_type() -> None:
    """By name, with what the loader needs."""
    questions = {"ConfirmOperation", "AskChoice", "GetInput", "AskForm"}
    assert set(catalog()) >= {"Shell", *questions}
    assert all(catalog()[name].type == name for name in catalog())
    assert {name for name, spec in catalog().items() if spec.interactive} == questions
    assert catalog()["Shell"].shell_inputs == {"command"}
    assert BUILTIN["Shell"] is BUILTIN["Shell"]
