"""Carrying out what `plan` says, into a draft. Reads the store, writes nothing.

The driver commits the draft and starts its launches; if the commit is refused because somebody
else appended, the draft is thrown away and everything is decided again.
"""

import shlex

from tidegate.blocks.base import Failed, InteractiveBlock, WorkBlock
from tidegate.engine.attempt import Outcome, failure
from tidegate.engine.draft import Draft, Launch
from tidegate.engine.parts import Parts
from tidegate.engine.pauses import open_pause, recovery_of, recovery_prompt, settle
from tidegate.engine.plan import (
    Action,
    CompleteWave,
    Consider,
    Finish,
    Recover,
    Settle,
    Skip,
    StartWave,
    plan,
)
from tidegate.engine.prepare import NotReady, Ready, prepare
from tidegate.engine.results import run_outputs
from tidegate.engine.view import View
from tidegate.errors import InputsError
from tidegate.model.events import (
    AttemptStarted,
    BlockSkipped,
    CancelRequested,
    Failure,
    FailureKind,
    RunFinished,
    WaveCompleted,
    WaveStarted,
)
from tidegate.model.ids import BlockId, new_idempotency_key
from tidegate.model.prompt import RecoveryAction
from tidegate.model.workflow import BlockDefinition, OnInterrupt

__all__ = ["decide", "who_cancelled"]

_SUMMARY_CHARACTERS = 200


async def decide(parts: Parts, draft: Draft) -> None:
    """Add to *draft* all that can be decided now."""
    while actions := plan(draft.state):
        for action in actions:
            await _carry_out(parts, action, draft)


async def _carry_out(parts: Parts, action: Action, draft: Draft) -> None:
    match action:
        case StartWave():
            draft.add(WaveStarted(wave=action.wave))
        case CompleteWave():
            draft.add(WaveCompleted(wave=action.wave))
        case Skip():
            draft.add(BlockSkipped(block=action.block, reason=action.reason))
        case Consider():
            await _start(parts, action.block, draft)
        case Settle():
            await _settle(parts, action.block, draft)
        case Recover():
            await _recover(parts, action.block, draft)
        case Finish():
            draft.add(await _finish(_view(parts, draft), action))


def _view(parts: Parts, draft: Draft) -> View:
    return View(parts, draft.state, draft.values)


async def _finish(view: View, action: Finish) -> RunFinished:
    if view.state.cancel is not None:
        return RunFinished(status=action.status, reason=who_cancelled(view.state.cancel))
    return await run_outputs(view, action.status)


def who_cancelled(cancel: CancelRequested) -> str:
    """Return by whom and why a run was cancelled, as a sentence fragment."""
    return f"cancelled by {cancel.by or 'somebody'}" + (f": {cancel.reason}" if cancel.reason else "")


# -- starting and asking ----------------------------------------------------------------------


async def _start(parts: Parts, block_id: BlockId, draft: Draft) -> None:
    """Evaluate the block's condition and inputs, then add its intent, its question, or its end."""
    state = draft.state
    block, before = state.graph.blocks[block_id], state.block(block_id)
    prepared = await prepare(_view(parts, draft), block)
    if isinstance(prepared, NotReady) and prepared.skip:
        draft.add(BlockSkipped(block=block_id, reason=prepared.skip))
        return
    intent = AttemptStarted(
        block=block_id,
        attempt=before.attempt + 1,
        key=before.key or new_idempotency_key(),
        summary=_summary(parts, block, prepared),
    )
    draft.add(intent)
    if isinstance(prepared, NotReady):
        _fail(draft, block_id, prepared.failure)
    elif block.interactive:
        _ask(parts, draft, block, prepared)
    else:
        draft.launches.append(Launch(block, intent, prepared))


def _summary(parts: Parts, block: BlockDefinition, prepared: Ready | NotReady) -> str:
    body = parts.blocks[block.type]
    if not isinstance(body, WorkBlock) or isinstance(prepared, NotReady):
        return ""
    summary = body.summary(prepared.inputs)
    for name, value in prepared.bindings.items():
        # For people only: what the shell gets is a variable, and the value stays data.
        summary = summary.replace(f'"${{{name}}}"', shlex.quote(value)).replace(f"${{{name}}}", value)
    return summary[:_SUMMARY_CHARACTERS]


def _ask(parts: Parts, draft: Draft, block: BlockDefinition, ready: Ready) -> None:
    body = parts.blocks[block.type]
    assert isinstance(body, InteractiveBlock)  # noqa: S101 - the loader took `interactive` from its spec
    try:
        prompt = body.ask(ready.inputs)
    except InputsError as error:
        _fail(draft, block.id, Failure(kind=FailureKind.INPUTS, message=error.problem))
    else:
        draft.add(open_pause(block, draft.state.block(block.id).attempt, prompt, draft.at))


def _fail(draft: Draft, block_id: BlockId, why: Failure) -> None:
    draft.add(failure(block_id, draft.state.block(block_id).attempt, Failed(why)).event)


# -- after a pause, and after an interruption -------------------------------------------------


async def _settle(parts: Parts, block_id: BlockId, draft: Draft) -> None:
    settled = await settle(_view(parts, draft), block_id, draft.at)
    if isinstance(settled, Outcome):
        draft.add(settled.event, settled.values)
    elif settled is RecoveryAction.RERUN:
        await _start(parts, block_id, draft)


async def _recover(parts: Parts, block_id: BlockId, draft: Draft) -> None:
    block = draft.state.graph.blocks[block_id]
    match recovery_of(block):
        case OnInterrupt.RERUN:
            await _start(parts, block_id, draft)
        case OnInterrupt.SKIP:
            draft.add(BlockSkipped(block=block_id, reason="it was interrupted, and on_interrupt says skip"))
        case OnInterrupt.FAIL:
            message = "it was interrupted, and on_interrupt says fail"
            _fail(draft, block_id, Failure(kind=FailureKind.OPERATOR, message=message))
        case OnInterrupt.ASK | OnInterrupt.AUTO:
            prompt = await recovery_prompt(parts, draft.state, block_id)
            draft.add(open_pause(block, prompt.attempt, prompt, draft.at))
