"""Whatever a block's work hands over: what no journal can hold is that block's failure, and no more."""

import asyncio
import math
from collections.abc import AsyncIterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import msgspec
import pytest

from handing import WRONG, Hands, failure_of, flow, handed
from running import World, world
from tidegate.blocks.base import BlockContext, Completed, Failed, Mark, Result
from tidegate.blocks.registry import BUILTIN
from tidegate.model.base import Json, JsonObject
from tidegate.model.events import Failure, RunStatus
from tidegate.model.ids import BlockId
from tidegate.model.policy import FailureKind, ForEach


@pytest.fixture
def hands() -> Hands:
    """The block that hands over."""
    return Hands()


@pytest.fixture
async def ground(tmp_path: Path, hands: Hands) -> AsyncIterator[World]:
    """A real store in a file."""
    blocks = {**BUILTIN, "Hands": hands}
    async with world(tmp_path, f"sqlite:///{tmp_path}/store.db", blocks=blocks) as opened:
        yield opened


# -- outputs ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("outputs", "message"),
    [
        (
            {"result": {"items": [0, {"price": Decimal("1.10")}]}},
            "outputs.result.items[1].price: Decimal is no JSON",
        ),
        ({"a": (1, 2)}, "outputs.a: tuple is no JSON: use list(...)"),
        ({"a": math.nan}, "outputs.a: nan is no JSON: use None"),
        ({"a": "\udcff"}, "outputs.a: the text holds half of a surrogate pair"),
        ({"a": 2**5000}, "outputs.a: a number of 5001 bits"),
        ({"\ud800": 1}, "outputs: the key '\\ud800': the text holds half"),
        ({1: 1}, "outputs: the key 1 is int"),
        ([1], "outputs: list is no mapping"),
        (
            {"a": "x" * (10 * 1024 * 1024)},
            "outputs: 10,485,762 bytes of JSON in 'a'; at most 10,485,760 (10 MB)",
        ),
    ],
)
async def test_outputs_that_no_journal_can_hold_fail_the_block(
    ground: World, hands: Hands, outputs: Any, message: str
) -> None:
    """As `outputs`, with the place; no retry would change it."""
    failure = failure_of(await handed(ground, hands, lambda _: Completed(outputs)))

    assert failure.kind is FailureKind.OUTPUTS
    assert failure.message.startswith(message)


async def test_outputs_are_kept_as_they_were_returned(ground: World, hands: Hands) -> None:
    """A block that goes on to change its list changes no journal."""
    kept: dict[str, Any] = {"rows": [1], "large": ["x" * 5000]}
    hands.work = lambda _: Completed(kept)
    run_id = await ground.start(flow("Hands"))
    while not hands.done:
        await asyncio.sleep(0)
    kept["rows"].append("changed")
    kept["large"].append("changed")
    await ground.rest(run_id)
    state = await ground.history.state(run_id)

    assert await ground.history.outputs(dict(state.block(BlockId("hands")).outputs)) == {
        "rows": [1],
        "large": ["x" * 5000],
    }


@pytest.mark.parametrize(
    "value", [2**64, 2**1024 - 1, -0.0, 1.0, True, "a\0b", [[]] * 300, {"": {"a.b": []}}]
)
async def test_what_json_holds_comes_back_exactly(ground: World, hands: Hands, value: Any) -> None:
    """From the file, where somebody else reads it."""
    state = await handed(ground, hands, lambda _: Completed({"value": value, "beside": [value, "x" * 5000]}))
    outputs = await ground.history.outputs(dict(state.block(BlockId("hands")).outputs))

    assert state.status is RunStatus.SUCCEEDED
    assert repr(outputs) == repr({"value": value, "beside": [value, "x" * 5000]})


async def test_a_result_that_is_none_fails_the_block(ground: World, hands: Hands) -> None:
    """A block that forgets to return."""
    failure = failure_of(await handed(ground, hands, lambda _: None))

    assert failure.kind is FailureKind.ERROR
    assert failure.message == "it returned NoneType, which is neither Completed nor Failed"


# -- failures ---------------------------------------------------------------------------------


