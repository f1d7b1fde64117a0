"""A block that runs in parts: how it begins, and what it makes of its parts once they have ended."""

from collections.abc import Iterator

from tidegate.blocks.base import Failed
from tidegate.engine.outcome import Outcome, failure
from tidegate.engine.prepare import InParts
from tidegate.engine.values import pack
from tidegate.engine.view import View
from tidegate.errors import ExpressionError
from tidegate.model.base import Json, JsonObject
from tidegate.model.events import (
    AttemptCancelled,
    AttemptFailed,
    AttemptRejected,
    AttemptSucceeded,
    BlockExpanded,
    BlockSkipped,
    Failure,
    LoopTurned,
)
from tidegate.model.ids import BlockId, iteration_place
from tidegate.model.policy import FailureKind, Loop
from tidegate.model.state import BlockState, BlockStatus, Fan
from tidegate.model.value import Inline
from tidegate.workflows.render import evaluate_until

__all__ = ["expand", "gather"]

_NAMED = 5
"""How many failed items a message names."""


def expand(block_id: BlockId, attempt: int, parts: InParts) -> Outcome:
    """Return the event that lets a block go through its parts."""
    packed = pack({str(position): item for position, item in enumerate(parts.items)})
    items = tuple(packed.values.values())
    return Outcome(
        BlockExpanded(block=block_id, attempt=attempt, keys=parts.keys, items=items), packed.stored
    )


async def gather(view: View, block_id: BlockId, now: float) -> Outcome:
    """Return what a block comes to when all of its parts have ended; for a loop, perhaps another one."""
    block = view.state.block(block_id)
    if block.fan is None:
        raise ValueError(f"block '{block_id}' has no parts")
    if block.fan.iterations:
        return await _gather_loop(view, block_id, block, now)
    return await _gather_items(view, block_id, block.fan)


# -- items ------------------------------------------------------------------------------------


async def _gather_items(view: View, block_id: BlockId, fan: Fan) -> Outcome:
    state, attempt = view.state, view.state.block(block_id).attempt
    parts = {place: state.block(place) for place in state.parts_of(block_id)}
    # Each part was within the limit by itself. Together they are not limited: the work is done.
    packed = pack(await _results(view, fan, list(parts.values())))
    outputs, stored = packed.values, packed.stored
    failed = [place for place, part in parts.items() if part.status is BlockStatus.FAILED]
    if state.is_stopping and any(part.status is BlockStatus.CANCELLED for part in parts.values()):
        return Outcome(AttemptCancelled(block=block_id, attempt=attempt, reason="its run was stopped"))
    if failed:
        why = Failure(kind=FailureKind.ITEMS, message=_failed_items(failed, parts))
        return Outcome(AttemptFailed(block=block_id, attempt=attempt, failure=why, outputs=outputs), stored)
    if any(part.status is BlockStatus.REJECTED for part in parts.values()):
        return Outcome(AttemptRejected(block=block_id, attempt=attempt, outputs=outputs), stored)
    return Outcome(AttemptSucceeded(block=block_id, attempt=attempt, outputs=outputs), stored)


def _failed_items(failed: list[BlockId], parts: dict[BlockId, BlockState]) -> str:
    first = parts[failed[0]].failure
    named = ", ".join(failed[:_NAMED]) + (", ..." if len(failed) > _NAMED else "")
    because = f" (the first: {first.message})" if first is not None else ""
    return f"{len(failed)} of {len(parts)} items failed: {named}{because}"


async def _results(view: View, fan: Fan, parts: list[BlockState]) -> JsonObject:
    items = await view.load({str(position): item for position, item in enumerate(fan.items)})
    outputs = await view.load_all([part.outputs for part in parts])
    results: list[Json] = [
        _result(key, item, part, given)
        for key, item, part, given in zip(fan.keys, items.values(), parts, outputs, strict=True)
    ]
    return {"results": results, "count": len(results), **dict(_counts(parts))}


def _result(key: str, item: Json, part: BlockState, outputs: JsonObject) -> JsonObject:
    status = "skipped" if part.status is BlockStatus.PENDING else part.status.value
    result: JsonObject = {"key": key, "item": item, "status": status, "outputs": outputs}
    reason = part.failure.message if part.failure is not None else part.reason
    if part.status is BlockStatus.PENDING:
        reason = "an item before it had failed, and fail_fast is set"
    return {**result, "reason": reason} if reason else result


def _counts(parts: list[BlockState]) -> Iterator[tuple[str, int]]:
    for status in (BlockStatus.SUCCEEDED, BlockStatus.FAILED, BlockStatus.REJECTED):
        yield status.value, sum(part.status is status for part in parts)
    yield "skipped", sum(part.status in (BlockStatus.SKIPPED, BlockStatus.PENDING) for part in parts)


# -- iterations -------------------------------------------------------------------------------


async def _gather_loop(view: View, block_id: BlockId, block: BlockState, now: float) -> Outcome:
    loop = view.state.graph.blocks[block_id].loop
    number = block.fan.iterations if block.fan is not None else 0
    last = view.state.block(iteration_place(block_id, number))
    if last.status is not BlockStatus.SUCCEEDED or loop is None:
        return _as_its_last(block_id, block.attempt, number, last)
    definition = view.state.graph.blocks[block_id]
    try:
        scope = await view.scope_after(block_id, await view.load(last.outputs))
        done = evaluate_until(definition, view.names(definition), scope)
    except ExpressionError as error:
        why = Failure(kind=FailureKind.CONDITION, message=f"its `until` cannot be decided: {error}")
        return failure(view.state, block_id, Failed(why))
    return _turned(block_id, block.attempt, number, last, loop, now, done=done)


def _turned(
    block_id: BlockId, attempt: int, number: int, last: BlockState, loop: Loop, now: float, *, done: bool
) -> Outcome:
    outputs = {**last.outputs, "iterations": Inline(value=number)}
    if done:
        return Outcome(AttemptSucceeded(block=block_id, attempt=attempt, outputs=outputs))
    if number < loop.max_iterations:
        return Outcome(LoopTurned(block=block_id, at=now + loop.delay))
    message = f"not done after {number} iterations: {loop.until} is false"
    why = Failure(kind=FailureKind.LOOP, message=message)
    return Outcome(AttemptFailed(block=block_id, attempt=attempt, failure=why, outputs=outputs))


def _as_its_last(block_id: BlockId, attempt: int, number: int, last: BlockState) -> Outcome:
    """Return the outcome of a loop whose last iteration did not succeed: the same."""
    outputs = {**last.outputs, "iterations": Inline(value=number)}
    match last.status:
        case BlockStatus.FAILED if last.failure is not None:
            why = last.failure.evolve(message=f"iteration {number}: {last.failure.message}")
            return Outcome(AttemptFailed(block=block_id, attempt=attempt, failure=why, outputs=outputs))
        case BlockStatus.REJECTED:
            return Outcome(AttemptRejected(block=block_id, attempt=attempt, outputs=outputs))
        case BlockStatus.SKIPPED:
            return Outcome(BlockSkipped(block=block_id, reason=f"iteration {number}: {last.reason}"))
        case _:
            return Outcome(AttemptCancelled(block=block_id, attempt=attempt, reason=last.reason))
