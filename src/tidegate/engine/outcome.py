"""How an attempt ended, as the journal will say it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from tidegate.blocks.base import Failed, Mark
from tidegate.engine.values import pack
from tidegate.engine.view import View
from tidegate.errors import ExpressionError
from tidegate.model.base import Json, JsonObject
from tidegate.model.events import AttemptFailed, AttemptSucceeded, Failure, JournalEvent
from tidegate.model.ids import BlockId
from tidegate.model.policy import NOT_RETRIED, FailureKind, OnFailure, RetryPolicy
from tidegate.model.state import RunState
from tidegate.workflows.render import render_block_outputs, render_label, render_metadata

__all__ = ["Outcome", "failure", "success", "what_follows"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """An event, the values it refers to, and the checkpoints that are to be marked with it."""

    event: JournalEvent
    values: Mapping[str, bytes] = field(default_factory=dict)
    marks: tuple[Mark, ...] = ()


async def success(
    view: View,
    place: BlockId,
    outputs: JsonObject,
    duration: float = 0.0,
    *,
    marks: Sequence[Mark] = (),
    state: Mapping[str, Json] | None = None,
) -> Outcome:
    """Return the outcome of a block that worked; a failure if its own `outputs` cannot be made.

    Args:
        view: The run, before the outcome.
        place: What ran.
        outputs: What it gave.
        duration: Seconds.
        marks: Checkpoints that it asked for.
        state: What it set of the run's own state.
    """
    try:
        outputs, own_marks = await _with_own_texts(view, place, outputs)
        values, stored = pack(outputs)
        variables, stored_too = pack(state or {})
    except (ExpressionError, ValueError) as error:
        failed = Failed(Failure(kind=FailureKind.OUTPUTS, message=str(error)))
        return failure(view.state, place, failed, duration)
    event = AttemptSucceeded(
        block=place,
        attempt=view.state.block(place).attempt,
        outputs=values,
        duration=duration,
        state=variables,
    )
    return Outcome(event, {**stored, **stored_too}, (*marks, *own_marks))


async def _with_own_texts(
    view: View, place: BlockId, outputs: JsonObject
) -> tuple[JsonObject, tuple[Mark, ...]]:
    """Return *outputs* with what the block's `outputs` makes of them, and the checkpoint it declares."""
    block = view.state.definition_of(place)
    if not block.outputs and block.checkpoint is None:
        return outputs, ()
    names, scope = view.names(block), await view.scope_after(place, outputs)
    outputs = {**outputs, **render_block_outputs(block, names, scope)}
    if block.checkpoint is None:
        return outputs, ()
    scope = replace(
        scope, blocks={**scope.blocks, block.id: replace(scope.blocks[block.id], outputs=outputs)}
    )
    mark = Mark(render_label(block, names, scope), render_metadata(block, names, scope))
    return outputs, (mark,)


def failure(state: RunState, place: BlockId, failed: Failed, duration: float = 0.0) -> Outcome:
    """Return the outcome of a block that did not work."""
    try:
        values, stored = pack(failed.outputs)
    except ValueError:
        # The failure itself is what matters; outputs that no journal can hold are left out.
        values, stored = {}, {}
    event = AttemptFailed(
        block=place,
        attempt=state.block(place).attempt,
        failure=failed.failure,
        outputs=values,
        duration=duration,
    )
    return Outcome(event, stored)


def what_follows(state: RunState, outcome: Outcome, now: float, chance: float) -> Outcome:
    """Return a failure with what its block's author wants then: another attempt, a question, or nothing.

    Args:
        state: The run, before the outcome.
        outcome: How an attempt ended.
        now: Seconds since 1970 UTC.
        chance: Random, 0 to 1.
    """
    event = outcome.event
    if not isinstance(event, AttemptFailed):
        return outcome
    block, before = state.definition_of(event.block), state.block(event.block)
    has_had_its_chance = before.fan is not None or (state.is_stopping and not block.always)
    if has_had_its_chance:  # Of a block that runs in parts, its parts have.
        return outcome
    failures = before.failures + 1
    if (
        block.retry is not None
        and failures < block.retry.max_attempts
        and _is_worth(block.retry, event.failure)
    ):
        retry_at = now + block.retry.delay_after(failures, chance)
        return replace(outcome, event=event.evolve(retry_at=retry_at))
    if block.on_failure is OnFailure.PAUSE and not state.is_stopping:
        return replace(outcome, event=event.evolve(asks=True))
    return outcome


def _is_worth(policy: RetryPolicy, why: Failure) -> bool:
    if not policy.on:
        return why.kind not in NOT_RETRIED
    return why.kind in policy.on or (why.exit_code is not None and why.exit_code in policy.on)