async def test_a_failure_keeps_what_can_be_kept(ground: World, hands: Hands) -> None:
    """Its own message comes first; what was left out is named."""
    failed = Failed(
        Failure(kind=FailureKind.EXIT, message="no \udcff", exit_code=3), {"exit_code": 3, "rows": WRONG}
    )
    state = await handed(ground, hands, lambda _: failed)
    failure = failure_of(state)

    assert (failure.kind, failure.exit_code) == (FailureKind.EXIT, 3)
    assert failure.message == (
        "no \\udcff (not all of its outputs were kept: outputs.rows: tuple is no JSON: use list(...))"
    )
    assert list(state.block(BlockId("hands")).outputs) == ["exit_code"]


@pytest.mark.parametrize(
    "failure",
    [
        Failure(kind="boom", message="x"),  # type: ignore[arg-type]  # the point of it
        Failure(kind=FailureKind.ERROR, message=5),  # type: ignore[arg-type]
        Failure(kind=FailureKind.ERROR, message="x", exit_code="3"),  # type: ignore[arg-type]
        "it failed",
    ],
)
async def test_a_failure_that_no_journal_reads_is_told_as_one(
    ground: World, hands: Hands, failure: Any
) -> None:
    """Otherwise the journal could never be read again."""
    found = failure_of(await handed(ground, hands, lambda _: Failed(failure)))

    assert found.kind is FailureKind.ERROR
    assert found.message.startswith("it failed, and told nothing readable: ")


async def test_an_error_that_cannot_be_stored_is_told_all_the_same(ground: World, hands: Hands) -> None:
    """Names of files need not be UTF-8."""

    def work(_: BlockContext) -> Result:
        raise OSError("bad\udcff.txt")

    failure = failure_of(await handed(ground, hands, work))

    assert (failure.kind, failure.message) == (FailureKind.ERROR, "OSError: bad\\udcff.txt")


# -- state, marks, steps, progress -----------------------------------------------------------


async def test_state_follows_the_same_rule(ground: World, hands: Hands) -> None:
    """What is set has a place, too."""

    def work(context: BlockContext) -> Result:
        context.state["seen"] = {"ids": {1, 2}}  # type: ignore[dict-item]  # the point of it
        return Completed()

    failure = failure_of(await handed(ground, hands, work))

    assert failure.kind is FailureKind.OUTPUTS
    assert failure.message == "state.seen.ids: set is no JSON: use sorted(...)"


async def test_a_change_in_place_is_a_change(ground: World, hands: Hands) -> None:
    """And 1 in place of true is one."""
    turns: list[JsonObject] = []

    def work(context: BlockContext) -> Result:
        turns.append(msgspec.json.decode(msgspec.json.encode(dict(context.state))))
        rows = context.state.setdefault("rows", [True])
        assert isinstance(rows, list)
        rows[0] = 1 if len(turns) > 1 else True
        rows.append(len(turns))
        return Completed()

    one = flow("Hands")
    three = tuple(one.blocks[0].evolve(id=BlockId(f"b{number}")) for number in range(3))
    hands.work = work
    state = await ground.run(one.evolve(blocks=three, waves=tuple((block.id,) for block in three)))

    assert state.status is RunStatus.SUCCEEDED
    assert repr(turns) == "[{}, {'rows': [True, 1]}, {'rows': [1, 1, 2]}]"


@pytest.mark.parametrize(
    ("mark", "message"),
    [
        (Mark("done", {"at": WRONG}), "checkpoint.at: tuple is no JSON: use list(...)"),
        (Mark("\ud800"), "checkpoint: the text holds half of a surrogate pair"),
        (Mark(5), "checkpoint: its label is int, and is to be a text"),  # type: ignore[arg-type]
        (Mark("done", {"rows": "x" * 11_000_000}), "checkpoint: 11,000,002 bytes of JSON in 'rows'; at most"),
    ],
)
async def test_marks_follow_the_same_rule(ground: World, hands: Hands, mark: Mark, message: str) -> None:
    """Their labels are texts, and their metadata JSON."""

    def work(context: BlockContext) -> Result:
        context.marks.append(mark)
        return Completed()

    failure = failure_of(await handed(ground, hands, work))

    assert failure.kind is FailureKind.OUTPUTS
    assert failure.message.startswith(message)


