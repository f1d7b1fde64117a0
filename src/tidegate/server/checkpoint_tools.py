"""The tools about checkpoints: going on from them, looking at them, comparing, forking."""

from typing import Annotated, Any

from mcp.types import CallToolResult
from pydantic import Field

from tidegate.embedding.targets import resumed_run
from tidegate.engine.forks.edits import Edit
from tidegate.engine.forks.fork import ForkRequest
from tidegate.errors import PauseNotFound, TidegateError
from tidegate.history.comparing import Rules
from tidegate.history.counterparts import Counterpart
from tidegate.history.paths import parse_path
from tidegate.model.base import Json, JsonObject
from tidegate.model.checkpoint import CheckpointState
from tidegate.model.events import Origin, RunStatus
from tidegate.model.ids import BlockId, PauseId, RunId
from tidegate.server.desk import Call, Desk, desk_of
from tidegate.server.refusals import AnswerMissing, NotInteractive, refuse_secret
from tidegate.server.telling import AGAIN, run_told, tell, told
from tidegate.server.workflow_tools import Seconds

__all__ = [
    "delete_checkpoint",
    "diff_checkpoints",
    "fork_run",
    "get_checkpoint_info",
    "list_checkpoints",
    "resume_workflow",
]

CheckpointId = Annotated[str, Field(description="A checkpoint (chk_...) or an open question (pause_...).")]
Point = Annotated[str, Field(description="A checkpoint, RUN@SEQ, or a run, which means its newest event.")]


@told()
async def resume_workflow(
    ctx: Call,
    checkpoint_id: Annotated[
        str, Field(description="From a paused result or list_checkpoints; or the id of a run.")
    ],
    llm_response: Annotated[
        Any, Field(description="The answer to the question: required if it waits for one.")
    ] = None,
    wait_seconds: Seconds = None,
) -> CallToolResult:
    """Go on with a paused, interrupted or failed workflow, and return once it has ended or waits again.

    With the id of a question, or where only one is open, `llm_response` is the answer: yes or no, the text or
    number of a choice, a text. An answer that breaks a rule of the question leaves it open.
    """
    desk = desk_of(ctx)
    run_id = await _resume(desk, checkpoint_id, llm_response)
    return run_told(await desk.rested(run_id, wait_seconds), AGAIN)


async def _resume(desk: Desk, target: str, answer: Json) -> RunId:
    """Let a run go on; return its id, or that of the run on top of it."""
    run_id, pause_id = await resumed_run(desk.store, target, is_answered=answer is not None)
    if answer is None:
        await _check_unasked(desk, run_id, pause_id)
        await desk.gate.do(desk.executor.resume(run_id, by=desk.operator))
        return run_id
    try:
        pause = await desk.history.find_pause(pause_id or run_id)
    except PauseNotFound:
        if pause_id is not None:
            raise
        raise NotInteractive(target) from None
    refuse_secret(pause)
    await desk.gate.answer(pause.pause_id, answer)
    return run_id


async def _check_unasked(desk: Desk, run_id: RunId, pause_id: PauseId | None) -> None:
    """Refuse to let a run go on that can do nothing without an answer."""
    # Of an interrupted one another branch may have been at work: that goes on, whatever else is asked.
    rested = await desk.gate.get_run(run_id)
    if rested.status is RunStatus.PAUSED and rested.pauses:
        named = next((pause for pause in rested.pauses if pause.pause_id == pause_id), rested.pauses[0])
        raise AnswerMissing(named.pause_id, named.prompt.text, "llm_response")


@told()
async def list_checkpoints(
    ctx: Call,
    workflow_name: Annotated[str, Field(description="Only of this workflow; empty: of all.")] = "",
    run_id: Annotated[str, Field(description="Only of this run; empty: of all.")] = "",
    limit: Annotated[int, Field(ge=1, le=5_000)] = 500,
) -> CallToolResult:
    """List checkpoints, newest first: automatic ones, and those of questions (`is_paused`: still open)."""
    found = await desk_of(ctx).gate.list_checkpoints(
        workflow_name or None, run_id=run_id or None, limit=limit
    )
    checkpoints: list[Json] = [checkpoint.as_json() for checkpoint in found]
    lines = [
        f"{checkpoint.checkpoint_id} {checkpoint.workflow} {checkpoint.type}"
        + (f": {checkpoint.pause_prompt}" if checkpoint.is_paused else "")
        for checkpoint in found
    ]
    return tell({"checkpoints": checkpoints, "total": len(found)}, "\n".join(lines) or "no checkpoints")


