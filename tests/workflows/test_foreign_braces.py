"""References in the braces of other tools."""

import pytest

from tidegate.model.base import Json
from tidegate.workflows.expressions import compile_text
from workflows.small_catalog import NAMES, SCOPE, faults_in_block


@pytest.mark.parametrize(
    ("text", "fix"),
    [
        ("Deploy {{ database }}?", "write ${database}"),
        ("Deploy {{database}}?", "write ${database}"),
        ("{{ my-input }}", "write ${my-input}"),
        ("{{ inputs.anything }}", "write ${inputs.anything}"),
        ("{{ blocks.a.stdout }}", "write ${blocks.a.stdout}"),
        ("{{ a.stdout }}", "write ${a.stdout}"),
        ("{{ m.key }}", "write ${m.key}"),
        ("${s} {{ a.stdout ?? 'x' }}", "write ${a.stdout ?? 'x'}"),
    ],
)
def test_a_known_name_in_double_braces_is_a_fault(text: str, fix: str) -> None:
    """A person would be asked about the braces."""
    written: list[Json] = [{"question": text}, {"list": [{"text": text}]}]
    for inputs in written:
        (fault,) = faults_in_block(type="ConfirmOperation", inputs=inputs)
        assert f"this is plain text: {fix}, or" in fault

    (fault,) = faults_in_block(inputs={"command": f'echo "{text}"'})
    assert fix in fault


@pytest.mark.parametrize(
    "text",
    [
        "docker inspect -f '{{.State}}' x",
        "{{ .database }}",
        "{{ range .Items }}{{ end }}",
        "{{ unknown }}",
        "{{ Values.image.tag }}",
        "{{ a }}",
        "{{{ database }}}",
        "{{ }}",
        "{{}}",
        "${{ database }}",
        "$${{ database }}",
        "{ { database } }",
    ],
)
def test_other_braces_are_text(text: str) -> None:
    """They are for the tools that know them."""
    assert faults_in_block(type="ConfirmOperation", inputs={"question": text}) == []


def test_what_is_advised_for_the_braces_gives_the_braces() -> None:
    """The other half of the advice holds, too."""
    assert faults_in_block(inputs={"command": "ls", "note": "${{ '{{' }}database}}"}) == []
    assert compile_text("${{ '{{' }}project}}", NAMES).evaluate(SCOPE) == "{{project}}"


def test_outputs_and_conditions_are_looked_at_too() -> None:
    """Each once, whatever else the braces would be there."""
    assert len(faults_in_block(outputs={"o": "{{ a.stdout }}"})) == 1
    (fault,) = faults_in_block(condition="{{ n }} == 5")
    assert "write ${n}" in fault
