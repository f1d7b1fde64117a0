"""Which of its two readings an unquoted scalar gets."""

import pytest

from tidegate.workflows.yaml_nodes import BadValue, Data, Plain, as_text, as_value


@pytest.mark.parametrize(("text", "value"), [("1.10", 1.1), ("0777", 777), ("1e3", 1000.0), ("0x1F", 31)])
def test_where_text_is_expected_a_number_is_its_text(text: str, value: float) -> None:
    """A version 1.10 is not the version 1.1."""
    assert as_text(Plain(text, value)) == text


@pytest.mark.parametrize(
    ("text", "value"), [("1.10", 1.1), ("0777", 777), ("1e3", 1000.0), ("0x1F", 31), ("-0", 0)]
)
def test_where_any_value_is_expected_such_a_number_stops_the_load(text: str, value: float) -> None:
    """Nobody can know whether the number or its text was meant."""
    with pytest.raises(BadValue, match=f"the number {text} would become .*: quote it, like '{text}'"):
        as_value(Plain(text, value))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", 0),
        ("7", 7),
        ("-3", -3),
        ("1.5", 1.5),
        ("2.0", 2.0),
        ("true", True),
        ("False", False),
        ("~", None),
    ],
)
def test_a_plain_number_stays_a_number(text: str, value: float | None) -> None:
    """It comes back as it was written; true, false and null have one meaning in all their spellings."""
    assert as_value(Plain(text, value)) is value


@pytest.mark.parametrize(
    "data", [Plain("true", value=True), Plain("null", None), Plain("", None), [], {"a": "b"}]
)
def test_text_is_nothing_else(data: Data) -> None:
    """What is no text is named, with what to do."""
    with pytest.raises(BadValue, match="expected text"):
        as_text(data)


def test_the_place_of_a_bad_value_is_kept() -> None:
    """It may be deep inside a value."""
    with pytest.raises(BadValue) as caught:
        as_value({"a": ["x", {"b": Plain("1.10", 1.1)}]})

    assert caught.value.path == ("a", 1, "b")


def test_a_number_that_no_journal_can_hold_is_refused() -> None:
    """64 bits are what every reader of a journal keeps exactly."""
    with pytest.raises(BadValue, match="too large"):
        as_value(Plain(str(2**63), 2**63))
