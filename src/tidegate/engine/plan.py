"""`plan(state) -> actions`: what to do next, decided from values alone.

Pure. The driver carries the actions out, which adds events, and plans again on the state after
them, until there is nothing left to decide: then it waits for an attempt to end, an answer, a
timer, or a cancel. Planning looks at what is queued, never at the whole workflow.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice
from typing import TypeAlias

from tidegate.model.events import RunStatus
from tidegate.model.ids import BlockId, is_part
from tidegate.model.policy import OnFailure
from tidegate.model.state import BlockStatus, RunState
from tidegate.model.workflow import BlockDefinition, Dependency, Outcome
from tidegate.workflows.expressions import compile_condition
from tidegate.workflows.render import names_of

__all__ = [
    "Action",
    "CompleteWave",
    "Consider",
    "Elapse",
    "Finish",
    "Gather",
    "Recover",
    "Settle",
    "Skip",
    "StartWave",
    "end_status",
    "plan",
]


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
    """Evaluate the place's condition and inputs, then start it, ask, expand it, or skip it."""

    block: BlockId


@dataclass(frozen=True, slots=True)
class Skip:
    """The block's dependencies ended in a way that leaves it nothing to do."""

    block: BlockId
    reason: str


@dataclass(frozen=True, slots=True)
class Settle:
    """The place's pause was answered, or has expired: make an outcome of it."""

    block: BlockId


@dataclass(frozen=True, slots=True)
class Recover:
    """The place was running when its process died, or has failed and a person is to say what now."""

    block: BlockId


@dataclass(frozen=True, slots=True)
class Gather:
    """All parts of the block have ended: make an outcome of them, or begin another iteration."""

    block: BlockId


@dataclass(frozen=True, slots=True)
class Elapse:
    """The instant that the block waited for has come."""

    block: BlockId


@dataclass(frozen=True, slots=True)
class Finish:
    """Nothing is left to do."""

    status: RunStatus


Action: TypeAlias = StartWave | CompleteWave | Consider | Skip | Settle | Recover | Gather | Elapse | Finish


def plan(state: RunState, now: float) -> tuple[Action, ...]:
    """Return what to do next; empty when there is nothing to do but wait.

    Args:
        state: Where the run stands.
        now: Seconds since 1970 UTC: which timers are due.
    """
    if state.finished is not None or (state.held is not None and not state.is_stopping):
        return ()
    # Most of the time one of them is all there is.
    if state.attention:
        return tuple(_decide(state))
    if (state.asking or state.work or state.timers) and (actions := tuple(_consider(state, now))):
        return actions
    if state.wave >= 0 and state.blocks_left(state.wave):
        return ()
    return tuple(_turn_wave(state))


def _decide(state: RunState) -> Iterator[Action]:
    for place in state.attention:
        if state.block(place).status is BlockStatus.INTERRUPTED:
            yield Recover(place)
        elif state.block(place).fan is not None:
            yield Gather(place)
        else:
            yield Settle(place)


def _consider(state: RunState, now: float) -> Iterator[Action]:
    for place in state.asking:
        yield _verdict(state, place)
    due = [place for place, at in state.timers.items() if at <= now]
    again = []
    for place in sorted(due):
        if state.block(place).status is BlockStatus.PENDING:
            again.append(place)
        else:
            yield Elapse(place)
    slots = state.graph.definition.max_parallel - state.active
    # At most `slots` places may start now; the skipped ones among them are replaced on the next round.
    for place in islice(chain(again, state.work), max(slots, 0)):
        yield _verdict(state, place)


def _turn_wave(state: RunState) -> Iterator[Action]:
    """Yield what follows when the blocks of a wave have ended."""
    if state.wave >= 0:
        yield CompleteWave(state.wave)
    following = range(state.wave + 1, state.total_waves)
    # Waves with nothing left are passed over: so are all but the clean-up's once a run is cancelled.
    unfinished = next((wave for wave in following if state.blocks_left(wave)), None)
    yield Finish(end_status(state)) if unfinished is None else StartWave(unfinished)


def end_status(state: RunState) -> RunStatus:
    """Return as what the run would end if it ended now."""
    if state.cancel is not None:
        return RunStatus.CANCELLED
    if state.timed_out or state.failed:
        return RunStatus.FAILED
    return RunStatus.REJECTED if state.count(BlockStatus.REJECTED) else RunStatus.SUCCEEDED


# -- the join rule ----------------------------------------------------------------------------


def _verdict(state: RunState, place: BlockId) -> Consider | Skip:
    # A part, or another attempt, belongs to a block that the rule has let through already.
    if is_part(place) or state.block(place).wake_at is not None:
        return Consider(place)
    reason = why_skipped(state, state.graph.blocks[place])
    return Skip(place, reason) if reason else Consider(place)


def why_skipped(state: RunState, block: BlockDefinition) -> str:
    """Return why the join rule skips *block*; empty if it may run.

    By default a block runs if none of its direct dependencies failed or was rejected and at
    least one succeeded. A dependency with `when` asks for certain outcomes instead. A rejected
    gate that the block's own condition names is left to that condition, a tolerated failure
    counts as a success, and what runs `always` is never skipped.
    """
    if block.always:
        return ""
    satisfied = not block.depends_on
    for dependency in block.depends_on:
        status = state.block(dependency.block).status
        if dependency.when:
            if Outcome(status.value) not in dependency.when:
                return f"'{dependency.block}' {_was(status)}, and it runs only if that is {' or '.join(dependency.when)}"
            satisfied = True
        elif status in _HINDERS and not (
            _is_tolerated(state, dependency, status)
            or _is_left_to_condition(state, block, dependency, status)
        ):
            return f"'{dependency.block}' {_was(status)}"
        else:
            satisfied = satisfied or status is not BlockStatus.SKIPPED
    return "" if satisfied else _none_succeeded(block)


_HINDERS = frozenset({BlockStatus.FAILED, BlockStatus.REJECTED, BlockStatus.CANCELLED})


def _is_tolerated(state: RunState, dependency: Dependency, status: BlockStatus) -> bool:
    needed = state.graph.blocks[dependency.block]
    return status is BlockStatus.FAILED and needed.on_failure is OnFailure.CONTINUE


def _is_left_to_condition(
    state: RunState, block: BlockDefinition, dependency: Dependency, status: BlockStatus
) -> bool:
    if status is not BlockStatus.REJECTED or block.condition is None:
        return False
    names = names_of(state.graph.definition, block)
    return dependency.block in compile_condition(block.condition, names).blocks


def _was(status: BlockStatus) -> str:
    return status.value if status in (BlockStatus.FAILED, BlockStatus.SUCCEEDED) else f"was {status.value}"


def _none_succeeded(block: BlockDefinition) -> str:
    names = ", ".join(f"'{dependency.block}'" for dependency in block.depends_on)
    return f"{names} was skipped" if len(block.depends_on) == 1 else f"all of {names} were skipped"
