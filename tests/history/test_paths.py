"""Paths: what a person writes, and what it means."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidegate.history.paths import any_of, parse_path, path_text, split_assignment


@given(st.lists(st.text(max_size=8), max_size=5))
def test_a_path_is_read_back_as_it_was_written(names: list[str]) -> None:
    """Whatever the names are."""
    assert parse_path(path_text(tuple(names))) == tuple(names)


def test_names_stand_as_they_are_unless_that_would_be_misread() -> None:
    """Places with brackets need no quotes, one with a dot does; positions are digits."""
    assert path_text(("blocks", "each[red]", "outputs", "result", 3)) == "blocks.each[red].outputs.result.3"
    assert path_text(("blocks", "each[a.b]", "status")) == 'blocks."each[a.b]".status'
    assert parse_path('state."two words"') == ("state", "two words")


@pytest.mark.parametrize("text", ["a..b", ".a", "a.", '"a', 'a"b', "a b", "a=1", '"a"b', '"\\q"'])
def test_what_is_no_path_is_refused_saying_where(text: str) -> None:
    """And how a path is written."""
    with pytest.raises(ValueError, match="is no path"):
        parse_path(text)


@given(st.lists(st.text(max_size=8), min_size=1, max_size=4), st.text(max_size=8))
def test_a_value_follows_its_path_whatever_the_names_are(names: list[str], value: str) -> None:
    """A name in quotes may hold what stands between them."""
    written = path_text(tuple(names))

    assert split_assignment(f"{written}={value}") == (written, value)
    assert split_assignment(written) == (written, None)


@pytest.mark.parametrize(
    ("text", "path", "value"),
    [
        ('inputs.m."x=y"=9', 'inputs.m."x=y"', "9"),
        ('inputs.m."a\\"=b"=7=8', 'inputs.m."a\\"=b"', "7=8"),
        ('inputs.note=say "a=b"', "inputs.note", 'say "a=b"'),
        ("inputs.note=", "inputs.note", ""),
        ('inputs."x=9', 'inputs."x', "9"),
    ],
)
def test_a_value_begins_where_the_path_ends(text: str, path: str, value: str) -> None:
    """Quotes are those of names; in a value they are part of it. One that is not closed is the path's fault."""
    assert split_assignment(text) == (path, value)


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("blocks.*.started_at", "blocks.each[a].started_at", True),
        ("blocks.*.started_at", "blocks.build.outputs.started_at", False),
        ("blocks.build", "blocks.build.outputs.stdout", True),
        ("blocks.build", "blocks.builder.status", False),
        ("blocks.each[a]", "blocks.each[a].status", True),
        ("blocks.each[*]", "blocks.each[red].status", True),
        ("blocks.each[*]", "blocks.each.status", False),
        ("**.stamp", "blocks.b.outputs.result.stamp", True),
        ("**.stamp", "stamp", True),
        ("state.item_?", "state.item_7", True),
        ("state.item_?", "state.item_77", False),
        ("state", "inputs.state", False),
    ],
)
def test_a_pattern_names_paths_and_what_is_below_them(pattern: str, path: str, expected: bool) -> None:
    """Each part by itself; brackets are part of a name."""
    assert any_of([parse_path(pattern)])(parse_path(path)) is expected


def test_no_patterns_name_nothing() -> None:
    """Then nothing is ignored."""
    assert not any_of([])(("a",))
