"""Differences between two trees: complete, the same from both sides, and as small as they can be."""

import copy
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidegate.history.align import align
from tidegate.history.changes import Change, ChangeKind, line_diff
from tidegate.history.diff import changes_between, differs
from tidegate.history.document import pick
from tidegate.history.paths import path_text
from tidegate.model.base import Json
from tidegate.model.value import Inline, Stored

_SCALARS = (
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats(allow_nan=True) | st.text("ab", max_size=3)
)
JSON: st.SearchStrategy[Json] = st.recursive(
    _SCALARS,
    lambda inner: (
        st.lists(inner, max_size=6) | st.dictionaries(st.text("xyz", max_size=2), inner, max_size=4)
    ),
    max_leaves=25,
)
LISTS = st.lists(st.integers(0, 4) | st.lists(st.integers(0, 1), max_size=2), max_size=12)


def between(left: Json, right: Json) -> list[Change]:
    """Return all differences."""
    return list(changes_between(left, right))


def told(left: Json, right: Json) -> list[str]:
    """Return the differences as a person would write them down."""
    return [f"{change.kind.value} {path_text(change.path)}" for change in changes_between(left, right)]


def patched(left: Json, changes: Iterable[Change]) -> Json:
    """Return *left* with what differs done to it: what changed, then what went, last first, then what came."""
    root: dict[str, Any] = {"": copy.deepcopy(left)}
    for kind in (ChangeKind.CHANGED, ChangeKind.REMOVED, ChangeKind.ADDED):
        chosen = [change for change in changes if change.kind is kind]
        for change in reversed(chosen) if kind is ChangeKind.REMOVED else chosen:
            path: tuple[Any, ...] = (
                "",
                *(change.path if kind is ChangeKind.ADDED else change.left_path or ()),
            )
            holder: Any = root
            for part in path[:-1]:
                holder = holder[part]
            if kind is ChangeKind.REMOVED:
                del holder[path[-1]]
            elif kind is ChangeKind.ADDED and isinstance(holder, list):
                holder.insert(path[-1], change.right)
            else:
                holder[path[-1]] = change.right
    done: Json = root[""]
    return done


@given(JSON)
def test_nothing_differs_from_itself(value: Json) -> None:
    """Nor from a copy, whatever is in it."""
    assert between(value, copy.deepcopy(value)) == []


@given(JSON, JSON)
def test_the_difference_makes_the_one_of_the_other(left: Json, right: Json) -> None:
    """Nothing is left out, and nothing is said that is not so."""
    assert not differs(patched(left, between(left, right)), right)


@given(LISTS, LISTS)
def test_the_difference_of_lists_makes_the_one_of_the_other(left: list[Json], right: list[Json]) -> None:
    """Their elements move when others are put in before them."""
    assert patched(left, between(left, right)) == right


@given(JSON, JSON)
def test_the_other_way_round_what_was_added_is_removed(left: Json, right: Json) -> None:
    """And what was changed is changed back."""
    mirrored = {
        (repr(change.right_path), repr(change.left_path), repr(change.right), repr(change.left))
        for change in changes_between(right, left)
    }
    straight = {
        (repr(change.left_path), repr(change.right_path), repr(change.left), repr(change.right))
        for change in changes_between(left, right)
    }
    assert straight == mirrored


@given(JSON, JSON)
def test_each_side_of_a_change_is_what_stands_at_its_path(left: Json, right: Json) -> None:
    """On the left by the left path, on the right by the right one."""
    for change in changes_between(left, right):
        if change.left_path is not None:
            assert pick(left, change.left_path) is change.left
        if change.right_path is not None:
            assert pick(right, change.right_path) is change.right


def test_one_element_put_into_a_list_is_one_change() -> None:
    """Not one for each that follows it."""
    steps: list[Json] = [{"step": number} for number in range(50)]
    changed = copy.deepcopy(steps)
    changed.insert(7, {"step": "new"})
    del changed[30]

    assert told(steps, changed) == ["added 7", "removed 29"]
    assert told({"a": ["x", "y"]}, {"a": ["x", "z"]}) == ["changed a.1"]
    assert told([{"id": 1, "n": 1}, {"id": 2}], [{"id": 1, "n": 2}, {"id": 2}]) == ["changed 0.n"]


def test_long_lists_are_compared_by_position() -> None:
    """Aligning them would take minutes; nothing of it is lost."""
    left: list[Json] = [f"line {number}" for number in range(3_000)]
    right: list[Json] = [f"line {number}" for number in range(1, 3_000)] + [7]

    assert patched(left, between(left, right)) == right
    pairs = list(align([b"a"] * 2_000 + [b"x"], [b"b"] * 2_000 + [b"y", b"z"]))
    assert pairs[-1] == (None, 2_001)


def test_types_are_told_apart() -> None:
    """1, 1.0 and true are three values, and so are nothing and what is not there."""
    values: list[Json] = [1, 1.0, True, "1", None, [], {}]
    for one in values:
        for other in values:
            assert differs(one, other) is (one is not other)
    assert told({"a": None}, {}) == ["removed a"]
    assert told({"a": 0.0}, {"a": -0.0}) == ["changed a"]


def test_large_values_are_compared_by_their_hash() -> None:
    """The same content is the same value; another one has to be loaded, and says so."""
    one, other = Stored(sha256="a" * 64, size=10_000), Stored(sha256="b" * 64, size=10_000)
    changes = list(changes_between({"out": one, "n": Inline(value=1)}, {"out": other, "n": Inline(value=1)}))

    assert not differs({"out": one}, {"out": Stored(sha256="a" * 64, size=10_000)})
    assert [change.stored for change in changes] == [(one, other)]
    assert differs(one, Inline(value=1))
    assert [path_text(c.path) for c in changes_between(Inline(value={"a": 1}), Inline(value={"a": 2}))] == [
        "a"
    ]


def test_what_is_nested_very_deep_is_one_value() -> None:
    """No depth ends in an error."""
    left: Json = 1
    right: Json = 2
    for _ in range(190):
        left, right = [left], [right]
    changes = between(left, right)

    assert len(changes) == 1
    assert between(left, copy.deepcopy(left)) == []


def test_long_texts_are_told_line_by_line() -> None:
    """As `diff -u` does: three lines around each change, and where they are."""
    left = "\n".join(f"line {number}" for number in range(1, 41))
    right = left.replace("line 5\n", "line five\n").replace("line 30\n", "")
    (change,) = between({"text": left}, {"text": right})

    assert line_diff(change) == (
        *("@@ -2,7 +2,7 @@", " line 2", " line 3", " line 4", "-line 5", "+line five", " line 6", " line 7"),
        *(" line 8", "@@ -27,7 +27,6 @@", " line 27", " line 28", " line 29", "-line 30", " line 31"),
        *(" line 32", " line 33"),
    )


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("yes", "no"),
        (1, 2),
        ("a\nb", 3),
        ("\n".join(map(str, range(5_000))), "\n".join(map(str, range(9_000, 1, -1)))),
    ],
)
def test_short_texts_and_those_that_are_too_long_have_no_lines(left: Json, right: Json) -> None:
    """They are told as a whole, or by their size."""
    assert line_diff(Change(("t",), ("t",), left, right)) == ()


def test_a_line_at_the_end_of_a_huge_text_is_found_at_once() -> None:
    """What both begin with is not compared line by line."""
    left = "\n".join(map(str, range(200_000)))
    lines = line_diff(Change(("t",), ("t",), left, left + "\nlast"))

    assert lines[0] == "@@ -199998,3 +199998,4 @@"
    assert lines[-1] == "+last"
