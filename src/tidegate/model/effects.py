"""What running a block may do beyond its run: change something outside, or put a question to somebody.

A block that calls another workflow does what the blocks of that one do.
"""

from collections.abc import Callable

from tidegate.model.policy import OnFailure
from tidegate.model.workflow import BlockDefinition, Effect, WorkflowDefinition

__all__ = ["asks_if_it_fails", "asks_somebody", "called_by", "has_effect", "is_reversible"]

_CALLS = "workflow"
"""The input that names the workflow which a block calls; only those that are called are among the children."""
_DEEPEST = 10
"""Workflows that call each other; beyond it the worst is assumed."""


def has_effect(block: BlockDefinition, workflow: WorkflowDefinition) -> bool:
    """Return whether running *block* of *workflow* may change something outside."""
    return _any(block, workflow, lambda it: it.effect is Effect.ONCE and not it.interactive, _DEEPEST)


def is_reversible(block: BlockDefinition, workflow: WorkflowDefinition) -> bool:
    """Return whether what *block* of *workflow* does outside can be undone, as far as its author knows."""
    return not _any(block, workflow, lambda it: not it.reversible, _DEEPEST)


def asks_somebody(block: BlockDefinition, workflow: WorkflowDefinition) -> bool:
    """Return whether running *block* of *workflow* may put a question to somebody."""
    return _any(block, workflow, lambda it: it.interactive, _DEEPEST)


def asks_if_it_fails(block: BlockDefinition, workflow: WorkflowDefinition) -> bool:
    """Return whether somebody is asked what to do where *block* fails, or something of what it calls."""
    return _any(block, workflow, lambda it: it.on_failure is OnFailure.PAUSE, _DEEPEST)


def called_by(block: BlockDefinition, workflow: WorkflowDefinition) -> WorkflowDefinition | None:
    """Return the workflow that *block* calls; None: it calls none."""
    return workflow.children.get(str(block.inputs.get(_CALLS)))


def _any(
    block: BlockDefinition,
    workflow: WorkflowDefinition,
    holds: Callable[[BlockDefinition], bool],
    deep: int,
) -> bool:
    called = called_by(block, workflow)
    if holds(block) or called is None:
        return holds(block)
    return not deep or any(_any(inner, called, holds, deep - 1) for inner in called.blocks)
