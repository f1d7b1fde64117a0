"""Whatever a file says, it is a workflow or it has faults with places, in a moment."""

import random
import time
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tidegate.assets import asset_dir
from tidegate.blocks.registry import catalog
from tidegate.errors import DefinitionError
from tidegate.workflows.loader import parse_workflow

SAMPLES = [path.read_text("utf-8") for path in sorted(asset_dir("sample_workflows").rglob("*.yaml"))]
PIECES = [
    *(
        "&a ",
        "*a",
        "<<: *a",
        "!!python/object:os.system ",
        "!!binary ",
        "!x ",
        "? ",
        "- ",
        ": ",
        "{",
        "}",
        "[",
        "]",
    ),
    *(
        "|\n",
        ">-\n",
        "'",
        '"',
        "\\",
        "#",
        "%YAML 1.2\n",
        "---\n",
        "...\n",
        "\t",
        "\r",
        "\x85",
        "\u2028",
        "\ufeff",
    ),
    *(
        "${",
        "${{ ",
        "}}",
        "${a.b}",
        "$${",
        "null",
        "~",
        "1e999",
        "0x1f",
        ".nan",
        "2026-01-01",
        "yes",
        "=",
        "@",
        "`",
    ),
    *(
        "id",
        "type",
        "blocks",
        "depends_on",
        "inputs",
        "for_each",
        "loop",
        "Shell",
        "\x00",
        "\ud800",
        "😀",
        "a" * 5_000,
    ),
]
MOMENT = 5.0
"""Seconds; far more than any of these takes, far less than what is not bounded would."""


def read(text: str) -> str:
    """Return what is wrong with *text*; nothing if it is a workflow. Any other end fails the test."""
    began = time.process_time()
    error: DefinitionError | None = None
    try:
        parse_workflow(text, catalog(), file="w.yaml", working_dir="/srv")
    except DefinitionError as caught:
        error = caught
    assert time.process_time() - began < MOMENT
    if error is None:
        return ""
    assert error.faults
    assert all(fault.line >= 1 and fault.column >= 1 and fault.message for fault in error.faults)
    return str(error)


def mutated(text: str, choose: random.Random) -> str:
    """Return *text* with some of it cut out, doubled, or replaced."""
    for _ in range(choose.randint(1, 6)):
        at = choose.randint(0, len(text))
        end = min(len(text), at + choose.randint(0, 40))
        put = choose.choice([text[at:end] * 2, "", choose.choice(PIECES), text[end:][:30]])
        text = text[:at] + put + text[end:]
    return text


@settings(max_examples=80, deadline=None)
@given(st.sampled_from(SAMPLES), st.randoms(use_true_random=False))
def test_a_damaged_sample_has_faults_with_places(sample: str, choose: random.Random) -> None:
    """Or is a workflow still."""
    read(mutated(sample, choose))


@settings(max_examples=80, deadline=None)
@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=5) | st.just("\n  "), max_size=30).map("".join))
def test_any_text_is_read(text: str) -> None:
    """As part of a workflow, too."""
    read(text)
    read(f"name: w\nblocks:\n  - id: a\n    type: Shell\n    inputs: {text}\n")


def _laughs() -> str:
    lines = ["name: w", "a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    return "\n".join([*lines, "blocks: *a11"])


BOMBS: dict[str, Callable[[], str]] = {
    "aliases of aliases": _laughs,
    "merged aliases": lambda: "\n".join(
        [
            "a0: &a0 {k: 1}",
            *(f"a{n}: &a{n} {{<<: [*a{n - 1}, *a{n - 1}], k{n}: *a{n - 1}}}" for n in range(1, 40)),
        ]
    ),
    "an alias in itself": lambda: "name: w\nblocks: &a [*a]",
    "a mapping in itself": lambda: "name: w\nblocks:\n  - &a {id: x, type: Shell, inputs: *a}",
    "a merge of itself": lambda: "name: w\nblocks:\n  - &a {id: x, <<: *a}",
    "lists in lists": lambda: "name: w\nblocks: " + "[" * 20_000,
    "mappings in mappings": lambda: "name: w\nblocks: " + "{a: " * 20_000,
    "indentation": lambda: "\n".join(" " * n + "a:" for n in range(1_500)),
    "dashes": lambda: "name: w\nblocks:\n  " + "- " * 20_000,
    "a long key": lambda: "k" * 400_000 + ": 1",
    "a complex key": lambda: "? " * 5_000 + "x",
    "a long text": lambda: (
        "name: w\nblocks: [{id: a, type: Shell, inputs: {command: '" + "${a" * 100_000 + "'}}]"
    ),
    "braces": lambda: (
        'name: w\nblocks: [{id: a, type: Shell, inputs: {command: "' + "${x:-" * 50_000 + '"}}]'
    ),
    "parentheses": lambda: 'name: w\nblocks: [{id: a, type: Shell, condition: "' + "(" * 50_000 + '"}]',
    "many blocks that all wait": lambda: (
        "name: w\nblocks:\n"
        + "\n".join(
            f"  - {{id: b{n}, type: Shell, depends_on: [b{n + 1}], inputs: {{command: x}}}}"
            for n in range(900)
        )
    ),
    "many equal keys": lambda: "name: w\nblocks: []\n" + "x: 1\n" * 20_000,
    "a huge number": lambda: "name: w\nblocks: []\ntimeout: " + "9" * 100_000,
    "sexagesimals": lambda: "name: w\nblocks: []\ntimeout: " + "1:" * 50_000 + "1",
}


@pytest.mark.parametrize("bomb", list(BOMBS))
def test_what_grows_is_bounded(bomb: str) -> None:
    """Deep, wide, long, cyclic: a fault, in a moment, of a size that can be read."""
    said = read(BOMBS[bomb]())

    assert said
    assert len(said) < 100_000
