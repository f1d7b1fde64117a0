"""`tidegate checkpoints list | show`."""

from typing import Annotated

import typer

from tidegate.cli.console import emit_json, say, table
from tidegate.cli.exits import Exit
from tidegate.cli.options import AsJson, settings_of
from tidegate.cli.times import age
from tidegate.cli.wiring import Session, run_with_session
from tidegate.model.checkpoint import CheckpointMetadata
from tidegate.model.events import CheckpointKind
from tidegate.store.protocol import CheckpointFilter

__all__ = ["app"]

app = typer.Typer(help="Checkpoints: named points of runs.", no_args_is_help=True)


@app.command("list")
def list_checkpoints(
    context: typer.Context,
    run: Annotated[str | None, typer.Option("--run", "-r", metavar="RUN", help="Only of this run.")] = None,
    workflow: Annotated[
        str | None, typer.Option("--workflow", "-w", metavar="NAME", help="Only of this one.")
    ] = None,
    kind: Annotated[
        list[CheckpointKind] | None, typer.Option("--type", "-t", help="Only of this type.")
    ] = None,
    waiting: Annotated[bool, typer.Option("--waiting", help="Only pauses that are still open.")] = False,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="At most so many.")] = 50,
    as_json: AsJson = False,
) -> int:
    """List checkpoints, newest first."""

    async def work(session: Session) -> int:
        run_id = await session.history.find_run(run) if run else None
        query = CheckpointFilter(
            run_id=run_id, workflow=workflow, kinds=tuple(kind or ()), open_pauses_only=waiting, limit=limit
        )
        found = await session.history.checkpoints(query)
        if as_json:
            emit_json({"checkpoints": [checkpoint.as_json() for checkpoint in found], "total": len(found)})
        elif not found:
            say("No checkpoints.")
        else:
            headings = ("CHECKPOINT", "TYPE", "DONE", "WAVE", "WORKFLOW", "RUN", "AGE", "")
            table(headings, [_row(checkpoint) for checkpoint in found])
        return Exit.SUCCEEDED

    return run_with_session(settings_of(context), work)


def _row(checkpoint: CheckpointMetadata) -> tuple[str, ...]:
    summary = checkpoint.summary
    note = checkpoint.pause_prompt or checkpoint.label or checkpoint.block or ""
    return (
        checkpoint.checkpoint_id,
        "waiting" if checkpoint.is_paused else checkpoint.kind.value,
        f"{summary.progress_percentage:g}%",
        f"{min(summary.wave + 1, summary.total_waves)}/{summary.total_waves}",
        checkpoint.workflow,
        checkpoint.run_id,
        age(checkpoint.created_at),
        note.strip().partition("\n")[0],
    )


@app.command("show")
def show(
    context: typer.Context,
    checkpoint: Annotated[str, typer.Argument(metavar="CHECKPOINT", help="Its id, or the beginning of it.")],
    as_json: AsJson = False,
) -> int:
    """Show what a run was at a checkpoint: inputs, blocks, outputs, progress."""

    async def work(session: Session) -> int:
        found = await session.history.checkpoint(await session.history.find_checkpoint(checkpoint))
        if as_json:
            emit_json(found.as_json())
            return Exit.SUCCEEDED
        document = found.metadata.as_json()
        for name, value in document.items():
            say(f"{name:<20}  {'' if value is None else value}")
        for block_id in found.state.graph.blocks:
            block = found.state.block(block_id)
            say(f"block {block_id:<14}  {block.status.value}")
            for name, value in found.context.get(block_id, {}).items():
                say(f"    {name} = {str(value)[:200]}")
        return Exit.SUCCEEDED

    return run_with_session(settings_of(context), work)
