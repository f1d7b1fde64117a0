"""What a block goes through, what each item is called, and when a loop is done."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidegate.errors import ExpressionError
from tidegate.model.base import Json
from tidegate.model.workflow import BlockDefinition
from tidegate.workflows.expressions import BlockView, Names, Scope
from tidegate.workflows.render import (
    condition_is_per_item,
    evaluate_until,
    names_of,
    needed_blocks,
    render_block_outputs,
    render_inputs,
    render_items,
    render_label,
    render_metadata,
)
from workflows.small_catalog import SHELL, load

WORKFLOW = load("""
name: w
inputs: {xs: {type: list, default: []}}
blocks:
  - {id: one, type: Python}
  - {id: two, type: Python}
  - {id: three, type: Python}
  - {id: four, type: Python}
  - {id: five, type: Python}
  - id: each
    type: Shell
    depends_on: [one, two, three, four, five]
    for_each: {items: "${one.found}", key: "${item}-${two.x ?? ''}"}
    condition: "${three.ok}"
    inputs: {command: "echo ${item} ${index}"}
    checkpoint: {label: "${four.x}: ${item}", metadata: {all: ["${five.x}", "${each.stdout}"]}}
    outputs: {mine: "${item}=${each.stdout}"}
  - id: again
    type: Shell
    depends_on: [one, two]
    condition: "index == 0"
    inputs: {command: ls}
    loop: {until: "${again.exit_code} == 0 && ${two.x} == 1", max_iterations: 3}
