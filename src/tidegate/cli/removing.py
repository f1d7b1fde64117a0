"""`tidegate runs delete`, `tidegate checkpoints prune | clear`: removing runs that have ended."""

from collections.abc import Awaitable, Callable, Sequence

import click

from tidegate.cli import options
from tidegate.cli.asking import at_terminal
from tidegate.cli.console import complain, emit_json, say, table
from tidegate.cli.exits import Exit
from tidegate.cli.grammar import Command, argument, not_empty
from tidegate.cli.times import age, duration
from tidegate.cli.wiring import Session, run_with_session
from tidegate.clock import iso
from tidegate.engine.cleaning import CleanUp
from tidegate.engine.retention import EVERYTHING, Fate, Limits
from tidegate.errors import RunInUse
from tidegate.history.spans import size
from tidegate.model.base import JsonObject
from tidegate.model.ids import RunId
from tidegate.settings import Settings

__all__ = ["clear", "delete", "prune"]

_MOST_STAYING = 40
"""Lines about runs that stay; `--json` has all of them."""

_dry_run = click.option("--dry-run", is_flag=True, help="Only say what would go, and how much it takes.")
_yes = click.option("--yes", "-y", is_flag=True, help="Do not ask.")
_pinned = click.option("--pinned", is_flag=True, help="Also runs with a pinned checkpoint.")

Do = Callable[[bool, Sequence[RunId]], Awaitable[CleanUp]]
"""Does it, or with True says what it would do; to these runs only, if any are named."""


@click.command(cls=Command)
@argument("runs", metavar="RUN...", nargs=-1, required=True, help="Their ids, or the beginnings.")
@_pinned
@_yes
@_dry_run
@options.as_json
@options.store
@options.pass_settings
def delete(
    settings: Settings, runs: tuple[str, ...], pinned: bool, yes: bool, dry_run: bool, as_json: bool
) -> int:
    """Remove runs that have ended, for good, each with the runs that its blocks have started.

    Exit code: 0 if all of them are gone, 6 if one is not: it has not ended, or a checkpoint of it is
    pinned; 7 if there is no such run, and then nothing is removed.
    """

    async def work(session: Session) -> int:
        named = [await _on_top(session, run) for run in runs]

        async def do(only_say: bool, only: Sequence[RunId]) -> CleanUp:
            return await session.executor.clean_up(
                only=only or named,
                limits=EVERYTHING,
                despite_pins=pinned,
                dry_run=only_say,
                by=session.operator,
            )

        done = await _sure(do, dry_run=dry_run, yes=yes, as_json=as_json)
        return Exit.CONFLICT if done.staying else Exit.SUCCEEDED

    return run_with_session(settings, work)


async def _on_top(session: Session, run: str) -> RunId:
    row = (await session.history.run_view(await session.history.find_run(run))).row
    if row.root is not None:
        raise RunInUse(row.run_id, f"it is a part of run {row.root}", "Remove that one, and it goes along")
    return row.run_id


_keep = click.option(
    "--keep", metavar="N", type=click.IntRange(min=0), help="Keep so many of each workflow, the newest."
)
_older = click.option(
    "--older-than", metavar="TIME", callback=duration, help="Remove what ended longer ago: 7d, 12h."
)


@click.command(cls=Command)
@click.option("--workflow", "-w", metavar="NAME", callback=not_empty, help="Only runs of this one.")
@_keep
@_older
@_dry_run
@options.as_json
@options.store
@options.pass_settings
def prune(
    settings: Settings,
    workflow: str | None,
    keep: int | None,
    older_than: float | None,
    dry_run: bool,
    as_json: bool,
) -> int:
    """Remove the runs that have ended and are kept no longer, and give their space back.

    How long they are kept, `checkpoint: retention:` in the workflow's file says, or else the settings;
    --keep and --older-than say it for this time. A run that has not ended stays, whatever its age, and so
    does one with a pinned checkpoint, and the last success of a workflow unless its file says otherwise.
    Checkpoints beyond what a file wants of one run are taken off the list, the oldest first.

    Exit code: 0, also if there was nothing to remove.
    """
    limits = None if keep is None and older_than is None else Limits(max_runs=keep, max_age=older_than)

    async def work(session: Session) -> int:
        done = await session.executor.clean_up(
            workflow=workflow, limits=limits, dry_run=dry_run, by=session.operator
        )
        _report(done, dry_run=dry_run, as_json=as_json)
        return Exit.SUCCEEDED

    return run_with_session(settings, work)


