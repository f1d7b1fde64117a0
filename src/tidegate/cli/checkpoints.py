"""`tidegate checkpoints`: the commands about checkpoints, and the list of them."""

import click

from tidegate.cli import options
from tidegate.cli.console import emit_json, say, shown_value, table
from tidegate.cli.exits import Exit
from tidegate.cli.fork import fork
from tidegate.cli.grammar import Command, Group, argument, not_empty
from tidegate.cli.pins import label, mark, pin, unpin
from tidegate.cli.removing import clear, prune
from tidegate.cli.times import age
from tidegate.cli.verify import verify
from tidegate.cli.wiring import Reading, read_store
from tidegate.history.parts import parts_of
from tidegate.model.checkpoint import CheckpointMetadata, CheckpointState
from tidegate.model.ids import BlockId
from tidegate.model.listing import CheckpointFilter
from tidegate.model.policy import CheckpointKind
from tidegate.safe_text import safe_line
from tidegate.settings import Settings

__all__ = ["checkpoints"]

_VALUE = 200
"""Characters of one value in `show`; `--json` has all of them."""


@click.group(cls=Group, help="Checkpoints: named points of runs.", no_args_is_help=True)
def checkpoints() -> None:
    """Hold the commands about checkpoints."""


@checkpoints.command("list", cls=Command)
@click.option("--run", "-r", metavar="RUN", callback=not_empty, help="Only of this run.")
@click.option("--workflow", "-w", metavar="NAME", help="Only of this one.")
@click.option(
    "kinds",
    "--type",
    "-t",
    multiple=True,
    type=click.Choice([kind.value for kind in CheckpointKind]),
    help="Only of this type.",
)
@click.option("--open", "open_only", is_flag=True, help="Only pauses that are still open.")
@click.option("--limit", "-n", type=click.IntRange(min=1), default=50, help="At most so many.")
@options.as_json
@options.store
@options.pass_settings
def list_checkpoints(
    settings: Settings,
    run: str | None,
    workflow: str | None,
    kinds: tuple[str, ...],
    open_only: bool,
    limit: int,
    as_json: bool,
) -> int:
    """List checkpoints, newest first."""

    async def work(reading: Reading) -> int:
        query = CheckpointFilter(
            run_id=await reading.history.find_run(run) if run is not None else None,
            workflow=workflow,
            kinds=tuple(CheckpointKind(kind) for kind in kinds),
            open_pauses_only=open_only,
            limit=limit,
        )
        found = await reading.history.checkpoints(query)
        if as_json:
            emit_json({"checkpoints": [checkpoint.as_json() for checkpoint in found], "total": len(found)})
        elif not found:
            say("No checkpoints.")
        else:
            headings = ("CHECKPOINT", "TYPE", "DONE", "WAVE", "WORKFLOW", "RUN", "AGE", "")
            table(headings, [_row(checkpoint) for checkpoint in found])
        return Exit.SUCCEEDED

    return read_store(settings, work)


def _row(checkpoint: CheckpointMetadata) -> tuple[str, ...]:
    summary = checkpoint.summary
    note = checkpoint.pause_prompt or checkpoint.label or checkpoint.block or ""
    return (
        checkpoint.checkpoint_id,
        checkpoint.kind.value
        + (" (open)" if checkpoint.is_paused else "")
        + (" (pinned)" if checkpoint.pinned else ""),
        f"{summary.progress_percentage:g}%",
        f"{min(summary.wave + 1, summary.total_waves)}/{summary.total_waves}",
        checkpoint.workflow,
        checkpoint.run_id,
        age(checkpoint.created_at),
        note.strip().partition("\n")[0],
    )


@checkpoints.command("show", cls=Command)
@argument("checkpoint", metavar="CHECKPOINT", help="Its id, or the beginning of it.")
@options.as_json
@options.store
@options.pass_settings
def show(settings: Settings, checkpoint: str, as_json: bool) -> int:
    """Show what a run was at a checkpoint: inputs, blocks, outputs, progress."""

    async def work(reading: Reading) -> int:
        found = await reading.history.checkpoint(await reading.history.find_checkpoint(checkpoint))
        if as_json:
            emit_json(found.as_json())
        else:
            _tell(found)
        return Exit.SUCCEEDED

    return read_store(settings, work)


def _tell(checkpoint: CheckpointState) -> None:
    for name, value in checkpoint.metadata.as_json().items():
        say(f"{name:<20}  {'' if value in (None, {}) else shown_value(value)}".rstrip())
    for name, value in checkpoint.state.inputs.items():
        say(safe_line(f"input {name} = {shown_value(value)}", limit=_VALUE))
    for block in checkpoint.state.graph.blocks:
        _tell_place(checkpoint, "block ", block)
        parts = parts_of(checkpoint.state, block)
        for place in parts.shown if parts is not None else ():
            _tell_place(checkpoint, "  ", place)
        if parts is not None and parts.hidden:
            say(f"  … {parts.hidden:,} more")


def _tell_place(checkpoint: CheckpointState, before: str, place: BlockId) -> None:
    say(f"{before}{place:<14}  {checkpoint.state.block(place).status.value}")
    for name, value in checkpoint.context.get(place, {}).items():
        say(safe_line(f"    {name} = {shown_value(value)}", limit=_VALUE))


for command in (fork, verify, mark, label, pin, unpin, prune, clear):
    checkpoints.add_command(command)
