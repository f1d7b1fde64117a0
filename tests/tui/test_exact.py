"""Values as a field shows and takes them: whatever a text holds, it comes back as it was."""

import json
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidegate.history.document import MISSING
from tidegate.safe_text import safe_line
from tidegate.tui.present.exact import exact_json, field_text, shell_word, shown_pair, typed_value

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner),
    max_leaves=8,
)


@given(TEXTS)
def test_a_text_comes_back_as_it_was(text: str) -> None:
    """What nobody touches is the very same text, whether a field can show it or not."""
    shown = field_text(text)
    value, _ = typed_value(shown.text, is_quoted=shown.is_quoted)
    assert value == text


@given(VALUES)
def test_json_is_exact_and_safe_to_draw(value: object) -> None:
    """It reads back as the same value, on one line that steers no terminal."""
    shown = exact_json(value)  # type: ignore[arg-type]  # what the strategy makes is JSON
    assert json.loads(shown) == value
    assert safe_line(shown) == shown


@pytest.mark.parametrize(
    "text", ["plain", "two\nlines", "ümlaut 漢字", "❤️ 👩‍🚀", '"quoted"', "back\\slash", ""]
)
def test_what_can_be_seen_is_shown_as_it_is(text: str) -> None:
    """Quotes and backslashes in it mean nothing, and are typed as they are."""
    assert field_text(text).text == text
    assert not field_text(text).is_quoted
    assert typed_value(text, is_quoted=False) == (text, True)


@pytest.mark.parametrize(
    "text", ["a\tb", "\x1b[31m", "a\rb", "\x07", "zero\u200bwidth", "\u202eturned", "a\u0308" * 20]
)
def test_what_cannot_be_seen_is_written_out(text: str) -> None:
    """As JSON writes it, so that it can be read and typed."""
    shown = field_text(text).text
    assert field_text(text).is_quoted or shown == text
    assert safe_line(shown) == shown
    assert typed_value(shown, is_quoted=True)[0] == text


def test_a_faulty_text_in_quotes_is_refused_with_its_place() -> None:
    """Rather than taken with its quotes."""
    with pytest.raises(ValueError, match="begins with a double quote, and is no text as JSON writes it"):
        typed_value('"open', is_quoted=True)
    with pytest.raises(ValueError, match="no text as JSON writes it"):
        typed_value('"a" and more', is_quoted=True)


def test_long_values_are_shown_from_where_they_differ() -> None:
    """Whoever compares them must not find two texts that look the same."""
    before, after = shown_pair("x" * 500 + "old", "x" * 500 + "new")
    assert before != after
    assert before.endswith('old"')
    assert after.endswith('new"')
    assert shown_pair(MISSING, 3) == ("(nothing)", "3")


@pytest.mark.parametrize(
    "text", ["plain", "two words", "it's", "a\tb\nc", "\x1b[31m", "\u202e'\\", "\U000e0041"]
)
def test_a_word_of_a_command_is_what_it_stands_for(text: str) -> None:
    """As a shell reads it; and it is safe to draw."""
    word = shell_word(text)
    assert safe_line(word) == word
    done = subprocess.run(
        ["bash", "-c", f"printf %s {word}"], capture_output=True, env={"LC_ALL": "C.UTF-8"}, check=True
    )
    assert done.stdout.decode() == text
