"""What a file's text is read as, and what is said when it is no YAML."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidegate.workflows.yaml_nodes import Place, Plain, node_at, place_at, to_data
from tidegate.workflows.yaml_text import MAX_BYTES, MAX_DEPTH, read_yaml

NBSP = "\u00a0"


def only_fault(text: str) -> tuple[int, int, str]:
    """Return the one fault of *text*."""
    _, faults = read_yaml(text)
    (fault,) = dict.fromkeys(faults)
    return fault.line, fault.column, fault.message


def test_places_are_one_based_characters() -> None:
    """An editor jumps to the place, also behind letters of several bytes."""
    root, faults = read_yaml("ключ: 😀\nb:\n  - c\n  - d: e\n")

    assert root is not None
    assert not faults
    assert place_at(root, ("ключ",)) == Place(1, 7)
    assert place_at(root, ("b", 1, "d"), key=True) == Place(4, 5)
    assert place_at(root, ("b", 1, "d", "nothing")) == Place(4, 8)
    assert node_at(root, ("b", 5))[1] is False


@pytest.mark.parametrize("text", ["\ufeffa: x\r\nb: y\r\n", "a: x\nb: y\n", "---\na: x\nb: y\n...\n"])
def test_a_byte_order_mark_and_windows_line_ends_are_ordinary(text: str) -> None:
    """Editors on Windows write both."""
    root, faults = read_yaml(text)

    assert root is not None
    assert not faults
    assert to_data(root) == {"a": "x", "b": "y"}


@pytest.mark.parametrize(
    "word", ["NO", "yes", "on", "Off", "12:30", "2026-01-02", "1_000", ".inf", "y", "0b1", "=", "1.2.3"]
)
def test_words_stay_words(word: str) -> None:
    """YAML 1.1 would make a truth value, a number or a date of them."""
    root, _ = read_yaml(f"a: {word}\n{word}: b\n")

    assert root is not None
    assert to_data(root) == {"a": word, word: "b"}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("true", True),
        ("FALSE", False),
        ("~", None),
        ("", None),
        ("0x1F", 31),
        ("0o17", 15),
        ("1e3", 1000.0),
        ("-7", -7),
    ],
)
def test_the_core_schema_knows_a_few_words_and_numbers(text: str, value: object) -> None:
    """They keep the text they were written as."""
    root, _ = read_yaml(f"a: {text}\n")

    assert root is not None
    assert to_data(root) == {"a": Plain(text, value)}  # type: ignore[arg-type]


def test_a_key_that_stands_twice_is_a_fault_at_any_depth() -> None:
    """The second would silently replace the first, and the reviewed line would not be the one that counts."""
    _, faults = read_yaml("a: 1\nb:\n  - {c: 1, c: 2}\na: 3\n")

    assert [(fault.line, fault.message) for fault in faults] == [
        (3, "the key 'c' stands twice: first in line 3, again in line 3"),
        (4, "the key 'a' stands twice: first in line 1, again in line 4"),
    ]


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("", 1, 1, "the file is empty"),
        ("# only\n# comments\n", 1, 1, "the file is empty"),
        ("a: 1\n---\nb: 2\n", 2, 1, "one file holds one workflow"),
        ("a:\n\tb: c\n", 2, 1, "a tab is used for indentation"),
        (f"name:{NBSP}x\nblocks: []\n", 1, 6, "no-break space"),
        (f"a:\n{NBSP} b: c\n", 2, 1, "no-break space"),
        (f"a:\n - b:{NBSP}c\n", 2, 6, "no-break space"),
        ("a: {{ x }}\n", 1, 4, "must be quoted"),
        ("a: {{ x }} y\n", 1, 4, "must be quoted"),
        ("a: [${x}]\n", 1, 5, "must be quoted"),
        ("a: *gone\n", 1, 4, "*gone names nothing"),
        ("a: &x [*x]\n", 1, 8, "*x names nothing"),
        ("a: !include x\n", 1, 4, "the tag !include is not supported"),
        ("a: &b {c: d}\ne:\n  <<: *b\n", 3, 3, "merge keys"),
        ("? [a]\n: b\n", 1, 3, "a key must be text"),
        ("cmd: echo a: b\n", 1, 12, "quote the text"),
        ("a: 'b\n\nc: d\n", 1, 4, "a quoted text starts here and is never closed"),
        ("a: @b\n", 1, 4, "must be quoted"),
        ('a: "\\q"\n', 1, 5, "backslash"),
        ("a: \x07\n", 1, 4, "U+0007"),
        ("a: [b\nc: d\n", 1, 4, "is never closed"),
    ],
)
def test_a_bad_file_gets_one_sentence_and_its_place(text: str, line: int, column: int, message: str) -> None:
    """It names what a person did, not what a parser missed."""
    found = only_fault(text)

    assert found[:2] == (line, column)
    assert message in found[2]


def test_a_no_break_space_inside_text_is_text() -> None:
    """Only where YAML needs a plain space it is a trap."""
    root, faults = read_yaml(f"a: 'x:{NBSP}y'\nb: |\n  {NBSP}z\nc: 10{NBSP}km\n")

    assert not faults
    assert root is not None
    assert to_data(root) == {"a": f"x:{NBSP}y", "b": f"{NBSP}z\n", "c": f"10{NBSP}km"}


def test_an_anchor_can_be_used() -> None:
    """Aliases are written out."""
    root, _ = read_yaml("a: &x {b: c}\nd: *x\n")

    assert root is not None
    assert to_data(root) == {"a": {"b": "c"}, "d": {"b": "c"}}


def test_nesting_is_bounded_also_through_aliases() -> None:
    """A tree deeper than that is no workflow, and would break what walks over it."""
    deep = "[" * MAX_DEPTH + "]" * MAX_DEPTH

    assert not read_yaml(deep)[1]
    assert "nested deeper" in only_fault("[" + deep + "]")[2]
    assert "nested deeper" in only_fault(f"a: &x {deep[1:-1]}\nb: [[[*x]]]\n")[2]


def test_a_few_aliases_do_not_become_a_billion_nodes() -> None:
    """The size counts with every alias written out."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]

    assert "too large" in only_fault("\n".join(lines))[2]


def test_a_huge_file_is_refused() -> None:
    """A workflow of a megabyte is something else with the wrong name."""
    assert "larger than" in only_fault("a: " + "x" * MAX_BYTES)[2]


@given(st.text(alphabet=st.sampled_from("ab:-[]{}&*!|>'\"%@`#,?\n \t\\$\u00a0\ufeff0~<"), max_size=40))
def test_no_text_ends_in_a_traceback(text: str) -> None:
    """Whatever a file holds is a tree or a fault."""
    root, faults = read_yaml(text)

    assert root is not None or faults
