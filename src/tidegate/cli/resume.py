"""`tidegate resume`."""

import click

from tidegate.cli import options
from tidegate.cli.grammar import Command, argument
from tidegate.cli.report import follow_to_rest
from tidegate.cli.telling import heads_of
from tidegate.cli.wiring import Session, run_with_session
from tidegate.errors import NotResumable, RunNotFound
from tidegate.model.events import RunStatus
from tidegate.model.ids import CheckpointId, RunId
from tidegate.model.listing import CheckpointFilter, RunFilter
from tidegate.settings import Settings

__all__ = ["resume"]

_RESUMABLE = frozenset({RunStatus.INTERRUPTED, RunStatus.FAILED, RunStatus.PAUSED})


@click.command(cls=Command)
@argument("target", metavar="RUN|CHECKPOINT|WORKFLOW", help="What to go on with.")
@options.by
@options.as_json
@options.store
@options.pass_settings
def resume(settings: Settings, target: str, by: str | None, as_json: bool) -> int:
    """Go on with a run after a crash, a stop or a failure.

    What had ended is kept. Blocks that failed are planned again, with everything downstream. A
    block that was running when its process died is run again only if that is harmless; otherwise
    you are asked. A workflow's name means its newest run that can be resumed.
    """

    async def work(session: Session) -> int:
        run_id = await _resumable(session, target)
        before = await heads_of(session.history, run_id)
        await session.executor.resume(run_id, by=by or session.operator)
        return await follow_to_rest(session, run_id, as_json=as_json, since=before)

    return run_with_session(settings, work)


async def _resumable(session: Session, target: str) -> RunId:
    try:
        run_id = await session.history.find_run(target)
    except RunNotFound:
        return await _newest_of(session, target)
    if target.startswith(("chk_", "pause_")):
        await _must_be_head(session, run_id, target)
    return run_id


async def _newest_of(session: Session, workflow: str) -> RunId:
    """Return the newest run of a workflow that can go on.

    Raises:
        RunNotFound: there is neither a run nor a workflow of that name.
        NotResumable: the workflow has runs, and none of them can.
    """
    found = await session.history.runs(RunFilter(workflow=workflow))
    for view in found:
        if view.status in _RESUMABLE:
            return view.row.run_id
    if not found:
        raise RunNotFound(workflow)
    raise NotResumable(
        workflow,
        f"none of its runs was stopped or failed; the newest, {found[0].row.run_id}, is {found[0].status}",
        f"`tidegate runs list --workflow {workflow}` shows them",
    )


async def _must_be_head(session: Session, run_id: RunId, target: str) -> None:
    """Refuse a checkpoint that the run has left behind; a pause that is open is none of those."""
    wanted = await session.history.find_checkpoint(target)
    newest = await session.history.checkpoints(CheckpointFilter(run_id=run_id, limit=1))
    if newest and newest[0].checkpoint_id == wanted:
        return
    if not (await session.history.checkpoint(wanted)).metadata.is_paused:
        raise NotResumable(
            wanted,
            f"run {run_id} has gone on since; its newest checkpoint is {newest[0].checkpoint_id}",
            await _what_was_meant(session, run_id, wanted),
        )


async def _what_was_meant(session: Session, run_id: RunId, wanted: CheckpointId) -> str:
    fork = f"`{session.call} checkpoints fork {wanted}` goes on from there, as another run"
    if (await session.history.run_view(run_id)).status not in _RESUMABLE:
        return fork
    return f"{fork}; `{session.call} resume {run_id}` goes on with this one, from where it is"
