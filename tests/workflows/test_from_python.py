"""A workflow that a program builds."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidegate.errors import DefinitionError
from tidegate.workflows.from_python import workflow_from
from workflows.small_catalog import CATALOG


def build(value: object, key: str = "x") -> object:
    """Return an input of a block after it went through a definition."""
    data = {"name": "w", "blocks": [{"id": "a", "type": "Python", "inputs": {key: value}}]}
    return workflow_from(data, CATALOG, working_dir="/").definition.blocks[0].inputs[key]


@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers(-(2**63), 2**63 - 1)
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(st.characters(codec="utf-8"), max_size=20).filter(lambda text: "${" not in text),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "NO", "1"]), inner),
        max_leaves=6,
    )
)
def test_values_come_through_as_they_are(value: object) -> None:
    """Text stays text, whatever YAML would make of it; numbers keep their types."""
    found = build(value)

    assert found == value
    assert repr(found) == repr(value)


def test_faults_are_those_of_a_file() -> None:
    """All of them, each at its place in the text that was made."""
    data = {"name": "w", "blocks": [{"id": "a", "type": "Pyton", "retry": {"max": "3"}}, {"id": "a"}]}

    with pytest.raises(DefinitionError) as caught:
        workflow_from(data, CATALOG, working_dir="/")

    text = str(caught.value)
    assert "<w>:6:12: block 'a': there is no block type 'Pyton' (did you mean 'Python'?)" in text
    assert "without quotes" in text
    assert "'type' is missing" in text


@pytest.mark.parametrize("value", [object(), {1, 2}, b"x", math.nan, math.inf])
def test_what_no_file_could_hold_is_a_fault(value: object) -> None:
    """No traceback of a library."""
    with pytest.raises(DefinitionError, match="this is no data that a file could hold"):
        build(value)


@pytest.mark.parametrize("value", ["\ud800", "\0", "a\x85b\u2028c", "\ufeff", "\x1b[31m"])
def test_a_hostile_text_is_kept_or_a_fault(value: str) -> None:
    """Never silently another one."""
    try:
        found = build(value)
    except DefinitionError:
        return
    assert found == value


def test_a_list_that_holds_itself_is_a_fault() -> None:
    """It has no end."""
    data: list[object] = []
    data.append(data)

    with pytest.raises(DefinitionError, match="no data that a file could hold"):
        build(data)
