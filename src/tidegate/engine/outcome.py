"""How an attempt ended, as the journal will say it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import msgspec

from tidegate.blocks.base import Failed, Mark
from tidegate.engine.values import Packed, check_size, pack, take, take_changes, take_what_fits
from tidegate.engine.view import View
from tidegate.errors import ExpressionError
from tidegate.model.base import Json, JsonObject
from tidegate.model.codec import NotJson, plain, printable
from tidegate.model.events import AttemptFailed, AttemptRejected, AttemptSucceeded, Failure, JournalEvent
from tidegate.model.ids import BlockId
from tidegate.model.policy import NOT_RETRIED, FailureKind, OnFailure, RetryPolicy
from tidegate.model.state import RunState
from tidegate.workflows.render import render_block_outputs, render_label, render_metadata

__all__ = ["Outcome", "failure", "rejection", "success", "told_failure", "what_follows"]

_MOST_MESSAGE = 4_000
"""Characters of a failure's message: more belongs into the output."""
_NOTHING = Packed()
_FAILURES = msgspec.json.Decoder(Failure)


@dataclass(frozen=True, slots=True)
class Outcome:
    """An event, the values it refers to, and the checkpoints that are to be marked with it."""

    event: JournalEvent
    values: Mapping[str, bytes] = field(default_factory=dict)
    marks: tuple[Mark, ...] = ()


# -- what a block gave ------------------------------------------------------------------------
# Whatever its code hands over is taken by the codec's rule: what it refuses is the block's failure.


async def success(
    view: View,
    place: BlockId,
    outputs: JsonObject,
    duration: float = 0.0,
    *,
    marks: Sequence[Mark] = (),
    before: Mapping[str, Json] | None = None,
    state: Mapping[str, Json] | None = None,
) -> Outcome:
    """Return the outcome of a block that worked; a failure if what it gave cannot be journalled.

    Args:
        view: The run, before the outcome.
        place: What ran.
        outputs: What it gave.
        duration: Seconds.
        marks: Checkpoints that it asked for.
        before: The run's own state as the block found it.
        state: The same as the block left it.
    """
    try:
        taken, own_marks = await _with_own_texts(view, place, take(outputs, "outputs"))
        variables = take_changes(before or {}, state, "state") if state else _NOTHING
        check_size("outputs", taken, view.parts.max_bytes, view.body(place).spec.streams)
        if variables is not _NOTHING:
            check_size("state", variables, view.parts.max_bytes)
        asked = tuple(_sound(mark, view.parts.max_bytes) for mark in marks)
    except (ExpressionError, ValueError) as error:
        return _not_taken(view, place, error, duration)
    event = AttemptSucceeded(
        block=place,
        attempt=view.state.block(place).attempt,
        outputs=taken.values,
        duration=duration,
        state=variables.values,
    )
    return Outcome(event, {**taken.stored, **variables.stored}, (*asked, *own_marks))


def rejection(view: View, place: BlockId, outputs: JsonObject) -> Outcome:
    """Return the outcome of a block to which a person said no; a failure as for `success`."""
    try:
        taken = take(outputs, "outputs")
        check_size("outputs", taken, view.parts.max_bytes, view.body(place).spec.streams)
    except ValueError as error:
        return _not_taken(view, place, error)
    attempt = view.state.block(place).attempt
    return Outcome(AttemptRejected(block=place, attempt=attempt, outputs=taken.values), taken.stored)


def told_failure(view: View, place: BlockId, failed: Failed, duration: float = 0.0) -> Outcome:
    """Return the outcome of a block that says itself that it failed; what cannot be kept of it is left out."""
    told, streams = _told(failed.failure), view.body(place).spec.streams
    packed, left_out = take_what_fits(failed.outputs, "outputs", view.parts.max_bytes, streams)
    if left_out:
        told = told.evolve(message=f"{told.message} (not all of its outputs were kept: {left_out})")
    return _failed(view.state, place, told, packed, duration)


def failure(state: RunState, place: BlockId, failed: Failed) -> Outcome:
    """Return the outcome of a block that did not work, as the engine itself says."""
    return _failed(state, place, failed.failure, pack(failed.outputs))


def _not_taken(view: View, place: BlockId, error: Exception, duration: float = 0.0) -> Outcome:
    why = Failure(kind=FailureKind.OUTPUTS, message=str(error))
    return _failed(view.state, place, why, Packed(), duration)


def _failed(state: RunState, place: BlockId, why: Failure, packed: Packed, duration: float = 0.0) -> Outcome:
    event = AttemptFailed(
        block=place,
        attempt=state.block(place).attempt,
        failure=why.evolve(message=printable(why.message)[:_MOST_MESSAGE]),
        outputs=packed.values,
        duration=duration,
    )
    return Outcome(event, packed.stored)


def _told(given: Failure) -> Failure:
    """Return a failure as a journal reads it: its fields are whatever somebody's code put there."""
    try:
        message = printable(given.message)[:_MOST_MESSAGE]
        return _FAILURES.decode(msgspec.json.encode(given.evolve(message=message)))
    except (AttributeError, TypeError, ValueError) as error:
        return Failure(kind=FailureKind.ERROR, message=f"it failed, and told nothing readable: {error}")


def _sound(mark: Mark, most: int) -> Mark:
    label = plain(mark.label, "checkpoint")
    if not isinstance(label, str):
        raise NotJson("checkpoint", f"its label is {type(label).__name__}, and is to be a text")
    metadata = take(mark.metadata, "checkpoint")
    check_size("checkpoint", metadata, most)
    return Mark(label, metadata.plain)


async def _with_own_texts(view: View, place: BlockId, taken: Packed) -> tuple[Packed, tuple[Mark, ...]]:
    """Return *taken* with what the block's `outputs` makes of it, and the checkpoint it declares."""
    block = view.state.definition_of(place)
    if not block.outputs and block.checkpoint is None:
        return taken, ()
    names, scope = view.names(block), await view.scope_after(place, taken.plain)
    outputs = {**taken.plain, **render_block_outputs(block, names, scope)}
    taken = take(outputs, "outputs") if block.outputs else taken
    if block.checkpoint is None:
        return taken, ()
    scope = replace(
        scope, blocks={**scope.blocks, block.id: replace(scope.blocks[block.id], outputs=outputs)}
    )
    mark = Mark(render_label(block, names, scope), render_metadata(block, names, scope))
    return taken, (mark,)


# -- what follows -----------------------------------------------------------------------------


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