@pytest.mark.parametrize(
    ("key", "value", "kind", "message"),
    [
        (
            "charge",
            {"sum": Decimal(1)},
            FailureKind.OUTPUTS,
            "step 'charge'.sum: Decimal is no JSON: use str",
        ),
        (
            "charge",
            "x" * 11_000_000,
            FailureKind.OUTPUTS,
            "step 'charge': 11,000,002 bytes of JSON in 'charge'",
        ),
        ("\ud800", 1, FailureKind.ERROR, "ValueError: the key of a step is a text of 1 to 200 characters"),
        ("", 1, FailureKind.ERROR, "ValueError: the key of a step is a text of 1 to 200 characters"),
        (5, 1, FailureKind.ERROR, "ValueError: the key of a step is a text of 1 to 200 characters, not 5"),
    ],
)
async def test_steps_follow_the_same_rule(
    ground: World, hands: Hands, key: Any, value: Any, kind: FailureKind, message: str
) -> None:
    """A step that cannot be recorded is not done."""

    async def work(context: BlockContext) -> Result:
        await context.record_step(key, value)
        return Completed()

    failure = failure_of(await handed(ground, hands, work))

    assert failure.kind is kind
    assert failure.message.startswith(message)


async def test_a_recorded_step_is_no_longer_the_blocks_own(ground: World, hands: Hands) -> None:
    """What is changed afterwards does not change what a later attempt would find."""
    seen: list[Json] = []

    async def work(context: BlockContext) -> Result:
        rows: list[Json] = [1]
        await context.record_step("rows", rows)
        rows.append(2)
        seen.append(context.steps["rows"])
        return Completed()

    assert (await handed(ground, hands, work)).status is RunStatus.SUCCEEDED
    assert seen == [[1]]


@pytest.mark.parametrize("fraction", [math.nan, math.inf])
async def test_progress_is_a_number(ground: World, hands: Hands, fraction: float) -> None:
    """A journal with NaN in it could not be read again."""

    async def work(context: BlockContext) -> Result:
        await context.note_progress(fraction, "far")
        return Completed()

    failure = failure_of(await handed(ground, hands, work))

    assert failure.message == f"ValueError: progress is a number from 0 to 1, not {fraction}"


async def test_a_word_on_progress_is_stored_as_far_as_it_can_be(ground: World, hands: Hands) -> None:
    """It is for people: no reason to fail."""

    async def work(context: BlockContext) -> Result:
        await context.note_progress(7, "at \udcff")
        return Completed()

    state = await handed(ground, hands, work)
    notes = [record.event for record in await ground.events(state.run_id) if "Progress" in repr(record.event)]

    assert state.status is RunStatus.SUCCEEDED
    assert [(note.fraction, note.message) for note in notes] == [(1.0, "at \\udcff")]  # type: ignore[union-attr]


# -- what was composed, and what was written --------------------------------------------------


async def test_results_of_items_are_not_limited_together(tmp_path: Path) -> None:
    """Each was within the limit, and all of them have done their work."""
    hands = Hands(lambda _: Completed({"rows": "x" * 4_000_000}))
    block = flow("Hands").blocks[0].evolve(for_each=ForEach(items=[1, 2, 3]))
    async with world(tmp_path, blocks={**BUILTIN, "Hands": hands}) as ground:
        state = await ground.run(flow("Hands").evolve(blocks=(block,)))

    assert state.status is RunStatus.SUCCEEDED


async def test_a_deep_result_of_an_item_is_one_in_the_list_of_results(tmp_path: Path) -> None:
    """There it is three deeper; that is the engine's doing, and no fault of the block's."""
    deep: Any = 1
    for _ in range(199):
        deep = [deep]
    block = flow("Hands").blocks[0].evolve(for_each=ForEach(items=[1]))
    async with world(
        tmp_path, blocks={**BUILTIN, "Hands": Hands(lambda _: Completed({"a": deep}))}
    ) as ground:
        state = await ground.run(flow("Hands").evolve(blocks=(block,)))

    assert state.status is RunStatus.SUCCEEDED
