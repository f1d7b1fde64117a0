"""Runs that a block starts: what is called, with what, and what the block makes of how the run ended."""

from tidegate.blocks.base import Failed
from tidegate.engine.outcome import Outcome, rejection, success, told_failure
from tidegate.engine.parts import Parts
from tidegate.engine.results import who_cancelled
from tidegate.engine.view import View
from tidegate.errors import InputsError, RunNotFound
from tidegate.model.base import JsonObject
from tidegate.model.codec import printable
from tidegate.model.events import (
    AttemptCancelled,
    ChildStarted,
    Failure,
    Parent,
    RunFinished,
    RunStarted,
    RunStatus,
)
from tidegate.model.ids import BlockId, RunId, Seq
from tidegate.model.policy import FailureKind
from tidegate.model.prompt import SentBack
from tidegate.model.state import Child, RunState, new_state
from tidegate.model.workflow import Graph, WorkflowDefinition, definition_hash
from tidegate.store.protocol import NewRun
from tidegate.workflows.run_inputs import validate_inputs

__all__ = ["MAX_DEPTH", "call_of", "new_child", "outcome_of", "parent_of"]

MAX_DEPTH = 10
"""How many runs may stand above a run."""


async def call_of(
    parts: Parts, state: RunState, place: BlockId, name: str, given: JsonObject, before: Child | None
) -> ChildStarted:
    """Return the intent to run another workflow for *place*.

    Args:
        parts: What the executor works with.
        state: The calling run, with the attempt begun.
        place: Which block calls.
        name: What it calls, as its workflow names it.
        given: The inputs it passes; the child sees nothing else.
        before: The run that did the block's work before a person let it go on.

    Raises:
        InputsError: there is no such workflow, the inputs are not what it takes, or it is called too deep.
    """
    definition = state.graph.definition.children.get(name)
    if definition is None:
        raise InputsError(
            "ExecuteWorkflow", (f"there is no workflow '{name}' among those it was loaded with",)
        )
    if len(state.parent.path if state.parent else ()) >= MAX_DEPTH:
        raise InputsError("ExecuteWorkflow", (f"'{name}' is called more than {MAX_DEPTH} runs deep",))
    try:
        inputs = validate_inputs(definition, given, from_text=False)
    except InputsError as error:
        raise InputsError("ExecuteWorkflow", (f"it calls '{name}': {error.problem}",)) from None
    child = parts.run_id("/".join((*(state.parent.path if state.parent else ()), place)))
    started = ChildStarted(
        block=place, attempt=state.block(place).attempt, child=child, workflow=name, inputs=inputs
    )
    if before is None or before.workflow != name:
        return started
    if before.is_to_be_forked:
        goes_on = before.inputs == inputs and await _is_of(parts, before, definition)
        return started.evolve(origin=before.origin) if goes_on else started
    resumed = await _resumable(parts, before)
    return started if resumed is None else started.evolve(child=before.run_id, resumed_after=resumed)


async def _is_of(parts: Parts, child: Child, definition: WorkflowDefinition) -> bool:
    """Whether a run is there that is pinned to a definition."""
    try:
        return (await parts.store.run(child.run_id)).definition == definition_hash(definition)
    except RunNotFound:
        return False


async def _resumable(parts: Parts, before: Child) -> Seq | None:
    """Return the head of an earlier run that can go on, or has succeeded since; None if another must be begun."""
    try:
        row = await parts.store.run(before.run_id)
    except RunNotFound:
        return None
    # A person ended it, and meant that.
    was_ended = row.summary.status in (RunStatus.CANCELLED, RunStatus.REJECTED)
    return None if was_ended else row.head


def new_child(parts: Parts, state: RunState, place: BlockId, child: Child) -> NewRun:
    """Return the run that does the work of *place*, with its lease taken."""
    definition = state.graph.definition.children[child.workflow]
    parent = parent_of(state, place)
    return new_run(
        parts, child.run_id, definition, child.inputs, by=state.by, parent=parent, said=state.said_to(place)
    )


def parent_of(state: RunState, place: BlockId) -> Parent:
    """Return what a run that does the work of *place* has for a parent."""
    above = state.parent.path if state.parent else ()
    root = state.parent.root if state.parent else state.run_id
    return Parent(run_id=state.run_id, block=place, root=root, path=(*above, place))


def new_run(
    parts: Parts,
    run_id: RunId,
    definition: WorkflowDefinition,
    inputs: JsonObject,
    *,
    by: str,
    parent: Parent | None = None,
    source: str = "",
    said: SentBack | None = None,
) -> NewRun:
    """Return a run to be created, with its lease taken by this process."""
    now = parts.clock.now()
    digest = definition_hash(definition)
    started = RunStarted(
        workflow=definition.name,
        definition=digest,
        inputs=inputs,
        by=printable(by),
        parent=parent,
        sent_back=said,
    )
    return NewRun(
        run_id=run_id,
        definition=definition,
        definition_hash=digest,
        source=source,
        at=now,
        events=(started,),
        summary=new_state(run_id, Graph(definition)).summarise(),
        owner=parts.owner,
        lease_until=now + parts.lease_seconds,
    )


async def outcome_of(view: View, place: BlockId, child_id: RunId) -> Outcome:
    """Return what a block makes of the run that did its work, and has ended."""
    child = await view.parts.states.newest(child_id)
    if child.finished is None:
        raise ValueError(f"run {child_id} has not ended")
    workflow = child.graph.definition.name
    outputs: JsonObject = {**child.finished.outputs, "run_id": child_id}
    duration = max(0.0, child.updated_at - child.started_at - child.idle_seconds)
    match child.finished.status:
        case RunStatus.SUCCEEDED:
            return await success(view, place, outputs, duration)
        case RunStatus.REJECTED:
            return rejection(view, place, outputs)
        case RunStatus.CANCELLED if view.state.is_stopping:
            attempt = view.state.block(place).attempt
            return Outcome(AttemptCancelled(block=place, attempt=attempt, reason=child.finished.reason))
        case _:
            message = f"run {child_id} of {workflow} {_ended(child, child.finished)}"
            why = Failure(kind=FailureKind.CHILD, message=message)
            return told_failure(view, place, Failed(why, outputs), duration)


def _ended(child: RunState, finished: RunFinished) -> str:
    if child.cancel is not None:
        return f"was {who_cancelled(child.cancel)}"
    because = finished.reason or child.first_failure
    return f"{finished.status}: {because}" if because else finished.status.value
