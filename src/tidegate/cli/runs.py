"""`tidegate runs list | show | cancel`."""

import click

from tidegate.cli import options
from tidegate.cli.console import emit_json, say, shown_value, table
from tidegate.cli.exits import Exit, exit_of_status
from tidegate.cli.grammar import Command, Group, argument
from tidegate.cli.report import follow_to_rest, run_document, tell_outputs
from tidegate.cli.times import age
from tidegate.cli.wiring import Reading, Session, read_store, run_with_session
from tidegate.clock import iso
from tidegate.history.views import RunView
from tidegate.model.base import Json
from tidegate.model.events import RunStatus
from tidegate.model.ids import BlockId
from tidegate.model.listing import RunFilter
from tidegate.model.prompt import describe_value
from tidegate.model.state import Pause, RunState
from tidegate.settings import Settings

__all__ = ["runs"]

_EVERY = 1_000_000
"""More runs than any store holds: filtering by status needs all of them."""

_run = argument("run", metavar="RUN", help="A run's id, or the beginning of it.")


@click.group(cls=Group, help="Runs: what ran, what runs, and ending it.", no_args_is_help=True)
def runs() -> None:
    """Hold the commands about runs."""


@runs.command("list", cls=Command)
@click.option("--workflow", "-w", metavar="NAME", help="Only of this one.")
@click.option(
    "--status",
    "-s",
    multiple=True,
    type=click.Choice([status.value for status in RunStatus]),
    help="Only with this status; repeat for more.",
)
@click.option("--limit", "-n", type=click.IntRange(min=1), default=50, help="At most so many.")
@options.as_json
@options.store
@options.pass_settings
def list_runs(
    settings: Settings, workflow: str | None, status: tuple[str, ...], limit: int, as_json: bool
) -> int:
    """List runs, newest first."""

    async def work(reading: Reading) -> int:
        # Filtered here, not in the store: whether a run is interrupted depends on who lives now.
        found = await reading.history.runs(RunFilter(workflow=workflow, limit=_EVERY if status else limit))
        shown = [view for view in found if not status or view.status.value in status][:limit]
        if as_json:
            emit_json({"runs": [view.as_json() for view in shown], "total": len(shown)})
        elif not shown:
            say(_nothing(workflow, status))
        else:
            headings = ("RUN", "WORKFLOW", "STATUS", "BLOCKS", "STARTED", "")
            table(headings, [_row(view) for view in shown])
        return Exit.SUCCEEDED

    return read_store(settings, work)


def _nothing(workflow: str | None, status: tuple[str, ...]) -> str:
    if workflow is None and not status:
        return "No runs. Start one with: tidegate run FILE"
    return "No such runs." if workflow is None else f"No such runs of '{workflow}'."


def _row(view: RunView) -> tuple[str, ...]:
    row, summary = view.row, view.row.summary
    note = f"{summary.pauses} open pause(s)" if summary.pauses else summary.reason
    if summary.pauses and summary.failed:
        note += f", {summary.failed} failed"
    blocks = f"{summary.completed}/{summary.blocks}"
    return (row.run_id, row.workflow, view.status.value, blocks, age(row.created_at) + " ago", note)


@runs.command("show", cls=Command)
@_run
@options.as_json
@options.store
@options.pass_settings
def show(settings: Settings, run: str, as_json: bool) -> int:
    """Show one run: where it stands, block by block."""

    async def work(reading: Reading) -> int:
        run_id = await reading.history.find_run(run)
        view = await reading.history.run_view(run_id)
        state = await reading.history.state(run_id)
        if as_json:
            blocks: list[Json] = [_block_json(state, block_id) for block_id in state.graph.blocks]
            document = await run_document(reading.history, view)
            answers: list[Json] = [_answer_json(pause) for pause in _answered(state)]
            emit_json(
                {**view.as_json(), **document, "inputs": state.inputs, "blocks": blocks, "answers": answers}
            )
        else:
            _tell(view, state)
        return exit_of_status(view.status) if view.status is RunStatus.PAUSED else Exit.SUCCEEDED

    return read_store(settings, work)


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
        say(f"input     {name} = {shown_value(value)}")
    for wave, blocks in enumerate(state.graph.definition.waves, 1):
        say(f"wave {wave}")
        for block_id in blocks:
            say(f"  {_block_line(state, block_id)}")
    for pause in _answered(state):
        say(f"answered  {_answer_line(pause)}")
    for pause_id in state.open_pauses:
        say(f"open      {pause_id} at '{state.pauses[pause_id].block}'")
    tell_outputs(state)


def _answered(state: RunState) -> list[Pause]:
    """Return the decided pauses, in the order in which they were decided."""
    decided = [pause for pause in state.pauses.values() if pause.answer is not None]
    return sorted(decided, key=lambda pause: pause.closed_at or 0.0)


def _answer_line(pause: Pause) -> str:
    answer = pause.answer
    assert answer is not None  # noqa: S101 - `_answered` chose those that have one
    comment = f": {answer.comment}" if answer.comment else ""
    told = f"'{pause.block}' {describe_value(answer.value)}, by {answer.by} ({answer.via})"
    return f"{told} at {iso(pause.closed_at or 0.0)}{comment}"


def _answer_json(pause: Pause) -> Json:
    answer = pause.answer
    assert answer is not None  # noqa: S101 - as above
    return {
        "pause_id": pause.pause_id,
        "block": pause.block,
        "prompt": pause.prompt.text,
        "answer": answer.value,
        "by": answer.by,
        "via": answer.via,
        "at": pause.closed_at,
        "comment": answer.comment,
    }


def _block_line(state: RunState, block_id: BlockId) -> str:
    block = state.block(block_id)
    why = block.failure.message if block.failure else block.reason
    again = f"  attempt {block.attempt}" if block.attempt > 1 else ""
    return f"{block.status.value:<12}{block_id}{again}" + (f"  ({why})" if why else "")


@runs.command("cancel", cls=Command)
@_run
@click.option("--reason", metavar="TEXT", default="", show_default=False, help="Kept with the run.")
@options.by
@options.as_json
@options.store
@options.pass_settings
def cancel(settings: Settings, run: str, reason: str, by: str | None, as_json: bool) -> int:
    """Cancel a run: stop what runs, close its pauses.

    Exit code: 5 once it is cancelled, 6 if it had ended already, 7 if there is no such run.
    """

    async def work(session: Session) -> int:
        run_id = await session.history.find_run(run)
        before = (await session.history.run_view(run_id)).row.head
        await session.executor.cancel(run_id, by=by or session.operator, reason=reason)
        return await follow_to_rest(session, run_id, as_json=as_json, since=before)

    return run_with_session(settings, work)
