"""From a place that may run to what is journalled before it does: its intent, its question, or its end."""

import shlex

from tidegate.blocks.base import ChildBlock, Failed, InteractiveBlock, TimerBlock, WorkBlock
from tidegate.engine.bodies import Unsound, called, instant, question, summary
from tidegate.engine.calls import call_of
from tidegate.engine.draft import Draft, Launch
from tidegate.engine.exhibits import freeze
from tidegate.engine.fans import expand
from tidegate.engine.outcome import failure, what_follows
from tidegate.engine.parts import Parts
from tidegate.engine.pauses import open_pause
from tidegate.engine.prepare import InParts, NotReady, Ready, prepare
from tidegate.engine.secrecy import READABLE, asked_in, masked_exhibits
from tidegate.engine.view import View
from tidegate.errors import InputsError
from tidegate.model.events import AttemptStarted, BlockSkipped, ChildStarted, Failure, TimerSet
from tidegate.model.ids import BlockId, new_idempotency_key
from tidegate.model.policy import FailureKind
from tidegate.model.prompt import Prompt, is_secret
from tidegate.model.state import BlockState, RunState

__all__ = ["add_start", "call_again", "summary_of"]

_SUMMARY_CHARACTERS = 200


async def add_start(parts: Parts, place: BlockId, draft: Draft, *, anew: bool = False) -> None:
    """Evaluate the place's condition and inputs, then add its intent, its question, its parts, or its end.

    Args:
        parts: What the executor works with.
        place: Which.
        draft: Where to add it.
        anew: Whether a person runs it again on purpose: it gets a new idempotency key.
    """
    before = draft.state.block(place)
    prepared = await prepare(View(parts, draft.state, draft.values), place)
    if isinstance(prepared, NotReady) and prepared.skip:
        draft.add(BlockSkipped(block=place, reason=prepared.skip))
    elif isinstance(prepared, InParts):
        draft.add_outcome(expand(place, before.attempt + 1, prepared))
    else:
        intent = _intent(parts, place, draft, prepared, anew=anew)
        draft.add(intent)
        await _begin(parts, place, draft, prepared, intent, before)


def _intent(
    parts: Parts, place: BlockId, draft: Draft, prepared: Ready | NotReady, *, anew: bool
) -> AttemptStarted:
    before = draft.state.block(place)
    return AttemptStarted(
        block=place,
        attempt=before.attempt + 1,
        key=new_idempotency_key() if anew or not before.key else before.key,
        summary="" if isinstance(prepared, NotReady) else summary_of(parts, draft.state, place, prepared),
    )


def summary_of(parts: Parts, state: RunState, place: BlockId, ready: Ready) -> str:
    """Return what a place runs, rendered, for people; of one that asks somebody nothing."""
    body = parts.blocks[state.definition_of(place).type]
    if isinstance(body, InteractiveBlock):
        return ""
    if isinstance(body, ChildBlock):
        return str(ready.inputs.get("workflow", ""))[:_SUMMARY_CHARACTERS]
    text = summary(body, ready.inputs)
    for name, value in ready.bindings.items():
        # For people only: what the shell gets is a variable, and the value stays data.
        text = text.replace(f'"${{{name}}}"', shlex.quote(value)).replace(f"${{{name}}}", value)
    return text[:_SUMMARY_CHARACTERS]


async def _asked(parts: Parts, state: RunState, prompt: Prompt) -> Prompt:
    """Return a question as it is laid before a person.

    Raises:
        Unsound: its answer could be read by somebody who has no business with it.
    """
    if is_secret(prompt) and not parts.store.keeps_secrets:
        raise Unsound(Failure(kind=FailureKind.INPUTS, message=READABLE))
    definition = state.graph.definition
    frozen = await freeze(prompt, definition.working_dir)
    return await masked_exhibits(frozen, definition, asked_in(parts.store, state))


async def _begin(
    parts: Parts,
    place: BlockId,
    draft: Draft,
    prepared: Ready | NotReady,
    intent: AttemptStarted,
    before: BlockState,
) -> None:
    """Add what follows the intent: nothing for a body that is to run, as its outcome is still to come."""
    block = draft.state.definition_of(place)
    body = parts.blocks[block.type]
    try:
        match prepared, body:
            case NotReady(), _:
                _fail(parts, draft, place, prepared.failure)
            case Ready(), InteractiveBlock():
                prompt = await _asked(parts, draft.state, question(body, prepared.inputs))
                draft.add(open_pause(draft.state, place, intent.attempt, prompt, draft.at))
            case Ready(), TimerBlock():
                until = instant(body, prepared.inputs, draft.at)
                draft.add(TimerSet(block=place, attempt=intent.attempt, until=until))
            case Ready(), ChildBlock():
                draft.add(await _call(parts, draft, place, body, prepared, before))
            case Ready(), WorkBlock():
                draft.launches.append(Launch(place, block, intent, prepared))
    except Unsound as error:
        _fail(parts, draft, place, error.failure)
    except InputsError as error:  # What it calls does not take them.
        _fail(parts, draft, place, Failure(kind=FailureKind.INPUTS, message=error.problem))


async def _call(
    parts: Parts, draft: Draft, place: BlockId, body: ChildBlock, ready: Ready, before: BlockState
) -> ChildStarted:
    name, given = called(body, ready.inputs)
    return await call_of(parts, draft.state, place, name, given, before.child)


async def call_again(parts: Parts, state: RunState, place: BlockId) -> ChildStarted | None:
    """Return the intent with which *place* would call another run as *state* is; None: it could not, or calls none."""
    body, ready = parts.blocks[state.definition_of(place).type], await prepare(View(parts, state), place)
    if not isinstance(body, ChildBlock) or not isinstance(ready, Ready):
        return None
    name, given = called(body, ready.inputs)
    try:
        return await call_of(parts, state, place, name, given, state.block(place).child)
    except InputsError:
        return None


def _fail(parts: Parts, draft: Draft, place: BlockId, why: Failure) -> None:
    outcome = failure(draft.state, place, Failed(why))
    draft.add_outcome(what_follows(draft.state, outcome, draft.at, parts.chance()))
