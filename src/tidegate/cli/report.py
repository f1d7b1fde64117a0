"""How a run is told: line by line while it moves, and as a whole when it rests."""

import asyncio
import contextlib

from tidegate.cli.asking import question_of
from tidegate.cli.asking_text import rule_of
from tidegate.cli.console import emit_json, say, shown_value
from tidegate.cli.exits import exit_of_status
from tidegate.cli.telling import Heads, Teller
from tidegate.cli.wiring import Session
from tidegate.history.history import History
from tidegate.history.parts import parts_of
from tidegate.history.views import RunView, origin_json, pause_json, where, whose
from tidegate.model.base import Json, JsonObject
from tidegate.model.events import Failure, RunStatus
from tidegate.model.ids import BlockId, RunId
from tidegate.model.listing import CheckpointFilter, PauseRow
from tidegate.model.prompt import FormPrompt
from tidegate.model.state import BlockStatus, RunState
from tidegate.safe_text import safe_line
from tidegate.store.owner import describe_owner

__all__ = ["follow_to_rest", "held_text", "run_document", "tell_outputs"]

_PAUSES = 20
"""Questions that are told in full; the inbox has all of them."""
_CHILDREN = 200
"""Runs below one in a document."""
_OUTPUT = 500
"""Characters of one output of a run; `--json` has all of them."""


async def follow_to_rest(
    session: Session, run_id: RunId, *, as_json: bool, since: Heads | None = None
) -> int:
    """Tell what happens to a run until nothing of it moves; return the exit code for where it rests.

    What happens in the runs above and below it is told, too: they move together. A signal ends it as
    well: what this process drives is stopped and recorded, and that is told.

    Args:
        session: The open store.
        run_id: Which run.
        as_json: Say nothing on the way, and write one document at the end.
        since: Tell only events after these positions of the journals; None: tell all that happened to the runs
            themselves, and not to those that they were forked from.
    """
    top = (await session.history.run_view(run_id)).row.root or run_id
    teller = Teller(session, top, since or {})
    following = None if as_json else asyncio.create_task(teller.follow())
    try:
        await session.executor.settle(run_id)
    except asyncio.CancelledError:
        await session.executor.close()
    finally:
        if following is not None:
            teller.end()
            following.cancel()
            await asyncio.gather(following, return_exceptions=True)
    view = await session.history.run_view(run_id)
    # A reader that has gone (`| head`) changes nothing about the run, nor about what its exit code says.
    with contextlib.suppress(BrokenPipeError):
        if as_json:
            emit_json(await run_document(session.history, view))
        else:
            await teller.tell(last=True)
            await _tell_rest(session, view)
    return exit_of_status(view.status)


async def _tell_rest(session: Session, view: RunView) -> None:
    run_id = view.row.run_id
    if view.status is RunStatus.PAUSED:
        await _tell_waiting(session, view)
    elif view.status is RunStatus.RUNNING:
        say(f"run {run_id} goes on in {describe_owner(view.row.owner)}")
    elif view.status in {RunStatus.INTERRUPTED, RunStatus.QUEUED}:
        trouble = session.executor.troubles.get(run_id, "")
        say(f"run {run_id} is interrupted" + (f": {trouble}" if trouble else ""))
        say(f"  go on with: {session.call} resume {run_id}")
    else:
        say(f"run {run_id} {_ending(view)}", hang=4)
        tell_outputs(await session.history.state(run_id))


def _ending(view: RunView) -> str:
    reason = view.row.summary.reason
    # Some reasons begin with the status: "cancelled by ana".
    return reason if reason.startswith(view.status) else ": ".join(filter(None, (view.status, reason)))


async def _tell_waiting(session: Session, view: RunView) -> None:
    """Say what a paused run waits for: answers, or that somebody lets it go on."""
    run_id = view.row.run_id
    pauses = await session.history.inbox(run_id)
    for pause in pauses[:_PAUSES]:
        _tell_pause(session, view, pause)
    if len(pauses) > _PAUSES:
        say(f"and {len(pauses) - _PAUSES} more: {session.call} inbox")
    if view.row.summary.held:
        say(f"run {run_id} is {held_text(await session.history.state(run_id))}")
        say(f"  go on with: {session.call} runs unpause {run_id}")


def held_text(state: RunState) -> str:
    """Return who paused a run and why."""
    held = state.held
    if held is None:
        return "paused"
    return f"paused by {held.by or 'somebody'}" + (f": {held.reason}" if held.reason else "")


def tell_outputs(state: RunState) -> None:
    """Say what a finished run gives, a line for each output."""
    for name, value in (state.finished.outputs if state.finished else {}).items():
        say(safe_line(f"output {name} = {shown_value(value)}", limit=_OUTPUT))


def _tell_pause(session: Session, view: RunView, pause: PauseRow) -> None:
    place = where(pause, view.row.path)
    say(f"run {view.row.run_id} waits for an answer at block '{place}' ({pause.prompt.kind}):")
    # A line break in the middle of a choice or a value begins no line of ours.
    say("    " + "\n".join(question_of(pause.prompt, session.call)), hang=4)
    if whose(pause):
        say(f"  {whose(pause)}", hang=4)
    say(f"  {rule_of(pause.prompt)}", hang=4)
    answer = "--field NAME=VALUE ..." if isinstance(pause.prompt, FormPrompt) else "ANSWER"
    say(f"  answer with: {session.call} answer {pause.pause_id} {answer}")


async def run_document(history: History, view: RunView) -> JsonObject:
    """Return everything that a script wants to know of a run at rest."""
    run_id = view.row.run_id
    state = await history.state(run_id)
    newest = await history.checkpoints(CheckpointFilter(run_id=run_id, limit=1))
    pauses: list[Json] = [pause_json(row) for row in await history.inbox(run_id)]
    children = (await history.tree(run_id)).views[1:]
    return {
        "run_id": run_id,
        "workflow": view.row.workflow,
        "status": view.status.value,
        "outputs": state.finished.outputs if state.finished else {},
        "pauses": pauses,
        "failures": _failures(state),
        "checkpoint_id": newest[0].checkpoint_id if newest else None,
        "reason": view.row.summary.reason,
        "forked_from": origin_json(state.forked_from),
        "held_by": (state.held.by or "somebody") if state.held is not None else None,
        "children": [child.as_json() for child in children[:_CHILDREN]],
        "children_total": len(children),
    }


def _failures(state: RunState) -> list[Json]:
    """Return the blocks that have failed, each with the first of its items that have."""
    failures: list[Json] = []
    for block_id in state.graph.blocks:
        parts = parts_of(state, block_id)
        for place in (block_id, *(parts.shown if parts is not None else ())):
            block = state.block(place)
            if block.status is BlockStatus.FAILED and block.failure is not None:
                failures.append(_failure(place, block.failure))
    return failures


def _failure(place: BlockId, failure: Failure) -> JsonObject:
    return {
        "block": place,
        "kind": failure.kind.value,
        "message": failure.message,
        "exit_code": failure.exit_code,
    }
