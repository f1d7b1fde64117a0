"""`tidegate runs list | show | cancel`, and `tidegate resume`."""

from typing import Annotated

import typer

from tidegate.cli.console import emit_json, say, table
from tidegate.cli.exits import Exit, exit_of_status
from tidegate.cli.options import AsJson, By, settings_of
from tidegate.cli.report import follow_to_rest, run_document
from tidegate.cli.times import age
from tidegate.cli.wiring import Session, run_with_session
from tidegate.clock import iso
from tidegate.errors import NotResumable, RunNotFound, TidegateError
from tidegate.history.views import RunView
from tidegate.model.base import Json
from tidegate.model.events import RunStatus
from tidegate.model.ids import BlockId, CheckpointId, RunId
from tidegate.model.state import RunState
from tidegate.store.protocol import CheckpointFilter, RunFilter

__all__ = ["app", "resume"]

app = typer.Typer(help="Runs: what ran, what runs, and ending it.", no_args_is_help=True)

_RunArgument = Annotated[str, typer.Argument(metavar="RUN", help="A run's id, or the beginning of it.")]


@app.command("list")
def list_runs(
    context: typer.Context,
    workflow: Annotated[
        str | None, typer.Option("--workflow", "-w", metavar="NAME", help="Only of this one.")
    ] = None,
    status: Annotated[
        list[RunStatus] | None, typer.Option("--status", "-s", help="Only with this status; repeat for more.")
    ] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="At most so many.")] = 50,
    as_json: AsJson = False,
) -> int:
    """List runs, newest first."""

    async def work(session: Session) -> int:
        # Filtered here, not in the store: whether a run is interrupted depends on who lives now.
        found = await session.history.runs(RunFilter(workflow=workflow, limit=10_000 if status else limit))
        shown = [view for view in found if not status or view.status in status][:limit]
        if as_json:
            emit_json({"runs": [view.as_json() for view in shown], "total": len(shown)})
        elif not shown:
            say("No runs. Start one with: tidegate run FILE")
        else:
            headings = ("RUN", "WORKFLOW", "STATUS", "BLOCKS", "STARTED", "")
            table(headings, [_row(view) for view in shown])
        return Exit.SUCCEEDED

    return run_with_session(settings_of(context), work)


def _row(view: RunView) -> tuple[str, ...]:
    row, summary = view.row, view.row.summary
    note = f"{summary.pauses} open pause(s)" if summary.pauses else summary.reason
    if summary.pauses and summary.failed:
        note += f", {summary.failed} failed"
    blocks = f"{summary.completed}/{summary.blocks}"
    return (row.run_id, row.workflow, view.status.value, blocks, age(row.created_at) + " ago", note)


@app.command("show")
def show(context: typer.Context, run: _RunArgument, as_json: AsJson = False) -> int:
    """Show one run: where it stands, block by block."""

    async def work(session: Session) -> int:
        run_id = await session.history.find_run(run)
        view = await session.history.run_view(run_id)
        state = await session.history.state(run_id)
        if as_json:
            blocks: list[Json] = [_block_json(state, block_id) for block_id in state.graph.blocks]
            emit_json(
                {
                    **view.as_json(),
                    **await run_document(session, view),
                    "inputs": state.inputs,
                    "blocks": blocks,
                }
            )
        else:
            _tell(view, state)
        return exit_of_status(view.status) if view.status is RunStatus.PAUSED else Exit.SUCCEEDED

    return run_with_session(settings_of(context), work)


def _block_json(state: RunState, block_id: BlockId) -> Json:
    block = state.block(block_id)
    return {
        "block": block_id,
        "type": state.graph.blocks[block_id].type,
        "wave": state.graph.wave_of[block_id],
        "status": block.status.value,
        "attempt": block.attempt,
        "started_at": block.started_at,
        "ended_at": block.ended_at,
        "reason": block.failure.message if block.failure else block.reason,
    }


def _tell(view: RunView, state: RunState) -> None:
    row, summary = view.row, view.row.summary
    say(f"run       {row.run_id}  ({row.workflow})")
    say(f"status    {view.status}" + (f"  {summary.reason}" if summary.reason else ""))
    say(f"progress  {summary.completed} of {summary.blocks} blocks, {summary.progress_percentage:g} %")
    say(f"started   {iso(row.created_at)} by {row.by or '-'}")
    for name, value in state.inputs.items():
        say(f"input     {name} = {value}")
    for wave, blocks in enumerate(state.graph.definition.waves, 1):
        say(f"wave {wave}")
        for block_id in blocks:
            block = state.block(block_id)
            why = block.failure.message if block.failure else block.reason
            again = f"  attempt {block.attempt}" if block.attempt > 1 else ""
            say(f"  {block.status.value:<12}{block_id}{again}" + (f"  ({why})" if why else ""))
    for pause_id in state.open_pauses:
        say(f"open      {pause_id} at '{state.pauses[pause_id].block}'")


@app.command("cancel")
def cancel(
    context: typer.Context,
    run: _RunArgument,
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="Kept with the run.")] = "",
    by: By = None,
    as_json: AsJson = False,
) -> int:
    """Cancel a run: stop what runs, close its pauses.

    Exit code: 5 once it is cancelled, 6 if it had ended already, 7 if there is no such run.
    """

    async def work(session: Session) -> int:
        run_id = await session.history.find_run(run)
        before = (await session.history.run_view(run_id)).row.head
        await session.executor.cancel(run_id, by=by or session.operator, reason=reason)
        return await follow_to_rest(session, run_id, as_json=as_json, since=before)

    return run_with_session(settings_of(context), work)


def resume(
    context: typer.Context,
    target: Annotated[str, typer.Argument(metavar="RUN|CHECKPOINT|WORKFLOW", help="What to go on with.")],
    by: By = None,
    as_json: AsJson = False,
) -> int:
    """Go on with a run after a crash, a stop or a failure.

    What had ended is kept. Blocks that failed are planned again, with everything downstream. A block
    that was running when its process died is run again only if that is harmless; otherwise you are
    asked. A workflow's name means its newest run that can be resumed.
    """

    async def work(session: Session) -> int:
        run_id = await _resumable(session, target)
        before = (await session.history.run_view(run_id)).row.head
        await session.executor.resume(run_id, by=by or session.operator)
        return await follow_to_rest(session, run_id, as_json=as_json, since=before)

    return run_with_session(settings_of(context), work)


async def _resumable(session: Session, target: str) -> RunId:
    try:
        run_id = await session.history.find_run(target)
    except RunNotFound as error:
        return await _newest_of(session, target, error)
    if target.startswith("chk_"):
        await _must_be_newest(session, run_id, target)
    return run_id


async def _newest_of(session: Session, workflow: str, error: TidegateError) -> RunId:
    for view in await session.history.runs(RunFilter(workflow=workflow)):
        if view.status in (RunStatus.INTERRUPTED, RunStatus.FAILED, RunStatus.PAUSED):
            return view.row.run_id
    raise error


async def _must_be_newest(session: Session, run_id: RunId, target: str) -> None:
    wanted: CheckpointId = await session.history.find_checkpoint(target)
    newest = await session.history.checkpoints(CheckpointFilter(run_id=run_id, limit=1))
    if newest and newest[0].checkpoint_id != wanted:
        raise NotResumable(
            wanted,
            f"run {run_id} has gone on since; its newest checkpoint is {newest[0].checkpoint_id}",
            f"Resume the run itself with `tidegate resume {run_id}`",
        )
