"""The document of a state: all that people see of a run, opened as far as somebody looks."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from running import World, world
from tidegate.history.document import MISSING, Branch, document, is_branch, pick, plain_json, shares_path
from tidegate.history.paths import parse_path
from tidegate.model.ids import BlockId, Seq
from tidegate.model.state import RunState
from tidegate.model.value import Inline, Stored

MIXED = """
    name: mixed
    inputs: {who: {type: string, default: ana}}
    blocks:
      - {id: gate, type: ConfirmOperation, inputs: {message: "Go, ${who}?", operation: go}}
      - {id: big, type: Shell, depends_on: [gate], inputs: {command: "seq 20000"}}
      - {id: each, type: Shell, depends_on: [gate], for_each: {items: [a.b, two words]}, inputs: {command: "echo '${item}'"}}
      - {id: fails, type: Shell, depends_on: [gate], on_failure: continue, inputs: {command: "echo no >&2; exit 3"}}
      - {id: never, type: Shell, depends_on: [gate], condition: "false", inputs: {command: "true"}}
    outputs: {lines: "${fails.exit_code}"}
"""


@pytest.fixture
async def ended(tmp_path: Path) -> AsyncIterator[tuple[World, RunState]]:
    """A world, and the state of a run in it that has a bit of everything."""
    async with world(tmp_path) as opened:
        run_id = await opened.start(MIXED, who="ana")
        yield opened, await opened.answer_and_rest(run_id, "gate", "yes")


def at(state: RunState, path: str) -> Any:
    """Return what a person's path leads to."""
    return pick(document(state), parse_path(path))


async def test_everything_of_a_run_has_a_path(ended: tuple[World, RunState]) -> None:
    """Places with dots and blanks in them, too; what is empty is left out."""
    _, state = ended

    assert at(state, "status") == "succeeded"
    assert at(state, "inputs.who") == "ana"
    assert at(state, "outputs.lines") == 3
    assert at(state, 'blocks."each[a.b]".item') == Inline(value="a.b")
    assert at(state, 'blocks."each[two words]".outputs.stdout') == Inline(value="two words")
    assert at(state, "blocks.each.parts") == {"items": 2, "left": 0, "lost": 0}
    assert at(state, "blocks.fails.failure.exit_code") == 3
    assert at(state, "blocks.never.status") == "skipped"
    assert "condition" in at(state, "blocks.never.reason")
    assert at(state, "pauses.gate.question") == "Go, ana?"
    assert (at(state, "pauses.gate.answer"), at(state, "pauses.gate.by")) == (True, "ana")
    assert at(state, "definition.blocks.big.depends_on") == {"gate": []}
    assert at(state, "definition.inputs.who.default") == "ana"
    assert at(state, "held") is MISSING


async def test_what_is_not_there_is_missing(ended: tuple[World, RunState]) -> None:
    """Whatever the path is."""
    _, state = ended

    for path in (
        "nothing",
        "blocks.nothing",
        'blocks."each[c]"',
        "blocks.big#1",
        "status.more",
        "blocks.each[]",
    ):
        assert at(state, path) is MISSING
    assert pick({"items": ["a", "b"]}, ("items", "1")) == "b"
    assert pick({"items": ["a", "b"]}, ("items", 2)) is MISSING
    assert pick({"items": ["a", "b"]}, ("items", "x")) is MISSING


async def test_a_large_value_stands_in_it_by_its_hash(ended: tuple[World, RunState]) -> None:
    """Nothing of it is read until somebody wants it."""
    _, state = ended
    value = at(state, "blocks.big.outputs.stdout")

    assert isinstance(value, Stored)
    assert plain_json(value) == {"sha256": value.sha256, "size": value.size}


async def test_its_branches_have_the_names_that_lead_somewhere(ended: tuple[World, RunState]) -> None:
    """A walk through all of it ends, and finds what paths find."""
    _, state = ended

    def walked(node: object) -> int:
        return sum(walked(node[name]) for name in node) + 1 if is_branch(node) else 1

    assert walked(document(state)) > 100
    blocks = at(state, "blocks")
    assert isinstance(blocks, Branch)
    assert list(blocks) == ["gate", "big", "each", "each[a.b]", "each[two words]", "fails", "never"]
    assert len(blocks) == 7
    assert "each[a.b]" in blocks
    assert plain_json(blocks)["never"]["status"] == "skipped"  # type: ignore[index, call-overload]


async def test_two_states_of_a_run_share_what_has_not_changed(ended: tuple[World, RunState]) -> None:
    """So that a comparison looks at what has."""
    ground, state = ended
    walker = await ground.history.walk(state.run_id)
    before, after = await walker.state(state.head - 1), await walker.state(state.head)
    one, other = document(before), document(after)
    blocks, later = one["blocks"], other["blocks"]

    assert isinstance(blocks, Branch)
    assert isinstance(later, Branch)
    assert all(blocks.shares(later, place) for place in blocks)
    assert one.shares(other, "definition")
    assert not one.shares(other, "outputs")
    path = ("blocks", "big", "outputs", "stdout")
    assert shares_path(one, other, path)
    assert shares_path(one, other, ("inputs", "who"))
    assert not shares_path(one, other, ("outputs", "lines"))
    assert not shares_path(document(await walker.state(Seq(1))), other, path)


async def test_a_question_that_was_asked_twice_has_two_names(tmp_path: Path) -> None:
    """The second time is the second."""
    text = """
        name: again
        blocks:
          - {id: gate, type: GetInput, inputs: {prompt: "Again?"}}
          - {id: check, type: Shell, depends_on: [gate], inputs: {command: "test ${gate.input_value} = yes"}}
    """
    async with world(tmp_path) as ground:
        run_id = await ground.start(text)
        await ground.answer_and_rest(run_id, "gate", "no")
        await ground.executor.rerun(run_id, BlockId("gate"), by="ana")
        state = await ground.answer_and_rest(run_id, "gate", "yes")

    assert list(at(state, "pauses")) == ["gate", "gate:2"]
    assert (at(state, "pauses.gate.answer"), at(state, "pauses.gate:2.answer")) == ("no", "yes")
