"""Values on their way into the journal."""

import hashlib
from decimal import Decimal
from typing import Any

import msgspec
import pytest

from tidegate.engine.values import (
    INLINE_LIMIT,
    MB,
    TooLarge,
    check_size,
    pack,
    take,
    take_changes,
    take_what_fits,
)
from tidegate.model.base import JsonObject
from tidegate.model.codec import NotJson
from tidegate.model.value import Inline, Stored


def test_small_values_are_inline_and_large_ones_lie_beside() -> None:
    """By the size of their JSON, quotes included."""
    small, large = "x" * (INLINE_LIMIT - 2), "x" * (INLINE_LIMIT - 1)

    packed = take({"small": small, "large": large}, "outputs")
    data = msgspec.json.encode(large)
    digest = hashlib.sha256(data).hexdigest()

    assert packed.values == {
        "small": Inline(value=small),
        "large": Stored(sha256=digest, size=len(data)),
    }
    assert packed.stored == {digest: data}
    assert packed.sizes == {"small": INLINE_LIMIT, "large": INLINE_LIMIT + 1}
    assert packed == pack({"small": small, "large": large})


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        (
            {"result": {"items": [{"price": Decimal(1)}]}},
            r"^outputs\.result\.items\[0\]\.price: Decimal is no JSON",
        ),
        ({1: 2}, "^outputs: the key 1 is int"),
        ([1], "^outputs: list is no mapping of names to values$"),
        (None, "^outputs: NoneType is no mapping of names to values$"),
    ],
)
def test_what_cannot_be_taken_is_named(given: Any, problem: str) -> None:
    """From the outputs as a whole down to the place."""
    with pytest.raises(NotJson, match=problem):
        take(given, "outputs")


def test_a_change_is_what_another_json_says() -> None:
    """To Python, 1 is true and 1.0 is 1."""
    before: JsonObject = {"a": 1, "b": [1], "c": 1.0, "d": {"x": 1, "y": 2}, "e": "same"}

    changed = take_changes(
        before, {"a": True, "b": [True], "c": 1, "d": {"x": 1, "y": 2}, "e": "same", "f": None}, "state"
    )

    assert list(changed.plain) == ["a", "b", "c", "f"]
    assert changed.plain["b"] == [True]


def test_the_limit_is_for_all_together_and_names_the_largest() -> None:
    """With its size, the limit, and both ways out."""
    packed = take({"exit": 0, "rows": "x" * 600_000, "more": "x" * 500_000}, "outputs")

    check_size("outputs", packed, 1_100_005)
    with pytest.raises(TooLarge) as caught:
        check_size("outputs", packed, MB)

    assert str(caught.value) == (
        "outputs: 1,100,005 bytes of JSON, of which 'rows' is 600,002; at most 1,048,576 (1 MB) are taken: "
        "write it to a file and give its path, or raise TIDEGATE_MAX_CHECKPOINT_SIZE_MB"
    )


def test_what_is_cut_anyway_does_not_count() -> None:
    """The text that a command wrote never makes its block fail, nor does it excuse the rest."""
    packed = take({"stdout": "x" * 100, "rows": "x" * 50}, "outputs")

    check_size("outputs", packed, 52, uncounted={"stdout", "stderr"})
    with pytest.raises(TooLarge, match=r"^outputs: 52 bytes of JSON in 'rows'; at most 51 \("):
        check_size("outputs", packed, 51, uncounted={"stdout"})


def test_what_stands_there_twice_counts_once() -> None:
    """It is kept once; a file that is read without `parse` is both its content and its result."""
    packed = take({"content": "x" * 5000, "size": 5000, "result": "x" * 5000}, "outputs")

    check_size("outputs", packed, 5006)
    with pytest.raises(
        TooLarge, match=r"^outputs: 5,006 bytes of JSON, of which 'content' is 5,002; at most 5,005"
    ):
        check_size("outputs", packed, 5005)


def test_of_a_failure_as_much_is_kept_as_can_be() -> None:
    """In the order in which it was given; the largest goes first."""
    given = {
        "stdout": "x" * 100,
        "rows": "x" * 60,
        "price": Decimal(1),
        "exit_code": 3,
        1: 2,
        "more": "x" * 50,
    }

    packed, why = take_what_fits(given, "outputs", 70, uncounted={"stdout"})  # type: ignore[arg-type]  # the 1

    assert list(packed.plain) == ["stdout", "exit_code", "more"]
    assert why.startswith("outputs.price: Decimal is no JSON")
    assert take_what_fits({"a": 1}, "outputs", 1)[1] == ""
    assert take_what_fits({"a": "xx", "b": 1}, "outputs", 3)[0].plain == {"b": 1}
    assert take_what_fits(None, "outputs", 3)[0].plain == {}  # type: ignore[arg-type]  # nothing is owed
