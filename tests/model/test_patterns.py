"""Patterns match what `re` matches, and never take longer than they may."""

import re
import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tidegate.model.patterns import PatternFault, matches, read_pattern

_ATOMS = [
    *["a", "b", "B", r"\n", "é", ".", r"\d", r"\w", r"\W", r"\s", "[ab]", "[^a]", "[^\\W_]", "[a-cé]"],
    *["^", "$", r"\b", r"\B", r"\A", r"\Z", "(?!)", "(?i:a)", "(?s:.)", "(?-i:b)", "(?u:\\w)", "(?m:^b$)"],
]


def _grown(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    repeats = st.sampled_from(["*", "+", "?", "{2}", "{0,2}", "{1,}", "*?", "+?", "{2,3}?"])
    return st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map("|".join).map("(?:{})".format),
        st.tuples(inner, repeats).map(lambda pair: f"(?:{pair[0]}){pair[1]}"),
        inner.map("({})".format),
        inner.map("(?={})".format),
        inner.map("(?!{})".format),
        st.sampled_from(["(?<=a)", "(?<!b)", "(?<=(?:a|b).)", "(?<=^a)"]),
    )


_PATTERNS = st.tuples(
    st.sampled_from(["", "(?i)", "(?s)", "(?m)", "(?im)"]),
    st.recursive(st.sampled_from(_ATOMS), _grown, max_leaves=8),
).map("".join)


@settings(max_examples=150, deadline=None)
@given(_PATTERNS, st.text("aAbBé1_ \n", max_size=8))
@example(r"\B", "")
@example(r"(?:a|b*)*(?=$)", "ab\n")
@example("(?i)[k-k]", "\u212a")
def test_what_matches_is_what_re_matches(pattern: str, text: str) -> None:
    """Over random patterns of everything that is there."""
    assert matches(pattern, text) is (re.fullmatch(pattern, text, re.ASCII) is not None)


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        ("(a+)+", "a" * 60_000 + "b", False),
        ("(a|a)*b", "a" * 20_000, False),
        (".*.*.*.*.*x", "y" * 60_000, False),
        (r"(?=.*\d)(?=.*[a-z]).{8,}", "x" * 20_000 + "1", True),
        (r"(\w+\s?)*", "word " * 4_000 + "!", False),
        ("([a-z]+)*[0-9]{3}", "abc" * 10_000 + "123", True),
    ],
)
def test_what_takes_re_for_ever_is_decided(pattern: str, text: str, found: bool) -> None:
    """Of answers about as long as any that is taken."""
    began = time.process_time()

    assert matches(pattern, text) is found
    assert time.process_time() - began < 10


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        (r"(a)\1", r"a reference to a group, like \\1 is not supported"),
        ("(?>a)", "an atomic group"),
        ("a++", "a possessive repeat"),
        ("(a)(?(1)b|c)", "a condition on a group"),
        ("(", "unterminated subpattern"),
        ("(?<=a*)b", "fixed-width"),
        ("a{99999999999}", "too large"),
        ("(" * 900 + ")" * 900, "nested too deeply"),
        ("a" * 2001, "at most 2,000"),
    ],
)
def test_what_cannot_be_judged_is_refused(pattern: str, problem: str) -> None:
    """When the file is loaded, with a reason."""
    with pytest.raises(PatternFault, match=problem):
        read_pattern(pattern)


def test_what_still_takes_too_long_is_given_up() -> None:
    """Hundreds of parts for each of the letters of the longest answer."""
    with pytest.raises(PatternFault, match="takes too long over 60,000 characters"):
        matches("(?:" + "a?" * 500 + "b)*x", "ab" * 30_000)
