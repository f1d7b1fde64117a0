"""What a block type says when it is asked, and what people say: nothing of it stops a run, or spoils its journal."""

import math
from pathlib import Path
from typing import Any

import pytest

from handing import Asks, Calls, Nan, Says, Soon, failure_of, flow
from running import world
from tidegate.blocks.base import Asked, Completed, Rejected, TimerBlock
from tidegate.blocks.registry import BUILTIN
from tidegate.model.answer import Reply
from tidegate.model.events import RunFinished
from tidegate.model.ids import BlockId
from tidegate.model.policy import FailureKind
from tidegate.model.prompt import ConfirmPrompt, InputKind, InputPrompt
from tidegate.model.workflow import InputDefinition, InputType

# -- questions and calls ----------------------------------------------------------------------


@pytest.mark.parametrize("kind", [Completed, Rejected])
async def test_what_a_question_is_made_into_follows_the_same_rule(tmp_path: Path, kind: Any) -> None:
    """A yes and a no alike: the run does not stop, it fails."""
    blocks = {**BUILTIN, "Says": Says(kind({"at": b"x"}))}
    async with world(tmp_path, blocks=blocks) as ground:
        run_id = await ground.start(flow("Says"))
        state = await ground.answer_and_rest(run_id, "says", "yes")

    failure = failure_of(state, "says")
    assert failure.kind is FailureKind.OUTPUTS
    assert failure.message == "outputs.at: bytes is no JSON: use .decode(), or base64"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"rows": [(1,)]}, "it calls 'below': inputs.rows[0]: tuple is no JSON: use list(...)"),
        ({"rows": [math.nan]}, "it calls 'below': inputs.rows[0]: nan is no JSON: use None"),
    ],
)
async def test_what_is_passed_to_another_run_follows_the_same_rule(
    tmp_path: Path, given: Any, message: str
) -> None:
    """It is journalled with the call."""
    rows = InputDefinition(name="rows", type=InputType.LIST)
    below = flow("Hands").evolve(name="below", inputs=(rows,))
    async with world(tmp_path, blocks={**BUILTIN, "Calls": Calls(given)}) as ground:
        state = await ground.run(flow("Calls", children={"below": below}))

    failure = failure_of(state, "calls")
    assert (failure.kind, failure.message) == (FailureKind.INPUTS, message)


async def test_words_of_people_are_stored_as_far_as_they_can_be(tmp_path: Path) -> None:
    """Names and reasons come from a command line, where they need not be UTF-8."""
    gate = flow("Hands").blocks[0].evolve(id=BlockId("gate"), type="ConfirmOperation", interactive=True)
    asks = flow("Hands").evolve(blocks=(gate.evolve(inputs={"message": "Go?"}),), waves=((BlockId("gate"),),))
    async with world(tmp_path, f"sqlite:///{tmp_path}/store.db") as ground:
        run_id = await ground.executor.start(asks, {}, by="bo\udcff")
        await ground.rest(run_id)
        await ground.executor.pause(run_id, by="bo\udcff", reason="why\udcff")
        await ground.executor.unpause(run_id, by="bo\udcff")
        pause = await ground.pause_of(run_id, "gate")
        await ground.executor.answer(pause.pause_id, Reply(raw="no", by="bo\udcff", via="test"))
        await ground.rest(run_id)
        await ground.executor.rerun(run_id, BlockId("gate"), by="bo\udcff")
        await ground.executor.cancel(run_id, by="bo\udcff", reason="why\udcff")
        await ground.rest(run_id)
        events = [record.event for record in await ground.events(run_id)]

    assert sum("by='bo\\\\udcff'" in repr(event) for event in events) == 6
    assert isinstance(events[-1], RunFinished)
    assert events[-1].reason == "cancelled by bo\\udcff: why\\udcff"


GO = ConfirmPrompt(message="Go?")
JSON_PROMPT = InputPrompt(prompt="Settings?", input_type=InputKind.JSON)


@pytest.mark.parametrize(
    ("prompt", "kind", "message"),
    [
        (RuntimeError("boom"), FailureKind.ERROR, "RuntimeError: boom"),
        (
            GO.evolve(message="Go\udcff?"),
            FailureKind.OUTPUTS,
            "its question is nothing that a journal can hold",
        ),
        (JSON_PROMPT.evolve(default=math.nan), FailureKind.OUTPUTS, "its question is nothing that a journal"),
        (JSON_PROMPT.evolve(default=(1, 2)), FailureKind.OUTPUTS, "its question is nothing that a journal"),
        (
            GO.evolve(message=5),
            FailureKind.OUTPUTS,
            "its question is nothing that a journal can hold: Expected",
        ),
        ("Go?", FailureKind.OUTPUTS, "its question is nothing that a journal can hold"),
    ],
)
async def test_a_question_follows_the_same_rule(
    tmp_path: Path, prompt: Any, kind: FailureKind, message: str
) -> None:
    """When it is asked, and when it is asked again: the run does not stop, it fails."""
    async with world(tmp_path, blocks={**BUILTIN, "Says": Asks(Completed(), prompt=prompt)}) as ground:
        first = failure_of(await ground.run(flow("Says")), "says")
    result: Any = prompt if isinstance(prompt, Exception) else Asked(prompt)
    async with world(tmp_path, blocks={**BUILTIN, "Says": Says(result)}) as ground:
        run_id = await ground.start(flow("Says"))
        again = failure_of(await ground.answer_and_rest(run_id, "says", "yes"), "says")

    assert first.kind is kind
    assert first.message.startswith(message)
    if not isinstance(prompt, Exception):
        assert again == first


async def test_an_answer_that_is_made_into_nothing_fails_the_block(tmp_path: Path) -> None:
    """Otherwise it would be asked for ever what becomes of it."""
    nothing: Any = None
    async with world(tmp_path, blocks={**BUILTIN, "Says": Says(nothing)}) as ground:
        run_id = await ground.start(flow("Says"))
        state = await ground.answer_and_rest(run_id, "says", "yes")

    assert failure_of(state, "says").message == "it made NoneType of its answer, which is no result"


@pytest.mark.parametrize(
    ("block", "message"),
    [(Nan(), "it would wait until nan, which is no instant"), (Soon(), "LookupError: gone")],
)
async def test_a_timer_follows_the_same_rule(tmp_path: Path, block: TimerBlock, message: str) -> None:
    """NaN in a journal would be nothing when it is read."""
    name = block.spec.type
    async with world(tmp_path, blocks={**BUILTIN, name: block}) as ground:
        state = await ground.run(flow(name))

    assert failure_of(state, name.lower()).message == message
    assert state.block(BlockId(name.lower())).summary == "\\ud800"