@click.command(cls=Command)
@argument("workflow", metavar="[WORKFLOW]", required=False, help="Which workflow's runs.")
@click.option("--all", "everything", is_flag=True, help="Those of every workflow.")
@_keep
@_older
@_pinned
@_yes
@_dry_run
@options.as_json
@options.store
@options.pass_settings
def clear(
    settings: Settings,
    workflow: str | None,
    everything: bool,
    keep: int | None,
    older_than: float | None,
    pinned: bool,
    yes: bool,
    dry_run: bool,
    as_json: bool,
) -> int:
    """Remove every run of a workflow that has ended, with its checkpoints, for good; or of all workflows.

    How long they are kept otherwise does not matter here: what stays, --keep and --older-than say.

    Exit code: 0, also if there was nothing to remove.
    """
    if everything is (workflow is not None):
        raise click.UsageError("name a workflow, or say --all")
    named = keep is not None or older_than is not None
    limits = Limits(max_runs=keep, max_age=older_than, keep_successful=False) if named else EVERYTHING

    async def work(session: Session) -> int:
        async def do(only_say: bool, only: Sequence[RunId]) -> CleanUp:
            return await session.executor.clean_up(
                workflow=workflow,
                only=only,
                limits=limits,
                despite_pins=pinned,
                dry_run=only_say,
                by=session.operator,
            )

        await _sure(do, dry_run=dry_run, yes=yes, as_json=as_json)
        return Exit.SUCCEEDED

    return run_with_session(settings, work)


# -- asking -----------------------------------------------------------------------------------


async def _sure(do: Do, *, dry_run: bool, yes: bool, as_json: bool) -> CleanUp:
    """Do it, if that is wanted; return what was done, or would be.

    Raises:
        click.UsageError: nobody said that it is, and there is nobody to ask.
        click.Abort: somebody said that it is not.
    """
    done = await do(dry_run or not yes, ())
    if not dry_run and not yes and done.going:
        _ask(done)
        # What was shown, and nothing that has ended meanwhile.
        removed = await do(False, [fate.run.run_id for fate in done.going])
        done = removed.evolve(fates=(*removed.fates, *done.staying))
    _report(done, dry_run=dry_run, as_json=as_json)
    return done


def _ask(planned: CleanUp) -> None:
    if not at_terminal():
        raise click.UsageError("nothing was removed: say --yes, or --dry-run to see what would go")
    for fate in planned.going[:_MOST_STAYING]:
        complain("  ".join(_row(fate, dry_run=True)[1:-1]))
    if planned.going[_MOST_STAYING:]:
        complain(f"… and {len(planned.going) - _MOST_STAYING:,} more")
    click.confirm(f"Remove {_counted(planned.going)} for good?", abort=True, err=True)


# -- telling ----------------------------------------------------------------------------------


def _report(done: CleanUp, *, dry_run: bool, as_json: bool) -> None:
    if as_json:
        emit_json(_document(done, dry_run=dry_run))
        return
    shown = (*done.going, *done.staying[:_MOST_STAYING])
    if shown:
        headings = ("", "RUN", "WORKFLOW", "STATUS", "ENDED", "SIZE", "")
        table(headings, [_row(fate, dry_run=dry_run) for fate in shown])
    if done.staying[_MOST_STAYING:]:
        say(f"… and {len(done.staying) - _MOST_STAYING:,} more that stay")
    say(_total(done, dry_run=dry_run))


def _row(fate: Fate, *, dry_run: bool) -> tuple[str, ...]:
    run = fate.run
    goes = "goes" if dry_run else "gone"
    return (
        goes if fate.goes else "stays",
        run.run_id,
        run.workflow,
        run.status.value,
        "-" if run.unfinished else f"{age(run.ended_at)} ago",
        size(fate.bytes),
        fate.why,
    )


def _total(done: CleanUp, *, dry_run: bool) -> str:
    verb = "would be" if dry_run else "were"
    if not done.going and not done.marks:
        return f"Nothing {'would be' if dry_run else 'was'} removed."
    parts = [f"{_counted(done.going)} {verb} removed"] if done.going else []
    if done.marks:
        parts.append(f"{done.marks:,} checkpoint(s) of others {verb} taken off the list")
    if done.given_back:
        parts.append(f"the store is {size(done.given_back)} smaller")
    return ", ".join(parts) + "."


def _counted(fates: Sequence[Fate]) -> str:
    below = sum(fate.run.runs - 1 for fate in fates)
    with_those = f" with {below:,} below" if below else ""
    return f"{len(fates):,} run(s){with_those}, {size(sum(fate.bytes for fate in fates))},"


def _document(done: CleanUp, *, dry_run: bool) -> JsonObject:
    return {
        "dry_run": dry_run,
        "runs": [_fate_json(fate) for fate in done.fates],
        "removed": len(done.going),
        "kept": len(done.staying),
        "bytes": sum(fate.bytes for fate in done.going),
        "checkpoints": done.marks,
        "given_back": done.given_back,
    }


def _fate_json(fate: Fate) -> JsonObject:
    run = fate.run
    return {
        "run_id": run.run_id,
        "workflow": run.workflow,
        "status": run.status.value,
        "created_at": run.created_at,
        "created_at_iso": iso(run.created_at),
        "ended_at": None if run.unfinished else run.ended_at,
        "runs": run.runs,
        "pinned": run.pinned,
        "bytes": fate.bytes,
        "goes": fate.goes,
        "why": fate.why,
    }
