"""How a state changes when an attempt begins or ends, and when a block runs in parts or as another run."""

from typing import TypeAlias, assert_never

from tidegate.model.events import (
    AttemptCancelled,
    AttemptFailed,
    AttemptInterrupted,
    AttemptRejected,
    AttemptStarted,
    AttemptSucceeded,
    BlockExpanded,
    BlockSkipped,
    ChildMoved,
    ChildPaused,
    ChildStarted,
    LoopTurned,
    ProgressNoted,
    StepRecorded,
    TimerSet,
)
from tidegate.model.ids import BlockId, Seq, item_place, iteration_place
from tidegate.model.policy import OnFailure
from tidegate.model.state import BlockState, BlockStatus, Child, Fan, Progress, RunState

__all__ = ["AttemptEvent", "PartEvent", "apply_attempt", "apply_part"]

AttemptEvent: TypeAlias = (
    AttemptStarted
    | AttemptSucceeded
    | AttemptFailed
    | AttemptRejected
    | AttemptCancelled
    | AttemptInterrupted
    | BlockSkipped
)


def apply_attempt(state: RunState, event: AttemptEvent, at: float) -> RunState:
    """Return *state* after an attempt has begun or ended."""
    match event:
        case AttemptStarted():
            return _start(state, event, at)
        case AttemptFailed():
            return _fail(state, event, at)
        case AttemptInterrupted():
            block = state.block(event.block).evolve(status=BlockStatus.INTERRUPTED, reason=event.reason)
            return _attend(state.with_block(event.block, block), event.block)
        case _:
            return _end(state, event, at)


def _attend(state: RunState, place: BlockId) -> RunState:
    return state.evolve(attention=state.attention.push([place]))


def _start(state: RunState, event: AttemptStarted, at: float) -> RunState:
    before = state.block(event.block)
    started = BlockState(
        status=BlockStatus.RUNNING,
        attempt=event.attempt,
        key=event.key,
        summary=event.summary,
        started_at=at,
        failures=before.failures,
        pause_id=before.pause_id,
        child=before.child,
        steps=before.steps,
    )
    return state.dequeue(event.block).with_block(event.block, started)


def _end(
    state: RunState, event: AttemptSucceeded | AttemptRejected | AttemptCancelled | BlockSkipped, at: float
) -> RunState:
    before = state.block(event.block)
    closed: dict[str, object] = {"ended_at": at, "wake_at": None, "child_pauses": 0}
    match event:
        case AttemptSucceeded():
            # Also of one that was cut off, and that a person has marked as done.
            succeeded = {"status": BlockStatus.SUCCEEDED, "outputs": event.outputs}
            ended = before.evolve(**succeeded, failure=None, reason="", **closed)
            state = state.evolve(variables=state.variables.update(event.state)) if event.state else state
        case AttemptRejected():
            ended = before.evolve(status=BlockStatus.REJECTED, outputs=event.outputs, **closed)
        case AttemptCancelled():
            ended = before.evolve(status=BlockStatus.CANCELLED, reason=event.reason, **closed)
        case BlockSkipped():
            # What it gave before it was skipped is nothing that others may read.
            skipped = {"status": BlockStatus.SKIPPED, "reason": event.reason}
            ended = before.evolve(**skipped, failure=None, outputs={}, **closed)
        case _:
            assert_never(event)
    return state.dequeue(event.block).with_block(event.block, ended)