""")
EACH, AGAIN = WORKFLOW.blocks[5], WORKFLOW.blocks[6]
NAMES = names_of(WORKFLOW, EACH)


def items_of(value: Json, *, key: str | None = None) -> tuple[tuple[str, ...], tuple[Json, ...]]:
    """Return keys and items where `one.found` gave *value*."""
    assert EACH.for_each
    block = EACH.evolve(for_each=EACH.for_each.evolve(key=key))
    return render_items(block, NAMES, Scope({}, {"one": BlockView("succeeded", {"found": value})}, "r", "w"))


@pytest.mark.parametrize(
    ("value", "keys"),
    [
        ([], ()),
        ({}, ()),
        (["red", "green"], ("red", "green")),
        ([1, 2.5, True, "1.0"], ("1", "2.5", "true", "1.0")),
        ([1, "1"], ("0", "1")),
        (["a", "a"], ("0", "1")),
        (["a", ""], ("0", "1")),
        (["a", None], ("0", "1")),
        (["a", {"x": 1}], ("0", "1")),
        (["a", "x[1]"], ("0", "1")),
        (["a", "b\n"], ("0", "1")),
        (["a", "b\u202ec"], ("0", "1")),
        (["a", " a"], ("0", "1")),
        (["a", "x" * 61], ("0", "1")),
        (["a", "x" * 60], ("a", "x" * 60)),
        ({"eu": 1, "us": 2}, ("eu", "us")),
        ({"eu": 1, "u[s]": 2}, ("0", "1")),
    ],
)
def test_items_are_known_by_their_own_text_if_that_names_them(value: Json, keys: tuple[str, ...]) -> None:
    """Otherwise by their positions; the items themselves are as given."""
    found, items = items_of(value)

    assert found == keys
    expected = (
        [{"key": key, "value": item} for key, item in value.items()] if isinstance(value, dict) else value
    )
    assert list(items) == expected


@given(st.lists(st.one_of(st.text(max_size=5), st.integers(0, 3), st.none(), st.booleans()), max_size=8))
def test_keys_are_always_unique_and_can_be_shown(value: list[Json]) -> None:
    """Whatever a list holds."""
    keys, items = items_of(value)

    assert len(set(keys)) == len(keys) == len(items)
    assert all(key.isprintable() and key.strip() == key and key and not set(key) & set("[]") for key in keys)


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (None, "it gave null, expected a list or a mapping: write a default"),
        ("abc", "it gave string 'abc', expected a list or a mapping: read a command's output"),
        (3, "it gave number 3, expected a list or a mapping"),
        (True, "it gave boolean true"),
        (list(range(10_001)), "it gave 10,001 items; at most 10,000 are taken"),
    ],
)
def test_what_is_no_list_and_no_mapping_is_an_error(value: Json, problem: str) -> None:
    """It names the expression; a text is not three items of one letter."""
    with pytest.raises(ExpressionError, match=problem) as caught:
        items_of(value)

    assert caught.value.source == "${one.found}"


@pytest.mark.parametrize(
    ("value", "key", "problem"),
    [
        (
            [{"n": "a"}, {"n": "b"}, {"n": "a"}],
            "${item.n}",
            r"items 0 and 2 \(counted from 0\) have the same key 'a'",
        ),
        ([{"n": ""}], "${item.n}", "the key of item 0 is empty"),
        ([{"n": "a]"}], "x${item.n}", "the key 'xa]' of item 0 has brackets"),
        ([{"n": "a\tb"}], "${item.n}", "has characters that cannot be seen"),
        ([{"n": "x" * 61}], "${item.n}", "has 61 characters; at most 60"),
        ([{"n": [1]}], "${item.n}", "is list "),
        ([{"n": None}], "${item.n}", "the key of item 0 is null, expected text"),
        ([{}], "${item.n}", "'item' has no key 'n'"),
    ],
)
def test_a_written_key_that_names_no_item_is_an_error(value: Json, key: str, problem: str) -> None:
    """It names the items it is about."""
    with pytest.raises(ExpressionError, match=problem):
        items_of(value, key=key)


def test_a_written_key_may_use_the_item_and_its_position() -> None:
    """Of a mapping an item is its key and its value."""
    assert items_of([{"n": "a"}, {"n": "a"}], key="${item.n}-${index}")[0] == ("a-0", "a-1")
    assert items_of({"x": {"n": 7}}, key="${item.value.n}")[0] == ("7",)


def test_literal_items_may_hold_references() -> None:
    """They are resolved before there is any item."""
    (block,) = load(
        'name: w\ninputs: {n: integer}\nblocks: [{id: a, type: Python, for_each: ["${n}", x]}]'
    ).blocks

    names = Names(frozenset({"n"}), frozenset({"a"}), item=True, index=True)
    assert render_items(block, names, Scope({"n": 4}, {}, "r", "w")) == (("4", "x"), (4, "x"))


def test_a_repeated_block_needs_what_all_of_its_texts_read() -> None:
    """Items, key, condition, label, metadata, until."""
    assert needed_blocks(EACH, SHELL, NAMES) == {"one", "two", "three", "four", "five"}
    assert needed_blocks(AGAIN, SHELL, names_of(WORKFLOW, AGAIN)) == {"two"}


def test_a_condition_is_decided_for_each_item_if_it_speaks_of_one() -> None:
    """Otherwise once for the block."""

    def per_item(condition: str | None) -> bool:
        return condition_is_per_item(EACH.evolve(condition=condition), NAMES)

    assert [per_item(text) for text in (None, "${three.ok}", "${item} == 1", "index > 0")] == [
        False,
        False,
        True,
        True,
    ]


def again(**outputs: Json) -> Scope:
    """Return the scope after an iteration."""
    blocks = {"again": BlockView("succeeded", outputs), "two": BlockView("succeeded", {"x": 1})}
    return Scope({}, blocks, "r", "w", index=1)


def until(text: str, scope: Scope) -> bool:
    """Return what a loop with this condition decides."""
    assert AGAIN.loop
    block = AGAIN.evolve(loop=AGAIN.loop.evolve(until=text))
    return evaluate_until(block, names_of(WORKFLOW, AGAIN), scope)


def test_a_loop_is_done_when_its_own_outputs_say_so() -> None:
    """And only a boolean says so."""
    assert AGAIN.loop
    assert until(AGAIN.loop.until, again(exit_code=0)) is True
    assert until(AGAIN.loop.until, again(exit_code=1)) is False
    assert until("index == 1", again()) is True
    with pytest.raises(ExpressionError, match="until gave number 0, expected a boolean"):
        until("${again.exit_code}", again(exit_code=0))
    with pytest.raises(ExpressionError, match="block 'again' gave no 'exit_code'"):
        until("${again.exit_code} == 0", again())


def test_a_checkpoint_is_labelled_with_what_the_block_gave() -> None:
    """Values keep their types in its metadata."""
    blocks = {
        "each": BlockView("succeeded", {"stdout": "out"}),
        "four": BlockView("succeeded", {"x": 4}),
        "five": BlockView("succeeded", {"x": [5]}),
    }
    scope = Scope({}, blocks, "r", "w", item="red")

    assert render_label(EACH, NAMES, scope) == "4: red"
    assert render_metadata(EACH, NAMES, scope) == {"all": [[5], "out"]}
    assert render_block_outputs(EACH, NAMES, scope) == {"mine": "red=out"}
    long = replace(scope, item="x" * 500)
    assert len(render_label(EACH, NAMES, long)) == 200


def test_an_item_reaches_a_command_as_data() -> None:
    """Like every value."""
    rendered = render_inputs(EACH, SHELL, NAMES, Scope({}, {}, "r", "w", item="$(x)", index=2))

    assert rendered.bindings == {"TIDEGATE_VALUE_1": "$(x)", "TIDEGATE_VALUE_2": "2"}


def test_the_names_of_blocks_of_one_kind_are_the_same() -> None:
    """They are part of the key of every compiled text."""
    blocks: list[BlockDefinition] = [EACH, AGAIN, WORKFLOW.blocks[0], EACH.evolve(always=True)]
    found = [names_of(WORKFLOW, block) for block in blocks]

    assert [(names.item, names.index, names.run) for names in found] == [
        (True, True, False),
        (False, True, False),
        (False, False, False),
        (True, True, True),
    ]
    assert names_of(WORKFLOW, EACH.evolve(description="x")) is found[0]
    of_outputs = names_of(WORKFLOW)
    assert (of_outputs.feedback, names_of(WORKFLOW) is of_outputs) == (False, True)
