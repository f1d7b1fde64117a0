"""`tidegate checkpoints delete`: taking checkpoints off the list."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import click

from tidegate.cli import options
from tidegate.cli.asking import at_terminal
from tidegate.cli.console import complain, emit_json, say, table
from tidegate.cli.exits import Exit
from tidegate.cli.grammar import Command, argument
from tidegate.cli.times import age
from tidegate.cli.wiring import Session, run_with_session
from tidegate.engine.unlisting import why_listed
from tidegate.errors import CheckpointInUse, CheckpointNotFound
from tidegate.model.base import Json, JsonObject
from tidegate.model.listing import CheckpointRow
from tidegate.settings import Settings

__all__ = ["delete"]


@dataclass(frozen=True, slots=True)
class _Plan:
    """What becomes of a checkpoint, and why."""

    mark: CheckpointRow
    goes: bool
    why: str = ""
    cancels: bool = False
    """Whether its run is cancelled for it."""


@click.command(cls=Command)
@argument(
    "checkpoints", metavar="CHECKPOINT...", nargs=-1, required=True, help="Their ids, or the beginnings."
)
@click.option(
    "--cancel",
    is_flag=True,
    help="Cancel the run of an open question, as `runs cancel` does, so that its checkpoint can go.",
)
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@click.option("--dry-run", is_flag=True, help="Only say what would go, and what would be cancelled.")
@options.by
@options.as_json
@options.store
@options.pass_settings
def delete(
    settings: Settings,
    checkpoints: tuple[str, ...],
    cancel: bool,
    yes: bool,
    dry_run: bool,
    by: str | None,
    as_json: bool,
) -> int:
    """Take checkpoints off the list. The history of their runs stays as it is.

    That of an open question stays: its answer finds the run by it. With --cancel it goes together with
    its run's cancel, which stops what is at work and closes every question of that run. A pinned one
    stays until it is unpinned.

    Exit code: 0 if all of them are gone, 6 if one is not: its question is open, or it is pinned; 7 if
    there is no such checkpoint, and then nothing is done.
    """

    async def work(session: Session) -> int:
        plans = [_plan(mark, cancel=cancel) for mark in await _meant(session, checkpoints)]
        if not dry_run:
            going = [plan for plan in plans if plan.goes]
            if going and not yes:
                _ask(going)
            who = (by or session.operator) if cancel else None
            plans = [await _done(session, plan, who) if plan.goes else plan for plan in plans]
        _report(plans, dry_run=dry_run, as_json=as_json)
        return Exit.SUCCEEDED if dry_run or all(plan.goes for plan in plans) else Exit.CONFLICT

    return run_with_session(settings, work)


async def _meant(session: Session, words: Sequence[str]) -> list[CheckpointRow]:
    """Return the checkpoints that are named, each once.

    Raises:
        CheckpointNotFound, AmbiguousId: a word names none, or more than one.
    """
    found = dict.fromkeys([await session.history.find_checkpoint(word) for word in words])
    return [await session.store.checkpoint(checkpoint_id) for checkpoint_id in found]


def _plan(mark: CheckpointRow, *, cancel: bool) -> _Plan:
    refusal = why_listed(mark)
    if refusal is None:
        return _Plan(mark, goes=True)
    if cancel and mark.pause_open and not mark.pinned:
        return _Plan(mark, goes=True, why=f"run {mark.run_id} is cancelled for it", cancels=True)
    return _Plan(mark, goes=False, why=refusal.problem)


async def _done(session: Session, plan: _Plan, who: str | None) -> _Plan:
    """Do what was planned; return it as it came true."""
    try:
        # What was not planned is not cancelled, though it may ask by now.
        await session.executor.delete_checkpoint(
            plan.mark.checkpoint_id, cancel_by=who if plan.cancels else None
        )
    except CheckpointNotFound:
        # Somebody else has just done the same.
        return plan
    except CheckpointInUse as error:
        return replace(plan, goes=False, why=error.problem)
    return plan


def _ask(going: Sequence[_Plan]) -> None:
    """Ask whether that is wanted.

    Raises:
        click.UsageError: there is nobody to ask.
        click.Abort: it is not.
    """
    if not at_terminal():
        raise click.UsageError("nothing was removed: say --yes, or --dry-run to see what would go")
    for plan in going:
        complain("  ".join(_row(plan, "goes")[1:]))
    runs = ", ".join(f"run {run}" for run in _cancelled(going))
    also = f", and cancel {runs} for good" if runs else ""
    click.confirm(f"Take {len(going):,} checkpoint(s) off the list{also}?", abort=True, err=True)


# -- telling ----------------------------------------------------------------------------------


def _report(plans: Sequence[_Plan], *, dry_run: bool, as_json: bool) -> None:
    if as_json:
        emit_json(_document(plans, dry_run=dry_run))
        return
    headings = ("", "CHECKPOINT", "TYPE", "WORKFLOW", "RUN", "AGE", "")
    table(headings, [_row(plan, "goes" if dry_run else "gone") for plan in plans])
    going = [plan for plan in plans if plan.goes]
    would = "would be " if dry_run else "were "
    say(f"{_total(going, would)}." if going else f"Nothing {'would be' if dry_run else 'was'} removed.")


def _row(plan: _Plan, goes: str) -> tuple[str, ...]:
    mark = plan.mark
    return (
        goes if plan.goes else "stays",
        mark.checkpoint_id,
        mark.kind.value,
        mark.workflow,
        mark.run_id,
        age(mark.created_at),
        plan.why or mark.label or mark.pause_text.strip().partition("\n")[0],
    )


def _total(going: Sequence[_Plan], would: str) -> str:
    runs = _cancelled(going)
    also = f", {len(runs):,} run(s) {would}cancelled" if runs else ""
    return f"{len(going):,} checkpoint(s) {would}taken off the list{also}"


def _cancelled(going: Sequence[_Plan]) -> list[str]:
    return list(dict.fromkeys(plan.mark.run_id for plan in going if plan.cancels))


def _document(plans: Sequence[_Plan], *, dry_run: bool) -> JsonObject:
    going = [plan for plan in plans if plan.goes]
    told: list[Json] = [
        {
            "checkpoint_id": plan.mark.checkpoint_id,
            "run_id": plan.mark.run_id,
            "workflow": plan.mark.workflow,
            "kind": plan.mark.kind.value,
            "seq": plan.mark.seq,
            "goes": plan.goes,
            "cancels": plan.cancels,
            "why": plan.why,
        }
        for plan in plans
    ]
    cancelled: list[Json] = list(_cancelled(going))
    return {
        "dry_run": dry_run,
        "checkpoints": told,
        "removed": len(going),
        "kept": len(plans) - len(going),
        "cancelled": cancelled,
    }
