"""What a journal can hold: exactly what was given, or a refusal that names the place."""

import json
from collections import Counter, OrderedDict, defaultdict
from typing import Any

import msgspec
import pytest
from hypothesis import example, given, settings

from model.odd_values import (
    ALMOST_JSON,
    JSON,
    REFUSED,
    Colour,
    Count,
    Level,
    Odd,
    Ratio,
    Twin,
    Word,
    Yes,
    itself,
    nested,
)
from tidegate.model.codec import MOST_BITS, MOST_DEEP, NotJson, copy, encode, plain, printable

# -- exactly what was given -------------------------------------------------------------------


@given(JSON)
@example(-0.0)
@example([1.0, 1, True, 0, False, 0.0, 1e16, 5e-324, 1.7976931348623157e308])
@example("a\0b\x7f\u2028\ufeff\U0010ffff")
@example([2**63, -(2**63) - 1, 2**64, 2**MOST_BITS - 1, 1 - 2**MOST_BITS])
def test_json_comes_back_exactly(value: Any) -> None:
    """Types, signs and the order of keys included; whoever reads it, sees the same."""
    found, data = encode(value, "x")

    assert repr(found) == repr(value)
    assert repr(msgspec.json.decode(data)) == repr(value)
    assert repr(json.loads(data)) == repr(value)


def says_the_same(found: Any, was: Any) -> bool:
    """Whether *found*, of plain types, means what *was* meant: a list is no tuple, and 1 is not true."""
    kind: Any = type(found)
    if not isinstance(was, kind) or (kind is int and isinstance(was, bool)):
        return False
    if kind is dict:
        same_keys = list(found) == list(was) and all(type(key) is str for key in found)
        return same_keys and all(says_the_same(found[key], was[key]) for key in found)
    if kind is list:
        return len(found) == len(was) and all(map(says_the_same, found, was))
    return bool(found == (str.__str__(was) if kind is str else was))


@given(ALMOST_JSON)
@settings(max_examples=400)
@example({"1": "a", 1: "b"})
@example([Yes()])
@example({Word("k"): Level.HIGH, "l": [Odd.ONE]})
def test_nothing_is_silently_another_value(value: Any) -> None:
    """What is nearly JSON is taken for what it is, or refused."""
    try:
        found, data = encode(value, "x")
    except NotJson:
        return
    assert says_the_same(found, value)
    assert repr(msgspec.json.decode(data)) == repr(found)


def test_what_is_taken_shares_nothing_with_what_was_given() -> None:
    """A block may go on to change the list that it has returned."""
    given_: dict[str, Any] = {"rows": [[1], {"a": []}]}

    found = plain(given_, "x")
    copied = copy(found)
    given_["rows"][0].append(2)
    given_["rows"][1]["a"].append(3)

    assert found == copied == {"rows": [[1], {"a": []}]}
    assert isinstance(found, dict)
    assert isinstance(copied, dict)
    assert found["rows"] is not copied["rows"]


@pytest.mark.parametrize(
    ("value", "found"),
    [
        (Colour.RED, '"red"'),
        (Level.HIGH, "3"),
        (Odd.ONE, '"one"'),
        (Word("w"), '"w"'),
        (Ratio(0.5), "0.5"),
        (Count(7), "7"),
        (OrderedDict(b=1, a=Word("x")), '{"b":1,"a":"x"}'),
        (defaultdict(list, a=[1]), '{"a":[1]}'),
        (Counter("aab"), '{"a":2,"b":1}'),
        ({Colour.RED: 1}, '{"red":1}'),
        ("x" * 100_000, '"' + "x" * 100_000 + '"'),
    ],
)
def test_of_a_subclass_its_plain_value_is_taken(value: Any, found: str) -> None:
    """It equals what was given, and is of no type that a reader would not know."""
    result, data = encode(value, "x")

    assert data.decode() == found
    assert repr(result) == repr(json.loads(found))


# -- refused, with the place and the way out ----------------------------------------------------


@pytest.mark.parametrize(
    ("path", "value", "problem"), REFUSED, ids=[problem[:20] for _, _, problem in REFUSED]
)
def test_what_is_refused_is_named_with_its_place_and_what_to_write(
    path: str, value: Any, problem: str
) -> None:
    """So that nobody has to search for it."""
    with pytest.raises(NotJson) as caught:
        encode(value, "x")

    assert caught.value.path == path
    assert caught.value.problem.startswith(problem)
    assert str(caught.value).encode().startswith(printable(f"{path}: {problem}").encode())


async def test_what_was_not_awaited_is_named() -> None:
    """The commonest slip of all."""

    async def work() -> int:
        return 1

    started = work()
    with pytest.raises(NotJson, match=r"^x: coroutine is no JSON: await it first$"):
        plain(started, "x")
    assert await started == 1


def test_no_key_swallows_another() -> None:
    """Two keys of one text would be one, and the other value gone."""
    with pytest.raises(NotJson, match=r"^x: two of its keys are the text 'k'$"):
        plain({Twin("k"): 1, Twin("k"): 2}, "x")


def test_depth_has_a_limit_that_every_reader_reaches() -> None:
    """On both ways through: of plain types, and with something that has to be looked at."""
    deepest = nested(MOST_DEEP)

    assert plain(deepest, "x") == deepest
    assert plain(nested(MOST_DEEP, inside=Word("w")), "x") == nested(MOST_DEEP, inside="w")
    for too_deep in (
        nested(MOST_DEEP + 1),
        nested(MOST_DEEP + 1, inside=Word("w")),
        nested(100_000),
        itself(),
    ):
        with pytest.raises(NotJson, match="nested more than 200 deep, or it contains itself"):
            plain(too_deep, "x")


def test_brackets_in_texts_and_wide_values_are_not_deep() -> None:
    """Only what stands inside each other counts."""
    wide: Any
    for wide in ("[" * 1000, ["{" * 1000], [[]] * 1000, {str(n): {} for n in range(1000)}, "9" * 1000):
        assert plain(wide, "x") == wide


def test_a_message_is_bounded_and_can_be_stored() -> None:
    """Whatever the keys are called."""
    with pytest.raises(NotJson) as caught:
        plain({"k" * 100_000: {"\udcff": 1}}, "x")
    with pytest.raises(NotJson) as deep:
        plain(nested(300), "result")

    assert str(caught.value).isprintable()
    assert len(str(caught.value)) <= 400
    assert len(str(deep.value)) <= 400
    assert str(deep.value).startswith("result")
