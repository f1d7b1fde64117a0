"""`tidegate runs`: the commands about runs, and the list of them."""

import click

from tidegate.cli import options, steering
from tidegate.cli.console import emit_json, say, table
from tidegate.cli.exits import Exit
from tidegate.cli.grammar import Command, Group, not_empty
from tidegate.cli.removing import delete
from tidegate.cli.report import held_text
from tidegate.cli.show import show
from tidegate.cli.times import age
from tidegate.cli.wiring import Reading, read_store
from tidegate.history.history import History
from tidegate.history.views import RunView
from tidegate.model.events import RunStatus
from tidegate.model.listing import RunFilter
from tidegate.safe_text import safe_line
from tidegate.settings import Settings

__all__ = ["runs"]

_EVERY = 1_000_000
"""More runs than any store holds: whether one is interrupted depends on who lives now."""


@click.group(cls=Group, help="Runs: what ran, what runs, and turning its course.", no_args_is_help=True)
def runs() -> None:
    """Hold the commands about runs."""


@runs.command("list", cls=Command)
@click.option("--workflow", "-w", metavar="NAME", help="Only of this one.")
@options.some_of("--status", "-s", words=RunStatus, help="Only with this status")
@click.option("--all", "everything", is_flag=True, help="Also the runs that blocks of other runs started.")
@click.option("--children", metavar="RUN", callback=not_empty, help="Only the runs below this one.")
@click.option("--limit", "-n", type=click.IntRange(min=1), default=50, help="At most so many.")
@options.as_json
@options.store
@options.pass_settings
def list_runs(
    settings: Settings,
    workflow: str | None,
    status: tuple[str, ...],
    everything: bool,
    children: str | None,
    limit: int,
    as_json: bool,
) -> int:
    """List runs, newest first. Without --all, only those that people started."""

    async def work(reading: Reading) -> int:
        if children is not None:
            below = (await reading.history.tree(await reading.history.find_run(children))).views[1:]
            found = tuple(view for view in below if workflow in (None, view.row.workflow))
        else:
            found = await reading.history.runs(_query(workflow, status, limit, top_only=not everything))
        shown = [view for view in found if not status or view.status.value in status][:limit]
        if as_json:
            emit_json({"runs": [view.as_json() for view in shown], "total": len(shown)})
        elif not shown:
            say(_nothing(reading.call, workflow, status, children))
        else:
            headings = ("RUN", "WORKFLOW", "STATUS", "BLOCKS", "STARTED", "")
            table(headings, [await _row(reading.history, view) for view in shown])
        return Exit.SUCCEEDED

    return read_store(settings, work)


def _query(workflow: str | None, status: tuple[str, ...], limit: int, *, top_only: bool) -> RunFilter:
    """Return what to ask the store for: one that runs, as journalled, may be interrupted by now."""
    wanted = {RunStatus(word) for word in status}
    if RunStatus.INTERRUPTED in wanted:
        wanted.add(RunStatus.RUNNING)
    return RunFilter(
        workflow=workflow,
        statuses=tuple(wanted),
        top_only=top_only,
        limit=_EVERY if RunStatus.RUNNING in wanted else limit,
    )


def _nothing(call: str, workflow: str | None, status: tuple[str, ...], children: str | None) -> str:
    if workflow is None and not status and children is None:
        return f"No runs. Start one with: {call} run FILE"
    return "No such runs." if workflow is None else f"No such runs of '{safe_line(workflow)}'."


async def _row(history: History, view: RunView) -> tuple[str, ...]:
    row, summary = view.row, view.row.summary
    blocks = f"{summary.completed}/{summary.blocks}"
    return (
        *(row.run_id, row.workflow, view.status.value, blocks),
        age(row.created_at) + " ago",
        await _note(history, view),
    )


async def _note(history: History, view: RunView) -> str:
    summary = view.row.summary
    notes = [f"at {view.row.path}"] if view.row.path else []
    if summary.held and summary.running:
        notes.append(f"draining {summary.running}")
    if summary.held:
        notes.append(held_text(await history.state(view.row.run_id)))
    if summary.pauses:
        notes.append(f"{summary.pauses} open pause(s)")
    if summary.pauses and summary.failed:
        notes.append(f"{summary.failed} failed")
    if summary.reason and not summary.pauses:
        notes.append(summary.reason)
    return ", ".join(notes)


for command in (
    show,
    steering.pause,
    steering.unpause,
    steering.retry,
    steering.rerun,
    steering.skip,
    steering.cancel,
    delete,
):
    runs.add_command(command)