@told(found=False)
async def get_checkpoint_info(ctx: Call, checkpoint_id: CheckpointId) -> CallToolResult:
    """Say what a run was at a checkpoint: its progress, what had completed, what it asks."""
    point = await desk_of(ctx).gate.load_checkpoint(checkpoint_id)
    document = _info(point)
    text = f"{checkpoint_id}: {document['workflow_name']}, {document['progress_percentage']} % done"
    asks = f"; asks: {document['pause_prompt']}" if document["is_paused"] else ""
    return tell(document, text + asks)


def _info(point: CheckpointState) -> JsonObject:
    everything = point.as_json()
    # Values of a run may be large, or secret to whoever only wants to know how far it is.
    kept = {key: value for key, value in everything.items() if key not in _VALUES}
    return {"found": True, **kept, "current_wave": everything["current_wave_index"]}


_VALUES = ("runtime_inputs", "state", "context", "block_definitions", "current_wave_index")


@told(deleted=False, message="Checkpoint not deleted")
async def delete_checkpoint(ctx: Call, checkpoint_id: CheckpointId) -> CallToolResult:
    """Take a checkpoint off the list. That of an open question, or a pinned one, stays."""
    await desk_of(ctx).gate.delete_checkpoint(checkpoint_id)
    message = "Checkpoint deleted successfully"
    return tell({"deleted": True, "checkpoint_id": checkpoint_id, "message": message}, message)


class _BadPath(TidegateError):
    """A path of a value cannot be read."""


@told()
async def diff_checkpoints(
    ctx: Call,
    left: Point,
    right: Annotated[str, Field(description="Another point; empty: left's run as it is now.")] = "",
    ignore: Annotated[
        list[str] | None, Field(description="What does not count: blocks.*.outputs.stamp, **.version.")
    ] = None,
    timing: Annotated[bool, Field(description="Whether times and numbers of attempts count.")] = False,
) -> CallToolResult:
    """Compare two points of one run or of two: values, blocks, answers, and the workflow itself."""
    history = desk_of(ctx).history
    one = await history.find_point(left)
    other = await (history.find_point(right) if right else history.counterpart(one, Counterpart.NOW))
    for pattern in ignore or ():
        _path(pattern)
    found = await history.compare(one, other, Rules(ignore=tuple(ignore or ()), timing=timing))
    return tell(found.as_json(), f"{len(found.changes)} differences between {one} and {other}")


def _path(text: str) -> tuple[str | int, ...]:
    try:
        return parse_path(text)
    except ValueError as error:
        raise _BadPath(str(error)) from None


@told()
async def fork_run(
    ctx: Call,
    point: Point,
    changes: Annotated[
        dict[str, Any] | None,
        Field(
            description="Values by path: inputs.NAME, state.NAME, blocks.B.outputs.NAME, blocks.B.inputs.NAME, "
            "blocks.B.answer."
        ),
    ] = None,
    rerun_blocks: Annotated[
        list[str] | None, Field(description="Blocks that run again, with everything downstream.")
    ] = None,
    keep_answers: Annotated[
        bool, Field(description="Whether later answers count again for the very same questions.")
    ] = False,
    dry_run: Annotated[bool, Field(description="Only say what would happen.")] = False,
    wait_seconds: Seconds = None,
) -> CallToolResult:
    """Start a new run that goes on from a point of another one, which stays as it is.

    What had ended at the point is not run again; what runs has real effects. Try `dry_run` first.
    """
    desk = desk_of(ctx)
    start = await desk.history.find_point(point)
    request = ForkRequest(
        Origin(run_id=start.run_id, seq=start.seq),
        tuple(Edit(_path(path), value) for path, value in (changes or {}).items()),
        tuple(map(BlockId, rerun_blocks or ())),
        keep_answers=keep_answers,
    )
    if dry_run:
        preview = await desk.executor.preview_fork(request)
        return tell({"dry_run": True, **preview.as_json()}, f"fork of {start}; nothing was started")
    run_id = await desk.gate.do(desk.executor.fork(request, by=desk.operator))
    origin: JsonObject = {"run_id": start.run_id, "seq": start.seq}
    return run_told(await desk.rested(run_id, wait_seconds), also={"forked_from": origin})
