"""What is compared with something that it can never be equal to."""

import pytest

from tidegate.model.base import Json
from workflows.small_catalog import faults_in_block, faults_of

UNLIKE = [
    ("${gate.confirmed} != 'false'", "'confirmed' is a boolean", "write ${gate.confirmed} != false"),
    ("${gate.confirmed} == 'yes'", "never equal to text", "write ${gate.confirmed} == true"),
    ("${gate.confirmed} == 0", "never equal to a number", "write ${gate.confirmed} == false"),
    ("${a.stdout} == 5", "'stdout' is text", "write ${a.stdout} == '5'"),
    ("${a.exit_code} == '0'", "'exit_code' is a number", "write ${a.exit_code} == 0"),
    ("${a.exit_code} == 'none'", "'exit_code' is a number", "write ${a.exit_code} == 0"),
    ("${a.exit_code} != false", "'exit_code' is a number", "write ${a.exit_code} != 0"),
    ("${a.status} == true", "'status' is text", "write ${a.status} == 'true'"),
    ("${flag} == 'true'", "'flag' is a boolean", "write ${flag} == true"),
    ('${flag} == "no"', "'flag' is a boolean", "write ${flag} == false"),
    ("${s} == true", "'s' is text", "write ${s} == 'true'"),
    ("${s} == -5", "'s' is text", "write ${s} == '-5'"),
    ("${n} == '5'", "'n' is a number", "write ${n} == 5"),
    ("${x} == '-1.5'", "'x' is a number", "write ${x} == -1.5"),
    ("${inputs.n} == '5'", "'n' is a number", "write ${inputs.n} == 5"),
    ("${my-input} == 1", "'my-input' is text", "write ${my-input} == '1'"),
    ("${xs} == 's'", "'xs' is a list", "write ('s' in ${xs})"),
    ("${xs} != 's'", "'xs' is a list", "write !('s' in ${xs})"),
    ("${m} == 's'", "'m' is a map", "compare one of its keys"),
    ("${run.id} == 5", "'${run.id}' is text", "write ${run.id} == '5'"),
    ("'false' != ${gate.confirmed}", "'confirmed' is a boolean", "write ${gate.confirmed} != false"),
    ("-5 == ${s}", "'s' is text", "write ${s} == '-5'"),
    ("${flag} && ${n} == '5'", "'n' is a number", "write ${n} == 5"),
    ("${n} == '5' || ${flag}", "'n' is a number", "write ${n} == 5"),
    ("!(${n} == '5')", "'n' is a number", "write ${n} == 5"),
    ("!${flag} == 'true'", "'flag' is a boolean", "write ${flag} == true"),
    ("((${n}) == ('5'))", "'n' is a number", "write ${n} == 5"),
    ("${n} == '5' ? true : false", "'n' is a number", "write ${n} == 5"),
    ("[1].exists(i, i == 1 && ${s} == 5)", "'s' is text", "write ${s} == '5'"),
    ("gate.confirmed != 'false'", "'confirmed' is a boolean", "write gate.confirmed != false"),
    ("blocks['a'].stdout == 5", "'stdout' is text", "write blocks.a.stdout == '5'"),
    ("n == '5'", "'n' is a number", "write n == 5"),
    ("${gate.confirmed ?? false} == 'false'", "'confirmed' is a boolean", "== false"),
]


@pytest.mark.parametrize(("condition", "what", "fix"), UNLIKE)
def test_a_comparison_that_is_never_true_is_a_fault(condition: str, what: str, fix: str) -> None:
    """It would decide the same in every run, and say nothing: a gate would stand open."""
    (fault,) = faults_in_block(condition=condition)

    assert what in fault
    assert fix in fault


@pytest.mark.parametrize(
    "condition",
    [
        "${gate.confirmed} == false",
        "${gate.confirmed} != null && ${s} != null",
        "${a.stdout} == '5'",
        "${x} == 5 && ${n} == 5.0 && ${n} == -5",
        "${s} == 'a' && 'b' != ${s} && ${s} != ''",
        "${raw.anything} == 5 || ${raw.anything} == '5'",
        "${a.own} == 5",
        "${m.key} == 5 && ${xs[0]} == 'a'",
        "size(${s}) == 5 && size(${xs}) != 0",
        "int(${s}) == 5 && string(${n}) == '5'",
        "string(${n} + 1) == '6' && 1 + ${n} == 5",
        "${s}.size() == 5 && 5 == ${s}.size()",
        "${s} + '5' == 'x5'",
        "('a' == ${s}) == true && (${s} == 'a') != false",
        "(${flag} ? 'a' : 'b') == 'a'",
        "${gate.confirmed ?? 'unasked'} == 'unasked'",
        "${n} - 1 == 5 && 5 == ${n} - 1",
        "${xs}.exists(flag, flag == 'a')",
        "${s} == 'n == 5'",
        "'s' in ${xs}",
    ],
)
def test_a_comparison_that_may_be_true_is_none(condition: str) -> None:
    """What is computed, chosen or not known before the run is not judged; null is never wrong."""
    assert faults_in_block(condition=condition) == []


def test_expressions_in_texts_and_commands_are_looked_at_too() -> None:
    """They fail open just the same."""
    inputs: dict[str, Json] = {"command": "echo ${{ ${n} == '5' }}", "note": "x ${{ s == true ? 'a' : 'b' }}"}
    faults = faults_in_block(inputs=inputs, outputs={"o": "${{ gate.confirmed == 'no' }}"})

    assert len(faults) == 3
    assert all("never equal" in fault for fault in faults)


def test_the_place_is_the_reference() -> None:
    """And its block is named."""
    text = "name: w\ninputs: {n: integer}\nblocks:\n  - {id: b, type: Python, condition: \"${n} == '5'\"}\n"

    assert faults_of(text)[0].startswith("4:39: block 'b': ${n}: 'n' is a number")


def test_an_input_whose_declaration_is_wrong_is_not_judged() -> None:
    """Its type is what the file will say once the other fault is mended."""
    text = "name: w\ninputs: {n: integr}\nblocks:\n  - {id: b, type: Python, condition: '${n} == 5'}\n"

    assert len(faults_of(text)) == 1


@pytest.mark.parametrize(
    ("condition", "hint"),
    [
        ("${a.status} == 'success'", "'success' is no status of a block (did you mean 'succeeded'?)"),
        ("'Failed' != ${a.status}", "(did you mean 'failed'?)"),
        ("${a.status ?? 'success'} == 'success'", "(did you mean 'succeeded'?)"),
        ("a.status == 'done'", "(did you mean 'succeeded'?)"),
        ("${a.status} == ''", "; there is pending, running"),
        ("${a.status} == 'zzz'", "; there is pending, running"),
    ],
)
def test_a_word_that_is_no_status_is_a_fault(condition: str, hint: str) -> None:
    """No block will ever stand there."""
    (fault,) = faults_in_block(condition=condition)

    assert hint in fault


@pytest.mark.parametrize(
    "word",
    [
        "pending",
        "running",
        "paused",
        "succeeded",
        "failed",
        "skipped",
        "rejected",
        "cancelled",
        "interrupted",
    ],
)
def test_every_status_may_be_compared_with(word: str) -> None:
    """And the word means nothing to another output."""
    assert faults_in_block(condition=f"${{a.status}} == '{word}' || ${{a.stdout}} == 'success'") == []
