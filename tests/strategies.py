"""Hypothesis strategies: workflows, and what people answer in them."""

import re
from dataclasses import dataclass

import msgspec
from hypothesis import strategies as st

from tidegate.model.ids import BlockId, block_of
from tidegate.model.listing import PauseRow
from tidegate.model.policy import ForEach, Loop, OnFailure, RetryPolicy
from tidegate.model.prompt import RecoveryPrompt
from tidegate.model.workflow import BlockDefinition, Dependency, Effect, Outcome, Schedule, WorkflowDefinition

__all__ = ["Case", "cases", "trees"]


@dataclass(frozen=True)
class Case:
    """A workflow, and what a person answers at each gate, and about each block that has failed."""

    definition: WorkflowDefinition
    answers: dict[str, str]

    def answer_to(self, pause: PauseRow) -> str:
        """Return what a person answers."""
        if isinstance(pause.prompt, RecoveryPrompt) and not pause.prompt.failure:
            return "rerun"
        return self.answers[block_of(pause.block)]


@st.composite
def cases(draw: st.DrawFn, max_blocks: int = 7) -> Case:
    """Return a random DAG of scripted blocks, timers and gates, with random outcomes and answers."""
    count = draw(st.integers(1, max_blocks))
    blocks = [draw(_block(index)) for index in range(count)]
    definition = WorkflowDefinition(
        name="random",
        schedule=draw(st.sampled_from(Schedule)),
        max_parallel=draw(st.integers(1, 3)),
        blocks=tuple(blocks),
        waves=_waves(blocks),
        outputs={f"out_{block.id}": f"${{{block.id}.status}}" for block in blocks},
        working_dir="/",
    )
    return Case(definition, {str(block.id): draw(_answer(block)) for block in blocks})


@st.composite
def trees(draw: st.DrawFn) -> Case:
    """Return a random workflow of which a block or two call another random one, some for each of two items."""
    above, below = draw(cases(max_blocks=4)), draw(cases(max_blocks=3))
    # Below, other names: what is answered goes by the block that asks.
    text = msgspec.json.encode(below.definition).decode()
    child = msgspec.json.decode(re.sub(r"\bb(\d)\b", r"c\1", text), type=WorkflowDefinition).evolve(
        name="below"
    )
    callers = set(draw(st.lists(st.integers(0, len(above.definition.blocks) - 1), min_size=1, max_size=2)))
    blocks = [
        draw(_call(block)) if index in callers else block
        for index, block in enumerate(above.definition.blocks)
    ]
    definition = above.definition.evolve(blocks=tuple(blocks), children={"below": child})
    return Case(
        definition, {**above.answers, **{f"c{block[1:]}": raw for block, raw in below.answers.items()}}
    )


@st.composite
def _call(draw: st.DrawFn, block: BlockDefinition) -> BlockDefinition:
    return BlockDefinition(
        id=block.id,
        type="Call",
        depends_on=block.depends_on,
        always=block.always,
        effect=Effect.IDEMPOTENT,
        inputs={"workflow": "below"},
        for_each=draw(st.sampled_from([None, None, ForEach(items=["a", "b"])])),
        on_failure=draw(st.sampled_from([OnFailure.FAIL, OnFailure.CONTINUE])),
    )


def _answer(block: BlockDefinition) -> st.SearchStrategy[str]:
    return st.sampled_from(["yes", "no"] if block.interactive else ["done", "skip", "fail"])


@st.composite
def _block(draw: st.DrawFn, index: int) -> BlockDefinition:
    earlier = draw(st.lists(st.integers(0, index - 1), unique=True, max_size=3)) if index else []
    always = draw(st.integers(0, 5)) == 0
    depends_on = tuple(
        Dependency(block=BlockId(f"b{number}"), when=() if always else draw(_WHEN))
        for number in sorted(earlier)
    )
    block = BlockDefinition(
        id=BlockId(f"b{index}"),
        type="Scripted",
        depends_on=depends_on,
        condition=draw(st.sampled_from([None, None, "1 == 1", "1 == 2"])),
        effect=Effect.IDEMPOTENT,
        always=always,
    )
    kind = draw(st.sampled_from(["work", "work", "gate", "items", "loop", "timer"]))
    return draw(_KINDS[kind](block))


@st.composite
def _work(draw: st.DrawFn, block: BlockDefinition) -> BlockDefinition:
    attempts = draw(st.integers(1, 3))
    fails = draw(st.integers(0, 3)) == 0
    return block.evolve(
        # A success after failures must be one however many attempts a crash has cut off.
        inputs={"value": block.id, "fail": fails, "fail_first": draw(st.integers(0, attempts - 1))},
        retry=RetryPolicy(max_attempts=attempts, delay=draw(st.sampled_from([0.0, 0.01])))
        if attempts > 1
        else None,
        on_failure=draw(st.sampled_from([OnFailure.FAIL, *OnFailure])),
    )


@st.composite
def _gate(draw: st.DrawFn, block: BlockDefinition) -> BlockDefinition:
    on_reject = draw(st.sampled_from(["stop", "continue"]))
    return block.evolve(
        type="ConfirmOperation",
        condition=None,
        interactive=True,
        inputs={"message": f"Go on at {block.id}?", "on_reject": on_reject},
        for_each=draw(st.sampled_from([None, None, ForEach(items=["a", "b"])])),
    )


@st.composite
def _items(draw: st.DrawFn, block: BlockDefinition) -> BlockDefinition:
    items = draw(st.lists(st.sampled_from(["a", "b", "c"]), unique=True, max_size=3))
    return block.evolve(
        inputs={
            "value": "${item}",
            "echo": "${index}",
            "fail": draw(st.sampled_from([False, "${{ item == 'b' }}"])),
        },
        for_each=ForEach(
            items=list(items),
            max_parallel=draw(st.sampled_from([None, 1, 2])),
            # What has started when one fails depends on who is faster, unless it is one at a time.
        ),
        condition=draw(st.sampled_from([None, "${item} != 'c'"])),
        on_failure=draw(st.sampled_from([OnFailure.FAIL, OnFailure.CONTINUE])),
    )


@st.composite
def _loop(draw: st.DrawFn, block: BlockDefinition) -> BlockDefinition:
    last = draw(st.integers(0, 3))
    return block.evolve(
        inputs={"value": "${index}"},
        loop=Loop(
            until=f"${{{block.id}.value}} >= {last}",
            max_iterations=3,
            delay=draw(st.sampled_from([0.0, 0.01])),
        ),
    )


@st.composite
def _timer(draw: st.DrawFn, block: BlockDefinition) -> BlockDefinition:
    return block.evolve(
        type="Tick", inputs={"seconds": draw(st.sampled_from([0.0, 0.01]))}, effect=Effect.PURE
    )


_KINDS = {"work": _work, "gate": _gate, "items": _items, "loop": _loop, "timer": _timer}

_WHEN = st.sampled_from(
    [(), (), (), (Outcome.SUCCEEDED, Outcome.SKIPPED), (Outcome.FAILED, Outcome.REJECTED)]
)


def _waves(blocks: list[BlockDefinition]) -> tuple[tuple[BlockId, ...], ...]:
    level: dict[BlockId, int] = {}
    for block in blocks:
        level[block.id] = 1 + max((level[dependency.block] for dependency in block.depends_on), default=-1)
    return tuple(
        tuple(block.id for block in blocks if level[block.id] == wave)
        for wave in range(max(level.values()) + 1)
    )
