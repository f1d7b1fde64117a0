"""`plan(state) -> actions`: what to do next, decided from values alone.

Pure. The driver carries the actions out, which adds events, and plans again on the state after
them, until there is nothing left to decide: then it waits for an attempt to end, an answer, or
a cancel. Planning looks at what is queued, never at the whole workflow.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TypeAlias

from tidegate.model.events import RunStatus
from tidegate.model.ids import BlockId
from tidegate.model.state import BlockStatus, RunState
from tidegate.model.workflow import BlockDefinition, Dependency, Outcome
from tidegate.workflows.expressions import compile_condition
from tidegate.workflows.render import names_of

__all__ = ["Action", "CompleteWave", "Consider", "Finish", "Recover", "Settle", "Skip", "StartWave", "plan"]


@dataclass(frozen=True, slots=True)
class StartWave:
    """Let the blocks of a wave be considered."""

    wave: int


@dataclass(frozen=True, slots=True)
class CompleteWave:
    """Every block of the wave has ended."""

    wave: int


@dataclass(frozen=True, slots=True)
class Consider:
    """Evaluate the block's condition and inputs, then start it, ask, or skip it."""

    block: BlockId


@dataclass(frozen=True, slots=True)
class Skip:
    """The block's dependencies ended in a way that leaves it nothing to do."""

    block: BlockId
    reason: str


@dataclass(frozen=True, slots=True)
class Settle:
    """The block's pause was answered, or has expired: make an outcome of it."""

    block: BlockId


@dataclass(frozen=True, slots=True)
class Recover:
    """The block was running when its process died."""

    block: BlockId


@dataclass(frozen=True, slots=True)
class Finish:
    """Nothing is left to do."""

    status: RunStatus


Action: TypeAlias = StartWave | CompleteWave | Consider | Skip | Settle | Recover | Finish


def plan(state: RunState) -> tuple[Action, ...]:
    """Return what to do next; empty when there is nothing to do but wait."""
    if state.finished is not None:
        return ()
    if state.cancel is not None:
        return () if state.count(BlockStatus.RUNNING) else (Finish(RunStatus.CANCELLED),)
    if state.wave < 0:
        return (StartWave(0),)
    return tuple(_decide(state)) or tuple(_consider(state)) or tuple(_turn_wave(state))


def _decide(state: RunState) -> Iterator[Action]:
    for block_id in state.attention:
        if state.block(block_id).status is BlockStatus.INTERRUPTED:
            yield Recover(block_id)
        else:
            yield Settle(block_id)


def _consider(state: RunState) -> Iterator[Action]:
    for block_id in state.asking:
        yield _verdict(state, block_id)
    slots = state.graph.definition.max_parallel - state.count(BlockStatus.RUNNING)
    # At most `slots` blocks may start now; the skipped ones among them are replaced on the next round.
    for block_id in islice(state.work, max(slots, 0)):
        yield _verdict(state, block_id)


def _turn_wave(state: RunState) -> Iterator[Action]:
    if state.blocks_left(state.wave):
        return
    yield CompleteWave(state.wave)
    if state.wave + 1 < state.total_waves:
        yield StartWave(state.wave + 1)
    else:
        yield Finish(_end_status(state))


def _end_status(state: RunState) -> RunStatus:
    if state.count(BlockStatus.FAILED):
        return RunStatus.FAILED
    return RunStatus.REJECTED if state.count(BlockStatus.REJECTED) else RunStatus.SUCCEEDED


# -- the join rule ----------------------------------------------------------------------------


def _verdict(state: RunState, block_id: BlockId) -> Consider | Skip:
    block = state.graph.blocks[block_id]
    reason = why_skipped(state, block)
    return Skip(block_id, reason) if reason else Consider(block_id)


def why_skipped(state: RunState, block: BlockDefinition) -> str:
    """Return why the join rule skips *block*; empty if it may run.

    By default a block runs if none of its direct dependencies failed or was rejected and at
    least one succeeded. A dependency with `when` asks for certain outcomes instead. A rejected
    gate that the block's own condition names is left to that condition.
    """
    satisfied = not block.depends_on
    for dependency in block.depends_on:
        status = state.block(dependency.block).status
        if dependency.when:
            if Outcome(status.value) not in dependency.when:
                return f"'{dependency.block}' {_was(status)}, and it runs only if that is {' or '.join(dependency.when)}"
            satisfied = True
        elif status in _HINDERS and not _is_left_to_condition(state, block, dependency, status):
            return f"'{dependency.block}' {_was(status)}"
        else:
            satisfied = satisfied or status is not BlockStatus.SKIPPED
    return "" if satisfied else _none_succeeded(block)


_HINDERS = frozenset({BlockStatus.FAILED, BlockStatus.REJECTED, BlockStatus.CANCELLED})


def _is_left_to_condition(
    state: RunState, block: BlockDefinition, dependency: Dependency, status: BlockStatus
) -> bool:
    if status is not BlockStatus.REJECTED or block.condition is None:
        return False
    names = names_of(state.graph.definition)
    return dependency.block in compile_condition(block.condition, names).blocks


def _was(status: BlockStatus) -> str:
    return status.value if status in (BlockStatus.FAILED, BlockStatus.SUCCEEDED) else f"was {status.value}"


def _none_succeeded(block: BlockDefinition) -> str:
    names = ", ".join(f"'{dependency.block}'" for dependency in block.depends_on)
    return f"{names} was skipped" if len(block.depends_on) == 1 else f"all of {names} were skipped"
