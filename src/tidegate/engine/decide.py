"""Carrying out what `plan` says, into a draft. Reads the store, writes nothing.

The driver commits the draft and starts its launches; if the commit is refused because somebody
else appended, the draft is thrown away and everything is decided again.
"""

from typing import assert_never

from tidegate.blocks.base import Failed, TimerBlock
from tidegate.engine.bodies import Unsound, elapsed
from tidegate.engine.draft import Draft
from tidegate.engine.fans import gather
from tidegate.engine.outcome import Outcome, failure, success
from tidegate.engine.parts import Parts
from tidegate.engine.pauses import open_pause, recovery_of, recovery_prompt, settle
from tidegate.engine.plan import (
    Action,
    CompleteWave,
    Consider,
    Elapse,
    Finish,
    Gather,
    Recover,
    Settle,
    Skip,
    StartWave,
    plan,
)
from tidegate.engine.results import finish
from tidegate.engine.start import add_start
from tidegate.engine.view import View
from tidegate.model.events import (
    AttemptCancelled,
    BlockSkipped,
    Failure,
    WaveCompleted,
    WaveStarted,
)
from tidegate.model.ids import BlockId
from tidegate.model.policy import FailureKind
from tidegate.model.prompt import RecoveryAction
from tidegate.model.workflow import OnInterrupt

__all__ = ["decide"]


async def decide(parts: Parts, draft: Draft) -> None:
    """Add to *draft* all that can be decided now."""
    while actions := plan(draft.state, draft.at):
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
            await add_start(parts, action.block, draft)
        case Settle() | Recover() | Gather() | Elapse():
            await _decide_about(parts, action, draft)
        case Finish():
            draft.add(await finish(_view(parts, draft), action.status))
        case _:
            assert_never(action)


def _view(parts: Parts, draft: Draft) -> View:
    return View(parts, draft.state, draft.values)


# -- after a pause, an interruption, all parts, a timer ---------------------------------------


async def _decide_about(parts: Parts, action: Settle | Recover | Gather | Elapse, draft: Draft) -> None:
    match action:
        case Settle():
            await _settle(parts, action.block, draft)
        case Recover():
            await _recover(parts, action.block, draft)
        case Gather():
            draft.add_outcome(await gather(_view(parts, draft), action.block, draft.at))
        case Elapse():
            draft.add_outcome(await _elapse(_view(parts, draft), action.block, draft.at))
        case _:
            assert_never(action)


async def _settle(parts: Parts, place: BlockId, draft: Draft) -> None:
    settled = await settle(_view(parts, draft), place, draft.at)
    if isinstance(settled, Outcome):
        draft.add_outcome(settled)
    elif settled is RecoveryAction.RERUN:
        # After a failure a person begins anew; after a crash the attempt is made good, under its key.
        await add_start(parts, place, draft, anew=draft.state.block(place).failure is not None)


async def _elapse(view: View, place: BlockId, now: float) -> Outcome:
    body, block = view.body(place), view.state.block(place)
    if not isinstance(body, TimerBlock):
        raise TypeError(f"block '{place}' has a timer and is none")
    started_at = block.started_at or now
    try:
        outputs = elapsed(body, started_at, now)
    except Unsound as error:
        return failure(view.state, place, Failed(error.failure))
    return await success(view, place, outputs, max(0.0, now - started_at))


async def _recover(parts: Parts, place: BlockId, draft: Draft) -> None:
    block = draft.state.definition_of(place)
    has_failed = draft.state.block(place).failure is not None
    match OnInterrupt.ASK if has_failed else recovery_of(block):
        case OnInterrupt.RERUN if block.always or not draft.state.is_stopping:
            await add_start(parts, place, draft)
        case OnInterrupt.SKIP:
            draft.add(BlockSkipped(block=place, reason="it was interrupted, and on_interrupt says skip"))
        case OnInterrupt.FAIL:
            message = "it was interrupted, and on_interrupt says fail"
            why = Failed(Failure(kind=FailureKind.OPERATOR, message=message))
            draft.add_outcome(failure(draft.state, place, why))
        case OnInterrupt.ASK | OnInterrupt.AUTO | OnInterrupt.RERUN if draft.state.is_stopping:
            reason = "it was interrupted while its run was being stopped"
            attempt = draft.state.block(place).attempt
            draft.add(AttemptCancelled(block=place, attempt=attempt, reason=reason))
        case _:
            prompt = await recovery_prompt(parts, draft.state, place)
            draft.add(open_pause(draft.state, place, prompt.attempt, prompt, draft.at))
