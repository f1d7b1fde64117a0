"""Opening pauses, and what becomes of a block once its pause is decided. No I/O but reading."""

from tidegate.blocks.base import (
    Asked,
    Completed,
    Failed,
    InteractiveBlock,
    InteractiveResult,
    Rejected,
    Result,
    WorkBlock,
)
from tidegate.engine.attempt import Outcome, failure, success
from tidegate.engine.leftovers import leftovers
from tidegate.engine.parts import Parts
from tidegate.engine.values import pack
from tidegate.engine.view import View
from tidegate.model.base import Json
from tidegate.model.catalog import ValueType
from tidegate.model.events import (
    AttemptFailed,
    AttemptRejected,
    BlockPaused,
    BlockSkipped,
    Failure,
    FailureKind,
)
from tidegate.model.ids import BlockId, new_pause_id
from tidegate.model.listing import OutputChunk
from tidegate.model.prompt import Answer, Evidence, Prompt, RecoveryAction, RecoveryPrompt
from tidegate.model.state import Pause, PauseState, RunState
from tidegate.model.workflow import BlockDefinition, Effect, OnInterrupt
from tidegate.safe_text import TextDecoder

__all__ = ["open_pause", "recovery_of", "recovery_prompt", "settle"]

EVIDENCE_CHARACTERS = 4_000
"""How much of a block's last output a recovery question carries."""


def open_pause(block: BlockDefinition, attempt: int, prompt: Prompt, at: float) -> BlockPaused:
    """Return the event that asks; its deadline, if it has one, counts from *at*."""
    deadline = None if block.timeout is None or isinstance(prompt, RecoveryPrompt) else at + block.timeout
    return BlockPaused(
        block=block.id, attempt=attempt, pause_id=new_pause_id(), prompt=prompt, deadline=deadline
    )


async def settle(view: View, block_id: BlockId, at: float) -> Outcome | RecoveryAction:
    """Return what the decided pause of a block makes of it.

    `RecoveryAction.RERUN` is returned as such: running a block again is the driver's business.
    """
    block = view.state.graph.blocks[block_id]
    pause = _decided_pause(view.state, block_id)
    if isinstance(pause.prompt, RecoveryPrompt) and pause.answer is not None:
        return await _settle_recovery(view, block, pause.answer)
    body = view.parts.blocks[block.type]
    if not isinstance(body, InteractiveBlock):
        raise TypeError(f"block '{block_id}' of type {block.type} has a pause and asks nobody")
    if pause.state is PauseState.EXPIRED or pause.answer is None:
        result: Result | InteractiveResult = body.expire(pause.prompt)
    else:
        result = body.resume(pause.prompt, pause.answer)
    match result:
        case Completed():
            return await success(view, block, pause.attempt, result.outputs)
        case Failed():
            return failure(block_id, pause.attempt, result)
        case Rejected():
            values, stored = pack(result.outputs)
            return Outcome(AttemptRejected(block=block_id, attempt=pause.attempt, outputs=values), stored)
        case Asked():
            return Outcome(open_pause(block, pause.attempt, result.prompt, at), {})


def _decided_pause(state: RunState, block_id: BlockId) -> Pause:
    pause_id = state.block(block_id).pause_id
    if pause_id is None:
        raise ValueError(f"block '{block_id}' is to be settled and has no pause")
    return state.pauses[pause_id]


# -- recovery ---------------------------------------------------------------------------------


def recovery_of(block: BlockDefinition) -> OnInterrupt:
    """Return what to do with *block* when it was interrupted; never AUTO."""
    if block.on_interrupt is not OnInterrupt.AUTO:
        return block.on_interrupt
    if block.interactive:  # To ask again has no effect but the question.
        return OnInterrupt.RERUN
    return OnInterrupt.ASK if block.effect is Effect.ONCE else OnInterrupt.RERUN


async def recovery_prompt(parts: Parts, state: RunState, block_id: BlockId) -> RecoveryPrompt:
    """Return the question whether the block did its work, with the evidence there is."""
    block = state.block(block_id)
    chunks = await parts.store.last_output(state.run_id, block_id, block.attempt)
    evidence = Evidence(
        started_at=block.started_at or 0.0,
        reason=block.reason,
        last_output=_text_of(chunks),
        still_running=await leftovers(state.run_id, block_id, block.attempt),
    )
    definition = state.graph.blocks[block_id]
    known = {name: kind.value for name, kind in parts.blocks[definition.type].spec.outputs.items()}
    own = dict.fromkeys(definition.outputs, ValueType.ANY.value)
    return RecoveryPrompt(
        block=block_id,
        attempt=block.attempt,
        command=block.summary,
        evidence=evidence,
        outputs={**known, **own},
    )


def _text_of(chunks: tuple[OutputChunk, ...]) -> str:
    decoders: dict[int, TextDecoder] = {}
    parts = [decoders.setdefault(chunk.stream, TextDecoder()).feed(chunk.data) for chunk in chunks]
    return "".join(parts)[-EVIDENCE_CHARACTERS:]


async def _settle_recovery(view: View, block: BlockDefinition, answer: Answer) -> Outcome | RecoveryAction:
    attempt = view.state.block(block.id).attempt
    action, outputs = _read_recovery(answer.value)
    match action:
        case RecoveryAction.RERUN:
            return action
        case RecoveryAction.SKIP:
            return Outcome(
                BlockSkipped(block=block.id, reason=f"skipped by {answer.by} after an interruption"), {}
            )
        case RecoveryAction.FAIL:
            message = f"marked as failed by {answer.by} after an interruption"
            failed = Failure(kind=FailureKind.OPERATOR, message=message)
            return Outcome(AttemptFailed(block=block.id, attempt=attempt, failure=failed), {})
        case RecoveryAction.DONE:
            body = view.parts.blocks[block.type]
            presumed = body.presumed() if isinstance(body, WorkBlock) else {}
            return await success(view, block, attempt, {**presumed, **outputs})


def _read_recovery(value: Json) -> tuple[RecoveryAction, dict[str, Json]]:
    match value:
        case {"action": str(action), **rest}:
            outputs = rest.get("outputs")
            return RecoveryAction(action), outputs if isinstance(outputs, dict) else {}
        case _:
            raise ValueError(f"{value!r} is no answer to a recovery question")
