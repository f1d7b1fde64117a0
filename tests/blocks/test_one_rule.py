"""A Python block's process takes and refuses what every other border does."""

import importlib.util
import sys
from collections import Counter, OrderedDict
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings

import tidegate
from model.odd_values import (
    ALMOST_JSON,
    REFUSED,
    Colour,
    Count,
    Level,
    Odd,
    Ratio,
    Stranger,
    Word,
    itself,
    nested,
)
from tidegate.model.codec import MOST_DEEP, NotJson, plain

CHILD = Path(tidegate.__file__).parent / "blocks" / "child" / "python_child.py"


@pytest.fixture(scope="module")
def child() -> ModuleType:
    """The script itself: it imports nothing of Tidegate, and nothing here imports it."""
    spec = importlib.util.spec_from_file_location("python_child", CHILD)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def verdict(take: Callable[[Any, str], object], value: object) -> tuple[bool, str]:
    """Return whether *value* is taken, and what became of it, or where the problem is and what it is."""
    try:
        return True, repr(take(value, "x"))
    except (NotJson, TypeError) as error:
        # What to write instead may be said in more words here: a script has no room for all of them.
        path, _, problem = str(error).partition(" is no JSON")[0].partition(": ")
        return False, f"{path}: {problem}"


AGREED = (
    # The script takes it for granted that a key can be shown.
    *(value for _, value, problem in REFUSED if "that it has" not in problem),
    *(Colour.RED, Level.HIGH, Odd.ONE, Word("w"), Ratio(0.5), Count(7), OrderedDict(a=1), Counter("aab")),
    *({Colour.RED: 1}, {Word("k"): 1}, -0.0, 1.0, 2**64, 2**1024 - 1, "\0", "", {}, [], None, True),
    *(nested(MOST_DEEP), {"a b": {"c.d": {"e[0]": {1}}}}, {"": {"": ()}}, {"ö": {"\n": b""}}),
)


@pytest.mark.parametrize("value", AGREED, ids=lambda value: type(value).__name__)
def test_the_process_of_a_python_block_has_the_same_rule(child: ModuleType, value: object) -> None:
    """The same values, the same plain ones in their place, and the same way to name a place."""
    assert verdict(child._checked, value) == verdict(plain, value)  # noqa: SLF001  # its only door is a socket


@given(ALMOST_JSON)
@settings(max_examples=300)
def test_it_agrees_on_values_that_nobody_thought_of(child: ModuleType, value: object) -> None:
    """Taken by both, as the same; or refused by both, at the same place."""
    assert verdict(child._checked, value) == verdict(plain, value)  # noqa: SLF001  # as above


@pytest.mark.parametrize("value", [nested(MOST_DEEP + 1), itself(), {Stranger(): 1}, {10**6000: 1}])
def test_it_refuses_too_what_it_names_in_other_words(child: ModuleType, value: object) -> None:
    """Long paths are cut here; and a key that cannot even be shown is no surprise."""
    with pytest.raises((TypeError, ValueError, RuntimeError)):
        child._checked(value, "x")  # noqa: SLF001  # as above
    with pytest.raises(NotJson):
        plain(value, "x")


def test_the_script_needs_no_newer_python_than_it_says() -> None:
    """It must run where nothing of Tidegate is: only the standard library is imported."""
    imported = {
        line.split()[1].partition(".")[0]
        for line in CHILD.read_text().splitlines()
        if line.startswith(("import ", "from "))
    }

    assert imported <= sys.stdlib_module_names | {"__future__"}
