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
from tidegate.engine.bodies import Unsound, decided, sound
from tidegate.engine.exhibits import freeze
from tidegate.engine.leftovers import leftovers
from tidegate.engine.outcome import Outcome, failure, rejection, success, told_failure
from tidegate.engine.parts import Parts
from tidegate.engine.view import View
from tidegate.model.base import Json
from tidegate.model.catalog import ValueType
from tidegate.model.events import (
    BlockPaused,
    BlockSkipped,
    Failure,
)
from tidegate.model.ids import BlockId, new_pause_id
from tidegate.model.listing import OutputChunk
from tidegate.model.policy import FailureKind
from tidegate.model.prompt import Answer, Evidence, Prompt, RecoveryAction, RecoveryPrompt
from tidegate.model.state import Pause, RunState
from tidegate.model.workflow import BlockDefinition, Effect, OnInterrupt
from tidegate.safe_text import TextDecoder

__all__ = ["open_pause", "recovery_of", "recovery_prompt", "settle"]

EVIDENCE_CHARACTERS = 4_000
"""How much of a block's last output a recovery question carries."""


def open_pause(state: RunState, place: BlockId, attempt: int, prompt: Prompt, at: float) -> BlockPaused:
    """Return the event that asks; its deadline, if it has one, counts from *at*.

    Whoever was to answer the question before it at that place is to answer this one, too.
    """
    timeout = state.definition_of(place).timeout
    if isinstance(prompt, RecoveryPrompt):
        timeout = None
    else:
        prompt = prompt.evolve(sent_back=state.said_to(place))
    return BlockPaused(
        block=place,
        attempt=attempt,
        pause_id=new_pause_id(),
        prompt=prompt,
        deadline=None if timeout is None else at + timeout,
        assignment=state.assignments.get(place),
    )


async def settle(view: View, place: BlockId, at: float) -> Outcome | RecoveryAction:
    """Return what the decided pause of a place makes of it.

    `RecoveryAction.RERUN` is returned as such: running a block again is the driver's business.
    """
    body = view.body(place)
    pause = _decided_pause(view.state, place)
    if isinstance(pause.prompt, RecoveryPrompt) and pause.answer is not None:
        return await _settle_recovery(view, place, pause.answer)
    if not isinstance(body, InteractiveBlock):
        raise TypeError(f"block '{place}' of type {body.spec.type} has a pause and asks nobody")
    try:
        return await _settle_answer(view, place, decided(body, pause), at)
    except Unsound as error:
        return failure(view.state, place, Failed(error.failure))


async def _settle_answer(
    view: View, place: BlockId, result: Result | InteractiveResult, at: float
) -> Outcome:
    match result:
        case Completed():
            return await success(view, place, result.outputs)
        case Failed():
            return told_failure(view, place, result)
        case Rejected():
            return rejection(view, place, result.outputs)
        case Asked():
            asked = await freeze(sound(result.prompt), view.state.graph.definition.working_dir)
            return Outcome(open_pause(view.state, place, view.state.block(place).attempt, asked, at))


def _decided_pause(state: RunState, place: BlockId) -> Pause:
    pause_id = state.block(place).pause_id
    if pause_id is None:
        raise ValueError(f"block '{place}' is to be settled and has no pause")
    return state.pauses[pause_id]


# -- recovery ---------------------------------------------------------------------------------


def recovery_of(block: BlockDefinition) -> OnInterrupt:
    """Return what to do with *block* when it was interrupted; never AUTO."""
    if block.on_interrupt is not OnInterrupt.AUTO:
        return block.on_interrupt
    if block.interactive:  # To ask again has no effect but the question.
        return OnInterrupt.RERUN
    return OnInterrupt.ASK if block.effect is Effect.ONCE else OnInterrupt.RERUN


async def recovery_prompt(parts: Parts, state: RunState, place: BlockId) -> RecoveryPrompt:
    """Return the question what to do with a block that was interrupted, or failed, with the evidence there is."""
    block, definition = state.block(place), state.definition_of(place)
    chunks = await parts.store.last_output(state.run_id, place, block.attempt)
    evidence = Evidence(
        started_at=block.started_at or 0.0,
        reason=block.reason,
        last_output=_text_of(chunks),
        still_running=await leftovers(state.run_id, place, block.attempt),
    )
    known = {name: kind.value for name, kind in parts.blocks[definition.type].spec.outputs.items()}
    own = dict.fromkeys(definition.outputs, ValueType.ANY.value)
    return RecoveryPrompt(
        block=place,
        attempt=block.attempt,
        command=block.summary,
        evidence=evidence,
        outputs={**known, **own},
        failure=block.failure.message if block.failure is not None else "",
    )


def _text_of(chunks: tuple[OutputChunk, ...]) -> str:
    decoders: dict[int, TextDecoder] = {}
    parts = [
        f"\n{chunk.notice}\n"
        if chunk.damage
        else decoders.setdefault(chunk.stream, TextDecoder()).feed(chunk.data)
        for chunk in chunks
    ]
    return "".join(parts)[-EVIDENCE_CHARACTERS:]


async def _settle_recovery(view: View, place: BlockId, answer: Answer) -> Outcome | RecoveryAction:
    block, body = view.state.block(place), view.body(place)
    after = "a failure" if block.failure is not None else "an interruption"
    action, outputs = _read_recovery(answer.value)
    match action:
        case RecoveryAction.RERUN:
            return action
        case RecoveryAction.SKIP:
            return Outcome(BlockSkipped(block=place, reason=f"skipped by {answer.by} after {after}"))
        case RecoveryAction.FAIL:
            message = f"marked as failed by {answer.by} after {after}"
            if block.failure is not None:
                message = f"{block.failure.message} ({message})"
            why = Failed(Failure(kind=FailureKind.OPERATOR, message=message))
            return failure(view.state, place, why)
        case RecoveryAction.DONE:
            presumed = body.presumed() if isinstance(body, WorkBlock) else {}
            return await success(view, place, {**presumed, **outputs})


def _read_recovery(value: Json) -> tuple[RecoveryAction, dict[str, Json]]:
    match value:
        case {"action": str(action), **rest}:
            outputs = rest.get("outputs")
            return RecoveryAction(action), outputs if isinstance(outputs, dict) else {}
        case _:
            raise ValueError(f"{value!r} is no answer to a recovery question")