def _fail(state: RunState, event: AttemptFailed, at: float) -> RunState:
    before = state.block(event.block)
    failed = before.evolve(
        outputs=event.outputs,
        failure=event.failure,
        failures=before.failures + 1,
        ended_at=at,
        wake_at=event.retry_at,
        child_pauses=0,
        reason="",
    )
    if event.retry_at is not None:
        # The next attempt calls a run of its own.
        again = failed.evolve(status=BlockStatus.PENDING, child=None)
        return state.dequeue(event.block).with_block(event.block, again)
    if event.asks:
        asking = failed.evolve(status=BlockStatus.INTERRUPTED, reason=event.failure.message)
        return _attend(state.dequeue(event.block).with_block(event.block, asking), event.block)
    tolerated = state.definition_of(event.block).on_failure is OnFailure.CONTINUE
    if not (state.first_failure or tolerated):
        state = state.evolve(first_failure=f"{event.block}: {event.failure.message}")
    return state.dequeue(event.block).with_block(event.block, failed.evolve(status=BlockStatus.FAILED))


# -- parts, timers, children ------------------------------------------------------------------

PartEvent: TypeAlias = (
    BlockExpanded
    | LoopTurned
    | TimerSet
    | StepRecorded
    | ProgressNoted
    | ChildStarted
    | ChildPaused
    | ChildMoved
)


def apply_part(state: RunState, event: PartEvent, at: float) -> RunState:
    """Return *state* after something happened to a block that had begun."""
    match event:
        case BlockExpanded():
            return _expand(state, event, at)
        case LoopTurned():
            return _turn(state, event, at)
        case _:
            return state.with_block(event.block, _noted(state.block(event.block), event))


def _noted(
    block: BlockState,
    event: TimerSet | StepRecorded | ProgressNoted | ChildStarted | ChildPaused | ChildMoved,
) -> BlockState:
    match event:
        case TimerSet():
            return block.evolve(wake_at=event.until)
        case StepRecorded():
            return block.evolve(steps=block.steps.set(event.key, event.value))
        case ProgressNoted():
            return block.evolve(progress=Progress(fraction=event.fraction, message=event.message))
        case ChildStarted():
            child = Child(
                run_id=event.child,
                workflow=event.workflow,
                inputs=event.inputs,
                resumed_after=event.resumed_after,
                heard=event.resumed_after,
                origin=event.origin,
            )
            return block.evolve(child=child)
        case ChildPaused():
            heard = _heard(block.child, event.head)
            return block.evolve(status=BlockStatus.PAUSED, child_pauses=event.pauses, child=heard)
        case ChildMoved():
            heard = _heard(block.child, event.head)
            return block.evolve(status=BlockStatus.RUNNING, child_pauses=0, child=heard)
        case _:
            assert_never(event)


def _heard(child: Child | None, head: Seq) -> Child | None:
    return child.evolve(heard=max(child.heard, head)) if child is not None else None


def _expand(state: RunState, event: BlockExpanded, at: float) -> RunState:
    rule = state.graph.blocks[event.block].for_each
    if rule is None:
        fan = Fan(left=1, iterations=1)
        first = [iteration_place(event.block, 1)]
    else:
        width = rule.max_parallel or len(event.keys)
        fan = Fan(
            keys=event.keys,
            items=event.items,
            positions={key: position for position, key in enumerate(event.keys)},
            waiting=Fan().waiting.push(event.keys[width:]),
            left=len(event.keys),
        )
        first = [item_place(event.block, key) for key in event.keys[:width]]
    block = BlockState(status=BlockStatus.RUNNING, attempt=event.attempt, started_at=at, fan=fan)
    state = state.dequeue(event.block).with_block(event.block, block)
    return state.enqueue(first) if fan.left else _attend(state, event.block)


def _turn(state: RunState, event: LoopTurned, at: float) -> RunState:
    block = state.block(event.block)
    if block.fan is None:
        raise ValueError(f"block '{event.block}' turns and is no loop")
    fan = block.fan.evolve(iterations=block.fan.iterations + 1, left=1)
    following = iteration_place(event.block, fan.iterations)
    state = state.dequeue(event.block).with_block(event.block, block.evolve(fan=fan))
    if event.at <= at:
        return state.enqueue([following])
    # What it is called for again keeps count of its attempts.
    return state.with_block(following, state.block(following).evolve(wake_at=event.at))
