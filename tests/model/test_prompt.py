"""What counts as an answer."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidegate.errors import InvalidAnswer
from tidegate.model.prompt import (
    ChoicePrompt,
    ConfirmPrompt,
    Evidence,
    InputKind,
    InputPrompt,
    RecoveryPrompt,
    describe_value,
)

CONFIRM = ConfirmPrompt(message="Deploy?")
CHOICE = ChoicePrompt(question="Where?", choices=("nonprod", "prod", "prod-eu", "no", "not now", "Prod team"))
TICKET = InputPrompt(prompt="Ticket?", validation_pattern=r"[A-Z]{3}-\d+", max_length=20)
COUNT = InputPrompt(prompt="How many?", input_type=InputKind.INTEGER, min=1, max=10)
RATE = InputPrompt(prompt="Rate?", input_type=InputKind.NUMBER)
RECOVERY = RecoveryPrompt(block="deploy", attempt=1, evidence=Evidence(started_at=0.0))


@pytest.mark.parametrize("raw", ["yes", "Y", "true", "confirm", "approve", "approved", "ok", " Yes\n"])
def test_yes_in_all_its_words(raw: str) -> None:
    """Case and blanks around do not matter."""
    assert CONFIRM.parse(raw) is True


@pytest.mark.parametrize("raw", ["no", "N", "false", "deny", "denied", "reject", "rejected"])
def test_no_in_all_its_words(raw: str) -> None:
    """A clear no is no."""
    assert CONFIRM.parse(raw) is False


@pytest.mark.parametrize("raw", ["", " ", "maybe", "yes please", "1", "0", "ye", "nope"])
def test_anything_unclear_is_refused_and_never_a_no(raw: str) -> None:
    """Silence is no answer."""
    with pytest.raises(InvalidAnswer, match="yes or no"):
        CONFIRM.parse(raw)


@pytest.mark.parametrize(
    ("raw", "choice"),
    [
        ("prod", "prod"),
        (" prod ", "prod"),
        ("prod\n", "prod"),
        ("no", "no"),
        ("1", "nonprod"),
        ("6", "Prod team"),
    ],
)
def test_a_choice_is_its_exact_text_or_its_number(raw: str, choice: str) -> None:
    """Blanks around it are dropped; numbers count from 1, as shown."""
    assert CHOICE.parse(raw) == choice


@pytest.mark.parametrize("raw", ["PROD", "pro", "not", "", " ", "0", "7", "²", "-1", "1.0"])
def test_a_near_miss_is_no_choice(raw: str) -> None:
    """Nothing is guessed: a wrong deploy costs more than a second question."""
    with pytest.raises(InvalidAnswer, match="type one of nonprod, prod"):
        CHOICE.parse(raw)


def test_a_choice_that_is_itself_a_number_stays_reachable() -> None:
    """Text comes before number."""
    prompt = ChoicePrompt(question="How many?", choices=("3", "2", "1"))

    assert prompt.parse("1") == "1"


def test_text_arrives_exactly_as_typed() -> None:
    """Blanks included; only the rules decide."""
    prompt = InputPrompt(prompt="Note?")

    assert prompt.parse("  two blanks ") == "  two blanks "


@pytest.mark.parametrize(
    ("raw", "rule"),
    [
        ("ABC-12\nrm", "line break"),
        ("ABC-12\n", "line break"),
        ("xABC-12x", "must match"),
        ("ABC-\u0664\u0662", "must match"),
        ("ABC-12345678901234567", "at most 20"),
        ("", "an answer is needed"),
        ("ABC-\x00", "NUL"),
        ("x" * 1_000_000, "1,000,000 characters"),
        ("ABC-\ud800", "surrogate"),
    ],
)
def test_a_refusal_names_the_rule(raw: str, rule: str) -> None:
    """The whole value must match, and digits are 0 to 9."""
    with pytest.raises(InvalidAnswer, match=rule):
        TICKET.parse(raw)


def test_a_pattern_with_anchors_lets_no_line_break_through() -> None:
    """`^a$` in Python matches before a trailing line break; here it does not."""
    prompt = InputPrompt(prompt="?", validation_pattern="^a$", multiline=True)

    assert prompt.parse("a") == "a"
    with pytest.raises(InvalidAnswer):
        prompt.parse("a\n")


@pytest.mark.parametrize(("raw", "value"), [("5", 5), (" 5 ", 5), ("+5", 5), ("10", 10)])
def test_a_whole_number(raw: str, value: int) -> None:
    """Blanks around a number are dropped."""
    assert COUNT.parse(raw) == value


@pytest.mark.parametrize("raw", ["3.0", "1e1", "\u0665", "0", "11", "five", "", "1_0", "9" * 5000])
def test_what_is_no_whole_number_in_range(raw: str) -> None:
    """The rule that is told names the range."""
    with pytest.raises(InvalidAnswer, match="a whole number from 1 to 10"):
        COUNT.parse(raw)


@pytest.mark.parametrize("raw", ["nan", "inf", "1e999", "0x10", "1,5"])
def test_a_number_is_finite_and_plain(raw: str) -> None:
    """What a journal cannot hold as a number is no number."""
    with pytest.raises(InvalidAnswer, match="a number"):
        RATE.parse(raw)


def test_an_optional_input_may_be_left_empty() -> None:
    """Then it is the empty text, or the default where there is one."""
    assert InputPrompt(prompt="?", required=False).parse("") == ""
    assert InputPrompt(prompt="?", default="eu").parse("") == "eu"


def test_recovery_takes_an_action_and_done_takes_outputs() -> None:
    """Outputs are a JSON object, and belong to done alone."""
    assert RECOVERY.parse("rerun") == {"action": "rerun"}
    assert RECOVERY.parse('done {"exit_code": 0}') == {"action": "done", "outputs": {"exit_code": 0}}
    for raw in ("", "yes", "rerun now", "done [1]", "done {"):
        with pytest.raises(InvalidAnswer):
            RECOVERY.parse(raw)


def test_the_outputs_of_done_are_those_of_the_block() -> None:
    """A name it does not have, or a value of another type, would fail the run later."""
    prompt = RECOVERY.evolve(outputs={"stdout": "string", "exit_code": "integer", "result": "any"})
    assert prompt.parse('done {"stdout": "5", "result": [1]}') == {
        "action": "done",
        "outputs": {"stdout": "5", "result": [1]},
    }
    with pytest.raises(InvalidAnswer, match="no output 'stdot': it has exit_code, result, stdout"):
        prompt.parse('done {"stdot": "5"}')
    for raw in ('done {"stdout": 5}', 'done {"exit_code": true}'):
        with pytest.raises(InvalidAnswer, match=r"is a (string|integer)"):
            prompt.parse(raw)


@given(st.text())
def test_no_text_breaks_a_prompt(raw: str) -> None:
    """Whatever is typed is a value or a refusal."""
    for prompt in (CONFIRM, CHOICE, TICKET, COUNT, RATE, RECOVERY):
        with contextlib.suppress(InvalidAnswer):
            assert isinstance(describe_value(prompt.parse(raw)), str)
