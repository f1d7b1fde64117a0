"""Hypothesis strategies: workflows, and what people answer in them."""

from dataclasses import dataclass

from hypothesis import strategies as st

from tidegate.model.ids import BlockId
from tidegate.model.workflow import BlockDefinition, Dependency, Effect, Outcome, Schedule, WorkflowDefinition

__all__ = ["Case", "cases"]


@dataclass(frozen=True)
class Case:
    """A workflow, and what a person answers at each gate."""

    definition: WorkflowDefinition
    answers: dict[str, str]


@st.composite
def cases(draw: st.DrawFn, max_blocks: int = 7) -> Case:
    """Return a random DAG of scripted blocks and gates, with random outcomes and answers."""
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
    answers = {str(block.id): draw(st.sampled_from(["yes", "no"])) for block in blocks if block.interactive}
    return Case(definition, answers)


@st.composite
def _block(draw: st.DrawFn, index: int) -> BlockDefinition:
    earlier = draw(st.lists(st.integers(0, index - 1), unique=True, max_size=3)) if index else []
    depends_on = tuple(
        Dependency(block=BlockId(f"b{number}"), when=draw(_WHEN)) for number in sorted(earlier)
    )
    if draw(st.booleans()) and draw(st.booleans()):
        return BlockDefinition(
            id=BlockId(f"b{index}"),
            type="ConfirmOperation",
            inputs={
                "message": f"Go on at {index}?",
                "on_reject": draw(st.sampled_from(["stop", "continue"])),
            },
            depends_on=depends_on,
            interactive=True,
        )
    return BlockDefinition(
        id=BlockId(f"b{index}"),
        type="Scripted",
        inputs={"value": index, "fail": draw(st.integers(0, 4)) == 0},
        depends_on=depends_on,
        condition=draw(st.sampled_from([None, None, "1 == 1", "1 == 2"])),
        effect=Effect.IDEMPOTENT,
    )


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
