"""`tidegate checkpoints`: the commands about checkpoints, and the list of them."""

from collections.abc import Collection

import click

from tidegate.cli import options
from tidegate.cli.call import call_of
from tidegate.cli.compare import diff
from tidegate.cli.console import complain, emit_json, say, table
from tidegate.cli.exits import Exit
from tidegate.cli.fork import fork
from tidegate.cli.grammar import Command, Group, not_empty
from tidegate.cli.pins import label, mark, pin, unpin
from tidegate.cli.point import show
from tidegate.cli.porting import export, import_
from tidegate.cli.removing import clear, prune
from tidegate.cli.times import age, duration
from tidegate.cli.unlisting import delete
from tidegate.cli.verify import verify
from tidegate.cli.wiring import Reading, read_store
from tidegate.clock import SystemClock
from tidegate.history.history import History
from tidegate.model.checkpoint import CheckpointMetadata
from tidegate.model.events import RunStatus
from tidegate.model.ids import BlockId, block_of
from tidegate.model.listing import CheckpointFilter
from tidegate.model.policy import CheckpointKind
from tidegate.safe_text import safe_line
from tidegate.settings import Settings

__all__ = ["checkpoints"]

_AUTOMATIC = "automatic"
"""What listings call a checkpoint that neither a person nor a question has made."""
_LOOKED_AT = 1_000
"""Checkpoints that are looked at for what there is, where nothing was found."""
_STATUS = (
    "Only where the run stood so when it was marked, mostly before its end (what failed: --type failure)"
)
_NOT_AUTOMATIC = (CheckpointKind.PAUSE, CheckpointKind.EXPLICIT)


@click.group(cls=Group, help="Checkpoints: named points of runs.", no_args_is_help=True)
def checkpoints() -> None:
    """Hold the commands about checkpoints."""


@checkpoints.command("list", cls=Command)
@click.option("--run", "-r", metavar="RUN", callback=not_empty, help="Only of this run.")
@click.option("--workflow", "-w", metavar="NAME", help="Only of this one.")
@options.some_of("kinds", "--type", "-t", words=(*CheckpointKind, _AUTOMATIC), help="Only of this type")
@click.option("--open", "open_only", is_flag=True, help="Only pauses that are still open.")
@click.option(
    "--block", "-b", metavar="BLOCK", callback=not_empty, help="Only at this block or a part of it."
)
@options.some_of("statuses", "--status", words=RunStatus, help=_STATUS)
@click.option("--newer-than", metavar="TIME", callback=duration, help="Only from the last so long: 2h, 7d.")
@click.option("--older-than", metavar="TIME", callback=duration, help="Only from before that: 2h, 7d.")
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
    block: str | None,
    statuses: tuple[str, ...],
    newer_than: float | None,
    older_than: float | None,
    limit: int,
    as_json: bool,
) -> int:
    """List checkpoints, newest first. Everything that is asked for must hold."""
    now = SystemClock().now()

    async def work(reading: Reading) -> int:
        query = CheckpointFilter(
            run_id=await reading.history.find_run(run) if run is not None else None,
            workflow=workflow,
            kinds=_kinds(kinds),
            open_pauses_only=open_only,
            block=None if block is None else BlockId(block),
            statuses=tuple(map(RunStatus, statuses)),
            since=None if newer_than is None else now - newer_than,
            before=None if older_than is None else now - older_than,
            limit=limit,
        )
        found = await reading.history.checkpoints(query)
        if as_json:
            emit_json({"checkpoints": [checkpoint.as_json() for checkpoint in found], "total": len(found)})
        elif not found:
            say(f"No checkpoints{await _what_there_is(reading.history, query)}.")
            _tell_ended(call_of(settings), query)
        else:
            headings = ("CHECKPOINT", "TYPE", "DONE", "WAVE", "WORKFLOW", "RUN", "AGE", "")
            table(headings, [_row(checkpoint) for checkpoint in found])
        return Exit.SUCCEEDED

    return read_store(settings, work)


async def _what_there_is(history: History, query: CheckpointFilter) -> str:
    """Return what there is instead of a block or a workflow of which there is nothing; empty: no word is wrong."""
    # Of one that is there, others of its checkpoints may be asked for.
    anything = CheckpointFilter(run_id=query.run_id, workflow=query.workflow, limit=_LOOKED_AT)
    found = await history.checkpoints(anything)
    if query.workflow is not None and not found:
        known = {each.workflow for each in await history.checkpoints(anything.evolve(workflow=None))}
        return _instead("workflow", query.workflow, known)
    known = {block_of(BlockId(each.block)) for each in found if each.block}
    if query.block is not None and block_of(query.block) not in known:
        return _instead("block", query.block, known)
    return ""


def _tell_ended(call: str, query: CheckpointFilter) -> None:
    """Say what finds the checkpoints of runs that have ended in some way, to who looked for them by that."""
    ended = [status for status in query.statuses if status.is_terminal]
    if not ended:
        return
    complain(
        "--status is where the run stood when a checkpoint was marked, and that is mostly before its end."
    )
    if RunStatus.FAILED in ended:
        complain(f"Marked at failures:        {call} checkpoints list --type {CheckpointKind.FAILURE}")
    complain(f"Of a run that ended so:    {call} runs list --status {','.join(ended)}")
    complain(f"                           {call} checkpoints list --run RUN")


def _instead(kind: str, word: str, known: Collection[str]) -> str:
    # Here: only who mistyped pays for the comparison.
    from tidegate.workflows.nearest import did_you_mean, listed

    if not known:
        return ""
    hint = did_you_mean(word, known) or f": there are some of {listed(sorted(known))}"
    return f" of a {kind} '{safe_line(word, 60)}'{hint}"


def _kinds(words: tuple[str, ...]) -> tuple[CheckpointKind, ...]:
    """Return the kinds that types mean."""
    automatic = [kind for kind in CheckpointKind if kind not in _NOT_AUTOMATIC] if _AUTOMATIC in words else []
    return (*automatic, *(CheckpointKind(word) for word in words if word != _AUTOMATIC))


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


for command in (show, diff, fork, verify, mark, label, pin, unpin, delete, export, import_, prune, clear):
    checkpoints.add_command(command)
