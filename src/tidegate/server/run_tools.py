"""The tools about runs and their open questions."""

from dataclasses import asdict
from typing import Annotated, Any

from mcp.server.mcpserver.resolve import Resolve
from mcp.types import CallToolResult
from pydantic import Field

from tidegate.history.views import pause_json
from tidegate.model.events import RunStatus
from tidegate.model.ids import RunId
from tidegate.model.listing import PauseRow
from tidegate.model.state import PauseState
from tidegate.server.desk import Call, Desk, desk_of
from tidegate.server.person import Asked, ask_person, given_by_person
from tidegate.server.refusals import AnswerMissing, refuse_secret
from tidegate.server.telling import AGAIN, run_told, tell, told
from tidegate.server.workflow_tools import Seconds

__all__ = ["answer_pause", "cancel_run", "get_run", "list_pauses", "list_runs"]

Run = Annotated[str, Field(description="The id of a run.")]


@told()
async def get_run(
    ctx: Call,
    run_id: Run,
    wait_seconds: Annotated[
        float, Field(ge=0, description="How long to wait until nothing of it moves.")
    ] = 0,
) -> CallToolResult:
    """Say where a run stands: status, outputs, open questions, failures, progress."""
    desk = desk_of(ctx)
    result = await (desk.rested(run_id, wait_seconds) if wait_seconds else desk.gate.get_run(run_id))
    progress = (await desk.history.run_view(RunId(run_id))).as_json()
    known = result.as_json()
    return run_told(result, also={key: value for key, value in progress.items() if key not in known})


@told()
async def list_runs(
    ctx: Call,
    workflow_name: Annotated[str, Field(description="Only of this workflow; empty: of all.")] = "",
    statuses: Annotated[
        list[RunStatus] | None, Field(description="Only those that stand so; none given: all.")
    ] = None,
    limit: Annotated[int, Field(ge=1, le=5_000)] = 100,
) -> CallToolResult:
    """List runs, newest first: also those that nobody drives any more (`interrupted`)."""
    gate = desk_of(ctx).gate
    found = await gate.list_runs(workflow_name or None, statuses=statuses or (), limit=limit)
    runs = [asdict(info) | {"status": info.status.value} for info in found]
    lines = [f"{info.run_id} {info.workflow}: {info.status.value} {info.reason}".rstrip() for info in found]
    return tell({"runs": [*runs], "total": len(found)}, "\n".join(lines) or "no runs")


@told()
async def cancel_run(
    ctx: Call,
    run_id: Run,
    reason: Annotated[str, Field(description="Why; kept with the run.")] = "",
    wait_seconds: Seconds = None,
) -> CallToolResult:
    """Stop what runs in a run and below it, and close its questions; blocks that run `always` still do."""
    desk = desk_of(ctx)
    await desk.gate.cancel(run_id, reason=reason)
    return run_told(await desk.rested(run_id, wait_seconds))


@told()
async def list_pauses(
    ctx: Call, run_id: Annotated[str, Field(description="Only of this run and those below it.")] = ""
) -> CallToolResult:
    """List the open questions: those with a deadline first, then the oldest."""
    rows = await desk_of(ctx).gate.list_pauses(run_id or None)
    lines = [f"{row.pause_id} {row.workflow}/{row.block}: {row.prompt.text}" for row in rows]
    return tell(
        {"pauses": [pause_json(row) for row in rows], "total": len(rows)},
        "\n".join(lines) or "no open questions",
    )


@told()
async def answer_pause(
    ctx: Call,
    pause_id: Annotated[str, Field(description="The question, from list_pauses or a paused result.")],
    asked: Annotated[Asked, Resolve(ask_person)],
    value: Annotated[
        Any,
        Field(description="The answer; left out, the client's user is asked, if the client can do that."),
    ] = None,
    comment: Annotated[str, Field(description="Kept with the answer; some questions require one.")] = "",
    wait_seconds: Seconds = None,
) -> CallToolResult:
    """Answer an open question, and return once its run has ended or waits again.

    `expected_response_schema` of list_pauses says what an answer may be. Of several who answer at once one
    wins, and the others are told who.
    """
    desk = desk_of(ctx)
    pause = await desk.history.find_pause(pause_id)
    refuse_secret(pause)
    # One that is closed says so itself, whatever it is given.
    if value is None and pause.state is PauseState.OPEN:
        value, is_given = given_by_person(asked)
        if not is_given:
            return await _unanswered(desk, pause, asked)
    await desk.gate.answer(pause.pause_id, value, comment=comment)
    return run_told(await desk.rested(pause.root or pause.run_id, wait_seconds), AGAIN)


async def _unanswered(desk: Desk, pause: PauseRow, asked: Asked) -> CallToolResult:
    """Say that a user has declined, or that nobody was asked: an answer is missing then."""
    if getattr(asked, "action", "accept") == "accept":
        raise AnswerMissing(pause.pause_id, pause.prompt.text, "value")
    return run_told(await desk.gate.get_run(pause.root or pause.run_id), _DECLINED)


_DECLINED = "The user gave no answer - the question stays open"
